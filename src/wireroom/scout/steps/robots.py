"""Scouting step: what robots.txt is there, in which of RFC 9309's states, and what it says to everybody.

The text itself is kept, so that any page can be judged by it later without asking again. What it says
of one page is the step `access`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from wireroom.display_text import counted
from wireroom.model import Evidence, Facts, Finding, FindingOutcome, TypedFacts
from wireroom.ports import (
    CardDetails,
    CardFlaw,
    CardRobots,
    CardRule,
    Step,
    StepContext,
    Summary,
    SummaryRow,
)
from wireroom.rights.finding_index import UNSEEN, RobotsFacts, robots_text
from wireroom.signals.documents import NO_ROBOTS, RobotsAnswer, robots_file
from wireroom.signals.shared import earlier_facts, extension_lines, finding
from wireroom.urls import web_link
from wireroom.version import TOKEN

MAX_LICENCES = 100  # `License` lines that are kept beside the text; real files have up to three
MAX_AGENTS = 200  # of the group of each; the longest real groups have some 150
MAX_RULES = 200  # for us, kept beside the text; real groups have up to some hundred
MAX_SITEMAPS = 1_000  # resolved and kept; the longest real lists have some hundred
NO_SUCH_FILE = frozenset({400, 404, 405, 406, 410})
"""Statuses by which a server says that there is no file, rather than that we may not see it."""
_RIGHTS_LINE = re.compile(
    rb"(?:^|[\r\n>])[ \t]*+(?:user-agent|disallow|license|content-signal|content-usage)[ \t]*+:",
    re.IGNORECASE,
)
"""A line of a robots.txt in something that is none: in a page, or in an encoding that is not read."""
_VERDICTS: dict[str, FindingOutcome] = {"found": "yes", "absent": "no"}


async def run(context: StepContext) -> Finding:
    """The robots.txt of the page's own origin."""
    file = await robots_file(context)
    facts = RobotsFacts(
        url=file.url,
        asked_url=file.asked_url,
        # Behind a wall its words are unknown, and the host is as open as the fetcher takes it.
        state="found" if file.state == "found" else "absent" if file.opens else "unreachable",
        text=robots_text(file.body) if file.state == "found" else "",
    ).with_rules(file.robots if file.state == "found" else NO_ROBOTS)
    return finding(
        context,
        "robots",
        _VERDICTS.get(file.state, "unknown"),
        TypedFacts(facts, _notes(file) | _unseen(context, file)),
        *_evidence(file),
    )


def _notes(file: RobotsAnswer) -> dict[str, Any]:
    robots = file.robots
    delay = robots.crawl_delay(TOKEN)
    agent, rules = robots.rules_for(TOKEN)
    return {
        "agent": agent,
        "rules": [{"line": rule.line, "text": str(rule)} for rule in rules[:MAX_RULES]],
        "rules_in_all": len(rules),
        "robots_found": file.state == "found",
        "robots_state": file.state,
        "host_open": file.opens,
        "status_code": file.status,
        "reason": file.reason,
        "sitemaps_from_robots": list(_sitemaps(file)),
        "crawl_delay": delay.total_seconds() if delay else None,
        "license_directives": [
            {"url": line.value, "line": line.line, "agents": list(line.agents[:MAX_AGENTS])}
            for line in extension_lines(robots, "license")[:MAX_LICENCES]
        ],
        "lint": [
            {"code": flaw.code, "line": flaw.line, "detail": flaw.detail} for flaw in robots.lint
        ],
        "raw_length": len(file.body),
        "truncated": file.truncated or robots.truncated,
    }


def _unseen(context: StepContext, file: RobotsAnswer) -> dict[str, str]:
    """Why rights are not known from it: no answer, more than is read, or something else where a file was before.

    For access a page in its place, or any 4xx but 429, is no file (RFC 9309, 2.3.1.3). A refusal of rights is not repealed by
    that, and one that is kept from us may stand there.
    """
    if file.state not in {"found", "absent"}:
        return {UNSEEN: file.reason or file.state}
    if 400 <= (file.status or 0) < 500 and file.status not in NO_SUCH_FILE:
        return {UNSEEN: f"robots.txt is not shown to us: {file.reason}"}
    if file.truncated or file.robots.truncated:
        return {UNSEEN: "robots.txt is longer than what is read of it"}
    if file.robots.unread:
        return {UNSEEN: f"robots.txt: {file.robots.unread}"}
    if file.state == "absent" and _RIGHTS_LINE.search(file.body.replace(b"\x00", b"")):
        return {UNSEEN: f"robots.txt has lines that nobody can read: {file.reason}"}
    known = any(facts.state == "found" for facts in earlier_facts(context, RobotsFacts))
    if file.state == "absent" and file.body and known:
        return {UNSEEN: f"there was a robots.txt, and now there is something else: {file.reason}"}
    return {}


def _sitemaps(file: RobotsAnswer) -> Iterator[str]:
    """Each sitemap once, in the file's order, as a whole address of the web."""
    seen = set()
    for line in file.robots.sitemaps[:MAX_SITEMAPS]:
        url = web_link(file.url, line.url)
        if url and url not in seen:
            seen.add(url)
            yield url


