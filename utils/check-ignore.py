#!/usr/bin/env python3
"""Compares Headstart's ignore rules with git's on generated trees.

ORACLE (unittests/FileTree/IgnoreOracle.cpp) lists the entries of a tree that our rules do not hide.
Every tree has ignore files, in nested directories too; many have a user's excludes, an info/exclude
or inner repositories. For every path our answer must be that of `git check-ignore`, and our files
must be those of `git ls-files -o`. A seed always makes the same trees.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from os.path import join

# Names that resemble each other, or patterns.
NAMES = [
    b"a", b"b", b"c", b"ab", b"abc", b"ba", b"foo", b"foo.c", b"foo.o",
    b"foo.tar.gz", b"bar", b"bar.o", b"build", b"Build", b"foobar", b"a.b.c",
    b"x y", b"tail ", b"tail", b" lead", b"#hash", b"!bang", b"a[b", b"[ab]",
    b"a]", b"q?", b"st*r", b"back\\slash", b"back\\", b"caf\xc3\xa9",
    b"\xff\xfe", b"\xc3", b".hidden", b".o", b"a.", b"-", b"^x", b"**", b"a\tb",
    b"cr\r", b"a1", b"b2", b"z_9", b"new\nline",
]
DIRECTORIES = [b"a", b"b", b"ab", b"foo", b"bar", b"build", b"dir", b"d e", b"**", b"foo.o",
               b".hid", b"x[y", b"caf\xc3\xa9"]
PIECES = [
    b"a", b"b", b"c", b"foo", b"bar", b"o", b".", b".o", b"x", b"y", b"build",
    b"/", b"/", b"/", b"*", b"*", b"*", b"**", b"**/", b"/**", b"/**/", b"***",
    b"?", b"?", b"[ab]", b"[!a]", b"[^b]", b"[a-c]", b"[c-a]", b"[]a]", b"[!]]",
    b"[a-]", b"[-b]", b"[[:alpha:]]", b"[[:digit:][:space:]]", b"[[:punct:]]",
    b"[[:upper:]a]", b"[[:no:]]", b"[[:", b"[[a]", b"[\\]]", b"[\\a-\\c]",
    b"[a/b]", b"[", b"]", b"\\", b"\\*", b"\\?", b"\\ ", b"\\/", b"\\[", b" ",
    b"\t", b"!", b"#", b"-", b"\xc3\xa9", b"\xff", b"[\xc3]", b"[\x80-\xff]",
]
JOINTS = [b"/**/", b"**/", b"/**", b"**", b"*", b"*/", b"/*", b"/*/", b"/***/",
          b"?", b"[!q]", b"[/]", b"\\/", b"**\\/", b"/**/**/", b"*/**/", b"//"]


class Maker:
    """Makes the names, patterns and trees of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def blur(self, path):
        """A pattern derived from a path."""
        out = bytearray()
        for byte in path:
            char = bytes([byte])
            dice = self.random.random()
            if dice < 0.10:
                out += b"*"
            elif dice < 0.16 and byte != 0x2f:
                out += b"?"
            elif dice < 0.20 and byte not in b"/]\\":
                out += b"[" + char + b"-z]"
            elif dice < 0.23 and byte not in b"/]\\":
                out += b"[!" + char + b"]"
            elif dice < 0.27:
                out += b"\\" + char
            elif dice < 0.30 and char == b"/":
                out += self.random.choice([b"/**/", b"**/", b"/**", b"/*/"])
            elif dice >= 0.32:
                out += char
        return bytes(out)

    def joined(self, parts):
        """Joins some of a path's parts with patterns that may match a slash."""
        out = b""
        for part in parts:
            if self.random.random() < 0.25:
                continue
            if out and self.random.random() < 0.5:
                out += self.random.choice(JOINTS)
            elif out:
                out += b"/"
            out += part if self.random.random() < 0.7 else self.blur(part)
        return out or b"*"

    def pattern(self, paths):
        dice = self.random.random()
        path = self.random.choice(paths)
        parts = path.split(b"/")
        if dice < 0.25:
            body = self.random.choice(parts)
        elif dice < 0.35:
            body = b"*" + parts[-1][-2:]
        elif dice < 0.45:
            body = path
        elif dice < 0.62:
            body = self.joined(parts)
        elif dice < 0.80:
            body = self.blur(b"/".join(parts[self.random.randrange(len(parts)):]))
        else:
            body = b"".join(self.random.choices(PIECES, k=self.random.randint(1, 6)))
        if self.random.random() < 0.15:
            body = b"/" + body
        if self.random.random() < 0.15:
            body += b"/"
        if self.random.random() < 0.05:
            body += self.random.choice([b"/**", b"/*", b"**", b"\\", b"\\ "])
        if self.random.random() < 0.22:
            body = b"!" + body
        return body

    def ignore_file(self, paths):
        lines = []
        for _ in range(self.random.choice([1, 1, 2, 3, 5, 8, 12])):
            lines.append(self.pattern(paths))
            dice = self.random.random()
            if dice < 0.05:
                lines[-1] += b" " * self.random.randint(1, 3)
            elif dice < 0.08:
                lines[-1] += b"\r"
            elif dice < 0.10:
                lines[-1] += b"\0" + lines[-1]
            elif dice < 0.13:
                lines[-1] = b"#" + lines[-1]
            elif dice < 0.15:
                lines.append(b"")
        text = b"\n".join(lines)
        if self.random.random() < 0.8:
            text += b"\n"
        if self.random.random() < 0.05:
            text = b"\xef\xbb\xbf" + text
        return text

    def fill(self, directory, depth, entries):
        """Makes files and directories. Returns their paths from `directory`."""
        paths = []
        for name in self.random.sample(NAMES, entries):
            if self.random.random() < 0.05:
                os.symlink(b"nowhere" if self.random.random() < 0.5 else b".",
                           join(directory, name))
            else:
                write(join(directory, name), b"")
            paths.append(name)
        if depth == 0:
            return paths
        for name in self.random.sample(DIRECTORIES, self.random.randint(1, 3)):
            path = join(directory, name)
            if os.path.lexists(path):
                continue
            os.mkdir(path)
            paths.append(name)
            paths += [name + b"/" + below for below in
                      self.fill(path, depth - 1, max(entries - 2, 1))]
        return paths


