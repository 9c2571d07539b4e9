"""Conditions of a permission in the words of a person. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from wireroom.model import ConditionKind

_ASKED: dict[ConditionKind, str] = {
    "attribution": "name the source",
    "non-commercial": "no commercial use",
    "territory": "by territory",
    "payment": "pay for it",
    "users": "by who uses it",
    "redistribution": "redistribution",
}
_SPREAD = {"prohibited": "no redistribution", "conditional": "redistribution on conditions alone"}


def asked_for(conditions: Iterable[tuple[ConditionKind, str]]) -> tuple[str, ...]:
    """`name the source (CC BY 4.0; as long as you name us)`: each kind once, with all its details."""
    details: dict[ConditionKind, list[str]] = {}
    for kind, detail in conditions:
        details.setdefault(kind, []).append(detail)
    return tuple(_asked(kind, found) for kind, found in details.items())


def _asked(kind: ConditionKind, details: Iterable[str]) -> str:
    named = list(dict.fromkeys(filter(None, details)))
    if kind == "redistribution":
        return ", ".join(_SPREAD.get(detail, detail) for detail in named) or _ASKED[kind]
    return f"{_ASKED[kind]} ({'; '.join(named)})" if named else _ASKED[kind]
