"""An article as plain data and as one line of JSON, and back: the only place that knows both ways.

Raw pages are never part of it. What another version of wireroom wrote is read as far as it is known.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

import msgspec

from wireroom.errors import DeliverError
from wireroom.model import Article, Removal

FIELDS = tuple(field.name for field in fields(Article) if field.name != "raw")
"""What is written of an article, in this order."""
REMOVED = "removed"
"""The one key of a line that says which article has to go."""
_REMOVAL = b'{"removed":'
_TIMES = ("fetched_at", "arrived_at", "published_at", "modified_at")
_SHOWN = 80  # characters of a line that a message repeats

_encoder = msgspec.json.Encoder(enc_hook=str)
_decoder = msgspec.json.Decoder(Article)
_removal_decoder = msgspec.json.Decoder(dict[str, Removal])


def to_plain(article: Article) -> dict[str, Any]:
    """The article in types that JSON knows; times are ISO 8601 in UTC."""
    plain = {name: _built(getattr(article, name)) for name in FIELDS}
    for name in _TIMES:
        plain[name] = _spelled(plain[name])
    _spell_receipt(plain)
    if plain["original"] is not None:
        plain["original"]["published_at"] = _spelled(plain["original"]["published_at"])
        _spell_receipt(plain["original"])
    return plain


def _spell_receipt(plain: dict[str, Any]) -> None:
    if plain["receipt"] is not None:
        plain["receipt"]["checked_at"] = _spelled(plain["receipt"]["checked_at"])


def from_plain(plain: Mapping[str, Any]) -> Article:
    """The article that was made plain; DeliverError says what is not one."""
    try:
        return msgspec.convert(plain, Article)
    except msgspec.ValidationError as exc:
        raise DeliverError(f"This is no article: {exc}.") from exc


def to_line(article: Article) -> bytes:
    """The article as one line of JSON, its line break included."""
    return to_json(to_plain(article)) + b"\n"


def from_line(line: bytes) -> Article:
    """The article of such a line; DeliverError says what is wrong with it."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, ValueError) as exc:
        raise _no_line("article", line, exc) from exc


def _no_line(kind: str, line: bytes, exc: Exception) -> DeliverError:
    shown = line[:_SHOWN].decode("utf-8", "replace").strip()
    return DeliverError(f"This line is no {kind} ({exc}): {shown}")


def removal_line(removal: Removal) -> bytes:
    """An article that has to go, as one line of JSON with the one key `removed`."""
    return to_json({REMOVED: removal}) + b"\n"


def read_line(line: bytes) -> Article | Removal:
    """The article of a line, or the removal; DeliverError says what is wrong with it."""
    if not line.startswith(_REMOVAL):
        return from_line(line)
    try:
        return _removal_decoder.decode(line)[REMOVED]
    except (msgspec.MsgspecError, ValueError) as exc:
        raise _no_line("removal", line, exc) from exc


def to_json(plain: Any) -> bytes:
    """Plain data as JSON without a line break, whatever texts and numbers stand in it."""
    try:
        return _encoder.encode(plain)
    except (OverflowError, UnicodeEncodeError):
        # Halves of characters and integers beyond 64 bits, which the store would have cleaned.
        return json.dumps(plain, ensure_ascii=False, default=str).encode("utf-8", "replace")


def _built(value: Any) -> Any:
    if value is None or type(value) in _AS_THEY_ARE:
        return value
    return msgspec.to_builtins(value, builtin_types=(datetime,), enc_hook=str)


_AS_THEY_ARE = frozenset({str, int, float, bool, datetime})


def _spelled(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
