"""What a family of signals is, and what all of them need to speak.

A family reads the facts of certain steps and says what they come to for one address. Its own rules of
precedence and scope stand in its own file; between families `judging` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from wireroom.model import Condition, Evidence, Finding, Signal, Use, Word
from wireroom.parse.plain_text import line
from wireroom.parse.robots import Robots, read_robots
from wireroom.parse.robots.rule_matching import escaped, path_of
from wireroom.rights.facts import RobotsFacts, facts_of
from wireroom.urls import fetch_url, identity_key, publisher_domain

T = TypeVar("T")

AI_USES: Final[tuple[Use, ...]] = ("ai-input", "ai-index", "ai-train")
MINING_USES: Final[tuple[Use, ...]] = ("ai-train", "ai-index")
MAX_EXCERPT: Final = 600  # characters of evidence; a clause of terms is rarely longer
KEPT_FILES: Final = 16  # robots.txt files kept parsed: articles come publisher by publisher


class Heard:
    """The findings of a dossier by step, each turned into its facts at most once.

    What a single page says is heard `on` top of what was heard of its publisher.
    """

    def __init__(self, findings: Iterable[Finding], *, on: Heard | None = None) -> None:
        self._on = on
        self._findings: dict[str, list[Finding]] = {}
        self._facts: dict[tuple[str, type], tuple[object, ...]] = {}
        self.kept: dict[object, tuple[Signal, ...]] = {} if on is None else on.kept
        """What a family said before and would say again; each names its own entries."""
        for finding in findings:
            self._findings.setdefault(finding.step, []).append(finding)

    def of(self, step: str, kind: type[T]) -> tuple[T, ...]:
        """The facts of every finding of the step that can be read."""
        known = self._facts.get((step, kind))
        if known is None:
            below = () if self._on is None else self._on.of(step, kind)
            said = (facts_of(finding, kind) for finding in self._findings.get(step, ()))
            known = (*below, *(one for one in said if one is not None))
            self._facts[step, kind] = known
        return known  # type: ignore[return-value]  # the key holds its kind, which a dict cannot say


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family of signals: which steps it listens to, and what it says of an address."""

    name: str
    title: str
    steps: tuple[str, ...]
    speak: Callable[[Heard, str], tuple[Signal, ...]]
    prose: bool = False
    """Whether it reads sentences for people rather than words for machines."""


def say(
    family: str,
    uses: Iterable[Use],
    value: Word,
    *,
    url: str,
    line_number: int | None = None,
    excerpt: str = "",
    scope: str = "",
    conditions: tuple[Condition, ...] = (),
) -> tuple[Signal, ...]:
    """The same word about several uses."""
    evidence = Evidence(url=url, line=line_number, excerpt=line(excerpt, MAX_EXCERPT))
    return tuple(
        Signal(
            family=family,
            use=use,
            value=value,
            scope=scope,
            evidence=evidence,
            conditions=conditions,
        )
        for use in uses
    )


# --- files -------------------------------------------------------------------------------------


@lru_cache(maxsize=KEPT_FILES)
def read_text(text: str) -> Robots:
    """A file in the form of robots.txt, from its stored text."""
    return read_robots(text.encode("utf-8", "replace"))


def robots_found(heard: Heard, url: str) -> Iterator[tuple[str, Robots]]:
    """Address and rules of each robots.txt that was found and speaks for the address."""
    for facts in heard.of("robots", RobotsFacts):
        if facts.state == "found" and same_publisher(facts.url, url):
            robots = read_text(facts.text)
            if robots.found:
                yield facts.url, robots


# --- addresses ---------------------------------------------------------------------------------


def same_publisher(url: str, other_url: str) -> bool:
    """Whether both stand on one host, whatever scheme and port, with `www.` or without.

    robots.txt proper holds for one origin; a publisher who reserves rights on `www.` does not give them
    away without it.
    """
    try:
        return publisher_domain(url) == publisher_domain(other_url)
    except ValueError:
        return False


def same_page(url: str, other_url: str) -> bool:
    """Whether two addresses mean one page."""
    if url == other_url:
        return True
    try:
        return identity_key(url) == identity_key(other_url)
    except ValueError:
        return False


def wire_path(url: str) -> bytes:
    """Path and query of an address as servers see them, which is what patterns are matched against."""
    try:
        return path_of(fetch_url(url))
    except ValueError:
        return path_of(url)


def path_in(url: str) -> str:
    """The same for people."""
    return wire_path(url).decode("ascii", "replace")


def rooted(pattern: str) -> bytes:
    """A path pattern as it is matched; some publishers leave out the slash at its beginning."""
    if pattern and not pattern.startswith(("/", "*")):
        pattern = "/" + pattern
    return escaped(pattern.encode("utf-8", "replace"))


def page_scope(url: str) -> str:
    """The pattern that fits this page alone."""
    return path_in(url) + "$"
