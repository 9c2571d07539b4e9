"""Links that say something about a page or its publisher, rather than lead to the next story.

`read_link_headers` reads what a response says in its Link headers (RFC 8288), `read_page_links` what a
page says in its tree, headers included: feeds, hub, sitemaps, licences, terms, icons, its own address.
Pure: no address is opened; whether a feed is one is seen when somebody reads it.
"""

from __future__ import annotations

from wireroom.parse.links.link_headers import HeaderLink, links_of_rel, read_link_headers
from wireroom.parse.links.page_links import read_page_links
from wireroom.parse.links.types import (
    FeedLink,
    Icon,
    InlineLicence,
    LanguageLink,
    LicenceLink,
    LinkSource,
    PageLinks,
    TermsLink,
)

__all__ = [
    "FeedLink",
    "HeaderLink",
    "Icon",
    "InlineLicence",
    "LanguageLink",
    "LicenceLink",
    "LinkSource",
    "PageLinks",
    "TermsLink",
    "links_of_rel",
    "read_link_headers",
    "read_page_links",
]
