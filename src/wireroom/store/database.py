"""What the store needs of a database: whole transactions, an index, and its own state.

The kinds of database (`sqlite`, `postgres`) implement it; everything else in this room is given a
connection and does not ask which kind it is of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypeVar

from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from wireroom.errors import SettingsError
from wireroom.ports import StoreHealth
from wireroom.store import schema
from wireroom.store.articles_table import articles_at
from wireroom.store.rows import is_postgres, upsert
from wireroom.store.search.index_terms import RECIPE, index_article
from wireroom.store.search.positions import LOWEST
from wireroom.store.search.searching import SearchIndex

T = TypeVar("T")

REBUILD_BATCH = 500  # articles whose words are in memory at once while an index is made anew

_WORDS_NOTE = "words"


class Database(Protocol):
    """One open database; foreign exceptions do not come out of it."""

    @property
    def index(self) -> SearchIndex:
        """Its full-text index."""
        ...

    def read(self, do: Callable[[Connection], T]) -> T:
        """What `do` finds, all of it at one moment."""
        ...

    def write(self, do: Callable[[Connection], T]) -> T:
        """What `do` returns, once it is saved whole; it may be called again when it failed."""
        ...

    def health(self) -> StoreHealth:
        """Whether it can be read and written now."""
        ...

    def set_fail_fast(self, on: bool) -> None:
        """Whether waiting for others' locks, or for a server that is away, is given up soon."""
        ...

    def backup(self, path: Path, progress: Callable[[int, int], None]) -> None:
        """Writes a consistent copy to a new file."""
        ...

    def close(self) -> None:
        """Closes every connection."""
        ...


PLURALS: Final[Mapping[str, Table]] = {
    "publishers": schema.publisher,
    "dossiers": schema.dossier,
    "findings": schema.finding,
    "feeds": schema.feed,
    "marks": schema.observation,
    "items": schema.item,
    "leads": schema.lead,
    "articles": schema.article,
    "article_versions": schema.article_version,
    "receipts": schema.receipt,
    "raw_pages": schema.raw_page,
    "signatures": schema.signature,
    "clusters": schema.cluster,
    "memories": schema.boilerplate,
    "problems": schema.problem,
    "events": schema.event,
}
"""Each kind of thing that is held, by its plural, and its table."""


def count_rows(conn: Connection) -> dict[str, int]:
    """How many of each kind are held, by its plural."""
    tables = PLURALS.items()
    return {
        name: conn.execute(select(func.count()).select_from(of)).scalar_one() for name, of in tables
    }


def size_on_disk(conn: Connection) -> int:
    """How many bytes the database takes, as it says itself; what SQLite keeps in its log beside it is not counted."""
    query = "SELECT pg_database_size(current_database())"
    if not is_postgres(conn):
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    return int(conn.execute(text(query)).scalar_one())


def noted(conn: Connection, name: str) -> str:
    """A note the store keeps about itself, empty when there is none."""
    query = select(schema.meta.c.value).where(schema.meta.c.name == name)
    return conn.execute(query).scalar() or ""


def note(conn: Connection, name: str, value: str) -> None:
    """Keeps a note about the store itself."""
    upsert(conn, schema.meta, [{"name": name, "value": value}], keys=["name"])


def index_is_stale(conn: Connection) -> bool:
    """Whether words are cut or spelt otherwise now than when the index was made."""
    return noted(conn, _WORDS_NOTE) != RECIPE


def renew_index(conn: Connection, index: SearchIndex) -> None:
    """Makes the index anew from the articles."""
    index.clear(conn)
    table, last = schema.article, LOWEST
    while True:
        query = select(table.c.position).where(table.c.position > last).order_by(table.c.position)
        positions = list(conn.execute(query.limit(REBUILD_BATCH)).scalars())
        if not positions:
            break
        found = zip(positions, articles_at(conn, positions), strict=True)
        index.add(conn, [(position, index_article(article)) for position, article in found])
        last = positions[-1]
    note(conn, _WORDS_NOTE, RECIPE)


# Database addresses: read without ever repeating a password.


def scheme_of(database_url: str) -> str:
    """What stands before `://`, empty when nothing does."""
    scheme, separator, _ = database_url.partition("://")
    return scheme.lower() if separator else ""


def read_database_url(database_url: str) -> URL:
    """The parts of the address."""
    try:
        return make_url(database_url)
    except (ArgumentError, ValueError):
        # The cause would repeat the address, password and all.
        raise SettingsError(
            [f"The database address {scheme_of(database_url)}://… cannot be read."],
            hint="Write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ) from None


def shown(address: URL) -> str:
    """The address as it may be shown."""
    where = f"{address.host or 'localhost'}{f':{address.port}' if address.port else ''}"
    return f"{address.drivername.partition('+')[0]}://{where}/{address.database or ''}"
