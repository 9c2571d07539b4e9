"""Step: llms.txt, a guide for language models: an offer, not a permission."""

from __future__ import annotations

from typing import Any

from wireroom.model import Finding
from wireroom.parse.signals.llms_txt import LlmsTxt, read_llms_txt
from wireroom.ports import Step, StepContext
from wireroom.scout.findings import finding
from wireroom.scout.wellknown import well_known


async def look(case: StepContext) -> Finding:
    """What the guide offers, section by section."""
    answered = await well_known(case, "/llms.txt", _read)
    guide = answered.file
    if guide is None:
        nothing = {"url": answered.url, "reason": answered.why}
        return finding(case, "llms_txt", "no", nothing, answered.evidence())
    links = [link for section in guide.sections for link in section.links]
    facts: dict[str, Any] = {
        "url": answered.url,
        "title": guide.title,
        "summary": guide.summary,
        "sections": [
            {"title": section.title, "links": len(section.links), "optional": section.optional}
            for section in guide.sections
        ],
        "links": len(links),
        "names_full_text": any(link.url.endswith("/llms-full.txt") for link in links),
        "truncated": guide.truncated or answered.truncated,
    }
    return finding(case, "llms_txt", "yes", facts, answered.evidence(guide.title))


def _read(body: bytes, url: str, media_type: str) -> LlmsTxt:
    return read_llms_txt(body, base_url=url, content_type=media_type)


PLUG = Step("llms_txt", "llms.txt", look)
