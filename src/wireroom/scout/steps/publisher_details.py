"""Scouting step: who publishes, by the homepage's own description of organisations.

A page names many bodies; each is scored by how surely it is the one the site belongs to.
"""

from __future__ import annotations

from typing import Any

from wireroom.model import Facts, Finding
from wireroom.parse.metadata import Organisation
from wireroom.ports import Step, StepContext, Summary
from wireroom.signals.documents import home_page
from wireroom.signals.shared import finding
from wireroom.urls import same_page

_FRAGMENTS = ("organization", "organisation", "publisher", "brand")
_NAMED_AS = frozenset({"publisher", "author", "isPartOf"})


async def run(context: StepContext) -> Finding:
    """The likeliest organisation; a page that names none says no."""
    page = await home_page(context)
    bodies = page.reading.front.organisations
    scored = [(score(body, context.publisher.home_url), body) for body in bodies]
    likely = [pair for pair in scored if pair[0] > 0 or pair[1].url or pair[1].id]
    if not likely:
        facts: dict[str, Any] = {"found": False, "source": None, "score": 0, "organization": None}
        return finding(
            context,
            "publisher_details",
            "no",
            facts | {"candidate_count": len(bodies)},
            page.evidence("no organisation is described"),
        )
    points, best = max(likely, key=lambda pair: pair[0])
    facts = {
        "found": True,
        "source": "json-ld" if best.id or best.roles else "structured data",
        "score": points,
        "organization": _described(best),
        "candidate_count": len(bodies),
    }
    return finding(context, "publisher_details", "yes", facts, page.evidence(best.name))


def score(body: Organisation, home_url: str) -> int:
    """How surely this body is the publisher of the site."""
    points = 4 if _is_home(body.id, home_url) else 0
    points += 3 if _is_home(body.url, home_url) else 0
    points += 3 if body.type == "newsmediaorganization" else 0
    points += 2 if body.id.partition("#")[2].lower().endswith(_FRAGMENTS) else 0
    points += 2 if _NAMED_AS & set(body.roles) else 0
    points += sum(map(bool, (body.logo_url, body.same_as)))
    return points + any(key in body.more for key in ("contactPoint", "address", "email"))


def _is_home(url: str, home_url: str) -> bool:
    return same_page(url.partition("#")[0], home_url)


def _described(body: Organisation) -> dict[str, Any]:
    return {
        "name": body.name,
        "type": body.type,
        "url": body.url,
        "id": body.id,
        "logo": body.logo_url,
        "same_as": list(body.same_as),
        "roles": list(body.roles),
        "more": dict(body.more),
    }


def summary(facts: Facts) -> Summary:
    """The name of the publisher."""
    organisation = facts.get("organization")
    if not organisation:
        return Summary(text="does not describe itself")
    return Summary(text=str(organisation.get("name") or "unnamed"), tone="good")


def _compared(facts: Facts) -> object:
    return (facts.get("organization") or {}).get("name")


PLUG = Step(
    "publisher_details",
    "Publisher",
    run,
    section="metadata",
    order=10,
    summary=summary,
    compared=_compared,
)
