"""The project of a day, a model: the parts of its link, and its changes. `Tree.update` writes the
files that differ from the model, so that one tree serves for many days."""

import copy
import dataclasses
import os
import pathlib
import shutil
import subprocess
import time

from days.objects import (BITCODE, CORE, EXTRAS, SHARED, VARIANTS, Objects, calls, is_member)

RANGES = {"small": [(20, 300)],
          # A quick run chooses the days with hundreds of inputs.
          "real": [(580, 800), (900, 1700), (580, 800), (1700, 4000),
                   (580, 1000), (900, 1700)]}
OUTPUT = "app"
# How many objects one edit touches.
FEW = [1, 1, 1, 2, 5, 20]


@dataclasses.dataclass(frozen=True)
class Object:
    number: int
    variant: int = 0
    header: int = 0
    version: int = 0
    stripped: bool = False


@dataclasses.dataclass
class Archive:
    path: str
    members: list[str]
    thin: bool
    how: str  # plain, whole, -l, group, script


@dataclasses.dataclass
class Variation:
    """The linker and the output of a command line."""
    directory: str = "out"
    name: str = OUTPUT
    mold: bool = False


def input_count(size: str, seed: int, rng) -> int:
    """The number of inputs; its logarithm is distributed evenly."""
    first, last = RANGES[size][seed % len(RANGES[size])]
    return round(first * (last / first) ** rng.random())


