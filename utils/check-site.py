#!/usr/bin/env python3
"""Checks that the tables of the documents' site fit at 1400 and at 400 pixels.

    check-site.py SITE"""

import contextlib
import pathlib
import sys
import tempfile

import headless

WIDTHS = (1400, 400)
# Returns the first words of each table that is cut off, and "the page" if it is, too.
WIDE = """[
  ...[...document.querySelectorAll("article table")].filter(table => {
    const room = table.closest(".md-typeset__scrollwrap") ?? table.parentElement;
    return room.scrollWidth > room.clientWidth;
  }).map(table => "the table '" + table.innerText.trim().slice(0, 40)
                      .replace(/\\s+/g, " ") + "'"),
  ...(document.documentElement.scrollWidth > innerWidth ? ["the page"] : [])]"""


def main() -> int:
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = sorted(site.rglob("*.html"))
    problems = []
    with tempfile.TemporaryDirectory() as directory:
        with contextlib.closing(headless.Browser(headless.find_browser(), directory)) as browser:
            for page in pages:
                browser.show(page.as_uri(), WIDTHS[0], "light")
                for width in WIDTHS:
                    browser.view(width, "light")
                    browser.settle()
                    problems += [f"{page.relative_to(site)}: {what} is wider than "
                                 f"{width} pixels" for what in browser.evaluate(WIDE)]
    print("\n".join([*problems, f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
