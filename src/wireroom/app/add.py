"""Following what an operator names: publishers, feeds, sitemaps and APIs, one or many at once.

How an address is looked at and chosen from stands in `adding`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from wireroom.app.concurrency import run_concurrently
from wireroom.errors import FetchError, SettingsError
from wireroom.model import Feed, FeedKind, FeedOptions, with_options
from wireroom.parse.opml_outlines import read_opml as read_opml
from wireroom.poll.feed_choice import Pick as Pick
from wireroom.poll.feed_diff import FieldChange as FieldChange
from wireroom.scout.address import read_address
from wireroom.settings.feed_text import read_feed_text

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.scout.runner import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRequest:
    """What the operator says of the feeds to be added; all of it may be left to us."""

    given: Mapping[str, Any] = field(default_factory=dict)
    """Options by name, each checked; one that is not here stays as it is."""
    title: str = ""
    """What others call it, until the feed says so itself."""
    called: str = ""
    """What a list of another reader calls it: its name, if it has none and no other feed is called so."""
    publisher: str = ""
    kind: FeedKind | None = None
    enabled: bool = True

    @property
    def options(self) -> FeedOptions:
        """The options of a feed of which nothing else was said before."""
        return with_options(FeedOptions(), self.given)

    def applied_to(self, feed: Feed) -> Feed:
        """The feed with what the operator says of it; what is not said stays."""
        return replace(
            with_options(feed, self.given),
            title=feed.title or self.title,
            kind=self.kind or feed.kind,
            state=feed.state if self.enabled else "paused",
        )

    def without_name(self) -> AddRequest:
        """The same for a feed beside the one that has the name."""
        given = {name: value for name, value in self.given.items() if name != "name"}
        return replace(self, given=given)


def read_request(target: str, texts: Mapping[str, str], origin: str) -> AddRequest:
    """What is said of the feed at this address, in texts; SettingsError tells all that is wrong."""
    feed = read_feed_text(read_address(target).candidates[0], texts, origin)
    return AddRequest(
        given=feed.values_said(), publisher=feed.publisher, kind=feed.kind, enabled=feed.enabled
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of one address."""

    target: str
    outcome: Literal["added", "known", "refused", "nothing"]
    publisher: str = ""
    taken: tuple[Pick, ...] = ()
    left: tuple[Pick, ...] = ()
    changed: tuple[FieldChange, ...] = ()
    """Of feeds that were followed before: what is said of them now, and was not."""
    reason: str = ""
    """Why it was refused, or why there is nothing to follow."""
    kind: str = ""
    """When its front page could not be had: the kind of the problem."""
    page_url: str = ""
    """The address that was named, where it is a page and its publisher's feeds were taken instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What became of one of many addresses: it was added, or why it could not be told what it is."""

    place: int
    """Which of the addresses it was, counted from 0."""
    added: Added | None = None
    error: FetchError | SettingsError | None = None


async def add_many(
    app: App,
    targets: Sequence[tuple[str, AddRequest]],
    *,
    scout: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> AsyncGenerator[AddResult, None]:
    """What becomes of each address, as it is known; one that fails stops no other.

    With `scout` off nobody is asked. The steps of visits are reported to `progress`.
    """
    from wireroom.app.factories import open_adding

    async with open_adding(app, app.settings, scout=scout, watch=progress) as adding:

        async def add(place: int) -> AddResult:
            try:
                return AddResult(place=place, added=await adding.add(*targets[place]))
            except (FetchError, SettingsError) as error:
                return AddResult(place=place, error=error)

        at_once = app.settings.scout.at_once
        async with aclosing(run_concurrently(range(len(targets)), add, at_once=at_once)) as results:
            async for result in results:
                yield result
