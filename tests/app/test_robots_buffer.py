"""robots.txt files on their way into the store."""

from __future__ import annotations

from datetime import UTC, datetime

from wireroom.app import open_app
from wireroom.app.factories import RobotsBuffer
from wireroom.ports import RobotsFile

FILE = RobotsFile(
    origin="https://courier.test",
    found=True,
    body=b"User-agent: *\n",
    asked_at=datetime(2026, 5, 3, tzinfo=UTC),
)


def test_what_waits_is_known_and_is_written_once() -> None:
    with open_app("sqlite:///:memory:") as app:
        buffer = RobotsBuffer(app.store)
        buffer.save_robots_file(FILE)
        assert buffer.robots_file(FILE.origin) == FILE
        assert app.store.robots_file(FILE.origin) is None
        buffer.flush()
        assert app.store.robots_file(FILE.origin) == FILE
        assert RobotsBuffer(app.store).robots_file(FILE.origin) == FILE
        buffer.flush()  # nothing waits any more
