"""Writes objects that share most of their contents: comdats/oN.obj and their
response file comdats.rsp. Each has 40 tables of 16 KiB that all others have as
well (COMDATs), 6 of its own, a function for each, and debug symbols.

    make-comdats.py CLANG COUNT [OPTIONS...]

OPTIONS replace the compiler's options for Windows and CodeView."""

import os
import subprocess
import sys

clang, count = sys.argv[1], int(sys.argv[2])
target = sys.argv[3:] or ["--target=x86_64-pc-windows-msvc", "-gcodeview"]
os.makedirs("comdats", exist_ok=True)


def table(name, value):
    return (f"inline const int {name}[4096] = {{{value}, 1, 2}};\n"
            f"inline __attribute__((noinline)) const int *at_{name}(int i) "
            f"{{ return {name} + i; }}\n")


names = []
for number in range(count):
    shared = [f"shared{i}" for i in range(40)]
    own = [f"own{number}_{i}" for i in range(6)]
    text = "".join(table(n, i + 1) for i, n in enumerate(shared))
    text += "".join(table(n, number + 1) for n in own)
    text += f"int use{number}(int i) {{ int s = 0;\n"
    text += "".join(f"s += *at_{n}(i);\n" for n in shared + own)
    text += "return s; }\n"
    if number == 0:
        text += "".join(f"int use{n}(int);\n" for n in range(1, count))
        text += "int main() { return 0"
        text += "".join(f" + use{n}(1)" for n in range(count)) + "; }\n"
    path = f"comdats/o{number}"
    with open(path + ".cpp", "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run([clang, *target, "-c", "-g", "-std=c++17",
                    "-ffunction-sections", "-fdata-sections",
                    path + ".cpp", "-o", path + ".obj"], check=True)
    names.append(path + ".obj\n")
with open("comdats.rsp", "w", encoding="ascii") as file:
    file.writelines(names)