def _evidence(file: RobotsAnswer) -> Iterator[Evidence]:
    yield Evidence(url=file.url, status=file.status, excerpt=file.reason)
    for line in file.robots.sitemaps[:10]:
        yield Evidence(
            url=file.url, line=line.line, excerpt=f"Sitemap: {line.url}", status=file.status
        )


_FLAWS: dict[str, str] = {
    "ambiguous_group": "a line between two User-agent lines: readers differ on which group it is in",
    "bad_crawl_delay": "Crawl-delay is no number of seconds",
    "binary": "it is no text",
    "bom": "a byte order mark before the first line",
    "empty_value": "nothing stands behind the colon",
    "html": "it is a page, no robots.txt",
    "line_cut": "a line longer than is read",
    "loose_licence": "a License line whose group is not clear",
    "malformed": "no line of it can be read",
    "misspelt": "a misspelt word",
    "missing_colon": "a line without a colon",
    "more": "more flaws than are listed",
    "nul": "a NUL byte in a line",
    "outside_group": "a rule before the first User-agent line",
    "too_long": "longer than is read",
    "unnamed_agent": "a User-agent line without a name that can be read",
}
"""What each flaw is called; its detail stands behind it."""
MAX_SHOWN_RULES = 3  # beneath the line of a card


def summary(facts: Facts) -> Summary:
    """Its state, its size, its pace and its flaws; beneath it, the rules for us and each flaw."""
    state = facts.get("robots_state")
    if state == "absent":
        return Summary(text="No robots.txt found: everything is allowed")
    if state != "found":
        # What is told is what is done: `opens_host` decides for the fetcher as well.
        done = (
            "taken for none, so pages are asked for"
            if facts.get("host_open")
            else "held until it can"
        )
        text = f"robots.txt could not be fetched ({facts.get('reason')}): {done}"
        return Summary(text=text)
    robots = _robots(facts)
    cut = " of a longer file" if facts.get("truncated") else ""
    parts = [f"found, {facts.get('raw_length', 0):,} bytes{cut}"]
    if robots.crawl_delay:
        parts.append(f"Crawl-delay {robots.crawl_delay:g} s")
    if robots.flaws:
        parts.append(counted(len(robots.flaws), "flaw"))
    return Summary(text=", ".join(parts), rows=tuple(_rows(robots)))


def _rows(robots: CardRobots) -> Iterator[SummaryRow]:
    if robots.rules:
        whom = "every bot" if robots.agent == "*" else robots.agent
        shown = ", ".join(rule.text for rule in robots.rules[:MAX_SHOWN_RULES])
        left = robots.rules_in_all - MAX_SHOWN_RULES
        more = f" and {left} more" if left > 0 else ""
        yield SummaryRow(text=f"rules for {whom}, us too: {shown}{more}")
    if robots.crawl_delay:
        yield SummaryRow(
            text=f"asks for {robots.crawl_delay:g} s between two requests (Crawl-delay)"
        )
    for flaw in robots.flaws:
        yield SummaryRow(text=f"flaw{f' in line {flaw.line}' if flaw.line else ''}: {flaw.text}")


def details(facts: Facts) -> CardDetails:
    """What it says to us."""
    return CardDetails(robots=_robots(facts)) if facts.get("robots_state") else CardDetails()


def _robots(facts: Facts) -> CardRobots:
    return CardRobots(
        url=str(facts.get("url", "")),
        state=str(facts.get("robots_state")),
        bytes=int(facts.get("raw_length", 0)),
        agent=str(facts.get("agent", "")),
        rules=tuple(
            CardRule(line=int(rule["line"]), text=str(rule["text"]))
            for rule in facts.get("rules", ())
        ),
        rules_in_all=int(facts.get("rules_in_all", 0)),
        crawl_delay=facts.get("crawl_delay"),
        flaws=tuple(
            CardFlaw(line=int(flaw["line"]), code=str(flaw["code"]), text=_flaw(flaw))
            for flaw in facts.get("lint", ())
        ),
    )


def _flaw(flaw: Facts) -> str:
    name, detail = _FLAWS.get(flaw["code"], str(flaw["code"])), str(flaw.get("detail") or "")
    return f"{name} ({detail})" if detail else name


def changes(before: Facts, after: Facts) -> Iterator[str]:
    """How many lines came and went; which of them speak of rights, the signals say."""
    old, new = before.get("robots_state"), after.get("robots_state")
    if old == new == "found":
        old_lines = Counter(str(before.get("text", "")).splitlines())
        new_lines = Counter(str(after.get("text", "")).splitlines())
        added, removed = (new_lines - old_lines).total(), (old_lines - new_lines).total()
        if added or removed:
            yield f"robots.txt: {counted(added, 'line')} added, {removed} removed"
    elif old != new:
        yield f"{summary(after).text} (before: {summary(before).text})"


PLUG = Step(
    "robots",
    "robots.txt",
    run,
    section="access",
    order=30,
    summary=summary,
    details=details,
    changes=changes,
)
