"""trust.txt of JournalList: whom a publisher belongs to, and whether its texts may train models.

Pure. Lines of `key=value`; `datatrainingallowed` came in April 2024. Keys nobody defined are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from wireroom.errors import UnknownFormatError
from wireroom.parse.encoding import decode
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line
from wireroom.parse.signals.absent import is_absent

# JournalList, as of April 2024
KEYS: Final = frozenset(
    listed(
        """
        member belongto control controlledby social vendor customer disclosure contact
        datatrainingallowed
        """
    )
)
MAX_BYTES: Final = 1_000_000  # associations list thousands of members, some 60 bytes each
MAX_ENTRIES: Final = 10_000
MAX_VALUE: Final = 2_048  # characters; most are addresses

_ENTRY: Final = re.compile(r"\s{0,100}([A-Za-z][A-Za-z0-9_-]{0,59})\s{0,100}=\s{0,100}(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustEntry:
    """One line; its key in lower case."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustTxt:
    """The file."""

    entries: tuple[TrustEntry, ...] = ()
    truncated: bool = False
    """Whether a limit of ours left some out."""

    def values(self, key: str) -> tuple[str, ...]:
        """All values of a key, in order."""
        return tuple(entry.value for entry in self.entries if entry.key == key)


def read_trust_txt(body: bytes, *, content_type: str = "") -> TrustTxt:
    """The file in these bytes; raises UnknownFormatError for a page or a text without its keys."""
    if is_absent(body, content_type):
        raise UnknownFormatError("a page, or nothing, instead of trust.txt")
    text = decode(body[:MAX_BYTES], content_type=content_type, kind="text").text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    entries: list[TrustEntry] = []
    for number, written in enumerate(lines, 1):
        match = _ENTRY.match(written)  # a comment begins with `#`, which no key does
        if match is not None and len(entries) <= MAX_ENTRIES:
            value = line(match[2], MAX_VALUE)
            entries.append(TrustEntry(key=match[1].lower(), value=value, line=number))
    if not any(entry.key in KEYS for entry in entries):
        raise UnknownFormatError("a text without a single key of trust.txt")
    truncated = len(body) > MAX_BYTES or len(entries) > MAX_ENTRIES
    return TrustTxt(entries=tuple(entries[:MAX_ENTRIES]), truncated=truncated)
