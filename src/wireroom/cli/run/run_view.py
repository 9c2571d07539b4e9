"""What a run looks like while it goes on: its counts as lines. Pure."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from wireroom.cli.exits import INTERRUPTED, OK
from wireroom.cli.promises import idle_data, idle_lines
from wireroom.cli.recent import without_words
from wireroom.cli.session import Session
from wireroom.display_text import counted, sized

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.run import Run, RunCounts
    from wireroom.app.waiting import IdleReason
    from wireroom.cli.run.metrics import Place
    from wireroom.settings import Settings


SHOWN_HOSTS = 6  # at work; more do not fit into a line
NAMED_HOSTS = 3  # in a line of a log: who keeps a run waiting is among them
SHOWN_PROBLEMS = 6
SHOWN_SLOW = 2  # of the hosts at work, with the reason
_LABEL = 9  # columns of the stages' names


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """The stages of a run, for a terminal and for a log."""

    lines: tuple[tuple[str, str], ...]
    """Text and style, stage by stage."""
    doing: str
    one_line: str
    news: tuple[object, ...] = ()
    """What a log is told of: a line is due when this differs from that of the last line."""


def _as_others(_host: str) -> str:
    return ""


def funnel(
    counts: RunCounts,
    next_at: datetime | None,
    now: datetime,
    *,
    pace: Callable[[str], str] = _as_others,
    stopping: str = "",
) -> Funnel:
    """How far the run is; `pace` says why a host is asked more slowly than others.

    `stopping` are the words about a run that was told to end.
    """
    doing = f"{_span(counts.took)}, {stopping}" if stopping else _doing(counts, next_at, now)
    parts = (
        counted(counts.polls.total(), "feed"),
        counted(counts.items["new"], "new item"),
        counted(counts.leads.total(), "page"),
        counted(counts.articles["new"], "new article"),
        f"{counts.articles['changed']:,} changed",
        counted(counts.problems.total(), "problem"),
    )
    one_line = f"{', '.join(parts)}; {doing}{_at(counts, pace)}"
    lines = (*_lines(counts, rate=counts.rate()), *_now(counts, pace))
    news = (*parts, counts.paused, stopping, tuple(sorted(counts.hosts)))
    return Funnel(lines=lines, doing=doing, one_line=one_line, news=news)


def _at(counts: RunCounts, pace: Callable[[str], str]) -> str:
    """The hosts with most in flight, for a log, and why one of them takes its time."""
    if not counts.hosts or counts.paused:
        return ""
    most = counts.hosts.most_common(NAMED_HOSTS)
    named = " · ".join(f"{host} {count}{_because(pace(host))}" for host, count in most)
    more = len(counts.hosts) - NAMED_HOSTS
    return f" at {named}{f' · {more} more' if more > 0 else ''}"


def _because(why: str) -> str:
    return f" ({why})" if why else ""


def _lines(counts: RunCounts, *, rate: float | None = None) -> Iterator[tuple[str, str]]:
    polls, leads, articles = counts.polls, counts.leads, counts.articles
    yield (
        _stage(
            "feeds",
            polls.total(),
            {
                "with news": polls["items"],
                "as before": polls["same"],
                "failed": polls["failed"] + polls["gone"],
                "in reserve": polls["spared"],
            },
        ),
        "",
    )
    yield (
        _stage(
            "items",
            counts.items.total(),
            {"new": counts.items["new"], "changed": counts.items["changed"]},
        ),
        "",
    )
    fetched = {"waiting": counts.waiting["fetch"]}
    yield f"{_stage('requests', counts.requests, fetched)}  {sized(counts.received)}", ""
    kinds = {"new": articles["new"], "changed": articles["changed"], "as before": articles["same"]}
    lately = f"  {rate:.1f}/s" if articles and rate is not None else ""
    yield f"{_stage('articles', articles.total(), kinds)}{lately}", "bold"
    if counts.without.total():
        words = " · ".join(without_words(counts.without))
        yield f"{'without':<{_LABEL}} {counts.without.total():>7,}  {words}", "yellow"
    left = {
        "refused": leads["refused"],
        "to be tried again": leads["retry"],
        "failed": leads["failed"],
    }
    if any(left.values()):
        yield _stage("left", sum(left.values()), left), "yellow"
    if counts.problems:
        yield _names("problems", counts.problems, SHOWN_PROBLEMS), "yellow"


def _now(counts: RunCounts, pace: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Who is being asked, why one of them takes its time, and what holds everything up."""
    if counts.hosts:
        yield _names("hosts", counts.hosts, SHOWN_HOSTS), "dim"
    slow = [(host, why) for host, _ in counts.hosts.most_common(SHOWN_HOSTS) if (why := pace(host))]
    for host, why in slow[:SHOWN_SLOW]:
        yield f"{'slow':<{_LABEL}} {host}: {why}", "dim"
    if counts.paused:
        yield f"{'paused':<{_LABEL}} {counts.paused}", "bold red"


def _stage(name: str, count: int, parts: Mapping[str, int]) -> str:
    words = " · ".join(f"{number:,} {word}" for word, number in parts.items() if number)
    return f"{name:<{_LABEL}} {count:>7,}  {words}".rstrip()


def _names(name: str, counts: Mapping[str, int], most: int) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = " · ".join(f"{key} {count:,}" for key, count in ordered[:most])
    more = f" · {len(ordered) - most} more" if len(ordered) > most else ""
    return f"{name:<{_LABEL}} {shown}{more}"


