"""Following on the town: what is new is found, read once, and kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from tests.app.run.world import HASTY, QUICK, add, open_loop, rss, run_once, save, texts, until
from tests.cli.inline import InlineEngine
from tests.holding import find_cluster, find_lead, save_feeds
from wireroom.app import App
from wireroom.app.cluster_round import LATE, recluster, uncluster
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop
from wireroom.app.run.counts import RunCounts
from wireroom.duplicates import ClusterOptions
from wireroom.errors import StoreError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Hints, Request, Response
from wireroom.ports import Fetch, StoreHealth
from wireroom.rights.policy import Policy
from wireroom.town import Running
from wireroom.urls import article_id


async def test_what_a_feed_brings_is_read_and_kept(town: Running, app: App) -> None:
    save(app, [rss("anzeiger.test")])
    counts = await run_once(app, town)
    assert counts.items["new"] == counts.articles["new"] == 20
    held = {article.url: article for article in app.store.articles()}
    for story in town.town.stories("anzeiger.test", limit=20):
        article = held[story.url]
        assert article.title == story.title
        assert article.publisher == "anzeiger.test"
        assert article.feed_url == "http://anzeiger.test/rss.xml"
        assert article.receipt is not None
        assert article.receipt.robots == "allowed"
        assert article.published_at == story.published_at


async def test_a_request_that_is_given_back_is_not_counted() -> None:
    counts, sent = RunCounts(), asyncio.Event()

    async def never(request: Request) -> Response:
        sent.set()
        return await asyncio.Future[Response]()

    asking = asyncio.create_task(
        _answer(counts.watched(never), Request(url="http://a.test/", purpose="read"))
    )
    await sent.wait()
    assert counts.requests == 1
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert counts.requests == 0


async def _answer(fetch: Fetch, request: Request) -> Response:
    return await fetch(request)


async def test_what_stands_whole_in_the_feed_is_read_from_it(town: Running, app: App) -> None:
    """Its page is asked once for what it says of rights, since its publisher allows something."""
    save(app, [rss("courier.test")])
    counts = await run_once(app, town)
    assert counts.articles["new"] == 20
    asked = [seen.path for seen in town.log]
    assert asked[:2] == ["/robots.txt", "/rss.xml"]
    pages = {
        story.url.partition(".test")[2] for story in town.town.stories("courier.test", limit=20)
    }
    assert sorted(asked[2:]) == sorted(pages)
    assert {article.sources["text"] for article in app.store.articles()} == {"feed content"}


@pytest.mark.long
async def test_each_page_is_asked_for_once(town: Running, app: App) -> None:
    save(app, [rss("anzeiger.test"), rss("phare.test", "feed/"), rss("phare.test", "feed/atom/")])
    await run_once(app, town)
    paths = [(seen.host, seen.path) for seen in town.log]
    assert len(paths) == len(set(paths))
    before = texts(app)
    town.forget()
    assert (await run_once(app, town)).requests == 0  # nothing is due yet
    assert texts(app) == before


@pytest.mark.long
async def test_later_only_what_is_new_is_read(town: Running, app: App) -> None:
    save(app, [rss("courier.test")])
    await run_once(app, town)
    town.forget()
    town.town.clock.advance(timedelta(days=1))
    counts = await run_once(app, town)
    assert 0 < counts.articles["new"] < 20
    asked = next(seen for seen in town.log if seen.path == "/rss.xml")
    assert "If-None-Match" in asked.headers or "If-Modified-Since" in asked.headers


@pytest.mark.long
async def test_a_feed_that_has_not_changed_costs_one_question(town: Running, app: App) -> None:
    save(app, [rss("almanac.test", "index.xml")])
    await run_once(app, town)
    town.forget()
    town.town.clock.advance(timedelta(days=2))
    counts = await run_once(app, town)
    assert counts.polls == {"same": 1}
    assert [seen.path for seen in town.log] == ["/robots.txt", "/index.xml"]


@pytest.mark.long
async def test_a_publisher_is_scouted_before_it_is_read(town: Running, app: App) -> None:
    save(app, [rss("toll.test")])
    counts = await run_once(app, town, replace(QUICK, scout=True))
    assert counts.scouted == 1
    assert counts.requests > 30  # the feed, its 20 pages, and those of the visit
    dossier = app.store.dossier("toll.test")
    assert dossier is not None


@pytest.mark.long
async def test_what_the_policy_forbids_is_not_fetched(town: Running, app: App) -> None:
    await add(app, town, "toll.test")
    policy = Policy(uses=("archive",), fetch_on=("allow",))
    town.forget()
    counts = await run_once(app, town, replace(QUICK, policy=policy))
    assert counts.leads["refused"] > 0
    assert not counts.articles
    assert [seen.path for seen in town.log] == ["/robots.txt", "/rss.xml"]
    lead = app.store.leads(state="refused")[0]
    assert lead.reason.startswith("rights: archive: deny")


@pytest.mark.long
async def test_stopping_gives_back_what_is_in_flight(town: Running, app: App) -> None:
    save(app, [rss("courier.test"), rss("anzeiger.test"), rss("phare.test", "feed/")])
    async with open_loop(app, town, workers=1) as loop:
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.counts.articles.total() > 0)
        loop.stop()
        await asyncio.wait_for(running, 10)
    await run_once(app, town)
    assert {lead.state for lead in app.store.leads()} == {"read"}
    assert len(texts(app)) == len(app.store.leads())


@pytest.mark.long
async def test_a_daemon_finds_what_another_process_has_added(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.run.due_queue.IDLE", 0.1)
    async with open_loop(app, town) as loop:
        running = asyncio.create_task(loop.run())
        await asyncio.sleep(0.2)
        save(app, [rss("courier.test")])
        await until(lambda: loop.counts.articles["new"] >= 20)
        loop.stop()
        await asyncio.wait_for(running, 10)
    assert len(texts(app)) == 20


@pytest.mark.long
async def test_a_daemon_takes_hosts_that_another_run_gives_back_before_its_lease_ends(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.app.run.due_queue.IDLE", 3600.0)
    save(app, [rss("courier.test")])
    lease = timedelta(minutes=30)
    assert app.store.take_feeds(holder="elsewhere", now=app.clock(), limit=9, lease=lease)
    async with open_loop(app, town) as loop:
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.next_at is not None)  # it sleeps until the lease ends
        app.store.release(holder="elsewhere", now=app.clock())
        await until(lambda: loop.counts.articles["new"] >= 20)
        loop.stop()
        await asyncio.wait_for(running, 10)


@pytest.mark.long
async def test_a_page_that_its_publisher_edits_gets_a_new_version(town: Running, app: App) -> None:
    save(app, [rss("courier.test")])
    counts = await run_once(app, town)
    for _ in range(20):
        if counts.articles["changed"]:
            break
        town.town.clock.advance(timedelta(hours=6))
        counts = await run_once(app, town)
    edited = [article for article in app.store.articles() if article.version > 1]
    assert len(edited) == counts.articles["changed"] > 0
    (before,) = app.store.versions(edited[0].id)
    assert before.version == 1
    assert before.text_hash != edited[0].text_hash


@pytest.mark.long
async def test_a_page_that_its_publisher_takes_back_is_marked_as_withdrawn(
    town: Running, app: App
) -> None:
    """Found out where the page is asked for again: here because the operator wants to know."""
    from_pages = Hints(metadata_selectors={"heading": "h1"})
    save(app, [rss("courier.test", hints=from_pages)])
    taken_back: list[str] = []
    for _ in range(20):
        town.town.clock.advance(timedelta(hours=12))
        await run_once(app, town)
        stories = (town.town.story(article.url) for article in app.store.articles())
        taken_back = [story.url for story in stories if story is not None and story.withdrawn]
        if taken_back:
            break
    assert app.store.retry_leads(now=app.clock(), url=taken_back[0]) == 1
    counts = await run_once(app, town)
    assert counts.problems["gone"] == 1
    lead = find_lead(app.store, "courier.test", taken_back[0])
    assert lead is not None
    assert (lead.state, lead.cause) == ("failed", "withdrawn")
    held = app.store.article(article_id("courier.test", taken_back[0]))
    assert held is not None
    assert held.state == "withdrawn"
    assert held.text  # what it said is kept: whoever quotes it can look


async def test_syndicated_copies_are_clustered(town: Running, app: App) -> None:
    await add(app, town, "courier.test", "digest.test")
    await run_once(app, town)
    clusters = {article.cluster_id for article in app.store.articles() if article.cluster_id}
    assert clusters
    cluster = find_cluster(app.store, clusters.pop())
    assert cluster is not None
    assert len(cluster.members) >= 2
    copied = [
        reason for reason in reasons(app, "digest.test") if reason.startswith("a near-duplicate of")
    ]
    assert copied[0].startswith("a near-duplicate of http://courier.test/")
    assert not any(
        reason.startswith("a near-duplicate of") for reason in reasons(app, "courier.test")
    )


@pytest.mark.long
async def test_a_feed_may_have_its_own_idea_of_copies(town: Running, app: App) -> None:
    """A reprint with edits is none where nothing but the very same text counts."""
    await add(app, town, "courier.test", "digest.test")
    strict = Hints(cluster_threshold=1.0, cluster_window=timedelta(days=60))
    own = [replace(feed, hints=strict) for feed in app.store.feeds()]
    save_feeds(app.store, own, now=app.clock())
    await run_once(app, town)
    clusters = app.store.clusters_of([article.id for article in app.store.articles()])
    held = {article.id: article for article in app.store.articles()}
    for cluster in clusters.values():
        assert len({held[member].text_hash for member in cluster.members}) == 1
    town.town.clock.advance(ClusterOptions().window + 2 * LATE)
    signed = app.store.counts()["signatures"]
    for feed in app.store.feeds():
        save_feeds(app.store, [replace(feed, state="paused")], now=app.clock())
    await run_once(app, town)
    assert app.store.counts()["signatures"] == signed  # one of theirs may still look back so far


def reasons(app: App, publisher: str) -> list[str]:
    """Why feeds of the publisher got their marks."""
    own = [feed.url for feed in app.store.feeds() if feed.publisher == publisher]
    return [mark.reason for url in own for mark in app.store.observations(url, limit=99)]


@pytest.mark.long
async def test_an_article_that_is_no_copy_stands_alone_until_that_is_taken_back(
    town: Running, app: App
) -> None:
    await add(app, town, "courier.test", "digest.test")
    await run_once(app, town)
    copy = next(article for article in app.store.articles() if article.cluster_id)
    before = find_cluster(app.store, copy.cluster_id)
    assert uncluster(app, copy) == before
    held = app.store.article(copy.id)
    assert held is not None
    assert held.cluster_id == ""
    await run_once(app, town)
    assert app.store.clusters_of([copy.id]) == {}
    assert uncluster(app, copy) is None
    assert recluster(app, copy)
    await run_once(app, town)
    again = app.store.clusters_of([copy.id])[copy.id]
    assert before is not None
    assert set(again.members) == set(before.members)


@pytest.mark.long
async def test_whoever_clusters_lets_go_for_others(town: Running, app: App) -> None:
    await add(app, town, "courier.test", "digest.test")
    async with open_loop(app, town) as loop:
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.counts.clusters.total() > 0 and not app.store.unclustered(limit=1))
        copy = next(article for article in app.store.articles() if article.cluster_id)
        assert await asyncio.to_thread(uncluster, app, copy) is not None
        loop.stop()
        await asyncio.wait_for(running, 10)
    assert app.store.clusters_of([copy.id]) == {}


@pytest.mark.long
async def test_signatures_past_the_window_are_forgotten(town: Running, app: App) -> None:
    save(app, [rss("courier.test")])
    await run_once(app, town)
    assert app.store.counts()["signatures"] == 20
    (feed,) = app.store.feeds()
    save_feeds(app.store, [replace(feed, state="paused")], now=app.clock())
    town.town.clock.advance(ClusterOptions().window)
    await run_once(app, town)
    assert app.store.counts()["signatures"] == 20  # somebody may have waited for a turn
    town.town.clock.advance(LATE + timedelta(seconds=1))
    await run_once(app, town)
    assert app.store.counts()["signatures"] == 0
    assert app.store.counts()["articles"] == 20


@pytest.mark.long
async def test_a_publisher_that_is_due_is_scouted_again(town: Running, app: App) -> None:
    await add(app, town, "anzeiger.test")
    first = app.store.dossier("anzeiger.test")
    assert first is not None
    town.town.clock.advance(timedelta(days=8))
    async with open_loop(app, town, replace(QUICK, scout=True)) as loop:
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.counts.scouted == 1)
        loop.stop()
        await asyncio.wait_for(running, 10)
    again = app.store.dossier("anzeiger.test")
    assert again is not None
    assert again.scouted_at > first.scouted_at
    publisher = app.store.publisher("anzeiger.test")
    assert publisher is not None
    assert publisher.scout_after == app.clock() + timedelta(days=7)


@pytest.mark.long
async def test_a_single_run_scouts_publishers_that_are_due_as_well(town: Running, app: App) -> None:
    await add(app, town, "toll.test")
    await run_once(app, town)
    first = app.store.dossier("toll.test")
    (feed,) = app.store.feeds()
    town.town.clock.advance(timedelta(days=8))
    save(app, [replace(feed, poll_after=app.clock() + timedelta(days=1))])
    counts = await run_once(app, town, replace(QUICK, scout=True))
    again = app.store.dossier("toll.test")
    assert first is not None
    assert again is not None
    assert (counts.scouted, again.scouted_at > first.scouted_at) == (1, True)


@pytest.mark.parametrize("rests", [True, False])
async def test_a_scout_waits_for_who_has_the_host_and_not_for_a_long_rest(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch, rests: bool
) -> None:
    monkeypatch.setattr("wireroom.app.run.due_queue.SCOUT_WITHIN", timedelta(seconds=0.3))
    save(app, [rss("faro.test")])
    app.store.take_host("faro.test", holder="run-2", now=app.clock(), lease=timedelta(minutes=5))
    if rests:
        app.store.release(holder="run-2", now=app.clock(), rest=timedelta(minutes=40))
    await run_once(app, town, replace(QUICK, scout=True))
    (publisher,) = app.store.publishers()
    assert publisher.scout_after is not None
    wait = publisher.scout_after - app.clock()
    assert (
        wait < timedelta(minutes=41)
    ) is rests  # else in an hour, as after any visit that failed


@pytest.mark.long
async def test_raw_pages_go_when_their_time_is_over(town: Running, app: App) -> None:
    save(app, [rss("anzeiger.test")])
    await run_once(app, town, replace(QUICK, keep_raw=True))
    assert app.store.counts()["raw_pages"] == 20
    held = next(iter(app.store.articles()))
    raw = app.store.raw(held.id)
    assert raw is not None
    assert held.title.encode() in raw.body
    assert raw.content_type.startswith("text/html")
    (feed,) = app.store.feeds()
    town.town.clock.advance(timedelta(days=8))
    save(app, [replace(feed, poll_after=app.clock() + timedelta(days=1))])
    await run_once(app, town)
    assert app.store.counts()["raw_pages"] == 0


async def test_a_run_ends_although_the_store_is_away(
    town: Running, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(**_what: object) -> None:
        raise StoreError("The server is away.")

    monkeypatch.setattr("wireroom.app.run.due_queue.IDLE", 0.1)
    async with open_loop(app, town) as loop:
        running = asyncio.create_task(loop.run())
        await until(lambda: loop.next_at is None and loop.counts.polls.total() == 0)
        monkeypatch.setattr(app.store, "take_feeds", away)
        monkeypatch.setattr(app.store, "health", lambda: StoreHealth(state="paused"))
        await until(lambda: loop.counts.paused != "")
        assert loop.counts.paused == "The server is away."
        loop.stop()
        counts = await asyncio.wait_for(running, 10)
    assert not counts.polls


@pytest.mark.long
async def test_the_strategy_that_worked_is_remembered(town: Running, app: App) -> None:
    """Another process begins with it: it stands in the store."""
    asked: list[tuple[str, ...]] = []

    async with Fetcher(FetchOptions(hosts=town.hosts, manners=HASTY)) as fetch:

        async def second(request: Request) -> Response:
            asked.append(request.strategies)
            return replace(await fetch(replace(request, strategies=())), strategy="second")

        options = replace(QUICK, strategies=("plain", "second"))
        save(app, [rss("anzeiger.test")])
        await RunLoop(app, Network(fetch=second), InlineEngine(), options).run(once=True)
        publisher = app.store.publisher("anzeiger.test")
        assert publisher is not None
        assert publisher.strategy == "second"
        asked.clear()
        town.town.clock.advance(timedelta(days=2))
        await RunLoop(app, Network(fetch=second), InlineEngine(), options).run(once=True)
    assert set(asked) == {("second", "plain")}


async def test_a_feed_in_reserve_is_asked_only_when_no_other_of_its_region_answers(
    town: Running, app: App
) -> None:
    first = rss("anzeiger.test", region="coast")
    reserve = rss("courier.test", region="Coast", role="fallback")
    save(app, [first, reserve])
    counts = await run_once(app, town)
    assert (counts.polls["spared"], counts.polls["items"]) == (1, 1)
    assert town.log.count("courier.test") == 0
    held = app.store.feed(reserve.url)
    assert held is not None
    assert held.standing.because == f"it is in reserve while {first.url} answers"
    assert held.poll_after is not None

    broken = app.store.feed(first.url)
    assert broken is not None
    later = app.clock() + timedelta(hours=1)
    save(app, [replace(broken, failures=1, poll_after=later), replace(held, poll_after=None)])
    counts = await run_once(app, town)
    assert counts.polls == {"items": 1}
    assert {article.publisher for article in app.store.articles()} == {
        "anzeiger.test",
        "courier.test",
    }


async def test_a_feed_in_reserve_waits_for_the_one_that_is_just_being_asked(
    town: Running, app: App
) -> None:
    broken = rss("trouble.test", "status?code=503", region="coast", name="Main")
    save(app, [broken, rss("courier.test", region="coast", role="fallback")])
    counts = await run_once(app, town)
    assert counts.polls == {"failed": 1, "items": 1}
    assert {article.publisher for article in app.store.articles()} == {"courier.test"}


async def test_a_run_that_is_to_end_does_not_wait_for_feeds_that_it_has_asked(
    town: Running, app: App
) -> None:
    save(app, [rss("anzeiger.test", interval=timedelta(minutes=1))])
    patient = replace(
        QUICK, patience=timedelta(hours=4)
    )  # longer than the hours that its feed leaves out
    counts = await run_once(app, town, patient)
    assert counts.polls == {"items": 1}
    due = app.store.next_due()
    assert due is not None
    assert due < app.clock() + patient.patience


async def test_a_page_that_is_asked_for_anew_is_fetched_though_the_feed_held_it_whole(
    town: Running, app: App
) -> None:
    save(app, [rss("courier.test")])
    await run_once(app, town)
    url = next(iter(app.store.articles())).url
    town.forget()
    assert app.store.retry_leads(now=app.clock(), url=url) == 1
    counts = await run_once(app, town)
    assert counts.articles.total() == 1
    assert len(town.log.requests_to("courier.test", urlsplit(url).path)) == 1
