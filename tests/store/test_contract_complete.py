"""The contract suite itself: it leaves no method of the port out."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from inspect import signature
from pathlib import Path

import wireroom
from tests import holding
from wireroom.ports import HitCounts, JobLog, OverviewLog, QueueLog, ReceiptLog, Store
from wireroom.store.sql_store import SqlStore

SUITE = [*sorted(Path(__file__).parent.glob("test_contract_*.py")), Path(holding.__file__)]
SRC = Path(wireroom.__file__).parent
STORES = {"store", "_store"}


MOST = 60
PORT = {name: held for name, held in vars(Store).items() if callable(held) and name[0] != "_"}
METHODS = set(PORT)
RECEIPT_METHODS = {
    name for name, held in vars(ReceiptLog).items() if callable(held) and name[0] != "_"
}
QUEUE_METHODS = {name for name, held in vars(QueueLog).items() if callable(held) and name[0] != "_"}
OVERVIEW_METHODS = {
    name for name, held in vars(OverviewLog).items() if callable(held) and name[0] != "_"
}
HIT_METHODS = {name for name, held in vars(HitCounts).items() if callable(held) and name[0] != "_"}
JOB_METHODS = {name for name, held in vars(JobLog).items() if callable(held) and name[0] != "_"}
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
        "leads",
        "host_lease",
        "article",
        "versions",
        "raw",
        "search",
        "articles",
        "near_duplicates",
        "compare_polls",
        "problems",
        "events",
        "close",
        "due_publishers",
        "next_due",
        "feed_tallies",
        "observations",
        "boilerplate",
        "block_counts",
        "unclustered",
        "clusters_of",
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


def called_on_logs(files: Iterable[Path], log: str = "receipts") -> set[str]:
    """The methods that the files call on the receipts of a store, on its queue, its overview, its hits or its jobs."""
    logs = {"receipts": RECEIPT_METHODS, "queue": QUEUE_METHODS, "overview": OVERVIEW_METHODS}
    logs |= {"hits": HIT_METHODS, "jobs": JOB_METHODS}
    methods = logs[log]
    texts = [path.read_text(encoding="utf-8") for path in files]
    return {name for name in methods if any(f"store.{log}.{name}(" in text for text in texts)}


def attributes(files: Iterable[Path]) -> set[str]:
    """Every attribute of a store that the files use."""
    used = (
        node
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    )
    return {node.attr for node in used if ast.unparse(node.value).split(".")[-1] in STORES}


def test_the_store_takes_its_arguments_by_the_ports_names() -> None:
    for name, held in PORT.items():
        assert signature(getattr(SqlStore, name)) == signature(held), name


def test_the_port_is_no_larger_than_one_class_can_be() -> None:
    assert 30 < len(METHODS) <= MOST


def test_the_program_calls_every_method_of_the_port() -> None:
    """What only tests call belongs into `tests.holding`."""
    src = [path for path in SRC.rglob("*.py") if path.parts[-2] != "ports"]
    outside = [path for path in src if SRC / "store" not in path.parents]
    assert METHODS - attributes(outside) == set()


def test_the_suite_calls_every_method_of_the_port() -> None:
    assert METHODS - called_on_stores(SUITE) == set()


def test_two_processes_at_once_call_every_method_that_writes() -> None:
    assert READING < METHODS
    assert METHODS - READING - called_on_stores([WORKER, Path(holding.__file__)]) == set()


def test_the_suite_and_the_program_call_every_method_of_the_receipts() -> None:
    assert len(RECEIPT_METHODS) > 3
    assert RECEIPT_METHODS - called_on_logs(SUITE) == set()
    assert (
        RECEIPT_METHODS - {"former", "exported", "original_of"} - called_on_logs([WORKER]) == set()
    )
    assert RECEIPT_METHODS - called_on_logs((SRC / "app").rglob("*.py")) == set()


def test_the_suite_and_the_program_call_every_method_of_the_queue() -> None:
    assert len(QUEUE_METHODS) > 5
    assert QUEUE_METHODS - called_on_logs(SUITE, "queue") == set()
    assert QUEUE_METHODS - called_on_logs((SRC / "app").rglob("*.py"), "queue") == set()


def test_the_suite_and_the_program_call_every_method_of_the_overview() -> None:
    assert len(OVERVIEW_METHODS) > 2
    assert OVERVIEW_METHODS - called_on_logs(SUITE, "overview") == set()
    assert OVERVIEW_METHODS - called_on_logs((SRC / "app").rglob("*.py"), "overview") == set()


def test_the_suite_and_the_program_call_every_method_of_the_hits() -> None:
    assert len(HIT_METHODS) == 1
    assert HIT_METHODS - called_on_logs(SUITE, "hits") == set()
    assert HIT_METHODS - called_on_logs((SRC / "app").rglob("*.py"), "hits") == set()


def test_the_suite_and_the_program_call_every_method_of_the_jobs() -> None:
    assert len(JOB_METHODS) == 4
    assert JOB_METHODS - called_on_logs(SUITE, "jobs") == set()
    assert JOB_METHODS - called_on_logs((SRC / "app").rglob("*.py"), "jobs") == set()


def test_the_protocols_beside_the_port_stay_small() -> None:
    assert len(OVERVIEW_METHODS) <= 20
    assert len(RECEIPT_METHODS | QUEUE_METHODS) <= 12
    assert len(HIT_METHODS) <= 4
