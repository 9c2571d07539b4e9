"""Lists in help texts: `{formats}` is written there, and the registry is asked when the help is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wireroom.ports import EnginePlug, Format
from wireroom.registry import plugs

OWN_FORMS = ("text", "html", "json", "jsonl", "md")
"""Forms of `extract` that show an article as it is; every format that writes into a stream comes after them."""


def formats() -> Iterable[str]:
    """What `export` writes."""
    return sorted(plugs("export", Format))


def extract_forms() -> Iterable[str]:
    """What `extract` writes."""
    known = plugs("export", Format)
    streams = sorted(name for name, plug in known.items() if not plug.is_folder)
    return dict.fromkeys([*OWN_FORMS, *streams])


def engines() -> Iterable[str]:
    """What spreads work over processes."""
    return sorted(plugs("workers", EnginePlug))


def query_fields() -> Iterable[str]:
    """What a query may name."""
    from wireroom.query.query_fields import FIELDS

    return FIELDS


_LISTS: dict[str, Callable[[], Iterable[str]]] = {
    "{formats}": formats,
    "{extract_forms}": extract_forms,
    "{engines}": engines,
    "{query_fields}": query_fields,
}


def with_plugs(text: str) -> str:
    """The text with every list of plugs in its place."""
    for mark, names in _LISTS.items():
        if mark in text:
            text = text.replace(mark, either(names()))
    return text


def either(names: Iterable[str]) -> str:
    """`a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
