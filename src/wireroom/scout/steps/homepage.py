"""Scouting step: what the homepage answered. Other steps read the same page."""

from __future__ import annotations

from wireroom.model import Facts, Finding
from wireroom.ports import Step, StepContext, Summary
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.documents import home_page
from wireroom.signals.shared import finding


async def run(context: StepContext) -> Finding:
    """Status, title and redirects; a homepage that cannot be had is a failed finding."""
    page = await home_page(context)
    title = page.reading.title or ""
    response = page.response
    facts = {
        "url": response.final_url,
        "status": response.status,
        "content_type": response.content_type,
        "title": title,
        "redirects": list(response.hops[1:]),
        "strategy": response.strategy,
        "truncated": response.truncated,
        MEASURED: {"bytes": len(response.body)},
    }
    return finding(context, "homepage", "yes", facts, page.evidence(title))


def summary(facts: Facts) -> Summary:
    """The status and the title, and by which scheme where that is not the first choice."""
    message = f"answered with {facts.get('status')}: {facts.get('title') or 'no title'}"
    instead = facts.get("instead_of")
    text = f"{message} (by {facts.get('scheme')}, not {instead})" if instead else message
    return Summary(text=text, tone="good")


PLUG = Step(
    "homepage",
    "Homepage",
    run,
    section="access",
    label="The server did",
    order=20,
    summary=summary,
    compared=("status", "title", "scheme", "instead_of"),
)
