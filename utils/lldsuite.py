"""Runs lld's own tests with one set of linkers, for utils/conformance.py."""

import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path(os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))
BIN = ROOT / "build" / "bin"
FOLDER = ROOT / "build-tools" / "lld-19"
TESTS = FOLDER / "test"
LIT = [sys.executable, FOLDER / "utils" / "lit" / "lit.py"]
SUITES = ("COFF", "ELF", "MachO", "MinGW")
LINKERS = ("ld.lld", "lld-link", "ld64.lld", "lld")
PATIENCE = 300  # seconds for one link


@dataclasses.dataclass
class Variant:
    """One variant of running ours."""
    what: str
    environment: dict = dataclasses.field(default_factory=dict)
    wrapper: str = ""    # a shell script in the linker's place
    stock: str = ""      # such a script on stock's side
    named: bool = False  # runs only if requested by name


SITE = """
import lit.llvm

for name, value in {settings!r}.items():
    setattr(config, name, value)
lit.llvm.initialize(lit_config, config)
lit_config.load_config(config, {config!r})
config.environment.update({environment!r})
"""


def say(words: str) -> None:
    print(f"==> {words}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Result:
    """The result of one test."""
    code: str   # passed, failed or unsupported
    where: str  # the line that failed
    output: str

    def same(self, other: "Result") -> bool:
        return (self.code, self.where) == (other.code, other.where)


CODES = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "unsupported"}


def read_result(test: dict) -> Result:
    """Reads a result from lit's report of a test."""
    code = CODES.get(test["code"], "failed")
    if code != "failed":
        return Result(code, "", "")
    # Each RUN line is printed before it runs.
    lines = re.findall(r"RUN: at line \d+", test["output"])
    return Result(code, lines[-1][5:] if lines else test["code"].lower(), test["output"])


def llvm_has(name: str) -> bool:
    text = (LLVM.parent / "lib/cmake/llvm/LLVMConfig.cmake").read_text()
    return bool(re.search(rf"set\({name} (1|ON|TRUE)\)", text))


def settings_of(folder: pathlib.Path) -> dict:
    """The settings that CMake would write into lld's lit.site.cfg.py."""
    triple = subprocess.check_output([LLVM / "llvm-config", "--host-target"], text=True).strip()
    library = str(LLVM.parent / "lib")
    return {
        "lld_obj_root": str(folder), "lld_tools_dir": str(folder / "bin"),
        "lld_libs_dir": library, "llvm_libs_dir": library,
        "llvm_tools_dir": str(LLVM), "lit_tools_dir": "",
        "llvm_shlib_dir": library, "llvm_shlib_ext": ".so",
        "errc_messages": "", "host_triple": triple, "target_triple": triple,
        "python_executable": sys.executable, "sizeof_void_p": 8,
        "have_zlib": llvm_has("LLVM_ENABLE_ZLIB"),
        "have_zstd": llvm_has("LLVM_ENABLE_ZSTD"),
        "have_libxml2": llvm_has("LLVM_ENABLE_LIBXML2"),
        "has_plugins": llvm_has("LLVM_ENABLE_PLUGINS"),
        "enable_backtrace": True, "have_dia_sdk": False,
        "ld_lld_default_mingw": False, "build_examples": False,
        "linked_bye_extension": False,
    }


def headstart_of(linkers: pathlib.Path) -> pathlib.Path:
    own = linkers / "headstart"
    return own if own.exists() else BIN / "headstart"


class Side:
    """The tests with one set of linkers, in their own directory."""

    def __init__(self, folder: pathlib.Path, linkers: pathlib.Path, variant: Variant, jobs: int):
        self.folder = folder
        self.jobs = jobs
        self.tests = folder / "test"
        self.seconds = 0.0
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "bin").mkdir(parents=True)
        for suite in SUITES:
            (self.tests / suite).mkdir(parents=True)
        for name in LINKERS:
            self.install(name, linkers, variant)
        environment = {"XDG_CACHE_HOME": str(folder / "cache"), **variant.environment}
        (self.tests / "lit.site.cfg.py").write_text(SITE.format(
            settings=settings_of(folder), config=str(TESTS / "lit.cfg.py"),
            environment=environment))

    def install(self, name: str, linkers: pathlib.Path, variant: Variant) -> None:
        """Puts a linker, or its wrapper, into `bin`."""
        ours = self.folder / "bin" / name
        if not (linkers / name).exists():
            return  # stock's is next in PATH
        if not variant.wrapper:
            ours.symlink_to(linkers / name)
            return
        ours.write_text(variant.wrapper.format(headstart=shlex.quote(str(headstart_of(linkers))),
                                               linker=shlex.quote(str(linkers / name)),
                                               stock=shlex.quote(str(LLVM / name))))
        ours.chmod(0o755)

    def names(self) -> list:
        """All tests, in order."""
        listed = subprocess.check_output(
            [*LIT, "--quiet", "--show-tests", *(self.tests / s for s in SUITES)], text=True)
        return sorted(re.findall(r"(?m)^ +lld :: (.*)$", listed))

    def run(self, names: list) -> dict:
        """Runs some tests. Returns the results by name."""
        output = self.folder / "output.json"
        output.unlink(missing_ok=True)
        wanted = self.folder / "wanted"
        wanted.write_text("".join(f"{self.tests / n}\n" for n in names))
        start = time.monotonic()
        lit = subprocess.Popen(
            [*LIT, "-v", "--ignore-fail", f"-j{self.jobs}", f"--output={output}", f"@{wanted}"],
            stdout=open(self.folder / "log", "w", encoding="utf-8"),
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            while lit.poll() is None:
                time.sleep(0.5)
                self.end_hanging()
        except KeyboardInterrupt:
            os.killpg(lit.pid, signal.SIGKILL)
            raise
        self.seconds = time.monotonic() - start
        if lit.returncode != 0 or not output.exists():
            sys.exit(f"error: lit ended with {lit.returncode}: see {self.folder / 'log'}")
        tests = json.loads(output.read_text())["tests"]
        return {t["name"].split(" :: ")[1]: read_result(t) for t in tests}

    def end_hanging(self) -> None:
        """Ends linkers of ours that run for too long; lit's own timeout would need
        another package of Python."""
        mark = f"XDG_CACHE_HOME={self.folder / 'cache'}\0".encode()
        ticks = os.sysconf("SC_CLK_TCK")
        now = float(pathlib.Path("/proc/uptime").read_text().split()[0])
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "stat").read_text().rsplit(")", 1)
                age = now - int(words[1].split()[19]) / ticks
                if (age > PATIENCE and words[0].endswith((*LINKERS, "headstart"))
                        and mark in (process / "environ").read_bytes()):
                    say(f"ending a linker after {age:.0f} s: "
                        f"{(process / 'cmdline').read_bytes()!r}")
                    os.kill(int(process.name), signal.SIGABRT)
            except OSError:
                pass
