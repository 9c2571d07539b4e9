"""Rights reserved in comments: prose for people beside rules for machines. A refusal, never a consent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.model import Signal
from wireroom.rights.facts import CommentFacts, ReservationNote
from wireroom.rights.family import MINING_USES, Family, Heard, robots_found, say

NAME: Final = "comments"


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    # A step may have saved what stands in robots.txt, too: one quote is one signal.
    notes = dict.fromkeys(_notes(heard, url))
    return tuple(
        signal
        for note in notes
        for signal in say(
            NAME, MINING_USES, "deny", url=note.url, line_number=note.line, excerpt=note.quote
        )
    )


def _notes(heard: Heard, url: str) -> Iterator[ReservationNote]:
    for robots_url, robots in robots_found(heard, url):
        for found in robots.reservations:
            yield ReservationNote(
                url=robots_url,
                quote=found.quote,
                line=found.line,
                last_line=found.last_line,
                language=found.language,
            )
    for facts in heard.of(NAME, CommentFacts):
        yield from facts.reservations


FAMILY: Final = Family(
    name=NAME,
    title="Reservations in comments",
    steps=("robots", "comments"),
    speak=_speak,
    prose=True,
)
