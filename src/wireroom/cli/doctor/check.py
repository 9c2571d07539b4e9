"""The answer of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """One answer: what was looked at, how it is, what was found, what to do."""

    name: str
    state: State
    found: str
    advice: str = ""
