"""How Sphinx makes the site: `tox -e docs`. Why Sphinx: docs/decisions/0029."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "minitorch"
author = "The minitorch authors"
project_copyright = "The minitorch authors"
html_title = "minitorch"

extensions = ["myst_parser", "navigation", "public_names"]
exclude_patterns = ["_site"]
source_suffix = {".md": "markdown"}
root_doc = "index"

myst_heading_anchors = 3
# Pages keep plain Markdown: no pair of dollar signs is a formula, no quote is turned.
myst_enable_extensions: list[str] = []
smartquotes = False

html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
html_static_path: list[str] = []
pygments_style = "friendly"
pygments_dark_style = "monokai"
