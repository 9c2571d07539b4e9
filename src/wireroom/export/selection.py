"""What may be exported for a use, and a report of what may not and why. Pure.

Two have to permit it: the receipt, which says how things stood when the page was fetched, and the
publisher as it speaks now, which is an argument. Where the policy says so, both of a reprint's original as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import msgspec

from wireroom.errors import DeliverError, SettingsError
from wireroom.export.article_text import condition_word
from wireroom.export.atomic_files import whole_file
from wireroom.model import USES, Article, Original, Receipt, Removal, Use, Verdict
from wireroom.ports import Exported
from wireroom.rights import Policy, decide_export
from wireroom.rights.finding_index import REFUSALS
from wireroom.rights.policy import original_that_counts, reason_of_original
from wireroom.rights.removal import WITHDRAWN, Refusal, decide_removal

T = TypeVar("T")

MAX_EXAMPLES = 3  # of each reason: enough to look one up
MAX_MERGED = 30  # examples by who refused, of several reports together
MAX_REASONS = 200  # a reason is a word and a family; more than that are not told apart
MAX_CONDITIONS = 200  # details are other people's texts: one for each article would fill the report
MAX_PUBLISHERS = 10_000

Asked = Literal["receipt", "publisher", "original"]
"""Who refused: the receipt of the article, its publisher as it speaks now, or one of the two of its original."""
Current: TypeAlias = Callable[[Article | Original], Receipt]
"""The receipt of an article as it would be written now; see `wireroom.rights.review`."""
OTHERS = "(others)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Articles left out for one reason."""

    refused_by: Asked
    word: str
    """The verdict, or `robots`, or `withdrawn`."""
    families: tuple[str, ...] = ()
    """Which signals decided it; none when nobody said anything."""
    articles: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One article that was left out, with the whole reason."""

    id: str
    url: str
    publisher: str
    refused_by: Asked
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPublisher:
    """What became of the articles of one publisher."""

    publisher: str
    handed_on: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfCondition:
    """A condition of articles that were exported."""

    condition: str
    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was exported for a use and what was not."""

    use: Use
    handed_on: int = 0
    left_out: int = 0
    reasons: tuple[LeftOut, ...] = ()
    """Most frequent first."""
    publishers: tuple[OfPublisher, ...] = ()
    """By name."""
    examples: tuple[Example, ...] = ()
    conditions: tuple[OfCondition, ...] = ()
    """What is asked for in return for what was exported, most frequent first, then by name."""


def permitted(
    articles: Iterable[Article],
    use: Use,
    policy: Policy,
    current: Current,
    *,
    held_only: bool = False,
) -> PermittedArticles:
    """Those of the articles that may be exported for the use, one by one; ask for the report at the end.

    With `held_only` none that its publisher has withdrawn.
    """
    return PermittedArticles(articles, use, policy, current, held_only=held_only)


@dataclass(slots=True)
class _UseCount:
    handed_on: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    reasons: Counter[LeftOut] = field(default_factory=Counter)
    conditions: Counter[str] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)
    shown: Counter[LeftOut] = field(default_factory=Counter)


class UseCheck:
    """Who has to permit that an article is exported for a use, and who does not."""

    def __init__(self, use: Use, policy: Policy, current: Current) -> None:
        self._use: Use = use
        self._policy = policy
        self._current = current

    def permits(self, article: Article) -> bool:
        """Whether everybody does."""
        return self.refused(article, self.asked(article)) is None

    def asked(self, article: Article) -> Iterator[tuple[Asked, Receipt | None]]:
        """Who has to permit the export, and under what."""
        if not _waits_for_scout(article.receipt) or _refuses(article.receipt, self._use):
            yield "receipt", article.receipt
        yield "publisher", self._current(article)
        original = original_that_counts(self._policy, article)
        if original is not None:
            if not _waits_for_scout(original.receipt):
                yield "original", original.receipt
            yield "original", self._current(original)

    def refused(
        self, article: Article, asked: Iterable[tuple[Asked, Receipt | None]]
    ) -> tuple[Asked, Refusal] | None:
        """The first who refuses, and why."""
        for who, receipt in asked:
            ok, reason = decide_export(self._policy, self._use, receipt)
            if ok:
                continue
            if receipt is not None:
                # Not above: whoever only names the formats, as the help does, need not load every signal.
                from wireroom.signals import with_labels

                named = replace(receipt, verdicts=with_labels(receipt.verdicts))
                _, reason = decide_export(self._policy, self._use, named)
            if who == "original" and article.original is not None:
                reason = reason_of_original(article.original, reason)
            return who, Refusal(reason, receipt)
        return None


