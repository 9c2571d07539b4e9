"""A card as JSON, and the schema of that JSON for whoever reads it."""

from __future__ import annotations

from typing import Any

import msgspec

from wireroom.display_text import visible_data
from wireroom.report.types import SCHEMA, Card

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def to_plain(card: Card) -> dict[str, Any]:
    """The card as plain data."""
    plain: dict[str, Any] = visible_data(msgspec.to_builtins(card))
    return plain


def to_json(card: Card, *, indent: int = 2) -> str:
    """The card as text; dates are ISO 8601 in UTC."""
    return msgspec.json.format(msgspec.json.encode(to_plain(card)), indent=indent).decode()


def card_schema() -> dict[str, Any]:
    """The JSON Schema of a card."""
    schema = msgspec.json.schema(Card)
    return {"$schema": DIALECT, "$id": SCHEMA, "title": "A report card of wireroom", **schema}
