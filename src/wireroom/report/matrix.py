"""The rights matrix: uses by families, a word in each cell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wireroom.model import USES, Finding, Signal, Use, Verdict, Word
from wireroom.parse.terms.nouns import ACTIVITIES
from wireroom.report import signs
from wireroom.report.types import Bots, Card, Cell, Note, Permission, Said
from wireroom.rights import FAMILIES, gather, weigh
from wireroom.rights.facts import TermsFacts, facts_of

# As verdicts are weighed: a word before another hides it, and what is unknown hides nothing.
_FIRST: tuple[Word, ...] = ("deny", "paid", "allow", "unknown")


def family_names() -> tuple[str, ...]:
    """The columns, in the order a report shows them."""
    return tuple(family.name for family in FAMILIES)


def permissions(findings: Sequence[Finding], url: str) -> tuple[Permission, ...]:
    """One row a use, judged for this address from what was found."""
    signals = gather(findings, url)
    unseen = _unseen(findings)
    return tuple(_row(verdict, signals, unseen) for verdict in weigh(signals, uses=USES))


def _unseen(findings: Sequence[Finding]) -> frozenset[str]:
    """Families one of whose places could not be looked at: their silence means nothing."""
    looked = {finding.step for finding in findings if finding.verdict in {"yes", "no"}}
    return frozenset(family.name for family in FAMILIES if not looked.issuperset(family.steps))


def _row(verdict: Verdict, signals: Sequence[Signal], unseen: frozenset[str]) -> Permission:
    return Permission(
        use=verdict.use,
        word=verdict.value,
        conditions=tuple(
            Note(kind=condition.kind, detail=condition.detail) for condition in verdict.conditions
        ),
        cells=tuple(_cell(name, verdict.use, signals, unseen) for name in family_names()),
        decided_by=_families(verdict.because),
        conflicts_with=_families(verdict.conflicts),
    )


def _cell(family: str, use: Use, signals: Sequence[Signal], unseen: frozenset[str]) -> Cell:
    said = [signal for signal in signals if signal.family == family and signal.use == use]
    if not said:
        return Cell(family=family, word="unseen" if family in unseen else "silent")
    word = min((signal.value for signal in said), key=_FIRST.index)
    evidence = tuple(dict.fromkeys(signal.evidence for signal in said if signal.value == word))
    return Cell(family=family, word=word, evidence=evidence)


def _families(signals: Sequence[Signal]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(signal.family for signal in signals))


def speakers(card: Card) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Families that say something about any use, those that are silent, those nobody could look at."""
    words: dict[str, set[str]] = {}
    for row in card.rights:
        for cell in row.cells:
            words.setdefault(cell.family, set()).add(cell.word)
    spoken = [name for name in card.families if words.get(name, set()) - {"silent", "unseen"}]
    others = [name for name in card.families if name not in spoken]
    return (
        tuple(spoken),
        tuple(name for name in others if "unseen" not in words.get(name, set())),
        tuple(name for name in others if "unseen" in words.get(name, set())),
    )


def not_heard(card: Card) -> tuple[str, ...]:
    """Who is silent, and whom nobody could look at, in words; never one for the other."""
    _, silent, unseen = speakers(card)
    told = (("silent", silent), ("could not be looked at", unseen))
    return tuple(
        f"{word}: {', '.join(signs.FAMILIES.get(name, name) for name in names)}"
        for word, names in told
        if names
    )


def said_by(family: str, card: Card) -> tuple[Cell, ...]:
    """What a family says of each use, in the order of the uses."""
    return tuple(cell for row in card.rights for cell in row.cells if cell.family == family)


def notes_of(rights: Sequence[Permission]) -> tuple[tuple[str, str], ...]:
    """Conditions and contradictions in words, each once, behind the uses they are about."""
    noted: dict[str, list[str]] = {}
    for row in rights:
        for note in _notes(row):
            noted.setdefault(note, []).append(signs.USES[row.use])
    return tuple(
        ("every use" if len(uses) == len(rights) else ", ".join(uses), note)
        for note, uses in noted.items()
    )


def _notes(row: Permission) -> Iterator[str]:
    if row.conditions:
        asked = [
            f"{condition.kind}{f' ({condition.detail})' if condition.detail else ''}"
            for condition in row.conditions
        ]
        yield f"on conditions: {', '.join(asked)}"
    if row.conflicts_with:
        names = ", ".join(signs.FAMILIES.get(name, name) for name in row.conflicts_with)
        yield f"contradicted by {names}"


def bots_of(findings: dict[str, Finding]) -> tuple[Bots, ...]:
    """The AI agents by purpose, as the step found them."""
    found = findings.get("ai_bots")
    classes = found.facts.get("classes", {}) if found else {}
    return tuple(
        Bots(
            purpose=str(purpose),
            word=row["word"],
            barred=tuple(map(str, row["barred"])),
            total=int(row["total"]),
        )
        for purpose, row in classes.items()
    )


def terms_of(findings: dict[str, Finding]) -> tuple[Said, ...]:
    """The eight activities, when terms were found and read."""
    found = findings.get("terms")
    facts = facts_of(found, TermsFacts) if found else None
    if facts is None or not facts.activities:
        return ()
    words = [(name, facts.activities[name]) for name in ACTIVITIES if name in facts.activities]
    return tuple(
        Said(activity=name, word=said.word, quote=said.quote, url=said.url) for name, said in words
    )
