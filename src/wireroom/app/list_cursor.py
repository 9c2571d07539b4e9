"""The cursor of a list: where the next page begins, as one text that an address can carry.

It names the order and the last row of the page before, so that a list that grows meanwhile neither repeats a row nor
leaves one out.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64

import msgspec

from wireroom.errors import QueryError
from wireroom.ports import Place

LONGEST = 4_000  # characters; a name and a domain have some hundred


def write_cursor(order: str, after: Place | None) -> str:
    """The cursor for what comes behind this place; empty where nothing does."""
    if after is None:
        return ""
    return urlsafe_b64encode(msgspec.json.encode((order, *after))).decode().rstrip("=")


def read_cursor(cursor: str, order: str, kind: type[str | int]) -> Place | None:
    """The place behind which a list in this order goes on; None for its beginning, QueryError for what is no cursor of it."""
    if not cursor:
        return None
    try:
        packed = urlsafe_b64decode(cursor[:LONGEST] + "=" * (-len(cursor[:LONGEST]) % 4))
        held, value, key = msgspec.json.decode(packed, type=tuple[str, str | int, str])
    except (NotBase64, ValueError, msgspec.DecodeError) as exc:
        raise _no_cursor(cursor) from exc
    if held != order or type(value) is not kind or (kind is int and abs(int(value)) >= 2**63):
        raise _no_cursor(cursor)
    return value, key


def _no_cursor(cursor: str) -> QueryError:
    return QueryError(
        f"The cursor {cursor[:40]!r} is not one of this list.",
        hint="Start without a cursor, then pass the one you are given.",
    )
