"""The rights matrix: uses by signals, a word in each cell. Pure: it shows verdicts and judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from wireroom.display_text import counted
from wireroom.model import USES, Finding, Signal, Verdict, Word
from wireroom.report.condition_words import asked_for
from wireroom.report.types import Card, Cell, Note, Permission
from wireroom.signals import all_signals, label_of

# As verdicts are weighed: a word before another hides it, and what is unknown hides nothing.
_FIRST: tuple[Word, ...] = ("deny", "paid", "allow", "unknown")


def permissions(verdicts: Iterable[Verdict], findings: Sequence[Finding]) -> tuple[Permission, ...]:
    """One row a use, as it was judged; the findings say who could not be looked at."""
    known = {verdict.use: verdict for verdict in verdicts}
    unseen = _unseen(findings)
    return tuple(_row(known.get(use, Verdict(use=use, value="unknown")), unseen) for use in USES)


def _unseen(findings: Sequence[Finding]) -> frozenset[str]:
    """Signals one of whose places could not be looked at: their silence means nothing."""
    answered = {finding.step for finding in findings if finding.outcome in {"yes", "no"}}
    return frozenset(plug.name for plug in all_signals() if not answered.issuperset(plug.steps))


def _row(verdict: Verdict, unseen: frozenset[str]) -> Permission:
    signals = (*verdict.because, *verdict.conflicts, *verdict.undecided)
    return Permission(
        use=verdict.use,
        word=verdict.value,
        conditions=tuple(
            Note(kind=condition.kind, detail=condition.detail) for condition in verdict.conditions
        ),
        cells=tuple(_cell(plug.name, signals, unseen) for plug in all_signals()),
        decided_by=_families(verdict.because),
        conflicts_with=() if verdict.unseen else _families(verdict.conflicts),
        unread=_families(verdict.unseen),
    )


def _cell(family: str, signals: Sequence[Signal], unseen: frozenset[str]) -> Cell:
    own = [signal for signal in signals if signal.family == family]
    if not own:
        return Cell(family=family, word="unseen" if family in unseen else "silent")
    word = min((signal.value for signal in own), key=_FIRST.index)
    evidence = tuple(dict.fromkeys(signal.evidence for signal in own if signal.value == word))
    return Cell(family=family, word=word, evidence=evidence)


def _families(signals: Sequence[Signal]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(signal.family for signal in signals))


def split_families(card: Card) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Families that say something about any use, those that are silent, those nobody could look at."""
    words: dict[str, set[str]] = {}
    for row in card.rights:
        for cell in row.cells:
            words.setdefault(cell.family, set()).add(cell.word)
    speaking = [name for name in card.families if words.get(name, set()) - {"silent", "unseen"}]
    others = [name for name in card.families if name not in speaking]
    return (
        tuple(speaking),
        tuple(name for name in others if "unseen" not in words.get(name, set())),
        tuple(name for name in others if "unseen" in words.get(name, set())),
    )


def silence_notes(card: Card) -> tuple[str, ...]:
    """Who is silent, and whom nobody could look at, in words; never one for the other."""
    _, silent, unseen = split_families(card)
    lists = (("silent", silent), ("could not be fetched", unseen))
    names = [f"{word}: {', '.join(map(label_of, names))}" for word, names in lists if names]
    return tuple(filter(None, (_why_unknown(card), *names)))


def _why_unknown(card: Card) -> str:
    """Why nothing at all is known of it; empty where something is."""
    speaking, _, unseen = split_families(card)
    if speaking:
        return ""
    if not unseen:
        return "unknown: it says nothing in any of the places that were looked at"
    return f"unknown: {unread_note(card)}, so it may permit or refuse anything"


def unread_note(card: Card) -> str:
    """How many signals nobody could look at, where those that could be say nothing; empty otherwise."""
    speaking, silent, unseen = split_families(card)
    if speaking or not unseen:
        return ""
    return f"{len(unseen)} of {counted(len(silent) + len(unseen), 'signal')} could not be looked at"


def cells_of(family: str, card: Card) -> tuple[Cell, ...]:
    """What a family says of each use, in the order of the uses."""
    return tuple(cell for row in card.rights for cell in row.cells if cell.family == family)


def notes_of(rights: Sequence[Permission]) -> tuple[tuple[str, str], ...]:
    """Conditions and contradictions in words, each once, behind the uses they are about."""
    noted: dict[str, list[str]] = {}
    for row in rights:
        for note in _notes(row):
            noted.setdefault(note, []).append(row.use)
    return tuple(
        ("every use" if len(uses) == len(rights) else ", ".join(uses), note)
        for note, uses in noted.items()
    )


def _notes(row: Permission) -> Iterator[str]:
    if row.conditions:
        asked = asked_for((condition.kind, condition.detail) for condition in row.conditions)
        yield f"on conditions: {', '.join(asked)}"
    if row.unread:
        names = ", ".join(label_of(name) for name in row.unread)
        yield f"no allow while these cannot be read, which might refuse it: {names}"
    if row.conflicts_with:
        names = ", ".join(label_of(name) for name in row.conflicts_with)
        yield f"{names} {'say' if len(row.conflicts_with) > 1 else 'says'} otherwise; the stricter word counts"
