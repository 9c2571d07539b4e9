"""Where settings are written: a TOML file, the environment, flags. Each gives one layer.

The only place that opens the file. Values are taken as they stand; whether they are right is
decided afterwards, on all layers together, so that every problem is told at once.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from wireroom.errors import Wording
from wireroom.settings.problems import Path, describe_unknown, key_lines
from wireroom.settings.secrets import config_folder, redact
from wireroom.settings.sections import Settings

FILE_NAME = "wireroom.toml"
PREFIX = "WIREROOM_"
CONFIG_VARIABLE = "WIREROOM_CONFIG"
WORKING_FOLDER, CONFIG_FOLDER = "working folder", "configuration folder"
MAX_FILE = 16 * 2**20  # bytes; 100,000 feeds fit, a wrong file or a device does not fill the memory

Shape = Literal["section", "table", "list", "value"]


@dataclass(frozen=True, slots=True)
class Flag:
    """A setting given on the command line: the flag's name, the setting's path, the text.

    Without a path it is a flag that names no setting, told with all other problems.
    """

    label: str
    path: str
    text: str


@dataclass(slots=True)
class Layer:
    """What one source says: nested values, where each came from, and what was wrong."""

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[Path, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unknown: bool = False
    """Whether a problem is a setting that does not exist."""
    hint: str = ""
    """What to do about a source that cannot be read at all."""
    cause: Exception | None = None
    is_own: bool = True
    """Whether the operator named it; a file that was found in the working folder may be anybody's."""


# --- the file ----------------------------------------------------------------------------------


def find_file(
    config: str | None, *, environ: Mapping[str, str] | None = None, cwd: File | None = None
) -> tuple[str, str]:
    """The file to read and who named it; never searched upward, empty when there is none."""
    environ = os.environ if environ is None else environ
    cwd = File.cwd() if cwd is None else cwd
    if config:
        return config, "flag --config"
    if environ.get(CONFIG_VARIABLE):
        return environ[CONFIG_VARIABLE], f"environment {CONFIG_VARIABLE}"
    own = config_folder(environ)
    if os.path.lexists(cwd / FILE_NAME) and not _is_same(cwd, own):
        return str(cwd / FILE_NAME), WORKING_FOLDER
    if own is not None and os.path.lexists(own / FILE_NAME):
        return str(own / FILE_NAME), CONFIG_FOLDER
    return "", ""


def _is_same(folder: File, other: File | None) -> bool:
    try:
        return other is not None and folder.samefile(other)
    except OSError:
        return False


def read_file(name: str, *, cwd: File, is_own: bool = True) -> Layer:
    """The layer of a TOML file; `-` is standard input."""
    label = _label(name, cwd)
    try:
        text = _text(name, cwd)
        values = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as exc:
        problem, hint = _unreadable(exc)
        return Layer(problems=[f"{label}: {problem}"], hint=hint, cause=exc, is_own=is_own)
    origins = {path: f"{label} line {line}" for path, line in key_lines(text).items()}
    return Layer(values=values, origins=origins, is_own=is_own)


def _unreadable(exc: Exception) -> tuple[str, str]:
    """Why a file gives no settings, and what to do about it."""
    if isinstance(exc, OSError):
        problem = f"cannot be read: {exc.strerror or type(exc).__name__}"
        hints = (hint for kind, hint in _FILE_HINTS.items() if isinstance(exc, kind))
        return problem, next(hints, _other_file("Name another file"))
    if isinstance(exc, UnicodeDecodeError):
        return f"not UTF-8, at byte {exc.start}", "Save it as UTF-8."
    if isinstance(exc, TooLargeFileError):
        return str(exc), _other_file("Name the right file")
    reason = "too deeply nested" if isinstance(exc, RecursionError) else str(exc)
    return f"broken TOML: {reason}", "Correct it there; https://toml.io shows how it is written."


def _other_file(hint: str) -> Wording:
    return Wording(f"{hint} with config=….", terminal=f"{hint} with --config.")


_FILE_HINTS: dict[type[OSError], str] = {
    FileNotFoundError: _other_file("Write it, or name another file"),
    IsADirectoryError: _other_file(f"Name a file, such as {FILE_NAME} in that folder,"),
    PermissionError: _other_file("Make it readable for you, or name another file"),
}


class TooLargeFileError(ValueError):
    """The file has more bytes than settings ever have."""


def _label(name: str, cwd: File) -> str:
    if name == "-":
        return "standard input"
    path = cwd / name
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else name


def _text(name: str, cwd: File) -> str:
    if name == "-":
        body = sys.stdin.buffer.read(MAX_FILE + 1)
    else:
        with (cwd / name).open("rb") as file:
            body = file.read(MAX_FILE + 1)
    if len(body) > MAX_FILE:
        raise TooLargeFileError(f"larger than {MAX_FILE // 2**20} MB")
    return body.decode("utf-8-sig").replace("\r\n", "\n")


