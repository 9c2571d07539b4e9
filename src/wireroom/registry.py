"""Finds plugs: the `PLUG` of every module and package in a room, then entry points of other packages.

A third party adds a plug by an entry point whose value is the plug itself (`name = "their.module:PLUG"`).
The group is called after the room, dotted as it is imported: `wireroom.scout`, `wireroom.fetch.strategies`,
`wireroom.store`, `wireroom.export`, `wireroom.workers`, `wireroom.cli`.
"""

from __future__ import annotations

import logging
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from traceback import walk_tb
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

log = logging.getLogger(__name__)
ROOMS = (
    "cli",
    "export",
    "workers",
    "fetch.strategies",
    "scout.steps",
    "signals",
    "store",
    "web.pages",
)
"""The rooms that have plugs."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


P = TypeVar("P", bound=_Named)


def plugs(room: str, kind: type[P]) -> dict[str, P]:
    """Every plug of this kind in the room, by name; the room's own come first and cannot be replaced."""
    found: dict[str, P] = {}
    for plug in _own(room):
        if isinstance(plug, kind):
            found[plug.name] = plug
    for origin, plug in _foreign(room):
        if isinstance(plug, kind) and plug.name not in found:
            found[plug.name] = plug
        elif isinstance(plug, kind):
            log.warning("plug ignored: its name is taken", extra={"plug": plug.name, "of": origin})
    return found


def plug_named(room: str, kind: type[P], name: str) -> P | None:
    """The plug of that name, or None.

    A module or package that bears the name of its plug, as most do, is loaded alone: a caller of one
    command does not pay for the thirty others, nor for a search through all that is installed.
    """
    module = name.replace("-", "_")
    home = f"wireroom.{room}.{module}"
    if module.isidentifier() and find_spec(home) is not None:
        plug = getattr(import_module(home), "PLUG", None)
        if isinstance(plug, kind) and plug.name == name:
            return plug
    return plugs(room, kind).get(name)


def broken(room: str, kind: type[object] = object) -> dict[str, str]:
    """Entry points of the room that cannot be loaded or give something else, with the reason, for `wireroom doctor`."""
    reasons: dict[str, str] = {}
    for entry in _entry_points(room):
        try:
            plug = entry.load()
        except Exception as exc:  # noqa: BLE001 - foreign code may fail in any way
            reasons[entry.value] = f"{type(exc).__name__}: {exc}"
        else:
            if not isinstance(plug, kind):
                reasons[entry.value] = f"it is a {type(plug).__name__} and no {kind.__name__}"
    return reasons


def why_missing(room: str, name: str, kind: type[object] = object) -> str:
    """Why there is no plug of that name, where one was installed under it and cannot be used; else empty."""
    failed = broken(room, kind)
    for entry in _entry_points(room):
        if entry.name == name and entry.value in failed:
            return f"the plug {entry.value} cannot be loaded: {failed[entry.value]}"
    return ""


def plug_in(error: BaseException) -> str:
    """The plug of another package in whose code the error arose, as `their.module:PLUG`; empty for none.

    Where a package has several, the package.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    packages = {str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame in frames}
    found = [
        entry
        for room in ROOMS
        for entry in _entry_points(room)
        if entry.module.partition(".")[0] in packages - {"wireroom"}
    ]
    if len(found) > 1:
        return found[0].module.partition(".")[0]
    return found[0].value if found else ""


def _own(room: str) -> Iterator[object]:
    package = import_module(f"wireroom.{room}")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        loaded = import_module(f"{package.__name__}.{module.name}")
        plug = getattr(loaded, "PLUG", None)
        if plug is not None:
            yield plug


def _foreign(room: str) -> Iterator[tuple[str, object]]:
    for entry in _entry_points(room):
        try:
            yield entry.value, entry.load()
        except Exception as exc:  # noqa: BLE001 - one bad plug must not stop the others
            log.warning("plug ignored", extra={"plug": entry.value, "reason": repr(exc)})


def _entry_points(room: str) -> EntryPoints:
    return _entry_points_on(tuple(sys.path), f"wireroom.{room}")


@cache
def _entry_points_on(_path: tuple[str, ...], group: str) -> EntryPoints:
    """Read once in a process and path: the metadata of every installed package takes 16 ms a time."""
    from importlib.metadata import entry_points

    return entry_points(group=group)
