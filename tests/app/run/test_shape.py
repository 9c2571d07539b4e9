"""The loop stays small: few files, few attributes, few arguments."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from wireroom.app import run
from wireroom.app.run import RunLoop
from wireroom.app.run import loop as loop_module

MOST_FILES = 10
MOST_ATTRIBUTES = 10
MOST_ARGUMENTS = 5


def attributes_of(cls: type) -> set[str]:
    """The attributes that the methods of a class set on `self`."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(cls) or loop_module))
    body = next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    )
    return {
        node.attr
        for node in ast.walk(body)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def test_the_loop_lies_in_few_files() -> None:
    assert run.__file__ is not None
    assert len(list(Path(run.__file__).parent.rglob("*.py"))) <= MOST_FILES


def test_the_class_of_the_loop_has_few_attributes() -> None:
    attributes = attributes_of(RunLoop)
    assert {"counts", "_work", "_queue"} <= attributes
    assert len(attributes) <= MOST_ATTRIBUTES


def test_the_class_of_the_loop_takes_few_arguments() -> None:
    assert len(inspect.signature(RunLoop).parameters) <= MOST_ARGUMENTS
