"""The languages of the town, one module each: data only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from wireroom.town.stories import ar, de, el, en, es, fr, hi, ja, ko, pl, ru, zh
from wireroom.town.stories.story_language import StoryLanguage, Subject, Words

__all__ = ["TONGUES", "StoryLanguage", "Subject", "Words"]

_ALL: tuple[StoryLanguage, ...] = tuple(
    module.LANGUAGE for module in (en, de, fr, es, pl, ru, el, ar, hi, ja, zh, ko)
)
LANGUAGES: Mapping[str, StoryLanguage] = MappingProxyType(
    {language.code: language for language in _ALL}
)
