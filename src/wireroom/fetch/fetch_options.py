"""The fetch room's part of the settings, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from wireroom.settings import Settings
from wireroom.version import TOKEN, __version__

# How we behave on other people's servers: the numbers, each with its reason.
#
# Pure: values in, values out. The host schedule keeps these manners; the settings may change them.

MIN_RETRY_AFTER = timedelta(seconds=1)  # "0" means soon, not at once
MAX_RETRY_AFTER = timedelta(hours=24)  # a slip such as a date in 2099 must not lose a host for good
MAX_CRAWL_DELAY = timedelta(
    seconds=60
)  # more is a misunderstanding of the unit; a feed needs an hour's pace
FIRST_BACK_OFF = timedelta(seconds=2)
MAX_BACK_OFF = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """What one process allows itself."""

    gap: timedelta = timedelta(seconds=1)
    """Between the end of one answer and the next request to the same host."""
    concurrency: int = 256
    """Requests in flight over all hosts."""
    per_address: int = 8
    """Requests in flight to one address: a CDN serves many hosts from it."""
    burst: int = 30
    """Requests a scout may send without a gap."""
    burst_in_flight: int = 4
    """Requests a scout may have in flight."""
    rest_after_burst: timedelta = timedelta(seconds=10)
    """After a scout, before anything else is asked of the host."""
    burst_every: timedelta = timedelta(hours=1)
    """Before another burst is allowed; until then scouting goes in single steps."""
    longest_wait: timedelta = timedelta(seconds=60)
    """A request whose host rests for longer is answered at once with the time to come back."""
    host_budget: int = 20_000
    """Requests to one host within 24 hours; a loop in somebody's links must end somewhere."""
    patience: int = 3
    """Failed connections in a row after which a host rests, so that it holds up nobody else."""


def clamp_retry_after(wait: timedelta) -> timedelta:
    """The wait a server asks for, within reason."""
    return min(max(wait, MIN_RETRY_AFTER), MAX_RETRY_AFTER)


def clamp_crawl_delay(delay: timedelta, *, gap: timedelta) -> timedelta:
    """The gap a robots.txt asks for, never shorter than our own."""
    return max(gap, min(delay, MAX_CRAWL_DELAY))


def back_off(failures: int, *, chance: float) -> timedelta:
    """How long to leave a host alone after so many failures in a row; `chance` in 0..1 spreads it."""
    doubled: timedelta = FIRST_BACK_OFF * 2 ** min(max(failures, 1) - 1, 12)
    return min(doubled, MAX_BACK_OFF) * (0.5 + chance)


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
    """Strategies, tried in this order."""
    strategy_options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unpinned: tuple[str, ...] = ()
    """Hosts that may be asked by a strategy which resolves names by itself."""
    agreed: tuple[str, ...] = ()
    """Hosts with which the operator has agreed terms: their robots.txt is not asked."""


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
        agreed=fetch.agreed,
    )


def _manners(settings: Settings) -> Manners:
    fetch = settings.fetch
    return Manners(
        gap=fetch.delay,
        concurrency=fetch.concurrency,
        per_address=fetch.per_address,
        rest_after_burst=settings.rest_after_scout(),
        host_budget=fetch.host_budget,
    )


def user_agent(contact_url: str = "") -> str:
    """The one name we go by: product, version, and where to reach whoever runs it."""
    return f"{TOKEN}/{__version__} (+{contact_url})" if contact_url else f"{TOKEN}/{__version__}"
