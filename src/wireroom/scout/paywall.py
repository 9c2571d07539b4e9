"""Step: what stands between a reader and the text: free, metered, locked, registration, or unknown.

One page says something about that page. The publisher's class is that of most of the pages looked at
lately; a page that says nothing never overwrites one that did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from wireroom.model import Evidence, Finding, FindingVerdict
from wireroom.ports import Step, StepContext
from wireroom.scout.findings import MEASURED, finding
from wireroom.scout.sample import NEEDS, sample_page

MAX_PAGES = 20  # remembered; older ones say what the publisher used to do


async def look(case: StepContext) -> Finding:
    """The class of the sample page with its evidence, and that of the publisher."""
    sample = await sample_page(case)
    pages = _before(case)
    if sample is None:
        return _told(case, "unknown", None, pages, ())
    said = sample.metadata.paywall
    pages.pop(sample.page.url, None)
    pages[sample.page.url] = {"status": said.value, "at": case.now.isoformat()}
    notes = tuple(sample.page.evidence(f"{claim.source}: {claim.value}") for claim in said.claims)
    marked = (claim for claim in said.claims if "isAccessibleForFree" in claim.source)
    accessible = next((claim.value == "free" for claim in marked), None)
    return _told(case, said.value, accessible, pages, notes)


def _told(
    case: StepContext,
    status: str,
    accessible: bool | None,
    pages: dict[str, Any],
    notes: tuple[Evidence, ...],
) -> Finding:
    recent = dict(list(pages.items())[-MAX_PAGES:])
    publisher = _of_publisher(recent)
    facts = {
        "page_url": case.url,
        "paywall_status": status,
        "publisher_status": publisher,
        "has_paywall": None if publisher == "unknown" else publisher != "free",
        "signals": [note.excerpt for note in notes],
        "schema_accessible": accessible,
        MEASURED: {"pages": recent},
    }
    verdict: FindingVerdict = "yes" if facts["has_paywall"] else "no"
    return finding(case, "paywall", "unknown" if publisher == "unknown" else verdict, facts, *notes)


def _before(case: StepContext) -> dict[str, Any]:
    measured = case.before.facts.get(MEASURED) if case.before else None
    pages = measured.get("pages") if isinstance(measured, Mapping) else None
    return dict(pages) if isinstance(pages, Mapping) else {}


def _of_publisher(pages: Mapping[str, Mapping[str, str]]) -> str:
    """The class of most pages that have one; of equal ones the closed one, for it is the rarer claim."""
    counts = Counter(page["status"] for page in pages.values() if page["status"] != "unknown")
    if not counts:
        return "unknown"
    return max(counts, key=lambda status: (counts[status], status != "free", status))


PLUG = Step("paywall", "Paywall", look, NEEDS, about="page")
