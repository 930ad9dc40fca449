"""COFF links: the demonstration's corpus, and a large one.

The demonstration: 450 objects, 769 MB, with CodeView, in 40 folders. Large:
2,000 objects, 2.3 GB, in 120 folders; and the same objects in archives, of which
a link takes an eighth.
"""

import functools
import pathlib
from typing import Dict, List, Sequence

import harness
from links import Condition, Sample

LARGE = ["--objects", "2000", "--bytes", "2.2G", "--folders", "120",
         "--archive"]
SMALL = ["--objects", "120", "--bytes", "200M", "--folders", "20"]


def words(folder: pathlib.Path, response: str = "link.rsp",
          options: Sequence[str] = ("/debug",)) -> List[str]:
    return ["/Brepro", *options, "/entry:main", "/subsystem:console",
            "/nodefaultlib", f"@{folder}/{response}"]


def sample(title: str, corpus: str, recipe: Sequence[str] = (),
           response: str = "link.rsp", options: Sequence[str] = ("/debug",),
           folders: Sequence[str] = ("obj",)) -> Sample:
    """A link of the corpus of that name, which is made by that recipe."""
    folder = harness.make_corpus(corpus, recipe)
    return Sample(title, "lld-link", folder,
                  [folder / name for name in folders],
                  words(folder, response, options), "a.exe")


demo = functools.partial(sample, "COFF: /debug", "demo")
quick = functools.partial(sample, "COFF: /debug, 60 objects", "quick",
                          ["--objects", "60", "--bytes", "100M"])
small = functools.partial(sample, "COFF: /debug, small", "small", SMALL)
large = functools.partial(sample, "Large: /debug", "large", LARGE)
image = functools.partial(sample, "Large: no /debug", "large", LARGE,
                          options=())
archives = functools.partial(
    sample, "Large: /debug, archives of which 1/8 is used", "large", LARGE,
    response="link-archives.rsp", folders=("obj/launch", "lib"))

# Disks of a known speed: what a link costs on each is one plot.
SPEEDS = (50, 100, 200, 400)

CONDITIONS: Dict[str, Condition] = {
    "coff": Condition(demo, rounds=7, warm_rounds=11),
    "coff-400": Condition(demo, megabytes_per_second=400, rounds=3),
    "large-debug": Condition(large, rounds=5, warm_rounds=7),
    **{f"large-debug-{speed}": Condition(large, megabytes_per_second=speed,
                                         rounds=3 if speed >= 100 else 2)
       for speed in SPEEDS},
    "large-debug-2000": Condition(large, reads_per_second=2000, rounds=3),
    "large-image": Condition(image, rounds=3, warm_rounds=5),
    "large-archives": Condition(archives, rounds=5, warm_rounds=5),
    "large-memory": Condition(large, short_memory=True, rounds=3),
}
