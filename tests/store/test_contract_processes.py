"""Two processes at one store: nothing lost, nothing twice, no host in two hands."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tests.holding import find_lead, save_feeds
from tests.store import worker
from tests.store.samples import COURIER, NOW, article, feed, lead
from wireroom.store import open_store


def test_the_same_things_saved_at_once_are_held_once(shared_url: str) -> None:
    worker.run_together(worker.save_everything, shared_url)
    store = open_store(shared_url)
    counts = store.counts()
    expected = {
        "publishers": 1,
        "dossiers": 1,
        "findings": 1,
        "feeds": worker.ROUNDS + 1,
        "items": worker.ROUNDS - 1,
        "articles": worker.ROUNDS - 1,
        "raw_pages": worker.ROUNDS - 1,
        "receipts": 1,
        "signatures": worker.ROUNDS,
        "clusters": 1,
    }
    assert {name: counts[name] for name in expected} == expected
    assert counts["leads"] == 2 * (worker.ROUNDS - 1)
    held = store.article(article(0).id)
    assert held is not None
    versions = store.versions(held.id)
    assert [article_version.version for article_version in versions] == list(range(1, held.version))
    assert held.text == f"Edit {worker.ROUNDS - 1}"
    # A text may come again, for both write at the same hour; but never as an edit of itself.
    texts = [version.text for version in versions] + [held.text]
    assert all(before != after for before, after in pairwise(texts))
    assert [version.fetched_at for version in versions] == sorted(
        version.fetched_at for version in versions
    )
    assert {article.id for article in store.articles("harbour")} >= {article(1).id, article(2).id}
    store.close()


def test_two_who_follow_and_take_away_at_once_agree(shared_url: str) -> None:
    worker.run_together(worker.follow_everything, shared_url)
    store = open_store(shared_url)
    held = {article.id: article for article in store.articles()}
    assert find_lead(store, COURIER, article(0).url) is not None
    numbers = [changed_article.number for changed_article in store.changed_articles()]
    assert numbers == sorted(set(numbers))
    assert {changed_article.article.id for changed_article in store.changed_articles()} == set(held)
    assert {article_id for _, article_id in store.removed_after()}.isdisjoint(held)
    left = [exported.article_id for exported in store.receipts.exported("cursor")]
    assert left == sorted(set(left))
    clusters = store.clusters_of(list(held))
    assert {article_id: cluster.id for article_id, cluster in clusters.items()} == {
        article.id: article.cluster_id for article in held.values() if article.cluster_id
    }
    assert all(article_id in cluster.members for article_id, cluster in clusters.items())
    assert len(store.observations(feed().url, limit=1000)) == 0
    counted, blocks = store.block_counts(COURIER)
    assert set(blocks) <= {"share"}
    assert counted >= blocks.get("share", 0)
    store.close()


def test_what_two_forget_at_once_is_forgotten_once(shared_url: str) -> None:
    done = worker.run_together(worker.forget_things, shared_url)
    store = open_store(shared_url)
    assert 1 <= sum(removed for removed, _ in done) <= 2 * worker.ROUNDS
    assert sum(dropped for _, dropped in done) == 2 * worker.ROUNDS
    store.remove_feed("https://courier.test/rss")
    store.remove_feed("https://courier.test/moved")
    counts = store.counts()
    assert (counts["feeds"], counts["items"], counts["raw_pages"]) == (0, 0, 0)
    assert counts["articles"] == 2 * worker.ROUNDS
    store.close()


def test_events_and_problems_of_all_are_kept_in_one_order(shared_url: str) -> None:
    given = worker.run_together(worker.log_things, shared_url)
    store = open_store(shared_url)
    total = 2 * 2 * 4 * worker.ROUNDS
    events = store.events(limit=10_000)
    assert [event.seq for event in events] == list(range(1, total + 1))
    assert sorted(given[0] + given[1]) == list(range(2, total + 1, 2))
    for number in ("0", "1"):
        ticks = [event.data["n"] for event in events if event.subject == number]
        assert ticks == sorted(ticks)
    assert len(store.problems(limit=10_000)) == total // 2
    store.close()


def test_each_lead_is_given_to_one_process_only(shared_url: str) -> None:
    store = open_store(shared_url)
    hosts = [f"h{number}.test" for number in range(12)]
    leads = [lead(number, host) for host in hosts for number in range(10)]
    store.save_leads(leads, now=NOW)
    done = worker.run_together(worker.work_through_leads, shared_url)
    given = Counter(url for part in done for url, _ in part)
    assert given == Counter(lead.url for lead in leads)
    served = [{url.split("/")[2] for url, _ in part} for part in done]
    assert not served[0] & served[1]
    assert store.counts()["articles"] == len(leads)
    assert store.leads(state="new") == ()
    store.close()


def test_no_host_is_held_by_two(shared_url: str) -> None:
    first, second = worker.run_together(worker.take_hosts, shared_url)
    assert not set(first) & set(second)
    assert len(first) + len(second) == 30


def test_released_work_is_done_once_all_the_same(shared_url: str) -> None:
    store = open_store(shared_url)
    urls = [f"https://h{number}.test/rss" for number in range(10)]
    urls += [f"https://{COURIER}/rss-{number}" for number in range(10)]
    save_feeds(store, [feed(url) for url in urls], now=NOW)
    done = worker.run_together(worker.take_and_release, shared_url)
    store.release(holder="process-0", now=NOW)
    rest = worker.take_and_release(store, 0)
    assert Counter(done[0] + done[1] + rest) == Counter(urls)
    store.close()


def test_a_store_made_by_two_at_once_is_made_once(shared_url: str) -> None:
    first, second = worker.run_together(worker.open_only, shared_url, processes=2)
    assert first == second
