"""Step: Content-Signal: Cloudflare's lines in robots.txt, and the header of the same name."""

from __future__ import annotations

from operator import attrgetter

from wireroom.scout.preferences import preference_step

PLUG = preference_step(
    "content_signal",
    "Content-Signal",
    lines_called="content-signal",
    header=attrgetter("content_signal"),
)
