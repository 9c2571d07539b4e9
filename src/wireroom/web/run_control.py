"""A run beside the pages, for `serve --run`: started and stopped by a button."""

from __future__ import annotations

from threading import Event, Lock, Thread

from wireroom.app import App
from wireroom.errors import WireroomError


class RunControl:
    """At most one run in this process."""

    def __init__(self, app: App, *, allowed: bool) -> None:
        """Without `allowed` the pages start none: somebody else runs it."""
        self.allowed = allowed
        self.problem = ""
        """Why the last one ended by itself."""
        self._app = app
        self._stop = Event()
        self._thread: Thread | None = None
        self._lock = Lock()

    @property
    def is_running(self) -> bool:
        """Whether a run of this process is under way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to end and has not yet."""
        return self.is_running and self._stop.is_set()

    def start(self) -> None:
        """Starts a run, unless one is under way."""
        with self._lock:
            if self.is_running or not self.allowed:
                return
            self._stop.clear()
            self.problem = ""
            self._thread = Thread(target=self._run, name="run", daemon=True)
            self._thread.start()

    def stop(self, *, wait: float | None = None) -> None:
        """Has the run end: what is in flight is finished or given back within 10 seconds."""
        self._stop.set()
        thread = self._thread
        if wait is not None and thread is not None:
            thread.join(wait)

    def _run(self) -> None:
        try:
            self._app.run(stop=self._stop)
        except WireroomError as error:
            self.problem = str(error)
