"""`wireroom pause` and `resume` under `run`: pages that were found already wait with their feed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.inline import use_inline_engine
from tests.cli.towns import Run, write_settings
from tests.holding import save_feeds, save_polled
from wireroom.app import open_app
from wireroom.model import Feed, Item, Polled
from wireroom.town import Running, build_town, running_town

FEED = "http://anzeiger.test/rss.xml"
ONCE = ("run", "--once", "--set", "run.scout=false")


@pytest.fixture
def town(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    use_inline_engine(monkeypatch)
    with running_town(build_town()) as running:
        write_settings(running.hosts)
        yield running


def lead_to(pages: list[str]) -> None:
    """A feed that has led to these pages."""
    feed = Feed(url=FEED, publisher="anzeiger.test", kind="rss")
    items = tuple(
        Item(feed_url=FEED, guid=page, url=f"http://anzeiger.test{page}", title="A story")
        for page in pages
    )
    with open_app("sqlite:///w.db") as app:
        save_feeds(app.store, [feed], now=app.clock())
        polled = Polled(feed_url=FEED, result="items", items=items)
        save_polled(app.store, feed, polled, now=app.clock())


@pytest.mark.long
def test_pages_of_a_paused_feed_are_asked_for_after_it_is_resumed(
    town: Running, wireroom: Run
) -> None:
    pages = ["/waiting/1", "/waiting/2"]
    lead_to(pages)
    assert wireroom("pause", FEED).code == 0
    ran = wireroom(*ONCE)
    assert "articles        0" in ran.out
    assert [seen.path for seen in town.log] == []
    assert wireroom("resume", FEED).code == 0
    assert wireroom(*ONCE).code == 0
    assert {*pages, "/rss.xml"} <= {seen.path for seen in town.log}
