"""Content-Usage (IETF AIPREF): preferences by label, by path in robots.txt, or as a header.

A structured dictionary, strict and sensitive to case. In robots.txt the longest path that fits has the say, and
lines of one path that differ come to a no; there is no preference for what may not be read. Between header and
file any no stands before any yes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wireroom.errors import ParseError
from wireroom.model import Use
from wireroom.parse.structured_fields import read_dictionary
from wireroom.ports import SignalPlug, Vocabulary
from wireroom.rights.finding_index import path_in
from wireroom.signals.preferences import (
    Preference,
    Preferences,
    header_reader,
    preference_signals,
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


def read_content_usage(values: str | Iterable[str]) -> Preferences:
    """The preferences of one or several Content-Usage fields, which together are one dictionary."""
    text = values if isinstance(values, str) else ", ".join(values)
    try:
        members = read_dictionary(text)
    except ParseError as exc:
        return Preferences(problem=exc.message)
    words: dict[str, Preference] = {
        label: _TOKENS.get(members[label].token, "unknown") for label in LABELS if label in members
    }
    others = {
        key[:MAX_KEY]: member.token[:MAX_KEY]
        for key, member in members.items()
        if key not in LABELS
    }
    return Preferences(words=words, others=others)


PLUG = SignalPlug(
    name=NAME,
    title="Content-Usage (AIPREF)",
    label="Content-Usage",
    order=40,
    signals_for=preference_signals(
        NAME,
        "Content-Usage",
        uses=_USES,
        values={"yes": "allow", "no": "deny", "unknown": "unknown"},
        read=read_content_usage,
        lines=lambda robots, url: robots.content_usages(TOKEN, path_in(url)),
    ),
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
