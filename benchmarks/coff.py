"""COFF links: a medium corpus, a large one, and the demonstration's.

The medium corpus has 450 objects, 769 MB, with CodeView, in 40 directories. The large
one has 2,000 objects, 2.3 GB, in 120 directories, and the same objects in archives, of
which a link uses an eighth. The demonstration has half of the medium corpus's objects,
since a newcomer has to wait for them.
"""

import functools
import pathlib
from typing import Sequence

import harness
from links import Condition, Sample

LARGE = ["--objects", "2000", "--bytes", "2.2G", "--folders", "120", "--archive"]
SMALL = ["--objects", "120", "--bytes", "200M", "--folders", "20"]


def words(folder: pathlib.Path, response: str = "link.rsp",
          options: Sequence[str] = ("/debug",)) -> list[str]:
    return ["/Brepro", *options, "/entry:main", "/subsystem:console",
            "/nodefaultlib", f"@{folder}/{response}"]


def sample(title: str, corpus: str, recipe: Sequence[str] = (), response: str = "link.rsp",
           options: Sequence[str] = ("/debug",), folders: Sequence[str] = ("obj",)) -> Sample:
    """Returns a link of the named corpus, which the recipe makes."""
    folder = harness.make_corpus(corpus, recipe)
    return Sample(title, "lld-link", folder,
                  [folder / name for name in folders], words(folder, response, options), "a.exe")


# The corpus keeps the name under which it was measured.
medium = functools.partial(sample, "COFF: /debug", "demo")
demo = functools.partial(sample, "COFF: /debug, 225 objects", "scale-225", ["--objects", "225"])
quick = functools.partial(sample, "COFF: /debug, 60 objects", "quick",
                          ["--objects", "60", "--bytes", "100M"])
small = functools.partial(sample, "COFF: /debug, small", "small", SMALL)
large = functools.partial(sample, "COFF, large: /debug", "large", LARGE)
image = functools.partial(sample, "COFF, large: no /debug", "large", LARGE, options=())
archives = functools.partial(sample, "COFF, large: /debug, archives, 1/8 linked", "large", LARGE,
                             response="link-archives.rsp", folders=("obj/launch", "lib"))

# The speeds of the disk in MB/s; one plot shows the link's time at each.
SPEEDS = (50, 100, 200, 400)

CONDITIONS: dict[str, Condition] = {
    "coff": Condition(medium, rounds=7, warm_rounds=11),
    "coff-400": Condition(medium, megabytes_per_second=400, rounds=3),
    "coff-others": Condition(medium, others=True, warm_rounds=7),
    "large-debug": Condition(large, rounds=5, warm_rounds=7),
    **{f"large-debug-{speed}": Condition(large, megabytes_per_second=speed,
                                         rounds=3 if speed >= 100 else 2)
       for speed in SPEEDS},
    "large-debug-2000": Condition(large, reads_per_second=2000, rounds=3),
    "large-image": Condition(image, rounds=3, warm_rounds=5),
    "large-archives": Condition(archives, rounds=5, warm_rounds=5),
}
