"""A feed tried out: it is asked, some of its pages are read in both ways, and nothing is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from wireroom.app.add import read_request
from wireroom.app.engines import open_engine
from wireroom.app.feeds import FollowedFeeds
from wireroom.errors import FetchError, MissingFileError, SettingsError, WireroomError, Wording
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
from wireroom.poll.leads import is_complete as is_complete
from wireroom.ports import Engine, Lost
from wireroom.scout.address import Address, read_address
from wireroom.workers.document_jobs import BODY as BODY
from wireroom.workers.document_jobs import Read as Read
from wireroom.workers.document_jobs import Trial, TrialPage
from wireroom.workers.document_jobs import Tried as Tried

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.fetch.client import Fetcher
    from wireroom.settings import Settings

SEE_ANSWER = Wording(
    "Look at what is there.", terminal="See what is there with: wireroom fetch URL --explain"
)
MAX_PAGE = 10_000_000  # bytes of a saved page: as much as would be fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPage:
    """A page that could not be had, and why."""

    name: str
    message: str
    kind: str = ""
    permanent: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedTrial:
    """What came of it all."""

    feed: Feed
    trial: Trial
    polled: Polled | None
    """None when the feed was not asked."""
    tried: tuple[Tried, ...]
    missing: tuple[MissingPage, ...] = ()

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The selectors that matched nothing on any page that was read."""
        names = dict.fromkeys(name for page in self.tried for name in page.matched)
        return tuple(
            name for name in names if not any(page.matched.get(name) for page in self.tried)
        )


async def try_feed(
    settings: Settings,
    name: str,
    texts: Mapping[str, str],
    *,
    app: App | None = None,
    pages: Sequence[str] = (),
    limit: int = 3,
) -> FeedTrial | None:
    """Polls a feed and reads some of its pages, or those that are named, saved or live; keeps nothing.

    None when the name is that of no feed, and no address either.

    `texts` are options to be tried over those of the feed. Without an app, which stands for a database, no feed is
    known by its name.
    """
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from

    feed = find_feed(app, name, is_api="field_map" in texts)
    if feed is None:
        return None
    changed = read_request(feed.url, texts, "command line").applied_to(feed)
    trial = Trial(held=feed.hints, given=changed.hints if texts else None)
    async with (
        Fetcher(options_from(settings)) as fetch,
        open_engine(settings, workers=1) as engine,
    ):
        polled: Polled | None = None
        if pages:
            found, missing = await _named_pages(fetch, pages, feed)
        else:
            polled = await _ask(fetch, engine, changed)
            found, missing = await _feed_pages(fetch, polled, feed, limit)
        tried, lost = await _read_all(engine, found, trial)
    return FeedTrial(
        feed=changed, trial=trial, polled=polled, tried=tried, missing=(*missing, *lost)
    )


def find_feed(app: App | None, name: str, *, is_api: bool) -> Feed | None:
    """The feed that is held, else one at the address; with no memory of former answers."""
    feed = FollowedFeeds(app).feed_named(name) if app is not None else None
    if feed is None:
        address = _address(name)
        if address is None:
            return None
        url, *others = address.candidates
        kind: FeedKind = "json_api" if is_api else "rss"
        feed = Feed(url=url, publisher=address.domain, kind=kind, mirrors=tuple(others))
    return replace(feed, validators=Validators(), standing=PollHistory())


def _address(name: str) -> Address | None:
    """The address, if it can be one: what has no scheme may as well be a name that nobody has given."""
    try:
        return read_address(name)
    except SettingsError:
        if "://" in name:
            raise
        return None


