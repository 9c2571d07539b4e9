"""Output formats and the commands of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from wireroom.model import Article


@dataclass(frozen=True, slots=True)
class Format:
    """One output format: writes articles to a stream, or a file each into a folder, and says how many.

    Either `write` or `write_folder` is given. The stream need not be able to seek or tell; the folder
    is there. Articles come one by one and are many: keep none of them.
    """

    name: str
    suffix: str
    """Of the file, or of each file in the folder."""
    write: Callable[[Iterable[Article], BinaryIO], int] | None = None
    write_folder: Callable[[Iterable[Article], Path], int] | None = None
    extra: str = ""
    """What has to be installed for it."""
    media_type: str = "application/octet-stream"

    @property
    def is_folder(self) -> bool:
        """Whether it makes a folder of files."""
        return self.write_folder is not None

    @property
    def is_text(self) -> bool:
        """Whether a person can read it."""
        kind = self.media_type.partition(";")[0]
        return kind.startswith("text/") or kind.endswith(("json", "jsonl", "+xml"))


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the command line, or a group of them; `run` is a typer function or app."""

    name: str
    run: Any
    help: str = ""
    order: int = field(default=90)
    """Where it stands in the list of commands, whose groups are tens; from 70 on it is among the others."""
