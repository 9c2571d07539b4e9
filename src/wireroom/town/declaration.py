"""What can be declared about a publisher of the town: the shapes, not the publishers.

Frozen data. `publishers.py` fills it in; the pages, feeds and the server read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from wireroom.model import Use, Word

FeedPlanKind = Literal[
    "rss", "atom", "rdf", "json", "json_api", "sitemap", "news_sitemap", "sitemap_index"
]
Announced = Literal["link", "header", "anchor", "index_page", "robots", "index", "nowhere"]
"""Where a publisher tells of a feed; `index` is a sitemap index, `nowhere` leaves only probing."""
Quirk = Literal["", "relative_links", "only_updated", "leading_space", "local_dates", "plain_type"]
Layout = Literal["classic", "soup", "tables", "micro", "press", "weekly"]
MetadataStyle = Literal[
    "json_ld", "json_ld_graph", "json_ld_after_broken", "open_graph", "twitter", "parsely"
]
AddressStyle = Literal["dated", "section", "query", "number", "unicode", "api"]
PaceKind = Literal["steady", "batch", "office"]
Challenge = Literal["", "cloudflare", "akamai"]
Weight = Literal["light", "real"]
"""What pages carry besides their text: next to nothing, or what those of the press do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPlan:
    """A feed or sitemap that the publisher serves."""

    path: str
    kind: FeedPlanKind
    announced: Announced = "link"
    title: str = ""
    items: int = 20
    whole_text: bool = False
    comments: bool = False
    """Readers' comments, not articles: what a reader of news must not follow."""
    children: tuple[str, ...] = ()
    """Paths of the sitemaps that a sitemap index names, in its order."""
    gzipped: bool = False
    quirk: Quirk = ""
    media_type: str = ""
    """Served instead of the right one, where publishers get it wrong."""
    follow: bool = False
    """Whether the town's configuration names it among the feeds to follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Charset:
    """How text becomes bytes, and what is said about it; an empty label says nothing."""

    encoding: str = "utf-8"
    header: str = "utf-8"
    meta: str = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """When articles come out."""

    kind: PaceKind = "steady"
    every: timedelta = timedelta(hours=3)
    """Between two articles of a steady publisher, between two batches otherwise."""
    batch: int = 1
    hour: int = 6
    silent_for: timedelta = timedelta()
    """How long ago the publisher stopped; zero for one that still publishes."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file at a fixed path."""

    body: str
    media_type: str = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the publisher permits, everywhere it says so, and what that comes to."""

    robots: str | None = None
    """The text of robots.txt; None answers 404."""
    robots_type: str = "text/plain; charset=utf-8"
    files: Mapping[str, TextFile] = field(default_factory=dict)
    headers: tuple[tuple[str, str], ...] = ()
    """On every page."""
    head_html: str = ""
    """In the head of every page."""
    licence_url: str = ""
    """Creative Commons, named in pages and feeds."""
    rsl_path: str = ""
    terms_path: str = ""
    terms: tuple[str, ...] = ()
    verdicts: Mapping[Use, Word] = field(default_factory=dict)
    """What all signals together come to, for the uses where that is beyond doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBehaviour:
    """How the publisher's server behaves, whatever it is asked for."""

    head_allowed: bool = True
    only_home: bool = False
    """Everything but the home page is 404, robots.txt too."""
    challenge: Challenge = ""
    toll: str = ""
    """The price that is asked, with status 402, for every article."""
    headers: tuple[tuple[str, str], ...] = ()
    """On every answer: the server's name, a CDN's marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TownPublisher:
    """One publisher of the town."""

    host: str
    name: str
    about: str
    language: str
    layout: Layout = "classic"
    metadata: tuple[MetadataStyle, ...] = ("json_ld", "open_graph")
    addresses: AddressStyle = "dated"
    pace: Pace = field(default_factory=Pace)
    articles: int = 40
    """How many are out when the town is built."""
    feeds: tuple[FeedPlan, ...] = ()
    rights: Rights = field(default_factory=Rights)
    charset: Charset = field(default_factory=Charset)
    behaviour: ServerBehaviour = field(default_factory=ServerBehaviour)
    utc_offset: timedelta = timedelta()
    generator: str = ""
    metered: bool = False
    weight: Weight = "light"
    edits: bool = False
    """Whether articles are corrected, updated and withdrawn after they came out."""
    reprints: tuple[str, ...] = ()
    """Hosts whose articles this publisher reprints instead of writing its own."""

    @property
    def home_url(self) -> str:
        """The address of the home page."""
        return f"http://{self.host}/"

    def feed(self, kind: FeedPlanKind) -> FeedPlan:
        """The first feed of this kind; raises KeyError when there is none."""
        for plan in self.feeds:
            if plan.kind == kind:
                return plan
        raise KeyError(f"{self.host} has no feed of kind {kind}")
