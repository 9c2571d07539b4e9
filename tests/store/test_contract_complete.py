"""The contract suite itself: it leaves no method of the port out."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from inspect import signature
from pathlib import Path

from wireroom.ports import Corpus, Store
from wireroom.store.sql_store import SqlStore

SUITE = sorted(Path(__file__).parent.glob("test_contract_*.py"))


PORT = {
    name: held
    for part in (Store, Corpus)
    for name, held in vars(part).items()
    if callable(held) and name[0] != "_"
}
METHODS = set(PORT)
WORKER = Path(__file__).with_name("worker.py")
READING = frozenset(
    {
        "health",
        "set_fail_fast",
        "feed_addresses",
        "counts",
        "backup",
        "publisher",
        "publishers",
        "dossier",
        "history",
        "feed",
        "feeds",
        "feed_counts",
        "feed_of",
        "lead",
        "leads",
        "longest_window",
        "host_lease",
        "next_lead_on",
        "article",
        "versions",
        "raw",
        "search",
        "articles",
        "near_duplicates",
        "near_duplicates_of",
        "compare_polls",
        "cluster",
        "problems",
        "events",
        "close",
        "due_publishers",
        "next_due",
        "compare_items",
        "feed_problems",
        "feed_tallies",
        "observations",
        "boilerplate",
        "block_counts",
        "ungrouped",
        "clusters_of",
        "article_list",
        "ids_beginning",
        "changed_articles",
        "removed_after",
        "robots_file",
        "holders",
    }
)
"""The methods of the port that change nothing; all others write."""


def called_on_stores(files: Iterable[Path]) -> set[str]:
    """The methods that the files call on something named `store`."""
    calls = (
        node.func
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    )
    return {
        call.attr
        for call in calls
        if isinstance(call, ast.Attribute)
        and isinstance(call.value, ast.Name)
        and call.value.id == "store"
    }


def test_the_store_takes_its_arguments_by_the_ports_names() -> None:
    for name, held in PORT.items():
        assert signature(getattr(SqlStore, name)) == signature(held), name


def test_the_suite_calls_every_method_of_the_port() -> None:
    assert len(METHODS) > 30
    assert METHODS - called_on_stores(SUITE) == set()


def test_two_processes_at_once_call_every_method_that_writes() -> None:
    assert READING < METHODS
    assert METHODS - READING - called_on_stores([WORKER]) == set()
