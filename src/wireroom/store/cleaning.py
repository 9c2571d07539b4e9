"""What is taken out of every record before it is stored, on every database alike.

Pure. Addresses that are not of the web (see `kept_urls`), and in all texts NUL, lone surrogates, noncharacters and control characters other than newline and tab: one
database would refuse them, another keep them, a terminal obey them. It is applied by `SqlStore`, once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias, TypeVar

from wireroom.errors import StoreError
from wireroom.model import (
    OPTIONS,
    Feed,
    Lead,
    LeadCause,
    ObservationCause,
    Polled,
    Problem,
    Validators,
)
from wireroom.urls import MAX_URL_LENGTH, is_web_url

T = TypeVar("T")

DEEPEST_FACTS = 64  # levels of plain data kept; JSON-LD of real pages stays under 20
_TOO_DEEP = "… (too deeply nested to be kept)"
_LARGEST_INTEGER = 2**63 - 1  # what every JSON reader and both databases hold exactly

_PLANES = range(0x10000, 0x110000, 0x10000)  # the sixteen above the first
# One class for all of Unicode would be walked range by range, ten times slower than these three.
_CONTROLS = bytes(set(range(0x20)) - set(b"\n\t") | {0x7F})
_NOT_STORED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LAST_OF_PLANES = re.compile(
    "[" + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in _PLANES) + "]"
)


def clean_text(text: str) -> str:
    """The text without the characters that are never stored."""
    if text.isascii():
        packed = text.encode("ascii")
        kept = packed.translate(None, _CONTROLS)
        return text if len(kept) == len(packed) else kept.decode("ascii")
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = _NOT_STORED.sub("", text) if _NOT_STORED.search(text) else text
    has_higher_planes = len(text.encode("utf-16-le")) > 2 * len(text)
    return _LAST_OF_PLANES.sub("", text) if has_higher_planes else text


def clean(record: T) -> T:
    """The record with every text in it cleaned; the very same object when nothing had to go."""
    cleaned: T = record if _is_spotless(record, 0) else _clean(record, 0)
    return cleaned


def _clean(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return clean_text(value)
    if kind in _KEPT:
        return value
    if kind is int or kind is float:
        return _clean_number(value, depth)
    if kind is datetime:
        return _clean_time(value)
    if is_dataclass(kind):
        return _clean_record(value)
    if isinstance(value, Mapping | list | tuple):
        return _clean_many(value, depth) if depth < DEEPEST_FACTS else _TOO_DEEP
    return clean_text(str(value)) if isinstance(value, str) else value


# Validators go back to the server byte for byte, see packing.
_KEPT = frozenset({type(None), bool, bytes, timedelta, Validators, LeadCause, ObservationCause})


def _clean_number(value: int | float, depth: int) -> Any:  # noqa: PYI041 - the two are told apart
    """In plain data integers beyond 64 bits are kept as their digits, and what is no number as None.

    A record's own field stays a number: 0 where it was none, which one database would keep and the
    other refuse.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else (None if depth else 0.0)
    return str(value) if depth and abs(value) > _LARGEST_INTEGER else value


def _clean_time(at: datetime) -> datetime:
    if at.tzinfo is UTC:
        return at
    if at.utcoffset() is None:
        raise StoreError(f"The time {at.isoformat()} has no zone.", hint="Give times in UTC.")
    return at.astimezone(UTC)


def _clean_address(value: Any) -> Any:
    return kept_address(clean_text(value))


def _clean_addresses(value: Any) -> Any:
    return kept_addresses(_clean(value, 0))


def _clean_subject(value: Any) -> Any:
    return kept_subject(clean_text(value))


def _clean_field(value: Any) -> Any:
    return _clean(value, 0)


_Cleaner: TypeAlias = Callable[[Any], Any]

