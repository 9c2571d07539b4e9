"""The report card: a dossier made readable. `make_card` builds it; `to_json`, `to_markdown` and `to_html` show it.

Pure: dossier in, text out. How a terminal shows a card is the business of the command line.
"""

from __future__ import annotations

from wireroom.deliver.card.build import make_card
from wireroom.deliver.card.htmlpage import to_html
from wireroom.deliver.card.jsontext import card_schema, to_json, to_plain
from wireroom.deliver.card.markdown import to_markdown
from wireroom.deliver.card.nouns import SCHEMA, Card

__all__ = [
    "SCHEMA",
    "Card",
    "card_schema",
    "make_card",
    "to_html",
    "to_json",
    "to_markdown",
    "to_plain",
]
