"""Step: Content-Usage: the IETF's preferences in robots.txt, and the header of the same name."""

from __future__ import annotations

from operator import attrgetter

from wireroom.scout.preferences import preference_step

PLUG = preference_step(
    "content_usage",
    "AIPREF Content-Usage",
    lines_called="content-usage",
    header=attrgetter("content_usage"),
)
