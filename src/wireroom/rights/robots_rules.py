"""Rules in the form of robots.txt as facts: their text is kept, and parsed once.

The step that brought a file home hands its parsed rules on with the facts; from the store comes the text alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final, Literal, Self, TypeVar

from wireroom.model import Evidence, Finding, RobotsWord
from wireroom.parse.robots import Robots, read_robots
from wireroom.parse.robots.robots_lines import cut_to_size, split_lines, without_bom, without_nul
from wireroom.parse.robots.rule_matching import escaped
from wireroom.rights.finding_index import FindingIndex, as_index
from wireroom.rights.statements import path_in, same_publisher
from wireroom.version import TOKEN

KEPT_FILES: Final = 16  # files kept parsed: articles come publisher by publisher

Own = TypeVar("Own", bound="RulesFacts")


@dataclass(frozen=True, kw_only=True)
class RulesFacts:
    """A file in the form of robots.txt, kept as its text.

    Without slots: the parsed rules lie beside the fields, and neither JSON nor a copy takes them along.
    """

    url: str
    text: str = ""

    @property
    def rules(self) -> Robots:
        """The parsed rules."""
        parsed: Robots | None = vars(self).get("_parsed")
        return _read_text(self.text) if parsed is None else parsed

    def with_rules(self, robots: Robots) -> Self:
        """The same facts, with the rules that were parsed from the file itself."""
        vars(self)["_parsed"] = robots
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class RobotsFacts(RulesFacts):
    """robots.txt of the publisher: `text` is empty unless it was found.

    `url` is the address that was asked for: rules hold for its host, wherever they came from.
    """

    state: Literal["found", "absent", "unreachable"] = "found"


@lru_cache(maxsize=KEPT_FILES)
def _read_text(text: str) -> Robots:
    return read_robots(text.encode("utf-8", "replace"))


def robots_found(findings: FindingIndex, url: str) -> Iterator[tuple[str, Robots]]:
    """Address and rules of each robots.txt that was found and speaks for the address."""
    for facts in findings.of("robots", RobotsFacts):
        if facts.state == "found" and same_publisher(facts.url, url):
            robots = facts.rules
            if robots.found:
                yield facts.url, robots


def robots_word(
    findings: Iterable[Finding] | FindingIndex, url: str
) -> tuple[RobotsWord, Evidence | None]:
    """Whether robots.txt lets us read the address, and the line that says so.

    No robots.txt allows; one that could not be had leaves it unknown, and so does one of another host.
    """
    for facts in as_index(findings).of("robots", RobotsFacts):
        if not same_publisher(facts.url, url):
            continue
        if facts.state == "unreachable":
            return "unknown", Evidence(url=facts.url, excerpt="robots.txt could not be had")
        decision = facts.rules.decide(TOKEN, path_in(url))
        evidence = Evidence(url=facts.url, line=decision.line, excerpt=decision.rule)
        return ("allowed" if decision.allowed else "disallowed"), evidence
    return "unknown", None


def robots_text(body: bytes) -> str:
    """A robots.txt as text that can be stored and reads the same: every rule, every line number.

    Bytes that are no UTF-8 are escaped in rules, as addresses have them, and taken for windows-1252 in
    comments. What no reader looks at (past the limit, behind a NUL) is left out.
    """
    sound = without_nul(cut_to_size(without_bom(body))[0])
    return "\n".join(map(_line_text, split_lines(sound)))


def _line_text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        rule, mark, comment = line.partition(b"#")
        shown = comment.decode("cp1252", "replace")
        return escaped(rule).decode("ascii", "replace") + mark.decode("ascii") + shown
