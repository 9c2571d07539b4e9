"""What a table of phrases holds, and the tables there are, by language.

Phrases are expressions over folded text (`sentence_judging.folded`), tried on one sentence of bounded length.
Tables are compiled when a document of their language comes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from wireroom.model import ConditionKind
from wireroom.signals.terms.types import Activity, DocumentType

DATE: Final = "2026-11"
"""When the tables were last looked through."""

LANGUAGES: Final = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
"""Languages whose terms are judged, and the module that knows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The words of one language; each row is an expression, a list is one alternative a row."""

    ours: tuple[str, ...]
    """The publisher speaks of what it does itself, or warns: nothing is said of the reader."""
    exceptions: tuple[str, ...]
    """A way that a prohibition leaves open; all of them depend on the publisher or the law."""
    permission: str
    """What makes an exception one by permission."""
    doubts: tuple[str, ...]
    """Negations of prohibitions."""
    forbids: tuple[str, ...]
    reserves: tuple[str, ...]
    """Rights are reserved: a prohibition of mining and learning, by the law of copyright."""
    requires: tuple[str, ...]
    """What is possible only on conditions."""
    permits: tuple[str, ...]
    shadows: str
    """Words that cast doubt on a permission near them, whatever they belong to: negations, limits."""
    turns: str
    """Words at which a sentence turns to the opposite."""
    joints: str
    """Words that join its parts."""
    personal_data: str
    """The sentence is about the reader's data, not about articles."""
    commercial_only: str
    """A prohibition that holds for commercial purposes alone."""
    whatever: str
    """Before such a purpose: that it is named as one of several."""
    conditions: Mapping[ConditionKind, str]
    personal: str
    """What limits a permission to what manual use is anyway."""
    topics: Mapping[Activity, tuple[str, ...]]
    manual_forbidden: str
    """What a prohibition must name to be one of manual use."""
    derivative: str
    granted_to_us: str
    """Readers hand rights in what they write to the publisher."""
    reader_content: str
    reuse: str
    territory: str
    arbitration: str
    titles: Mapping[DocumentType, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The same, compiled."""

    ours: re.Pattern[str]
    exceptions: re.Pattern[str]
    permission: re.Pattern[str]
    doubts: re.Pattern[str]
    forbids: re.Pattern[str]
    reserves: re.Pattern[str]
    requires: re.Pattern[str]
    permits: re.Pattern[str]
    shadows: re.Pattern[str]
    turns: re.Pattern[str]
    joints: re.Pattern[str]
    personal_data: re.Pattern[str]
    commercial_only: re.Pattern[str]
    whatever: re.Pattern[str]
    conditions: Mapping[ConditionKind, re.Pattern[str]]
    personal: re.Pattern[str]
    topics: Mapping[Activity, re.Pattern[str]]
    manual_forbidden: re.Pattern[str]
    derivative: re.Pattern[str]
    granted_to_us: re.Pattern[str]
    reader_content: re.Pattern[str]
    reuse: re.Pattern[str]
    territory: re.Pattern[str]
    arbitration: re.Pattern[str]
    titles: Mapping[DocumentType, re.Pattern[str]]


@cache
def table_of(language: str) -> Table | None:
    """The table of a language, or None when its terms are not judged."""
    if language not in LANGUAGES:
        return None
    phrases: Phrases = import_module(f"wireroom.signals.terms.{LANGUAGES[language]}").PHRASES
    compiled = {name: _compiled(getattr(phrases, name)) for name in Table.__dataclass_fields__}
    return Table(**compiled)


def _compiled(value: object) -> Any:
    if isinstance(value, str):
        return re.compile(rf"\b(?:{value})" if value else r"(?!)")
    if isinstance(value, tuple):
        return _compiled("|".join(value))
    if isinstance(value, Mapping):
        return {key: _compiled(pattern) for key, pattern in value.items()}
    raise TypeError(f"a table holds expressions, not {type(value).__name__}")
