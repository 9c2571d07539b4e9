"""How long judging rights takes: every AI agent of the table, one address, all families.

Reading the file is counted, as a report asks once and then lets the file go. Protego, where it is
installed, answers the same questions about the same agents; it has neither classes nor lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from msgspec import to_builtins

from figures import Figure, main
from wireroom.model import Finding
from wireroom.parse.html import open_page
from wireroom.parse.page_tags import read_page_tags
from wireroom.parse.robots import read_robots
from wireroom.rights import agent_table, view_agents, view_classes
from wireroom.rights.finding_index import RobotsFacts, robots_text
from wireroom.signals import judge, page_findings
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice, read_rsl
from wireroom.town.permissions import guarded

PEER = "protego"
URL = "https://courier.test/news/2026/11/15/a-story.html?page=2"
SIZE = 5_000  # bytes: a robots.txt of a publisher that names its agents one by one
NOW = datetime(2026, 11, 15, tzinfo=UTC)


def measure(short: bool) -> Iterator[Figure]:
    """Every figure; `short` repeats less."""
    repeat = 3 if short else 50
    for name, body in _files().items():
        yield _agents_figure(name, body, repeat)
    findings = _guarded_findings()
    yield Figure(
        metric="five verdicts for one address, from stored findings (robots.txt, RSL, page)",
        unit="ms",
        ours=_best(lambda: judge(findings, URL), repeat),
    )


def _agents_figure(name: str, body: bytes, repeat: int) -> Figure:
    peer = _peer()
    text = body.decode()
    names = [agent.name for agent in agent_table().agents]

    def ask_theirs() -> None:
        robots = peer.parse(text)
        for agent in names:
            robots.can_fetch("https://courier.test/", agent)
            robots.can_fetch(URL, agent)

    return Figure(
        metric=f"{len(names)} agents, `/` and one address, {len(body) / 1000:.0f} KB, {name}",
        unit="ms",
        ours=_best(lambda: view_classes(view_agents(read_robots(body), URL)), repeat),
        peer=_best(ask_theirs, repeat) if peer else None,
        peer_name=PEER,
        aim="under 5",
    )


def _best(work: Callable[[], object], repeat: int) -> float:
    """The least CPU time of several runs, in milliseconds: what others do meanwhile is not ours."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1000


def _peer() -> Any:
    try:
        return import_module(PEER).Protego
    except ImportError:
        return None


# --- input -------------------------------------------------------------------------------------


def _files() -> dict[str, bytes]:
    names = [agent.name for agent in agent_table().agents]
    one_each = "".join(f"User-agent: {name}\nDisallow: /\n\n" for name in names[::2])
    shared = "".join(f"User-agent: {name}\n" for name in names[::2])
    return {
        "a group for each": _filled(one_each + "User-agent: *\n"),
        "one group for many": _filled(shared),
        "rules for all": _filled("User-agent: *\n"),
    }


def _filled(start: str) -> bytes:
    lines = [start]
    size, number = len(start), 0
    while size < SIZE:
        lines.append(f"Disallow: /section{number}/*.html\n")
        size += len(lines[-1])
        number += 1
    return "".join(lines).encode()


def _guarded_findings() -> list[Finding]:
    rights = guarded("courier.test")
    robots = RobotsFacts(
        url="https://courier.test/robots.txt", text=robots_text((rights.robots or "").encode())
    )
    notice = RslNotice(
        place="robots",
        licence_url="http://courier.test/rsl.xml",
        line=2,
        document=read_rsl(rights.files[rights.rsl_path].body.encode()),
    )
    page = open_page(f"<html><head>{rights.head_html}</head><body></body></html>")
    signals = read_page_tags(page, url=URL, headers=rights.headers)
    found = [_finding("robots", robots), _finding("rsl", RslFacts(notices=(notice,)))]
    return [*found, *page_findings(signals, now=NOW, known=found)]


def _finding(step: str, facts: object) -> Finding:
    return Finding(step=step, outcome="yes", facts=to_builtins(facts), found_at=NOW)


if __name__ == "__main__":
    main("rights", measure, about="How long it takes to judge what a publisher permits.")
