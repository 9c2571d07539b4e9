"""trust.txt of JournalList: whom a publisher belongs to, and whether its texts may train models.

Lines of `key=value`. `datatrainingallowed`, which came in April 2024, speaks of training, for everything the
publisher has. Keys nobody defined are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from wireroom.errors import FetchError, UnknownFormatError
from wireroom.model import Facts, Finding, Priority, Signal, TypedFacts, Word
from wireroom.parse.encoding import decode
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line
from wireroom.parse.soft_404 import check_present
from wireroom.ports import SignalPlug, Step, StepContext, Summary, Vocabulary
from wireroom.rights.finding_index import UNSEEN, FindingIndex, make_signals, within_reach
from wireroom.signals.shared import (
    Answered,
    earlier_facts,
    finding,
    has_file,
    nothing,
    well_known,
)

NAME: Final = "trust_txt"
TRAINING_KEY: Final = "datatrainingallowed"
# JournalList, as of April 2024
KEYS: Final = frozenset(
    listed(
        """
        member belongto control controlledby social vendor customer disclosure contact
        datatrainingallowed
        """
    )
)
MAX_BYTES: Final = 1_000_000  # associations list thousands of members, some 60 bytes each
MAX_ENTRIES: Final = 10_000
MAX_VALUE: Final = 2_048  # characters; most are addresses

MAX_SHOWN: Final = 200  # characters of a line that cannot be read
SHOWN: Final = 20  # lines of evidence; an association lists thousands of members

_VALUES: Final[dict[str, Word]] = {"yes": "allow", "no": "deny"}
_TRAINING_BYTES: Final = re.compile(rb"datatrainingallowed\s*+=", re.IGNORECASE)
_ENTRY: Final = re.compile(r"\s{0,100}([A-Za-z][A-Za-z0-9_-]{0,59})\s{0,100}=\s{0,100}(.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustEntry:
    """One line; its key in lower case."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustTxt:
    """The file."""

    entries: tuple[TrustEntry, ...] = ()
    truncated: bool = False
    """Whether a limit of ours left some out."""
    unclear: str = ""
    """A line about training that says neither yes nor no."""

    def values(self, key: str) -> tuple[str, ...]:
        """All values of a key, in order."""
        return tuple(entry.value for entry in self.entries if entry.key == key)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFacts:
    """trust.txt of the publisher."""

    url: str
    asked_url: str = ""
    """Where it was asked for, if it was read elsewhere: it speaks for that host."""
    file: TrustTxt = field(default_factory=TrustTxt)


def read_trust_txt(body: bytes, *, content_type: str = "") -> TrustTxt:
    """The file in these bytes; raises UnknownFormatError for a page or a text without its keys."""
    check_present(body, content_type, "trust.txt", _TRAINING_BYTES)
    text = decode(body[:MAX_BYTES], content_type=content_type, kind="text").text
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    entries: list[TrustEntry] = []
    unclear = ""
    for number, written in enumerate(lines, 1):
        match = _ENTRY.match(written)  # a comment begins with `#`, which no key does
        read = match is not None and match[1].lower() == TRAINING_KEY and _training(match[2])
        if not read and _speaks_of_training(written):
            unclear = unclear or line(written, MAX_SHOWN)
        if match is not None and len(entries) <= MAX_ENTRIES:
            value = line(match[2], MAX_VALUE)
            entries.append(TrustEntry(key=match[1].lower(), value=value, line=number))
    if not any(entry.key in KEYS for entry in entries):
        raise UnknownFormatError("a text without a single key of trust.txt")
    truncated = len(body) > MAX_BYTES or len(entries) > MAX_ENTRIES
    return TrustTxt(entries=tuple(entries[:MAX_ENTRIES]), truncated=truncated, unclear=unclear)


def _speaks_of_training(written: str) -> bool:
    return TRAINING_KEY in written.lower() and not written.lstrip().startswith("#")


def _training(value: str) -> Word | None:
    """What a value says of training; what stands behind a `#` is a comment."""
    return _VALUES.get(value.partition("#")[0].strip().lower())


