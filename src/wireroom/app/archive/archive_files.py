"""The use case: every input of a request is read once, by this process or another one that shares the output folder.

Whoever is killed loses the input that was being read, and nothing else: asked for the same again, it goes on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO

from wireroom.app.application import refuse_running_loop
from wireroom.app.archive.archive_inputs import STDIN, ArchiveInput, find_inputs
from wireroom.app.archive.archive_output import (
    SUFFIXES,
    ArchiveOutput,
    FileOutput,
    OutputFormat,
    StoreOutput,
)
from wireroom.app.archive.bring_input import copy_stream, fetch_file
from wireroom.app.archive.manifest import HostCost, InputOutcome, Manifest, SetAside
from wireroom.app.archive.page_filter import PageFilter
from wireroom.app.archive.read_input import (
    InputTask,
    read_input,
    slowest_hosts,
)
from wireroom.app.archive.second_pass import SecondPass
from wireroom.app.archive.today_rights import TodayRights
from wireroom.app.engines import RAY, check_shared, open_engine
from wireroom.duplicates.cluster_options import ClusterOptions, cluster_options
from wireroom.errors import DeliverError, MissingFileError, SettingsError, Wording
from wireroom.export.article_json import to_json
from wireroom.export.atomic_files import whole_file
from wireroom.export.selection import Report, merge_reports
from wireroom.model import Reading, Use
from wireroom.ports import FileMetadata
from wireroom.rights.policy import check_use
from wireroom.workers.archive_jobs import ArchiveForm, ArchiveJob

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.ports import Engine

MAX_LISTED = 100  # pages set aside, and publishers whom nobody has scouted, of a summary
_FORMS: dict[OutputFormat, ArchiveForm] = {"parquet": "table", "jsonl": "lines"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRequest:
    """Which inputs are read, what is wanted of them, and where it goes."""

    inputs: tuple[str, ...]
    """Paths, folders, patterns, addresses, or `-`."""
    output: Path | None = None
    """The folder; with `into_store` that of the manifest alone, and needless."""
    form: OutputFormat = "parquet"
    into_store: bool = False
    wanted: PageFilter = field(default_factory=PageFilter)
    use: Use | None = None
    """None is the operator's own use: everything, with its rights beside it."""
    limit: int | None = None
    """Articles of each input at most."""
    keep_duplicates: bool = False
    unique: bool = False
    """Whether of duplicates and near-duplicates in the whole folder only the earliest capture stays."""
    base: str = ""
    """What stands before the paths of a list."""
    report: Path | None = None
    """Where the report goes; by default beside the output, when there is a use."""
    workers: int | None = None
    stdin: BinaryIO | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveProgress:
    """How far it has come."""

    done_bytes: int
    all_bytes: int
    """Of what is there to be read now, as far as sizes are known."""
    inputs: int
    all_inputs: int
    pages: int
    articles: int
    now_reading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSummary:
    """What came of all inputs, those included that were done before."""

    inputs: int = 0
    done: int = 0
    done_before: int = 0
    elsewhere: tuple[str, ...] = ()
    """Inputs that another process is reading."""
    failed: dict[str, str] = field(default_factory=dict)
    """Why an input could not be read, by its name; each is a whole sentence that names it."""
    articles: int = 0
    pages: int = 0
    records: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    bad: dict[str, int] = field(default_factory=dict)
    set_aside: tuple[SetAside, ...] = ()
    set_aside_count: int = 0
    hosts: tuple[HostCost, ...] = ()
    """The slowest by page."""
    removed: dict[str, int] | None = None
    """What the second pass took out of the files: by `address`, `text` or `near`; None where there was none."""
    report: Report | None = None
    report_path: str = ""
    unscouted: tuple[str, ...] = ()
    """For a use: publishers of which articles were left out, and whom nobody has asked what they say today."""
    pages_now: int = 0
    """Those that this process has parsed."""
    bytes_now: int = 0
    seconds: float = 0.0


def archive_files(
    app: App,
    request: ArchiveRequest,
    *,
    progress: Callable[[ArchiveProgress], None] = lambda _progress: None,
) -> ArchiveSummary:
    """Reads every input that is not done yet and that nobody else is reading."""

    async def work() -> ArchiveSummary:
        async with open_engine(app.settings, workers=request.workers) as engine:
            return await archive_inputs(app, request, engine, progress=progress)

    refuse_running_loop("archive_files", "await archive_inputs(app, request, engine)")
    return asyncio.run(work())


