"""Export: what is held, as far as it was asked for and a use permits it, into a format.

A cursor is moved once the output is safe. Decides nothing: what is permitted stands in `export.selection`, where
it goes and how it is written in `export_output`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from wireroom.app.explain import IDS, find_article
from wireroom.app.export_output import check_places, find_format, with_table_options, write_all
from wireroom.app.export_removals import LeavingArticles, Removals
from wireroom.app.page_rights import rights_domain, rights_findings
from wireroom.app.reprints import OriginalFinder
from wireroom.app.unique_articles import UniqueArticles
from wireroom.errors import SettingsError
from wireroom.export.article_json import to_json
from wireroom.export.atomic_files import whole_file
from wireroom.export.selection import (
    Current,
    Cursor,
    PermittedArticles,
    RefusalCount,
    Report,
    UseCheck,
    cursor_id,
    permitted,
    read_cursor,
    save_cursor,
)
from wireroom.model import Article, Feed, Removal, Use
from wireroom.ports import FileMetadata, Format, Store, TableOptions
from wireroom.rights import FindingIndex, Policy
from wireroom.rights.policy import check_use
from wireroom.signals import receipt_today

if TYPE_CHECKING:
    from datetime import datetime

    from wireroom.app.application import App

FEEDS_CACHED = 512  # whose name and category are kept in memory
PUBLISHERS_CACHED = 512  # whose findings are kept in memory; about 50 KB each
MAX_REMOVED = 10_000  # ids of removed articles that a report lists
LONG_LISTS = frozenset(
    {"removed", "removals"}
)  # of a report: thousands, which readers of the metadata would load
AT_ONCE = 200  # articles whose former originals are looked up together; the store streams as many
PROGRESS_EVERY = 100  # articles between two words about progress

Progress = Callable[[int, int], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What is to be exported, where to, and how."""

    output: Path | BinaryIO
    form: str = ""
    """The name of a format; empty: by the suffix of the output."""
    use: Use | None = None
    """None is the operator's own use: everything, with its rights beside it."""
    query: str = ""
    cursor: Path | None = None
    limit: int | None = None
    unique: bool = False
    """Whether of near-duplicates only the canonical one is exported."""
    report: Path | None = None
    """Where the report goes; by default beside the output, when there is a use."""
    replace: bool = False
    """Whether an output that is there may be replaced."""
    articles: tuple[str, ...] = ()
    """Ids or addresses of the articles that are meant; none: all that match."""
    columns: tuple[str, ...] = ()
    """Of a table; none: all there are."""
    byte_order_mark: bool = False
    unasked: Mapping[str, str] = field(default_factory=dict)
    """Hosts that should have been asked for their rights first and could not be, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """What came of it. Nothing is written when there was nothing to export."""

    count: int
    looked_at: int
    form: str
    is_folder: bool = False
    """Whether a folder of files was written, one for each article."""
    report: Report | None = None
    report_path: Path | None = None
    refused: Mapping[Use, int] = field(default_factory=dict)
    """Without a use: how many of the exported articles are refused or sold for each, the most frequent first."""
    near_duplicates: int = 0
    """Near-duplicates that were left out because they are not canonical."""
    stand_ins: int = 0
    """Near-duplicates that were looked at in place of a canonical one which the use does not permit."""
    removed: tuple[str, ...] = ()
    """With a cursor: ids of articles that were removed since, at most `MAX_REMOVED` of them."""
    removed_count: int = 0
    removals: tuple[Removal, ...] = ()
    """With a cursor and a use: what was exported earlier and may not be used any more, the first `MAX_LISTED`."""
    removals_count: int = 0


def export(
    app: App,
    request: ExportRequest,
    *,
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> ExportResult:
    """Exports articles as the request wants it."""
    if request.use is not None:
        check_use(request.use)
    plug = with_table_options(
        find_format(request.form, request.output), _table_options(app.store, request)
    )
    check_places(
        plug,
        request.output,
        request.report,
        may_replace=request.replace,
        may_grow=request.cursor is not None,  # a folder grows from run to run
    )
    _check_choice(request)
    finder = OriginalFinder(app.store)
    source = _Source(app, request, finder, progress or _nobody_watches)
    policy = policy or app.settings.rights.policy()
    now = _today(app.store, app.clock(), request.unasked)
    unique = _unique(app.store, request, source, finder, policy, now) if request.unique else None
    chosen: Iterable[Article] = finder.complete(source if unique is None else unique)
    if request.use is not None:
        held_only = request.cursor is not None  # who was withdrawn is among the removals
        chosen = permitted(chosen, request.use, policy, now, held_only=held_only)
    else:
        chosen = RefusalCount(chosen, now)
    articles: Iterable[Article] = islice(chosen, request.limit)
    removals = _removals(app, source, chosen, finder)
    if removals is not None:
        articles = LeavingArticles(
            articles,
            app.store,
            source.cursor_id,
            now=app.clock(),
            before=lambda: source.save_cursor(source.after, now=app.clock()),
        )
    written = _CountedArticles(articles)

    def result() -> ExportResult:
        return _result(plug, source, written.count, chosen, removals, unique)

    metadata = _file_metadata(
        request.use, policy, lambda: _report_data(app, request, result(), source)
    )
    count = write_all(plug, written, removals, request.output, metadata)
    exported = replace(result(), count=count)
    exported = _report(app, request, exported, source)
    if removals is not None:
        _forget_reported(plug, removals, exported)
    if count:
        source.save_cursor(source.number, now=app.clock())
    return exported


def _unique(
    store: Store,
    request: ExportRequest,
    articles: Iterable[Article],
    finder: OriginalFinder,
    policy: Policy,
    now: Current,
) -> UniqueArticles:
    """One article of each cluster; for a use, one that it permits."""
    if request.use is None:
        return UniqueArticles(articles, store)
    own = UseCheck(request.use, policy, now)
    strict = UseCheck(request.use, replace(policy, reprints="strictest"), now)
    return UniqueArticles(
        articles,
        store,
        permits=lambda article: own.permits(finder.of(article)),
        permits_with_original=lambda article: strict.permits(finder.of(article)),
    )


def _table_options(store: Store, request: ExportRequest) -> TableOptions:
    @lru_cache(maxsize=FEEDS_CACHED)
    def feed(url: str) -> Feed | None:
        return store.feed(url, moved=True) if url else None

    return TableOptions(columns=request.columns, byte_order_mark=request.byte_order_mark, feed=feed)


def _check_choice(request: ExportRequest) -> None:
    """Articles that are named are all that is meant."""
    others = {"a query": request.query, "a cursor": request.cursor}
    for what, is_given in others.items():
        if request.articles and is_given:
            raise SettingsError(
                [f"articles are named by id, and {what} is given besides"],
                hint="Leave one of them out.",
            )


def named_ids(app: App, named: Sequence[str]) -> tuple[str, ...]:
    """The ids of articles that are named by the first digits of theirs, or by their address; SettingsError for others."""
    found = {which: find_article(app, which) for which in named}
    if missing := [which for which, article in found.items() if article is None]:
        raise SettingsError(
            [f"no article {which} is held" for which in missing],
            hint=IDS,
        )
    return tuple(dict.fromkeys(article.id for article in found.values() if article is not None))


class _CountedArticles:
    """Articles on their way to a format, counted for what the file says of itself."""

    def __init__(self, articles: Iterable[Article]) -> None:
        self._articles = articles
        self.count = 0

    def __iter__(self) -> Iterator[Article]:
        for article in self._articles:
            self.count += 1
            yield article


def _file_metadata(
    use: Use | None, policy: Policy, report: Callable[[], dict[str, Any]]
) -> FileMetadata:
    """What a file says of itself; without a use no policy has left anything out."""

    def at_end() -> dict[str, str]:
        plain = {name: value for name, value in report().items() if name not in LONG_LISTS}
        return {"wireroom.report": to_json(plain).decode()}

    known = {"wireroom.use": use, "wireroom.policy": to_json(policy).decode()} if use else {}
    return FileMetadata(known=known, at_end=at_end)


def _removals(
    app: App, source: _Source, chosen: Iterable[Article], finder: OriginalFinder
) -> Removals | None:
    """What left under the cursor and may not be used any more; None without a cursor or a use."""
    if not source.cursor_id or not isinstance(chosen, PermittedArticles):
        return None
    return Removals(app.store, source.cursor_id, chosen, finder, now=app.clock())


def _forget_reported(plug: Format, removals: Removals, exported: ExportResult) -> None:
    """Removals that were told, in the output or in the report, are not told again."""
    if plug.write_removals is not None:
        removals.forget()
    elif exported.report_path is not None:
        removals.forget(listed_only=True)


# --- what is held ------------------------------------------------------------------------------


class _Source:
    """Articles as the store streams them, counted; with a cursor, in the order of their changes."""

    def __init__(
        self, app: App, request: ExportRequest, finder: OriginalFinder, progress: Progress
    ) -> None:
        self._store = app.store
        self._finder = finder
        self._ids = named_ids(app, request.articles)
        self._request = request
        self._query = app.query(request.query)
        self._progress = progress
        self.after = 0
        self.cursor_id = ""
        """What left is noted under it; empty without a cursor or without a use."""
        if request.cursor is not None:
            cursor = read_cursor(request.cursor, query=request.query, use=request.use)
            self.after = 0 if cursor is None else cursor.number
            if request.use is not None:
                self.cursor_id = (cursor and cursor.id) or cursor_id(request.cursor, app.clock())
        self.number = self.after
        self.looked_at = 0

    def __iter__(self) -> Iterator[Article]:
        is_all = not (self._request.query or self._request.cursor or self._ids)
        total = self._store.counts().get("articles", 0) if is_all else len(self._ids)
        for article in self._articles():
            self.looked_at += 1
            if self.looked_at % PROGRESS_EVERY == 0:
                self._progress(self.looked_at, total)
            yield article

    def _articles(self) -> Iterator[Article]:
        query = self._query
        if self._request.cursor is None:
            for articles in _batches(self._store.articles(query, ids=self._ids or None)):
                self._finder.prepare(articles)
                yield from articles
            return
        for batch in _batches(self._store.changed_articles(query, after=self.after)):
            self._finder.prepare([changed.article for changed in batch])
            for changed in batch:
                self.number = changed.number  # of what is given, not of what was looked up
                yield changed.article

    def save_cursor(self, number: int, *, now: datetime) -> None:
        """Keeps how far the export has come, where there is a cursor."""
        request = self._request
        if request.cursor is not None:
            cursor = Cursor(
                id=self.cursor_id,
                number=number,
                query=request.query,
                use=request.use,
                saved_at=now,
            )
            save_cursor(request.cursor, cursor)

    def removed(self) -> tuple[tuple[str, ...], int]:
        """Articles that were removed since the cursor was saved: their ids, and how many."""
        if not self.after:
            return (), 0
        ids: list[str] = []
        count = 0
        for _, article_id in self._store.removed_after(self.after):
            count += 1
            if len(ids) < MAX_REMOVED:
                ids.append(article_id)
        return tuple(ids), count


def _batches(found: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(found, AT_ONCE)):
        yield batch


def _today(store: Store, now: datetime, unasked: Mapping[str, str]) -> Current:
    """What publishers say now, from the newest dossier of each; who could not be asked permits nothing."""

    @lru_cache(maxsize=PUBLISHERS_CACHED)
    def findings(domain: str, publisher: str) -> FindingIndex:
        why = unasked.get(domain, "")
        return rights_findings(store, domain, publisher, now=now, unasked=why)

    return lambda article: receipt_today(
        article, findings(rights_domain(article.url, article.publisher), article.publisher), now=now
    )


def _result(
    plug: Format,
    source: _Source,
    count: int,
    chosen: Iterable[Article],
    removals: Removals | None,
    unique: UniqueArticles | None,
) -> ExportResult:
    removed, removed_count = source.removed()
    return ExportResult(
        count=count,
        looked_at=source.looked_at,
        form=plug.name,
        is_folder=plug.is_folder,
        report=chosen.report if isinstance(chosen, PermittedArticles) else None,
        refused=chosen.counts if isinstance(chosen, RefusalCount) else {},
        near_duplicates=0 if unique is None else unique.near_duplicates,
        stand_ins=0 if unique is None else unique.stand_ins,
        removed=removed,
        removed_count=removed_count,
        removals=() if removals is None else tuple(removals.listed),
        removals_count=0 if removals is None else removals.count,
    )


def _report(
    app: App, request: ExportRequest, exported: ExportResult, source: _Source
) -> ExportResult:
    """Writes the report where it was asked for, or beside the output when there is a use."""
    path = request.report
    if path is None and request.use is not None and isinstance(request.output, Path):
        path = request.output.with_name(f"{request.output.name}.report.json")
    is_news = exported.looked_at or exported.removed_count or exported.removals_count
    if path is None or not is_news:
        return exported
    with whole_file(path) as out:
        out.write(to_json(_report_data(app, request, exported, source)) + b"\n")
    return replace(exported, report_path=path)


def _report_data(
    app: App, request: ExportRequest, exported: ExportResult, source: _Source
) -> dict[str, Any]:
    return {
        "made_at": app.clock(),
        "format": exported.form,
        "query": request.query,
        "after": source.after,
        "number": source.number,
        "handed_on": exported.count,
        "looked_at": exported.looked_at,
        "copies": exported.near_duplicates,
        "stand_ins": exported.stand_ins,
        "removed_count": exported.removed_count,
        "removed": exported.removed,
        "removals_count": exported.removals_count,
        "removals": exported.removals,
        "rights": exported.report,
    }


def _nobody_watches(done: int, total: int) -> None:
    """Progress that is not asked for."""
