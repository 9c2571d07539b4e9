"""Step: the front door. Fetches the homepage that other steps read as well."""

from __future__ import annotations

from wireroom.model import Finding
from wireroom.ports import Step, StepContext
from wireroom.scout.documents import content_type, home_page
from wireroom.scout.findings import MEASURED, finding

MAX_TITLE = 300  # characters; the rest is for search engines


async def look(case: StepContext) -> Finding:
    """What answered at the front door; a homepage that cannot be had is a failed finding."""
    page = await home_page(case)
    title_tag = page.page.tree.css_first("title")
    title = title_tag.text().strip()[:MAX_TITLE] if title_tag else ""
    response = page.response
    facts = {
        "url": response.final_url,
        "status": response.status,
        "content_type": content_type(response),
        "title": title,
        "redirects": list(response.hops[1:]),
        "strategy": response.strategy,
        "truncated": response.truncated,
        MEASURED: {"bytes": len(response.body)},
    }
    return finding(case, "homepage", "yes", facts, page.evidence(title))


PLUG = Step("homepage", "Homepage", look)