class Checker:
    def __init__(self, oracle, scratch):
        self.oracle, self.scratch = oracle, scratch
        self.home = join(scratch, b"home")
        self.checked, self.hidden, self.failures = 0, 0, []
        others = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_"))}
        self.env = dict(others, HOME=os.fsdecode(self.home), LC_ALL="C",
                        XDG_CONFIG_HOME=os.fsdecode(join(self.home, b".config")),
                        GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES=os.fsdecode(scratch))

    def run(self, command, cwd, text=b"", good=(0,)):
        done = subprocess.run(command, cwd=cwd, input=text, env=self.env, capture_output=True)
        if done.returncode not in good:
            sys.exit(f"{command} in {cwd}: {done.returncode}: "
                     f"{done.stderr.decode(errors='replace')}")
        return done.stdout

    def listed(self, root):
        out = self.run([self.oracle, root], self.scratch)
        return set(out.split(b"\0")[:-1])

    def new(self, *path):
        root = join(self.scratch, *path)
        self.run(["git", "init", "-q", "--template=", root], self.scratch)
        return root

    def git_hides(self, repository, paths):
        """The paths that git ignores, each with the rule that git names."""
        out = self.run(["git", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"],
                       repository, b"".join(p + b"\0" for p in paths), (0, 1))
        fields = out.split(b"\0")[:-1]
        assert len(fields) == 4 * len(paths), (repository, len(fields))
        return {fields[i + 3]: b":".join(fields[i:i + 3]) for i in range(0, len(fields), 4)
                if fields[i + 2] and not fields[i + 2].startswith(b"!")}

    def git_files(self, repository):
        """The files that git lists, including those in inner repositories."""
        out = self.run(["git", "ls-files", "-o", "-z", "--exclude-standard"], repository)
        result = set()
        for path in out.split(b"\0")[:-1]:
            if path.endswith(b"/"):
                result |= {path + below for below in self.git_files(join(repository, path))}
            else:
                result.add(path)
        return result

    def check(self, root, repositories, what):
        """Compares our answers with git's. `repositories` has their paths, the root's (b"")
        first."""
        ours = self.listed(root)
        everything = {b: [] for b in repositories}
        for directory, directories, files in os.walk(root):
            directories[:] = [f for f in directories if f != b".git"]
            files = [f for f in files if f != b".git"]
            here = os.path.relpath(directory, root)
            here = b"" if here == b"." else here + b"/"
            inner = max((r for r in repositories if here.startswith(r)), key=len)
            everything[inner] += [(here + n)[len(inner):] for n in directories + files]
        visible = {p.rstrip(b"/") for p in ours}
        hidden = set()
        for base, paths in sorted(everything.items()):
            # Paths in an ignored directory are not queried.
            if any((base + b"/").startswith(h + b"/") for h in hidden):
                continue
            verdicts = self.git_hides(join(root, base), paths)
            hidden |= {base + p for p in verdicts}
            for path in paths:
                self.checked += 1
                if (path in verdicts) == (base + path in visible):
                    self.failures.append(
                        f"{what}: {base + path!r}: git says {verdicts.get(path, 'no')!r}, ours "
                        f"{'shows' if base + path in visible else 'hides'} it")
        self.hidden += len(hidden)
        files = {p for p in ours if not p.endswith(b"/")}
        for path in sorted(files ^ self.git_files(root)):
            self.failures.append(f"{what}: {path!r}: listed by "
                                 f"{'us' if path in files else 'git'} only")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)


