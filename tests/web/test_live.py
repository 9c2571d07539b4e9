"""Live pages: what happens is shown, to whoever comes late and to whoever comes back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from itertools import islice
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.cli.inline import use_inline_engine
from tests.scout.instant_loop import run_at_once
from tests.web.serving import Pages, serving
from wireroom.app import App
from wireroom.app.event_log import COUNTS_SAVED
from wireroom.app.feed_actions import poll_now
from wireroom.app.feeds import FollowedFeeds
from wireroom.errors import StoreError
from wireroom.model import Event
from wireroom.ports import Fragment
from wireroom.web.guards import known_names
from wireroom.web.live_events import (
    AT_ONCE,
    BEHIND,
    KEPT,
    LONGEST,
    MAX_PER_CLIENT,
    EventTailer,
    needed,
)
from wireroom.web.web_server import ServerOptions, make_web


@dataclass(frozen=True)
class Change:
    kind: str
    id: int
    html: str


def changes(pages: Pages, path: str, *, last_id: str = "") -> Iterator[Change]:
    """The changes of a stream as they come, until it ends or says that it is the last."""
    place = urlsplit(pages.url)
    connection = HTTPConnection(place.hostname or "", place.port or 0, timeout=60)
    try:
        connection.request("GET", path, headers={"Last-Event-ID": last_id} if last_id else {})
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.getheader("content-type", "").startswith("text/event-stream")
        fields: dict[str, list[str]] = {}
        for raw in answer:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name:
                fields.setdefault(name, []).append(value)
                continue
            if "event" in fields:
                kind = fields["event"][0]
                yield Change(kind, int(fields["id"][0]), "\n".join(fields.get("data", [])))
                if kind == "last":
                    return
            fields = {}
    finally:
        connection.close()


def test_a_scout_is_shown_step_by_step_and_replayed(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    assert pages.post("/", address="phare.test").status == 303
    seen = list(changes(pages, f"/live/publisher/phare.test?after={before}"))
    assert seen[-1].kind == "last"
    assert any('id="step-robots"' in change.html and "under way" in change.html for change in seen)
    assert [change.id for change in seen] == sorted({change.id for change in seen})
    # Whoever comes when all is over, or comes back, is given what it has not seen.
    late = list(changes(pages, f"/live/publisher/phare.test?after={before}"))
    assert [change.id for change in late] == [change.id for change in seen]
    middle = seen[len(seen) // 2].id
    again = list(changes(pages, "/live/publisher/phare.test", last_id=str(middle)))
    assert [change.id for change in again] == [each.id for each in seen if each.id > middle]


def test_the_page_of_a_scout_under_way_and_after_it(pages: Pages) -> None:
    pages.post("/", address="phare.test")
    page = pages.ask("/publishers/phare.test").text
    assert '<ul class="steps" aria-live="polite" data-live="/live/publisher/phare.test"' in page
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page
    list(changes(pages, "/live/publisher/phare.test"))
    page = pages.ask("/publishers/phare.test").text
    assert "data-live" not in page
    assert "All together" in page


def test_a_scout_that_fails_says_why(pages: Pages) -> None:
    pages.post("/", address="nobody.invalid")
    list(changes(pages, "/live/publisher/nobody.invalid"))
    page = pages.ask("/publishers/nobody.invalid").text
    assert 'class="problem"' in page


@pytest.mark.parametrize(
    "path",
    [
        "/live/nowhere/x",
        "/live/docs/x",
        "/live/publisher/nobody.test",
        "/live/lists/no-such-list",
        "/live/feed/http%3A%2F%2Fnobody.test%2Frss",
        "/live/run/x",
        "/live/start/",
    ],
)
def test_what_does_not_live_or_is_not_known_has_no_stream(pages: Pages, path: str) -> None:
    assert pages.ask(path).status == 404


def test_one_reader_has_so_many_streams(pages: Pages) -> None:
    place = urlsplit(pages.url)
    held = []
    for _ in range(MAX_PER_CLIENT):
        connection = HTTPConnection(place.hostname or "", place.port or 0, timeout=60)
        connection.request("GET", "/live/publisher/alminaa.test")
        assert connection.getresponse().status == 200
        held.append(connection)
    assert pages.ask("/live/publisher/alminaa.test").status == 429
    for connection in held:
        connection.close()


def test_a_stream_ends_by_itself(
    pages: Pages, web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.live_events.LONGEST", 0.05)
    after = web_app.last_event_number()
    assert list(changes(pages, f"/live/publisher/alminaa.test?after={after}")) == []


def heard_of(app: App, path: str) -> list[tuple[float, str]]:
    """What a stream says until it ends, and when, by the clock of its loop, which takes no time."""
    names = known_names("127.0.0.1", ())
    web = make_web(app, ServerOptions(names=names))
    heard: list[tuple[float, str]] = []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": f"after={app.last_event_number()}".encode(),
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }

    async def ask() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()  # nobody goes away
            raise AssertionError

        async def send(message: Any) -> None:
            at = asyncio.get_running_loop().time()
            if message["type"] == "http.response.start":
                assert message["status"] == 200
            elif message["body"]:
                heard.append((at, message["body"].decode()))
            elif not message.get("more_body"):
                heard.append((at, "end"))

        await web(scope, receive, send)

    run_at_once(ask())
    return heard


def test_a_quiet_stream_says_every_15_seconds_that_it_lives_and_ends_after_10_minutes(
    shared_app: App,
) -> None:
    first, *pings, (ended_at, last) = heard_of(shared_app, "/live/publisher/alminaa.test")
    assert first == (0.0, ": live\nretry: 2000\n\n")
    assert {text for _, text in pings} == {": ping\n\n"}
    assert [at for at, _ in pings if at < LONGEST] == [15.0 * number for number in range(1, 40)]
    assert (ended_at, last, LONGEST) == (600.0, "end", 600.0)


def test_who_comes_back_is_given_what_came_since_however_far_behind(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory holds the newest events alone; who is further behind reads the rest from the store, and none is dropped."""
    monkeypatch.setattr("wireroom.web.live_events.KEPT", 3)
    monkeypatch.setattr("wireroom.web.live_events.AT_ONCE", 4)
    before = web_app.last_event_number()
    for number in range(10):
        web_app.note("step_completed", "alminaa.test", step=f"s{number}")
    web_app.note("job_done", "alminaa.test", job="scout")
    path = "/live/publisher/alminaa.test"
    with serving(web_app) as pages:
        seen = list(changes(pages, f"{path}?after={before}"))
        assert [change.id for change in seen] == list(range(before + 1, before + 12))
        for known in ("x", "-1", "1.5", ""):  # no number: what the address says counts
            again = list(changes(pages, f"{path}?after={before + 9}", last_id=known))
            assert [change.id for change in again] == [before + 10, before + 11]
        back = list(changes(pages, f"{path}?after={before}", last_id=str(before + 10)))
        assert [change.id for change in back] == [before + 11]
        for after in ("-1", str(2**63), "x"):
            assert pages.ask(f"{path}?after={after}").status == 400


