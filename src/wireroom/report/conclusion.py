"""What a card comes to: one sentence or three, and what can be done now. Pure.

Both are about a few steps by name: what there is to follow, whether it may be read, what it may be used for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, Final

from wireroom.dates.reader_clock import UTC_CLOCK
from wireroom.display_text import enumerated
from wireroom.model import Finding
from wireroom.ports import CardRhythm
from wireroom.report.types import NextStep, Permission

Findings = Mapping[str, Finding]
LONGER: Final = "10m"
"""What a scout is given that lacked time: 20 documents with a Crawl-delay of 30 s."""


def conclusion(
    name: str, findings: Findings, rhythm: CardRhythm | None, rights: Sequence[Permission]
) -> str:
    """What there is, whether it may be read, and what it may be used for."""
    return " ".join((_offered(name, findings, rhythm), _readable(findings), _permitted(rights)))


def _offered(name: str, findings: Findings, rhythm: CardRhythm | None) -> str:
    feeds = _outcome(findings, "feeds")
    label = str(_facts(findings, "frequency").get("frequency_label") or "")
    if not label and feeds not in {"yes", "no"}:
        return f"How often {name} publishes and whether it has feeds is not known."
    has_feeds = {"yes": "it has feeds", "no": "no feed was found"}.get(
        feeds, "whether it has feeds is not known"
    )
    if not label:
        return f"How often {name} publishes is not known; {has_feeds}."
    if not _facts(findings, "frequency").get("dormant"):
        return f"{name} publishes {label}; {has_feeds}."
    last = rhythm.newest_at if rhythm else None
    when = f" on {UTC_CLOCK.long_day(last)}" if last else ""
    return f"{name} has fallen silent: its last article came out{when}, before that it published {label}; {has_feeds}."


def _readable(findings: Findings) -> str:
    access = _facts(findings, "access")
    unanswered = _outcome(findings, "homepage") == "failed"
    but = ", but its homepage could not be fetched" if unanswered else ""
    if access.get("url_allowed") is None:
        if unanswered:
            return "Neither robots.txt nor its homepage could be fetched, so nothing is read."
        return "robots.txt could not be fetched; nothing is read until it can be."
    if not access["url_allowed"]:
        return "robots.txt does not let us read it."
    if access.get("robots_state") == "absent":
        return f"There is no robots.txt, so it may be read{but}."
    if access.get("robots_state") not in {"found", None}:
        return f"robots.txt could not be fetched and is taken for none, so it may be read{but}."
    return f"robots.txt lets us read it{but}."


def _permitted(rights: Sequence[Permission]) -> str:
    uses = {word: [row.use for row in rights if row.word == word] for word in _VERBS}
    verbs = [f"{verb} {enumerated(uses[word])}" for word, verb in _VERBS.items() if uses[word]]
    if verbs:
        return f"It {enumerated(verbs)}."
    if any(cell.word == "unseen" for row in rights for cell in row.cells):
        return "It says nothing about any use in what could be fetched."
    return "It says nothing about any use."


_VERBS = {"allow": "permits", "paid": "sells", "deny": "refuses"}


def next_steps(
    domain: str,
    url: str,
    home_url: str,
    findings: Findings,
    rights: Sequence[Permission],
    *,
    lacked_time: bool = False,
) -> tuple[NextStep, ...]:
    """What can be done now, the likeliest first."""
    page = quote(domain if url == home_url else url)
    return tuple(_next(quote(domain), page, findings, rights, lacked_time=lacked_time))


def _next(
    domain: str,
    page: str,
    findings: Findings,
    rights: Sequence[Permission],
    *,
    lacked_time: bool,
) -> Iterator[NextStep]:
    readable = _facts(findings, "access").get("url_allowed")
    if "yes" in {_outcome(findings, "feeds"), _outcome(findings, "sitemap_analysis")}:
        if readable:
            yield NextStep(text="follow it", command=f"wireroom add {domain}")
    elif readable and lacked_time:
        # A feed may be among what was not reached, and `add` takes the time.
        yield NextStep(
            text="follow it, with more time", command=f"wireroom add {domain} --time {LONGER}"
        )
    elif readable and _outcome(findings, "homepage") == "yes":
        yield NextStep(text="follow a feed that you know of", command="wireroom add FEED-ADDRESS")
    if lacked_time:
        # The same time would end at the same place.
        command = f"wireroom scout {page} --time {LONGER}"
        yield NextStep(text="ask for what was not reached", command=command)
    elif any(finding.outcome in {"failed", "unknown"} for finding in findings.values()):
        yield NextStep(
            text="ask again what is not known", command=f"wireroom scout {page} --refresh"
        )
    if any(row.word != "unknown" for row in rights):
        yield NextStep(
            text="who says so, and where",
            command=f"wireroom rights {page} --explain",
        )
    yield NextStep(text="where every line was read", command=f"wireroom scout {page} --explain")


def _facts(findings: Findings, step: str) -> Mapping[str, Any]:
    return findings[step].facts if step in findings else {}


def _outcome(findings: Findings, step: str) -> str:
    return findings[step].outcome if step in findings else ""
