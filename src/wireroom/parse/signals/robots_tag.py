"""X-Robots-Tag headers and robots meta tags: what a page says of itself to crawlers.

Pure. `X-Robots-Tag: otherbot: noindex, unavailable_after: Sat, 25 Jul 2026 15:00:00 GMT`: the first
word may be an agent, and a date has commas of its own. Directives nobody defined are kept as said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

# Google's list, Bing's nocache, and the unofficial noai and noimageai; as of November 2026.
DIRECTIVES: Final = frozenset(
    listed(
        """
        all index follow noindex nofollow none noarchive nocache nosnippet noimageindex
        notranslate indexifembedded max-snippet max-image-preview max-video-preview
        unavailable_after noai noimageai nositelinkssearchbox noodp noydir
        """
    )
)
WITH_VALUE: Final = frozenset(
    ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
)
MAX_TAG: Final = 4_096  # characters of one header or meta tag
MAX_DIRECTIVES: Final = 50  # of one header or meta tag; real ones have up to six
MAX_EXCERPT: Final = 300  # characters of evidence that a report shows
MAX_WORD: Final = 60  # characters of one directive or agent

_AGENT: Final = re.compile(r"\s*([A-Za-z*][A-Za-z0-9_.*-]{0,59})\s*:(?!//)")
_DATE_PART: Final = re.compile(r"\s*\d")  # what follows the comma of `Sat, 25 Jul 2026`
_RESTRICTIONS: Final = DIRECTIVES - {"all", "index", "follow", "none"}
_META_NAMES: Final = re.compile(
    r"robots|[a-z0-9._-]*bot(?:-[a-z]+)?|[a-z0-9._-]*(?:spider|crawler)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One directive; `agent` is empty where it speaks to everyone."""

    name: str
    value: str = ""
    agent: str = ""
    source: Literal["header", "meta"] = "header"
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsTagPage:
    """All directives of one page."""

    url: str
    directives: tuple[Directive, ...] = ()
    nosnippet_parts: int = 0
    """Elements with `data-nosnippet`: parts of the page that may not be quoted."""


def read_robots_tag(value: str, *, agent: str = "") -> tuple[Directive, ...]:
    """The directives of one X-Robots-Tag header; with `agent` (see `meta_agent`) of one meta tag."""
    text = value[:MAX_TAG]
    source: Literal["header", "meta"] = "meta" if agent else "header"
    whom = "" if agent in {"", "robots"} else agent
    shown = f"X-Robots-Tag: {value}" if not agent else f'<meta name="{agent}" content="{value}">'
    found: list[Directive] = []
    for part in _parts(text):
        if source == "header":
            named, part = _named(part)  # noqa: PLW2901 - the agent is taken off
            whom = named if named is not None else whom
        written, _, said = (piece.strip() for piece in part.partition(":"))
        name = line(written.lower(), MAX_WORD)
        if not name or len(found) >= MAX_DIRECTIVES:
            continue
        found.append(
            Directive(
                name=name,
                value=line(said if name == "unavailable_after" else said.lower(), MAX_WORD),
                agent=whom,
                source=source,
                excerpt=line(shown, MAX_EXCERPT),
            )
        )
    return tuple(found)


def meta_agent(name: str, content: str) -> str:
    """Whom a meta tag speaks to (`robots` is everyone); empty when it is about something else."""
    name = name.strip().lower()[:MAX_WORD]
    if _META_NAMES.fullmatch(name):
        return name
    # Any crawler may be named; then the content gives it away: `noai, noindex` is about nothing else.
    words = [part.partition(":")[0].strip().lower() for part in content[:MAX_TAG].split(",")]
    return name if _RESTRICTIONS.issuperset(words) else ""


def _parts(text: str) -> Iterator[str]:
    """The directives, cut at commas but not at those of a date."""
    pending = ""
    for part in text.split(","):
        if pending and _DATE_PART.match(part):
            yield f"{pending},{part}"
            pending = ""
            continue
        if pending:
            yield pending
            pending = ""
        if "unavailable_after" in part.lower():
            pending = part
        else:
            yield part
    if pending:
        yield pending


def _named(part: str) -> tuple[str | None, str]:
    """The agent a part begins with, and the rest; None where it begins with a directive."""
    match = _AGENT.match(part)
    if match is None or match[1].lower() in WITH_VALUE:
        return None, part
    name = match[1].lower()
    return ("" if name in {"*", "robots"} else name), part[match.end() :]
