"""A small judge of JSON Schema: the keywords that our own schemas use, and a complaint about any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
Judge = Callable[[Any, Any, Schema], Iterator[str]]

ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "default", "type"})
TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def problems(value: Any, schema: Schema, root: Schema) -> Iterator[str]:
    """What is wrong with a value, each as one line."""
    wanted = schema.get("type")
    if wanted is not None and not isinstance(value, TYPES[wanted]):
        yield f"{value!r} is no {wanted}"
        return
    for keyword, inner in schema.items():
        if keyword in JUDGES:
            yield from JUDGES[keyword](value, inner, root)
        elif keyword not in ANNOTATIONS:
            yield f"the schema says {keyword}, which this judge does not know"


def _ref(value: Any, wanted: str, root: Schema) -> Iterator[str]:
    name = wanted.removeprefix("#/$defs/")
    yield from (f"{name}: {each}" for each in problems(value, root["$defs"][name], root))


def _enum(value: Any, wanted: list[Any], _root: Schema) -> Iterator[str]:
    if value not in wanted:
        yield f"{value!r} is none of {wanted}"


def _any_of(value: Any, wanted: list[Schema], root: Schema) -> Iterator[str]:
    if all(list(problems(value, schema, root)) for schema in wanted):
        yield f"{value!r} fits none of {wanted}"


def _required(value: Any, wanted: list[str], _root: Schema) -> Iterator[str]:
    yield from (f"{name} is missing" for name in wanted if name not in value)


def _properties(value: Any, wanted: Mapping[str, Schema], root: Schema) -> Iterator[str]:
    for name, inner in value.items():
        if name not in wanted:
            yield f"{name} is not in the schema"
        else:
            yield from (f"{name}: {each}" for each in problems(inner, wanted[name], root))


def _additional(value: Any, wanted: Schema | bool, root: Schema) -> Iterator[str]:
    """Of a mapping without listed names, what each value is."""
    if isinstance(wanted, Mapping):
        for name, inner in value.items():
            yield from (f"{name}: {each}" for each in problems(inner, wanted, root))


def _items(value: Any, wanted: Schema | bool, root: Schema) -> Iterator[str]:
    if isinstance(wanted, Mapping):
        for member in value:
            yield from problems(member, wanted, root)


def _prefix_items(value: Any, wanted: list[Schema], root: Schema) -> Iterator[str]:
    for member, inner in zip(value, wanted, strict=False):
        yield from problems(member, inner, root)


def _min_items(value: Any, wanted: int, _root: Schema) -> Iterator[str]:
    if len(value) < wanted:
        yield f"{len(value)} items are less than {wanted}"


def _max_items(value: Any, wanted: int, _root: Schema) -> Iterator[str]:
    if len(value) > wanted:
        yield f"{len(value)} items are more than {wanted}"


JUDGES: dict[str, Judge] = {
    "$ref": _ref,
    "enum": _enum,
    "anyOf": _any_of,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "prefixItems": _prefix_items,
    "minItems": _min_items,
    "maxItems": _max_items,
}
