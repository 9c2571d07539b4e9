"""A made-up later step, for tests: it changes schema and data, slowly, in many small parts."""

from __future__ import annotations

import os
import time

from alembic import op

revision = "0003"
down_revision = "0002"

PARTS = 40


def upgrade() -> None:
    """Adds a table and a column, and fills both; waits between the parts when told to."""
    pause = float(os.environ.get("WIREROOM_TEST_PAUSE", "0"))
    print("begun", flush=True)  # noqa: T201 - tells the test that the upgrade is under way
    op.execute("CREATE TABLE later (number INTEGER PRIMARY KEY)")
    op.execute("ALTER TABLE publisher ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'")
    for number in range(PARTS):
        op.execute(f"INSERT INTO later VALUES ({number})")
        op.execute("UPDATE publisher SET name = name || '!'")
        time.sleep(pause)
    op.execute("DROP TABLE meta")
