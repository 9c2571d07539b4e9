"""What workers do in tests of documents that freeze their readers; they import this module."""

from __future__ import annotations

from typing import Any

from wireroom.workers.scout_jobs import DocumentRead, DocumentReading

TRAP = b"<!-- nobody comes back from here -->"


class Trapped(DocumentReading):
    """Reads as usual, but never comes to the end of a document with a trap in it."""

    def __call__(self, work: DocumentRead) -> Any:
        """What came of it, if anything does."""
        while any(isinstance(value, bytes) and TRAP in value for value in work.arguments):
            pass
        return super().__call__(work)
