"""Every setting there is, with its type in words, its default and what it does.

Read from the models, for the reference docs and the schema. Knows nothing of values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from wireroom.settings.durations import format_duration
from wireroom.settings.sections import Settings


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as the docs show it; `default` is empty when there is none."""

    path: str
    type: str
    default: str
    help: str


def setting_rows() -> list[SettingRow]:
    """Every setting, in the order of the sections; those of a feed as `feeds[].name`."""
    return list(_rows("", Settings))


def _rows(prefix: str, model: type[BaseModel]) -> Iterator[SettingRow]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        section, entries = _section(info.annotation), _entries(info.annotation)
        if section is not None:
            yield from _rows(f"{path}.", section)
            continue
        yield SettingRow(path, _type_words(info.annotation), _default(info), info.description or "")
        if entries is not None:
            yield from _rows(f"{path}[].", entries)


def _section(annotation: Any) -> type[BaseModel] | None:
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model else None


def _entries(annotation: Any) -> type[BaseModel] | None:
    """The model of a list of tables."""
    return _section(get_args(annotation)[0]) if get_origin(annotation) is tuple else None


def _type_words(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if NoneType in inner:
        return _type_words(next(each for each in inner if each is not NoneType))
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in inner)
    if origin is tuple:
        return "list of tables" if _entries(annotation) else "list"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "table"
    if inner:
        return _type_words(inner[0])  # Annotated: what it is made of comes first
    return {timedelta: "duration", bool: "true or false", int: "number"}.get(annotation, "text")


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return ""
    value = info.get_default(call_default_factory=True)
    if value is None:
        return ""
    if isinstance(value, timedelta):
        return json.dumps(format_duration(value))
    return json.dumps(list(value) if isinstance(value, tuple) else value)
