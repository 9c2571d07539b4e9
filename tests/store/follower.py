"""Follows until it is killed: saves, groups and takes away, batch after batch (`python -m tests.store.follower`)."""

from __future__ import annotations

import sys

from tests.holding import save_feeds
from tests.store.samples import NOW, article, feed, reading
from wireroom.model import Cluster, Observation, Reading, Signature
from wireroom.ports import Store
from wireroom.store import open_store

BATCH = 6


def outcome(number: int) -> Reading:
    """A reading with all that comes with it."""
    held = article(number, feed_url=feed().url)
    sign = Signature(article_id=held.id, bands=(number,), minhash=b"x", seen_at=NOW)
    observation = Observation(feed_url=feed().url, about="quality", value=1.0, at=NOW)
    return reading(
        held, signature=sign, blocks=("share", f"own-{number}"), observations=(observation,)
    )


def follow(store: Store, batch: int) -> None:
    """Saves one batch; groups two articles, removes a third."""
    numbers = range(batch * BATCH, (batch + 1) * BATCH)
    ids = [article(number).id for number in numbers]
    store.save_readings([outcome(number) for number in numbers], now=NOW)
    near_duplicates = Cluster(
        id=f"c{batch}", members=tuple(ids[:3]), canonicals={"en": ids[0]}, made_at=NOW
    )
    store.save_clusters([near_duplicates], clustered=ids)
    store.remove_articles([ids[1]], reason="asked for", now=NOW)


def main() -> None:
    """Goes on after the batches that were said to be done already."""
    store = open_store(sys.argv[1])
    save_feeds(store, [feed()], now=NOW)
    batch = int(sys.argv[2])
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    while True:
        follow(store, batch)
        batch += 1


if __name__ == "__main__":
    main()
