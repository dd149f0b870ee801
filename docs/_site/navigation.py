"""Makes the navigation from the pages' own tables: what a folder's page links to in rows, in order.

So a page is written as plain Markdown, which a forge shows as it is, and the order stands once.
Sphinx warns about a page that no table names, and the site is built with warnings as errors.
"""

import posixpath
import re
from typing import Any

_HEADING = re.compile(r"^## (.+)$")
_LINK = re.compile(r"\]\(([\w./-]+)\.md\)")


def contents(page: str, text: str) -> list[tuple[str, list[str]]]:
    """The pages that the table rows of a page link to, under the heading of each table.

    Args:
        page: the name of the page from the root, without a suffix.
        text: what it says, as Markdown.
    """
    heading, found, seen = "", [], {page}
    for line in text.splitlines():
        if match := _HEADING.match(line):
            heading = match[1]
        for target in _LINK.findall(line) if line.startswith("| ") else ():
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            # A folder's page lists its own folder; another's pages are listed by their own.
            if name in seen or name.startswith("..") or not _is_listed_by(page, name):
                continue
            seen.add(name)
            if not found or found[-1][0] != heading:
                found.append((heading, []))
            found[-1][1].append(name)
    return found


def _is_listed_by(page: str, name: str) -> bool:
    if page == "index":
        return "/" not in name or name.endswith("/README")
    return posixpath.dirname(name) == posixpath.dirname(page)


def _add_contents(app: Any, page: str, source: list[str]) -> None:
    """Appends to the index, and to the page of each folder, hidden lists of what they link to."""
    if page != "index" and posixpath.basename(page) != "README":
        return
    for heading, names in contents(page, source[0]):
        caption = f":caption: {heading}\n" if heading and page == "index" else ""
        lines = "\n".join(f"/{name}" for name in names)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n{caption}\n{lines}\n```\n"


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _add_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
