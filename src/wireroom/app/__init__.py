"""The app: the use cases, one module each, for the command line, the library, web pages and agents.

It wires rooms together, saves their outcomes and emits events. It decides nothing that a pure function can,
parses nothing, prints nothing and knows no SQL. A use case takes typed values and an `App`, or the settings where
nothing is held; it returns frozen results, or an async iterator of them, and raises errors of the tree.
"""

from __future__ import annotations

from wireroom.app.application import App, open_app, utc_now
from wireroom.app.status import Status

__all__ = ["App", "Status", "open_app", "utc_now"]
