"""X-Robots-Tag headers and robots meta tags: what one page forbids; nothing here is ever a permission.

`X-Robots-Tag: otherbot: noindex, unavailable_after: Sat, 25 Jul 2026 15:00:00 GMT`: the first word may be an
agent, and a date has commas of its own. Directives nobody defined are kept as written. Only words to everyone
or to us count: what Googlebot is asked is between the publisher and Google. The stricter of two words holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from wireroom.dates import read_instant
from wireroom.model import Evidence, Facts, Finding, Signal, TypedFacts, Use
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.page_tags import PageTags, values_of
from wireroom.parse.plain_text import line
from wireroom.ports import SignalPlug, Step, StepContext, Summary, Vocabulary
from wireroom.rights.finding_index import FindingIndex, make_signals, page_scope
from wireroom.signals.shared import (
    about_this_page,
    finding,
    known_before,
    laid_over,
    nothing,
    outcome_of,
    scouted_pages,
)
from wireroom.urls import same_page
from wireroom.version import TOKEN

NAME: Final = "robots_tag"
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
MAX_TAG: Final = (
    65_536  # characters of one header or meta tag: all headers of a response have as many
)
MAX_DIRECTIVES: Final = (
    50  # of one header or meta tag, beside those that refuse; real ones have up to six
)
MAX_EXCERPT: Final = 300  # characters of evidence that a report shows
MAX_WORD: Final = 60  # characters of one directive or agent

MAX_PAGE_DIRECTIVES: Final = 200  # of one page, beside those that refuse

_USES: Final[dict[str, tuple[Use, ...]]] = {
    "noindex": ("search",),
    "none": ("search",),
    "noarchive": ("archive",),
    "nosnippet": ("ai-input",),
    "noai": ("ai-train", "ai-input"),
    "unavailable_after": ("search", "archive"),
}
_AGENT: Final = re.compile(r"\s*([A-Za-z*][A-Za-z0-9_.*-]{0,59})\s*:(?!//)")
_DIRECTIVE_WORD: Final = re.compile(r"[a-z][a-z_-]*+")
_DATE_PART: Final = re.compile(r"\s*\d")  # what follows the comma of `Sat, 25 Jul 2026`
_RESTRICTIONS: Final = DIRECTIVES - {"all", "index", "follow", "none"}
_REFUSING: Final = _RESTRICTIONS | {"none"}
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsTagFacts:
    """The directives of the pages that were read."""

    pages: tuple[RobotsTagPage, ...] = ()


# --- reading -----------------------------------------------------------------------------------


def read_robots_tag(value: str, *, agent: str = "") -> tuple[Directive, ...]:
    """The directives of one X-Robots-Tag header; with `agent` (see `meta_agent`) of one meta tag."""
    text = value[:MAX_TAG].replace(";", ",")  # some write one for the other
    source: Literal["header", "meta"] = "meta" if agent else "header"
    whom = "" if agent in {"", "robots"} else agent
    shown = f"X-Robots-Tag: {value}" if not agent else f'<meta name="{agent}" content="{value}">'
    excerpt = line(shown, MAX_EXCERPT)
    found: dict[tuple[str, str, str], Directive] = {}
    for part in _parts(text):
        if source == "header":
            named, part = _named(part)  # noqa: PLW2901 - the agent is taken off
            whom = named if named is not None else whom
        written, _, setting = (piece.strip() for piece in part.partition(":"))
        name = line(written.lower(), MAX_WORD)
        refusals = tuple(_run_together(written.lower()))
        if not name or (len(found) >= MAX_DIRECTIVES and not refusals):
            continue
        setting = line(setting if name == "unavailable_after" else setting.lower(), MAX_WORD)
        for each in dict.fromkeys((name, *refusals)):
            found.setdefault(
                (each, setting, whom),
                Directive(name=each, value=setting, agent=whom, source=source, excerpt=excerpt),
            )
    return tuple(found.values())


def _run_together(written: str) -> Iterator[str]:
    """Refusals among words that no comma parts, in quotes, or with something else about them: `noindex noai`."""
    return (word for word in _DIRECTIVE_WORD.findall(written) if word in _REFUSING)


def meta_agent(name: str, content: str) -> str:
    """Whom a meta tag speaks to (`robots` is everyone); empty when it is about something else."""
    name = name.strip().lower()[:MAX_WORD]
    if _META_NAMES.fullmatch(name):
        return name
    if name == TOKEN and any(
        read.name in _REFUSING for read in read_robots_tag(content, agent=name)
    ):
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


def page_of(tags: PageTags) -> RobotsTagPage:
    """What one page says in its headers and its meta tags."""
    found: list[Directive] = []
    for value in values_of(tags.headers, "x-robots-tag"):
        found += read_robots_tag(value)
    for name, content in tags.metas:
        if agent := meta_agent(name, content):
            found += read_robots_tag(content, agent=agent)
    return RobotsTagPage(
        url=tags.url,
        directives=(
            *found[:MAX_PAGE_DIRECTIVES],
            *(each for each in found[MAX_PAGE_DIRECTIVES:] if each.name in _REFUSING),
        ),
        nosnippet_parts=tags.nosnippet_parts,
    )


def read_page(tags: PageTags) -> RobotsTagFacts | None:
    """What an article's page says of itself."""
    page = page_of(tags)
    return RobotsTagFacts(pages=(page,)) if page.directives else None


