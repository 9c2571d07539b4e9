"""The report card: a dossier made readable. `make_card` builds it; `to_json`, `to_markdown` and `to_html` show it.

Pure: dossier in, text out; verdicts are shown as the dossier holds them. `terminal_view.show_card` writes it to a
terminal it is given.

The names below are loaded when they are first asked for: a list of feeds needs the signs of a card, not its making.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.report.build import make_card, summary
    from wireroom.report.card_markdown import to_markdown
    from wireroom.report.html_page import card_body, to_html
    from wireroom.report.types import SCHEMA, Card, card_schema, to_json, to_plain

__all__ = [
    "SCHEMA",
    "Card",
    "card_body",
    "card_schema",
    "make_card",
    "summary",
    "to_html",
    "to_json",
    "to_markdown",
    "to_plain",
]

_HOMES = {
    "build": ("make_card", "summary"),
    "html_page": ("card_body", "to_html"),
    "card_markdown": ("to_markdown",),
    "types": ("SCHEMA", "Card", "card_schema", "to_json", "to_plain"),
}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module when it is first asked for."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
