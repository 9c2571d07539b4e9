"""trust.txt: `datatrainingallowed` speaks of training, for everything the publisher has."""

from __future__ import annotations

from typing import Final

from wireroom.model import Signal, Word
from wireroom.rights.facts import TrustFacts
from wireroom.rights.family import Family, Heard, say

NAME: Final = "trust_txt"
KEY: Final = "datatrainingallowed"
_VALUES: Final[dict[str, Word]] = {"yes": "allow", "no": "deny"}


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:  # noqa: ARG001 - it holds for all addresses
    return tuple(
        signal
        for facts in heard.of(NAME, TrustFacts)
        for entry in facts.file.entries
        if entry.key == KEY and entry.value.strip().lower() in _VALUES
        for signal in say(
            NAME,
            ("ai-train",),
            _VALUES[entry.value.strip().lower()],
            url=facts.url,
            line_number=entry.line,
            excerpt=f"{entry.key}={entry.value}",
        )
    )


FAMILY: Final = Family(name=NAME, title="trust.txt", steps=("trust_txt",), speak=_speak)
