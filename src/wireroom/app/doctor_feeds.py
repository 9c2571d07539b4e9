"""What is wrong with what is followed: feeds that do not do well, and dossiers to be doubted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.app.application import open_app
from wireroom.app.check import Check, Load
from wireroom.app.counting import counted
from wireroom.app.database_file import has_database
from wireroom.errors import WireroomError

if TYPE_CHECKING:
    from wireroom.model import Dossier, FeedState, Finding
    from wireroom.ports import Store

UNWELL: tuple[FeedState, ...] = ("silent", "resting", "gone")
SLOW_STEP = timedelta(seconds=15)  # of a visit; most take one
JUMP = 3  # times as many articles a day as the visit before found, or as few: one of them was wrong
FEW = 5  # publishers; that none of fewer has a news sitemap says nothing
MAX_NAMED = 5  # feeds or publishers in one row; the command that lists all is named beside


def check_feeds(load: Load) -> Iterator[Check]:
    """Feeds that are silent, rest or are gone, and publishers whose dossier shows that something went wrong."""
    settings = load().settings
    if not has_database(settings):
        return
    try:
        with open_app(settings) as app:
            yield from _unwell(app.store)
            yield from _doubtful(app.store)
    except WireroomError:
        return  # the check of the database says so


def _unwell(store: Store) -> Iterator[Check]:
    counts = store.feed_counts()
    for state in UNWELL:
        if counts.get(state):
            named = _few([feed.name or feed.url for feed in store.feeds(state=state)])
            advice = f"Look at them: wireroom feeds --state {state}"
            yield Check("feeds", "warn", f"{counts[state]:,} {state}: {named}", advice)
    if counts and not any(counts.get(state) for state in UNWELL):
        yield Check("feeds", "ok", f"{sum(counts.values()):,} followed, none silent or gone")


def _doubtful(store: Store) -> Iterator[Check]:
    followed = dict.fromkeys(feed.publisher for feed in store.feeds())
    dossiers = [found for found in map(store.dossier, followed) if found is not None]
    signs: dict[str, Callable[[Dossier], bool]] = {
        "no dates to measure a rate on, though there are feeds": without_sample,
        f"a step of the last visit took longer than {SLOW_STEP.seconds} s": was_slow,
        f"the rate is {JUMP} times what it was, or 1/{JUMP} of it": lambda dossier: jumped(
            store.history(dossier.publisher.domain, step="frequency")
        ),
    }
    for sign, shows in signs.items():
        domains = [dossier.publisher.domain for dossier in dossiers if shows(dossier)]
        if domains:
            advice = f"Look again: wireroom scout {domains[0]} --refresh"
            yield Check("rhythm", "warn", f"{sign}: {_few(domains)}", advice)
    if len(dossiers) >= FEW and not any(map(_has_news_sitemap, dossiers)):
        found = f"none of {counted(len(dossiers), 'publisher')} has a news sitemap"
        yield Check("sitemaps", "warn", found, "Are the followed ones news publishers?")


def was_slow(dossier: Dossier) -> bool:
    """Whether a step took longer than the pauses that the publisher itself asks for explain."""
    from wireroom.fetch.manners import Manners

    # A step may have to wait until all the others have had their turn.
    patience = SLOW_STEP + _crawl_delay(dossier) * Manners().burst
    return any(finding.took > patience for finding in dossier.findings)


def _crawl_delay(dossier: Dossier) -> timedelta:
    """What its robots.txt asks for between two requests, as far as that is heeded."""
    from wireroom.fetch.manners import clamp_crawl_delay

    for finding in dossier.findings:
        seconds = finding.facts.get("crawl_delay")
        if finding.step == "robots" and isinstance(seconds, (int, float)):
            return clamp_crawl_delay(timedelta(seconds=seconds), gap=timedelta())
    return timedelta()


def _has_news_sitemap(dossier: Dossier) -> bool:
    return any(finding.facts.get("has_news_sitemap") for finding in dossier.findings)


def jumped(history: Sequence[Finding]) -> bool:
    """Whether the last two rates that were measured are too far apart to be both true."""
    rates = [rate for finding in history if (rate := _per_day(finding))][-2:]
    return len(rates) == 2 and max(rates) >= JUMP * min(rates)


def _per_day(finding: Finding) -> float:
    measured = finding.facts.get("measured")
    if not isinstance(measured, Mapping) or not measured.get("sample_size"):
        return 0.0
    return float(measured.get("per_day") or 0.0)


def without_sample(dossier: Dossier | None) -> bool:
    """Whether scouting found feeds and measured their rate on nothing; False when it did not look."""
    if dossier is None or not dossier.feeds:
        return False
    for finding in dossier.findings:
        measured = finding.facts.get("measured")
        if finding.step == "frequency" and isinstance(measured, Mapping):
            return not measured.get("sample_size")
    return False


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    return f"{', '.join(listed[:MAX_NAMED])}{more}"
