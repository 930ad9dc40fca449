#!/usr/bin/env python3
"""Makes the directory trees for the benchmarks of walkers.

    make-tree.py source --out DIR --directories 27000 --files 226000

source: shaped like a large source and build tree: nested, with directories of very different sizes,
most of the files empty or tiny. flat: directories of equal size next to each other. repository: a
source tree in git, with all files committed that its .gitignore files (in many of its directories)
do not hide; two fifths of the files are outputs of a build, and hidden.

The same seed gives the same names and contents. A stamp next to the tree (DIR.json) shows whether
it is finished; the script finishes one that was interrupted.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

NAMES = ("Actor Asset Audio Blend Buffer Bundle Cache Camera Channel Chunk Client Cluster Codec "
         "Command Component Config Context Control Core Cook Curve Data Debug Decal Device Editor "
         "Effect Engine Entity Event Field Filter Font Frame Game Graph Grid Handle Header Import "
         "Input Instance Layer Level Light Link Loader Manager Map Material Matrix Mesh Message "
         "Model Module Network Node Object Package Particle Path Physics Player Plugin Pool "
         "Port Profile Query Queue Record Reflection Registry Render Resource Scene Script Section "
         "Session Shader Shape Skeleton Socket Sound Sprite State Stream Surface System Table "
         "Target Task Texture Thread Tile Timer Track Tree Type Utility Vector Vertex View Volume "
         "Widget Window World").split()
SOURCES = (".cpp", ".cpp", ".h", ".h", ".inl", ".cs", ".ini", ".txt", ".uasset",
           ".png", ".py", ".tmp", ".bak", ".json")
OUTPUTS = (".o", ".o", ".d", ".log")

# The contents of .gitignore files: the root's, and one of several in one directory out
# of forty. Like real ones, they have anchored and free patterns, negations and classes.
ROOT_RULES = """# outputs
*.o
*.d
*.log
!keep*.log
/Out/
.DS_Store
"""
RULES = ("*.tmp\n", "*.tmp\n!*Asset*.tmp\n", "/Cache/\n*.bak\n",
         "[A-D]*.bak\nDebug*/\n", "**/Audio/*.json\n", "# none\n\n*.swp\n",
         "Generated\n*.tmp\n\\#*\n", "/*.json\n!/Config*.json\n")

Tree = dict[str, list[str]]  # a directory's path and the names of its files


class Namer:
    """Makes names that are new in their directory."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.taken: dict[str, set] = {}

    def name(self, directory: str, parts: int, suffix: str) -> str:
        taken = self.taken.setdefault(directory, set())
        stem = "".join(self.rng.choices(NAMES, k=parts))
        name = stem + suffix
        while name in taken:
            name = f"{stem}{self.rng.randrange(10**4)}{suffix}"
        taken.add(name)
        return name


def nested(rng: random.Random, directories: int, files: int, top: str = "",
           suffixes=SOURCES) -> Tree:
    """A tree, as deep and as uneven as real ones: each new directory is in or next to another."""
    namer = Namer(rng)
    paths = [top]
    parents = [0]
    for number in range(1, directories + (not top)):
        at = rng.randrange(number)
        at = parents[at] if rng.random() < 0.4 else at
        name = namer.name(paths[at], rng.choice((1, 1, 2)), "")
        paths.append(f"{paths[at]}/{name}" if paths[at] else name)
        parents.append(at)
    # A few directories have hundreds of files, many have two or none.
    weights = [rng.lognormvariate(0, 1.5) for _ in paths]
    counts = [int(weight * files / sum(weights)) for weight in weights]
    for at in rng.choices(range(len(paths)), k=files - sum(counts)):
        counts[at] += 1
    return {path: [namer.name(path, rng.choice((1, 2, 2, 3)),
                              rng.choice(suffixes)) for _ in range(count)]
            for path, count in zip(paths, counts)}


