"""Runs the lines that docs/Guide.md gives for a CI system, as that system would.

    run-ci-snippet.py github|gitlab|docker [--with INPUT=VALUE]... [--run LINE]

Works in the current directory, which is the project's. --with changes the action's
inputs, --run the lines of the build. pip installs the packages from PIP_FIND_LINKS. The
script does not run apt-get. The exit status is the job's.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path.cwd()


def snippet(language, heading):
    text = (ROOT / "docs" / "Guide.md").read_text(encoding="utf-8")
    return re.search(rf"^## {heading}$.*?^```{language}\n(.*?)^```$", text,
                     re.M | re.S).group(1)


def run(shell, line, env):
    """Runs a line. Returns whether it succeeded."""
    print(f"$ {line.strip()}", flush=True)
    return subprocess.run([*shell, line], env=env).returncode == 0


class Job:
    """A job of GitHub Actions, and the values that its steps pass to later ones."""

    def __init__(self, inputs, build):
        self.inputs, self.build = inputs, build
        self.failed, self.cached = False, []
        temp = HERE / "runner temp"
        temp.mkdir(exist_ok=True)
        self.files = {name: temp / name for name in (
            "GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        self.env = dict(os.environ, HOME=str(HERE / "home"), RUNNER_TEMP=str(temp),
                        GITHUB_WORKSPACE=str(HERE),
                        **{name: str(path) for name, path in self.files.items()})
        (HERE / "home").mkdir(exist_ok=True)

    def run(self, line, **more):
        for path in self.files.values():
            path.touch()
        self.failed |= not run(["sh", "-e", "-c"], line, {**self.env, **more})
        for assignment in self.files["GITHUB_ENV"].read_text().splitlines():
            name, value = assignment.split("=", 1)
            self.env[name] = value
        for directory in self.files["GITHUB_PATH"].read_text().splitlines():
            self.env["PATH"] = directory + os.pathsep + self.env["PATH"]
        for name in ("GITHUB_ENV", "GITHUB_PATH"):
            self.files[name].unlink()

    def is_due(self, step):
        condition = step.get("if")
        if condition is None:
            return not self.failed
        if condition == "env.HEADSTART_REPORTS != ''":
            return bool(self.env.get("HEADSTART_REPORTS"))
        assert condition == "always()", condition
        return True

    def action(self, directory, given):
        """Runs a composite action of this repository."""
        action = yaml.safe_load((directory / "action.yml").read_text())
        known = action.get("inputs", {})
        assert set(given) <= set(known), (given, known)
        inputs = {name: one["default"] for name, one in known.items()} | given
        before, self.failed = self.failed, False
        for step in action["runs"]["steps"]:
            if not self.is_due(step):
                continue
            if "uses" in step:
                assert step["uses"].startswith("actions/cache@"), step
                self.cached.append(step["with"]["path"])
                continue
            assert step["shell"] == "sh", step
            env = {name: re.sub(r"\${{ inputs\.(\w+) }}",
                                lambda match: inputs[match[1]], value)
                   for name, value in step.get("env", {}).items()}
            self.run(step["run"], GITHUB_ACTION_PATH=str(directory), **env)
        self.failed |= before

    def step(self, step):
        if "run" in step:
            self.run(self.build or step["run"])
        elif not step["uses"].startswith("actions/checkout@"):
            owner, name, *directory = step["uses"].split("@")[0].split("/")
            assert (owner, name) == ("OWNER", "headstart"), step
            self.action(ROOT.joinpath(*directory),
                        step.get("with", {}) | ({} if directory else self.inputs))


def github(inputs, build):
    job = Job(inputs, build)
    for step in yaml.safe_load(snippet("yaml", "GitHub Actions"))[
            "jobs"]["build"]["steps"]:
        if job.is_due(step):
            job.step(step)
    for path in job.cached:
        directory = pathlib.Path(path.replace("~", job.env["HOME"], 1))
        print(f"saved: {path}: {len(list(directory.glob('*')))} files")
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        print(f"{name}:\n{job.files[name].read_text()}end of {name}")
    return job.failed


def gitlab(_, build):
    job = yaml.safe_load(snippet("yaml", "GitLab"))["build"]
    lines = [line for line in job["before_script"]
             if not line.startswith("apt-get")]
    assert len(lines) == len(job["before_script"]) - 1
    lines += [build] if build else job["script"]
    # GitLab's shell stops at the first line that fails; after_script has its own shell.
    failed = not run(["sh", "-e", "-c"], "\n".join(lines), os.environ)
    run(["sh", "-e", "-c"], "\n".join(job["after_script"]), os.environ)
    print(f"saved: {job['cache']['paths'][0]}: "
          f"{len(list(HERE.joinpath(job['cache']['paths'][0]).glob('*')))} files")
    return failed


def docker(_, build):
    """Runs the Dockerfile's lines with a directory as the image's root."""
    root = HERE / "root"
    text = snippet("dockerfile", "Dockerfile").replace("\\\n", " ")
    text = re.sub(r"(?<=[\s=:\"])/(?=(opt|root|tmp|src|build)\b)", f"{root}/", text)
    env = dict(os.environ)
    for line in text.splitlines():
        word, rest = line.split(" ", 1)
        if word == "ENV":
            name, value = rest.split("=", 1)
            env[name] = value.strip('"').replace("$PATH", env["PATH"])
        elif word == "COPY":
            (root / "src").parent.mkdir(exist_ok=True)
            (root / "src").symlink_to(HERE)
        elif word == "RUN" and "apt-get" not in rest:
            for directory in re.findall(r"--mount=type=cache,target=(\S+) ", rest):
                pathlib.Path(directory).mkdir(parents=True)
            rest = re.sub(r"--mount=\S+ ", "", rest)
            if build:
                rest = re.sub(r"cmake -S .* --build \S+", build, rest)
            if not run(["sh", "-c"], rest, env):
                return True
        else:
            assert word == "FROM" or "apt-get" in rest, line
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=["github", "gitlab", "docker"])
    parser.add_argument("--with", dest="inputs", action="append", default=[])
    parser.add_argument("--run")
    args = parser.parse_args()
    inputs = dict(one.split("=", 1) for one in args.inputs)
    return int(globals()[args.system](inputs, args.run))


if __name__ == "__main__":
    sys.exit(main())
