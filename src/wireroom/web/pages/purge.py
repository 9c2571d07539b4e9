"""`/api/v1/purge`: what would go is planned, and goes when its plan is sent back: exactly that, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Response

from wireroom.app.feeds import no_such_feed
from wireroom.app.purge import (
    PurgePlan,
    feeds_to_purge,
    purge_forbidden,
    purge_raw_pages,
)
from wireroom.dates.durations import read_duration
from wireroom.errors import SettingsError
from wireroom.ports import WebPage
from wireroom.web.api_requests import LONGEST_TAGS, LONGEST_URL, require_plan, tag_of
from wireroom.web.web_context import Web, WebContext
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("articles")

MOST_PURGED = 10_000  # articles that one call removes; it takes some seconds

Scope = Literal["articles", "raw_pages", "forbidden"]
ScopeGiven = Annotated[
    Scope,
    Query(
        description="Articles with their versions and raw pages; raw pages alone; or what the policy no longer lets us "
        "keep, by what publishers say now."
    ),
]
OlderThan = Annotated[
    str, Query(max_length=40, description="What is older than that, such as `90d`.")
]
Feed = Annotated[
    str, Query(max_length=LONGEST_URL, description="What came by this feed: its address or name.")
]
Publisher = Annotated[str, Query(max_length=253, description="What this publisher published.")]
Matching = Annotated[
    str,
    Query(alias="q", max_length=1_000, description="What matches, as `wireroom search` reads it."),
]
PlanTag = Annotated[
    str,
    Header(
        alias="If-Match",
        max_length=LONGEST_TAGS,
        description="The `tag` of the plan that was seen. Without it nothing is done (428), nor when the plan is "
        "another now (412).",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPurge:
    """What would go; nothing is changed."""

    scope: Scope
    tag: str
    """Stands for exactly this; also its ETag."""
    articles: int = 0
    """Articles that would be removed."""
    has_more: bool = False
    """Whether more are like that: one call removes ten thousand."""
    reduced: int = 0
    """Of `forbidden`: articles whose text would go."""
    raw_pages: int = 0
    """Of `raw_pages`: how many."""
    publishers: Mapping[str, int] = field(default_factory=dict)
    """How many articles of each publisher."""
    oldest_at: datetime | None = None
    newest_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeOutcome:
    """What went, for good."""

    scope: Scope
    articles: int = 0
    versions: int = 0
    raw_pages: int = 0
    reduced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeChoice:
    """What is to go: all of it has to hold."""

    scope: Scope = "articles"
    older_than: timedelta | None = None
    feed: str = ""
    publisher: str = ""
    query: str = ""


def chosen(
    scope: ScopeGiven = "articles",
    older_than: OlderThan = "",
    feed: Feed = "",
    publisher: Publisher = "",
    q: Matching = "",
) -> PurgeChoice:
    """What the parameters mean; SettingsError for what would mean two things."""
    names = {"older_than": older_than, "feed": feed, "publisher": publisher, "q": q}
    given = [name for name, text in names.items() if text.strip()]
    takes = {"articles": set(names), "raw_pages": {"older_than", "feed"}, "forbidden": set()}
    if wrong := [name for name in given if name not in takes[scope]]:
        raise SettingsError([f"{', '.join(wrong)}: not for scope {scope}"], hint="Leave it out.")
    if scope == "articles" and not given:
        hint = f"Name {', '.join(names)}, or another scope."
        raise SettingsError(["Nothing says what is to go."], hint=hint)
    return PurgeChoice(
        scope=scope,
        older_than=_span(older_than),
        feed=feed.strip(),
        publisher=publisher.strip(),
        query=q,
    )


def _span(text: str) -> timedelta | None:
    try:
        return read_duration(text) if text.strip() else None
    except ValueError as exc:
        raise SettingsError([f"older_than {text}: {exc}"]) from exc


Chosen = Annotated[PurgeChoice, Depends(chosen)]


@api.get("/purge", operation_id="plan_purge", summary="Plan what is to be purged")
def plan_purge(response: Response, web: Web, what: Chosen) -> PlannedPurge:
    """How much would go. Its `tag` is handed to `POST /purge`, with the same parameters, to have exactly that removed."""
    planned = _planned(web, what).shown
    response.headers["ETag"] = planned.tag
    return planned


@api.post("/purge", operation_id="purge", summary="Remove for good what was planned")
def purge(web: Web, what: Chosen, plan_tag: PlanTag = "") -> PurgeOutcome:
    """Exactly the articles of the plan with this tag, or nothing; of the other scopes as many as it says. Their pages are not fetched again. Sent again it finds another plan (412): nothing goes twice."""
    planned = _planned(web, what)
    require_plan(plan_tag, planned.shown.tag)
    if what.scope == "forbidden":
        done = purge_forbidden(web.app)
        return PurgeOutcome(scope=what.scope, articles=done.removed, reduced=done.reduced)
    if what.scope == "raw_pages":
        return PurgeOutcome(scope=what.scope, raw_pages=_raw_pages(web, what, dry_run=False))
    gone = web.app.purge(planned.plan)
    return PurgeOutcome(
        scope=what.scope, articles=gone.articles, versions=gone.versions, raw_pages=gone.raw_pages
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """A plan, and as it is shown."""

    shown: PlannedPurge
    plan: PurgePlan = field(default_factory=PurgePlan)


def _planned(web: WebContext, what: PurgeChoice) -> _Planned:
    if what.scope == "forbidden":
        found = purge_forbidden(web.app, dry_run=True)
        return _Planned(_shown(what, found, articles=found.removed, reduced=found.reduced))
    if what.scope == "raw_pages":
        count = _raw_pages(web, what, dry_run=True)
        return _Planned(_shown(what, count, raw_pages=count))
    plan = web.app.plan_purge(
        older_than=what.older_than,
        feed=what.feed,
        publisher=what.publisher,
        query=what.query,
        most=MOST_PURGED,
    )
    shown = _shown(
        what,
        plan.ids,
        articles=len(plan.ids),
        has_more=plan.has_more,
        publishers=plan.publishers,
        oldest_at=plan.oldest_at,
        newest_at=plan.newest_at,
    )
    return _Planned(shown, plan)


def _shown(what: PurgeChoice, names: object, **counts: Any) -> PlannedPurge:
    """The plan with a tag that stands for what was asked and for what would go."""
    return PlannedPurge(scope=what.scope, tag=tag_of((what, names)), **counts)


def _raw_pages(web: WebContext, what: PurgeChoice, *, dry_run: bool) -> int:
    before = web.app.clock() - what.older_than if what.older_than is not None else None
    feeds = feeds_to_purge(web.app, what.feed) if what.feed else ()
    if what.feed and not feeds:
        raise no_such_feed(what.feed)
    return purge_raw_pages(web.app, before=before, feed_urls=feeds, dry_run=dry_run)


PLUG = WebPage(name="purge", router=router, api=api)