def make_user_files(checker, maker, paths):
    """Replaces the user's excludes: none, in the default file, or in a configured one."""
    shutil.rmtree(checker.home, ignore_errors=True)
    os.mkdir(checker.home)
    dice = maker.random.random()
    if dice < 0.3 or not paths:
        return
    write(join(checker.home, b".config/git/ignore"), maker.ignore_file(paths))
    if dice < 0.6:
        return
    write(join(checker.home, b"my excludes"), maker.ignore_file(paths))
    text = maker.random.choice([
        b'[core]\n\texcludesFile = ~/"my excludes" ; mine\n',
        b"[user]\nname=x\n[Core] EXCLUDESFILE = ~/my excludes # and on\n",
        b'[core]\r\nexcludesfile="' + checker.home + b'/my excludes"\r\n',
        b'[core "sub"]\nexcludesfile=/nowhere\n[core]\nbare = false\n'
        b"excludesfile = /nowhere\nexcludesfile = ~/my excludes\n",
        b"[core]\nexcludesfile = ~/nothing\n",
        b"[core]\nexcludesfile =\n",
    ])
    write(join(checker.home, maker.random.choice([b".gitconfig", b".config/git/config"])), text)


def check_tree(checker, seed):
    maker = Maker(seed)
    root = checker.new(b"tree")
    paths = maker.fill(root, maker.random.randint(1, 3), maker.random.randint(4, 10))
    repositories = [b""]
    directories = [b""] + [p for p in paths if os.path.isdir(join(root, p))
                           and not os.path.islink(join(root, p))]
    for directory in directories[1:]:
        if maker.random.random() < 0.08:
            checker.new(root, directory)
            repositories.append(directory + b"/")
    make_user_files(checker, maker, paths)
    for repository in repositories:
        if maker.random.random() < 0.4:
            write(join(root, repository, b".git/info/exclude"), maker.ignore_file(paths))
    for directory in directories:
        if directory == b"" or maker.random.random() < 0.4:
            below = [p[len(directory):].lstrip(b"/") for p in paths if p.startswith(directory)]
            write(join(root, directory, b".gitignore"),
                  maker.ignore_file([p for p in below if p] or paths))
    checker.check(root, repositories, f"tree of seed {seed}")
    shutil.rmtree(root)


