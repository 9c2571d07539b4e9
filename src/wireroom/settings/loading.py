"""Loading: the layers laid over one another, checked as a whole, every value with its origin."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path as File
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from wireroom.dates.durations import format_duration
from wireroom.errors import SettingsError, Wording, terminal_words
from wireroom.settings.feed_settings import TWICE, FeedSettings, feeds_twice
from wireroom.settings.problems import (
    Path,
    describe_problem,
    describe_unknown,
    expectation,
    path_text,
    redacted,
)
from wireroom.settings.secret_targets import (
    HINT,
    OWN_HINT,
    TRAFFIC_HINT,
    misdirected,
    misled,
    not_its_own,
)
from wireroom.settings.secrets import has_password_file
from wireroom.settings.sections import Settings
from wireroom.settings.setting_sources import (
    FILE_NAME,
    WORKING_FOLDER,
    Flag,
    Layer,
    find_file,
    read_environment,
    read_file,
    read_flags,
    setting_names,
)

MAX_SHOWN = 50  # problems told at once; a file with more is the wrong file
DEFAULT = "default"
WHAT_CAN_BE_SET = Wording(
    "What can be set: wireroom.settings.json_schema()",
    terminal="What can be set: wireroom config schema",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One setting as it may be shown: secrets are hidden, times are words."""

    path: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The settings, the file they were read from (empty for none), and each value's origin."""

    settings: Settings
    file: str = ""
    named_by: str = ""
    """Who named the file: a flag, the environment, or the folder it was found in."""
    origins: Mapping[Path, str] = field(default_factory=dict)

    def rows(self) -> list[Row]:
        """Every setting with its value and origin, in the order of the sections."""
        return [
            Row(
                path=path_text(path),
                value=redacted(path, value),
                origin=_origin(self.origins, path) if given else DEFAULT,
            )
            for path, value, given in _leaves((), self.settings)
        ]

    def problem(self, path: Path, value: Any, expected: str) -> str:
        """One line for what is found wrong where a setting is put to use, with its origin."""
        return describe_problem(path, value, _origin(self.origins, path), expected)


