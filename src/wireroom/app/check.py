"""The answer of one check, and where a check gets the settings from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from wireroom.settings import Loaded

CheckState = Literal["ok", "warn", "fail"]
Load: TypeAlias = "Callable[[], Loaded]"
"""Gives the settings; SettingsError says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Check:
    """One answer: what was looked at, how it is, what was found, what to do."""

    name: str
    state: CheckState
    found: str
    advice: str = ""
