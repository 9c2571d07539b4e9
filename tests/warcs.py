"""Archives made by hand for tests: records as a crawler writes them, or as it never should."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Literal

import zstandard

Compression = Literal["gz", "zst", "plain"]

STORY = (
    "The council of {town} voted on Tuesday to rebuild the old harbour wall, which had been closed "
    "since the storm of last winter. The work is to begin in spring and will take two years. "
    "Residents who spoke at the meeting asked for a path along the water, and the mayor promised "
    "to look into it before the plans are final. A second vote on the cost follows in May. "
    "Nobody expects it to fail, for all parties have named the wall as their first aim. "
    "The engineer who drew the plans said that the stones of the old wall can be used again. "
)


def page(town: str, *, head: str = "", paragraphs: int = 3) -> bytes:
    """A small news page whose text is that of no other town."""
    text = "".join(f"<p>{STORY.format(town=f'{town} {n}')}</p>" for n in range(paragraphs))
    return (
        f"<!doctype html><html lang=en><head><title>{town} rebuilds its wall</title>"
        f'<meta property="og:type" content="article">{head}</head>'
        f"<body><article><h1>{town} rebuilds its wall</h1>{text}</article></body></html>"
    ).encode()


WORDS = [
    "council",
    "harbour",
    "winter",
    "market",
    "bridge",
    "teacher",
    "record",
    "village",
    "engine",
    "summer",
    "garden",
    "letter",
    "station",
    "museum",
    "doctor",
    "ballot",
    "island",
    "student",
    "factory",
    "concert",
    "morning",
    "journey",
    "library",
    "weather",
    "captain",
    "history",
    "village",
    "budget",
    "orchard",
    "theatre",
    "railway",
    "kitchen",
    "machine",
    "picture",
]


def own_page(town: str) -> bytes:
    """A news page that shares no sentence with that of another town."""
    chance = Random(town)
    sentences = (
        f"The {chance.choice(WORDS)} of {town} and its {' '.join(chance.choices(WORDS, k=9))} were there."
        for _ in range(40)
    )
    text = "".join(f"<p>{' '.join(islice(sentences, 8))}</p>" for _ in range(5))
    return page(town, paragraphs=0).replace(b"</h1>", b"</h1>" + text.encode())


def answer(
    body: bytes, *, status: int = 200, kind: str = "text/html", headers: Iterable[str] = ()
) -> bytes:
    """What a server sent."""
    lines = [f"HTTP/1.1 {status} OK", f"Content-Type: {kind}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def record(
    url: str,
    block: bytes,
    *,
    kind: str = "response",
    date: str = "2026-03-04T05:06:07Z",
    length: int | str | None = None,
    content_type: str = "application/http; msgtype=response",
) -> bytes:
    """One record, not compressed."""
    head = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{abs(hash(url)) % 10**12:012d}>",
        f"WARC-Date: {date}",
        f"WARC-Target-URI: {url}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block) if length is None else length}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def packed(records: Iterable[bytes], compression: Compression = "gz") -> bytes:
    """The records as a file, each compressed by itself."""
    if compression == "gz":
        return b"".join(gzip.compress(each, 6) for each in records)
    if compression == "zst":
        return b"".join(zstandard.compress(each) for each in records)
    return b"".join(records)


def story_records(towns: Iterable[str], host: str = "courier.example") -> list[bytes]:
    """A request and an answer for each town."""
    found = [
        record("", b"software: test\r\n", kind="warcinfo", content_type="application/warc-fields")
    ]
    for town in towns:
        url = f"https://{host}/{town.lower()}"
        found.append(record(url, b"GET / HTTP/1.1\r\n\r\n", kind="request"))
        found.append(record(url, answer(page(town))))
    return found


def write_warc(path: Path, records: Iterable[bytes]) -> Path:
    """A file with these records, compressed as its name says."""
    suffix = path.suffix.removeprefix(".")
    compression: Compression = "gz" if suffix == "gz" else "zst" if suffix == "zst" else "plain"
    path.write_bytes(packed(records, compression))
    return path
