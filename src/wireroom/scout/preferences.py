"""What two steps have in common: preferences in lines of robots.txt and in a header of the same name.

The lines are heard from the step `robots`, which such a step needs for its evidence alone.
"""

from __future__ import annotations

from collections.abc import Callable

from wireroom.model import Evidence, Finding
from wireroom.parse.robots.robots_scan import ExtensionName
from wireroom.parse.signals.page import HeaderPage, PageSignals
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import HeaderFacts, to_facts
from wireroom.scout.extensions import robots_lines
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, laid_over, verdict


def preference_step(
    name: str,
    title: str,
    *,
    lines_called: ExtensionName,
    header: Callable[[PageSignals], HeaderPage],
) -> Step:
    """A step that hears the lines and the header."""

    async def look(case: StepContext) -> Finding:
        """What robots.txt and the pages' headers say; one of the two is enough to look at."""
        said, failure = await heard(case)
        known = fresh_before(case, HeaderFacts)
        lines = robots_lines(case, lines_called)
        if failure is not None and not (said or known or lines):
            raise failure
        pages = laid_over(known.pages if known else (), map(header, said), _is_empty)
        facts = to_facts(HeaderFacts(pages=pages)) | about_this_page(case, said, failure)
        facts["lines"] = [
            {"line": evidence.line, "excerpt": evidence.excerpt} for evidence in lines
        ]
        notes = [Evidence(url=page.url, excerpt=value) for page in pages for value in page.values]
        return finding(case, name, verdict(lines or pages, failure), facts, *lines, *notes)

    return Step(name, title, look, ("robots",), about="page")


def _is_empty(page: HeaderPage) -> bool:
    return not page.values
