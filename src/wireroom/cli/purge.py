"""`wireroom purge`: takes articles or raw pages away, by age, feed, publisher or rights, after showing what would go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.counting import counted
from wireroom.cli.exits import ERROR, NOTHING_FOUND, OK
from wireroom.cli.feeds.naming import tell_none
from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.reviewing import Carried
    from wireroom.model import Article, Feed

OlderThan = Annotated[
    str,
    typer.Option("--older-than", metavar="SPAN", help="What is older than that, such as 90d."),
]
FeedOption = Annotated[
    str, typer.Option("--feed", metavar="NAME|URL", help="What came by this feed.")
]
PublisherOption = Annotated[
    str, typer.Option("--publisher", metavar="DOMAIN", help="What this publisher published.")
]
RightsChanged = Annotated[
    bool,
    typer.Option(
        "--rights-changed",
        help="What the policy no longer lets us keep, by what publishers say now.",
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Raw pages only; the articles stay.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would go, and do nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]

AT_ONCE = 200  # articles removed in one transaction: others may write in between
SHOWN = 10  # publishers named before the question


@dataclass(slots=True)
class _Going:
    """What would go."""

    ids: list[str] = field(default_factory=list)
    publishers: Counter[str] = field(default_factory=Counter)
    oldest_at: datetime | None = None
    newest_at: datetime | None = None

    def add(self, article: Article) -> None:
        at = article.published_at or article.fetched_at
        self.ids.append(article.id)
        self.publishers[article.publisher] += 1
        self.oldest_at = min(self.oldest_at or at, at)
        self.newest_at = max(self.newest_at or at, at)

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "articles": len(self.ids),
            "publishers": dict(self.publishers),
            "oldest_at": self.oldest_at,
            "newest_at": self.newest_at,
        }


def purge(
    session: Session,
    older_than: OlderThan = "",
    feed: FeedOption = "",
    publisher: PublisherOption = "",
    raw: Raw = False,
    rights_changed: RightsChanged = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> int:
    """Take articles or raw pages away for good.

    An article is as old as its publication, or as its reading when that is not known; a raw page as its
    reading. Versions, raw pages and signatures go with an article, and its page is not fetched again.
    Shows what would go and asks, unless --yes. Exit code 3 when there is nothing to take away, no such
    feed, or nothing known of the publisher.
    """
    if not (older_than or feed or publisher or raw or rights_changed):
        raise SettingsError(
            ["purge: nothing says what is to go"],
            hint="Try: --older-than 90d, --feed, --publisher, --raw or --rights-changed",
        )
    if rights_changed and (older_than or feed or publisher or raw):
        raise SettingsError(
            ["--rights-changed stands alone: it asks the policy what is to go"],
            hint="Leave the other options out.",
        )
    if raw and publisher:
        raise SettingsError(
            ["--raw: raw pages go by --older-than or --feed, not by --publisher"],
            hint="Name its feeds, one after the other.",
        )
    span = _span(older_than) if older_than else None
    if not session.has_database():
        session.tell_nothing_held()
        return NOTHING_FOUND
    with session.app() as app:
        before = app.clock() - span if span is not None else None
        urls = _feed_urls(app, feed) if feed else ()
        if feed and not urls:
            if json:
                session.streams.json({"missing": [feed], "done": False})
            tell_none(session, [feed])
            return NOTHING_FOUND
        how = _How(session, dry_run=dry_run, yes=yes, json=json)
        if rights_changed:
            return _purge_changed(app, how)
        if raw:
            return _purge_raw(app, before, urls, how)
        domain = _domain(publisher) if publisher else ""
        if domain and app.store.publisher(domain) is None:
            if json:
                session.streams.json({"unknown": [domain], "done": False})
            session.tell_unknown(domain)
            return NOTHING_FOUND
        return _purge_articles(app, _query(before, domain), urls, how)


@dataclass(frozen=True, slots=True)
class _How:
    """What is to be asked and shown on the way."""

    session: Session
    dry_run: bool
    yes: bool
    json: bool

    def may(self, what: str) -> bool:
        """Whether it is to be done."""
        streams = self.session.streams
        if self.dry_run or self.yes:
            return not self.dry_run
        if not streams.may_ask:
            raise SettingsError(
                [f"{what} would go, and there is nobody to ask"], hint="Do it with: --yes"
            )
        return streams.ask(f"Remove {what} for good?")

    def end(self, found: int, done: bool, data: dict[str, Any], message: str) -> int:
        """Says what was done; gives the exit code."""
        if self.json:
            self.session.streams.json(data | {"done": done})
        if not found:
            self.session.streams.note("There is nothing to take away: nothing held is like that.")
            return NOTHING_FOUND
        if not done:
            self.session.streams.note("Nothing was done.")
            return OK if self.dry_run else ERROR
        self.session.streams.note(message)
        return OK


def _purge_changed(app: App, how: _How) -> int:
    """Removes and cuts down what the policy no longer lets us keep."""
    from wireroom.app.reviewing import carry_out, rights_reviews

    policy = how.session.load().settings.rights.policy()
    planned = carry_out(app, policy, rights_reviews(app, policy), dry_run=True)
    count = planned.removed + planned.reduced
    if count and not how.json:
        how.session.streams.line(f"To be removed: {planned.removed:,}")
        how.session.streams.line(f"To be cut down: {planned.reduced:,}")
        how.session.streams.line(f"May stay as they are: {planned.kept:,}")
    done = bool(count) and how.may(_describe(planned))
    # Others may have written since it was planned: what is told is what was done.
    carried = carry_out(app, policy, rights_reviews(app, policy)) if done else planned
    data = {"removed": carried.removed, "reduced": carried.reduced, "kept": carried.kept}
    return how.end(count, done, data, f"Removed {_describe(carried)}.")


def _describe(done: Carried) -> str:
    return f"{counted(done.removed, 'article')}, and the text of {done.reduced:,} more"


def _purge_raw(app: App, before: datetime | None, feed_urls: tuple[str, ...], how: _How) -> int:
    def drop(*, dry_run: bool) -> int:
        return sum(
            app.store.drop_raw_pages(before=before, feed_url=url, dry_run=dry_run)
            for url in feed_urls or ("",)
        )

    count = drop(dry_run=True)
    if count and not how.json:
        how.session.streams.line(_raw(count))
    done = bool(count) and how.may(_raw(count))
    if done:
        count = drop(dry_run=False)
    return how.end(count, done, {"raw_pages": count}, f"Gone: {_raw(count)}.")


def _raw(count: int) -> str:
    return counted(count, "raw page")


def _query(before: datetime | None, domain: str) -> str:
    """What is to go, as search asks for it."""
    parts = (
        f"before:{before.isoformat()}" if before else "",
        f"publisher:{domain}" if domain else "",
    )
    return " ".join(filter(None, parts))


def _domain(publisher: str) -> str:
    """The publisher's name; what is none must not come to mean every publisher."""
    from wireroom.urls import publisher_domain

    try:
        return publisher_domain(publisher if "://" in publisher else f"http://{publisher}")
    except ValueError as exc:
        raise SettingsError(
            [f"--publisher {publisher!r}: {exc}"], hint="Name its domain: courier.example"
        ) from exc