# --- what it says ------------------------------------------------------------------------------


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the page forbids to everyone, or to us."""
    return tuple(
        signal
        for facts in findings.of(NAME, RobotsTagFacts)
        for page in facts.pages
        if same_page(page.url, url)
        for directive in page.directives
        if directive.agent in {"", TOKEN}
        for signal in make_signals(
            NAME,
            _uses(directive),
            "deny",
            url=page.url,
            excerpt=directive.excerpt or directive.name,
            scope=page_scope(page.url),
            holds_after=_end_of(directive),
        )
    )


def _end_of(directive: Directive) -> datetime | None:
    """When the page ends; a date that nobody can read counts as past."""
    if directive.name != "unavailable_after":
        return None
    return read_instant(directive.value)


def _uses(directive: Directive) -> tuple[Use, ...]:
    if directive.name == "max-snippet":
        return ("ai-input",) if directive.value == "0" else ()
    return _USES.get(directive.name, ())


# --- the scouting step -------------------------------------------------------------------------


async def run(context: StepContext) -> Finding:
    """Which directives the pages carry; raises FetchError when no page could be had."""
    scouted, failure, failed = await scouted_pages(context)
    known = known_before(context, RobotsTagFacts, failed)
    if not scouted and known is None and failure is not None:
        raise failure
    pages = laid_over(known.pages if known else (), map(page_of, scouted), _is_empty, failed)
    facts = TypedFacts(
        RobotsTagFacts(pages=pages), about_this_page(context, scouted, failure, failed)
    )
    return finding(context, NAME, outcome_of(pages, failure), facts, *_evidence(pages))


def _is_empty(page: RobotsTagPage) -> bool:
    return not page.directives and not page.nosnippet_parts


def _evidence(pages: Sequence[RobotsTagPage]) -> list[Evidence]:
    """Each line once: a header of three directives is one."""
    lines = (
        Evidence(url=page.url, excerpt=directive.excerpt or directive.name)
        for page in pages
        for directive in page.directives
    )
    return list(dict.fromkeys(lines))


def summary(facts: Facts) -> str | Summary:
    """The names of the directives."""
    return ", ".join(_directives(facts)) or nothing("no directives")


def _directives(facts: Facts) -> list[str]:
    return sorted({row["name"] for page in facts.get("pages", ()) for row in page["directives"]})


PLUG = SignalPlug(
    name=NAME,
    title="X-Robots-Tag and meta robots",
    label="Robots tag",
    order=60,
    signals_for=signals_for,
    steps=(NAME,),
    refuses=("search", "ai-input", "ai-train", "archive"),
    of_page=True,
    step=Step(
        NAME,
        "X-Robots-Tag and meta robots",
        run,
        about="page",
        section="rights",
        label="X-Robots-Tag, meta robots",
        order=50,
        summary=summary,
        compared=_directives,
    ),
    read_page=read_page,
    vocabularies=(
        Vocabulary(
            name="robots directives",
            source="Google, Bing, and the unofficial noai",
            date="2026-11",
            words=tuple(sorted(DIRECTIVES)),
        ),
    ),
)
