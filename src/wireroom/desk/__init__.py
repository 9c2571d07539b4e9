"""The desk: wires rooms together, saves their outcomes, emits events.

It decides nothing, parses nothing, prints nothing and knows no SQL. Rooms do the work; the desk
hands it over and keeps what comes back.
"""

from __future__ import annotations

from wireroom.desk.desk import Desk, Status, open_desk, utc_now

__all__ = ["Desk", "Status", "open_desk", "utc_now"]