def _doing(counts: RunCounts, next_at: datetime | None, now: datetime) -> str:
    took = _span(counts.took)
    if counts.paused:
        return f"{took}, nothing can be saved: {counts.paused}"
    if counts.hosts:
        scouting = counts.waiting["scout"]
        scouts = f", scouting {counted(scouting, 'publisher')}" if scouting else ""
        return f"{took}, {counts.hosts.total()} in flight{scouts}"
    if next_at is None:
        return f"{took}, nothing is due"
    return f"{took}, next in {_span(max(next_at - now, timedelta()))}"


def stopping_words(counts: RunCounts, *, by_hand: bool) -> str:
    """That the run was told to end, and what it still waits for; by hand it can be ended at once."""
    more = ", Ctrl-C again ends now" if by_hand else ""
    return f"stopping: {counts.hosts.total()} in flight{more}"


def _span(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def summary(counts: RunCounts) -> Iterator[str]:
    """What the run came to, in a few lines."""
    for text, _style in _lines(counts):
        yield text
    parts = [_span(counts.took)]
    if count := counts.articles.total():
        parts.append(f"{count / max(counts.took.total_seconds(), 1e-3):.1f} articles a second")
    if made := counts.clusters["made"]:
        parts.append(f"{counted(made, 'new cluster')} of near-duplicates")
    if changed := counts.clusters["changed"]:
        parts.append(f"{counted(changed, 'change')} to clusters")
    if counts.scouted:
        parts.append(f"{counted(counts.scouted, 'publisher')} scouted")
    yield ", ".join(parts)


# A run that is watched: the loop, the signals that end it, and what is shown meanwhile.

DRAWN_EVERY = 0.25  # seconds: what an eye can follow
NOTED_EVERY = 10.0  # seconds at least between two lines where nothing can be redrawn


class LiveRun:
    """Runs the loop and shows how it goes."""

    def __init__(
        self,
        session: Session,
        app: App,
        settings: Settings,
        *,
        metrics: Place | None,
    ) -> None:
        self._session = session
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._interrupted = False
        self._is_stopping = False
        self._so_far: RunCounts | None = None

    def run(self, *, once: bool, json: bool) -> int:
        """Until nothing is due, or until somebody says stop."""
        try:
            counts = asyncio.run(self._run(once=once))
        except (asyncio.CancelledError, KeyboardInterrupt):
            # The second Ctrl-C, or one more: what was in flight comes back when its lease is over.
            if not self._interrupted or self._so_far is None:
                raise
            counts = self._so_far
        self._show(counts, self._left(counts) if once else (), json=json)
        return INTERRUPTED if self._interrupted else OK

    def _left(self, counts: RunCounts) -> tuple[IdleReason, ...]:
        """Why due work was not done; where nothing was done at all, what comes up later as well."""
        from wireroom.app.waiting import blocked_work, idle_reasons, queue_state

        if self._is_stopping:
            return ()
        if counts.did_nothing:
            return idle_reasons(self._app)
        return tuple(blocked_work(queue_state(self._app)))

    def _show(self, counts: RunCounts, left: tuple[IdleReason, ...], *, json: bool) -> None:
        if json:
            self._session.streams.json(counts.as_facts() | {"left": idle_data(left)})
            return
        *stages, closing = summary(counts)
        for line in stages:
            self._session.streams.line(line)
        self._session.streams.prose(closing)
        if counts.did_nothing and left:
            self._session.streams.line("Nothing was done:")
        for line in idle_lines(left, self._app.clock()):
            self._session.streams.prose(line, indent=2)

    async def _run(self, *, once: bool) -> RunCounts:
        from wireroom.app.run import open_run

        async with AsyncExitStack() as opened:
            run_loop = await opened.enter_async_context(open_run(self._app, self._settings))
            self._so_far = run_loop.counts
            if self._metrics is not None:
                from wireroom.cli.run.metrics import serve_metrics

                await opened.enter_async_context(serve_metrics(self._metrics, run_loop, self._app))
                self._session.streams.note(f"Counts for Prometheus: {self._metrics.url}")
            await opened.enter_async_context(self._stopped_by_signals(run_loop))
            await opened.enter_async_context(self._watched(run_loop))
            return await run_loop.run(once=once)

    @asynccontextmanager
    async def _stopped_by_signals(self, run_loop: Run) -> AsyncIterator[None]:
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
    async def _watched(self, run_loop: Run) -> AsyncIterator[None]:
        watching = asyncio.create_task(self._watch(run_loop))
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    def _stopping(self, run_loop: Run) -> str:
        if not self._is_stopping:
            return ""
        return stopping_words(run_loop.counts, by_hand=self._interrupted)

    def _drawn(self, run_loop: Run) -> Funnel:
        return funnel(
            run_loop.counts,
            run_loop.next_at,
            self._app.clock(),
            pace=run_loop.pace,
            stopping=self._stopping(run_loop),
        )

    async def _note_news(self, run_loop: Run) -> None:
        """A line where something has changed since the last one, at most one in `NOTED_EVERY`."""
        last = self._drawn(run_loop).news
        while True:
            await asyncio.sleep(NOTED_EVERY)
            drawn = self._drawn(run_loop)
            if drawn.news != last:
                self._session.streams.note(drawn.one_line)
                last = drawn.news

    async def _watch(self, run_loop: Run) -> None:
        streams = self._session.streams
        if not streams.redraws:
            await self._note_news(run_loop)
        with streams.live() as show:
            while True:
                drawn = self._drawn(run_loop)
                show(drawn.lines, drawn.doing)
                await asyncio.sleep(DRAWN_EVERY)
