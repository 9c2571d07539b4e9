"""A run: what is due is taken, fetched, read, clustered and kept, through crashes.

`open_run` puts one together, `RunLoop` is the loop. Each publisher, feed and lead is a piece of due work
(`due_work`, `due_lead`): it gives bytes to workers (`readers`) and its outcome to the one writer (`batches`, through the `StoreThread`).
What is done with an outcome is decided in the rooms: poll, rights, duplicates.
"""

from __future__ import annotations

from wireroom.app.run.counts import RunCounts
from wireroom.app.run.loop import RunLoop
from wireroom.app.run.run_factory import Run, StopFlag, open_run, run_watched
from wireroom.app.run.run_options import RunOptions

__all__ = ["Run", "RunCounts", "RunLoop", "RunOptions", "StopFlag", "open_run", "run_watched"]
