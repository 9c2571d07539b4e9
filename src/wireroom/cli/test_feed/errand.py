"""One run of `test-feed`: the feed is asked, some pages are fetched, and each is read in both ways."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wireroom.app.add import read_request
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import one_feed
from wireroom.cli.fetch_advice import advised
from wireroom.cli.session import Session
from wireroom.cli.test_feed.trial import Trial, TrialPage, Tried
from wireroom.errors import FetchError, SettingsError, WireroomError
from wireroom.model import (
    Feed,
    FeedKind,
    Item,
    Polled,
    PollHistory,
    Problem,
    Request,
    Response,
    Validators,
)

if TYPE_CHECKING:
    from wireroom.fetch.client import Fetcher
    from wireroom.workers.local import LocalEngine

LOOK = "See what is there with: wireroom fetch URL --explain"
MAX_PAGE = 10_000_000  # bytes of a saved page: as much as would be fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedTrial:
    """What came of it all."""

    feed: Feed
    trial: Trial
    polled: Polled | None
    """None when the feed was not asked."""
    tried: tuple[Tried, ...]
    missing: Mapping[str, str]
    """Pages that could not be had, and why."""


class Errand:
    """Which feed, and what is to be tried on it."""

    def __init__(self, session: Session, name: str, given: Mapping[str, str]) -> None:
        self._session = session
        self._name = name
        self._given = given

    def run(self, pages: Sequence[str], *, limit: int, json: bool) -> int:
        """Tries it; gives the exit code."""
        from wireroom.cli.test_feed.trial_view import outcome_data, show_outcome, unmatched

        outcome = asyncio.run(self._try(self._feed(), pages, limit))
        if json:
            self._session.streams.json(outcome_data(outcome))
        else:
            show_outcome(outcome, self._session.streams)
        for name, why in outcome.missing.items():
            self._session.streams.error(f"{name}: {why}")
        idle = unmatched(outcome)
        for name in idle:
            self._session.streams.error(
                f"{name}: matched nothing on any page. Try it on a saved page with: --page FILE"
            )
        return OK if outcome.tried and not idle else NOTHING_FOUND

    def _feed(self) -> Feed:
        """The feed that is held, else one at the address; with no memory of former answers."""
        feed: Feed | None = None
        if self._session.has_database():
            with self._session.app() as app:
                feed = one_feed(app, self._name)
        if feed is None:
            from wireroom.scout.address import read_address

            address = read_address(self._name)
            url, *others = address.candidates
            kind: FeedKind = "json_api" if "field_map" in self._given else "rss"
            feed = Feed(url=url, publisher=address.domain, kind=kind, mirrors=tuple(others))
        return replace(feed, validators=Validators(), standing=PollHistory())

    async def _try(self, feed: Feed, pages: Sequence[str], limit: int) -> FeedTrial:
        from wireroom.fetch.client import Fetcher
        from wireroom.fetch.fetch_options import options_from
        from wireroom.ports import EngineOptions
        from wireroom.workers.local import LocalEngine

        changed = read_request(feed.url, self._given, "command line").applied_to(feed)
        trial = Trial(held=feed.hints, given=changed.hints if self._given else None)
        options = options_from(self._session.load().settings)
        async with Fetcher(options) as fetch, LocalEngine(EngineOptions(workers=1)) as engine:
            polled: Polled | None = None
            if pages:
                sheets, missing = await _named_pages(fetch, pages, feed)
            else:
                polled = await _ask(fetch, engine, changed)
                sheets, missing = await _feed_pages(fetch, polled, feed, limit)
            tried, lost = await _read_all(engine, sheets, trial)
        return FeedTrial(
            feed=changed, trial=trial, polled=polled, tried=tried, missing={**missing, **lost}
        )


async def _ask(fetch: Fetcher, engine: LocalEngine, feed: Feed) -> Polled:
    """What the feed says, or the first of its mirrors; FetchError or WireroomError when none does."""
    from wireroom.poll.ask_feed import mirror_of, requests_for
    from wireroom.ports import Lost
    from wireroom.workers.follow_jobs import FeedAnswer, Following

    refused: WireroomError | None = None
    for request in requests_for(feed):
        try:
            response = await fetch(request)
        except FetchError as error:
            refused = refused or error
            continue
        answer = FeedAnswer(feed=feed, response=response, mirror=mirror_of(feed, request))
        async for outcome in engine.spread([answer], Following()):
            if isinstance(outcome, Lost):
                message = f"{request.url} cannot be read: {outcome.message}"
                refused = WireroomError(message, hint=LOOK)
            elif isinstance(outcome.outcome, Polled) and outcome.outcome.problem is None:
                return outcome.outcome
            elif isinstance(outcome.outcome, Polled) and outcome.outcome.problem is not None:
                message = f"{request.url}: {outcome.outcome.problem.message}"
                refused = WireroomError(message, hint=LOOK)
    raise refused or WireroomError(f"{feed.url} gave no answer", hint=LOOK)


async def _feed_pages(
    fetch: Fetcher, polled: Polled, feed: Feed, limit: int
) -> tuple[list[TrialPage], dict[str, str]]:
    items = {item.url: item for item in polled.items if item.url}
    return await _fetched(fetch, list(items)[:limit], feed, items)


async def _named_pages(
    fetch: Fetcher, names: Sequence[str], feed: Feed
) -> tuple[list[TrialPage], dict[str, str]]:
    files = [name for name in names if "://" not in name]
    saved = [TrialPage(name=name, url=feed.url, body=_file(name)) for name in files]
    live, missing = await _fetched(fetch, [name for name in names if "://" in name], feed, {})
    return [*saved, *live], missing


def _file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            body = file.read(MAX_PAGE + 1)
    except OSError as exc:
        raise SettingsError(
            [f"--page {name} cannot be read: {exc.strerror}"],
            hint="Check its name and its permissions.",
        ) from exc
    if len(body) > MAX_PAGE:
        raise SettingsError(
            [f"--page {name} is larger than {MAX_PAGE // 1_000_000} MB"],
            hint="Take another page of the same publisher.",
        )
    return body


async def _fetched(
    fetch: Fetcher, urls: Sequence[str], feed: Feed, items: Mapping[str, Item]
) -> tuple[list[TrialPage], dict[str, str]]:
    """Pages as they would be read, one after the other for each host."""
    from wireroom.fetch.many import fetch_all

    answers: dict[str, TrialPage] = {}
    missing: dict[str, str] = {}
    requests = [Request(url=url, purpose="read", proxy=feed.proxy) for url in urls]
    async for outcome in fetch_all(requests, fetch=fetch):
        if isinstance(outcome, Problem):
            message = advised(outcome.message, outcome.kind, permanent=outcome.permanent)
            missing[outcome.subject_url] = message
        else:
            answers[outcome.url] = _sheet(outcome, items)
    return [answers[url] for url in urls if url in answers], missing


def _sheet(response: Response, items: Mapping[str, Item]) -> TrialPage:
    from wireroom.fetch.server_hints import header

    return TrialPage(
        name=response.url,
        url=response.final_url,
        body=response.body,
        content_type=header(response.headers, "content-type"),
        fetched_at=response.fetched_at,
        item=items.get(response.url),
    )


async def _read_all(
    engine: LocalEngine, sheets: Sequence[TrialPage], trial: Trial
) -> tuple[tuple[Tried, ...], dict[str, str]]:
    from wireroom.ports import Lost

    tried: dict[str, Tried] = {}
    lost: dict[str, str] = {}
    async for outcome in engine.spread(sheets, trial):
        if isinstance(outcome, Lost):
            lost[outcome.work.name] = outcome.message
        else:
            tried[outcome.work.name] = outcome.outcome
    return tuple(tried[sheet.name] for sheet in sheets if sheet.name in tried), lost
