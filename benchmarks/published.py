"""The experiment with which lld's authors introduced /prefetch-inputs, alongside
the same experiment here: cold without and with prefetching, and warm.
"""


from figures import format_bytes, median, ratio, runs_of, saved, table
from links import FIRST, NEXT, PREFETCHING

# llvm/llvm-project#169224: 4,169 objects of 26,325,429,114 bytes, on Windows 11
# with 32 cores, 128 GB and an NVMe disk. Warm: means of 10 runs, 29.689 s and
# 29.594 s. Cold: 48.1 s without and 34.2 s with prefetching.
SOURCE = "https://github.com/llvm/llvm-project/pull/169224"
OBJECTS, BYTES = 4169, 26_325_429_114
COLD, COLD_PREFETCHED, WARM, WARM_PREFETCHED = 48.1, 34.2, 29.7, 29.6

STOCK = "lld-link 22 (stock)"
# The links that have all four variants, cold and warm; the largest first.
NAMES = ("large-debug", "coff")


def name_of(figures: dict[str, dict]) -> str | None:
    """The benchmark that is compared with the published one."""
    for name in NAMES:
        if name in figures and figures[name]["figures"]["warm"]:
            return name
    return None


def theirs() -> list[list[str]]:
    rows = [("published, without", COLD, WARM),
            ("published, `/prefetch-inputs`", COLD_PREFETCHED, WARM_PREFETCHED)]
    return [[name, f"{cold:.1f} s", f"{cold / COLD:.2f}",
             f"{saved(cold, COLD, WARM):.0%}" if cold != COLD else "–",
             f"{warm:.1f} s", f"{warm / WARM:.2f}"] for name, cold, warm in rows]


def ours(figures: dict) -> list[list[str]]:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    base, warm_base = cold[STOCK], warm[STOCK]
    rows = []
    for name in (STOCK, PREFETCHING, FIRST, NEXT):
        less = saved(median(cold[name]), median(base), median(warm_base))
        rows.append([f"here, {name}", f"{median(cold[name]):.2f} s",
                     f"{ratio(cold[name], base):.2f}", f"{less:.0%}" if name != STOCK else "–",
                     f"{median(warm[name]):.2f} s", f"{ratio(warm[name], warm_base):.2f}"])
    return rows


def text(figures: dict[str, dict]) -> str:
    """Returns the table, or an empty string if the figures lack the link it needs."""
    name = name_of(figures)
    if not name:
        return ""
    here = figures[name]["figures"]
    return "\n".join([
        "## The published experiment, repeated", "",
        *table(["", "cold", "ratio", "saved", "warm", "ratio"], theirs() + ours(here)),
        "", f"Published: [the link]({SOURCE}) with which lld introduced `/prefetch-inputs`, "
        f"{OBJECTS:,} objects, {format_bytes(BYTES)}; Windows 11, 32 cores, 128 GB, an NVMe "
        f"disk. Here: `{name}`, {here['inputs']:,} files, {format_bytes(here['bytes'])}. "
        "Compare only ratios. *Saved* is the part of the difference between a cold and a warm "
        "link without prefetching that prefetching removes."])
