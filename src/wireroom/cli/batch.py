"""What commands on many rows share: where rows come from, how results are shown as they come, the exit code."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wireroom.cli.exits import ERROR, OK
from wireroom.cli.streams import Streams
from wireroom.errors import MissingFileError, SettingsError

if TYPE_CHECKING:
    from datetime import timedelta

    from wireroom.app.page_rights import StaleScouts
    from wireroom.app.scout import ScoutResult

R = TypeVar("R")


def read_list(source: str, *, max_bytes: int) -> bytes:
    """The bytes of a list: of a file, or of stdin for `-`; SettingsError says why they cannot be had."""
    try:
        if source == "-":
            body = sys.stdin.buffer.read(max_bytes + 1) if sys.stdin is not None else b""
        else:
            with Path(source).open("rb") as file:
                body = file.read(max_bytes + 1)
    except FileNotFoundError as exc:
        raise MissingFileError(source) from exc
    except OSError as exc:
        raise SettingsError(
            [f"{source} cannot be read: {exc.strerror}."],
            hint="Check its name and its permissions.",
        ) from exc
    if len(body) > max_bytes:
        raise SettingsError(
            [f"{source} is larger than {max_bytes // 1_000_000} MB."], hint="Split it."
        )
    return body


def show_results(
    streams: Streams,
    title: str,
    results: AsyncGenerator[R, None],
    show: Callable[[R], int | None],
    *,
    total: int = 0,
    done: int = 0,
) -> None:
    """Shows every result as it comes, with a bar that counts them; `done` were shown before.

    Where the total is not known before the end, `show` gives it as far as it is.
    """

    async def run() -> None:
        with streams.progress(title) as progress:
            if total:
                progress(done, total)
            async with aclosing(results):
                count = done
                async for result in results:
                    known = show(result)
                    count += 1
                    progress(count, known or total)

    import asyncio

    asyncio.run(run())


def show_stale_scouts(streams: Streams, scouts: StaleScouts) -> dict[str, str]:
    """Runs the scouts with a bar that counts them, and names who could not be asked, with the reason."""
    unasked: dict[str, str] = {}

    def show(result: ScoutResult) -> None:
        if result.error is not None:
            unasked[result.address.domain] = result.error.reason
            streams.note(f"{result.address.domain}: not scouted: {result.error.reason}")

    if scouts.total:
        show_results(streams, "Scouting", scouts.results, show, total=scouts.total)
    return unasked


def read_span(option: str, text: str) -> timedelta:
    """The span of time that was given to an option, such as 1h."""
    from wireroom.dates.durations import read_duration

    try:
        return read_duration(text)
    except ValueError as exc:
        raise SettingsError([f"{option} {text}: {exc}"]) from exc


def all_results(results: AsyncGenerator[R, None]) -> list[R]:
    """Every result, where nothing is to be shown before the last one is there."""

    async def run() -> list[R]:
        async with aclosing(results):
            return [result async for result in results]

    import asyncio

    return asyncio.run(run())


def code_of_all(codes: Iterable[int]) -> int:
    """0 when every row went well; the code that all of them have in common, else 1."""
    found = set(codes)
    if found <= {OK}:
        return OK
    return found.pop() if len(found) == 1 else ERROR
