"""What reading the links of a page gives back. Frozen, no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LinkSource = Literal["header", "link", "anchor"]
"""Where a link stood: a Link header, a link tag, or an anchor that readers can follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """A feed that is announced, or an address that looks like one."""

    url: str
    type: str = ""
    """The media type as announced, lower case, without parameters; often empty for anchors."""
    title: str = ""
    source: LinkSource = "link"


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceLink:
    """A link with rel=license."""

    url: str
    type: str = ""
    title: str = ""
    source: LinkSource = "link"
    scope: str = ""
    """The element it speaks of, as `article#id` or `figure.class`; empty for the whole page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineLicence:
    """A whole licence document (RSL) written into the page."""

    text: str
    scope: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsLink:
    """A page that may hold the terms of use, and how likely that is."""

    url: str
    title: str = ""
    score: float = 0.0
    """0 to 1."""
    source: LinkSource = "anchor"
    in_footer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Icon:
    """A picture that stands for the publisher."""

    url: str
    rel: str = "icon"
    type: str = ""
    size: int = 0
    """Pixels of the larger side; 0 when it is not said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageLink:
    """The same page in another language."""

    url: str
    language: str
    """A BCP 47 tag, or `x-default`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks:
    """All of them, in the order of the page where nothing else is said."""

    base_url: str = ""
    """Against which links were resolved: the page's own address, or its `<base href>`."""
    feeds: tuple[FeedLink, ...] = ()
    """Those of headers first, then link tags, then anchors; each address once."""
    hub_urls: tuple[str, ...] = ()
    self_url: str = ""
    sitemap_urls: tuple[str, ...] = ()
    licences: tuple[LicenceLink, ...] = ()
    inline_licences: tuple[InlineLicence, ...] = ()
    terms: tuple[TermsLink, ...] = ()
    """The likeliest first."""
    icons: tuple[Icon, ...] = ()
    """The best first."""
    canonical_url: str = ""
    amp_url: str = ""
    languages: tuple[LanguageLink, ...] = ()
    truncated: tuple[str, ...] = ()
    """Names of the lists that a limit cut; `links` when the page had more tags than are looked at."""
