"""What a person does to one feed: has it polled now, says something else of it, tries selectors on a kept page.

Changes go the way of `sync` and `add`: as differences, so that what a poll has learnt meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from wireroom.app.add import read_request
from wireroom.app.article_history import TextDiff as TextDiff
from wireroom.app.explain import find_article
from wireroom.app.feeds import FollowedFeeds, no_such_feed
from wireroom.app.reparse import kept_page
from wireroom.app.waiting import Wait, WaitsFor, feed_wait, hosts_state
from wireroom.errors import SettingsError
from wireroom.model import OPTIONS, Event, Feed, with_options
from wireroom.poll.feed_diff import FieldChange as FieldChange
from wireroom.poll.feed_diff import changes
from wireroom.ports import Engine, Lost
from wireroom.report.text_diff import diff_texts
from wireroom.settings.feed_settings import option_text
from wireroom.workers.document_jobs import Read as Read
from wireroom.workers.document_jobs import Trial, TrialPage

if TYPE_CHECKING:
    from wireroom.app.application import App

ORIGIN: Final = "form"  # where what is said of a feed was written, in messages
MAX_TEXT: Final = 10_000  # characters of one option; selectors of a page are some hundred


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionText:
    """An option of a feed as a form shows it."""

    name: str
    text: str
    """Its value; empty for the default. Of a secret one without its user info."""
    help: str
    kind: str
    choices: tuple[str, ...] = ()
    secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedFeed:
    """A feed with what is said of it now, and what that changed."""

    feed: Feed
    changed: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorTrial:
    """A kept page read as the feed's options have it, and as others would."""

    url: str
    before: Read
    after: Read
    diff: TextDiff
    """From the text before to the one after."""
    matched: Mapping[str, str]
    """What each selector found on the page; empty for nothing."""
    problem: str = ""
    """Why the page could not be read at all."""


def poll_now(app: App, url: str) -> Wait:
    """Makes a feed due at once; what it waits for then. SettingsError where it is not followed, or paused."""
    feed = _followed(app, url)
    if feed.state == "paused":
        raise SettingsError([f"{feed.name or feed.url} is paused"], hint="Resume it first.")
    now = app.clock()
    due = replace(feed, poll_after=now, standing=replace(feed.standing, because="you asked for it"))
    event = Event(kind="feed_due", subject=feed.url, at=now, data={"name": feed.name})
    app.store.save_feed_changes([(feed, due)], events=[event], now=now)
    return feed_wait(due, hosts_state(app, [feed.url])) or Wait(on=WaitsFor.RUN)


SWITCH: Final = ("true", "false")
"""What a form offers for an option that is on or off."""


def option_texts(feed: Feed) -> tuple[OptionText, ...]:
    """Every option of a feed, for a form; `edit_feed` reads it back."""
    return tuple(
        OptionText(
            name=name,
            text=option_text(option, option.of(feed)),
            help=option.info.help,
            kind=option.info.kind,
            choices=SWITCH if option.info.kind == "switch" else option.info.choices,
            secret=option.info.secret,
        )
        for name, option in OPTIONS.items()
    )


def edit_feed(app: App, url: str, texts: Mapping[str, str]) -> EditedFeed:
    """Says something else of a feed: each option that is named, an empty text for its default; others stay.

    SettingsError tells all that is wrong, and nothing is changed then.
    """
    feed = _followed(app, url)
    wanted = with_texts(feed, texts)
    if wanted.name != feed.name:
        _refuse_name(app, wanted)
    changed = tuple(changes(feed, wanted))
    if changed:
        now = app.clock()
        data = {"fields": [each.field for each in changed]}
        event = Event(kind="feed_changed", subject=feed.url, at=now, data=data)
        app.store.save_feed_changes([(feed, wanted)], events=[event], now=now)
    return EditedFeed(feed=wanted, changed=changed)


def with_texts(feed: Feed, texts: Mapping[str, str]) -> Feed:
    """The feed with these options; one whose text is as a form showed it stays, its password too."""
    unknown = [name for name in texts if name not in OPTIONS]
    long = [name for name, text in texts.items() if len(text) > MAX_TEXT]
    if unknown or long:
        problems = [f"{name}: no option of a feed is called that" for name in unknown]
        problems += [f"{name}: expected at most {MAX_TEXT:,} characters" for name in long]
        raise SettingsError(problems, hint=f"Options are: {', '.join(OPTIONS)}")
    new = {
        name: text.strip()
        for name, text in texts.items()
        if text.strip() != option_text(OPTIONS[name], OPTIONS[name].of(feed))
    }
    emptied: dict[str, Any] = {
        name: OPTIONS[name].default for name, text in new.items() if not text
    }
    given = read_request(feed.url, {name: text for name, text in new.items() if text}, ORIGIN).given
    return with_options(feed, {**emptied, **given})


def _refuse_name(app: App, wanted: Feed) -> None:
    """A name stands for one feed."""
    taken = [feed for feed in FollowedFeeds(app).all() if feed.name == wanted.name]
    if wanted.name and any(feed.url != wanted.url for feed in taken):
        raise SettingsError(
            [f"name = {wanted.name!r}: expected another name than that of {taken[0].url}"]
        )


async def try_selectors(
    engine: Engine, app: App, which: str, texts: Mapping[str, str]
) -> SelectorTrial | None:
    """How the kept page of an article would read with these options of its feed; nothing is saved.

    None where there is no such article, or its page is not kept. SettingsError tells what is wrong with the options.
    """
    article = find_article(app, which)
    kept = kept_page(app, article) if article is not None else None
    if article is None or kept is None:
        return None
    feed = app.store.feed(article.feed_url, moved=True) or Feed(
        url=article.feed_url or article.url, publisher=article.publisher, kind="rss"
    )
    trial = Trial(held=feed.hints, given=with_texts(feed, texts).hints)
    page = TrialPage(
        name=article.url,
        url=article.url,
        body=kept.page.body,
        content_type=kept.page.content_type,
        fetched_at=article.fetched_at,
        item=kept.item,
    )
    async for outcome in engine.spread([page], trial):
        if isinstance(outcome, Lost):
            return _untried(article.url, outcome.message)
        tried = outcome.outcome
        after = tried.after or tried.before
        return SelectorTrial(
            url=article.url,
            before=tried.before,
            after=after,
            diff=diff_texts(tried.before.text, after.text),
            matched=tried.matched,
        )
    raise AssertionError("an engine gives an outcome for each piece of work")


def _untried(url: str, problem: str) -> SelectorTrial:
    unread = Read(error=problem)
    return SelectorTrial(
        url=url, before=unread, after=unread, diff=TextDiff(), matched={}, problem=problem
    )


def _followed(app: App, url: str) -> Feed:
    feed = app.store.feed(url, moved=True)
    if feed is None:
        raise no_such_feed(url)
    return feed
