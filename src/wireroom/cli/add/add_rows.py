"""What `add` was given: addresses, OPML files, CSV files and lists, each row with what is said of it.

Opens files and stdin and nothing else. A bad row is a row with a reason; it stops no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wireroom.app.add import AddRequest, read_request
from wireroom.app.scout import read_address
from wireroom.cli.batch import RowList, decode_list, read_list
from wireroom.display_text import counted
from wireroom.errors import ParseError, SettingsError
from wireroom.settings.feed_settings import NAMES
from wireroom.settings.secrets import HIDDEN
from wireroom.urls import identity_key

MAX_FILE = 10_000_000  # bytes: a hundred thousand feeds; more is a database, not a list
DOCUMENTS = (".html", ".htm", ".xml", ".rss", ".atom", ".json")  # nobody's domain, if it is there
SUFFIXES = (".opml", ".csv", ".txt", ".xml")
"""Of files that hold lists; `feeds.xml` may be an OPML file under another name."""
ROUTES = frozenset({"proxy", "mirrors"})
"""Options that say by whom or from where a feed is read."""
LEFT_OUT = f"={HIDDEN}"
PATHS = ("./", "../", "/", "~", ".\\", "..\\")
"""With one of these a path begins, and no address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRow:
    """One address that is to be followed; without a request it is left, for the reason."""

    line: int
    """Where it stood, counted from 1; on the command line and in OPML, which one it was."""
    target: str
    place: str = ""
    """Of a row that is left: where it stands, in words."""
    request: AddRequest | None = None
    reason: str = ""
    same: bool = False
    """Whether it is the same as one before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddInput:
    """All rows, and what is to be said of the lists they came from."""

    rows: tuple[AddRow, ...]
    many: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row before it is checked."""

    line: int
    target: str
    texts: Mapping[str, str]
    origin: str
    title: str = ""
    called: str = ""
    is_outline: bool = False
    is_listed: bool = False
    """Whether it stands in a list of feeds, and not of whatever addresses."""


def gather(targets: Sequence[str], flags: Mapping[str, str], *, own_list: bool = False) -> AddInput:
    """Every row, in order; flags hold for all of them and go before what a list says.

    Of an OPML file that is not the operator's own, no proxy and no mirror is taken: they would see, or replace,
    what is read.
    """
    if targets.count("-") > 1:
        raise SettingsError(["-: stdin can be read once"], hint="Name it once.")
    notes: list[str] = []
    entries = list(_all_entries(targets, notes))
    if not own_list:
        entries = _without_routes(entries, notes)
    if not entries:
        empty = "The list names no feeds." if targets else "There is nothing to add."
        raise SettingsError([empty], hint="Try: wireroom add courier.example")
    many = len(entries) > 1 or any(_is_list(target) for target in targets)
    if many and "name" in flags:
        raise SettingsError(
            ["--name: a name stands for one feed, but there are more"],
            hint="Add them one after the other, or write names into a list.",
        )
    seen: dict[str, int] = {}
    rows = tuple(_row(entry, flags, seen) for entry in entries)
    return AddInput(rows=rows, many=many, notes=tuple(notes))


def _without_routes(entries: Sequence[_Entry], notes: list[str]) -> list[_Entry]:
    """The entries without proxies and mirrors that an OPML file has named."""
    kept = [
        replace(
            entry, texts={name: text for name, text in entry.texts.items() if name not in ROUTES}
        )
        if entry.is_outline
        else entry
        for entry in entries
    ]
    count = sum(entry.texts != before.texts for entry, before in zip(kept, entries, strict=True))
    if count:
        notes.append(
            f"{counted(count, 'feed')} with a proxy or mirrors in the list: not taken. "
            "--own-list takes them, if the list is yours."
        )
    return kept


def _row(entry: _Entry, flags: Mapping[str, str], seen: dict[str, int]) -> AddRow:
    if LEFT_OUT in entry.target:
        reason = "its token was left out of the list; write the whole address"
        return AddRow(line=entry.line, target=entry.target, place=_place(entry), reason=reason)
    try:
        request = read_request(entry.target, {**entry.texts, **flags}, entry.origin)
        request = replace(request, title=entry.title, called=entry.called, listed=entry.is_listed)
        key = identity_key(read_address(entry.target).candidates[0])
    except SettingsError as error:
        reason = "; ".join(error.problems)
        return AddRow(line=entry.line, target=entry.target, place=_place(entry), reason=reason)
    if key in seen:
        kind = entry.origin.split()[0]
        message = f"the same as {kind if kind in {'line', 'outline'} else 'number'} {seen[key]}"
        return AddRow(line=entry.line, target=entry.target, reason=message, same=True)
    seen[key] = entry.line
    return AddRow(line=entry.line, target=entry.target, request=request)


