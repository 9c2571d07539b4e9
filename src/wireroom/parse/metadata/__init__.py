"""Metadata of a page: claims from every place that makes some, weighed into fields.

`metadata_reader` does the work in order. `head`, `jsonld` (with `lenient_json`), `microdata`, `selectors` and
`visible` (with `nearby` and `classed`) read the tree; `titles`, `authors` (with `person_names`), `when`,
`page_language`, `keywords`, `page_urls` and `paywall_evidence` weigh what they find. Pure. Knows neither the
body's text nor feeds beyond the item it is given.
"""

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
