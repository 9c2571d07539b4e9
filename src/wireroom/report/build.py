"""From a dossier to its card. Pure: the same dossier gives the same card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from wireroom.display_text import counted
from wireroom.model import Dossier, Evidence, Facts, Finding, Verdict
from wireroom.ports import Step, Summary, Tone
from wireroom.report.conclusion import conclusion, next_steps
from wireroom.report.facts import details_of, facts_of
from wireroom.report.grade import grade
from wireroom.report.matrix import permissions
from wireroom.report.types import Card, Change, Line, Permission, Section, StepNote, Unreached
from wireroom.rights.finding_changes import comparable, lasting_facts
from wireroom.rights.rights_history import RightsChange
from wireroom.signals import (
    all_signals,
    all_steps,
    answered_at,
    history_of_rights,
    rights_as_of,
    unreached_of,
)

_SECTIONS = {
    "access": "Access",
    "rights": "Rights signals",
    "supply": "Supply",
    "metadata": "Metadata",
}
_MORE = ("more", "More")
"""Where the lines of steps stand that name none of these sections."""
NOT_CHECKED = "Not checked"


def make_card(
    dossier: Dossier,
    *,
    url: str = "",
    verdicts: Iterable[Verdict] | None = None,
    history: Iterable[Finding] = (),
    now: datetime | None = None,
) -> Card:
    """The card of a publisher and the page its dossier is about.

    For another page, hand in its address and the verdicts on it; what the steps found stays as it is. With the time
    of now it shows how old each line is.
    """
    if bool(url) != (verdicts is not None):
        raise ValueError("a card for another page needs its address and the verdicts on it")
    findings = {finding.step: finding for finding in dossier.findings}
    page = url or _page_url(dossier.findings) or dossier.publisher.home_url
    rights = permissions(dossier.rights if verdicts is None else verdicts, dossier.findings)
    letter = grade(findings, rights)
    steps = all_steps()
    details = details_of(dossier.findings, steps)
    name = dossier.publisher.name or dossier.publisher.domain
    home_url = dossier.publisher.home_url
    missing = _not_reached(dossier.findings)
    return Card(
        domain=dossier.publisher.domain,
        name=name,
        home_url=home_url,
        url=page,
        scouted_at=rights_as_of(dossier),
        sentence=conclusion(name, findings, details.rhythm, rights),
        grade=letter,
        families=tuple(plug.name for plug in all_signals()),
        rights=rights,
        sections=_sections(findings, rights, home_url),
        bots=details.bots,
        terms=details.terms,
        fields=details.fields,
        picture=details.picture,
        changes=changes(history, home_url),
        steps=tuple(_step(finding) for finding in dossier.findings),
        notes=tuple(_notes(dossier)),
        not_reached=missing,
        moved_from=dossier.moved_from,
        shown_at=now,
        facts=facts_of(dossier.findings, details, steps),
        next_steps=next_steps(
            dossier.publisher.domain,
            page,
            home_url,
            findings,
            rights,
            lacked_time=any(row.time for row in missing),
        ),
    )


def _not_reached(findings: Iterable[Finding]) -> tuple[Unreached, ...]:
    """What each step did not get to."""
    steps = all_steps()
    return tuple(
        Unreached(
            step=finding.step,
            label=(step.label or step.title) if (step := steps.get(finding.step)) else finding.step,
            documents=tuple(documents),
            time="scout_time" in documents.values(),
        )
        for finding in findings
        if (documents := unreached_of(finding))
    )


def _notes(dossier: Dossier) -> Iterator[str]:
    if dossier.moved_from:
        yield f"{dossier.moved_from} has moved to {dossier.publisher.home_url}: this is the card of where it is."
    missing = _not_reached(dossier.findings)
    for time, why, hint in (
        (True, "in the time of the scout", "; more time is given by --time"),
        (False, "with the requests of one scout", ""),
    ):
        rows = [row for row in missing if row.time is time]
        if rows:
            count = len({url for row in rows for url in row.documents})
            names = ", ".join(row.label for row in rows)
            yield f"Not reached {why}: {counted(count, 'document')} ({names}){hint}."


def _sections(
    findings: Mapping[str, Finding], rights: Sequence[Permission], home_url: str
) -> tuple[Section, ...]:
    """A line for every step there is, and for every finding of one that is no longer there."""
    lines: dict[str, list[Line]] = {key: [] for key in (*_SECTIONS, _MORE[0])}
    steps = all_steps()
    tones = _tones(rights)
    for step in sorted(steps.values(), key=lambda step: (step.order, step.name)):
        finding = findings.get(step.name)
        line = _line(step.name, step.label or step.title, finding, home_url, tones.get(step.name))
        lines[step.section if step.section in _SECTIONS else _MORE[0]].append(line)
    for name, finding in findings.items():
        if name not in steps:
            lines[_MORE[0]].append(_line(name, name, finding, home_url))
    titles = _SECTIONS | ({_MORE[0]: _MORE[1]} if lines[_MORE[0]] else {})
    return tuple(
        Section(key=key, title=title, lines=tuple(lines[key])) for key, title in titles.items()
    )


def _tones(rights: Sequence[Permission]) -> dict[str, Tone]:
    """The tone of each signal that has a step of its own: whether it permits, refuses, or does both or neither."""
    tones = {}
    for plug in all_signals():
        if plug.step is not None:
            words: set[str] = {
                cell.word for row in rights for cell in row.cells if cell.family == plug.name
            }
            tones[plug.step.name] = _tone_of(words)
    return tones


def _tone_of(words: set[str]) -> Tone:
    spoken = words & {"allow", "deny", "paid"}
    return (
        _TONES.get(next(iter(spoken)), "mixed")
        if len(spoken) == 1
        else "mixed"
        if spoken
        else "plain"
    )


_TONES: Mapping[str, Tone] = {"allow": "good", "deny": "bad"}


def _line(
    step: str, label: str, finding: Finding | None, home_url: str, tone: Tone | None = None
) -> Line:
    if finding is None:
        return Line(key=step, label=label, value=NOT_CHECKED, word="not checked")
    brought = summarise(finding)
    return Line(
        key=step,
        label=label,
        value=brought.text,
        word=finding.outcome,
        evidence=finding.evidence,
        found_at=answered_at(finding, home_url),
        tone=(brought.tone or tone or "plain") if finding.outcome in {"yes", "no"} else "plain",
        rows=brought.rows,
        newest_at=brought.newest_at,
    )


def _page_url(findings: Iterable[Finding]) -> str:
    """The page that was asked about: that of the findings about a page."""
    steps = all_steps()
    of_page = (
        str(finding.facts.get("page_url") or "")
        for finding in findings
        if (step := steps.get(finding.step)) is not None and step.about == "page"
    )
    return next(filter(None, of_page), "")


def _step(finding: Finding) -> StepNote:
    facts = finding.facts if finding.outcome in {"failed", "skipped", "unknown"} else {}
    return StepNote(
        name=finding.step,
        word=finding.outcome,
        seconds=round(finding.took.total_seconds(), 3),
        reason=str(facts.get("error") or facts.get("reason") or ""),
        kind="" if finding.outcome == "unknown" else str(facts.get("reason") or ""),
    )


# One line for each finding, in plain words. Pure: each step brings its own summary.
#
# The same texts serve the live view of a running scout and the lines of the card.


def summary(finding: Finding) -> str:
    """What the finding comes to, for a person, in one line."""
    return summarise(finding).text


def summarise(finding: Finding) -> Summary:
    """That line with its tone and what stands beneath it; a step without a summary gets its outcome alone.

    Only a yes and a no have a tone: what is not known is neither good news nor bad.
    """
    facts = finding.facts
    if finding.outcome == "failed":
        return Summary(text=f"could not be fetched: {facts.get('error', 'no reason given')}")
    if finding.outcome == "skipped":
        why = facts.get("error") or facts.get("reason") or "no reason given"
        return Summary(text=f"skipped: {why}")
    step = all_steps().get(finding.step)
    if step is None or step.summary is None:
        return Summary(text=finding.outcome)
    brought = _summary(step.summary, facts)
    if finding.outcome != "unknown":
        return brought
    return Summary(
        text=_in_doubt(brought), tone="plain", rows=brought.rows, newest_at=brought.newest_at
    )


def _summary(summarise: Callable[[Facts], str | Summary], facts: Facts) -> Summary:
    brought = summarise(facts)
    return Summary(text=brought) if isinstance(brought, str) else brought


def _in_doubt(brought: Summary) -> str:
    """Nothing found is not the same as nothing there when not everything could be fetched."""
    return f"unknown: {brought.text}{' in what could be fetched' if brought.nothing else ''}"


# What is different from before, in words and with its date: "GPTBot blocked since 3 May". Pure.

MAX_CHANGES = 50  # shown, the latest


def changes(history: Iterable[Finding], home_url: str = "") -> tuple[Change, ...]:
    """What changed from each scout to the next, newest first; a first finding is no change.

    Rights are compared verdict by verdict and line by line, all else by what its step compares.
    """
    history = tuple(history)
    home_url = home_url or _home_of(history)
    rights = history_of_rights(history, home_url) if home_url else ()
    own_steps = {plug.name: plug.steps for plug in all_signals()}
    shown = {(each.at, step) for each in rights for step in own_steps.get(each.family, ())}
    by_step: dict[tuple[str, str], list[Finding]] = {}
    for finding in history:
        by_step.setdefault((finding.step, _page(finding)), []).append(finding)
    found = [
        Change(at=after.found_at, step=after.step, text=text)
        for findings in by_step.values()
        for before, after in pairwise(_with_answer(findings))
        if (after.found_at, after.step) not in shown or _says_itself(after.step)
        for text in _between(before, after)
    ]
    found += [_rights_change(each, home_url) for each in rights]
    return tuple(sorted(found, key=lambda change: change.at, reverse=True)[:MAX_CHANGES])


def _home_of(history: Iterable[Finding]) -> str:
    """The homepage that the findings are about; empty where nobody found it."""
    homes = [finding.facts.get("url") for finding in history if finding.step == "homepage"]
    return next((home for home in reversed(homes) if isinstance(home, str)), "")


def _rights_change(change: RightsChange, home_url: str) -> Change:
    page = "" if change.url == home_url else f", {change.url}"
    return Change(
        at=change.at,
        step=change.family or "rights",
        text=f"{_flipped(change) if change.kind == 'verdict' else _reworded(change)}{page}",
        kind=change.kind,
        url=change.url,
        uses=change.uses,
        old=change.old,
        new=change.new,
        old_evidence=change.old_evidence,
        new_evidence=change.new_evidence,
    )


def _flipped(change: RightsChange) -> str:
    place = change.new_evidence or change.old_evidence
    flip = f"{change.uses[0]} {change.new} (before: {change.old})"
    return f"{flip} by {_where(place)}: {place.excerpt}" if place else flip


def _reworded(change: RightsChange) -> str:
    """The line as it is now and as it was."""
    title = next(
        (plug.title for plug in all_signals() if plug.name == change.family), change.family
    )
    place = change.new_evidence or change.old_evidence
    where = f", {_where(place)}" if place else ""
    before = f" (before: {change.old or 'nothing'})"
    return f"{title}: {change.new or 'nothing'}{before}{where}"


def _where(place: Evidence) -> str:
    return f"{place.url} line {place.line}" if place.line else place.url


def _page(finding: Finding) -> str:
    """What a finding is about: another page that says something else is no change."""
    return "" if _says_itself(finding.step) else str(finding.facts.get("page_url", ""))


def _says_itself(name: str) -> bool:
    """Whether the step brings its own words for what changed."""
    step = all_steps().get(name)
    return step is not None and step.changes is not None


def _with_answer(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Those with an answer: a failure between two equal answers changes nothing."""
    return (finding for finding in findings if finding.outcome not in {"failed", "skipped"})


def _between(before: Finding, after: Finding) -> Iterator[str]:
    step = all_steps().get(after.step)
    if step is not None and step.changes is not None:
        yield from step.changes(before.facts, after.facts)
    elif _compared(before) != _compared(after):
        yield f"{summary(after)} (before: {summary(before)})"


def _compared(finding: Finding) -> tuple[object, ...]:
    """What counts as a change: whether it is in doubt and what the step names; the outcome, where that is all it shows."""
    step = all_steps().get(finding.step)
    if step is None or step.summary is None:
        return (finding.outcome,)
    in_doubt = finding.outcome == "unknown"
    return (in_doubt, comparable(_compared_facts(step, finding.facts)))


def _compared_facts(step: Step, facts: Facts) -> object:
    if step.compared is None:
        return lasting_facts(facts)
    if isinstance(step.compared, tuple):
        return [facts.get(name) for name in step.compared]
    return step.compared(facts)
