"""A job as pages and API see it: from the memory of this server, or as it is written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wireroom.app.job_history import JobKind, JobRecord, JobRow, JobState, is_open
from wireroom.app.scout import Progress, step_titles
from wireroom.app.submit import AddRow, RowOutcome, Submission
from wireroom.report import summary


@dataclass(frozen=True, slots=True)
class StepLine:
    """One step of a scout, as it is shown."""

    name: str
    title: str
    status: str
    words: str = ""


@dataclass(slots=True, kw_only=True)
class Job:
    """One piece of work; its thread writes it, pages read copies."""

    record: JobRecord
    steps: dict[str, Progress] = field(default_factory=dict)
    """Of a scout; known to the server that does it."""
    submission: Submission | None = None
    """Of a list that is not done."""
    outcomes: dict[int, RowOutcome] = field(default_factory=dict)
    """Of a list: by line, as they are known."""

    @property
    def id(self) -> str:
        """Its name."""
        return self.record.id

    @property
    def kind(self) -> JobKind:
        """What is done."""
        return self.record.kind

    @property
    def state(self) -> JobState:
        """How far it is."""
        return self.record.state

    @property
    def domain(self) -> str:
        """The publisher; empty for a list."""
        return self.record.publisher

    @property
    def message(self) -> str:
        """Why it failed, or what came of it."""
        return self.record.message

    @property
    def hint(self) -> str:
        """What to do about it."""
        return self.record.hint

    @property
    def moved_to(self) -> str:
        """Where the publisher is, if that is another domain."""
        return self.record.moved_to

    @property
    def is_open(self) -> bool:
        """Whether there is something to wait for."""
        return is_open(self.record)

    @property
    def rows(self) -> tuple[AddRow, ...]:
        """Of a list: its rows; of one that is done, those that have an outcome, which are all."""
        if self.submission is not None:
            return self.submission.rows
        known = sorted(self.outcomes.values(), key=lambda outcome: outcome.line)
        return tuple(AddRow(line=outcome.line, target=outcome.target) for outcome in known)

    def note(self, progress: Progress) -> None:
        """A step has begun or ended."""
        self.steps[progress.step] = progress

    def copy(self) -> Job:
        """The job as it is now."""
        return replace(self, steps=dict(self.steps), outcomes=dict(self.outcomes))

    def is_same_as(self, other: Job) -> bool:
        """Whether both ask for the same; any two scouts of a publisher do."""
        mine, its = self.record, other.record
        if mine.kind != its.kind:
            return False
        if mine.kind == "scout":
            return mine.publisher == its.publisher
        if mine.kind == "follow":
            return (mine.target, mine.options) == (its.target, its.options)
        return (mine.id, mine.digest) == (its.id, its.digest)


def known_job(record: JobRecord) -> Job:
    """A job as it is written down."""
    return Job(record=record)


def listed_job(record: JobRecord, rows: Iterable[JobRow], waiting: Submission | None) -> Job:
    """A list as it is written down, with what became of its rows."""
    outcomes = {row.line: RowOutcome.of(row) for row in rows}
    return Job(record=record, submission=waiting, outcomes=outcomes)


def step_lines(job: Job) -> list[StepLine]:
    """The steps of a scout so far."""
    return [step_line(progress) for progress in tuple(job.steps.values())]


def step_line(progress: Progress) -> StepLine:
    """A step as it is shown."""
    words = summary(progress.finding) if progress.finding is not None else ""
    return StepLine(progress.step, step_title(progress.step), progress.status, words)


def step_title(step: str) -> str:
    """What people call a step."""
    return step_titles().get(step, step)
