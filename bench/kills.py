"""The kill matrix of the store: SIGKILL at random moments, then a look at what is left.

A killed writer must leave every batch it said was saved, at most one more, and each batch whole; no article twice, no
damage and no row that points nowhere. Ends with code 1 when an aim is missed. The tests have a short form of it, and
kill upgrades as well.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from cluster import own_postgres
from database_checks import damage, doubles
from figures import Figure, main
from programs.write import BATCH, made
from wireroom.store import open_store

HERE = Path(__file__).resolve().parent
LONGEST = 1.5  # seconds a victim lives
BETWEEN = 10_000  # articles between the first ones of two victims, so that they never meet


def measure(short: bool) -> Iterator[Figure]:
    """How many kills each database survived."""
    kills = 2 if short else 30
    with tempfile.TemporaryDirectory() as folder:
        yield from _matrix("SQLite", f"sqlite:///{folder}/wireroom.db", kills)
    with own_postgres() as url:
        if url is not None:
            yield from _matrix("PostgreSQL", url, kills)


def _matrix(name: str, url: str, kills: int) -> Iterator[Figure]:
    chance = random.Random(7)
    open_store(url).close()
    whole = sum(_survives(url, number * BETWEEN, chance) for number in range(kills))
    yield Figure(
        metric=f"{name}: writers killed, store whole",
        unit="kills",
        ours=whole,
        least=kills,
    )


def _survives(url: str, first: int, chance: random.Random) -> bool:
    """Kills a writer, and looks whether what it said is true."""
    count = _kill_writer(url, first, chance.uniform(0.3, LONGEST))
    store = open_store(url)
    try:
        wanted = [made(number) for number in range(first, first + count + 2 * BATCH)]
        held = [store.article(article.id) for article in wanted]
        harm = [*doubles(store), *damage(url)]
    finally:
        store.close()
    for found in harm:
        print(found, file=sys.stderr)
    there = sum(article is not None for article in held)
    same = all(
        got is None or got.text == article.text for got, article in zip(held, wanted, strict=True)
    )
    in_order = all(article is not None for article in held[:there])
    return not harm and same and in_order and there in {count, count + BATCH}


def _kill_writer(url: str, first: int, life: float) -> int:
    """Lets a writer live so long after its first batch; how much it said it had saved."""
    command = [sys.executable, str(HERE / "programs" / "write.py"), url, str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        if writer.stdout is None:
            raise SystemExit("the writer has no voice")
        count = int(writer.stdout.readline())
        time.sleep(life)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split("\n")
    whole = [int(line) for line in rest[:-1] if line]
    return whole[-1] if whole else count


if __name__ == "__main__":
    main("kills", measure, about=__doc__ or "")
