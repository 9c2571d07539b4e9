"""The store: what lies between the stages. The only room with SQL.

`open_store` picks the kind of database by the scheme of its address; a new kind is one module that
sets `PLUG`. The port is `wireroom.ports.Store`, and `sql_store` the class behind it. How rows are used stands in the
module named after their table (`feeds_table`, `leads_table`, …), how work is given out in `queue/`, how words are found in
`search/`. Must not know how pages are fetched or read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wireroom.errors import MissingExtraError, MissingFileError, SettingsError, StoreError
from wireroom.ports import Store, StoreOptions, StorePlug
from wireroom.registry import plug_named, plugs, why_missing

__all__ = ["copy_store", "open_store"]


def open_store(database_url: str, options: StoreOptions | None = None) -> Store:
    """The store at this address, made or brought to the present schema if need be."""
    return _opened(plug_for(database_url), database_url, options or StoreOptions())


def plug_for(database_url: str) -> StorePlug:
    """The kind of database that the scheme of the address names."""
    from wireroom.store.database import scheme_of

    scheme = scheme_of(database_url)
    for plug in _candidates(scheme):
        if scheme in plug.schemes:
            return plug
    schemes = sorted(name for plug in plugs("store", StorePlug).values() for name in plug.schemes)
    message = (
        f"No database of the kind {scheme!r} is known, only {', '.join(schemes)}."
        if scheme
        else "The database address names no kind of database."
    )
    if why := why_missing("store", scheme, StorePlug):
        message += f" But {why}."
    raise SettingsError(
        [message],
        hint="Write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
    )


def file_of(database_url: str) -> Path | None:
    """The file of an SQLite database; None for any other database."""
    file = database_url.removeprefix("sqlite:///").partition("?")[0]
    return Path(file) if database_url.startswith("sqlite:///") and file != ":memory:" else None


def copy_store(source_url: str, target_url: str) -> None:
    """Copies all that one store holds into another, empty one: from a file to a server, or back."""
    from wireroom.store.sql_store import SqlStore

    file = file_of(source_url)
    if file is not None and not file.expanduser().exists():
        raise MissingFileError(str(file))  # opening would make an empty one
    source, target = open_store(source_url), open_store(target_url)
    try:
        if not (isinstance(source, SqlStore) and isinstance(target, SqlStore)):
            raise StoreError(
                "Only stores in SQL databases can be copied into one another.",
                hint="Export its articles instead.",
            )
        target.fill_from(source)
    finally:
        source.close()
        target.close()


def _candidates(scheme: str) -> Iterator[StorePlug]:
    """The plug that bears the scheme's name, which is loaded alone; then all of them."""
    named = plug_named("store", StorePlug, scheme)
    if named is not None:
        yield named
    yield from plugs("store", StorePlug).values()


def _opened(plug: StorePlug, database_url: str, options: StoreOptions) -> Store:
    try:
        return plug.open(database_url, options)
    except ImportError as exc:
        if not plug.extra:
            raise
        raise MissingExtraError(plug.extra, f"A {plug.name} database") from exc
