"""Metadata of a page: claims from every place that makes some, weighed into fields.

`metadata_reader` does the work in order. `head`, `jsonld` (with `lenient_json`), `microdata`, `selectors` and
`visible` (with `nearby` and `classed`) read the tree; `titles`, `authors` (with `person_names`), `when`,
`page_language`, `keywords`, `page_urls` and `paywall_evidence` weigh what they find. Pure. Knows neither the
body's text nor feeds beyond the item it is given.

The names below are loaded when they are first asked for: who needs a list of words does not pay for every reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.model.literals import Undated
    from wireroom.parse.metadata.metadata_reader import read_metadata, read_organisations
    from wireroom.parse.metadata.organisations import Organisation
    from wireroom.parse.metadata.types import FORMATS, KEY_FIELDS, Field, Metadata, Precedence

__all__ = [
    "FORMATS",
    "KEY_FIELDS",
    "Field",
    "Metadata",
    "Organisation",
    "Precedence",
    "Undated",
    "read_metadata",
    "read_organisations",
]

_HOMES = {
    "Organisation": "wireroom.parse.metadata.organisations",
    "Undated": "wireroom.model.literals",
    "read_metadata": "wireroom.parse.metadata.metadata_reader",
    "read_organisations": "wireroom.parse.metadata.metadata_reader",
}
"""Of names that do not stand in `types`."""


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "wireroom.parse.metadata.types")), name)
