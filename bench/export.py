"""Whether exporting stays small and quick: every format, and one export for a use, of a large store.

Each export runs in a process of its own, which says what it holds after a tenth of the articles and at
the end. Time is that of the processor. The peer is what reads a table of SQLite and writes JSON lines
today; it writes the columns as they stand, so it is rather a floor.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

from corpus import FIRST_AT, batches
from figures import Figure, main, resident_megabytes
from wireroom.app import open_app
from wireroom.model import (
    USES,
    Dossier,
    Evidence,
    Finding,
    Lead,
    Publisher,
    Reading,
    Receipt,
    Signal,
    Verdict,
)

ARTICLES, SHORT_ARTICLES = 200_000, 600
BATCH = 1_000
EARLY = 10  # the first look is after this part of the articles
NOW = FIRST_AT + timedelta(days=900)
FORMS = ("jsonl", "csv", "parquet", "atom", "schemaorg", "md")
CHILD = "--child"
PEER = "sqlite-utils"
RULES = (
    "".join(f"User-agent: bot-{number}\nDisallow: /\n\n" for number in range(40))
    + "User-agent: *\nContent-Signal: search=yes, ai-train=yes, ai-input=yes\n"
    + "".join(f"Disallow: /private-{number}/\n" for number in range(10))
)


def fill(database: str, count: int) -> None:
    """Articles with receipts, and publishers that speak."""
    publishers: set[str] = set()
    with open_app(database) as app:
        for batch in batches(count, BATCH):
            readings = [
                Reading(
                    lead=Lead(url=article.url, publisher=article.publisher, state="read"),
                    article=_with_receipt(article),
                )
                for article in batch
            ]
            app.store.save_readings(readings, now=NOW)
            publishers.update(article.publisher for article in batch)
        for domain in sorted(publishers):
            app.store.save_dossier(_dossier(domain))


def _with_receipt(article: Any) -> Any:
    from dataclasses import replace

    where = Evidence(url=f"https://{article.publisher}/robots.txt", line=3, excerpt="ai-train=yes")
    verdicts = tuple(
        Verdict(
            use=use,
            value="allow",
            because=(Signal(family="content_signal", use=use, value="allow", evidence=where),),
        )
        for use in USES
    )
    return replace(
        article, receipt=Receipt(verdicts=verdicts, robots="allowed", checked_at=FIRST_AT)
    )


def _dossier(domain: str) -> Dossier:
    url = f"https://{domain}/robots.txt"
    facts = {"url": url, "state": "found", "robots_state": "found", "text": RULES}
    found = Finding(step="robots", outcome="yes", facts=facts, found_at=NOW)
    publisher = Publisher(domain=domain, name=domain, home_url=f"https://{domain}/", added_at=NOW)
    return Dossier(publisher=publisher, findings=(found,), scouted_at=NOW)


def child(database: str, form: str, use: str, count: int, folder: str) -> dict[str, float]:
    """One export in this process."""
    from typing import cast

    from wireroom.model import Use

    early = 0.0
    late = 0.0

    def watch(done: int, _total: int) -> None:
        nonlocal early, late
        late = resident_megabytes()
        if not early and done >= count // EARLY:
            early = late

    with open_app(database) as app:
        begun = process_time()
        exported = app.export(
            Path(folder) / f"out-{form}{use}",
            form=form,
            use=cast(Use, use) if use else None,
            progress=watch,
        )
    return {
        "seconds": process_time() - begun,
        "count": exported.count,
        "early": early,
        "late": late,
    }


def peer(database: str) -> float | None:
    """Articles a second of the peer, by the processor."""
    if find_spec("sqlite_utils") is None:
        return None
    from sqlite_utils import Database

    begun, count = process_time(), 0
    with tempfile.TemporaryFile() as out:
        for row in Database(database.removeprefix("sqlite:///"))["article"].rows:
            out.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")
            count += 1
    return count / (process_time() - begun)


def measure(short: bool) -> Iterator[Figure]:
    """Every figure."""
    count = SHORT_ARTICLES if short else ARTICLES
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/bench.db"
        fill(database, count)
        for form in FORMS:
            floor = peer(database) if form == "jsonl" else None
            yield from _figures(form, _run(database, form, "", count, folder), count, floor)
        yield from _figures(
            "jsonl for ai-train", _run(database, "jsonl", "ai-train", count, folder), count
        )


def _run(database: str, form: str, use: str, count: int, folder: str) -> dict[str, float]:
    command = [sys.executable, __file__, CHILD, database, form, use, str(count), folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    if measured["count"] != count:
        raise SystemExit(f"{form}: {measured['count']:,.0f} of {count:,} articles were exported.")
    return measured


def _figures(
    what: str, measured: dict[str, float], count: int, floor: float | None = None
) -> Iterator[Figure]:
    yield Figure(
        metric=f"{what}: exported",
        unit="articles/CPU s",
        ours=count / measured["seconds"],
        peer=floor,
        peer_name=PEER if what == "jsonl" else "",
    )
    yield Figure(metric=f"{what}: resident at {count:,} articles", unit="MB", ours=measured["late"])
    yield Figure(
        metric=f"{what}: late to early",
        unit="times",
        ours=measured["late"] / measured["early"],
        aim="at most 1.15",
    )


if __name__ == "__main__":
    if CHILD in sys.argv:
        database, form, use, count, folder = sys.argv[2:]
        print(json.dumps(child(database, form, use, int(count), folder)))
    else:
        main("export", measure, about="Whether exporting stays small and quick.")
