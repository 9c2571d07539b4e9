"""Yes and no by key: `Content-Usage` of the IETF (AIPREF) and `Content-Signal` of one large provider.

Pure. The first is a structured dictionary, strict and sensitive to case; the second is a plain list of
`key=value`, read as it is written in the wild. Both come as headers and as lines of robots.txt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from wireroom.errors import ParseError
from wireroom.parse.plain_text import line
from wireroom.parse.signals.structured import MAX_DICTIONARY, read_dictionary

# drafts ietf-aipref-attach-05 and -vocab, 2026-08-19; earlier ones had ai, genai, train-genai, bots, tdm
CONTENT_USAGE_LABELS: Final = ("train-ai", "search")
# contentsignals.org, as of November 2026
CONTENT_SIGNAL_KEYS: Final = ("search", "ai-input", "ai-train")

MAX_KEYS: Final = 64  # of one Content-Signal; three are defined
MAX_KEY: Final = 60  # characters

Preference = Literal["yes", "no", "unknown"]
_TOKENS: Final[dict[str, Preference]] = {"y": "yes", "n": "no"}
_WORDS: Final[dict[str, Preference]] = {"yes": "yes", "no": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What is said by key; a key that says neither yes nor no is `unknown`."""

    words: Mapping[str, Preference] = field(default_factory=dict)
    """Defined keys only."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Keys that are not defined (any more, or yet), with their values as written."""
    problem: str = ""
    """Why nothing could be read."""


def read_content_usage(values: str | Iterable[str]) -> Preferences:
    """The preferences of one or several Content-Usage fields, which together are one dictionary."""
    text = values if isinstance(values, str) else ", ".join(values)
    try:
        members = read_dictionary(text)
    except ParseError as exc:
        return Preferences(problem=exc.message)
    words: dict[str, Preference] = {
        label: _TOKENS.get(members[label].token, "unknown")
        for label in CONTENT_USAGE_LABELS
        if label in members
    }
    others = {
        key[:MAX_KEY]: member.token[:MAX_KEY]
        for key, member in members.items()
        if key not in CONTENT_USAGE_LABELS
    }
    return Preferences(words=words, others=others)


def read_content_signal(values: str | Iterable[str]) -> Preferences:
    """The preferences of one or several Content-Signal fields; where they differ, `no` stands."""
    text = values if isinstance(values, str) else ", ".join(values)
    words: dict[str, Preference] = {}
    others: dict[str, str] = {}
    for part in text[:MAX_DICTIONARY].split(",")[:MAX_KEYS]:
        key, equals, value = (piece.strip().lower() for piece in part.partition("="))
        if not key or not equals:
            continue
        if key in CONTENT_SIGNAL_KEYS:
            said = _WORDS.get(value, "unknown")
            words[key] = _stricter(words.get(key, said), said)
        else:
            others.setdefault(line(key, MAX_KEY), line(value, MAX_KEY))
    problem = "" if words or others else "no key=value in it"
    return Preferences(words=words, others=others, problem=problem)


def _stricter(preference: Preference, other: Preference) -> Preference:
    for word in ("no", "yes"):
        if word in (preference, other):
            return "no" if word == "no" else "yes"
    return "unknown"
