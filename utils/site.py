"""The hooks of mkdocs.yml. The site has the layout of the repository, so that a link works in both:
the documents, and the files that they link to. Manual pages and sources become pages. The last hook
checks that each link leads to a file, and that no page loads anything from another host."""

import html.parser
import logging
import pathlib
import re
import subprocess
import urllib.parse

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.plugins.site")

# The target of a link or an image, in Markdown and in HTML.
LINK = re.compile(r"(?:\]\(|(?:href|src|srcset)=\")([^)\"#:]+)(?=[)\"#])")
MANUAL = re.compile(r"\.[1-9]$")
SOURCE = re.compile(r"\.(?:cpp|h)$")


def becomes_page(path):
    return bool(MANUAL.search(path) or SOURCE.search(path))


def manual_page(path, root):
    """Converts a page of mdoc(7), whose sections become the site's."""
    done = subprocess.run(["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", path],
                          check=True, stdout=subprocess.PIPE, text=True)
    text = done.stdout.split('<div class="manual-text">')[1]
    text = text[:text.rindex("</div>")].replace("</section>", "")

    def section(match):
        level, title = match.groups()
        head = {"Sh": "##", "Ss": "###"}[level]
        return f"\n\n{head} {' '.join(title.split()).capitalize()}\n\n"

    def reference(match):
        there = path.parent / match.group(1)
        return match.group(0) if there.exists() else match.group(2)

    text = re.sub(r'<section class="(Sh|Ss)">\s*<h[12][^>]*>'
                  r"<a[^>]*>([^<]*)</a></h[12]>", section, text)
    text = re.sub(r'<a class="Xr" href="([^"]*)\.html">([^<]*)</a>', reference, text)
    return f"# {path.stem}({path.suffix[1:]})\n{text}"


def source_page(path, root):
    return (f"# {path.relative_to(root)}\n\n```cpp\n"
            f"{path.read_text(encoding='utf-8')}```\n")


def on_files(files, config):
    root = pathlib.Path(config.config_file_path).resolve().parent
    for file in [f for f in files if f.src_dir == config.docs_dir]:
        files.remove(file)
    waiting = sorted([*root.glob("*.md"), *root.glob("docs/*.md"),
                      *root.glob("docs/internals/*.md"),
                      *root.glob("docs/man/*.[1-9]"), root / "utils/site.css"])
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        name = path.relative_to(root).as_posix()
        if path.suffix == ".md":
            files.append(File.generated(config, name, abs_src_path=str(path)))
            linked = {(path.parent / target).resolve() for target in
                      LINK.findall(path.read_text(encoding="utf-8"))}
            linked = {p for p in linked if p.is_file() and root in p.parents} - seen
            waiting += sorted(linked)
            seen |= linked
        elif becomes_page(name):
            make = manual_page if MANUAL.search(name) else source_page
            files.append(File.generated(config, name + ".md", content=make(path, root)))
        else:
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Leads links to the pages of their files. Unescapes bars that GitHub needs escaped."""
    markdown = re.sub(r"^\|.*$", lambda row: re.sub(
        r"`[^`]*`", lambda code: code[0].replace(r"\|", "|"), row[0]), markdown, flags=re.M)
    return LINK.sub(lambda m: m.group(0) + ".md" if becomes_page(m.group(1))
                    else m.group(0), markdown)


def on_page_content(html, page, config, files):
    """Names each cell by its column: site.css shows the names on small screens."""
    def table(match):
        heads = [re.sub("<[^>]*>", "", head).replace('"', "&quot;")
                 for head in re.findall(r"<th(?: [^>]*)?>(.*?)</th>", match[0], re.S)]

        def row(found):
            names = iter(heads)
            return re.sub("<td", lambda _: f'<td data-label="{next(names, "")}"', found[0])
        return re.sub(r"<tr>.*?</tr>", row, match[0], flags=re.S)
    return re.sub(r"<table>.*?</table>", table, html, flags=re.S)


class References(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.loads = [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value and name in ("href", "src", "srcset", "data", "poster", "action"):
                (self.links if tag == "a" else self.loads).append(value)


def on_post_build(config):
    site = pathlib.Path(config.site_dir)
    pages = sorted(site.rglob("*.html"))
    for page in pages:
        found = References()
        found.feed(page.read_text(encoding="utf-8"))
        name = page.relative_to(site)
        for reference in found.links + found.loads:
            parts = urllib.parse.urlsplit(reference)
            if parts.scheme or parts.netloc:
                if reference in found.loads and parts.scheme != "data":
                    log.warning("%s loads %s", name, reference)
            elif parts.path and name.name != "404.html":
                there = page.parent / urllib.parse.unquote(parts.path)
                if not there.exists():
                    log.warning("%s: nothing at %s", name, reference)
    for sheet in site.rglob("*.css"):
        for url in re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)",
                              sheet.read_text(encoding="utf-8")):
            log.warning("%s loads %s", sheet.relative_to(site), url)
    if not pages:
        raise PluginError("no page was built")
