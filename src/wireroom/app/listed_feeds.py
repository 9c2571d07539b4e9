"""Lists of feeds, as somebody hands them over: OPML, CSV or lines, each row with what is said of it.

Opens nothing: files, stdin and forms are for others. A bad row is a row with a reason; it stops no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wireroom.app.add import AddRequest, read_opml, read_request
from wireroom.app.link_listing import listed_links
from wireroom.app.row_list import RowList, decode_list
from wireroom.app.scout import read_address
from wireroom.display_text import counted
from wireroom.errors import ParseError, SettingsError
from wireroom.settings.feed_settings import NAMES
from wireroom.settings.secrets import HIDDEN
from wireroom.urls import identity_key

ROUTES = frozenset({"proxy", "mirrors"})
"""Options that say by whom or from where a feed is read."""
LEFT_OUT = f"={HIDDEN}"


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


@dataclass(frozen=True, slots=True)
class ListEntry:
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


def without_routes(entries: Sequence[ListEntry], *, outlines: bool) -> tuple[list[ListEntry], int]:
    """The entries without the proxies and mirrors that a list has named, and how many had any; of OPML alone with `outlines`.

    Whoever wrote the list would see, or replace, what is read.
    """
    kept = [
        replace(
            entry, texts={name: text for name, text in entry.texts.items() if name not in ROUTES}
        )
        if entry.is_outline or not outlines
        else entry
        for entry in entries
    ]
    changed = (before for entry, before in zip(kept, entries, strict=True) if entry != before)
    return kept, sum(any(entry.texts.get(name, "").strip() for name in ROUTES) for entry in changed)


def check_rows(entries: Iterable[ListEntry], flags: Mapping[str, str]) -> tuple[AddRow, ...]:
    """The entries, each with what is to be followed or the reason why not; flags hold for all and go before what a list says."""
    seen: dict[str, int] = {}
    return tuple(_row(entry, flags, seen) for entry in entries)


def _row(entry: ListEntry, flags: Mapping[str, str], seen: dict[str, int]) -> AddRow:
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


def _place(entry: ListEntry) -> str:
    """Where a row stands that names no address."""
    return f"{entry.origin} ({entry.title})" if entry.title else entry.origin


def list_entries(
    source: str, body: bytes, notes: list[str], *, any_columns: bool = False
) -> Iterator[ListEntry]:
    """The entries of a list; what is to be said of it goes to the notes, SettingsError tells that it cannot be read.

    With `any_columns` a CSV may have further columns: the notes name those that are not used. Without, they are refused.
    """
    rows = RowList(source, decode_list(body))
    if "\0" in rows.text:
        raise SettingsError(
            [f"{source} is no text file."], hint="Give OPML, CSV, or addresses line by line."
        )
    if rows.text.lstrip().startswith("<") or source.lower().endswith(".opml"):
        return _outlines(source, body, notes)
    if rows.text.lstrip().startswith("{"):
        return _posts(source, rows.text.strip(), notes)
    if "url" in rows.columns:
        return _csv_rows(rows, notes, any_columns=any_columns)
    if source.lower().endswith(".csv"):
        raise SettingsError([f"{source}: no column is called url"], hint="Name it in line 1.")
    return (ListEntry(line, text, {}, f"line {line}") for line, text in rows.lines())


def _posts(source: str, text: str, notes: list[str]) -> Iterator[ListEntry]:
    posts = list(listed_links(source, text))
    notes.append(f"{source}: {counted(len(posts), 'link')} of a listing.")
    return (ListEntry(place, url, {}, f"post {place}", title) for place, url, title in posts)


def _outlines(source: str, body: bytes, notes: list[str]) -> Iterator[ListEntry]:
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
        yield ListEntry(
            place,
            outline.url,
            texts,
            f"outline {place}",
            outline.title,
            called,
            is_outline=True,
            is_listed=True,
        )


def _csv_rows(rows: RowList, notes: list[str], *, any_columns: bool) -> Iterator[ListEntry]:
    columns = rows.columns
    unknown = [column for column in columns if column not in NAMES]
    if unknown and not any_columns:
        raise _unknown_columns(rows.source, unknown)
    if named := [
        column for column in unknown if column
    ]:  # spreadsheets leave empty ones at the end
        notes.append(_unused_columns(rows.source, named))
    for line, cells in rows.rows():
        given = dict(zip(columns, cells, strict=False))
        texts = {name: given[name] for name in NAMES if name in given}
        url = texts.pop("url", "").strip()
        if url or any(cell.strip() for cell in cells):
            yield ListEntry(line, url, texts, f"line {line}", is_listed=True)


def _unknown_columns(source: str, names: Sequence[str]) -> SettingsError:
    from wireroom.settings.problems import describe_unknown

    problems = [describe_unknown(name, source, NAMES, what="column") for name in names]
    return SettingsError(problems, hint=f"Known are: {', '.join(NAMES)}.")


def _unused_columns(source: str, names: Sequence[str]) -> str:
    from wireroom.settings.problems import nearest

    meant = {name: nearest(name, NAMES) for name in names}
    words = ", ".join(
        f"{name} (did you mean {meant[name]}?)" if meant[name] else name for name in names
    )
    return f"{source}: columns that are not used: {words}."