def _purge_articles(app: App, query: str, feed_urls: tuple[str, ...], how: _How) -> int:
    going = _Going()
    came_from = {address for url in feed_urls for address in app.store.feed_addresses(url)}
    for article in app.store.articles(query):
        if not feed_urls or article.feed_url in came_from:
            going.add(article)
    if going.ids and not how.json:
        _show(how.session, going)
    done = bool(going.ids) and how.may(counted(len(going.ids), "article"))
    data = going.data()
    if done:
        data |= _remove(app, going.ids, how)
    message = f"Gone: {counted(len(going.ids), 'article')}."
    return how.end(len(going.ids), done, data, message)


def _remove(app: App, ids: list[str], how: _How) -> dict[str, int]:
    gone = Counter[str]()
    with how.session.streams.progress("Removing") as progress:
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            removed = app.store.remove_articles(part, reason="you asked for it", now=app.clock())
            gone.update(articles=removed.articles, versions=removed.versions)
            gone.update(raw_pages=removed.raw_pages)
            progress(start + len(part), len(ids))
    return dict(gone)


def _show(session: Session, going: _Going) -> None:
    streams = session.streams
    span = f"{going.oldest_at:%Y-%m-%d} to {going.newest_at:%Y-%m-%d}"
    streams.line(f"{counted(len(going.ids), 'article')}, {span}", style="bold")
    rows = [(f"{count:,}", name) for name, count in going.publishers.most_common(SHOWN)]
    streams.table(rows, indent=2)
    if len(going.publishers) > SHOWN:
        more = counted(len(going.publishers) - SHOWN, "more publisher")
        streams.line(f"… and of {more}", indent=2)


def _feed_urls(app: App, name: str) -> tuple[str, ...]:
    """The addresses that the name stands for; a feed that nobody follows any more has its address alone."""
    feeds: tuple[Feed, ...] = app.store.feeds()
    urls = [feed.url for feed in feeds if name in {feed.name, feed.url}]
    if urls:
        return tuple(urls)
    return (name,) if "://" in name else ()


def _span(text: str) -> timedelta:
    from wireroom.settings.durations import read_duration

    try:
        return read_duration(text)
    except ValueError as exc:
        raise SettingsError([f"--older-than {text}: {exc}"]) from exc


PLUG = Command("purge", purge, order=44)
