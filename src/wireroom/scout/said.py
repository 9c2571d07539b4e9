"""What pages say of themselves, for the steps that listen: the homepage and the page in question.

A page is walked once for all of them. What was heard on other pages before is kept beside it, so that a
publisher's dossier grows with every page that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Protocol, TypeVar

from wireroom.errors import FetchError, StatusError
from wireroom.model import FindingVerdict
from wireroom.parse.signals.page import PageSignals, read_page_signals
from wireroom.ports import StepContext
from wireroom.rights.facts import facts_of
from wireroom.scout.documents import page_at

MAX_PAGES = 20  # remembered per publisher; more would say the same again
FRESH_FOR = timedelta(hours=24)  # for which the homepage need not be asked again for another page


class _Page(Protocol):
    @property
    def url(self) -> str: ...


P = TypeVar("P", bound=_Page)
T = TypeVar("T")


async def page_signals(case: StepContext, url: str) -> tuple[PageSignals, FetchError | None]:
    """What the page at the address says; a refusal is heard as well: its headers may name terms."""

    async def make() -> tuple[PageSignals, FetchError | None]:
        try:
            page = await page_at(case, url)
        except StatusError as error:
            if not error.headers:
                raise
            return read_page_signals(None, url=url, headers=error.headers), error
        return read_page_signals(page.page, url=page.url, headers=page.response.headers), None

    return await case.once(f"signals {url}", make)


async def heard(case: StepContext) -> tuple[tuple[PageSignals, ...], FetchError | None]:
    """What the homepage and the page in question say, and why one of them says nothing."""
    said: list[PageSignals] = []
    failure: FetchError | None = None
    for url in dict.fromkeys((case.publisher.home_url, case.url)):
        if url != case.url and _is_known(case, url):
            continue
        try:
            signals, refused = await page_signals(case, url)
        except FetchError as error:
            failure = error
            continue
        said.append(signals)
        failure = refused or failure
    return tuple(said), failure


def verdict(found: object, failure: FetchError | None) -> FindingVerdict:
    """Yes for whatever was found; no only when every page could be looked at."""
    if found:
        return "yes"
    return "no" if failure is None else "unknown"


def fresh_before(case: StepContext, kind: type[T]) -> T | None:
    """What this step knew already, if that is recent."""
    if case.before is None or not _is_recent(case):
        return None
    return facts_of(case.before, kind)


def laid_over(
    before: Iterable[P], now: Iterable[P], is_empty: Callable[[P], bool]
) -> tuple[P, ...]:
    """Pages heard before and now, the latest word of each; who says nothing is left out."""
    pages = {page.url: page for page in before}
    for page in now:
        pages.pop(page.url, None)
        pages[page.url] = page
    return tuple(page for page in pages.values() if not is_empty(page))[-MAX_PAGES:]


def about_this_page(
    case: StepContext, said: Iterable[PageSignals], failure: FetchError | None
) -> dict[str, Any]:
    """The facts every such step keeps: which page it was about, whom it heard, who said nothing."""
    known = case.before.facts.get("heard", ()) if _is_recent(case) and case.before else ()
    return {
        "page_url": case.url,
        "heard": list(dict.fromkeys([*known, *(page_signals.url for page_signals in said)]))[
            -MAX_PAGES:
        ],
        "error": failure.reason if failure else None,
    }


def _is_known(case: StepContext, home_url: str) -> bool:
    """Whether the homepage was heard within the day."""
    before = case.before
    return before is not None and _is_recent(case) and home_url in before.facts.get("heard", ())


def _is_recent(case: StepContext) -> bool:
    return case.before is not None and case.before.found_at >= case.now - FRESH_FOR