async def _ask(fetch: Fetcher, engine: Engine, feed: Feed) -> Polled:
    """What the feed says, or the first of its mirrors; FetchError or WireroomError when none does."""
    from wireroom.poll.ask_feed import mirror_of, requests_for
    from wireroom.workers.page_jobs import FeedAnswer, RunJob

    refused: WireroomError | None = None
    for request in requests_for(feed):
        try:
            response = await fetch(request)
        except FetchError as error:
            refused = refused or error
            continue
        answer = FeedAnswer(feed=feed, response=response, mirror=mirror_of(feed, request))
        async for outcome in engine.spread([answer], RunJob()):
            if isinstance(outcome, Lost):
                message = f"{request.url} cannot be read: {outcome.message}"
                refused = WireroomError(message, hint=SEE_ANSWER)
            elif isinstance(outcome.outcome, Polled) and outcome.outcome.problem is None:
                return outcome.outcome
            elif isinstance(outcome.outcome, Polled) and outcome.outcome.problem is not None:
                message = f"{request.url}: {outcome.outcome.problem.message}"
                refused = WireroomError(message, hint=SEE_ANSWER)
    raise refused or WireroomError(f"{feed.url} gave no answer", hint=SEE_ANSWER)


async def _feed_pages(
    fetch: Fetcher, polled: Polled, feed: Feed, limit: int
) -> tuple[list[TrialPage], list[MissingPage]]:
    items = {item.url: item for item in polled.items if item.url}
    return await _fetched(fetch, list(items)[:limit], feed, items)


async def _named_pages(
    fetch: Fetcher, names: Sequence[str], feed: Feed
) -> tuple[list[TrialPage], list[MissingPage]]:
    files = [name for name in names if "://" not in name]
    saved = [TrialPage(name=name, url=feed.url, body=_file(name)) for name in files]
    live, missing = await _fetched(fetch, [name for name in names if "://" in name], feed, {})
    return [*saved, *live], missing


def _file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            body = file.read(MAX_PAGE + 1)
    except FileNotFoundError as exc:
        raise MissingFileError(f"page {name}") from exc
    except OSError as exc:
        raise SettingsError(
            [f"page {name} cannot be read: {exc.strerror}"],
            hint="Check its name and its permissions.",
        ) from exc
    if len(body) > MAX_PAGE:
        raise SettingsError(
            [f"page {name} is larger than {MAX_PAGE // 1_000_000} MB"],
            hint="Take another page of the same publisher.",
        )
    return body


async def _fetched(
    fetch: Fetcher, urls: Sequence[str], feed: Feed, items: Mapping[str, Item]
) -> tuple[list[TrialPage], list[MissingPage]]:
    """Pages as they would be read, one after the other for each host."""
    from wireroom.fetch.many import fetch_all

    answers: dict[str, TrialPage] = {}
    missing: list[MissingPage] = []
    requests = [Request(url=url, purpose="read", proxy=feed.proxy) for url in urls]
    async for outcome in fetch_all(requests, fetch=fetch):
        if isinstance(outcome, Problem):
            missing.append(
                MissingPage(
                    name=outcome.subject_url,
                    message=outcome.message,
                    kind=outcome.kind,
                    permanent=outcome.permanent,
                )
            )
        else:
            answers[outcome.url] = _page(outcome, items)
    return [answers[url] for url in urls if url in answers], missing


def _page(response: Response, items: Mapping[str, Item]) -> TrialPage:
    return TrialPage(
        name=response.url,
        url=response.final_url,
        body=response.body,
        content_type=response.content_type,
        fetched_at=response.fetched_at,
        item=items.get(response.url),
    )


async def _read_all(
    engine: Engine, pages: Sequence[TrialPage], trial: Trial
) -> tuple[tuple[Tried, ...], list[MissingPage]]:
    tried: dict[str, Tried] = {}
    lost: list[MissingPage] = []
    async for outcome in engine.spread(pages, trial):
        if isinstance(outcome, Lost):
            lost.append(MissingPage(name=outcome.work.name, message=outcome.message))
        else:
            tried[outcome.work.name] = outcome.outcome
    return tuple(tried[page.name] for page in pages if page.name in tried), lost
