"""The languages of the town, one module each: data only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wireroom.town.stories import ar, de, el, en, es, fr, hi, ja, ko, pl, ru, zh
from wireroom.town.stories.story_language import Subject, Tongue, Words

__all__ = ["TONGUES", "Subject", "Tongue", "Words"]

_ALL: tuple[Tongue, ...] = tuple(
    module.TONGUE for module in (en, de, fr, es, pl, ru, el, ar, hi, ja, zh, ko)
)
TONGUES: Mapping[str, Tongue] = MappingProxyType({tongue.code: tongue for tongue in _ALL})