async def archive_inputs(
    app: App,
    request: ArchiveRequest,
    engine: Engine,
    *,
    progress: Callable[[ArchiveProgress], None] = lambda _progress: None,
) -> ArchiveSummary:
    """As `archive_files`, with an engine that is open already."""
    _check(request)
    if app.settings.run.engine == RAY:
        check_shared(app.settings, into_store=request.into_store)
    found = find_inputs(request.inputs, base=request.base)
    manifest = None if request.output is None else Manifest(request.output)
    if manifest is not None and found:
        manifest.begin(_options(request))
    run = ArchiveRun(app, request, found, manifest, progress)
    if app.settings.run.engine == RAY:
        from wireroom.app.archive.ray_inputs import read_on_ray

        await read_on_ray(run, app, request, found)
    else:
        for each in found:
            await run.read(each, engine)
    if request.into_store:
        run.cluster()
    elif request.unique:
        await run.unique(engine)
    return run.summary()


def _check(request: ArchiveRequest) -> None:
    if request.use is not None:
        check_use(request.use)
    if request.output is None and not request.into_store:
        hint = Wording("Give output.", terminal="Name a folder: -o DIR")
        raise SettingsError(["there is nowhere to write to"], hint=hint)
    if request.unique and (request.into_store or request.keep_duplicates):
        name = "keep_duplicates" if request.keep_duplicates else "into_store"
        flag = name.replace("_", "-")
        problem = Wording(
            f"unique and {name} are at odds", terminal=f"--unique and --{flag} are at odds"
        )
        raise SettingsError([problem], hint="Leave one of them out.")
    if request.output is not None and request.output.exists() and not request.output.is_dir():
        raise DeliverError(f"{request.output} is a file.", hint="Name a folder.")
    if request.report is not None:
        _check_report(request.report, request.use)
    since, until = request.wanted.since, request.wanted.until
    if since is not None and until is not None and since > until:
        raise SettingsError(["since is after until"], hint="Name an earlier and a later time.")


def _check_report(report: Path, use: Use | None) -> None:
    """Before anything is read: hours later is too late."""
    if use is None:
        hint = Wording("Give use.", terminal="Name a use: --for USE")
        raise SettingsError(["a report says what a use leaves out, and none is named"], hint=hint)
    if report.is_dir():
        raise DeliverError(f"{report} is a folder.", hint="Name the file to be written.")
    if not report.parent.is_dir():
        raise DeliverError(f"{report.parent} is not there.", hint="Make this folder first.")


def _options(request: ArchiveRequest) -> dict[str, Any]:
    """What an output folder was made with: two answers to different questions are not one corpus."""
    return {
        "format": "store" if request.into_store else request.form,
        "use": request.use,
        "limit": request.limit,
        "keep_duplicates": request.keep_duplicates,
        **asdict(request.wanted),
    }


@dataclass(slots=True, kw_only=True)
class InputResults:
    """What came of inputs so far; can travel."""

    outcomes: list[InputOutcome] = field(default_factory=list)
    now: list[InputOutcome] = field(default_factory=list)
    """Those of inputs that were not done before."""
    before: int = 0
    elsewhere: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, other: InputResults) -> None:
        """Takes over what came of others."""
        self.outcomes += other.outcomes
        self.now += other.now
        self.before += other.before
        self.elsewhere += other.elsewhere
        self.failed |= other.failed