# --- where rows come from ------------------------------------------------------------------------


def _is_list(text: str) -> bool:
    """Whether a file of feeds is meant, be it there or not; an address may end like one."""
    if text == "-":
        return True
    if "://" in text:
        return False
    return _is_path(text) or (text.lower().endswith(SUFFIXES + DOCUMENTS) and Path(text).is_file())


def _is_path(text: str) -> bool:
    """Whether this can only be a file: `./mine`, `feeds.txt`, but not `courier.test/feeds.txt`."""
    if text.startswith(PATHS) and not text.startswith("//"):
        return True
    first, slash, _ = text.partition("/")
    is_under_a_host = bool(slash) and "." in first and not text.lower().endswith((".opml", ".csv"))
    return text.lower().endswith(SUFFIXES) and not is_under_a_host


def _place(entry: _Entry) -> str:
    """Where a row stands that names no address."""
    return f"{entry.origin} ({entry.title})" if entry.title else entry.origin


def _all_entries(targets: Sequence[str], notes: list[str]) -> Iterator[_Entry]:
    for place, text in enumerate(targets, 1):
        if _is_list(text):
            yield from _listed(text, notes)
        else:
            yield _Entry(place, text, {}, "command line")


def _listed(source: str, notes: list[str]) -> Iterator[_Entry]:
    body = read_list(source, max_bytes=MAX_FILE)
    rows = RowList(source, decode_list(body))
    if "\0" in rows.text:
        raise SettingsError(
            [f"{source} is no text file."], hint="Give OPML, CSV, or addresses line by line."
        )
    if rows.text.lstrip().startswith("<") or source.lower().endswith(".opml"):
        return _outlines(source, body, notes)
    if "url" in rows.columns:
        return _csv_rows(rows)
    if source.lower().endswith(".csv"):
        raise SettingsError([f"{source}: no column is called url"], hint="Name it in line 1.")
    return (_Entry(line, text, {}, f"line {line}") for line, text in rows.lines())


def _outlines(source: str, body: bytes, notes: list[str]) -> Iterator[_Entry]:
    from wireroom.app.add import read_opml

    try:
        document = read_opml(body)
    except ParseError as exc:
        raise SettingsError(
            [f"{source}: {exc.message}"],
            hint=exc.hint or "Export it anew where it came from.",
        ) from exc
    if document.damaged_line and not document.outlines:
        message = f"{source} is damaged in line {document.damaged_line}: no feed in it can be read."
        raise SettingsError([message], hint="Mend that line, or export it anew.")
    if document.damaged_line and not document.truncated:
        message = (
            f"{source} is damaged in line {document.damaged_line}: feeds of it may be missing."
        )
        notes.append(message)
    if document.truncated:
        notes.append(f"{source} is cut off, or too long or too deep: feeds of it may be missing.")
    for place, outline in enumerate(document.outlines, 1):
        texts = {"category": outline.group} | {
            name: value
            for name, value in outline.settings.items()
            if name in NAMES and name != "url"
        }
        called = (
            "" if outline.settings else outline.title
        )  # our own lists say which feeds have a name
        yield _Entry(
            place,
            outline.url,
            texts,
            f"outline {place}",
            outline.title,
            called,
            is_outline=True,
            is_listed=True,
        )


def _csv_rows(rows: RowList) -> Iterator[_Entry]:
    from wireroom.settings.problems import describe_unknown

    columns = rows.columns
    odd = [
        describe_unknown(column, rows.source, NAMES, what="column")
        for column in columns
        if column not in NAMES
    ]
    if odd:
        raise SettingsError(odd, hint=f"Known are: {', '.join(NAMES)}.")
    for line, cells in rows.rows():
        texts = dict(zip(columns, cells, strict=False))
        url = texts.pop("url", "").strip()
        if url or any(cell.strip() for cell in cells):
            yield _Entry(line, url, texts, f"line {line}", is_listed=True)