# --- environment and flags ---------------------------------------------------------------------


def read_environment(environ: Mapping[str, str]) -> Layer:
    """The layer of `WIREROOM_*`; `__` stands between a section and its setting."""
    layer = Layer()
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable != CONFIG_VARIABLE:
            path = tuple(variable.removeprefix(PREFIX).lower().split("__"))
            origin = f"environment {variable}"
            if not _put(layer, path, environ[variable], origin):
                names = (PREFIX + name.replace(".", "__").upper() for name in setting_names())
                layer.problems.append(describe_unknown(variable, "environment", names))
                layer.unknown = True
    return layer


def read_flags(flags: Sequence[Flag]) -> Layer:
    """The layer of the command line; of two flags for one setting the last one counts."""
    layer = Layer()
    for flag in flags:
        origin = f"flag {flag.label}"
        if not flag.path:
            layer.problems.append(f"{flag.label} {redact(flag.text)}: expected name=value")
            layer.hint = f"Write it as in: {flag.label} log.level=debug."
        elif not _put(layer, tuple(flag.path.split(".")), flag.text, origin):
            layer.problems.append(describe_unknown(flag.path, origin, setting_names()))
            layer.unknown = True
    return layer


def early_log_format(
    config: str | None, flags: Sequence[Flag], *, environ: Mapping[str, str] | None = None
) -> str:
    """The setting log.format, where the settings cannot be or are not loaded yet; empty where nobody sets it.

    What is wrong with the rest is left to whoever loads them. Standard input is left alone: it is read once.
    """
    environ = os.environ if environ is None else environ
    name, _ = find_file(config, environ=environ)
    layers = [read_flags(flags), read_environment(environ)]
    if name and name != "-":
        layers.append(read_file(name, cwd=File.cwd()))
    found = (layer.values.get("log") for layer in layers)
    formats = (section.get("format") for section in found if isinstance(section, dict))
    return next((text for text in formats if isinstance(text, str)), "")


def setting_names() -> list[str]:
    """The dotted name of every setting that can be given by itself."""
    names = []
    for name, info in Settings.model_fields.items():
        section = info.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            names += [f"{name}.{inner}" for inner in section.model_fields]
        else:
            names.append(name)
    return names


def _put(layer: Layer, path: tuple[str, ...], text: str, origin: str) -> bool:
    """Puts a text at its place in the layer; False when there is no such setting."""
    shape, path = _place(path)
    if shape is None or shape == "section":
        return False
    inner = layer.values
    for part in path[:-1]:
        inner = inner.setdefault(part, {})
    value = _parsed(text, shape)
    inner[path[-1]] = value
    # A table is merged name by name, so each name has its origin.
    names = [(*path, name) for name in value] if isinstance(value, dict) else [path]
    layer.origins |= dict.fromkeys(names, origin)
    return True


def _place(path: tuple[str, ...]) -> tuple[Shape | None, tuple[str, ...]]:
    """What stands at a path, and the path with the rest of a table's key in one piece."""
    model: type[BaseModel] = Settings
    for depth, part in enumerate(path, 1):
        info = model.model_fields.get(part)
        if info is None:
            return None, path
        shape, rest = _shape(info.annotation), path[depth:]
        if shape == "section" and isinstance(info.annotation, type):
            model = info.annotation
        elif shape == "table" and rest:
            return _place_in_table(info.annotation, path[:depth], rest)
        else:
            return (None if rest else shape), path
    return "section", path


def _place_in_table(
    annotation: Any, path: tuple[str, ...], rest: tuple[str, ...]
) -> tuple[Shape | None, tuple[str, ...]]:
    """A name in a table may hold dots, as hosts do; in a table of tables the first part has none."""
    inner = get_args(annotation)[1]
    if _shape(inner) != "table":
        return "value", (*path, ".".join(rest))
    if len(rest) == 1:
        return "table", (*path, *rest)
    return _place_in_table(inner, (*path, rest[0]), rest[1:])


def _shape(annotation: Any) -> Shape:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section"
    origin = get_origin(annotation)
    if origin is tuple:
        return "list"
    return "table" if isinstance(origin, type) and issubclass(origin, Mapping) else "value"


def _parsed(text: str, shape: Shape) -> Any:
    """A text as the value of its shape: lists and tables in TOML or JSON, lists also with commas."""
    if shape == "value":
        return text
    plain = text.strip()
    if shape == "list" and plain[:1] not in ("[", "{"):
        return [part.strip() for part in plain.split(",") if part.strip()]
    for read in (json.loads, lambda inline: tomllib.loads(f"value = {inline}")["value"]):
        try:
            return read(plain)
        except (ValueError, RecursionError):
            continue
    return text  # whatever it is, it is of the wrong type, and that is told with the others
