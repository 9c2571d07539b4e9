"""Content-Signal: yes and no by key, in the group of robots.txt that is for us, or as a header.

A plain list of `key=value`, read as it is written in the wild. The lines of a group hold together; where they
say both, or header and group differ, both count and the stricter one decides. A key that is absent says
nothing, and `use=` grants nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from wireroom.model import Use
from wireroom.parse.plain_text import line
from wireroom.parse.structured_fields import MAX_DICTIONARY
from wireroom.ports import SignalPlug, Vocabulary
from wireroom.signals.preferences import (
    Preference,
    Preferences,
    PreferenceSource,
    header_reader,
    preference_step,
)
from wireroom.version import TOKEN

NAME: Final = "content_signal"
HEADER: Final = "content-signal"
KEYS: Final = ("search", "ai-input", "ai-train")  # contentsignals.org, as of November 2026
MAX_KEYS: Final = 64  # of one field beside the three that are defined
MAX_KEY: Final = 60  # characters

_USES: Final[dict[str, Use]] = {"search": "search", "ai-input": "ai-input", "ai-train": "ai-train"}
_WORDS: Final[dict[str, Preference]] = {"yes": "yes", "no": "no"}
_AI_KEYS: Final = ("ai-input", "ai-train")
_REFUSES_AI: Final = re.compile(
    r"\s*+(?:ai|train)[a-z_-]*+\s*+=\s*+no\b"
)  # a key that nobody defined


def read_content_signal(values: str | Iterable[str]) -> Preferences:
    """The preferences of one or several Content-Signal fields; where they differ, `no` stands."""
    text = values if isinstance(values, str) else ", ".join(values)
    words: dict[str, Preference] = {}
    others: dict[str, str] = {}
    unread = set[str]()
    for part in text[:MAX_DICTIONARY].split(","):
        key, equals, value = (piece.strip().lower() for piece in part.partition("="))
        if key not in KEYS or value not in _WORDS:
            unread.update(_may_refuse(part.lower()))
        if not key or not equals:
            continue
        if key in KEYS:
            preference = _WORDS.get(value, "unknown")
            words[key] = _stricter(words.get(key, preference), preference)
        elif len(others) < MAX_KEYS:
            others.setdefault(line(key, MAX_KEY), line(value, MAX_KEY))
    problem = "" if words or others else "no key=value in it"
    if len(text) > MAX_DICTIONARY:
        unread.update(KEYS)
        problem = f"not looked at: more than {MAX_DICTIONARY:,} characters of Content-Signal"
    elif unread:
        problem = f"neither yes nor no is read of {', '.join(sorted(unread))}"
    return Preferences(words=words, others=others, problem=problem, unread=frozenset(unread))


def _may_refuse(part: str) -> Iterator[str]:
    """The keys of which a part that is no `key=yes` and no `key=no` may speak all the same."""
    yield from (key for key in KEYS if key in part)
    if _REFUSES_AI.match(part):
        yield from _AI_KEYS


def _stricter(preference: Preference, other: Preference) -> Preference:
    for word in ("no", "yes"):
        if word in (preference, other):
            return "no" if word == "no" else "yes"
    return "unknown"


_SOURCE: Final = PreferenceSource(
    name=NAME,
    header="Content-Signal",
    uses=_USES,
    values={"yes": "allow", "no": "deny"},
    read=read_content_signal,
    lines=lambda robots, _url: robots.content_signals(TOKEN),
)
PLUG = SignalPlug(
    name=NAME,
    title="Content-Signal",
    order=30,
    signals_for=_SOURCE.signals_for,
    unseen=_SOURCE.unseen,
    steps=("robots", NAME),
    refuses=tuple(_USES.values()),
    step=preference_step(NAME, "Content-Signal", header=HEADER, label="Content-Signal", order=20),
    read_page=header_reader(HEADER),
    vocabularies=(
        Vocabulary(name="Content-Signal", source="contentsignals.org", date="2026-11", words=KEYS),
    ),
)
