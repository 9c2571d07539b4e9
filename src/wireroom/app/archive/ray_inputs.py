"""Archives on a Ray cluster: one task an input, on whichever machine has a processor free.

All that a task needs travels with it; what it makes, it writes into the output folder itself, which all machines see
under the same name. It has a parser process of its own beside it, so poisonous pages cost what they cost elsewhere. A
task that is lost with its machine is tried again: its output is whole or not there, its lock went with its process.
Files on web servers are fetched by the process that was started by hand, one after the other, as manners ask.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from wireroom.app.archive.archive_inputs import STDIN, ArchiveInput
from wireroom.app.archive.manifest import Manifest
from wireroom.app.engines import SQLITE
from wireroom.errors import DeliverError, SettingsError, WireroomError, Wording
from wireroom.ports import EngineOptions
from wireroom.workers.ray_cluster import as_task, cluster_cores, connected, load_ray

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.archive.archive_files import ArchiveRequest, ArchiveRun, InputResults
    from wireroom.settings import Settings

RETRIES = 3  # of a task whose node or process was lost
WAITING = 2  # tasks for each core: one is read while another waits for its turn
LOCK_GOES = 5.0  # seconds within which a process that is lost has let go of its input


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskInput:
    """One input for a task; all of it can travel."""

    settings: Settings
    request: ArchiveRequest
    found: ArchiveInput
    now: datetime
    path: Path | None = None
    """Where an input lies that was fetched."""


async def read_on_ray(
    run: ArchiveRun, app: App, request: ArchiveRequest, found: list[ArchiveInput]
) -> None:
    """Has every input read by a task; what came of them is in `run.results`."""
    if any(each.location == STDIN for each in found):
        raise SettingsError(
            ["stdin cannot be read on other machines"], hint="Name files instead of -."
        )
    with connected(app.settings.run.address):
        reading = _RayReading(run, app, request)
        await reading.read(found)
        again = [each for each in found if each.name in run.results.elsewhere]
        if (
            again
        ):  # perhaps by a task that is lost, whose process had not ended when it was tried again
            await asyncio.sleep(LOCK_GOES)
            run.results.elsewhere.clear()
            await reading.read(again)


class _RayReading:
    """Hands inputs to tasks, and takes what came of them."""

    def __init__(self, run: ArchiveRun, app: App, request: ArchiveRequest) -> None:
        self._run = run
        output = request.output.absolute() if request.output is not None else None
        self._manifest = None if output is None else Manifest(output)
        self._input = partial(
            TaskInput,
            settings=app.settings,
            request=replace(request, output=output, stdin=None),
            now=app.clock(),
        )
        self._task = as_task(read_in_task, retries=RETRIES)
        self._room = asyncio.Semaphore(WAITING * cluster_cores())

    async def read(self, found: list[ArchiveInput]) -> None:
        """Until all of them are done."""
        async with asyncio.TaskGroup() as group:
            for each in found:
                await self._room.acquire()
                try:
                    path = await self._fetched(each)
                except DeliverError as exc:
                    self._run.results.failed[each.name] = exc.message
                    self._room.release()
                else:
                    group.create_task(self._read(each, path))

    async def _fetched(self, found: ArchiveInput) -> Path | None:
        """An input of a web server is fetched into the output folder, where every machine finds it."""
        if not found.is_remote:
            return None
        if self._manifest is None:
            raise DeliverError(
                "machines need a folder to share what is fetched",
                hint=Wording(
                    "Give output, which all of them see.",
                    terminal="Name one that all of them see: -o DIR",
                ),
            )
        if self._manifest.outcome(found) is not None:
            return None
        path = self._manifest.folder / f"{found.key}.{uuid4().hex[:8]}.input"
        try:
            await self._run.fetch(found, path)
        except DeliverError:
            path.unlink(missing_ok=True)
            raise
        return path

    async def _read(self, found: ArchiveInput, path: Path | None) -> None:
        task = self._task.remote(self._input(found=_anywhere(found), path=path))
        is_ours = True
        try:
            result = await _result(task)
            is_ours = not result.before and not result.elsewhere
            self._run.results.add(result)
        except load_ray().exceptions.RayError as exc:
            message = next(iter(str(exc).strip().splitlines()), type(exc).__name__)
            self._run.results.failed[found.name] = f"{found.name}: its task was lost: {message}"
        except asyncio.CancelledError:
            load_ray().cancel(task, force=True)
            raise
        finally:
            if path is not None:
                path.unlink(missing_ok=True)  # noqa: ASYNC240 - a moment
            self._run.passed(found, is_ours=is_ours)
            self._room.release()


def _anywhere(found: ArchiveInput) -> ArchiveInput:
    """The input by a name that does not depend on the working folder."""
    if not found.is_local:
        return found
    return replace(found, location=os.path.abspath(found.location))  # noqa: PTH100 - a link stays one


async def _result(task: Any) -> InputResults:
    results: InputResults = await task
    return results


def read_in_task(given: TaskInput) -> InputResults:
    """The task: reads one input with a parser process of its own."""
    return asyncio.run(_read_input(given))


async def _read_input(given: TaskInput) -> InputResults:
    from wireroom.app.application import open_app
    from wireroom.app.archive.archive_files import ArchiveRun, InputResults
    from wireroom.app.scout import IN_MEMORY
    from wireroom.workers.local import LocalEngine

    settings, request, found = given.settings, given.request, given.found
    database = IN_MEMORY if settings.database_url.startswith(SQLITE) else None
    manifest = None if request.output is None else Manifest(request.output)
    try:
        with open_app(database, settings=settings, clock=lambda: given.now) as app:
            run = ArchiveRun(app, request, [found], manifest, lambda _progress: None)
            async with LocalEngine(EngineOptions(workers=1)) as engine:
                await run.read(found, engine, given.path)
            return run.results
    except WireroomError as exc:  # as data: an error of ours may not travel
        return InputResults(failed={found.name: exc.message})
