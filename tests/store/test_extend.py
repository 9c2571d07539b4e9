"""The page about databases: its file is installed as pip would, and the contract suite runs on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.cli.test_extend import install
from tests.store import (
    test_contract_outcomes,
    test_contract_pausing,
    test_contract_publishers,
    test_contract_purging,
    test_contract_work,
)
from tests.store.samples import NOW, article, feed, item, polled, reading
from wireroom.ports import Store
from wireroom.store import open_store

SUITES = (
    test_contract_outcomes,
    test_contract_pausing,
    test_contract_publishers,
    test_contract_purging,
    test_contract_work,
)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    install("store.md", tmp_path, monkeypatch)
    store = open_store("scratch://")
    yield store
    store.close()


def test_the_database_shown_holds_finds_and_backs_up(scratch: Store, tmp_path: Path) -> None:
    scratch.save_feed_changes([(None, feed())], now=NOW)
    assert scratch.save_polls([(feed(), polled([item(1)]))], now=NOW)[0].new == 1
    scratch.save_readings([reading(article(1))], now=NOW)
    assert [found.id for found in scratch.search("harbour").articles] == [article(1).id]
    scratch.backup(tmp_path / "copy.db")
    copy = open_store(f"sqlite:///{tmp_path / 'copy.db'}")
    assert copy.counts() == scratch.counts()
    copy.close()


def _contracts() -> Iterator[Any]:
    """Every test of the suites that wants a store and nothing else."""
    for suite in SUITES:
        for name, test in inspect.getmembers(suite, inspect.isfunction):
            if name.startswith("test_") and [*inspect.signature(test).parameters] == ["store"]:
                yield pytest.param(test, id=f"{_short(suite)}-{name}")


def _short(suite: ModuleType) -> str:
    return suite.__name__.rpartition("_")[2]


@pytest.mark.long
@pytest.mark.parametrize("contract", list(_contracts()))
def test_the_database_shown_keeps_the_contract(
    scratch: Store, contract: Callable[[Store], None]
) -> None:
    contract(scratch)
