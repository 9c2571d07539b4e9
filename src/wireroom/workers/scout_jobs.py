"""What workers do for those who scout: one document is read by the reader that a step names.

The reader travels by its name, and what it gives is data of the type that it declares. Which documents
those are, and what is made of them, is for steps and signals to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wireroom.errors import ParseError
from wireroom.workers.document_jobs import Unread, kind_of_error


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """A document, and what reads it."""

    reader: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def outcomes(self) -> tuple[Any, ...]:
        """What the reader declares, or why there is nothing."""
        from wireroom.scout.document_reading import outcomes_of

        return (*outcomes_of(self.reader), Unread)

    def run(self) -> Any:
        """What the document says, or why it cannot be read."""
        try:
            return self.reader(*self.arguments)
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=str(exc))

    @property
    def size(self) -> int:
        """Bytes and characters that travel with it."""
        return sum(len(value) for value in self.arguments if isinstance(value, bytes | str))


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """The work itself; called in a worker with one document after another."""

    def prepare(self) -> None:
        """Loads what every scout needs, so that the first document does not pay for it."""
        load_readers()

    def outcomes(self) -> tuple[type[Unread]]:
        """What any document may come to; each names the rest itself."""
        return (Unread,)

    def __call__(self, work: DocumentRead) -> Any:
        """What came of one document."""
        return work.run()


def load_readers() -> None:
    """Every step and signal with its readers, and the model that knows languages: terms are read with it."""
    from wireroom.parse.detect import load_detector
    from wireroom.settings.secrets import cache_folder
    from wireroom.signals import all_steps

    all_steps()
    load_detector(cache_folder())


def ready() -> bool:
    """A reader of nothing: who asks for it has a worker started before there is anything to read."""
    return True
