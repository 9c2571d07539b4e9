"""Metadata of a page: claims from every place that makes some, weighed into fields.

`read` does the work in order; `head`, `lenient`, `jsonld`, `microdata`, `visible` and `selectors` read the
tree; `titles`, `authors` (with `people`), `when`, `tongue`, `words`, `addresses` and `paywall` weigh.
Pure. Knows neither body text nor feeds beyond the item it is given.
"""

from wireroom.parse.metadata.nouns import FORMATS, KEY_FIELDS, Field, Metadata, Precedence
from wireroom.parse.metadata.organisations import Organisation
from wireroom.parse.metadata.read import Undated, read_metadata, read_organisations

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
