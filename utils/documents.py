"""Tables and sections in Markdown, for the scripts that write documents."""

import sys


def row(cells) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def table(head, rows, texts=(0,)) -> list:
    """The lines of a table; `texts` are the columns without numbers."""
    return [row(head), row("---" if at in texts else "--:" for at in range(len(head))),
            *map(row, rows)]


def split_at_marks(path, begin: str, end: str) -> tuple:
    """The text of a document before, between and after two marks."""
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    between, mark, after = rest.partition(end)
    if not mark:
        sys.exit(f"{path} does not have the marks {begin} and {end}")
    return before, between, after


def replace_section(path, begin: str, end: str, text: str) -> None:
    before, _, after = split_at_marks(path, begin, end)
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
