"""Step: X-Robots-Tag headers and meta robots of the homepage and the page in question."""

from __future__ import annotations

from collections.abc import Sequence

from wireroom.model import Evidence, Finding
from wireroom.parse.signals.robots_tag import RobotsTagPage
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import RobotsTagFacts, to_facts
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, laid_over, verdict


async def look(case: StepContext) -> Finding:
    """Which directives the pages carry; raises FetchError when no page could be had."""
    said, failure = await heard(case)
    known = fresh_before(case, RobotsTagFacts)
    if not said and known is None and failure is not None:
        raise failure
    pages = laid_over(
        known.pages if known else (), [page_signals.robots_tag for page_signals in said], _is_empty
    )
    facts = to_facts(RobotsTagFacts(pages=pages)) | about_this_page(case, said, failure)
    return finding(case, "robots_tag", verdict(pages, failure), facts, *_evidence(pages))


def _is_empty(page: RobotsTagPage) -> bool:
    return not page.directives and not page.nosnippet_parts


def _evidence(pages: Sequence[RobotsTagPage]) -> list[Evidence]:
    """Each line once: a header of three directives is one."""
    lines = (
        Evidence(url=page.url, excerpt=directive.excerpt or directive.name)
        for page in pages
        for directive in page.directives
    )
    return list(dict.fromkeys(lines))


PLUG = Step("robots_tag", "X-Robots-Tag and meta robots", look, about="page")
