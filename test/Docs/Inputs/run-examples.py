#!/usr/bin/env python3
"""Runs the examples of the documents, each in a copy of a small project.

In Markdown an example is the indented or fenced block after a comment; in a manual
page it is a run of .Dl lines in the section EXAMPLES:

    <!-- example: NAME -->          .\\" example: NAME

The name may be followed by ", status N" if the exit status must not be 0;
", with ARGS", the arguments of a script; and ", needs FEATURE" if only the test of that
feature runs the example. A manual page can omit the comment if none of these is
necessary.

A block is a script for bash. If lines of it begin with "$ ", these are the script,
and the others are its output, in which a number matches any number, and "…"
anything."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

FEATURES = {"eviction", "fuse", "gcc", "mold", "residency"}
# The pages with commands for users; all manual pages have examples, too.
PAGES = ["Guide.md", "Benchmarking.md", "SlowStorage.md", "Windows.md",
         "internals/Discovery.md", "internals/Manifests.md"]
MARK = re.compile(r"example: ([\w -]+?)(?:, status (\d+))?(?:, with (.+?))?"
                  r"(?:, needs ([\w-]+))?(?: -->)?$")


class Example:
    def __init__(self, page, line, mark, block):
        found = MARK.match(mark)
        if not found:
            raise ValueError(f"{page}:{line}: '{mark}' is no mark of an example")
        self.where = f"{page}:{line}: {found[1]}"
        self.status = int(found[2] or 0)
        self.arguments = (found[3] or "").split()
        self.needs = found[4]
        if self.needs and self.needs not in FEATURES:
            raise ValueError(f"{self.where}: no test has the feature '{self.needs}'")
        typed = [text[2:] for text in block if text.startswith("$ ")]
        self.script = "\n".join(typed or block) + "\n"
        self.output = [text for text in block if typed and not text.startswith("$ ")]


def in_markdown(page, lines):
    for at, text in enumerate(lines):
        if not text.startswith("<!-- example:"):
            continue
        block, fence = [], None
        for line in lines[at + 1:]:
            if line.startswith("```"):
                if fence:
                    break
                fence = True
            elif fence or line.startswith("    "):
                block.append(line if fence else line[4:])
            elif line or block:
                break
        if not block:
            raise ValueError(f"{page}:{at + 1}: no block follows the mark")
        yield Example(page, at + 1, text[len("<!-- "):], block)


def in_manual(page, lines):
    begin = lines.index(".Sh EXAMPLES")
    mark, block = None, []
    for at, text in enumerate(lines[begin + 1:], begin + 2):
        if text.startswith(".Dl "):
            # Converts quotes and escapes as mandoc(1) does.
            text = re.sub(r'^"(.*)"$', r"\1", text[len(".Dl "):])
            block.append(text.replace(r"\(dq", '"').replace(r"\e", "\\"))
            continue
        if block:
            yield Example(page, at - len(block), mark or "example: EXAMPLES", block)
            mark, block = None, []
        if text.startswith('.\\" example:'):
            mark = text[len('.\\" '):]
        if text.startswith(".Sh"):
            return


def examples(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    find = in_markdown if path.suffix == ".md" else in_manual
    return list(find(path.name, lines))


def make_project(directory, llvm):
    """Makes the objects and response files of a program for Linux, app, and of one for
    Windows, game; sources, and a build directory."""
    def write(name, text):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def compile(source, *outputs, options=()):
        for output in outputs:
            (directory / output).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([llvm / "clang++", "-g", "-O1", *options, "-c", source,
                            "-o", output], cwd=directory, check=True)

    shutil.rmtree(directory, ignore_errors=True)
    # The objects are large enough to be mapped, and for a profile to be stored.
    table = "char table%s[100000] = {1};\n"
    write("src/main.cpp", table % "" +
          'extern "C" int part(); extern "C" int more();\n'
          "int main() { return part() + more() - 3 + table[5]; }\n")
    write("src/part.cpp", table % 1 + 'extern "C" int part() { return table1[0]; }\n')
    write("src/more.cpp", table % 2 + 'extern "C" int more() { return 1 + table2[0]; }\n')
    compile("src/main.cpp", "main.o", "obj/main.o", "build/main.o")
    compile("src/part.cpp", "part.o", "obj/part.o", "build/part.o")
    compile("src/more.cpp", "more.o", "build/more.o")
    subprocess.run([llvm / "llvm-ar", "rc", "libapp.a", "more.o"], cwd=directory, check=True)
    (directory / "lib").mkdir()
    (directory / "libapp.a").rename(directory / "lib/libapp.a")
    write("app.rsp", "-e main -o app obj/main.o obj/part.o -Llib -lapp\n")
    write("objects.rsp", "main.o part.o more.o\n")
    for name in ("main", "part", "more"):
        compile(f"src/{name}.cpp", f"{name}.obj",
                options=["--target=x86_64-pc-windows-msvc", "-gcodeview"])
    write("game.rsp", "/out:game.exe /entry:main /subsystem:console /debug "
          "main.obj part.obj more.obj\n")
    write("build/build.ninja", "rule touch\n  command = touch $out\nbuild new.o: touch\n"
          "build app: phony new.o\n")
    write("build.ninja", "rule link\n  command = ld.lld @app.rsp\nbuild app: link\n")
    write("include/app.h", "int part();\n")
    write("third-party/other.h", "int other();\n")


def run(example, project, work, environment):
    """Runs an example. Returns an error message, or None."""
    directory = work / "copy"
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(project, directory, symlinks=True)
    try:
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", example.script,
                               "example", *example.arguments],
                              cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace", timeout=240)
    except subprocess.TimeoutExpired as late:
        return f"it has not ended after {late.timeout} s"
    if done.returncode != example.status:
        return f"status {done.returncode}, not {example.status}\n{done.stdout}"
    complaint = re.search(r"^.*\b(?:error: |unknown ).*$", done.stdout, re.M)
    if complaint and not example.status:
        return complaint[0]
    pattern = "\n".join(" ".join(line.split()) for line in example.output)
    pattern = re.escape(pattern).replace("…", ".*")
    pattern = re.sub(r"\d+(?:\\?[.,]\d+)*", r"\\d+(?:[.,]\\d+)*", pattern)
    printed = "\n".join(" ".join(line.split()) for line in done.stdout.splitlines())
    if example.output and not re.fullmatch(pattern, printed, re.S):
        return f"the page shows other output than this:\n{done.stdout}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True,
                        help="the directory of the built programs")
    parser.add_argument("--llvm", type=pathlib.Path, required=True,
                        help="the directory of LLVM's programs")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--needs", help="run what needs this feature, and only that")
    parser.add_argument("page", type=pathlib.Path, nargs="*",
                        help="by default all that are to have examples")
    given = parser.parse_args()
    docs = pathlib.Path(__file__).resolve().parents[3] / "docs"
    given.page = given.page or [
        *(docs / name for name in PAGES), *sorted(docs.glob("man/*.[1-9]"))]

    found = {page: examples(page) for page in given.page}
    bare = [page for page in given.page if not found[page]]
    for page in bare:
        print(f"{page}: no example")
    chosen = [e for page in given.page for e in found[page] if e.needs == given.needs]
    if bare or not chosen:
        return 1

    # A directory like a clone's, and programs in PATH as if installed.
    work = given.work.resolve()
    project = work / "project"
    make_project(project, given.llvm)
    (project / "build/bin").symlink_to(given.tools.resolve())
    (work / "bin").mkdir(exist_ok=True)
    sudo = work / "bin/sudo"  # root runs the tests that need it
    sudo.write_text('#!/bin/sh\nexec "$@"\n', encoding="utf-8")
    sudo.chmod(0o755)
    (work / "home").mkdir(exist_ok=True)
    environment = dict(
        os.environ, HOME=str(work / "home"), XDG_CACHE_HOME=str(work / "home/cache"),
        PATH=os.pathsep.join([str(work / "bin"), str(given.tools.resolve()),
                              str(given.llvm), os.environ["PATH"]]))
    failed = 0
    for example in chosen:
        wrong = run(example, project, work, environment)
        print(f"{example.where}: {wrong or 'ok'}")
        if wrong:
            print(example.script)
            failed += 1
    print(f"{len(chosen)} examples, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(str(error))
