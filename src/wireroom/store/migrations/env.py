"""Alembic's entry: runs the missing steps on the connection, and in the transaction, it is given."""

from __future__ import annotations

from alembic import context

options = context.config.attributes
context.configure(connection=options["connection"], version_table=options["version_table"])
context.run_migrations()
