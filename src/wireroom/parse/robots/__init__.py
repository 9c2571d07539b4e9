"""robots.txt: who may read what, by which line, and what else the file says."""

from __future__ import annotations

from wireroom.parse.robots.document import (
    Barred,
    Extension,
    Group,
    Lint,
    Robots,
    RobotsDecision,
    Rule,
    SitemapLine,
    opens_host,
    read_robots,
)
from wireroom.parse.robots.prose_comments import Reservation
from wireroom.parse.robots.robots_scan import MAX_BYTES, product_token

__all__ = [
    "MAX_BYTES",
    "Barred",
    "Extension",
    "Group",
    "Lint",
    "Reservation",
    "Robots",
    "RobotsDecision",
    "Rule",
    "SitemapLine",
    "opens_host",
    "product_token",
    "read_robots",
]
