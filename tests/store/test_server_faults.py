"""Faults of a PostgreSQL store: unreachable, refused, locked, restarted in mid-run.

These are provoked for real, on a server of our own. Two are not: a full disk is a trigger that
raises the server's code for it, and a standby is a database set to read only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.holding import save_feeds, save_problems
from tests.store.postgres_server import PASSWORD, USER, PostgresServer
from tests.store.samples import NOW, article, feed, reading, save
from tests.store.test_contract_articles import problem
from wireroom.errors import FullDiskError, ReadOnlyStoreError, StoreError
from wireroom.model import Event
from wireroom.ports import StoreOptions
from wireroom.store import open_store

pytestmark = pytest.mark.postgres


def refusal(url: str) -> str:
    """The one line a user is shown when the database at this address cannot be opened."""
    began = time.monotonic()
    with pytest.raises(StoreError) as caught:
        open_store(url)
    message = str(caught.value)
    assert "\n" not in message
    assert PASSWORD not in message
    assert "wrong-secret" not in message
    assert time.monotonic() - began < 15
    return message


def test_a_server_that_is_not_there_is_reported_at_once(postgres_server: PostgresServer) -> None:
    url = postgres_server.url("news").replace(f":{postgres_server.port}/", ":1/")
    assert "cannot be reached" in refusal(url)


def test_a_wrong_password_or_user_is_reported(postgres_server: PostgresServer) -> None:
    for user in (USER, "nobody"):
        message = refusal(postgres_server.url("postgres", user=user, password="wrong-secret"))
        assert "refused the user name or password" in message


def test_a_missing_database_is_reported(postgres_server: PostgresServer) -> None:
    assert "no such database" in refusal(postgres_server.url("nowhere"))


def test_a_database_of_another_encoding_is_refused(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database(encoding="LATIN1")
    assert "LATIN1" in refusal(url)


def test_a_user_who_may_not_make_tables_is_shown_what_to_do(
    postgres_server: PostgresServer,
) -> None:
    name = postgres_server.new_database().rpartition("/")[2]
    postgres_server.run(sql.SQL("CREATE ROLE guest LOGIN PASSWORD 'guest-pass'"))
    message = refusal(postgres_server.url(name, user="guest", password="guest-pass"))
    assert "permission denied" in message
    assert "Grant" in message


def test_a_database_set_to_read_only_takes_no_writes_and_says_so(
    postgres_server: PostgresServer,
) -> None:
    url = postgres_server.new_database()
    name = sql.Identifier(url.rpartition("/")[2])
    store = open_store(url)
    save_feeds(store, [feed()], now=NOW)
    alter = sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = {}")
    postgres_server.run(alter.format(name, sql.SQL("on")))
    store.close()
    store = open_store(url)
    with pytest.raises(ReadOnlyStoreError, match="takes no writes"):
        store.save_feed_changes([(None, feed())], now=NOW)
    assert store.health().state == "read_only"
    assert store.feeds() == (feed(),)
    postgres_server.run(alter.format(name, sql.SQL("off")))
    store.close()


def test_a_lock_that_never_ends_is_an_error_not_a_hang(postgres_database: str) -> None:
    store = open_store(postgres_database, StoreOptions(busy_timeout=timedelta(milliseconds=300)))
    with psycopg.connect(postgres_database) as other:
        other.execute("LOCK TABLE feed")
        with pytest.raises(StoreError, match="locked by another process"):
            save_feeds(store, [feed()], now=NOW)
        other.rollback()
    save_feeds(store, [feed()], now=NOW)
    store.close()


def test_the_servers_code_for_a_full_disk_becomes_our_error(
    postgres_database: str,
) -> None:
    store = open_store(postgres_database)
    with psycopg.connect(postgres_database, autocommit=True) as conn:
        conn.execute(
            "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$"
        )
        conn.execute("CREATE TRIGGER no_room BEFORE INSERT ON problem EXECUTE FUNCTION no_room()")
        try:
            with pytest.raises(FullDiskError, match="no room left"):
                save_problems(store, [problem(1)])
        finally:
            conn.execute("DROP TRIGGER no_room ON problem")
            conn.execute("DROP FUNCTION no_room")
    assert store.health().state == "ok"
    save_problems(store, [problem(1)])
    store.close()


def test_restarts_in_mid_run_lose_nothing_and_save_nothing_twice(
    own_postgres_server: PostgresServer,
) -> None:
    url = own_postgres_server.new_database()
    store = open_store(url)
    failures: list[BaseException] = []
    batches = 60

    def work(thread: int) -> None:
        try:
            for number in range(batches):
                held = article(thread * 1000 + number)
                store.save_readings([reading(held)], now=NOW)
                store.emit([Event(kind="read", subject=held.id, at=NOW)])
                assert store.article(held.id) == held
        except BaseException as exc:  # noqa: BLE001 - whatever it was, the test shows it
            failures.append(exc)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        time.sleep(0.4)
        own_postgres_server.restart()
    for thread in threads:
        thread.join(timeout=90)
    assert failures == []
    events = store.events(limit=10_000)
    expected = {article(t * 1000 + n).id for t in range(3) for n in range(batches)}
    assert store.counts()["articles"] == len(expected)
    assert sorted(event.subject for event in events) == sorted(expected)
    store.close()
    assert wait_for(lambda: own_connections(own_postgres_server, url) == 0)


def own_connections(server: PostgresServer, url: str) -> int:
    name = sql.Literal(url.rpartition("/")[2])
    query = sql.SQL("SELECT count(*) FROM pg_stat_activity WHERE datname = {}").format(name)
    return int(str(server.run(query)[0][0]))


def wait_for(condition: Callable[[], bool]) -> bool:
    ends = time.monotonic() + 10
    while not condition() and time.monotonic() < ends:
        time.sleep(0.05)
    return condition()


def test_a_server_that_is_gone_is_a_state_and_comes_back(
    own_postgres_server: PostgresServer,
) -> None:
    store = open_store(own_postgres_server.new_database())
    save(store, article(1))
    own_postgres_server.stop()
    health = store.health()
    assert health.state == "paused"
    assert "cannot be reached" in health.message
    own_postgres_server.start()
    assert store.health().state == "ok"
    assert store.article(article(1).id) == article(1)
    store.close()


def test_a_backup_of_a_busy_server_is_one_moment(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    store = open_store(postgres_server.new_database())
    save(store, *(article(number) for number in range(200)))
    done = threading.Event()

    def write() -> None:
        number = 1000
        while not done.is_set():
            store.save_readings([reading(article(number))], now=NOW)
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    copy = tmp_path / "copy.db"
    try:
        store.backup(copy)
    finally:
        done.set()
        writer.join()
    copied = open_store(f"sqlite:///{copy}")
    articles = copied.counts()["articles"]
    assert articles >= 200
    assert copied.counts()["leads"] == articles
    assert len(list(copied.articles("harbour"))) == articles
    assert copied.health().state == "ok"
    copied.close()
    store.close()


def test_a_backup_can_be_brought_back_to_a_server(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    from tests.store.make_fixture import fill
    from wireroom.store import copy_store

    store = open_store(postgres_server.new_database())
    fill(store)
    copy = tmp_path / "copy.db"
    store.backup(copy)
    url = postgres_server.new_database()
    copy_store(f"sqlite:///{copy}", url)
    back = open_store(url)
    assert back.counts() == store.counts()
    assert list(back.articles()) == list(store.articles())
    assert back.leads() == store.leads()
    save(back, article(50))
    assert back.emit([Event(kind="x", subject="y", at=NOW)]) == 2
    with pytest.raises(StoreError, match="not empty"):
        copy_store(f"sqlite:///{copy}", url)
    for opened in (store, back):
        opened.close()
