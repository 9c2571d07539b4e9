"""A run before somebody's eyes: the loop, the signals that end it, and what is shown meanwhile."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from wireroom.cli.exits import INTERRUPTED, OK
from wireroom.cli.run.run_view import Funnel, funnel, stopping_words, summary
from wireroom.cli.session import Session

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.run import RunCounts, RunLoop
    from wireroom.cli.run.metrics import Place
    from wireroom.settings import Settings

DRAWN_EVERY = 0.25  # seconds: what an eye can follow
NOTED_EVERY = 10.0  # seconds between two lines where nothing can be redrawn


class LiveRun:
    """Runs the loop and shows how it goes."""

    def __init__(
        self,
        session: Session,
        app: App,
        *,
        engine: str,
        workers: int | None,
        metrics: Place | None,
    ) -> None:
        self._session = session
        self._app = app
        self._engine = engine
        self._workers = workers
        self._metrics = metrics
        self._interrupted = False
        self._is_stopping = False
        self._so_far: RunCounts | None = None

    def run(self, *, once: bool, json: bool) -> int:
        """Until nothing is due, or until somebody says stop."""
        try:
            counts = asyncio.run(self._run(once=once))
        except (asyncio.CancelledError, KeyboardInterrupt):
            # The second Ctrl-C, or one more: what was in hand comes back when its lease is over.
            if not self._interrupted or self._so_far is None:
                raise
            counts = self._so_far
        self._show(counts, json=json)
        return INTERRUPTED if self._interrupted else OK

    def _show(self, counts: RunCounts, *, json: bool) -> None:
        if json:
            self._session.streams.json(counts.as_facts())
        else:
            *stages, closing = summary(counts)
            for line in stages:
                self._session.streams.line(line)
            self._session.streams.prose(closing)

    async def _run(self, *, once: bool) -> RunCounts:
        from wireroom.app.run import open_run

        async with AsyncExitStack() as opened:
            run_loop = await opened.enter_async_context(
                open_run(self._app, self._settings(), engine=self._engine)
            )
            self._so_far = run_loop.counts
            if self._metrics is not None:
                from wireroom.cli.run.metrics import serve_metrics

                await opened.enter_async_context(serve_metrics(self._metrics, run_loop, self._app))
                self._session.streams.note(f"Counts for Prometheus: {self._metrics.url}")
            await opened.enter_async_context(self._stopped_by_signals(run_loop))
            await opened.enter_async_context(self._watched(run_loop))
            return await run_loop.run(once=once)

    def _settings(self) -> Settings:
        settings = self._session.load().settings
        if self._workers is None:
            return settings
        follow = settings.follow.model_copy(update={"workers": self._workers})
        return settings.model_copy(update={"follow": follow})

    @asynccontextmanager
    async def _stopped_by_signals(self, run_loop: RunLoop) -> AsyncIterator[None]:
        """SIGTERM ends the run in good order, Ctrl-C too; a second Ctrl-C ends it at once."""
        loop = asyncio.get_running_loop()
        me = asyncio.current_task()

        def stop() -> None:
            self._is_stopping = True
            run_loop.stop()
            if not self._session.streams.redraws:
                self._session.streams.note(self._stopping(run_loop))

        def interrupt() -> None:
            if self._interrupted and me is not None:
                me.cancel()
                return
            self._interrupted = True
            stop()

        signals = {signal.SIGTERM: stop, signal.SIGINT: interrupt}
        for number, heed in signals.items():
            loop.add_signal_handler(number, heed)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    @asynccontextmanager
    async def _watched(self, run_loop: RunLoop) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._watch(run_loop))
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    def _stopping(self, run_loop: RunLoop) -> str:
        if not self._is_stopping:
            return ""
        return stopping_words(run_loop.counts, by_hand=self._interrupted)

    def _drawn(self, run_loop: RunLoop) -> Funnel:
        return funnel(
            run_loop.counts,
            run_loop.next_at,
            self._app.clock(),
            pace=run_loop.pace,
            stopping=self._stopping(run_loop),
        )

    async def _watch(self, run_loop: RunLoop) -> None:
        streams = self._session.streams
        if not streams.redraws:
            while True:
                await asyncio.sleep(NOTED_EVERY)
                streams.note(self._drawn(run_loop).one_line)
        with streams.live() as show:
            while True:
                drawn = self._drawn(run_loop)
                show(drawn.lines, drawn.doing)
                await asyncio.sleep(DRAWN_EVERY)
