"""Output formats and the verbs of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from wireroom.model import Article

__all__ = [
    "Format",
    "Verb",
]


@dataclass(frozen=True, slots=True)
class Format:
    """One output format: writes articles to a stream and says how many."""

    name: str
    suffix: str
    write: Callable[[Iterable[Article], BinaryIO], int]
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the command line, or a group of them; `run` is a typer function or app."""

    name: str
    run: Any
    help: str = ""
    order: int = field(default=50)
    """Where it stands in the list of verbs."""
