"""Scouting step: what stands between a reader and the text: free, metered, locked, registration, or unknown.

One page says something about that page. The publisher's class is that of most of the pages looked at
lately; a page that says nothing never overwrites one that did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from wireroom.display_text import counted
from wireroom.model import Evidence, Facts, Finding, FindingOutcome
from wireroom.ports import Step, StepContext, Summary, SummaryRow, Tone
from wireroom.rights.finding_index import MEASURED
from wireroom.scout.sample import NEEDS, sample_page
from wireroom.signals.shared import finding

MAX_SHOWN = 3  # pages beneath the line of a card
MAX_PAGES = 20  # remembered; older ones say what the publisher used to do


async def run(context: StepContext) -> Finding:
    """The class of the sample page with its evidence, and that of the publisher."""
    sample = await sample_page(context)
    pages = _before(context)
    if sample is None:
        return _described(context, "unknown", None, pages, ())
    status, claims = sample.marks.paywall, sample.marks.paywall_claims
    pages.pop(sample.page.url, None)
    pages[sample.page.url] = {"status": status, "at": context.now.isoformat()}
    notes = tuple(sample.page.evidence(f"{source}: {value}") for source, value in claims)
    marked = (value for source, value in claims if "isAccessibleForFree" in source)
    accessible = next((value == "free" for value in marked), None)
    return _described(context, status, accessible, pages, notes)


def _described(
    context: StepContext,
    status: str,
    accessible: bool | None,
    pages: dict[str, Any],
    notes: tuple[Evidence, ...],
) -> Finding:
    recent = dict(list(pages.items())[-MAX_PAGES:])
    publisher = _of_publisher(recent)
    facts = {
        "page_url": context.url,
        "paywall_status": status,
        "publisher_status": publisher,
        "has_paywall": None if publisher == "unknown" else publisher != "free",
        "signals": [note.excerpt for note in notes],
        "schema_accessible": accessible,
        MEASURED: {"pages": recent},
    }
    outcome: FindingOutcome = "yes" if facts["has_paywall"] else "no"
    return finding(
        context, "paywall", "unknown" if publisher == "unknown" else outcome, facts, *notes
    )


def _before(context: StepContext) -> dict[str, Any]:
    measured = context.before.facts.get(MEASURED) if context.before else None
    pages = measured.get("pages") if isinstance(measured, Mapping) else None
    return dict(pages) if isinstance(pages, Mapping) else {}


def _of_publisher(pages: Mapping[str, Mapping[str, str]]) -> str:
    """The class of most pages that have one; of equal ones the closed one, for it is the rarer claim."""
    counts = Counter(page["status"] for page in pages.values() if page["status"] != "unknown")
    if not counts:
        return "unknown"
    return max(counts, key=lambda status: (counts[status], status != "free", status))


def summary(facts: Facts) -> Summary:
    """The class of the publisher, and the newest of the pages that say so."""
    status = facts.get("publisher_status", "unknown")
    pages = facts.get(MEASURED, {}).get("pages", {})
    text = counted(len(pages), "page") + " read"
    if status == "unknown":
        return Summary(text=text)
    rows = tuple(
        SummaryRow(url=str(url), text=str(page["status"]))
        for url, page in list(pages.items())[-MAX_SHOWN:]
    )
    tone: Tone = "good" if status == "free" else "bad" if status == "locked" else "mixed"
    return Summary(text=f"{status} ({text})", tone=tone, rows=rows)


PLUG = Step(
    "paywall",
    "Paywall",
    run,
    NEEDS,
    about="page",
    section="access",
    order=60,
    summary=summary,
    compared=("publisher_status",),
)