class PermittedArticles:
    """The articles that may be exported; iterate once, then read the report."""

    def __init__(
        self,
        articles: Iterable[Article],
        use: Use,
        policy: Policy,
        current: Current,
        *,
        held_only: bool = False,
    ) -> None:
        self._articles = articles
        self._use: Use = use
        self._check = UseCheck(use, policy, current)
        self._held_only = held_only
        self._tally = _UseCount()

    def __iter__(self) -> Iterator[Article]:
        for article in self._articles:
            if self.permits(article):
                yield article

    def permits(self, article: Article) -> bool:
        """Whether this article may be exported; the answer is counted."""
        if self._held_only and article.state == "withdrawn":
            self._refuse(article, LeftOut(refused_by="publisher", word="withdrawn"), WITHDRAWN)
            return False
        asked = tuple(self._check.asked(article))
        refused = self._check.refused(article, asked)
        if refused is not None:
            who, refusal = refused
            self._refuse(article, _why(who, refusal.receipt, self._use), refusal.reason)
            return False
        self._count_exported(article, [receipt for _, receipt in asked])
        return True

    def removal(self, left: Exported, article: Article | None, *, now: datetime) -> Removal | None:
        """What is told of an article that was exported for this use earlier; None while it may be used. Not counted."""
        check = self._check
        refused = None if article is None else check.refused(article, check.asked(article))
        return decide_removal(left, article, refused and refused[1], self._use, now=now)

    @property
    def report(self) -> Report:
        """How things stand so far."""
        tally = self._tally
        return _report(
            self._use,
            tally.handed_on,
            tally.left_out,
            tally.reasons,
            tally.conditions,
            tally.examples,
        )

    def _refuse(self, article: Article, why: LeftOut, reason: str) -> None:
        tally = self._tally
        _count(tally.left_out, article.publisher, OTHERS, MAX_PUBLISHERS)
        others = LeftOut(refused_by=why.refused_by, word=OTHERS)
        _count(tally.reasons, why, others, MAX_REASONS)
        if tally.shown[why] < MAX_EXAMPLES and len(tally.shown) <= MAX_REASONS:
            tally.shown[why] += 1
            tally.examples.append(
                Example(
                    id=article.id,
                    url=article.url,
                    publisher=article.publisher,
                    refused_by=why.refused_by,
                    reason=reason,
                )
            )

    def _count_exported(self, article: Article, receipts: Iterable[Receipt | None]) -> None:
        _count(self._tally.handed_on, article.publisher, OTHERS, MAX_PUBLISHERS)
        verdicts = [_verdict(receipt, self._use) for receipt in receipts]
        asked = {
            condition_word(condition)
            for verdict in verdicts
            if verdict
            for condition in verdict.conditions
        }
        for condition in asked:
            _count(self._tally.conditions, condition, OTHERS, MAX_CONDITIONS)


class RefusalCount:
    """Articles as they come, of which is counted for which uses they are refused or sold: nothing is left out.

    By the receipt of each; where nobody had looked when that was written, by what its publisher says now.
    """

    def __init__(self, articles: Iterable[Article], current: Current) -> None:
        self._articles = articles
        self._current = current
        self._counts: Counter[Use] = Counter()

    def __iter__(self) -> Iterator[Article]:
        for article in self._articles:
            waits = _waits_for_scout(article.receipt)
            receipt = self._current(article) if waits else article.receipt
            self._counts.update(_refused_uses(receipt))
            yield article

    @property
    def counts(self) -> dict[Use, int]:
        """How many so far, use by use; the most frequent first."""
        in_order = sorted(USES, key=lambda use: -self._counts[use])
        return {use: self._counts[use] for use in in_order if self._counts[use]}


def _refused_uses(receipt: Receipt | None) -> Iterable[Use]:
    if receipt is None:
        return ()
    if receipt.robots == "disallowed":
        return USES
    return [verdict.use for verdict in receipt.verdicts if verdict.value in REFUSALS]


def _count(counter: Counter[T], key: T, other: T, limit: int, by: int = 1) -> None:
    if by:
        counter[key if key in counter or len(counter) < limit else other] += by


def _waits_for_scout(receipt: Receipt | None) -> bool:
    """Whether nobody had looked when it was written: what its host says today, and what the page said, decides."""
    return receipt is not None and receipt.unscouted


def _refuses(receipt: Receipt | None, use: Use) -> bool:
    """Whether it refuses by what could be seen: others who were not asked change nothing about that."""
    verdict = _verdict(receipt, use)
    barred = receipt is not None and receipt.robots == "disallowed"
    return barred or (verdict is not None and verdict.value in REFUSALS)


