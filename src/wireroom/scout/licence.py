"""Step: Creative Commons and other licences, and schema.org's fields about rights."""

from __future__ import annotations

from collections.abc import Iterator

from wireroom.model import Evidence, Finding
from wireroom.parse.signals.licences import LicenceNotice, LicencePage, licence_code
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import LicenceFacts, to_facts
from wireroom.scout.extensions import kept_robots
from wireroom.scout.findings import finding
from wireroom.scout.said import about_this_page, fresh_before, heard, laid_over, verdict


async def look(case: StepContext) -> Finding:
    """Which licences the pages and robots.txt name; raises FetchError when nothing could be read."""
    said, failure = await heard(case)
    known = fresh_before(case, LicenceFacts)
    named = _in_robots(case)
    if failure is not None and not (said or known or named):
        raise failure
    now = [*([named] if named else []), *(page_signals.licence for page_signals in said)]
    pages = laid_over(known.pages if known else (), now, _is_empty)
    codes = sorted({notice.code for page in pages for notice in page.notices if notice.code})
    facts = to_facts(LicenceFacts(pages=pages)) | about_this_page(case, said, failure)
    facts["codes"] = codes
    return finding(case, "licence", verdict(pages, failure), facts, *_evidence(pages))


def _in_robots(case: StepContext) -> LicencePage | None:
    """`License:` lines that name a licence for everybody, which is no document of RSL."""
    url, robots = kept_robots(case)
    notices = tuple(
        LicenceNotice(url=line.value, code=code, place="robots", excerpt=f"License: {line.value}")
        for line in robots.extensions
        if line.name == "license" and (code := licence_code(line.value))
    )
    return LicencePage(url=url, notices=notices) if notices else None


def _is_empty(page: LicencePage) -> bool:
    return not page.notices and not page.fields


def _evidence(pages: tuple[LicencePage, ...]) -> Iterator[Evidence]:
    for page in pages:
        for notice in page.notices:
            yield Evidence(url=page.url, excerpt=notice.excerpt or notice.url)
        for field in page.fields:
            yield Evidence(url=page.url, excerpt=f"{field.name}: {field.value}")


PLUG = Step("licence", "Licence", look, ("robots",), about="page")