def load_settings(
    *,
    config: str | None = None,
    flags: Sequence[Flag] = (),
    environ: Mapping[str, str] | None = None,
    cwd: File | None = None,
) -> Loaded:
    """The settings of this run; SettingsError lists everything that is wrong with them."""
    environ = os.environ if environ is None else environ
    cwd = File.cwd() if cwd is None else cwd
    name, named_by = find_file(config, environ=environ, cwd=cwd)
    layers = [read_file(name, cwd=cwd, is_own=named_by != WORKING_FOLDER)] if name else []
    layers += [read_environment(environ), read_flags(flags)]
    values, origins = _merged(layers)
    problems = [problem for layer in layers for problem in layer.problems]
    cause = next((layer.cause for layer in layers if layer.cause), None)
    settings, wrong, why = _validated(values, origins)
    sent = misdirected(layers, environ=environ, has_password_file=has_password_file(environ))
    led, claimed = misled(layers), not_its_own(layers)
    if problems or wrong or sent or led or claimed or settings is None:
        hints = [layer.hint for layer in layers] + ([HINT] if sent else [])
        hints += ([TRAFFIC_HINT] if led else []) + ([OWN_HINT] if claimed else [])
        if wrong or any(layer.unknown for layer in layers):
            hints.append(WHAT_CAN_BE_SET)
        raise _error([*problems, *wrong, *sent, *led, *claimed], hints) from (cause or why)
    return Loaded(settings=settings, file=name, named_by=named_by, origins=origins)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of `wireroom.toml`, for editors."""
    schema = Settings.model_json_schema(mode="validation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": FILE_NAME,
    }


def _merged(layers: Sequence[Layer]) -> tuple[dict[str, Any], dict[Path, str]]:
    values: dict[str, Any] = {}
    origins: dict[Path, str] = {}
    for layer in layers:
        _lay_over(values, layer.values)
        origins = {**_not_below(origins, layer.origins), **layer.origins}
    return values, origins


def _not_below(origins: Mapping[Path, str], upper: Mapping[Path, str]) -> dict[Path, str]:
    """The origins of what no upper layer has replaced as a whole."""
    return {
        path: origin
        for path, origin in origins.items()
        if not any(path[:end] in upper for end in range(1, len(path)))
    }


def _lay_over(values: dict[str, Any], upper: Mapping[str, Any]) -> None:
    """Tables are merged name by name; anything else is replaced whole."""
    for name, value in upper.items():
        lower = values.get(name)
        if isinstance(lower, dict) and isinstance(value, dict):
            _lay_over(lower, value)
        else:
            values[name] = value


def _validated(
    values: dict[str, Any], origins: Mapping[Path, str]
) -> tuple[Settings | None, list[str], Exception | None]:
    feeds = values.get("feeds")
    wrong = [
        describe_problem(("feeds", place, name), feeds[place][name], _origin(origins, ("feeds", place, name)), expected)
        for place, name, expected in feeds_twice(feeds)
        if isinstance(feeds, list)
    ]  # fmt: skip
    try:
        return Settings.model_validate(values), wrong, None
    except ValidationError as exc:
        found = exc.errors(include_url=False)
        wrong += [_problem(error, origins) for error in found if error["type"] != TWICE]
        return None, wrong, exc


def _problem(error: Any, origins: Mapping[Path, str]) -> str:
    path: Path = tuple(error["loc"])
    # Of a wrong name in a table, pydantic gives the name itself as the input.
    names = len(path) > 1 and path[-1] == "[key]" and error["input"] == path[-2]
    path = path[:-1] if names else path
    origin = _origin(origins, path)
    if error["type"] == "extra_forbidden" and len(path) == 1 and _is_section(error["input"]):
        return describe_unknown(path_text(path), origin, Settings.model_fields, what="section")
    if error["type"] == "extra_forbidden":
        return describe_unknown(path_text(path), origin, _candidates(path))
    if names or error["type"] == "missing":
        return f"{path_text(path)} ({origin}): {expectation(error)}"
    return describe_problem(path, error["input"], origin, expectation(error))


def _is_section(value: Any) -> bool:
    """Whether it was written as `[name]` or `[[name]]`."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(each, Mapping) for each in value)
    )


def _candidates(path: Path) -> list[str]:
    """The names that could have been meant at a place: those beside it, then all others."""
    if path[0] == "feeds":
        return [path_text((*path[:2], name)) for name in FeedSettings.model_fields]
    return setting_names()


def _error(problems: list[str], hints: list[str]) -> SettingsError:
    shown = problems[:MAX_SHOWN]
    if len(problems) > MAX_SHOWN:
        shown.append(f"and {len(problems) - MAX_SHOWN} more problems")
    given = [hint for hint in hints if hint]
    hint = Wording(" ".join(given), terminal=" ".join(map(terminal_words, given)))
    return SettingsError(shown, hint=hint)


def _origin(origins: Mapping[Path, str], path: Path) -> str:
    """Where the value at a path came from: the nearest known place, the file as a whole last."""
    for end in range(len(path), 0, -1):
        if path[:end] in origins:
            return origins[path[:end]]
    return DEFAULT


def _leaves(path: Path, value: Any, given: bool = True) -> Iterator[tuple[Path, Any, bool]]:
    """Every single setting: its path, its value, and whether anybody gave it."""
    inner: list[tuple[str | int, Any, bool]]
    if isinstance(value, BaseModel):
        given_here = value.model_fields_set
        inner = [
            (name, getattr(value, name), name in given_here) for name in type(value).model_fields
        ]
    elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
        inner = [(place, each, True) for place, each in enumerate(value)]
    elif isinstance(value, Mapping) and value:
        inner = [(name, each, True) for name, each in value.items()]
    else:
        yield path, value, given
        return
    for name, each, each_given in inner:
        yield from _leaves((*path, name), each, given and each_given)


# Every setting there is, with its type in words, its default and what it does.
#
# Read from the models, for the reference docs and the schema. Knows nothing of values.


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
