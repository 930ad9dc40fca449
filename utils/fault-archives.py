#!/usr/bin/env python3
"""Makes the prefetcher call a test library wherever it calls the system.

The script copies our archives, and the members of libLLVMSupport.a that call the system for them,
into one archive. There it renames references to the table's functions of the C library to
`headstart_fault_<name>`, which test/Faults/Faults.cpp defines. lld keeps the originals of LLVM's
members, so that only our calls are bound. The copy also has new names for everything that both
sides may define: functions of the copied members, and templates and inline functions, of which a
linker keeps one.

The build fails unless the table has each function of the C library that the copies reference, and
each referenced member of libLLVMSupport.a that calls a function which may fail.
"""

import argparse
import importlib
import json
import pathlib
import re
import shutil
import sys
import tempfile

seam = importlib.import_module("rename-seam")
Problem = seam.Problem

COPY = "headstart_copy_"
FAULT = "headstart_fault_"
# The streams stay lld's, since their output is the link's.
STREAMS = {"_ZN4llvm4outsEv", "_ZN4llvm4errsEv"}
# The functions of the C++ library that call the system, and their names in the table.
RUNTIME = {
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_"
    "EEPFvvE": "thread",
    "_ZNSt10filesystem12read_symlinkERKNS_7__cxx114pathERSt10error_code": "readlink",
}
RUNTIME_HARMLESS = re.compile(
    r"_ZNSt6thread(4joinEv|6detachEv|20hardware_concurrencyEv|6_StateD2Ev)$"
    r"|_ZNK?St10filesystem7__cxx114path|_ZT[ISV]")
RUNTIME_SUSPECT = re.compile(
    r"St10filesystem|fstream|filebuf|random_device|St6thread|St11this_thread")
# The functions of the compiler and the C++ runtime.
COMPILER = re.compile(r"_Unwind_|__|malloc$|_GLOBAL_")


class Member:
    def __init__(self):
        self.strong, self.weak, self.wanted = set(), set(), set()


def symbols_of(tools, archive):
    """Returns {member's name: its symbols}; members of one name share an entry."""
    members = {}
    for line in tools.run("llvm-nm", "-g", "--format=posix", archive):
        if header := re.match(r"(\S+):$", line):
            member = members.setdefault(header[1], Member())
        elif symbol := re.match(r"(\S+) (\S)", line):
            name, kind = symbol.groups()
            # A `u` symbol must stay unique in the process.
            where = ("wanted" if kind in "Uwv" else "weak" if kind in "WV" else
                     "strong" if kind != "u" else None)
            if where and not name.startswith("DW.ref."):
                getattr(member, where).add(name)
    return members


def plain(name):
    """The name in the table: open for open64, preadv2 for preadv64v2."""
    return name if name == "getdents64" else re.sub("64$|64v(?=2$)", "", name)


def classify(table, where, name):
    """The new name of a reference, or None if it stays."""
    if name in RUNTIME:
        return FAULT + RUNTIME[name].replace("readlink", "read_symlink")
    if name.startswith("_Z") or COMPILER.match(name):
        if (RUNTIME_SUSPECT.search(name) and not RUNTIME_HARMLESS.match(name)
                and "headstart" not in name):
            raise Problem(f"{where} refers to {name}, of the C++ library, which may "
                          "call the system: fault-archives.py must know it")
        return None
    if name == "syscall" or plain(name) in table["faulted"]:
        return FAULT + name
    if name in table["harmless"]:
        return None
    raise Problem(f"{where} calls {name}(), which test/Faults/SystemCalls.json does "
                  "not know: may it fail, and how? (lib/OS/README.md)")


def check_llvm(table, support, wanted):
    """Checks that the table has every member of LLVM that calls the system for us."""
    for name, member in support.items():
        if name in table["llvm"] or name in table["spared_llvm"]:
            continue
        calls = sorted(c for c in member.wanted if plain(c) in table["faulted"])
        used = sorted(member.strong & wanted)
        if calls and used:
            raise Problem(f"LLVM's {name} is used ({used[0]}) and calls {calls[0]}(): "
                          "it must be copied, or spared")


def copy_archives(table, tools, archives, support_archive, work):
    """Writes the renamed copies to the directory `work`. Returns their paths."""
    ours = {archive: symbols_of(tools, archive) for archive in archives}
    members = [(f"{archive.name}({name})", member) for archive in archives
               for name, member in ours[archive].items() if name not in table["spared"]]
    support = symbols_of(tools, support_archive)
    copied = [(f"LLVM's {name}", support[name]) for name in table["llvm"]]
    check_llvm(table, support, set().union(*(m.wanted for _, m in members + copied)))

    defined = set().union(*(m.strong | m.weak for _, m in members + copied))
    changes = {}
    for where, member in members + copied:
        for name in sorted(member.wanted - defined):
            if new := classify(table, where, name):
                changes[name] = new
    for _, member in members:
        changes.update((name, COPY + name) for name in member.weak)
    for _, member in copied:
        changes.update((name, COPY + name) for name in member.strong | member.weak)

    (work / "llvm").write_text("".join(f"{o} {n}\n" for o, n in changes.items()))
    (work / "ours").write_text("".join(f"{o} {n}\n" for o, n in changes.items()
                                       if o not in STREAMS))
    paths = []
    for number, archive in enumerate(archives):
        copy = work / f"{number}.a"
        shutil.copy(archive, copy)
        apart = [name for name in ours[archive] if name in table["spared"]]
        if apart:
            tools.run("llvm-ar", "x", f"--output={work}", archive, *apart)
            tools.run("llvm-ar", "d", copy, *apart)
        tools.run("llvm-objcopy", f"--redefine-syms={work / 'ours'}", copy)
        paths += [copy, *(work / name for name in apart)]
    tools.run("llvm-ar", "x", f"--output={work}", support_archive, *table["llvm"])
    for name in table["llvm"]:
        tools.run("llvm-objcopy", f"--redefine-syms={work / 'llvm'}", work / name)
        paths.append(work / name)
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", type=pathlib.Path, required=True,
                        help="the directory with LLVM's programs")
    parser.add_argument("--support", type=pathlib.Path, required=True, help="libLLVMSupport.a")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("archives", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    table = json.loads(args.table.read_text(encoding="utf-8"))
    table["harmless"] = set(" ".join(table["cannot_fail"].values()).split())
    try:
        with tempfile.TemporaryDirectory() as directory:
            work = pathlib.Path(directory)
            tools = seam.Tools(args.llvm, work)
            paths = copy_archives(table, tools, args.archives, args.support, work)
            args.out.unlink(missing_ok=True)
            tools.run("llvm-ar", "qcsLD", args.out, *paths)
    except Problem as problem:
        print(f"fault-archives.py: error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
