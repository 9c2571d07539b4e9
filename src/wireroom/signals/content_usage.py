"""Content-Usage (IETF AIPREF): preferences by label, by path in robots.txt, or as a header.

A structured dictionary, strict and sensitive to case. In robots.txt the longest path that fits has the say, and
lines of one path that differ come to a no; there is no preference for what may not be read. Between header and
file any no stands before any yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from wireroom.errors import ParseError
from wireroom.model import Use
from wireroom.parse.structured_fields import MAX_DICTIONARY, read_dictionary
from wireroom.ports import SignalPlug, Vocabulary
from wireroom.rights.finding_index import path_in
from wireroom.signals.preferences import (
    Preference,
    Preferences,
    PreferenceSource,
    header_reader,
    preference_step,
)
from wireroom.version import TOKEN

NAME: Final = "content_usage"
HEADER: Final = "content-usage"
# drafts ietf-aipref-attach-05 and -vocab, 2026-08-19; earlier ones had ai, genai, train-genai, bots, tdm
LABELS: Final = ("train-ai", "search")
MAX_KEY: Final = 60  # characters

_USES: Final[dict[str, Use]] = {"train-ai": "ai-train", "search": "search"}
_TOKENS: Final[dict[str, Preference]] = {"y": "yes", "n": "no"}
_EARLIER: Final = ("ai", "genai", "train-genai", "bots", "tdm")
_MEANT: Final[dict[str, tuple[str, ...]]] = {
    **{label: (label,) for label in LABELS},
    **dict.fromkeys(_EARLIER, ("train-ai",)),
    "bots": LABELS,
}
"""What a refusal speaks of, labels of earlier drafts among them."""
_REFUSAL: Final = re.compile(
    rf"(?<![\w.*-])({'|'.join(_MEANT)})\s*+=\s*+\"?n(?![\w-])", re.IGNORECASE
)
_NAMED: Final = {
    "train-ai": re.compile(r"ai\b|tdm|bots", re.IGNORECASE),
    "search": re.compile(r"search|bots", re.IGNORECASE),
}


def read_content_usage(values: str | Iterable[str]) -> Preferences:
    """The preferences of one or several Content-Usage fields, which together are one dictionary."""
    text = values if isinstance(values, str) else ", ".join(values)
    try:
        members = read_dictionary(text)
    except ParseError as exc:
        mentioned = LABELS if len(text) > MAX_DICTIONARY else _mentioned(text)
        return Preferences(problem=exc.message, unread=frozenset(mentioned))
    words: dict[str, Preference] = {
        label: _TOKENS.get(members[label].token, "unknown") for label in LABELS if label in members
    }
    unread = frozenset(_doubted(text, words))
    others = {
        key[:MAX_KEY]: member.token[:MAX_KEY]
        for key, member in members.items()
        if key not in LABELS
    }
    problem = f"neither y nor n is read of {', '.join(sorted(unread))}" if unread else ""
    return Preferences(words=words, others=others, problem=problem, unread=unread)


def _mentioned(text: str) -> Iterator[str]:
    """The labels of which a broken dictionary may speak."""
    for label, pattern in _NAMED.items():
        if pattern.search(text):
            yield label


def _doubted(text: str, words: Mapping[str, Preference]) -> Iterator[str]:
    """Labels that may be refused: by no known token, by one of several, or under the name of an earlier draft."""
    yield from (label for label, word in words.items() if word == "unknown")
    for refusal in _REFUSAL.finditer(text):
        yield from (label for label in _MEANT[refusal[1].lower()] if words.get(label) != "no")


_SOURCE: Final = PreferenceSource(
    name=NAME,
    header="Content-Usage",
    uses=_USES,
    values={"yes": "allow", "no": "deny", "unknown": "unknown"},
    read=read_content_usage,
    lines=lambda robots, url: robots.content_usages(TOKEN, path_in(url)),
)
PLUG = SignalPlug(
    name=NAME,
    title="Content-Usage (AIPREF)",
    label="Content-Usage",
    order=40,
    signals_for=_SOURCE.signals_for,
    unseen=_SOURCE.unseen,
    steps=("robots", NAME),
    refuses=tuple(_USES.values()),
    step=preference_step(
        NAME, "AIPREF Content-Usage", header=HEADER, label="Content-Usage", order=30
    ),
    read_page=header_reader(HEADER),
    vocabularies=(
        Vocabulary(
            name="Content-Usage",
            source="IETF AIPREF drafts attach-05 and vocab",
            date="2026-08-19",
            words=LABELS,
        ),
    ),
)