def check_wide_tree(checker, seed):
    """Checks many directories, each with an ignore file, with one call of git."""
    maker = Maker(seed)
    root = checker.new(b"wide")
    make_user_files(checker, maker, [b"zz"])
    for number in range(150):
        directory = join(root, b"%d" % number)
        os.mkdir(directory)
        paths = maker.fill(directory, 1, 12)
        write(join(directory, b".gitignore"), maker.ignore_file(paths))
    checker.check(root, [b""], f"wide tree of seed {seed}")
    shutil.rmtree(root)


def check_classes(checker):
    """Checks every byte with every character class and some sets."""
    root = checker.new(b"classes")
    make_user_files(checker, Maker(2), [b"zz"])
    names = [b"q" + bytes([b]) for b in range(1, 256) if b != 0x2f]
    for number, text in enumerate(
            [b"[[:%s:]]" % name for name in
             b"alnum alpha blank cntrl digit graph lower print punct space "
             b"upper xdigit ALPHA word".split()] +
            [b"[!a-z]", b"[^\\]]", b"[+--]", b"[[:alpha:]-z]", b"[%-\\-]",
             b"[[-\\]]", b"[\\\\-a]", b"[!!]", b"[^^]", b"[[]", b"[a-[:digit:]]", b"[[:digit:]",
             b"[[::]]", b"[[:]", b"[[:alpha]]", b"[\x80-\xff]", b"?", b"*", b"\\\\", b"\\"]):
        directory = join(root, b"%d" % number)
        for name in names:
            write(join(directory, name), b"")
        write(join(directory, b".gitignore"), b"q" + text + b"\n")
    checker.check(root, [b""], "classes")


def check_gitdir_files(checker):
    """Checks a work tree and a submodule, whose `.git` is a file."""
    root, tree = join(checker.scratch, b"main"), join(checker.scratch, b"work tree")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-c", "protocol.file.allow=always"]
    checker.run([*git, "init", "-q", root], checker.scratch)
    checker.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], root)
    checker.run([*git, "worktree", "add", "-q", "-b", "other", tree], root)
    checker.run([*git, "submodule", "add", "-q", root, "module"], tree)
    checker.run([*git, "rm", "-rq", "--cached", "."], tree)  # only untracked files are listed
    inside = checker.run([*git, "rev-parse", "--absolute-git-dir"], join(tree, b"module"))
    write(join(root, b".git/info/exclude"), b"*.o\n/top\n")
    write(join(inside.rstrip(b"\n"), b"info/exclude"), b"*.c\n")
    for directory in (tree, join(tree, b"module")):
        for name in (b"a.o", b"a.c", b"top", b"d/top", b"d/a.o", b"d/a.c"):
            write(join(directory, name), b"")
    checker.check(tree, [b"", b"module/"], "work tree and submodule")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("oracle", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=300)
    args = parser.parse_args()
    if not shutil.which("git"):
        sys.exit("git is missing")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="headstart-ignore-", dir=memory) as directory:
        scratch = os.fsencode(os.path.realpath(directory))
        checker = Checker(args.oracle.resolve(), scratch)
        check_classes(checker)
        check_gitdir_files(checker)
        for part, count in ((check_wide_tree, max(args.trees // 60, 1)), (check_tree, args.trees)):
            for number in range(count):
                part(checker, args.seed * 1000000 + number)
    for failure in checker.failures[:40]:
        print(failure)
    print(f"{checker.checked} answers, {checker.hidden} entries hidden, "
          f"{len(checker.failures)} differences")
    # Trees in which nothing is hidden would prove nothing.
    sys.exit(bool(checker.failures) or checker.hidden < checker.checked // 50)


main()
