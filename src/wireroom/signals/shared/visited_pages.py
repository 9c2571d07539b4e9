"""What pages hold that signals read: the homepage and the page in question.

A page is walked once for all signals. What was read on other pages before is kept beside it, so that a
publisher's dossier grows with every page that is visited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from wireroom.errors import FetchError, StatusError
from wireroom.model import FindingOutcome
from wireroom.parse.page_tags import PageTags, read_page_tags
from wireroom.ports import StepContext
from wireroom.rights.finding_index import facts_of
from wireroom.signals.shared.documents import page_at

MAX_PAGES = 20  # remembered per publisher; more would say the same again
FRESH_FOR = timedelta(hours=24)  # for which the homepage need not be asked again for another page


class _Page(Protocol):
    @property
    def url(self) -> str: ...


P = TypeVar("P", bound=_Page)
T = TypeVar("T")


async def page_tags_at(context: StepContext, url: str) -> tuple[PageTags, FetchError | None]:
    """What the page at the address holds; a refusal is read as well: its headers may name terms."""

    async def make() -> tuple[PageTags, FetchError | None]:
        try:
            page = await page_at(context, url)
        except StatusError as error:
            if not error.headers:
                raise
            return read_page_tags(None, url=url, headers=error.headers), error
        return read_page_tags(page.page, url=page.url, headers=page.response.headers), None

    return await context.once(f"page tags {url}", make)


async def visited_pages(
    context: StepContext,
) -> tuple[tuple[PageTags, ...], FetchError | None]:
    """The homepage and the page in question, and why one of them could not be read."""
    pages: list[PageTags] = []
    failure: FetchError | None = None
    for url in dict.fromkeys((context.publisher.home_url, context.url)):
        if url != context.url and _is_known(context, url):
            continue
        try:
            tags, refused = await page_tags_at(context, url)
        except FetchError as error:
            failure = error
            continue
        pages.append(tags)
        failure = refused or failure
    return tuple(pages), failure


def outcome_of(found: object, failure: FetchError | None) -> FindingOutcome:
    """Yes for whatever was found; no only when every page could be read."""
    if found:
        return "yes"
    return "no" if failure is None else "unknown"


def fresh_before(context: StepContext, kind: type[T]) -> T | None:
    """What this step knew already, if that is recent."""
    if context.before is None or not _is_recent(context):
        return None
    return facts_of(context.before, kind)


def laid_over(
    before: Iterable[P], now: Iterable[P], is_empty: Callable[[P], bool]
) -> tuple[P, ...]:
    """Pages read before and now, the latest word of each; who says nothing is left out."""
    pages = {page.url: page for page in before}
    for page in now:
        pages.pop(page.url, None)
        pages[page.url] = page
    return tuple(page for page in pages.values() if not is_empty(page))[-MAX_PAGES:]


def about_this_page(
    context: StepContext, pages: Iterable[PageTags], failure: FetchError | None
) -> dict[str, Any]:
    """The notes every such step keeps: which page it was about, which it read, why one was not read."""
    before = context.before if _is_recent(context) else None
    known = before.facts.get("heard", ()) if before is not None else ()
    return {
        "page_url": context.url,
        "heard": list(dict.fromkeys([*known, *(page.url for page in pages)]))[-MAX_PAGES:],
        "error": failure.reason if failure else None,
    }


def _is_known(context: StepContext, home_url: str) -> bool:
    """Whether the homepage was read within the day."""
    before = context.before
    return before is not None and _is_recent(context) and home_url in before.facts.get("heard", ())


def _is_recent(context: StepContext) -> bool:
    return context.before is not None and context.before.found_at >= context.now - FRESH_FOR
