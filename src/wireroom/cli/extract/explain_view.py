"""The explain view: where each field came from, why the quality is what it is, which blocks went.

Tables for people; what other people wrote is cut to a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wireroom.app.counting import counted
from wireroom.app.extract import Extracted
from wireroom.cli.console import shortened
from wireroom.cli.streams import Streams
from wireroom.model import Facts

MAX_SHOWN = 60  # characters of a value in a table
MAX_BLOCK = 48  # characters of a block there: enough to find it in the page
MAX_OTHERS = 3  # claims about a field, besides the one that won, shown in a table
STYLES = {"keep": "green", "drop": "dim"}


def show_explanation(name: str, extracted: Extracted, streams: Streams) -> None:
    """Tables for one article."""
    data, article = extracted.explained, extracted.article
    streams.heading(article.title or "Without a title")
    streams.line(_origin(name, data), indent=2)
    streams.line()
    streams.table(
        _field_rows(data["fields"]), columns=("field", "value", "source", "sure", "others")
    )
    streams.line()
    streams.line(
        f"quality {article.quality:.2f}, {counted(article.word_count, 'word')}", style="bold"
    )
    for reason in (*data["quality_reasons"], *data.get("notes", ())):
        streams.prose(f"- {reason}", indent=2)
    streams.line()
    if blocks := data.get("blocks"):
        streams.table(
            list(_block_rows(blocks)), columns=("", "p", "kind", "why", "text"), styles=STYLES
        )
        streams.line()


def _origin(name: str, data: Facts) -> str:
    if "kind" not in data:
        return f"{name}: an item of a feed"
    encoding = data["encoding"]
    kind = f"{data['kind']['name']} ({data['kind']['why']})"
    return f"{name}: {kind}, {encoding['name']} ({encoding['source']}), taken for: {data['judged']}"


def _field_rows(fields: Iterable[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            field["field"],
            shortened(_joined(field["value"]), MAX_SHOWN),
            field["source"],
            "" if field["confidence"] is None else f"{field['confidence']:.2f}",
            _others(field),
        )
        for field in fields
        if field["source"] or field["claims"]
    ]


def _others(field: dict[str, Any]) -> str:
    """What else was said: each other value once, with who said it."""
    others: dict[str, list[str]] = {}
    for claim in field["claims"]:
        if claim["value"] != field["value"]:
            others.setdefault(_joined(claim["value"]), []).append(claim["source"])
    rows = [f"{shortened(value, MAX_SHOWN)} ({', '.join(who)})" for value, who in others.items()]
    more = f"; {len(rows) - MAX_OTHERS} more" if len(rows) > MAX_OTHERS else ""
    return "; ".join(rows[:MAX_OTHERS]) + more


def _block_rows(blocks: Iterable[dict[str, Any]]) -> Iterable[tuple[str, ...]]:
    for block in blocks:
        word = "keep" if block["kept"] else "drop"
        text = shortened(block["text"], MAX_BLOCK)
        yield word, f"{block['probability']:.2f}", block["kind"], block["reason"], text


def _joined(value: Any) -> str:
    return (
        ", ".join(map(str, value))
        if isinstance(value, list)
        else ""
        if value is None
        else str(value)
    )