def signals_for(findings: FindingIndex, url: str) -> tuple[Signal, ...]:
    """What the file says of training; it speaks for its own publisher alone."""
    return tuple(
        signal
        for facts in findings.of(NAME, TrustFacts)
        for signal in within_reach(_of_file(facts), of=facts.asked_url or facts.url, url=url)
    )


def _of_file(facts: TrustFacts) -> Iterator[Signal]:
    for entry in facts.file.entries:
        word = _training(entry.value) if entry.key == TRAINING_KEY else None
        if word is not None:
            yield from make_signals(
                NAME,
                ("ai-train",),
                word,
                url=facts.url,
                line_number=entry.line,
                excerpt=f"{entry.key}={entry.value}",
            )


async def run(context: StepContext) -> Finding:
    """The file at its well-known address, or at the older one."""
    known_at = {facts.asked_url or facts.url for facts in _found_before(context)}
    unread = ""
    answered = await well_known(context, "/.well-known/trust.txt", read_file, known_at=known_at)
    if answered.file is None:
        answered = await well_known(context, "/trust.txt", read_file, known_at=known_at)
    elif not answered.file.values(TRAINING_KEY):
        answered, unread = await _older_place(context, answered, known_at)
    file = answered.file
    if file is None:
        nothing = TypedFacts(
            TrustFacts(url=answered.url, asked_url=answered.asked_url), {"reason": answered.why}
        )
        return finding(context, NAME, "no", nothing, answered.evidence())
    notes: dict[str, Any] = {
        "counts": dict(Counter(entry.key for entry in file.entries)),
        "data_training_allowed": next(iter(file.values(TRAINING_KEY)), None),
    }
    if file.truncated or answered.truncated:
        notes[UNSEEN] = (
            f"trust.txt is longer than our limits: {MAX_BYTES} bytes, {MAX_ENTRIES} entries"
        )
    elif file.unclear:
        notes[UNSEEN] = f"trust.txt says neither yes nor no: {file.unclear}"
    elif unread:
        notes[UNSEEN] = unread
    shown = [
        answered.evidence(f"{entry.key}={entry.value}", line=entry.line)
        for entry in file.entries[:SHOWN]
    ]
    facts = TypedFacts(TrustFacts(url=answered.url, asked_url=answered.asked_url, file=file), notes)
    return finding(context, NAME, "yes", facts, *shown)


async def _older_place(
    context: StepContext, found: Answered[TrustTxt], known_at: Collection[str]
) -> tuple[Answered[TrustTxt], str]:
    """The file at the older address where that one speaks of training, else the one found; and why it was not read."""
    try:
        older = await well_known(context, "/trust.txt", read_file, known_at=known_at)
    except FetchError as error:
        return found, f"/trust.txt could not be read: {error.reason}"
    speaks = older.file is not None and (older.file.values(TRAINING_KEY) or older.file.unclear)
    return (older if speaks else found), ""


def _found_before(context: StepContext) -> Iterator[TrustFacts]:
    return (facts for facts in earlier_facts(context, TrustFacts) if facts.file.entries)


def read_file(body: bytes, _url: str, media_type: str) -> TrustTxt:
    """The file at one of its addresses."""
    return read_trust_txt(body, content_type=media_type)


def summary(facts: Facts) -> str | Summary:
    """Whether there is one, and what it says of training."""
    if not has_file(facts):
        return nothing("no trust.txt")
    allowed = facts.get("data_training_allowed")
    return f"trust.txt found{f', data training allowed: {allowed}' if allowed else ''}"


def _compared(facts: Facts) -> object:
    return has_file(facts), facts.get("data_training_allowed")


PLUG = SignalPlug(
    name=NAME,
    title="trust.txt",
    order=80,
    signals_for=signals_for,
    steps=(NAME,),
    refuses=("ai-train",),
    step=Step(
        NAME,
        "trust.txt",
        run,
        asks=(Priority.RIGHTS_FILE,),
        section="rights",
        order=90,
        summary=summary,
        compared=_compared,
    ),
    vocabularies=(
        Vocabulary(
            name="trust.txt", source="JournalList", date="2024-04", words=tuple(sorted(KEYS))
        ),
    ),
)
