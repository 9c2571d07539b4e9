"""The boilerplate of publishers: in how many articles each block was, and what was learnt.

Most blocks belong to one article and never come back, so that a row for each would cost more than the
article. Of a publisher there is one row: the blocks met once of late, and the counts of those met again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from wireroom.model import Boilerplate
from wireroom.store import schema
from wireroom.store.packing import as_document, as_micros, from_document, from_micros
from wireroom.store.rows import Row, chunks, for_update, listed, upsert

KEPT_BLOCKS = 1000  # that came back, of one publisher: boilerplate has some hundreds
KEPT_ONCE = 500  # met once, of one publisher: what has not come back in some forty articles is none

_boilerplate, _tally = schema.boilerplate, schema.block_tally

_LEARNT = select(_boilerplate).where(_boilerplate.c.publisher == bindparam("of"))
_LOCK_LEARNT = for_update(
    select(_boilerplate.c.learnt_at).where(_boilerplate.c.publisher == bindparam("of"))
)
_COUNTED = select(_tally).where(_tally.c.publisher == bindparam("of"))
_LOCK = for_update(
    select(_tally).where(_tally.c.publisher.in_(listed("publishers"))).order_by(_tally.c.publisher)
)


@dataclass(slots=True)
class _BlockCount:
    """What was counted of one publisher."""

    articles: int
    once: list[str]
    """Blocks met once, oldest first."""
    often: dict[str, int]
    """In how many articles each other block was; the one met longest ago comes first."""

    def add(self, blocks: Mapping[str, int]) -> None:
        """Counts blocks that were in so many more articles."""
        once = dict.fromkeys(self.once, 1)
        for block, times in blocks.items():
            before = self.often.pop(block, 0) or once.pop(block, 0)
            (self.often if before + times > 1 else once)[block] = before + times
        self.once = list(once)[-KEPT_ONCE:]
        if len(self.often) > KEPT_BLOCKS:
            self.often = _commonest(self.often)

    def fade(self) -> None:
        """Halves all counts; what vanishes is dropped."""
        self.articles //= 2
        self.once = []
        self.often = {block: times // 2 for block, times in self.often.items() if times > 1}


def _commonest(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts without the rarest; of equally rare ones those met last stay."""
    latest_first = list(counts)[::-1]
    kept = set(sorted(latest_first, key=counts.__getitem__, reverse=True)[:KEPT_BLOCKS])
    return {block: times for block, times in counts.items() if block in kept}


def count_blocks(conn: Connection, articles: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Counts the blocks of new articles, each with its publisher; a block counts once an article."""
    pages: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {}
    for publisher, blocks in articles:
        pages[publisher] += 1
        counts.setdefault(publisher, Counter()).update(dict.fromkeys(blocks, 1))
    tallies = _tallies(conn, pages)
    for publisher, blocks in counts.items():
        tally = tallies.setdefault(publisher, _BlockCount(0, [], {}))
        tally.articles += pages[publisher]
        tally.add(blocks)
    _save_tallies(conn, tallies)


def find_boilerplate(conn: Connection, publisher: str) -> Boilerplate | None:
    """What was learnt last."""
    row = conn.execute(_LEARNT, {"of": publisher}).mappings().first()
    if row is None:
        return None
    return Boilerplate(
        publisher=publisher,
        pages=row["pages"],
        boilerplate=from_document(row["boilerplate"], tuple[str, ...]),
        learnt_at=from_micros(row["learnt_at"]),
    )


def find_counts(conn: Connection, publisher: str) -> tuple[int, Mapping[str, int]]:
    """Articles counted, and in how many of them each block was that was in several."""
    row = conn.execute(_COUNTED, {"of": publisher}).mappings().first()
    if row is None:
        return 0, {}
    often = from_document(row["often"], dict[str, int])
    return row["articles"], {block: times for block, times in often.items() if times > 1}


def save_boilerplate(conn: Connection, boilerplate: Boilerplate, *, fade: bool) -> None:
    """Keeps what was learnt, unless something newer is held; with `fade` counts are halved."""
    learnt_at = as_micros(boilerplate.learnt_at)
    before = conn.execute(_LOCK_LEARNT, {"of": boilerplate.publisher}).scalar()
    if before is not None and before >= learnt_at:
        return  # saved already, or learnt by somebody else since: nothing fades twice
    row = {
        "publisher": boilerplate.publisher,
        "pages": boilerplate.pages,
        "boilerplate": as_document(boilerplate.boilerplate),
        "learnt_at": learnt_at,
    }
    upsert(conn, _boilerplate, [row], keys=["publisher"])
    if fade:
        tallies = _tallies(conn, [boilerplate.publisher])
        for tally in tallies.values():
            tally.fade()
        _save_tallies(conn, tallies)


def _tallies(conn: Connection, publishers: Iterable[str]) -> dict[str, _BlockCount]:
    """What is held of these publishers; nobody else counts them until we are done."""
    found: dict[str, _BlockCount] = {}
    for part in chunks(sorted(publishers)):
        for row in conn.execute(_LOCK, {"publishers": part}):
            often = from_document(row.often, dict[str, int])
            found[row.publisher] = _BlockCount(row.articles, row.once.split(), often)
    return found


def _save_tallies(conn: Connection, tallies: Mapping[str, _BlockCount]) -> None:
    rows: list[Row] = [
        {
            "publisher": publisher,
            "articles": tallies[publisher].articles,
            "once": " ".join(tallies[publisher].once),
            "often": as_document(tallies[publisher].often),
        }
        for publisher in sorted(tallies)
    ]
    upsert(conn, _tally, rows, keys=["publisher"])
