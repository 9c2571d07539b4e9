"""The app: wires rooms together, saves their outcomes, emits events.

It decides nothing, parses nothing, prints nothing and knows no SQL. Rooms do the work; the app
hands it over and keeps what comes back.
"""

from __future__ import annotations

from wireroom.app.application import App, open_app, utc_now
from wireroom.app.status import Status

__all__ = ["App", "Status", "open_app", "utc_now"]