class ArchiveRun:
    """One process at work on the inputs of a request."""

    def __init__(
        self,
        app: App,
        request: ArchiveRequest,
        found: list[ArchiveInput],
        manifest: Manifest | None,
        progress: Callable[[ArchiveProgress], None],
    ) -> None:
        self._app = app
        self._request = request
        self._found = list(found)
        self._manifest = manifest
        self._progress = progress
        self._began = monotonic()
        self.results = InputResults()
        self._passed = 0  # bytes of inputs that are done
        self._not_ours = 0  # bytes of those that were done before, or that another process reads
        self._removed: dict[str, int] | None = None
        self._today = TodayRights(app)

    async def read(self, found: ArchiveInput, engine: Engine, path: Path | None = None) -> None:
        """Reads one input, unless it is done or another process is at it; `path` is where it was brought to."""
        is_ours = True
        try:
            with ExitStack() as stack:
                if found.location == STDIN:
                    found, path = await self._take_stdin(found, stack)
                is_ours = stack.enter_context(self._claimed(found))
                if is_ours:
                    await self._read_claimed(found, engine, path)
        except (DeliverError, MissingFileError) as exc:  # gone since it was found: the others go on
            self.results.failed[found.name] = exc.message
        self.passed(found, is_ours=is_ours)

    def passed(self, found: ArchiveInput, *, is_ours: bool = True) -> None:
        """Nothing more is to be done with an input: what is left to do is less.

        One that was done before, or that another process reads, says nothing of how fast we are.
        """
        if is_ours:
            self._passed += found.size
        else:
            self._not_ours += found.size
        self._watch(replace(found, size=0), 0, 0, 0)

    @contextmanager
    def _claimed(self, found: ArchiveInput) -> Iterator[bool]:
        """Whether there is something to do that is ours to do."""
        if self._manifest is None:
            yield True
            return
        if self._is_done(found):
            yield False
            return
        with self._manifest.claim(found) as is_ours:
            if not is_ours:
                self.results.elsewhere.append(found.name)
                yield False
            else:
                yield not self._is_done(found)  # perhaps by somebody else, a moment ago

    def _is_done(self, found: ArchiveInput) -> bool:
        outcome = self._manifest.outcome(found) if self._manifest is not None else None
        if outcome is not None:
            self.results.outcomes.append(outcome)
            self.results.before += 1
        return outcome is not None

    async def _read_claimed(
        self, found: ArchiveInput, engine: Engine, path: Path | None = None
    ) -> None:
        self._watch(found, 0, 0, 0)
        with ExitStack() as stack:
            path = path or await self._bring(found, stack)
            task = InputTask(
                found=found,
                job=self._job(),
                wanted=self._request.wanted,
                limit=self._request.limit,
                keep_duplicates=self._request.keep_duplicates,
                path=path,
            )
            outcome = await read_input(
                task,
                engine,
                lambda: self._output(found),
                today_of=self._today.of if self._today.knows_anybody else None,
                watch=lambda *counts: self._watch(found, *counts),
            )
        if self._manifest is not None:
            self._manifest.save(found, outcome)
        self.results.outcomes.append(outcome)
        self.results.now.append(outcome)

    async def _take_stdin(self, found: ArchiveInput, stack: ExitStack) -> tuple[ArchiveInput, Path]:
        """Brings stdin to the disk: only then is it known whether it was read before, and it may be read twice."""
        if self._request.stdin is None:
            raise DeliverError("There is no stdin to read from.", hint="Name files instead of -.")
        if self._manifest is not None:
            path = stack.enter_context(self._manifest.stdin_spool())
        else:
            path = _temporary(stack)
        digest = await asyncio.to_thread(copy_stream, self._request.stdin, path)
        taken = replace(found, stamp=digest, size=path.stat().st_size)
        self._found[self._found.index(found)] = taken
        return taken, path

    async def _bring(self, found: ArchiveInput, stack: ExitStack) -> Path | None:
        """An input of a web server is brought to the disk first: it may have to be read twice."""
        if not found.is_remote:
            return None
        manifest = self._manifest
        path = manifest.spool(found) if manifest is not None else _temporary(stack)
        stack.callback(path.unlink, missing_ok=True)
        await self.fetch(found, path)
        return path

    async def fetch(self, found: ArchiveInput, path: Path) -> None:
        """Fetches an input from its server, with the manners of any other request."""
        fetching = replace(found, size=0)
        await fetch_file(
            found.location,
            path,
            self._app.settings,
            progress=lambda done, _whole: self._watch(fetching, done, 0, 0),
        )

    def _job(self) -> ArchiveJob:
        from wireroom.app.run.run_options import run_options

        request, settings = self._request, self._app.settings
        return ArchiveJob(
            now=self._app.clock(),
            form="readings" if request.into_store else _FORMS[request.form],
            languages=request.wanted.languages,
            publishers=request.wanted.publishers,
            use=request.use,
            policy=settings.rights.policy(),
            cluster=run_options(settings).cluster if request.into_store else None,
        )

    def _output(self, found: ArchiveInput) -> ArchiveOutput:
        if self._request.into_store or self._manifest is None or self._request.output is None:
            return StoreOutput(self._save)
        use = self._request.use
        policy = to_json(self._app.settings.rights.policy()).decode()
        known = {"wireroom.use": use, "wireroom.policy": policy} if use else {}
        form = self._request.form
        return FileOutput(
            self._request.output,
            found.file_name(SUFFIXES[form]),
            self._manifest.draft(found),
            form,
            FileMetadata(known={"wireroom.input": found.name, **known}),
        )

    def _save(self, readings: list[Reading]) -> int:
        saved = self._app.store.save_readings(readings, now=self._app.clock())
        return sum(outcome.outcome != "none" for outcome in saved)

    def _watch(self, found: ArchiveInput, size: int, pages: int, articles: int) -> None:
        finished = self.results.outcomes
        self._progress(
            ArchiveProgress(
                done_bytes=self._passed + min(size, found.size or size),
                all_bytes=sum(each.size for each in self._found) - self._not_ours,
                inputs=len(finished) + len(self.results.failed) + len(self.results.elsewhere),
                all_inputs=len(self._found),
                pages=sum(outcome.pages for outcome in self.results.now) + pages,
                articles=sum(outcome.articles for outcome in finished) + articles,
                now_reading=found.name,
            )
        )

    def cluster(self) -> None:
        """Puts what was saved with its near-duplicates, as a run does."""
        from wireroom.app.cluster_round import cluster_round
        from wireroom.app.holders import holder_name
        from wireroom.app.run.run_options import run_options

        options, holder = run_options(self._app.settings).cluster, holder_name()
        if options is not None:
            store, clock = self._app.store, self._app.clock
            while any(cluster_round(store, options, holder=holder, clock=clock)):
                continue

    async def unique(self, engine: Engine) -> None:
        """Looks for duplicates among all files, once every input is done."""
        manifest, output = self._manifest, self._request.output
        if manifest is None or output is None or self.results.elsewhere or self.results.failed:
            return
        options = cluster_options(self._app.settings) or ClusterOptions()
        with manifest.claim_pass() as is_ours:
            if is_ours:
                again = SecondPass(output, manifest.folder, options, self._app.clock())
                self._removed = await again.run(engine)

    # --- at the end -------------------------------------------------------------------------------

    def summary(self) -> ArchiveSummary:
        """What came of everything; the report is written, too."""
        outcomes = self.results.outcomes
        summary = ArchiveSummary(
            inputs=len(self._found),
            done=len(outcomes),
            done_before=self.results.before,
            elsewhere=tuple(self.results.elsewhere),
            failed=self.results.failed,
            articles=sum(outcome.articles for outcome in outcomes),
            pages=sum(outcome.pages for outcome in outcomes),
            records=sum(outcome.records for outcome in outcomes),
            skipped=_sum(outcome.skipped for outcome in outcomes),
            unread=_sum(outcome.unread for outcome in outcomes),
            duplicates=_sum(outcome.duplicates for outcome in outcomes),
            bad=_sum(outcome.bad for outcome in outcomes),
            set_aside=tuple(page for outcome in outcomes for page in outcome.set_aside)[
                :MAX_LISTED
            ],
            set_aside_count=sum(outcome.set_aside_count for outcome in outcomes),
            hosts=slowest_hosts(_merged_hosts(outcomes)),
            removed=self._removed,
            pages_now=sum(outcome.pages for outcome in self.results.now),
            bytes_now=sum(outcome.size for outcome in self.results.now),
            seconds=round(monotonic() - self._began, 3),
        )
        return self._reported(summary)

    def _reported(self, summary: ArchiveSummary) -> ArchiveSummary:
        use, output = self._request.use, self._request.output
        if use is None or not self._found:
            return summary
        known = self.results.outcomes if self._manifest is None else list(self._manifest.outcomes())
        report = merge_reports(use, (each.report for each in known if each.report is not None))
        path = self._request.report
        if path is None and output is not None:
            path = output.with_name(f"{output.name}.report.json")
        if path is not None:
            data = {
                "made_at": self._app.clock(),
                "format": self._request.form,
                "inputs": len(known),
                "handed_on": sum(each.articles for each in known),
                "rights": report,
            }
            with whole_file(path) as out:
                out.write(to_json(data) + b"\n")
        left_out = (each.publisher for each in report.publishers if each.left_out)
        named = filter(None, left_out)  # whose a saved page is, it may not say
        unscouted = tuple(name for name in named if not self._today.is_known(name))
        return replace(
            summary, report=report, report_path=str(path or ""), unscouted=unscouted[:MAX_LISTED]
        )


def _temporary(stack: ExitStack) -> Path:
    return Path(stack.enter_context(TemporaryDirectory(prefix="wireroom-"))) / "input"


def _sum(counts: Iterator[dict[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for count in counts:
        found.update(count)
    return dict(found.most_common())


def _merged_hosts(outcomes: list[InputOutcome]) -> Iterator[HostCost]:
    found: dict[str, HostCost] = {}
    for cost in (cost for outcome in outcomes for cost in outcome.hosts):
        known = found.get(cost.host, HostCost(host=cost.host, pages=0, seconds=0.0))
        found[cost.host] = HostCost(
            host=cost.host, pages=known.pages + cost.pages, seconds=known.seconds + cost.seconds
        )
    yield from found.values()
