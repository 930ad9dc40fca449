"""The results of the days, as text and in docs/Correctness.md."""

import collections
import platform
import textwrap
import time

import documents
from links.judge import ROOT
from links.pool import FLAVOURS

DOCUMENT = ROOT / "docs" / "Correctness.md"
BEGIN = "<!-- days: written by ./dev days --write -->"
END = "<!-- days: end -->"
SIZES = {"small": "20 to 300 inputs", "real": "500 inputs and more"}
COLUMNS = ["days", "steps", "links", "different"]

WHAT = """\
A day is a random project and 5 to 30 steps. The project has 20 to about 4,000 objects of
1 to 90 KiB, some of them in archives, and the libraries, linker scripts, response files
and text stubs of its flavour. A step changes the project as a programmer, a build system
or `git` does, or disturbs the link. Before each link, random pages of the inputs are
cached, and there may be a profile of this or of another state. Some links run stock lld
or mold under `headstart run`. After each step, the outputs, the messages and the exit status
must be those of stock lld, the link must have ended, and Headstart must not leave a process, a
lock or a temporary file.

`./dev days` runs the campaign; after Ctrl-C, the next call resumes it.
`./dev days --flavour elf --size real --seed N` repeats one day and shrinks it if it differs.
"""


def sums(records: list[dict], field: str) -> collections.Counter:
    total: collections.Counter = collections.Counter()
    for record in records:
        total.update(record[field])
    return total


def table(records: list[dict]) -> str:
    """A row for each flavour and size."""
    rows = [[record["flavour"], SIZES[record["size"]],
             *(f"{record['counts'].get(c, 0):,}" for c in COLUMNS)] for record in records]
    total = sums(records, "counts")
    rows.append(["all", "", *(f"{total[c]:,}" for c in COLUMNS)])
    return "\n".join(documents.table(["flavour", "size", *COLUMNS], rows, texts=(0, 1)))


def kinds(records: list[dict]) -> str:
    """How often each kind of step was done."""
    total = sums(records, "counts")
    names = sorted((n for n in total if n.startswith("kind: ")), key=lambda n: -total[n])
    return textwrap.fill("Steps: " + ", ".join(
        f"{n[6:]} {total[n]:,}" for n in names) + ".", 90, break_on_hyphens=False)


def decisions(records: list[dict]) -> str:
    """The prefetcher's decisions, in the links with statistics."""
    by_flavour = {f: sums([r for r in records if r["flavour"] == f], "decisions") for f in FLAVOURS}
    names = sorted({n for c in by_flavour.values() for n in c})
    width = max(map(len, names), default=0)
    return "\n".join(f"  {n:{width}} " + " ".join(
        f"{by_flavour[f][n]:>9,}" for f in FLAVOURS) for n in names)


def plain(records: list[dict]) -> str:
    lines = []
    for record in records:
        c = collections.Counter(record["counts"])
        lines.append(f"{record['flavour']} {record['size']}: {c['days']} days, {c['steps']} steps, "
                     f"{c['links']} Headstart links, {c['stock links']} stock links, {c['failed']} "
                     f"failed with an error, {c['different']} different, {c['unsteady']} in which "
                     f"stock differs from itself, {c['stock lacks memory']} in which stock runs "
                     f"out of memory, {c['milliseconds'] / max(c['steps'], 1):.0f} ms per step")
    steps = sums(records, "counts")["steps"]
    different = sums(records, "counts")["different"]
    return "\n".join(lines + [f"{steps} steps, {different} different"])


def write(records: list[dict]) -> None:
    """Writes the section of docs/Correctness.md."""
    records = [r for r in records if r["counts"].get("steps")]
    commits = sorted({r["commit"] for r in records if "commit" in r})
    dates = sorted({r["date"] for r in records if "date" in r})
    dates = dates or [time.strftime("%Y-%m-%d")]
    total = sums(records, "counts")
    documents.replace_section(DOCUMENT, BEGIN, END, "\n".join([
        "", f"{total['steps']:,} steps, {total['different']:,} different "
        f"({' to '.join(dict.fromkeys([dates[0], dates[-1]]))}, {platform.system()} "
        f"{platform.release()}, commit {', '.join(commits) or 'not known'}).", "",
        WHAT, table(records), "", kinds(records), ""]))
    print(f"wrote {DOCUMENT.relative_to(ROOT)}")
