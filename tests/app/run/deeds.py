"""What workers do in tests of faults; they import this module."""

from __future__ import annotations

import os
import signal
from typing import Any

from wireroom.workers.page_jobs import PageAnswer, RunJob, Work

POISON = "-35.html"  # the end of an address whose page kills whoever reads it


class Mortal(RunJob):
    """Reads as usual, but dies of one page."""

    def __call__(self, work: Work) -> Any:
        """The reading, if it is survived."""
        if isinstance(work, PageAnswer) and work.lead.url.endswith(POISON):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(work)
