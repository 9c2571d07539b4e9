"""Signals: what publishers say about the use of their work, one file (or package) per signal.

Each sets `PLUG` to a `wireroom.ports.SignalPlug`: its reader, its facts, what they say of each use, its scouting step
and its line of the card. `judge`, `make_receipt` and the others below ask every signal that is registered, those of
other packages (entry point group `wireroom.signals`) included. Nothing here fetches by itself: a step asks through
the context it is given.

The names below are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.signals.freshness import unreached_of
    from wireroom.signals.registered import (
        all_signals,
        all_steps,
        answered_at,
        feed_refusals,
        feed_unread,
        findings_on,
        gather,
        history_of_rights,
        is_dated_ahead,
        item_findings,
        judge,
        label_of,
        make_receipt,
        page_findings,
        receipt_today,
        review_article,
        rights_as_of,
        vocabularies,
        with_labels,
    )

__all__ = [
    "all_signals",
    "all_steps",
    "answered_at",
    "feed_refusals",
    "feed_unread",
    "findings_on",
    "gather",
    "history_of_rights",
    "is_dated_ahead",
    "item_findings",
    "judge",
    "label_of",
    "make_receipt",
    "page_findings",
    "receipt_today",
    "review_article",
    "rights_as_of",
    "unreached_of",
    "vocabularies",
    "with_labels",
]


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = "freshness" if name == "unreached_of" else "registered"
    return getattr(import_module(f"{__name__}.{module}"), name)
