"""The contract suite itself: it leaves no method of the port out."""

from __future__ import annotations

import ast
from inspect import signature
from pathlib import Path

from wireroom.ports import Store
from wireroom.store.door import SqlStore

SUITE = sorted(Path(__file__).parent.glob("test_contract_*.py"))


def called_on_stores() -> set[str]:
    """The methods that the suite calls on something named `store`."""
    calls = (
        node.func
        for path in SUITE
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
    for name, held in vars(Store).items():
        if callable(held) and name[0] != "_":
            assert signature(getattr(SqlStore, name)) == signature(held), name


def test_the_suite_calls_every_method_of_the_port() -> None:
    methods = {name for name, held in vars(Store).items() if callable(held) and name[0] != "_"}
    assert len(methods) > 30
    assert methods - called_on_stores() == set()
