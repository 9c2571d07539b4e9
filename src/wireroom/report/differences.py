"""What is different from before, in words and with its date: "GPTBot blocked since 3 May". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from wireroom.model import Finding
from wireroom.report.summaries import summary
from wireroom.report.types import Change

MAX_CHANGES = 50  # shown, the latest
MAX_NAMES = 5  # of agents in one line
_PAGES = re.compile(r"(?<![\w,])[1-9][\d,]*+ pages?\b")
"""How many pages say something: that is how many we have looked at, and no doing of the publisher."""


def changes(history: Iterable[Finding]) -> tuple[Change, ...]:
    """What changed from each finding of a step to its next, newest first; a first finding is no change."""
    by_step: dict[tuple[str, str], list[Finding]] = {}
    for finding in history:
        by_step.setdefault((finding.step, _page(finding)), []).append(finding)
    found = [
        Change(at=after.found_at, step=after.step, text=text)
        for findings in by_step.values()
        for before, after in pairwise(_looked(findings))
        for text in _between(before, after)
    ]
    return tuple(sorted(found, key=lambda change: change.at, reverse=True)[:MAX_CHANGES])


def _page(finding: Finding) -> str:
    """What a finding is about: another page that says something else is no change."""
    # What robots.txt says to agents is the site's, whichever page was asked for.
    return "" if finding.step == "ai_bots" else str(finding.facts.get("page_url", ""))


def _looked(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those at which somebody really looked: a failure between two equal answers changes nothing."""
    return (finding for finding in findings if finding.outcome not in {"failed", "skipped"})


def _between(before: Finding, after: Finding) -> Iterator[str]:
    if after.step == "ai_bots":
        yield from _agents(before.facts, after.facts)
        return
    old, new = summary(before), summary(after)
    if _PAGES.sub("pages", old) != _PAGES.sub("pages", new):
        yield f"{new} (before: {old})"


def _agents(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Agents by what became of them; pages differ, so only the site as a whole counts."""
    old, new = before.get("bots", {}), after.get("bots", {})
    moved: dict[str, list[str]] = {}
    for name in new:
        if name in old and new[name]["site"] != old[name]["site"]:
            moved.setdefault(new[name]["site"], []).append(name)
    for word, names in moved.items():
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        yield f"{', '.join(names[:MAX_NAMES])}{more} {word}"