class Project:
    def __init__(self, pool: Objects, rng, count: int):
        self.pool, self.flavour = pool, pool.flavour.name
        self.suffix = pool.flavour.suffix
        numbers = range(count)
        self.objects: dict[str, Object] = {self.path(n): Object(n) for n in numbers}
        self.next_number = count
        self.plain = [self.path(n) for n in numbers if not is_member(n)]
        self.archives: list[Archive] = []
        self.missing: list[str] = []  # on the command line only
        members = [self.path(n) for n in numbers if is_member(n)]
        many = 1 + int(rng.random() * min(12, len(members)))
        hows = {"elf": ["plain", "whole", "-l", "group", "script"],
                "coff": ["plain", "plain", "whole", "-l"],
                "macho": ["plain", "whole", "-l"]}[self.flavour]
        for at in range(many):
            self.archives.append(Archive(
                f"lib/{pool.flavour.archive(f'a{at}')}", members[at::many],
                rng.random() < 0.3 and self.flavour != "macho", rng.choice(hows)))
        self.lazy: list[str] = []  # between --start-lib and --end-lib
        if rng.random() < 0.3:
            self.lazy = rng.sample(self.plain[CORE:], len(self.plain) // 10)
        self.in_script: list[str] = []
        if self.flavour == "elf" and rng.random() < 0.4:
            self.in_script = [p for p in rng.sample(
                self.plain[CORE:], len(self.plain) // 20) if p not in self.lazy]
        self.bitcode: dict[str, int] = {}
        if self.flavour == "elf" and rng.random() < 0.25:
            for k in range(rng.randint(1, BITCODE)):
                self.bitcode[f"obj/bitcode{k}.o"] = 0
        # Objects need the first one; the linker reads the others unnecessarily.
        self.shared = {k: 0 for k in range(1 + rng.randrange(SHARED))}
        self.draw_options(rng)
        self.response = rng.choice(["", "response", "list"]
                                   if self.flavour == "macho" else ["", "response"])

    def copy(self) -> "Project":
        """Copies the project and its containers, whose elements do not change."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict)):
                setattr(other, name, copy.copy(value))
        other.archives = [dataclasses.replace(a, members=a.members[:]) for a in self.archives]
        return other

    def path(self, number: int) -> str:
        return f"obj/d{number // 100:02d}/o{number:05d}.{self.suffix}"

    def draw_options(self, rng) -> str:
        options = {
            "elf": "--gc-sections --icf=all -pie -shared -O2 --build-id -S -s --gdb-index "
                   "--emit-relocs -Map={out}.map --threads=1 --cref --dependency-file={out}.d "
                   "--eh-frame-hdr -znow",
            "coff": "/debug /debug /debug:ghash /opt:ref /opt:icf /opt:noref /dll /map:{out}.map "
                    "/lldmap:{out}.lldmap /threads:1 /incremental:no",
            "macho": "-dead_strip -S -x -ObjC -map={out}.map --icf=all -dylib -no_uuid --threads=1 "
                     "-dead_strip_dylibs -dependency_info={out}.dep"}[self.flavour].split()
        self.options = rng.sample(options, rng.choice([0, 0, 1, 1, 2, 3]))
        return " ".join(self.options) or "none"

    # The linker's arguments.

    def arguments(self, variation: Variation) -> list[str]:
        self.texts = {}
        out = f"{variation.directory}/{variation.name}"
        options = [o.format(out=out) for o in self.options]
        inputs = [f"start.{self.suffix}"]
        hidden = {*self.lazy, *self.in_script}
        inputs += [p for p in self.plain if p not in hidden] + self.missing
        if self.flavour == "elf":
            return self.elf(out, options, inputs, variation.mold)
        if self.lazy:
            slash = "/" if self.flavour == "coff" else "--"
            inputs += [slash + "start-lib", *self.lazy, slash + "end-lib"]
        return getattr(self, self.flavour)(out, options, inputs)

    def in_response(self, args) -> list[str]:
        """Passes arguments in a response file if the project uses one."""
        if not self.response:
            return args
        self.texts["link.rsp"] = "\n".join(args) + "\n"
        return ["@link.rsp"]

    def elf(self, out, options, inputs, mold):
        if mold:
            options = ["--no-fork"] + [o for o in options if o in (
                "--gc-sections", "-pie", "-shared", "-S", "-s", "--build-id")]
        else:
            inputs += list(self.bitcode)
        if self.lazy:
            inputs += ["--start-lib", *self.lazy, "--end-lib"]
        script = [*self.in_script]
        for archive in self.archives:
            if archive.how == "whole":
                inputs += ["--whole-archive", archive.path, "--no-whole-archive"]
            elif archive.how == "-l":
                inputs.append("-l" + pathlib.Path(archive.path).stem[3:])
            elif archive.how == "script":
                script.append(archive.path)
            elif archive.how == "plain":
                inputs.append(archive.path)
        group = [a.path for a in self.archives if a.how == "group"]
        if group:
            inputs += ["--start-group", *group, "--end-group"]
        if script:
            self.texts["lib/script.ld"] = f"INPUT({' '.join(script)})\n"
            inputs.append("lib/script.ld")
        for k in self.shared:
            inputs.append(f"so/libshared{k}.so" if k % 2 else f"-lshared{k}")
        return ["-o", out, *options, "-Llib", "-Lso", *self.in_response(inputs)]

    def coff(self, out, options, inputs):
        for archive in self.archives:
            inputs.append({"whole": f"/wholearchive:{archive.path}",
                           "-l": f"/defaultlib:{pathlib.Path(archive.path).name}"
                           }.get(archive.how, archive.path))
        inputs += [f"lib/shared{k}.lib" for k in self.shared]
        return [f"/out:{out}.exe", "/Brepro", "/subsystem:console", "/entry:main",
                "/libpath:lib", *options, *self.in_response(inputs)]

    def macho(self, out, options, inputs):
        libraries = []
        for archive in self.archives:
            libraries += {"whole": ["-force_load", archive.path],
                          "-l": ["-l" + pathlib.Path(archive.path).stem[3:]]
                          }.get(archive.how, [archive.path])
        libraries += [f"lib/libshared{k}.tbd" if k % 2 else f"-lshared{k}" for k in self.shared]
        libraries += ["-framework", f"Frame{len(self.archives) % 3}"]
        if self.response == "list" and not self.lazy:
            self.texts["link.list"] = "\n".join(inputs) + "\n"
            inputs = ["-filelist", "link.list", *libraries]
        else:
            inputs = self.in_response(inputs + libraries)
        options = [part for option in options for part in (
            [option] if option.startswith("--") else option.split("=", 1))]
        return ["-arch", "x86_64", "-platform_version", "macos", "11", "11", "-o",
                out, "-syslibroot", str(self.pool.directory), "-Llib", "-Flib",
                "-lSystem", *options, *inputs]

    def inputs(self) -> list[str]:
        """The files that a link reads, about in the linker's order."""
        thin = [m for a in self.archives if a.thin for m in a.members]
        return [f"start.{self.suffix}", *self.plain, *self.bitcode,
                *(a.path for a in self.archives), *thin, *self.libraries(), *self.texts]

    def libraries(self) -> dict[str, str]:
        """The libraries of the pool, by their paths in the tree."""
        names = [self.pool.flavour.archive(f"extra{k}") for k in range(EXTRAS)]
        if self.flavour == "coff":
            names += [f"shared{k}.lib" for k in self.shared]
        if self.flavour == "macho":
            names += [*(f"libshared{k}.tbd" for k in self.shared), "libSystem.tbd",
                      *(f"Frame{k}.framework/Frame{k}.tbd" for k in range(3))]
        libraries = {f"lib/{name}": f"lib/{name}" for name in names}
        if self.flavour == "elf":
            libraries.update({f"so/libshared{k}.so": f"lib/libshared{k}-{variant}.so"
                              for k, variant in self.shared.items()})
        return libraries

    def files(self) -> dict:
        """A description of each file of the tree. The texts are those of the last command line."""
        files: dict = {f"start.{self.suffix}": "start"}
        files.update(self.objects)
        files.update({p: ("bitcode", p[-3], v) for p, v in self.bitcode.items()})
        files.update({p: ("pool", source) for p, source in self.libraries().items()})
        files.update({p: ("text", text) for p, text in self.texts.items()})
        for archive in self.archives:
            files[archive.path] = ("archive", archive.thin, tuple(
                (m, self.objects[m]) for m in archive.members))
        return files

    def content(self, what) -> bytes:
        if isinstance(what, Object):
            return self.pool.content(what.number, what.variant, what.header, what.version)
        if what == "start":
            return self.pool.start()
        kind, *more = what
        if kind == "bitcode":
            return self.pool.shape(f"bitcode{more[0]}-{more[1]}")
        if kind == "text":
            return more[0].encode()
        return (self.pool.directory / more[0]).read_bytes()

    def called(self) -> set:
        """The objects that the others need."""
        return {self.path(calls(o.number, self.flavour)[0])
                for o in self.objects.values()} | {self.path(n) for n in range(CORE)}


class Tree:
    def __init__(self, directory: pathlib.Path, llvm: pathlib.Path):
        self.home = self.directory = directory
        self.llvm = llvm
        self.files: dict = {}
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        os.chdir(directory)

    def move(self, directory: pathlib.Path) -> None:
        os.rename(self.directory, directory)
        self.directory = directory
        os.chdir(directory)

    def update(self, project: Project, rng=None, again=()) -> None:
        """Writes the files that differ, and those in `again` once more."""
        wanted = project.files()
        for path in [p for p in self.files if p not in wanted]:
            os.unlink(path)
            del self.files[path]
        stripped, archives = [], []
        for path, what in wanted.items():
            if self.files.get(path) == what and path not in again:
                continue
            if isinstance(what, tuple) and what[0] == "archive":
                archives.append((path, what))
                continue
            self.write(path, project.content(what), rng is not None and rng.random() < 0.3)
            if isinstance(what, Object) and what.stripped:
                stripped.append(path)
            self.files[path] = what
        if stripped:
            self.run(["llvm-strip", "--strip-debug", *stripped])
        for path, what in archives:
            pathlib.Path(path).unlink(missing_ok=True)
            pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
            self.run(["llvm-ar", "rcsDT" if what[1] else "rcsD", path, *(m for m, _ in what[2])])
            self.files[path] = what

    def run(self, args) -> None:
        subprocess.run([self.llvm / args[0], *args[1:]], check=True, stdin=subprocess.DEVNULL)

    def write(self, path: str, data: bytes, in_place: bool) -> None:
        """Writes over the old file or makes a new one, as compilers do. It never renames over a
        file or truncates one to nothing: ext4 would write it to the disk at once."""
        old = path in self.files
        if old and not in_place:
            os.unlink(path)
        try:
            file = open(path, "r+b" if old and in_place else "wb", buffering=0)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            file = open(path, "wb", buffering=0)
        with file:
            file.write(data)
            file.truncate()


# -- the changes during a day; each function returns a description ----------------

def some(rng, things, most=None):
    things = list(things)
    return rng.sample(things, min(len(things), most or rng.choice(FEW)))


def changed(project: Project, path: str, **fields) -> None:
    project.objects[path] = dataclasses.replace(project.objects[path], **fields)


def change_source(project: Project, rng):
    paths = some(rng, project.objects)
    for path in paths:
        old = project.objects[path]
        if rng.random() < 0.5:
            changed(project, path, version=old.version + 1, stripped=False)
        else:
            changed(project, path, variant=(old.variant + 1) % VARIANTS, stripped=False)
    for path in project.bitcode:
        if rng.random() < 0.3:
            project.bitcode[path] = (project.bitcode[path] + 1) % VARIANTS
    for k in project.shared:
        if project.flavour == "elf" and rng.random() < 0.1:
            project.shared[k] = (project.shared[k] + 1) % VARIANTS
    return f"{len(paths)} sources"


def change_header(project: Project, rng):
    group = rng.randrange(3)
    paths = [p for p, o in project.objects.items() if o.number % 3 == group]
    for path in paths:
        changed(project, path, header=1 - project.objects[path].header, stripped=False)
    return f"{len(paths)} objects include it"


def add_inputs(project: Project, rng):
    count = rng.choice(FEW)
    for _ in range(count):
        path = project.path(project.next_number)
        project.objects[path] = Object(project.next_number)
        project.next_number += 1
        if rng.random() < 0.3:
            rng.choice(project.archives).members.append(path)
        else:
            project.plain.insert(rng.randint(CORE, len(project.plain)), path)
    return f"{count} objects"


def remove_inputs(project: Project, rng):
    if rng.random() < 0.12:
        # The object stays on the command line, or others still call it.
        path = rng.choice(project.plain)
        if rng.random() < 0.7:
            project.missing.append(path)
        remove(project, path)
        return f"{path}, which the link needs"
    called = project.called()
    paths = some(rng, [p for p in project.plain if p not in called])
    for path in paths:
        remove(project, path)
    if len(project.archives) > 1 and rng.random() < 0.2:
        called = project.called()
        spare = [a for a in project.archives if not called & set(a.members)]
        for archive in spare[:1]:
            project.archives.remove(archive)
            for member in archive.members:
                del project.objects[member]
            paths.append(archive.path)
    return f"{len(paths)} inputs"


def remove(project: Project, path: str) -> None:
    del project.objects[path]
    for names in (project.plain, project.lazy, project.in_script):
        if path in names:
            names.remove(path)


def rename_inputs(project: Project, rng):
    paths = some(rng, project.plain)
    for path in paths:
        new = f"obj/r{project.next_number % 7}/{project.next_number}.{project.suffix}"
        project.next_number += 1
        project.objects[new] = project.objects.pop(path)
        for names in (project.plain, project.lazy, project.in_script):
            if path in names:
                names[names.index(path)] = new
    return f"{len(paths)} objects"


def reorder_inputs(project: Project, rng):
    at = rng.randrange(len(project.plain))
    end = at + 1 + int(len(project.plain) ** rng.random())
    part = project.plain[at:end]
    rng.shuffle(part)
    project.plain[at:end] = part
    rng.shuffle(project.archives)
    return f"{len(part)} objects, and the archives"


def touch(project: Project, rng):
    paths = some(rng, project.inputs(), rng.choice([1, 5, 100, 10000]))
    when = time.time() - rng.choice([0, 0, 3600, -3600, 1e8])
    for path in paths:
        if os.path.exists(path):
            os.utime(path, (when, when))
    return f"{len(paths)} inputs"


def strip(project: Project, rng):
    paths = [p for p in some(rng, project.objects) if not project.objects[p].stripped]
    for path in paths:
        changed(project, path, stripped=True)
    return f"{len(paths)} objects"


def other_branch(project: Project, rng) -> str:
    """Changes some files of many kinds, as `git switch` does."""
    for path in some(rng, project.objects, len(project.objects) // 8 + 1):
        changed(project, path, version=50, stripped=False)
    return ", ".join(change(project, rng) for change in rng.sample(
        [change_source, change_source, change_header, add_inputs, reorder_inputs,
         rename_inputs], 2))


# The changes, each with its odds. A step links after its change. `rebuild all` changes no bytes.
CHANGES = {"change a source": (change_source, 22), "change a header": (change_header, 5),
           "rebuild all": (lambda project, rng: "", 3), "add inputs": (add_inputs, 5),
           "remove inputs": (remove_inputs, 6), "rename inputs": (rename_inputs, 4),
           "reorder inputs": (reorder_inputs, 4), "touch": (touch, 5),
           "strip": (strip, 4), "change options": (Project.draw_options, 3)}