_UNLIKE_ITS_NAME: dict[tuple[type[Any], str], _Cleaner] = {
    **{
        (Feed, name): _clean_addresses for name, each in OPTIONS.items() if each.info.kind == "urls"
    },
    (Problem, "subject_url"): _clean_subject,
    # Without these there is nothing to save: the store refuses the record, and says which it was.
    (Feed, "url"): _clean_field,
    (Lead, "url"): _clean_field,
    (Polled, "feed_url"): _clean_field,
}


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of a kind of record: those that are cleaned as anything is, and those in ways of their own."""

    usual: tuple[str, ...]
    own: tuple[tuple[str, _Cleaner], ...]


_SHAPES: dict[type[Any], _Shape] = {}  # a few dozen in all


def _shape(kind: type[Any]) -> _Shape:
    if kind not in _SHAPES:
        cleaners = {field.name: _cleaner(kind, field.name) for field in fields(kind)}
        usual = tuple(name for name, cleaned in cleaners.items() if cleaned is _clean_field)
        own = tuple(pair for pair in cleaners.items() if pair[1] is not _clean_field)
        _SHAPES[kind] = _Shape(usual, own)
    return _SHAPES[kind]


def _cleaner(kind: type[Any], name: str) -> _Cleaner:
    is_address = name == "url" or name.endswith("_url")
    usual = _clean_address if is_address else _clean_field
    return _UNLIKE_ITS_NAME.get((kind, name), usual)


def _clean_record(record: Any) -> Any:
    shape = _shape(type(record))
    changed = {}
    for name, cleaned in (*((name, _clean_field) for name in shape.usual), *shape.own):
        before = getattr(record, name)
        after = cleaned(before) if before else before
        if after is not before:
            changed[name] = after
    return replace(record, **changed) if changed else record


def _is_spotless(value: Any, depth: int) -> bool:
    """Whether it is seen at a glance that nothing has to go from a record or from plain data.

    That is mostly so. It is walked level by level, and all its texts are looked at as one: much
    quicker than field by field. False where that is not enough to tell.
    """
    texts: list[str] = []
    level = [value]
    for _ in range(depth, DEEPEST_FACTS):
        inside: list[Any] = []
        for held in level:
            kind = type(held)
            if kind is str:
                texts.append(held)
            elif kind is dict:
                texts += held
                inside += held.values()
            elif kind is list or kind is tuple:
                inside += held
            elif kind is int or kind is float:
                if not -_LARGEST_INTEGER <= held <= _LARGEST_INTEGER:  # nor when it is no number
                    return False
            elif kind not in _KEPT and not _opens(held, inside):
                return False
        if not inside:
            return _are_spotless(texts)
        level = inside
    return False


def _opens(held: Any, inside: list[Any]) -> bool:
    """Whether a record, or a time, is spotless but for what is added to `inside`."""
    kind = type(held)
    if kind is datetime:
        return held.tzinfo is UTC
    if kind not in _SHAPES and not is_dataclass(kind):
        return False
    shape = _shape(kind)
    inside += [getattr(held, name) for name in shape.usual]
    for name, cleaned in shape.own:
        before = getattr(held, name)
        if before and cleaned(before) is not before:
            return False
    return True


def _are_spotless(texts: list[str]) -> bool:
    if any(kind is not str for kind in set(map(type, texts))):
        return False
    as_one = "".join(texts)
    return len(clean_text(as_one)) == len(as_one)


def _clean_many(value: Any, depth: int) -> Any:
    if not value or _is_spotless(value, depth):
        return value
    if isinstance(value, Mapping):
        pairs = {_clean_key(key): _clean(held, depth + 1) for key, held in value.items()}
        same = all(key in value and value[key] is held for key, held in pairs.items())
        return value if same and len(pairs) == len(value) else pairs
    inside = depth + 1 if depth else 0  # a record's own list is no plain data
    cleaned = [_clean(held, inside) for held in value]
    if all(before is after for before, after in zip(value, cleaned, strict=True)):
        return value
    return type(value)(cleaned)


def _clean_key(key: Any) -> str:
    return clean_text(key if isinstance(key, str) else str(key))


# Which addresses are kept: those of the web, and no other.
#
# Pure. What a page calls its image or its licence may be `javascript:` or a file; kept, it would be a
# link sooner or later. It is applied by `SqlStore`, with the cleaning of texts.

# Nearly all addresses; the full check takes ten times as long, and an article has half a dozen.
_PLAINLY_WEB = re.compile(
    r"https?://(?=[^/]{1,253}(?:/|\Z))(?![^/]*xn--)"
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?:/[!-~]*)?"
)
_WEB = ("http://", "https://")
_HOST_AND_PORT = re.compile(r"[^:/]+(?::[0-9]{1,5})?")


def kept_address(address: str) -> str:
    """The address if it is one of the web, else nothing."""
    if not address:
        return address
    if len(address) <= MAX_URL_LENGTH and _PLAINLY_WEB.fullmatch(address):
        return address
    return address if is_web_url(address) else ""


def kept_addresses(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the web; the very same tuple when all are."""
    kept = tuple(address for address in addresses if kept_address(address))
    return addresses if len(kept) == len(addresses) else kept


def kept_subject(subject: str) -> str:
    """What a problem is about: an address of the web, or a bare name, which nobody can follow.

    A host, with its port or without, a publisher, a file without its folders: all are bare names.
    An address that is too long or otherwise wrong may be just what the problem is.
    """
    if subject.startswith(_WEB) or _HOST_AND_PORT.fullmatch(subject):
        return subject
    return kept_address(subject)
