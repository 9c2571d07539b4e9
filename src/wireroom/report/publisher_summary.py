"""A dossier in a few words, as a list of publishers shows it. Pure: the same dossier gives the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from wireroom.languages import language_of
from wireroom.model import Dossier, Finding, PublisherSummary
from wireroom.ports import CardFeed
from wireroom.report.facts import details_of
from wireroom.report.grade import grade
from wireroom.report.matrix import permissions
from wireroom.report.types import Permission
from wireroom.rights.finding_changes import has_answer
from wireroom.rights.rights_history import changes_between
from wireroom.signals import all_signals, all_steps


def summarise_dossier(
    dossier: Dossier,
    *,
    before: PublisherSummary | None = None,
    history: Iterable[Finding] = (),
    signs: Iterable[str] = (),
) -> PublisherSummary:
    """The summary of a whole scout; `before` is the one of the scout before, `history` every finding that changed.

    `signs` are those that the scout went wrong.
    """
    findings = {finding.step: finding for finding in dossier.findings}
    rights = permissions(dossier.rights, dossier.findings)
    given = grade(findings, rights)
    details = details_of(dossier.findings, all_steps())
    rhythm = details.rhythm
    return PublisherSummary(
        scouted_at=dossier.scouted_at,
        verdicts={row.use: row.word for row in rights},
        signals=_speaking(rights),
        unread=tuple(dict.fromkeys(name for row in rights for name in row.unread)),
        grade=given.letter,
        points=given.points,
        language=_language(details.feeds),
        rhythm=rhythm.label if rhythm is not None else "",
        per_day=rhythm.per_day if rhythm is not None else None,
        feeds_offered=len(details.feeds),
        rights_changed_at=_changed_at(dossier, before, history),
        signs=tuple(signs),
        has_news_sitemap=any(found.facts.get("has_news_sitemap") for found in dossier.findings),
    )


def _speaking(rights: Iterable[Permission]) -> tuple[str, ...]:
    """Signals that say something of any use, in the order of the matrix."""
    cells = (cell for row in rights for cell in row.cells)
    speaking = (cell.family for cell in cells if cell.word not in {"silent", "unseen"})
    return tuple(dict.fromkeys(speaking))


def _language(feeds: Iterable[CardFeed]) -> str:
    known = Counter(language for feed in feeds if (language := language_of(feed.language)))
    return known.most_common(1)[0][0] if known else ""


def _changed_at(
    dossier: Dossier, before: PublisherSummary | None, history: Iterable[Finding]
) -> datetime | None:
    """When rights last changed: now, where a step that could look then and now was told something else."""
    if before is None:
        return None
    known = {
        finding.step: finding
        for finding in sorted(history, key=lambda finding: finding.found_at)
        if finding.found_at <= before.scouted_at and has_answer(finding)
    }
    answered = {finding.step: finding for finding in dossier.findings if has_answer(finding)}
    then, now = {**answered, **known}, {**known, **answered}
    home_url = dossier.publisher.home_url or f"https://{dossier.publisher.domain}/"
    changes = changes_between(
        all_signals(), then.values(), now.values(), home_url, at=dossier.scouted_at
    )
    return dossier.scouted_at if any(True for _ in changes) else before.rights_changed_at
