"""A writer to be killed: saves batches of made-up articles and says each time what is saved.

Run by bench/kills.py: `python bench/programs/write.py DATABASE_URL FIRST`.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from itertools import count

from wireroom.model import Article, Lead, Reading
from wireroom.store import open_store
from wireroom.urls import article_id

BATCH = 20
PUBLISHER = "harbour.test"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


def made(number: int) -> Article:
    """Article number so and so, always the same."""
    url = f"http://{PUBLISHER}/{number}"
    return Article(
        id=article_id(PUBLISHER, url),
        publisher=PUBLISHER,
        url=url,
        title=f"Ship {number} came in",
        text=f"Ship number {number} came in with the tide. " * 60,
        text_hash=str(number),
        fetched_at=_AT + timedelta(seconds=number),
    )


def main() -> None:
    """Saves batches until somebody ends it."""
    url, first = sys.argv[1], int(sys.argv[2])
    store = open_store(url)
    for start in count(first, BATCH):
        batch = [made(number) for number in range(start, start + BATCH)]
        leads = [Lead(url=article.url, publisher=PUBLISHER, state="read") for article in batch]
        readings = [
            Reading(lead=lead, article=article) for lead, article in zip(leads, batch, strict=True)
        ]
        store.save_readings(readings, now=_AT)
        sys.stdout.write(f"{start + BATCH - first}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
