"""The languages of the town, one module each: data only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wireroom.town.stories import ar, de, el, en, es, fr, hi, ja, ko, pl, ru, zh
from wireroom.town.stories.story_language import StoryLanguage, Subject, Words

__all__ = ["TONGUES", "StoryLanguage", "Subject", "Words"]

_ALL: tuple[StoryLanguage, ...] = tuple(
    module.TONGUE for module in (en, de, fr, es, pl, ru, el, ar, hi, ja, zh, ko)
)
TONGUES: Mapping[str, StoryLanguage] = MappingProxyType({tongue.code: tongue for tongue in _ALL})
