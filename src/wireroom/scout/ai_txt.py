"""Step: ai.txt, a robots.txt for training, by Spawning's convention."""

from __future__ import annotations

from wireroom.model import Finding
from wireroom.parse.robots import Robots
from wireroom.parse.signals.ai_txt import read_ai_txt
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import TextFacts, robots_text, to_facts
from wireroom.scout.findings import finding
from wireroom.scout.wellknown import well_known


async def look(case: StepContext) -> Finding:
    """The file, kept as its text so that any address can be judged by it."""
    answered = await well_known(case, "/ai.txt", _read)
    if answered.file is None:
        nothing = {"url": answered.url, "text": "", "reason": answered.why}
        return finding(case, "ai_txt", "no", nothing, answered.evidence())
    body, robots = answered.file
    facts = to_facts(TextFacts(url=answered.url, text=robots_text(body)))
    facts["groups"] = count = len(robots.groups)
    message = f"{count} group{'' if count == 1 else 's'}"
    return finding(case, "ai_txt", "yes", facts, answered.evidence(message))


def _read(body: bytes, _url: str, media_type: str) -> tuple[bytes, Robots]:
    return body, read_ai_txt(body, content_type=media_type)


PLUG = Step("ai_txt", "ai.txt", look)