def flat(rng: random.Random, directories: int, files: int) -> Tree:
    namer = Namer(rng)
    paths = [f"{rng.choice(NAMES)}{number:04}" for number in range(directories)]
    return {"": [], **{path: [namer.name(path, 2, rng.choice(SOURCES + OUTPUTS))
                              for _ in range(files // directories)] for path in paths}}


def repository(rng: random.Random, directories: int, files: int) -> Tree:
    built, in_sources = files // 4, files // 6  # outputs
    tree = nested(rng, directories * 2 // 3, files - built - in_sources)
    namer = Namer(rng)
    paths = list(tree)
    for path in rng.choices(paths, k=in_sources):
        tree[path].append(namer.name(path, 3, rng.choice(OUTPUTS)))
    tree.update(nested(rng, directories - directories * 2 // 3, built, "Out", SOURCES + OUTPUTS))
    for path in rng.sample(paths, max(1, len(paths) // 40)):
        if path:
            tree[path].append(".gitignore")
    tree[""].append(".gitignore")
    return tree


KINDS = {"source": nested, "flat": flat, "repository": repository}


def contents(rng: random.Random, path: str, name: str) -> str:
    if name == ".gitignore":
        return rng.choice(RULES) if path else ROOT_RULES
    # There are few different sizes, so that git stores few objects.
    return "" if rng.random() < 0.92 else "x\n" * rng.randrange(1, 200)


def write(tree: Tree, rng: random.Random, out: pathlib.Path) -> None:
    """Writes the files of a tree; writing them again does no harm."""
    for path, names in tree.items():
        (out / path).mkdir(parents=True, exist_ok=True)
        for name in names:
            (out / path / name).write_text(contents(rng, path, name))


def git(out: pathlib.Path, *arguments: str, **keywords) -> bytes:
    # Ignores the user's configuration: excludes and hooks.
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                   "XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"}
    return subprocess.check_output(["git", "-C", out, *arguments], env=environment, **keywords)


def commit(out: pathlib.Path) -> None:
    """Commits the files that are not ignored, and leaves a fresh index. fast-import writes one
    pack: `git add` would leave a file for each directory below .git, unlike in users' trees."""
    shutil.rmtree(out / ".git", ignore_errors=True)
    git(out, "init", "--quiet", "--initial-branch=main")
    names = git(out, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")[:-1]
    stream = [b"commit refs/heads/main\n"
              b"committer Headstart <headstart@example.com> 0 +0000\n" b"data 5\nmade\n"]
    for name in names:
        data = (out / os.fsdecode(name)).read_bytes()
        stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(data), data))
    git(out, "fast-import", "--quiet", input=b"".join(stream))
    git(out, "reset", "--quiet")
    # Files that are younger than the index count as dirty until git reads them.
    time.sleep(1.5)
    if git(out, "status", "--porcelain"):
        sys.exit(f"error: {out} is not clean after its commit")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--directories", required=True, type=int, help="below the topmost one")
    parser.add_argument("--files", required=True, type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    out = options.out
    stamp = out.with_name(out.name + ".json")
    # With other keys, the trees would be made again.
    recipe = {"version": 1, "kind": options.kind, "folders": options.directories,
              "files": options.files, "seed": options.seed}
    before = json.loads(stamp.read_text()) if stamp.exists() else {}
    if before == {"recipe": recipe, "done": True}:
        return 0
    print(f"making {out}: {options.files} files in {options.directories} directories", flush=True)
    if out.exists() and before.get("recipe") != recipe:
        if not before:
            sys.exit(f"error: {out} exists, and this script has not made it")
        print("   deleting the one with another recipe first", flush=True)
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)
    stamp.write_text(json.dumps({"recipe": recipe, "done": False}))
    rng = random.Random(options.seed)
    tree = KINDS[options.kind](rng, options.directories, options.files)
    write(tree, rng, out)
    if options.kind == "repository":
        commit(out)
    os.sync()
    stamp.write_text(json.dumps({"recipe": recipe, "done": True}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
