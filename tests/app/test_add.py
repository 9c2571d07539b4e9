"""Adding on the town: what is chosen, what is refused, and what is laid over what is held."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.app.run.world import HASTY
from wireroom.app import App, open_app
from wireroom.app.add import NO_FIELDS, Adding, AddRequest
from wireroom.app.scout import Scouting
from wireroom.errors import GoneError, SettingsError
from wireroom.fetch import Fetcher, FetchOptions
from wireroom.model import Feed, Hints
from wireroom.rights.policy import Policy
from wireroom.town import Running, build_town, running_town

LATARNIA = "http://latarnia.test/feed"


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:") as opened:
        yield opened


class MakeAdding:
    """Makes an adding with the options that a test wants."""

    def __init__(self, app: App, fetch: Fetcher) -> None:
        self._app = app
        self._fetch = fetch
        self.scouting = Scouting(app, fetch, offline=True, rest=timedelta())

    def __call__(self, *, scout: bool = True, policy: Policy | None = None) -> Adding:
        return Adding(self._app, self._fetch, self.scouting, policy or Policy(), scout=scout)


@pytest.fixture
async def make_adding(app: App, town: Running) -> AsyncIterator[MakeAdding]:
    options = FetchOptions(hosts=town.hosts, manners=HASTY, deadline=timedelta(seconds=20))
    async with Fetcher(options) as fetch:
        yield MakeAdding(app, fetch)


async def test_the_main_feed_and_the_news_sitemap_of_a_publisher_are_taken(
    app: App, make_adding: MakeAdding
) -> None:
    added = await make_adding().add(
        "faro.test", AddRequest(given={"name": "El Faro", "region": "coast"})
    )
    assert (added.outcome, added.publisher) == ("added", "faro.test")
    assert [pick.feed.kind for pick in added.taken] == ["rss", "news_sitemap"]
    held = app.store.feeds(publisher="faro.test")
    assert sorted((feed.name, feed.region) for feed in held) == [
        ("", "coast"),
        ("El Faro", "coast"),
    ]
    kinds = [event.kind for event in app.store.events()]
    assert kinds.count("feed_added") == 2
    again = await make_adding().add("faro.test")
    assert again.outcome == "known"
    assert {feed.name for feed in app.store.feeds()} == {"", "El Faro"}


async def test_a_feed_is_found_without_its_scheme_and_known_in_any_spelling(
    app: App, make_adding: MakeAdding
) -> None:
    added = await make_adding().add("latarnia.test/feed", AddRequest(title="Their own name"))
    (feed,) = app.store.feeds()
    assert (added.outcome, feed.url, feed.title) == ("added", LATARNIA, "Their own name")
    other = await make_adding(scout=False).add("https://www.latarnia.test/feed")
    assert other.outcome == "known"
    assert [feed.url for feed in app.store.feeds()] == [LATARNIA]


async def test_given_options_replace_those_held(app: App, make_adding: MakeAdding) -> None:
    adding = make_adding(scout=False)
    first = {"body_selector": "article", "metadata_selectors": {"section": "nav"}}
    also = {"name": "L", "interval": timedelta(minutes=9)}
    await adding.add(LATARNIA, AddRequest(given=first | also))
    await adding.add(LATARNIA, AddRequest(given={"language": "pl", "category": "letters"}))
    (feed,) = app.store.feeds()
    assert feed.hints == Hints(
        body_selector="article", metadata_selectors={"section": "nav"}, language="pl"
    )
    assert (feed.name, feed.category, feed.interval) == ("L", "letters", timedelta(minutes=9))
    changed = next(event for event in app.store.events() if event.kind == "feed_changed")
    assert changed.data == {"fields": ["hints", "category"]}


async def test_a_name_belongs_to_one_feed(make_adding: MakeAdding) -> None:
    adding = make_adding(scout=False)
    await adding.add(LATARNIA, AddRequest(given={"name": "Letter"}))
    with pytest.raises(SettingsError, match=f"another name than that of {LATARNIA}"):
        await adding.add("http://faro.test/rss", AddRequest(given={"name": "Letter"}))
    await adding.add(LATARNIA, AddRequest(given={"name": "Another"}))
    assert (
        await adding.add("http://faro.test/rss", AddRequest(given={"name": "Letter"}))
    ).outcome == "added"


@pytest.mark.long
async def test_names_of_a_long_list_are_read_once(
    app: App, make_adding: MakeAdding, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    feeds = app.store.feeds

    def counted(**given: Any) -> tuple[Feed, ...]:
        asked.append(given)
        return feeds(**given)

    monkeypatch.setattr(app.store, "feeds", counted)
    adding = make_adding(scout=False)
    for number in range(20):
        await adding.add(
            f"http://faro.test/{number}.xml", AddRequest(given={"name": f"No. {number}"})
        )
    assert len([given for given in asked if not given]) <= 2
    assert len(feeds()) == 20


async def test_json_needs_a_map_of_its_fields(app: App, make_adding: MakeAdding) -> None:
    url = "http://agency.test/api/v1/articles"
    unknown = await make_adding().add(url)
    assert (unknown.outcome, unknown.reason) == ("nothing", NO_FIELDS)
    options = {"field_map": {"title": "headline", "url": "links.self"}}
    added = await make_adding().add(url, AddRequest(given=options))
    assert added.outcome == "added"
    assert app.store.feeds()[0].kind == "json_api"


async def test_a_sitemap_is_taken_for_what_it_is(app: App, make_adding: MakeAdding) -> None:
    await make_adding().add("http://yunjiang.test/sitemap_index.xml.gz")
    assert [feed.kind for feed in app.store.feeds()] == ["sitemap"]


async def test_nothing_is_followed_where_there_is_nothing(
    app: App, make_adding: MakeAdding
) -> None:
    blank = await make_adding().add("blank.test")
    assert (blank.outcome, blank.kind) == ("nothing", "")
    gate = await make_adding().add("gate.test")
    assert (gate.outcome, gate.kind) == ("nothing", "challenge")
    assert "HTTP 403" in gate.reason
    with pytest.raises(GoneError):
        await make_adding().add("http://latarnia.test/no-such-feed")
    assert app.store.feeds() == ()


@pytest.mark.long
async def test_rights_forbid_it_when_the_policy_says_so(app: App, make_adding: MakeAdding) -> None:
    strict = Policy(uses=("ai-train",), fetch_on=("allow", "unknown"))
    refused = await make_adding(policy=strict).add("anzeiger.test")
    assert refused.outcome == "refused"
    assert refused.reason.startswith("ai-train: deny by ")
    assert [pick.feed.url for pick in refused.left] == ["http://anzeiger.test/rss.xml"]
    by_name = await make_adding(policy=strict).add("http://anzeiger.test/rss.xml")
    assert by_name.outcome == "refused"
    assert app.store.feeds() == ()
    unseen = await make_adding(policy=strict, scout=False).add("http://anzeiger.test/rss.xml")
    assert (unseen.outcome, unseen.reason) == ("refused", refused.reason)
    assert (await make_adding().add("anzeiger.test")).outcome == "added"


async def test_without_scouting_nobody_is_asked(
    app: App, make_adding: MakeAdding, town: Running
) -> None:
    town.forget()
    added = await make_adding(scout=False).add(LATARNIA, AddRequest(enabled=False))
    assert added.outcome == "added"
    assert town.log.count("latarnia.test") == 0
    assert app.store.feeds()[0].state == "paused"
    with pytest.raises(SettingsError, match="without looking"):
        await make_adding(scout=False).add("latarnia.test")
