#!/usr/bin/env python3
"""Installs, uses, upgrades and removes the packages of a directory in an empty Debian.

Each kind of package (deb, wheel, rpm, archive, container) gets its own Debian without compiler and
LLVM (mmdebstrap; needs root), in which it links programs from objects that clang made on the host.
`container` runs the .deb's programs under podman with limits, a read-only root and one cache.
--tools then installs Debian's clang, CMake and cargo (a gigabyte) and builds a small project with
each. For another processor, the script runs in `./dev vm`.

If no Debian can be made, the exit status is 77 and one line has the reason.
"""

import argparse
import contextlib
import filecmp
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from common import LLVM, ROOT, skip, temporary_directory

PROJECT = ROOT / "test" / "Integration" / "Inputs" / "project"
MANIFEST = '<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0"></assembly>\n'


class Failed(Exception):
    """The description of a failed expectation."""


def expect(condition, message: str) -> None:
    if not condition:
        raise Failed(message)


class Debian:
    def __init__(self, root: pathlib.Path):
        self.root = root

    def run(self, command: str, fails: bool = False, bare: bool = False) -> str:
        """Returns the output of a shell command. `bare`: no /proc, and only /work is writable."""
        mounts = ('mount --bind "$0" "$0" && mount --bind "$0/work" "$0/work" && mount -o '
                  'remount,bind,ro "$0" && ' if bare else 'mount -t proc proc "$0/proc" && ')
        mounts += 'mount --rbind /dev "$0/dev" && exec chroot "$0" sh -ec "$1"'
        start = ["unshare", "--mount", "sh", "-c", mounts, self.root, command]
        done = subprocess.run(start, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                                   "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if (done.returncode != 0) != fails:
            raise Failed(f"`{command}` ended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def install(self, *packages: str) -> None:
        self.run("apt-get update -q")
        self.run("apt-get install -qy --no-install-recommends " + " ".join(packages))


@contextlib.contextmanager
def debian(base: pathlib.Path, inputs: pathlib.Path, *packages: pathlib.Path):
    """A copy of the base, with the inputs and the packages in /work."""
    with temporary_directory(dir=inputs.parent) as directory:
        root = directory / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", base, root], check=True)
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        shutil.copytree(inputs, root / "work")
        shutil.copytree(PROJECT, root / "work/project")
        for package in packages:
            shutil.copy(package, root / "work")
        yield Debian(root)


def make_inputs(directory: pathlib.Path) -> None:
    directory.mkdir()
    shutil.copy(ROOT / "test/Package/start.c", directory)
    (directory / "part.c").write_text("int part(void) { return 42; }\n")
    (directory / "copy.c").write_text(
        "static int copy[20000] = {1}; static int *at = copy;\n"
        "static __attribute__((used)) int *get(void) { return at; }\n")
    (directory / "x.manifest").write_text(MANIFEST)

    def compile(target, *arguments):
        subprocess.run([LLVM / "clang", f"--target={target}", "-c", *arguments], cwd=directory,
                       check=True)
    for name in ("start", "part", "copy"):
        compile(f"{platform.machine()}-linux-gnu", "-O1", f"{name}.c")
    compile("x86_64-pc-windows-msvc", "part.c", "-o", "part.obj")


def check_use(system: Debian, programs: str, linkers: str) -> None:
    """Links under every name; `programs` and `linkers` are the directories."""
    path = f"cd /work; export PATH={programs}:$PATH; "
    none = system.run("ls /usr/bin/*clang* /usr/bin/gcc* /usr/lib/llvm* 2>&1 || true")
    expect(none.count("No such file") == 3, f"not an empty Debian: {none}")
    expect("headstart 0." in system.run(path + "headstart --version"), "--version")
    for name in ("ld.headstart", f"{linkers}/ld", f"{linkers}/ld.lld",
                 f"{linkers}/lld -flavor gnu", "headstart ld.lld"):
        system.run(f"{path} {name} --prefetch-stats=s.json start.o part.o -o a.out")
        output = system.run("cd /work; set +e; ./a.out; echo $?; cat s.json; rm s.json")
        expect(output.startswith("42\n") and '"inputs": 2' in output, f"{name}: {output}")
    link = (f"{path} {linkers}/lld-link /entry:part /subsystem:console /nodefaultlib"
            " /dll /noimplib part.obj /out:a.dll ")
    system.run(link)
    merge = "/manifest:embed /manifestinput:x.manifest"
    output = system.run(link + merge, fails=True)
    expect("merging manifests needs libxml2" in output, f"without libxml2: {output}")
    system.install("libxml2")
    system.run(link + merge)


def check_tools(system: Debian, programs: str, prefix: str) -> None:
    """Builds with real build tools, each with the line of docs/Guide.md."""
    system.install("clang", "g++", "cmake", "make", "cargo")
    here = (f"cd /work/project; export PATH={programs}:$PATH; "
            "export HEADSTART_FLAGS=--prefetch-stats=/work/s.json; ")
    cargo = PROJECT.parent / "cargo-config.toml"
    (system.root / "work/project/.cargo").mkdir()
    shutil.copy(cargo, system.root / "work/project/.cargo/config.toml")
    include = f"{prefix}/share/cmake/HeadstartLinker/HeadstartLinkerConfig.cmake"
    for name, build in {
            "clang++": "clang++ -fuse-ld=headstart main.cc part.cc -o hello",
            "g++": f"g++ -B{prefix}/libexec/headstart main.cc part.cc -o hello",
            "cmake": f"cmake -B b -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES={include}"
                     " && cmake --build b && cp b/hello .",
            "cargo": "cargo build --offline && cp target/debug/hello .",
    }.items():
        system.run(here + build)
        output = system.run("cd /work; project/hello; cat s.json; rm s.json project/hello")
        expect("hello 42" in output and '"tool": "ld.lld"' in output, f"{name}: {output}")
        print(f"    {name}: links by ours", flush=True)


def check_deb(directory, base, inputs, tools) -> None:
    (package,) = directory.glob("headstart_*.deb")
    (symbols,) = directory.glob("headstart-dbgsym_*.deb")
    with debian(base, inputs, package, symbols) as system:
        system.install(f"/work/{package.name}", f"/work/{symbols.name}")
        size = int(system.run("dpkg-query -W -f '${Installed-Size}' headstart"))
        expect(size < 130_000, f"Installed-Size: {size} kB")
        files = system.run("dpkg -L headstart headstart-dbgsym").split("\n")
        check_use(system, "/usr/bin", "/usr/libexec/headstart")
        # In a container with nothing but the package, doctor reports what is missing.
        output = system.run("cd /work; export XDG_CACHE_HOME=/work/cache; ld.headstart start.o "
                            "part.o -o bare.out; cmp bare.out a.out; headstart doctor", bare=True)
        expect("/proc and /sys are not mounted" in output, output)
        # Makes the same package with a later version.
        subprocess.run(["dpkg-deb", "-R", package, system.root / "work/later"], check=True)
        control = system.root / "work/later/DEBIAN/control"
        text = control.read_text()
        version = text.split("Version: ")[1].split("\n")[0]
        control.write_text(text.replace(f"Version: {version}", "Version: 99.0"))
        subprocess.run(["dpkg-deb", "-Znone", "-b", system.root / "work/later",
                        system.root / "work/later.deb"], check=True, stdout=subprocess.DEVNULL)
        # The package of symbols belongs to the old version.
        system.run("apt-get remove -qy headstart-dbgsym")
        system.run("apt-get install -qy /work/later.deb")
        expect("99.0" in system.run("dpkg -s headstart"), "not upgraded")
        system.run("ld.headstart --version")
        if tools:
            check_tools(system, "/usr/bin", "/usr")
        system.run("apt-get purge -qy headstart")
        rest = [file for file in files if "headstart" in file
                and os.path.lexists(f"{system.root}{file}")]
        expect(not rest, f"not removed: {rest}")


def check_wheel(directory, base, inputs, tools) -> None:
    (wheel,) = directory.glob("headstart_linker-*.whl")
    with debian(base, inputs, wheel) as system:
        system.install("python3-venv")
        system.run("python3 -m venv /opt/env")
        pip = "/opt/env/bin/pip --disable-pip-version-check -q "
        system.run(pip + f"install --no-index /work/{wheel.name}")
        prefix = system.run("/opt/env/bin/python -c 'import headstart_linker as h; "
                            "print(h.prefix)'").strip()
        expect(prefix == "/opt/env", f"prefix is {prefix}")
        check_use(system, "/opt/env/bin", "/opt/env/libexec/headstart")
        if tools:
            check_tools(system, "/opt/env/bin", "/opt/env")
        # CI systems install it this way (docs/Guide.md).
        system.run(pip + f"install --no-index --target /opt/place /work/{wheel.name}")
        system.run("cd /opt/place; test $(/opt/env/bin/python -c 'import headstart_linker as h; "
                   "print(h.prefix)') = /opt/place; libexec/headstart/ld --version")
        system.run(pip + f"install --no-index --force-reinstall /work/{wheel.name}")
        system.run("/opt/env/bin/ld.headstart --version")
        system.run(pip + "uninstall -y headstart-linker")
        rest = system.run("find /opt/env -name '*headstart*' -not -type d")
        expect(not rest, f"not removed: {rest}")


def check_rpm(directory, base, inputs, tools) -> None:
    """Installs with rpm itself, since no distribution with RPMs is available here."""
    (package,) = directory.glob("headstart-[0-9]*.rpm")
    with debian(base, inputs) as system:
        rpm = ["rpm", "--root", system.root, "--nodeps"]
        subprocess.run([*rpm, "-i", package], check=True)
        check_use(system, "/usr/bin", "/usr/libexec/headstart")
        subprocess.run([*rpm, "-e", "headstart"], check=True)
        rest = system.run("find /usr -name '*headstart*' -not -type d")
        expect(not rest, f"not removed: {rest}")


def check_archive(directory, base, inputs, tools) -> None:
    """Unpacks the archive anywhere, and uses it through a symbolic link."""
    (archive,) = directory.glob("headstart-[0-9]*.tar.zst")
    with debian(base, inputs) as system:
        place = system.root / "opt/some where"
        place.mkdir()
        subprocess.run(["tar", "-C", place, "--strip-components=1", "-xf", archive], check=True)
        (system.root / "opt/moved").symlink_to("some where")
        check_use(system, "/opt/moved/bin", "/opt/moved/libexec/headstart")
        if tools:
            check_tools(system, "/opt/moved/bin", "/opt/moved")


def contained(root: pathlib.Path, command: str) -> list:
    """The start of a shell command in a container: podman's filter of system calls is
    Docker's. Podman's crun refuses cgroups of both versions."""
    return ["unshare", "--mount", "sh", "-c",
            "umount -q /sys/fs/cgroup/unified || true; exec \"$@\"", "sh",
            "podman", "run", "--rm", "--timeout=300", "--network=none", "--read-only",
            "--memory=300m", "--ulimit=nofile=64:64", "--ulimit=nproc=4096:4096",
            f"--volume={root}/work:/work", "--env=XDG_CACHE_HOME=/work/cache",
            "--rootfs", root, "sh", "-ec", "cd /work; " + command]


def check_container(directory, base, inputs, tools) -> None:
    """Containers share a cache: one after another, and two at once."""
    (package,) = directory.glob("headstart_*.deb")
    with debian(base, inputs, package) as system:
        system.install(f"/work/{package.name}")

        def run(*commands: str) -> list:
            started = [subprocess.Popen(contained(system.root, command), text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                       for command in commands]
            try:
                outputs = [process.communicate()[0] for process in started]
            finally:
                for process in started:
                    process.kill()  # nothing, if it has ended
                    process.wait()
            for process, output in zip(started, outputs):
                expect(process.returncode == 0, f"a container ended with "
                       f"{process.returncode}: {output}")
            return outputs

        names = " ".join(f"copy{number}.o" for number in range(200))
        (system.root / "work/copies").write_text(names)
        for name in names.split():
            shutil.copy(inputs / "copy.o", system.root / "work" / name)
        link = "ld.headstart start.o part.o @copies -o a.{0} --prefetch-stats={0}.json"
        run("HEADSTART=off ld.headstart start.o part.o @copies -o stock")
        # The profile belongs to the output.
        link += " --prefetch-profile=profile"
        for outputs in (["first"], ["next"], ["one", "other"]):
            run("headstart evict --summary . >evicted")
            run(*(link.format(name) for name in outputs))
            for name in outputs:
                with open(system.root / f"work/{name}.json", encoding="utf-8") as file:
                    stats = json.load(file)
                expect(not stats["errors"] and
                       stats["profile"] == ("recorded" if name == "first" else "used"),
                       f"{name}: {stats}")
                # One of two may find that the other has fetched everything.
                expect(stats["handed_over"] == 202 or len(outputs) == 2, f"{name}: {stats}")
                expect(0 < stats["budget_bytes"] <= 150 << 20, f"{name}: {stats}")
                expect(filecmp.cmp(system.root / "work/stock", system.root / f"work/a.{name}",
                                   shallow=False), f"{name}: another output")
        (output,) = run("headstart doctor")
        expect(re.search(r"\b0 problems", output) and "allow the control group" in output, output)


CHECKS = {"deb": check_deb, "wheel": check_wheel, "rpm": check_rpm,
          "archive": check_archive, "container": check_container}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--only", action="append", choices=CHECKS)
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        skip("root and mmdebstrap are needed")
    kinds = arguments.only or list(CHECKS)
    if "container" in kinds and not shutil.which("podman"):
        kinds.remove("container")
        if not kinds:
            skip("podman is not installed")
        print("container: skipped: podman is not installed")
    with temporary_directory() as work:
        base = work / "base"
        done = subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", arguments.suite, base],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            skip("no Debian can be made: " + (done.stdout.strip() or "?").splitlines()[-1])
        make_inputs(work / "inputs")
        for kind in kinds:
            try:
                CHECKS[kind](arguments.directory, base, work / "inputs", arguments.tools)
            except (Failed, subprocess.CalledProcessError, OSError, ValueError) as why:
                print(f"{kind}: {why}", file=sys.stderr)
                return 1
            print(f"{kind}: installed, used, removed in Debian {arguments.suite}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