def merge_reports(use: Use, reports: Iterable[Report]) -> Report:
    """What several reports about the same use come to, within the limits of one."""
    handed_on: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    reasons: Counter[LeftOut] = Counter()
    conditions: Counter[str] = Counter()
    examples: list[Example] = []
    shown: Counter[Asked] = Counter()
    for report in reports:
        for publisher in report.publishers:
            name = publisher.publisher
            _count(handed_on, name, OTHERS, MAX_PUBLISHERS, publisher.handed_on)
            _count(left_out, name, OTHERS, MAX_PUBLISHERS, publisher.left_out)
        for row in report.reasons:
            why, others = replace(row, articles=0), LeftOut(refused_by=row.refused_by, word=OTHERS)
            _count(reasons, why, others, MAX_REASONS, row.articles)
        for asked in report.conditions:
            _count(conditions, asked.condition, OTHERS, MAX_CONDITIONS, asked.articles)
        for example in report.examples:
            if shown[example.refused_by] < MAX_MERGED:
                shown[example.refused_by] += 1
                examples.append(example)
    return _report(use, handed_on, left_out, reasons, conditions, examples)


def _report(
    use: Use,
    handed_on: Counter[str],
    left_out: Counter[str],
    reasons: Counter[LeftOut],
    conditions: Counter[str],
    examples: Iterable[Example],
) -> Report:
    return Report(
        use=use,
        handed_on=handed_on.total(),
        left_out=left_out.total(),
        reasons=tuple(replace(row, articles=n) for row, n in reasons.most_common()),
        publishers=tuple(
            OfPublisher(publisher=name, handed_on=handed_on[name], left_out=left_out[name])
            for name in sorted({*handed_on, *left_out})
        ),
        examples=tuple(examples),
        conditions=tuple(
            OfCondition(condition=row, articles=n)
            for row, n in sorted(conditions.items(), key=lambda each: (-each[1], each[0]))
        ),
    )


def _verdict(receipt: Receipt | None, use: Use) -> Verdict | None:
    verdicts = receipt.verdicts if receipt is not None else ()
    return next((verdict for verdict in verdicts if verdict.use == use), None)


def _why(who: Asked, receipt: Receipt | None, use: Use) -> LeftOut:
    if receipt is not None and receipt.robots == "disallowed":
        return LeftOut(refused_by=who, word="robots")
    verdict = _verdict(receipt, use)
    if verdict is None:
        return LeftOut(refused_by=who, word="unknown")
    families = tuple(sorted({signal.family for signal in verdict.because}))
    return LeftOut(refused_by=who, word=verdict.value, families=families)


# How far an export came: a small file, so that the next one gives only what is new or changed since.
#
# A cursor belongs to one question: with other words or another use it would leave out what it never gave.

MAX_BYTES = 65_536  # of the file; whatever is longer is something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The number of the last change that was looked at, and what was asked."""

    id: str = ""
    """What left under it is noted under this name."""
    number: int
    query: str = ""
    use: Use | None = None
    saved_at: datetime


def read_cursor(path: Path, *, query: str, use: Use | None) -> Cursor | None:
    """Where to go on; None when there is no such file yet."""
    cursor = find_cursor(path)
    if cursor is not None and (cursor.query, cursor.use) != (query, use):
        asked = _asked(cursor.query, cursor.use)
        raise SettingsError(
            [f"{path} is the cursor of another export, {asked}"],
            hint="Ask the same again, or name another file.",
        )
    return cursor


def find_cursor(path: Path) -> Cursor | None:
    """The cursor in this file, whatever was asked; None when there is no such file."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MAX_BYTES), type=Cursor)
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise DeliverError(f"{path} cannot be read: {exc.strerror}.") from exc
    except (msgspec.MsgspecError, ValueError) as exc:
        hint = "Name the file that an earlier export made, or one that is not there yet."
        raise DeliverError(f"{path} holds no cursor: {exc}.", hint=hint) from exc


def cursor_id(path: Path, now: datetime) -> str:
    """A name for a new cursor that no other has."""
    return blake2b(f"{path.absolute()} {now.isoformat()}".encode(), digest_size=8).hexdigest()


def save_cursor(path: Path, cursor: Cursor) -> None:
    """Writes the cursor, whole or not at all."""
    with whole_file(path) as out:
        out.write(msgspec.json.format(msgspec.json.encode(cursor), indent=2) + b"\n")


def _asked(query: str, use: Use | None) -> str:
    return f"for {use or 'any use'}, of {f'the query {query!r}' if query else 'all articles'}"
