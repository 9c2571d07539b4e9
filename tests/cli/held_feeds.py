"""Feeds and what came of them, made by hand: for tests of commands that look after feeds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.holding import save_feeds, save_polled
from wireroom import open_app
from wireroom.app import App
from wireroom.model import (
    Article,
    Feed,
    Hints,
    Item,
    Lead,
    Observation,
    Polled,
    PollHistory,
    Problem,
    Reading,
    Rhythm,
)
from wireroom.urls import article_id

NOW = datetime.now(UTC)
COURIER = "https://courier.test/rss.xml"
FARO = "https://faro.test/feed"
PHARE = "https://phare.test/feed"
DATABASE = "sqlite:///wireroom.db"
RHYTHM = Rhythm(
    per_day=12.0,
    low=8.0,
    high=17.0,
    confidence="high",
    sample_size=80,
    span=timedelta(days=7),
    source="rss",
    weekday=(8, 6, 6, 6, 4, 0, 1),
    hour=(0,) * 12 + (3,) * 12,
)


def open_held() -> App:
    """The app on what `held` has made."""
    return open_app(DATABASE)


def held() -> None:
    """Three feeds: one that does well, one that rests, one that is paused; articles, leads, a problem."""
    now = datetime.now(UTC)  # a long run of tests ago was another time
    feeds = (
        Feed(
            url=COURIER,
            publisher="courier.test",
            kind="rss",
            name="Courier",
            title="The Saltmarsh Courier",
            hints=Hints(body_selector="article p", metadata_selectors={"section": "nav .here"}),
            proxy="http://desk:secret@proxy.test:8080",
            region="coast",
            category="daily",
            rhythm=RHYTHM,
            poll_after=now + timedelta(minutes=12),
            standing=PollHistory(
                polled_at=now - timedelta(minutes=3),
                new_at=now - timedelta(hours=2),
                because="its rhythm is 12 a day",
            ),
        ),
        Feed(
            url=FARO,
            publisher="faro.test",
            kind="rss",
            failures=8,
            state="resting",
            poll_after=now + timedelta(hours=6),
            standing=PollHistory(
                reason="8 failures in a row", because="it failed 8 times in a row"
            ),
        ),
        Feed(url=PHARE, publisher="phare.test", kind="atom", state="paused", region="coast"),
    )
    with open_held() as app:
        save_feeds(app.store, feeds, now=NOW)
        _poll(app, feeds[0])
        _read(app)


def _poll(app: App, feed: Feed) -> None:
    items = tuple(
        Item(
            feed_url=COURIER, guid=f"{n}", url=f"https://courier.test/story-{n}", title=f"Story {n}"
        )
        for n in range(5)
    )
    mark = Observation(
        feed_url=COURIER, about="availability", value=0.5, reason="answered late", at=NOW
    )
    problem = Problem(kind="timeout", message="no answer in time", subject_url=COURIER, at=NOW)
    polled = Polled(
        feed_url=COURIER, result="items", items=items, observations=(mark,), problem=problem
    )
    save_polled(app.store, feed, polled, now=NOW)


def _read(app: App) -> None:
    """Two of the pages are articles, one is given up, two are still to be read."""
    leads = app.store.leads(publisher="courier.test")
    readings = [
        Reading(lead=_done(lead, "read"), article=_article(lead, n))
        for n, lead in enumerate(leads[:2])
    ]
    failed = _done(leads[2], "failed")
    app.store.save_readings([*readings, Reading(lead=failed)], now=NOW)


def _done(lead: Lead, state: str) -> Lead:
    return Lead(
        url=lead.url,
        publisher=lead.publisher,
        item=lead.item,
        state=state,  # type: ignore[arg-type]  # one of the states, from above
        attempts=3,
    )


def _article(lead: Lead, number: int) -> Article:
    return Article(
        id=article_id(lead.publisher, lead.url),
        publisher=lead.publisher,
        url=lead.url,
        feed_url=COURIER,
        title=f"Harbour story {number}",
        text=f"The harbour master of Lowport resigned, part {number}.",
        fetched_at=NOW,
        published_at=NOW,
        paywall="locked" if number else "free",
    )
