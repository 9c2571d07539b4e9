"""What is kept of an article beyond its fields: linked data, evidence, confidence; bounded in size.

Plain JSON data only, so that every store and every format can hold it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, TypeVar

import msgspec

from wireroom.dates import Moment
from wireroom.model import Claim, Item
from wireroom.parse.metadata import Field, Metadata

MAX_ORIGINALS: Final = (
    40_000  # bytes of linked data, and of what selectors match, kept with an article
)
MAX_EVIDENCE: Final = 10  # claims about a wall that are kept
MAX_TEXT: Final = 2_000  # characters of one text in the linked data; the body is not kept twice
MAX_MEMBERS: Final = 200  # of one list or object there

T = TypeVar("T")

_FIELDS: Final = (
    ("title", "title"),
    ("authors", "authors"),
    ("published_at", "published"),
    ("modified_at", "modified"),
    ("language", "language"),
    ("language_tag", "language_tag"),
    ("tags", "tags"),
    ("description", "description"),
    ("image_url", "image_url"),
    ("canonical_url", "canonical_url"),
    ("paywall", "paywall"),
    ("section", "section"),
    ("licence_url", "licence_url"),
    ("publisher_name", "publisher"),
)
"""Our name of a field, and the metadata's."""


def fields_of(metadata: Metadata) -> list[tuple[str, Field[Any]]]:
    """Every field about which something is known, by the article's names."""
    named = ((ours, getattr(metadata, theirs)) for ours, theirs in _FIELDS)
    return [(name, field) for name, field in named if field.source]


def extra_of(metadata: Metadata, item: Item | None) -> dict[str, Any]:
    """All that has no field of its own; nothing that is empty."""
    fields: dict[str, Any] = {
        **metadata.extra,
        "section": metadata.section.value,
        "publisher_name": metadata.publisher.value,
        "licence_url": metadata.licence_url.value,
        "published": _moment_facts(metadata.published.value),
        "modified": _moment_facts(metadata.modified.value),
        "selectors": _within_room(metadata.selected),
        "formats": {name: dict(table) for name, table in metadata.formats.items()},
        "json_ld": _objects(metadata.json_ld),
        "paywall": _wall(metadata),
        "feed": _item_facts(item) if item is not None else {},
    }
    return {name: value for name, value in fields.items() if value}


def _moment_facts(moment: Moment | None) -> dict[str, Any]:
    """The day as it was written, the clock it was written by, and how exactly."""
    if moment is None:
        return {}
    facts: dict[str, Any] = {
        "local_day": moment.local_day.isoformat(),
        "precision": moment.precision,
        "zone_from": moment.zone_from,
    }
    if moment.offset is not None:
        facts["offset_minutes"] = moment.offset // timedelta(minutes=1)
    return facts


def _wall(metadata: Metadata) -> dict[str, Any]:
    wall = metadata.paywall
    if not wall.claims and not wall.notes:
        return {}
    evidence = [_claim_facts(claim) for claim in wall.claims[:MAX_EVIDENCE]]
    return {"evidence": evidence, "notes": list(wall.notes)}


def _claim_facts(claim: Claim) -> dict[str, Any]:
    return {"value": claim.value, "source": claim.source, "confidence": round(claim.confidence, 3)}


def _item_facts(item: Item) -> dict[str, Any]:
    facts: dict[str, Any] = {**item.extra, "guid": item.guid, "title": item.title}
    if item.published_at is not None:
        facts["published_at"] = item.published_at.isoformat()
    return {name: value for name, value in facts.items() if value}


# --- linked data ----------------------------------------------------------------------------------


def _objects(objects: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The objects as the page wrote them, as many as fit; long texts in them are cut."""
    if not objects or len(msgspec.json.encode(objects)) <= MAX_TEXT:
        return list(objects)
    return list(_within_room(dict(enumerate(objects))).values())


def _within_room(values: Mapping[T, Any]) -> dict[T, Any]:
    """The values up to the one for which there is no room."""
    kept: dict[T, Any] = {}
    room = MAX_ORIGINALS
    for name, value in values.items():
        short = _shortened(value)
        room -= len(msgspec.json.encode(short))
        if room < 0:
            break
        kept[name] = short
    return kept


def _shortened(value: Any) -> Any:
    """Recursion is safe: whoever read the objects bounded their depth."""
    if isinstance(value, str):
        return value[:MAX_TEXT]
    if isinstance(value, dict):
        return {key: _shortened(held) for key, held in list(value.items())[:MAX_MEMBERS]}
    if isinstance(value, list | tuple):
        return [_shortened(held) for held in value[:MAX_MEMBERS]]
    return value
