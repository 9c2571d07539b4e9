"""Step: what robots.txt is there, in which of RFC 9309's states, and what it says to everybody.

The text itself is kept, so that any page can be judged by it later without asking again. What it says
of one page is the step `access`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wireroom.model import Evidence, Finding, FindingVerdict
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import RobotsFacts, robots_text, to_facts
from wireroom.scout.documents import RobotsFile, robots_file
from wireroom.scout.findings import finding
from wireroom.urls import resolve
from wireroom.version import TOKEN

_VERDICTS: dict[str, FindingVerdict] = {"found": "yes", "absent": "no"}


async def look(case: StepContext) -> Finding:
    """The robots.txt of the page's own origin."""
    file = await robots_file(case)
    facts = RobotsFacts(
        url=file.url,
        state=file.state if file.state in {"found", "absent"} else "unreachable",
        text=robots_text(file.body) if file.state == "found" else "",
    )
    return finding(
        case,
        "robots",
        _VERDICTS.get(file.state, "unknown"),
        to_facts(facts) | _summary(file),
        *_evidence(file),
    )


def _summary(file: RobotsFile) -> dict[str, Any]:
    robots = file.robots
    delay = robots.crawl_delay(TOKEN)
    return {
        "robots_found": file.state == "found",
        "robots_state": file.state,
        "status_code": file.status,
        "reason": file.reason,
        "sitemaps_from_robots": list(_sitemaps(file)),
        "crawl_delay": delay.total_seconds() if delay else None,
        "license_directives": [
            {"url": line.value, "line": line.line, "agents": list(line.agents)}
            for line in robots.extensions
            if line.name == "license"
        ],
        "lint": [
            {"code": flaw.code, "line": flaw.line, "detail": flaw.detail} for flaw in robots.lint
        ],
        "raw_length": len(file.body),
        "truncated": file.truncated or robots.truncated,
    }


def _sitemaps(file: RobotsFile) -> Iterator[str]:
    """Each sitemap once, in the file's order, as a whole address."""
    seen = set()
    for line in file.robots.sitemaps:
        try:
            url = resolve(file.url, line.url)
        except ValueError:
            continue
        if url not in seen:
            seen.add(url)
            yield url


def _evidence(file: RobotsFile) -> Iterator[Evidence]:
    yield Evidence(url=file.url, status=file.status, excerpt=file.reason)
    for line in file.robots.sitemaps[:10]:
        yield Evidence(
            url=file.url, line=line.line, excerpt=f"Sitemap: {line.url}", status=file.status
        )


PLUG = Step("robots", "robots.txt", look)
