"""robots.txt: who may read what, by which line, and what else the file says."""

from __future__ import annotations

from wireroom.parse.robots.document import (
    MAX_BYTES,
    Barred,
    Decision,
    Extension,
    Group,
    Lint,
    Reservation,
    Robots,
    Rule,
    SitemapLine,
    product_token,
    read_robots,
)

__all__ = [
    "MAX_BYTES",
    "Barred",
    "Decision",
    "Extension",
    "Group",
    "Lint",
    "Reservation",
    "Robots",
    "Rule",
    "SitemapLine",
    "product_token",
    "read_robots",
]
