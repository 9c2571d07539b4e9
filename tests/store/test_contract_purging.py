"""What every store promises about purging: what is gone is gone everywhere, the rest stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.holding import find_cluster, find_lead, near_duplicates, save_feeds, save_polled
from tests.store.samples import (
    COURIER,
    DAY,
    HOUR,
    LEASE,
    MINUTE,
    NOW,
    article,
    feed,
    item,
    lead,
    polled,
    reading,
    receipt,
    save,
)
from wireroom.model import Article, Cluster, Item, RawPage, Reading, Signature
from wireroom.ports import Removed, Store, StoreOptions
from wireroom.store import open_store
from wireroom.store.sql_store import SqlStore

RSS = "https://courier.test/rss"
OFTEN = "The harbour master said so, word for word."


def whole_item(number: int) -> Item:
    """What the feed said of the article, which is all of it."""
    extra = {"media": [{"description": OFTEN * 9, "width": 640}], "rsl": [OFTEN * 9]}
    return item(number, content_html=f"<p>{OFTEN}</p>", summary=OFTEN, extra=extra)


def full(number: int, **changes: Any) -> Reading:
    """A reading of an article with all that can hang on one."""
    page = RawPage(body=OFTEN.encode(), content_type="text/html")
    held = article(number, **{"text": OFTEN, "raw": page, "feed_url": RSS, **changes})
    sign = Signature(article_id=held.id, bands=(1, number), minhash=b"m", seen_at=NOW)
    done = lead(number, state="read", attempts=1, item=whole_item(number))
    return Reading(lead=done, article=held, signature=sign)


def fill(store: Store) -> list[Article]:
    """Three articles in one cluster, each once edited, each with its page."""
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed(), polled([whole_item(n) for n in range(3)]), now=NOW)
    store.save_readings([full(n, text=f"{OFTEN} At first.") for n in range(3)], now=NOW)
    later = NOW + HOUR
    store.save_readings([full(n, fetched_at=later) for n in range(3)], now=NOW)
    held = [store.article(article(n).id) for n in range(3)]
    ids = tuple(article.id for article in held if article is not None)
    store.save_clusters(
        [Cluster(id="c", members=ids, canonicals={"en": ids[0]}, made_at=NOW)], clustered=ids
    )
    return list(store.articles(ids=ids))


def trace(store: Store, number: int) -> list[str]:
    """Every place at which the text of the article can still be read or found."""
    article_id = article(number).id
    held = find_lead(store, COURIER, article(number).url)
    found = held.item if held else None
    sources = {
        "article": article_id
        in {article.id for article in store.articles() if OFTEN in article.text},
        "versions": bool(store.versions(article_id)),
        "raw": store.raw(article_id) is not None,
        "search": article_id in {article.id for article in store.search("word").articles},
        "twins": article_id
        in {
            near_duplicate.article_id
            for near_duplicate in near_duplicates(store, (1,), since=NOW - DAY)
        },
        "cluster": article_id in store.clusters_of([article_id]),
        "item": found is not None and OFTEN in found.summary + found.content_html,
        "extras": found is not None and OFTEN in str(found.extra.get("media")),
    }
    return [name for name, is_there in sources.items() if is_there]


ALL = ["article", "versions", "raw", "search", "twins", "cluster", "item", "extras"]


def test_a_reduced_article_leaves_nothing_of_its_text(store: Store) -> None:
    held = fill(store)
    assert trace(store, 1) == ALL
    short = replace(
        held[1],
        text="",
        text_hash="",
        description="",
        word_count=0,
        receipt=receipt(robots="disallowed"),
    )
    done = store.reduce_articles([short, article(77)], now=NOW)
    assert done == Removed(articles=1, versions=1, raw_pages=1)
    assert trace(store, 1) == []
    assert trace(store, 0) == trace(store, 2) == ALL
    assert store.article(short.id) == replace(short, cluster_id="")
    assert store.article(article(77).id) is None
    lead_now = find_lead(store, COURIER, short.url)
    assert lead_now is not None
    assert lead_now.state == "read"
    assert [article.id for article in store.search("story").articles] == [
        article.id for article in held
    ]


def test_a_removed_article_leaves_a_lead_that_is_never_read(store: Store) -> None:
    held = fill(store)
    done = store.remove_articles([held[1].id, "unheard of"], reason="rights changed", now=NOW)
    assert done == Removed(articles=1, versions=1, raw_pages=1)
    assert trace(store, 1) == []
    assert store.article(held[1].id) is None
    assert trace(store, 0) == trace(store, 2) == ALL
    refused = find_lead(store, COURIER, held[1].url)
    assert refused is not None
    assert (refused.state, refused.cause) == ("refused", "purged")
    assert refused.reason == "purged: rights changed"
    save_polled(store, feed(), polled([whole_item(1)]), now=NOW)
    edited = replace(whole_item(1), title="Another headline")
    save_polled(store, feed(), polled([edited]), now=NOW)
    assert store.retry_leads(now=NOW, refused=True) == 0
    assert store.take_leads(holder="app", now=NOW + DAY, limit=9, lease=LEASE) == ()
    assert store.remove_articles([held[1].id], reason="again", now=NOW) == Removed()
    assert store.retry_leads(now=NOW, url=held[1].url) == 1


def test_a_cluster_of_one_is_dissolved(store: Store) -> None:
    held = fill(store)
    store.remove_articles([held[1].id], reason="asked for", now=NOW)
    left = find_cluster(store, "c")
    assert left is not None
    assert left.members == (held[0].id, held[2].id)
    store.reduce_articles([replace(held[0], text="")], now=NOW)
    assert find_cluster(store, "c") is None
    assert next(store.articles(ids=[held[2].id])).cluster_id == ""
    assert store.feed_tallies([RSS])[RSS].duplicates == 0


def test_who_stood_for_the_others_is_chosen_anew(store: Store) -> None:
    held = fill(store)
    store.remove_articles([held[0].id], reason="asked for", now=NOW)
    left = find_cluster(store, "c")
    assert left is not None
    assert (left.members, left.canonicals) == ((held[1].id, held[2].id), {})
    assert [signature.article_id for signature in store.unclustered(limit=9)] == [
        held[1].id,
        held[2].id,
    ]


def test_a_lead_in_flight_is_taken_back(store: Store) -> None:
    held = fill(store)
    changed = replace(item(1), title="Edited")
    save_polled(store, feed(), polled([changed]), now=NOW)
    assert len(store.take_leads(holder="app", now=NOW, limit=9, lease=LEASE)) == 1
    store.remove_articles([held[1].id], reason="asked for", now=NOW)
    later = NOW + timedelta(days=2)
    assert store.take_leads(holder="other", now=later, limit=9, lease=LEASE) == ()


def test_an_article_that_went_by_several_names_goes_with_them(store: Store) -> None:
    canonical = "https://courier.test/canonical"
    save(store, article(1, canonical_url=canonical))
    store.remove_articles([article(1).id], reason="asked for", now=NOW)
    other = article(2, url=canonical, title="Story 1")
    (saved,) = store.save_readings([reading(other)], now=NOW)
    assert (saved.article_id, saved.outcome) == (other.id, "new")


@pytest.mark.long
def test_hundreds_are_removed_at_once_from_search_too(store: Store) -> None:
    total = 600
    save(store, *(article(n, published_at=NOW - n * MINUTE) for n in range(total)))
    ids = [article(n).id for n in range(total)]
    store.save_clusters(
        [
            Cluster(id=f"c{n}", members=(ids[n], ids[total - 1 - n]), made_at=NOW)
            for n in range(total // 2)
        ]
    )
    done = store.remove_articles(ids[1:], reason="asked for", now=NOW)
    assert done.articles == total - 1
    assert [article.id for article in store.articles("harbour")] == ids[:1]
    assert len(list(store.removed_after())) == total - 1
    assert [changed_article.article.id for changed_article in store.changed_articles()] == ids[:1]
    assert store.counts()["clusters"] == 0


def test_articles_stay_when_their_feed_is_removed(store: Store) -> None:
    held = fill(store)
    store.remove_feed(RSS)
    assert list(store.articles(ids=[article.id for article in held])) == held


def test_raw_pages_are_dropped_by_age_by_feed_and_altogether(store: Store) -> None:
    def page(number: int, **changes: Any) -> Article:
        return article(number, raw=RawPage(body=b"page"), **changes)

    other = "https://courier.test/other"
    save_feeds(store, [feed()], now=NOW)
    save_polled(store, feed("https://courier.test/moved"), polled([]), now=NOW)
    moved = "https://courier.test/moved"
    save(
        store,
        page(1, feed_url=RSS, fetched_at=NOW - DAY),
        page(2, feed_url=moved),
        page(3, feed_url=other),
        page(4, feed_url=other, fetched_at=NOW - DAY),
    )
    assert store.drop_raw_pages(before=NOW - HOUR, feed_url=other, dry_run=True) == 1
    assert store.drop_raw_pages(feed_url=moved, dry_run=True) == 2
    assert store.counts()["raw_pages"] == 4
    assert store.drop_raw_pages(feed_url=moved) == 2
    assert store.drop_raw_pages(before=NOW - HOUR) == 1
    assert store.raw(article(3).id) is not None
    assert store.drop_raw_pages() == 1
    assert store.counts()["raw_pages"] == 0
    assert store.counts()["articles"] == 4


@pytest.mark.long
def test_a_copy_of_the_store_holds_all_of_it(store: Store, tmp_path: Path) -> None:
    held = fill(store)
    store.save_readings([reading(article(9), blocks=("share",))], now=NOW)
    store.save_readings([reading(article(8), blocks=("share",))], now=NOW)
    save_polled(store, feed("https://courier.test/moved"), polled([]), now=NOW)
    store.save_clusters([], uncluster=[held[2].id])
    store.remove_articles([held[1].id], reason="asked for", now=NOW)
    copy = tmp_path / "copy.db"
    store.backup(copy)
    again = open_store("sqlite://", StoreOptions())
    opened = open_store(f"sqlite:///{copy}")
    assert isinstance(again, SqlStore)
    assert isinstance(opened, SqlStore)
    again.fill_from(opened)
    for other in (opened, again):
        assert list(other.changed_articles()) == list(store.changed_articles())
        assert list(other.removed_after()) == list(store.removed_after())
        assert other.unclustered(limit=9) == store.unclustered(limit=9)
        assert other.block_counts(COURIER) == store.block_counts(COURIER) == (2, {"share": 2})
        moved = ["https://courier.test/moved"]
        assert other.feed_tallies(moved) == store.feed_tallies(moved)
        save(other, article(70))
        numbers = [changed_article.number for changed_article in other.changed_articles()]
        assert numbers == sorted(set(numbers))
        other.close()
