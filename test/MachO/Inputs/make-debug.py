"""Writes objects that are mostly debug information: ARCH/oN.o, and their
response file ARCH.rsp.

    make-debug.py CLANG COUNT ARCH
"""

import os
import subprocess
import sys

clang, count, arch = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.makedirs(arch, exist_ok=True)
names = []
for number in range(count):
    path = f"{arch}/o{number}"
    with open(path + ".c", "w", encoding="ascii") as file:
        for i in range(600):
            fields = " ".join(f"int with_a_long_name_{i}_{f};"
                              for f in range(12))
            file.write(f"struct Of{i} {{ {fields} }};\n"
                       f"int f{number}_{i}(struct Of{i} *the_structure, "
                       f"int another_parameter) {{ return the_structure->"
                       f"with_a_long_name_{i}_3 + another_parameter; }}\n")
        if number == 0:
            file.write("int main(void) { return 0; }\n")
    subprocess.run([clang, f"--target={arch}-apple-macos13", "-g", "-c",
                    path + ".c", "-o", path + ".o"], check=True)
    names.append(path + ".o\n")
with open(f"{arch}.rsp", "w", encoding="ascii") as file:
    file.writelines(names)
