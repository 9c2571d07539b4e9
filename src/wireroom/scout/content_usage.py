"""Step: Content-Usage: the IETF's preferences in robots.txt, and the header of the same name.

The lines in robots.txt are heard from the step `robots`, which this one needs for its evidence alone.
"""

from __future__ import annotations

from wireroom.model import Evidence, Finding
from wireroom.parse.signals.page import HeaderPage
from wireroom.ports import Case, Step
from wireroom.rights.facts import HeaderFacts, to_facts
from wireroom.scout.extensions import robots_lines
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, laid_over, verdict

__all__ = ["PLUG"]


async def look(case: Case) -> Finding:
    """What robots.txt and the pages' headers say; one of the two is enough to look at."""
    said, failure = await heard(case)
    known = fresh_before(case, HeaderFacts)
    lines = robots_lines(case, "content-usage")
    if failure is not None and not (said or known or lines):
        raise failure
    pages = laid_over(known.pages if known else (), [one.content_usage for one in said], _is_empty)
    facts = to_facts(HeaderFacts(pages=pages)) | about_this_page(case, said, failure)
    facts["lines"] = [{"line": one.line, "excerpt": one.excerpt} for one in lines]
    notes = [Evidence(url=page.url, excerpt=value) for page in pages for value in page.values]
    return finding(case, "content_usage", verdict(lines or pages, failure), facts, *lines, *notes)


def _is_empty(page: HeaderPage) -> bool:
    return not page.values


PLUG = Step("content_usage", "AIPREF Content-Usage", look, ("robots",), about="page")
