"""What a use case asks a database: for tests that a long list takes as many queries as a short one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event


@contextmanager
def noted_queries() -> Iterator[list[str]]:
    """The statements that read, of all databases, while it is open."""
    asked: list[str] = []

    def note(*given: object) -> None:
        statement = str(given[2]).lstrip()
        if statement.startswith(("SELECT", "WITH")):
            asked.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", note)
