"""Scouting step: who stands in front of the server, by passive signs alone.

A CDN is not a block, a bot manager is not a challenge, and a server that did not answer says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wireroom.errors import FetchError, StatusError
from wireroom.model import Evidence, Facts, Finding
from wireroom.parse.fingerprints import AS_OF, Fingerprint, recognise
from wireroom.ports import Step, StepContext, Summary
from wireroom.signals.documents import answer_at
from wireroom.signals.shared import finding

_BLOCKS = frozenset({"challenge", "blocked_waf"})


async def run(context: StepContext) -> Finding:
    """What the headers of the homepage betray, whether it was given or refused."""
    try:
        response = await answer_at(context, context.publisher.home_url)
    except StatusError as error:
        return _refused(context, error)
    except FetchError as error:
        facts = _facts(()) | {"waf_detected": None, "error": error.reason}
        return finding(
            context, "waf", "unknown", facts, Evidence(url=error.url, excerpt=error.reason)
        )
    return _described(context, recognise(response.headers), response.final_url, response.status)


def _refused(context: StepContext, error: StatusError) -> Finding:
    prints = recognise(error.headers)
    blocked = error.kind in _BLOCKS
    if blocked and not any(print_.role == "challenge" for print_ in prints):
        maker = next((p.name for p in prints if p.role == "bot_manager"), "") or "unknown"
        prints = (Fingerprint(maker, "challenge", error.reason), *prints)
    return _described(context, prints, error.url, error.status)


def _described(
    context: StepContext, prints: tuple[Fingerprint, ...], url: str, status: int
) -> Finding:
    signs = (Evidence(url=url, status=status, excerpt=print_.sign) for print_ in prints)
    facts = _facts(prints) | {"status": status}
    return finding(context, "waf", "yes" if facts["waf_detected"] else "no", facts, *signs)


def _facts(prints: Iterable[Fingerprint]) -> dict[str, Any]:
    roles: dict[str, list[str]] = {"cdn": [], "bot_manager": [], "challenge": []}
    for print_ in prints:
        roles[print_.role].append(print_.name)
    guards = [*roles["challenge"], *roles["bot_manager"]]
    return {
        "waf_detected": bool(guards),
        "waf_type": guards[0] if guards else None,
        "cdn": roles["cdn"],
        "bot_manager": roles["bot_manager"],
        "challenged": bool(roles["challenge"]),
        "challenge_by": roles["challenge"],
        "method": "passive",
        "table_of": AS_OF,
    }


def summary(facts: Facts) -> Summary:
    """Who challenges, and who stands in front."""
    if facts.get("waf_detected") is None:
        return Summary(text="the server did not answer")
    cdn = f"CDN {', '.join(facts['cdn'])}" if facts.get("cdn") else "no CDN seen"
    if facts.get("challenged"):
        text = f"challenged by {', '.join(facts.get('challenge_by', ()))}; {cdn}"
        return Summary(text=text, tone="bad")
    if managers := facts.get("bot_manager"):
        return Summary(text=f"bot manager {', '.join(managers)}; {cdn}", tone="mixed")
    return Summary(text=f"no bot manager seen; {cdn}", tone="good")


PLUG = Step(
    "waf",
    "CDN, bot manager, challenge",
    run,
    section="access",
    label="In front of it",
    order=40,
    summary=summary,
    compared=("waf_detected", "cdn", "challenged", "challenge_by", "bot_manager"),
)
