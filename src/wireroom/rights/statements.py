"""What a signal needs to say something: uses, evidence, and which addresses it speaks of. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wireroom.model import Condition, Evidence, Signal, Use, Word
from wireroom.parse.plain_text import line
from wireroom.parse.robots.rule_matching import escaped, path_of
from wireroom.urls import fetch_url, publisher_domain

AI_USES: Final[tuple[Use, ...]] = ("ai-input", "ai-index", "ai-train")
MINING_USES: Final[tuple[Use, ...]] = ("ai-train", "ai-index")
MAX_EXCERPT: Final = 600  # characters of evidence; a clause of terms is rarely longer


def make_signals(
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


def same_publisher(url: str, other_url: str) -> bool:
    """Whether both stand on one host, whatever scheme and port, with `www.` or without.

    robots.txt proper holds for one origin; a publisher who reserves rights on `www.` does not give them
    away without it.
    """
    try:
        return publisher_domain(url) == publisher_domain(other_url)
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
