#!/usr/bin/env python3
"""Draws which pages of some files are cached (links/residency.py).

    draw-residency.py [--name NAME] [--seed TEXT] [--] FILE...

Prints the draw. The same seed and files give the same draw.
"""

import argparse
import random
import sys

from links import residency


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", choices=list(residency.DRAWS), default="")
    parser.add_argument("--seed", default="")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    print(residency.draw(random.Random(arguments.seed), arguments.files,
                         name=arguments.name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
