"""The grade: four parts of 25 points, each with its reason, and the letter they add up to. Pure.

It says how well a publisher can be followed lawfully and without guessing, not how good its journalism
is. The formula stands in docs/guide/report-card.md; whoever changes it here changes it there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from wireroom.model import Finding
from wireroom.report.types import Grade, Part, Permission

EACH = 25
_LETTERS: tuple[tuple[int, Literal["A", "B", "C", "D", "E", "F"]], ...] = (
    (85, "A"),
    (70, "B"),
    (55, "C"),
    (40, "D"),
    (25, "E"),
    (0, "F"),
)

Findings = Mapping[str, Finding]


def grade(findings: Findings, rights: Sequence[Permission]) -> Grade:
    """The letter with its parts."""
    parts = (_supply(findings), _access(findings), _clarity(rights), _metadata(findings))
    points = sum(part.points for part in parts)
    letter = next(letter for least, letter in _LETTERS if points >= least)
    return Grade(letter=letter, points=points, parts=parts)


def _supply(findings: Findings) -> Part:
    """A feed 12, a news sitemap 6 (another sitemap 3), a known rhythm that is alive 7."""
    feeds = 12 if _word(findings, "feeds") == "yes" else 0
    news = _word(findings, "sitemap_analysis") == "yes"
    maps = 6 if news else 3 if _word(findings, "sitemaps") == "yes" else 0
    alive = 7 if _word(findings, "frequency") == "yes" else 0
    why = _listed(
        (feeds, "a feed that can be read", "no feed known"),
        (maps, "a news sitemap" if news else "a sitemap", "no sitemap known"),
        (alive, "a living rhythm", "no living rhythm known"),
    )
    return Part(name="supply", points=feeds + maps + alive, of=EACH, why=why)


def _access(findings: Findings) -> Part:
    """We may read the page 12, the homepage answered 8, nobody challenges 5."""
    allowed = 12 if _word(findings, "access") == "yes" else 0
    answered = 8 if _word(findings, "homepage") == "yes" else 0
    waf = findings.get("waf")
    open_door = 5 if waf is not None and waf.facts.get("challenged") is False and answered else 0
    why = _listed(
        (allowed, "robots.txt lets us read the page", "robots.txt does not clearly let us read it"),
        (answered, "the homepage answered", "the homepage did not answer"),
        (open_door, "no challenge", "a challenge, or nobody could see"),
    )
    return Part(name="access", points=allowed + answered + open_door, of=EACH, why=why)


def _clarity(rights: Sequence[Permission]) -> Part:
    """Five points for each use that somebody speaks of; a conflict costs two of them."""
    spoken = [row for row in rights if row.word != "unknown"]
    conflicts = [row for row in spoken if row.conflicts_with]
    points = 5 * len(spoken) - 2 * len(conflicts)
    why = f"{len(spoken)} of {len(rights)} uses are spoken of"
    if conflicts:
        why += f", {len(conflicts)} in contradiction"
    return Part(name="clear rights", points=points, of=EACH, why=why)


def _metadata(findings: Findings) -> Part:
    """Two points for each of the eleven fields that an article carries, up to 20; the publisher 5."""
    data = findings.get("article_data")
    rows: Mapping[str, Any] = data.facts.get("fields", {}) if data else {}
    fields = {key for row in rows.values() for key in row}
    described = 5 if _word(findings, "publisher_details") == "yes" else 0
    points = min(20, 2 * len(fields)) + described
    why = (
        f"{len(fields)} of 11 fields, the publisher {'described' if described else 'not described'}"
    )
    return Part(name="metadata", points=points, of=EACH, why=why)


def _word(findings: Findings, step: str) -> str:
    found = findings.get(step)
    return found.outcome if found else ""


def _listed(*parts: tuple[int, str, str]) -> str:
    return ", ".join(there if points else missing for points, there, missing in parts)
