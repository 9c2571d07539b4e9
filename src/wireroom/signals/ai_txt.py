"""ai.txt of Spawning: rules in the form of robots.txt that speak of training alone.

The same name is used for unrelated proposals in prose and Markdown; only a file with a `User-Agent:` line is
one of these. Rules name kinds of files as often as paths (`Disallow: *.html`), and articles rarely have an
ending in their address; so an address without one is also asked about as the page of text that it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from wireroom.errors import ParseError, UnknownFormatError
from wireroom.model import Facts, Finding, Priority, Signal, TypedFacts
from wireroom.parse.robots import Robots, RobotsDecision
from wireroom.parse.robots.robots_scan import MAX_BYTES, as_utf8
from wireroom.parse.soft_404 import check_present
from wireroom.ports import SignalPlug, Step, StepContext, Summary
from wireroom.rights.finding_index import (
    UNSEEN,
    FindingIndex,
    RulesFacts,
    make_signals,
    path_in,
    robots_text,
    same_publisher,
)
from wireroom.signals.shared import earlier_facts, finding, has_file, nothing, well_known
from wireroom.version import TOKEN

NAME: Final = "ai_txt"
_AGENT_LINE: Final = re.compile(
    rb"^[ \t\xef\xbb\xbf]*user-?agent[ \t]*:", re.IGNORECASE | re.MULTILINE
)
_BARRING: Final = re.compile(rb"(?:^|[\r\n>])[ \t]*+disallow[ \t]*+:", re.IGNORECASE)
_ANY_AGENT: Final = re.compile(rb"user-agent[ \t]*+:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AiTxt:
    """The file as the text that is kept; its rules are parsed where they are asked, as those of robots.txt are."""

    text: str
    truncated: bool = False
    """Whether a limit of ours left some out."""
    unread: str = ""
    """Why a part of a line was not read."""


def read_ai_txt(body: bytes, *, content_type: str = "") -> AiTxt:
    """The file of these bytes; raises UnknownFormatError for anything without an agent line."""
    body = as_utf8(body)
    check_present(body, content_type, "ai.txt", _BARRING)
    head = body[:MAX_BYTES].replace(b"\r", b"\n")
    if _AGENT_LINE.search(head) is None:
        if len(body) > MAX_BYTES or b"\x00" in head or _ANY_AGENT.search(head):
            raise ParseError("a text of that name of which not everything can be read")
        raise UnknownFormatError("a text of that name without a User-Agent line")
    unread = "what stands behind a NUL byte of a line is not read" if b"\x00" in head else ""
    return AiTxt(text=robots_text(body), truncated=len(body) > MAX_BYTES, unread=unread)


# --- what it says ------------------------------------------------------------------------------


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the file says of training on this page."""
    return tuple(
        signal
        for facts in findings.of(NAME, RulesFacts)
        if same_publisher(facts.speaks_for, url)
        for signal in _of_file(facts.url, facts.rules, path_in(url))
    )


def _of_file(file_url: str, rules: Robots, path: str) -> tuple[Signal, ...]:
    decision = _decision(rules, path)
    if decision is None:
        return ()
    return make_signals(
        NAME,
        ("ai-train",),
        "allow" if decision.allowed else "deny",
        url=file_url,
        line_number=decision.line,
        excerpt=decision.rule,
        scope=decision.rule.partition(": ")[2],
    )


def _decision(rules: Robots, path: str) -> RobotsDecision | None:
    """The rule that speaks of the page, a refusal first; None when none does."""
    asked = (rules.decide(TOKEN, spelling) for spelling in dict.fromkeys((path, _as_text(path))))
    deciding = [decision for decision in asked if decision.line is not None]
    return min(deciding, key=lambda decision: decision.allowed, default=None)


def _as_text(path: str) -> str:
    """The path as the name of a page of text, where it does not have an ending already."""
    plain = path.partition("?")[0]
    if "." in plain.rpartition("/")[2]:
        return path
    return plain + ("index.html" if plain.endswith("/") else ".html")


# --- the scouting step -------------------------------------------------------------------------


async def run(context: StepContext) -> Finding:
    """The file, kept as its text so that any address can be judged by it."""
    known = (facts for facts in earlier_facts(context, RulesFacts) if facts.text)
    known_at = {facts.speaks_for for facts in known}
    answered = await well_known(context, "/ai.txt", read_file, known_at=known_at)
    if answered.file is None:
        nothing = {
            "url": answered.url,
            "asked_url": answered.asked_url,
            "text": "",
            "reason": answered.why,
        }
        return finding(context, NAME, "no", nothing, answered.evidence())
    rules = RulesFacts(url=answered.url, asked_url=answered.asked_url, text=answered.file.text)
    count = len(rules.rules.groups)
    message = f"{count} group{'' if count == 1 else 's'}"
    notes: dict[str, Any] = {"groups": count}
    if answered.truncated or answered.file.truncated:
        notes[UNSEEN] = f"ai.txt is longer than our limit: {MAX_BYTES} bytes"
    elif unread := answered.file.unread or _why_unread(rules.rules):
        notes[UNSEEN] = f"ai.txt: {unread}"
    facts = TypedFacts(rules, notes)
    return finding(context, NAME, "yes", facts, answered.evidence(message))


def _why_unread(rules: Robots) -> str:
    return rules.unread if rules.found else f"it cannot be read: {rules.state}"


def read_file(body: bytes, _url: str, media_type: str) -> AiTxt:
    """The file at its address."""
    return read_ai_txt(body, content_type=media_type)


def summary(facts: Facts) -> Summary:
    """Whether there is one."""
    return Summary(text="ai.txt found") if has_file(facts) else nothing("no ai.txt")


PLUG = SignalPlug(
    name=NAME,
    title="ai.txt",
    order=70,
    signals_for=signals_for,
    steps=(NAME,),
    refuses=("ai-train",),
    step=Step(
        NAME,
        "ai.txt",
        run,
        asks=(Priority.RIGHTS_FILE,),
        section="rights",
        order=80,
        summary=summary,
        compared=has_file,
    ),
)
