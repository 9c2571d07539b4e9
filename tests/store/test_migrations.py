"""Upgrades: one transaction, killed half-way the old schema stands, newer ones are refused."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, create_engine

from tests.parts import REPOSITORY
from tests.store.make_fixture import FIXTURES, fill
from tests.store.postgres_server import PostgresServer
from tests.store.samples import COURIER, article, feed
from tests.store.upgrader import later_upgrade
from wireroom.errors import NewerSchemaError, StoreError
from wireroom.store import open_store, schema
from wireroom.store.migrations import REVISIONS, STEPS, VERSION_TABLE
from wireroom.store.packing import metadata
from wireroom.store.search.index_terms import FTS5_TOKENIZER

KILLS = 6  # at moments drawn at random


def upgrade_in_process(url: str, pause: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.upgrader", url],
        cwd=REPOSITORY,
        env={**os.environ, "WIREROOM_TEST_PAUSE": str(pause)},
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_in_mid_upgrade(url: str, rng: random.Random) -> None:
    process = upgrade_in_process(url, pause=0.05)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(rng.uniform(0, 1.5))
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()


def released(tmp_path: Path, version: str) -> str:
    file = tmp_path / f"{version}.db"
    with closing(sqlite3.connect(file)) as conn:
        conn.executescript((FIXTURES / f"v{version}.sql").read_text(encoding="utf-8"))
    return f"sqlite:///{file}"


def test_the_steps_are_the_revisions_this_program_knows() -> None:
    found = [
        re.search(r'^revision = "(\w+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        for path in sorted(STEPS.glob("r*.py"))
    ]
    assert tuple(match[1] for match in found if match) == REVISIONS
    assert {path.stem for path in FIXTURES.glob("v*.sql")} == {
        f"v{revision}" for revision in REVISIONS
    }


def test_the_index_keeps_our_words_whole(tmp_path: Path) -> None:
    open_store(new_sqlite(tmp_path)).close()
    with closing(sqlite3.connect(tmp_path / "wireroom.db")) as conn:
        query = "SELECT sql FROM sqlite_master WHERE name = 'article_words'"
        assert f'tokenize="{FTS5_TOKENIZER}"' in conn.execute(query).fetchone()[0]


@pytest.mark.parametrize("version", REVISIONS)
def test_a_database_of_every_released_version_opens_with_all_it_held(
    tmp_path: Path, version: str
) -> None:
    store = open_store(released(tmp_path, version))
    counts = store.counts()
    assert (counts["publishers"], counts["feeds"], counts["items"], counts["leads"]) == (2, 2, 2, 3)
    assert (counts["articles"], counts["article_versions"], counts["raw_pages"]) == (2, 1, 1)
    held = store.article(article(1).id)
    assert held is not None
    assert (held.text, held.version, held.cluster_id) == ("Edited.", 2, "c1")
    assert [article.id for article in store.search("edited").articles] == [held.id]
    assert store.feed(feed().url) == feed()
    assert (counts["marks"], counts["memories"], store.block_counts(COURIER)[0]) == (1, 1, 2)
    assert {changed_article.article.id for changed_article in store.changed_articles()} == {
        held.id,
        article(2).id,
    }
    store.close()


def schema_differences(engine: Engine) -> list[object]:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    def is_ours(_: object, name: str | None, kind: str, *__: object) -> bool:
        return not (kind == "table" and str(name).startswith((schema.ARTICLE_WORDS, VERSION_TABLE)))

    with engine.connect() as conn:
        context = MigrationContext.configure(
            conn, opts={"compare_type": True, "include_object": is_ours}
        )
        found: list[object] = compare_metadata(context, metadata)
    engine.dispose()
    return found


def test_the_steps_lead_to_the_schema_in_sqlite(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'wireroom.db'}"
    open_store(url).close()
    assert schema_differences(create_engine(url)) == []


@pytest.mark.postgres
def test_the_steps_lead_to_the_schema_in_postgres(postgres_database: str) -> None:
    url = postgres_database.replace("postgresql:", "postgresql+psycopg:")
    assert schema_differences(create_engine(url)) == []


def new_sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'wireroom.db'}"


def upgrade_survives_kills(url: str, held: Callable[[], list[str]]) -> None:
    """Kills an upgrade at random moments, then lets one through."""
    store = open_store(url)
    fill(store)
    counts, before = store.counts(), held()
    store.close()
    rng = random.Random(7)
    for _ in range(KILLS):
        kill_in_mid_upgrade(url, rng)
        assert held() == before
        store = open_store(url)
        assert store.counts() == counts
        assert {publisher.name for publisher in store.publishers()} == {"The Harbour Courier", ""}
        store.close()
    later_upgrade(url)
    with pytest.raises(NewerSchemaError, match="newer wireroom") as caught:
        open_store(url)
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_an_upgrade_killed_half_way_leaves_the_old_schema_in_sqlite(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path)

    def held() -> list[str]:
        with closing(sqlite3.connect(tmp_path / "wireroom.db")) as conn:
            assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            return [row[0] for row in conn.execute("SELECT sql FROM sqlite_master ORDER BY name")]

    upgrade_survives_kills(url, held)


@pytest.mark.postgres
def test_an_upgrade_killed_half_way_leaves_the_old_schema_in_postgres(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()

    def held() -> list[str]:
        query = (
            "SELECT table_name || '.' || column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' ORDER BY 1"
        )
        with psycopg.connect(url) as conn:
            return [row[0] for row in conn.execute(query)]

    upgrade_survives_kills(url, held)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_two_that_upgrade_at_once_do_it_once(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = new_sqlite(tmp_path)
    if kind == "postgres":
        url = request.getfixturevalue("postgres_server").new_database()
    store = open_store(url)
    fill(store)
    store.close()
    both = [upgrade_in_process(url, pause=0.05) for _ in range(2)]
    outputs = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted(outputs) == ["", "begun\n"]


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "bookmarks.db"
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("CREATE TABLE bookmark (url TEXT)")
    with pytest.raises(StoreError, match="not wireroom's"):
        open_store(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as conn:
        assert conn.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmark",)]


@pytest.mark.postgres
def test_a_shared_server_database_is_used_unless_names_clash(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()
    with psycopg.connect(url) as conn:
        conn.execute("CREATE TABLE bookmark (url TEXT)")
    open_store(url).close()
    clash = postgres_server.new_database()
    with psycopg.connect(clash) as conn:
        conn.execute("CREATE TABLE article (url TEXT)")
    with pytest.raises(StoreError, match="not wireroom's"):
        open_store(clash)


def test_an_index_made_by_other_rules_is_made_anew(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path)
    store = open_store(url)
    fill(store)
    store.close()
    with closing(sqlite3.connect(tmp_path / "wireroom.db")) as conn:
        conn.execute("UPDATE meta SET value = 'older rules' WHERE name = 'words'")
        conn.execute("INSERT INTO article_words (article_words) VALUES ('delete-all')")
        conn.commit()
    store = open_store(url)
    assert len(store.search("courier harbour OR edited").articles) == 0
    assert len(store.search("edited").articles) == 1
    store.close()
