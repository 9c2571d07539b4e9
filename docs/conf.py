"""How the pages are built from Markdown."""

from wireroom.version import __version__

project = "wireroom"
release = __version__
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"wireroom {__version__}"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = [
    "myst.xref_missing"
]  # links to files outside docs/ work where people read them
