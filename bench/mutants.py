"""An endless row of pages, each a little different, and the work of reading one of them.

Real pages (see `wcxb`) where they are beside the repository, the town's otherwise. Each time round a
page is served another way: whole, cut off, with a piece twice, with bytes broken. What worker processes
do must stand in a module they can import, which this is.
"""

from __future__ import annotations

import os
import random
from functools import cache
from pathlib import Path

from wcxb import FOLDER
from wireroom.parse.body.block_weights import shipped_weights
from wireroom.parse.detect import load_detector
from wireroom.workers.document_jobs import Document, Extracted, Extraction, Unread

BROKEN = 20  # bytes that are overwritten in a page whose bytes are broken
LARGEST = 40_000  # bytes; a leak shows in many pages, not in large ones, and 50,000 shall end the same day
CUT, DOUBLED, DAMAGED, WHOLE = range(4)


class Reading:
    """Reads the page of a number; gives the words that were found."""

    def __init__(self) -> None:
        self.extraction = Extraction()

    def prepare(self) -> None:
        """Loads what pages need, also what only some do: a model that is loaded late is no leak."""
        self.extraction.prepare()
        load_detector()
        shipped_weights(any_kind=True)

    def __call__(self, number: int) -> int:
        """How many words the articles of that page have."""
        outcome: tuple[Extracted, ...] | Unread = self.extraction(mutant(number))
        if isinstance(outcome, Unread):
            return 0
        return sum(each.article.word_count for each in outcome)


def mutant(number: int) -> Document:
    """The page of that number, always the same; the first time round all are whole."""
    pages = _files()
    rounds, place = divmod(number, len(pages) or len(_town_pages()))
    if not pages:
        body = _town_pages()[place]
    else:
        from gzip import decompress

        body = decompress(pages[place].read_bytes())
    if rounds:
        body = _changed(body, random.Random(number))
    return Document(name=str(number), place=number, body=body)


@cache
def _files() -> tuple[Path, ...]:
    """Names alone: the pages themselves would count as memory of ours."""
    found = sorted((FOLDER / "html").glob("*.html.gz"))
    return tuple(file for file in found if _size(file) <= LARGEST)


def _size(file: Path) -> int:
    """Of what a gzip file holds, which its last four bytes tell."""
    with file.open("rb") as opened:
        opened.seek(-4, os.SEEK_END)
        return int.from_bytes(opened.read(4), "little")


@cache
def _town_pages() -> tuple[bytes, ...]:
    from datetime import UTC, datetime

    from wireroom.town.pages import article_page
    from wireroom.town.press import PUBLISHERS
    from wireroom.town.world import build_town

    town = build_town(now=datetime(2026, 11, 14, 12, tzinfo=UTC))
    hosts = [publisher.host for publisher in PUBLISHERS if publisher.articles]
    return tuple(
        article_page(town, story).encode() for host in hosts for story in town.stories(host)
    )


def _changed(body: bytes, dice: random.Random) -> bytes:
    kind = dice.randrange(4)
    here, there = sorted(dice.randrange(len(body) + 1) for _ in range(2))
    if kind == CUT:
        return body[:there]
    if kind == DOUBLED:
        return body[:there] + body[here:there] + body[there:]
    if kind == DAMAGED:
        damaged = bytearray(body)
        for _ in range(BROKEN if body else 0):
            damaged[dice.randrange(len(body))] = dice.randrange(256)
        return bytes(damaged)
    return body
