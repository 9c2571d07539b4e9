"""Jobs of servers, and the rows of lists that they follow."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_WORDS = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Makes both tables."""
    op.create_table(
        "job",
        sa.Column("id", _WORDS, nullable=False),
        sa.Column("publisher", _WORDS, nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("about", _WORDS, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="job_key"),
    )
    op.create_index("job_by_begun_at_id", "job", ["begun_at", "id"])
    op.create_index("job_by_publisher_begun_at_id", "job", ["publisher", "begun_at", "id"])
    op.create_table(
        "job_row",
        sa.Column("job_id", _WORDS, sa.ForeignKey("job.id"), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("about", _WORDS, nullable=False),
        sa.PrimaryKeyConstraint("job_id", "line", name="job_row_key"),
    )