def test_what_came_while_nobody_listened_delays_nobody(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is opened in the morning is live at once, however much happened over night."""
    monkeypatch.setattr("wireroom.web.live_events.AT_ONCE", 2)
    looks: list[int] = []
    from_store = EventTailer._from_store

    def counted(tailer: EventTailer, after: int) -> list[Event]:
        looks.append(after)
        return from_store(tailer, after)

    monkeypatch.setattr(EventTailer, "_from_store", counted)
    with serving(web_app) as pages:
        for number in range(200):
            web_app.note("over_night", "alminaa.test", number=number)
        before = web_app.last_event_number()
        web_app.note("job_done", "alminaa.test", job="scout")
        (change,) = changes(pages, f"/live/publisher/alminaa.test?after={before}")
        assert (change.kind, change.id) == ("last", before + 1)
    assert min(looks, default=before) >= before - 2, "what nobody asks for is not read"


async def test_what_an_event_changes_is_made_once_for_all_who_see_it(shared_app: App) -> None:
    tailer, made = EventTailer(shared_app), []

    def make(event: Event) -> Fragment:
        made.append(event.seq)
        return Fragment(html=f"change {event.seq}")

    async def read() -> list[str]:
        found = []
        async for change in tailer.stream("start/all", 0, make):
            if change.raw_data:
                found.append(change.raw_data)
            if len(found) == 3:
                return found
        return found

    now = shared_app.clock()
    await tailer._note([Event(seq=seq, kind="k", subject="", at=now) for seq in (1, 2, 3)])
    readers = await asyncio.gather(*(read() for _ in range(20)))
    assert readers == [["change 1", "change 2", "change 3"]] * 20
    assert sorted(made) == [1, 2, 3]


async def test_a_store_that_was_away_ends_the_stream_and_is_asked_again(shared_app: App) -> None:
    tailer, is_away = EventTailer(shared_app), True

    def make(event: Event) -> Fragment:
        if is_away:
            raise StoreError("the database is away")
        return Fragment(html=f"change {event.seq}", is_last=True)

    async def read() -> list[str]:
        found = []
        async for change in tailer.stream("start/all", 0, make):
            if change.raw_data:
                found.append(change.raw_data)
                break
        return found

    await tailer._note([Event(seq=1, kind="k", subject="", at=shared_app.clock())])
    assert await read() == []
    is_away = False
    assert await read() == ["change 1"]


async def test_memory_holds_so_many_events_whatever_happens(shared_app: App) -> None:
    tailer = EventTailer(shared_app)
    for start in range(1, 10 * KEPT, AT_ONCE):
        numbers = range(start, start + AT_ONCE)
        events = [
            Event(seq=number, kind="k", subject="", at=shared_app.clock()) for number in numbers
        ]
        await tailer._note(events)
        assert len(tailer._newest) <= KEPT
    assert tailer._newest[0].seq == 10 * KEPT - KEPT + 1


def test_new_stories_come_by_themselves(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    web_app.note("articles_saved", "", new=1)
    change = next(changes(pages, f"/live/start/all?after={before}"))
    assert 'id="newest"' in change.html
    assert change.html.count('class="story"') > 5


def test_what_needs_attention_is_live(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    feed = next(stats.feed for stats in web_app.feeds())
    silent = replace(feed, state="silent")
    web_app.store.save_feed_changes([(feed, silent)], events=[], now=web_app.clock())
    change = Change("", before, "")
    for kind in ("run_started", COUNTS_SAVED, "job_failed"):
        web_app.note(kind, "")
        change = next(changes(pages, f"/live/start/all?after={before}"))
        assert change.html.count('id="jobs"') == change.html.count('id="needs"') == 1
        assert 'id="feeds-silent"' in change.html
        assert "<b>1 feed</b>" in change.html
        before = change.id
    page = pages.ask("/").text
    assert change.html.partition('<div id="needs">')[2].strip() in page


def test_a_publisher_whose_scout_ended_has_its_new_row(pages: Pages, web_app: App) -> None:
    page = pages.ask("/publishers").text
    stream = re.search(r'data-live="([^"]+)" data-after="(\d+)"', page)
    assert stream is not None
    courier = web_app.store.publisher("courier.test")
    assert courier is not None
    web_app.store.save_publisher(replace(courier, name="Another name"))
    web_app.note("job_done", "nobody.test", job="scout")
    web_app.note("job_done", "courier.test", job="scout")
    of_nobody, of_courier = islice(changes(pages, f"{stream[1]}?after={stream[2]}"), 2)
    assert of_nobody.html == '<div id="being-scouted"></div>\n<table></table>'
    row = of_courier.html.partition("<tr")[2].removesuffix("</table>")
    assert row.startswith(' id="publisher-courier.test">')
    assert "Another name" in row
    assert "The Saltmarsh Courier" not in row
    assert f"<tr{row.rstrip()}" in pages.ask("/publishers").text


def test_a_feed_shows_that_it_was_polled(pages: Pages, web_app: App) -> None:
    feed = next(stats.feed for stats in web_app.feeds())
    path = f"/feeds/{quote(feed.url, safe='')}"
    stream = re.search(r'data-live="([^"]+)" data-after="(\d+)"', pages.ask(path).text)
    assert stream is not None
    web_app.note("feed_due", "http://other.test/rss.xml")  # is not its own
    poll_now(web_app, feed.url)
    change = next(changes(pages, f"{stream[1]}?after={stream[2]}"))
    assert change.html.startswith('<section class="panel" id="how">')
    assert "you asked for it" in change.html
    web_app.note(COUNTS_SAVED, "")
    again = next(changes(pages, f"{stream[1]}?after={change.id}"))
    assert again.html == change.html
    FollowedFeeds(web_app).remove(feed, articles=False)
    assert pages.ask(stream[1]).status == 404


def test_who_was_away_for_long_is_shown_the_last_of_what_is_shown_as_a_whole(
    shared_app: App,
) -> None:
    def events(*kinds: str) -> list[Event]:
        now = shared_app.clock()
        return [Event(seq=seq, kind=kind, subject="", at=now) for seq, kind in enumerate(kinds)]

    many = events(*["saved", "step", "counts"] * BEHIND)
    shown = list(needed(many, {"saved", "counts"}))
    assert [event.kind for event in shown] == ["step"] * (BEHIND - 1) + ["saved", "step", "counts"]
    assert shown[-1] == many[-1], "so that its number is the last"
    assert list(needed(many, ())) == many
    few = events(*["saved"] * BEHIND)
    assert list(needed(few, {"saved"})) == few


@pytest.mark.parametrize(
    ("path", "kind"), [("/live/start/all", "articles_saved"), ("/live/run/all", COUNTS_SAVED)]
)
def test_a_page_that_was_away_for_long_catches_up_at_once(
    pages: Pages, web_app: App, path: str, kind: str
) -> None:
    before = web_app.last_event_number()
    for _ in range(BEHIND + 5):
        web_app.note(kind, "")
    change = next(changes(pages, f"{path}?after={before}"))
    assert change.id == before + BEHIND + 5


def test_a_run_is_live_whatever_it_does(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    web_app.note(COUNTS_SAVED, "")
    change = next(changes(pages, f"/live/run/all?after={before}"))
    for part in ("funnel-today", "hosts", "rate", "problems"):
        assert f'id="{part}"' in change.html
        assert f'id="{part}"' in pages.ask("/run").text


def test_a_run_saves_its_counts_while_it_works(
    web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_inline_engine(monkeypatch)
    monkeypatch.setattr("wireroom.app.run.loop.COUNT_EVERY", 0.01)
    for stats in web_app.feeds():
        poll_now(web_app, stats.feed.url)
    before = web_app.last_event_number()
    web_app.run_once()
    kinds = [event.kind for event in web_app.events(after=before)]
    assert COUNTS_SAVED in kinds[: kinds.index("run_ended")]
    before = web_app.last_event_number()
    web_app.run_once()
    assert COUNTS_SAVED not in [event.kind for event in web_app.events(after=before)], (
        "where nothing is done, nothing is written"
    )
    assert COUNTS_SAVED not in {event.kind for event in web_app.status().events}
