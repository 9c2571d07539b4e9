"""The fetch room's part of the settings, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from wireroom.fetch.manners import Manners
from wireroom.settings import Settings
from wireroom.version import TOKEN, __version__

MAX_PAGE = 10_000_000  # decoded bytes of a page or feed; the longest live blogs have a third
MAX_SITEMAP = 50_000_000  # decoded bytes of a sitemap: what the protocol allows
MAX_ROBOTS = 1_000_000  # decoded bytes of a robots.txt; RFC 9309 asks for half of that
MAX_REDIRECTS = 5  # what RFC 9309 asks for and browsers rarely need


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """How this process fetches."""

    user_agent: str = ""
    manners: Manners = field(default_factory=Manners)
    deadline: timedelta = timedelta(seconds=30)
    """For one exchange, redirects included."""
    max_bytes: int = MAX_PAGE
    ports: tuple[int, ...] = (80, 443)
    """Ports that may be asked without being listed in `allow_private`."""
    allow_private: tuple[str, ...] = ()
    hosts: Mapping[str, str] = field(default_factory=dict)
    strategies: tuple[str, ...] = ("plain",)
    """Ways to fetch, tried in this order."""
    strategy_options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unpinned: tuple[str, ...] = ()
    """Hosts that may be asked by a strategy which resolves names by itself."""


def options_from(settings: Settings | FetchOptions | None) -> FetchOptions:
    """The room's part of the settings; defaults for none."""
    if settings is None or isinstance(settings, FetchOptions):
        return settings or FetchOptions()
    fetch = settings.fetch
    return FetchOptions(
        user_agent=user_agent(settings.contact_url),
        manners=_manners(settings),
        deadline=fetch.timeout,
        max_bytes=fetch.max_page_bytes,
        ports=fetch.ports,
        allow_private=fetch.allow_private,
        hosts=settings.hosts,
        strategies=fetch.strategies,
        strategy_options=fetch.strategy_options,
        unpinned=fetch.unpinned,
    )


def _manners(settings: Settings) -> Manners:
    fetch = settings.fetch
    return Manners(
        gap=fetch.delay,
        concurrency=fetch.concurrency,
        per_address=fetch.per_address,
        rest_after_visit=settings.rest_after_visit(),
        host_budget=fetch.host_budget,
    )


def user_agent(contact_url: str = "") -> str:
    """The one name we go by: product, version, and where to reach whoever runs it."""
    return f"{TOKEN}/{__version__} (+{contact_url})" if contact_url else f"{TOKEN}/{__version__}"
