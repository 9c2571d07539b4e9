"""Finds plugs: the `PLUG` of every module in a room, then entry points of other packages.

A third party adds a step, strategy, store or format by an entry point in the group
`wireroom.<room>` whose value is the plug itself (`name = "their.module:PLUG"`).
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Protocol, TypeVar

__all__ = ["broken", "plugs"]

log = logging.getLogger(__name__)


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


def broken(room: str) -> dict[str, str]:
    """Entry points of the room that cannot be loaded, with the reason, for `wireroom doctor`."""
    reasons: dict[str, str] = {}
    for entry in entry_points(group=f"wireroom.{room}"):
        try:
            entry.load()
        except Exception as exc:  # noqa: BLE001 - foreign code may fail in any way
            reasons[entry.value] = f"{type(exc).__name__}: {exc}"
    return reasons


def _own(room: str) -> Iterator[object]:
    package = importlib.import_module(f"wireroom.{room}")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        plug = getattr(loaded, "PLUG", None)
        if plug is not None:
            yield plug


def _foreign(room: str) -> Iterator[tuple[str, object]]:
    for entry in entry_points(group=f"wireroom.{room}"):
        try:
            yield entry.value, entry.load()
        except Exception as exc:  # noqa: BLE001 - one bad plug must not stop the others
            log.warning("plug ignored", extra={"plug": entry.value, "reason": repr(exc)})
