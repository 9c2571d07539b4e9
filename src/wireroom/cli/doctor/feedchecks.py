"""What `wireroom doctor` looks at in what is followed: feeds that do not do well, and rates that rest on nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from wireroom.cli.doctor.check import Check
from wireroom.cli.session import Session
from wireroom.errors import WireroomError

if TYPE_CHECKING:
    from wireroom.model import Dossier, FeedState
    from wireroom.ports import Store

__all__ = ["look_at_feeds", "without_sample"]

UNWELL: tuple[FeedState, ...] = ("silent", "resting", "gone")
MAX_NAMED = 5  # feeds or publishers in one row; the verb that lists all is named beside


def look_at_feeds(session: Session) -> Iterator[Check]:
    """Feeds that are silent, rest or are gone, and publishers whose rate was measured on no date at all."""
    if not session.has_database():
        return
    try:
        with session.desk() as desk:
            yield from _unwell(desk.store)
            yield from _unmeasured(desk.store)
    except WireroomError:
        return  # told by the check of the database


def _unwell(store: Store) -> Iterator[Check]:
    counts = store.feed_counts()
    for state in UNWELL:
        if counts.get(state):
            named = _few([feed.name or feed.url for feed in store.feeds(state=state)])
            advice = f"Look at them: wireroom feeds --state {state}"
            yield Check("feeds", "warn", f"{counts[state]:,} {state}: {named}", advice)
    if counts and not any(counts.get(state) for state in UNWELL):
        yield Check("feeds", "ok", f"{sum(counts.values()):,} followed, none silent or gone")


def _unmeasured(store: Store) -> Iterator[Check]:
    followed = Counter(feed.publisher for feed in store.feeds())
    domains = [domain for domain in followed if without_sample(store.dossier(domain))]
    if domains:
        found = f"no dates to measure a rate on, though there are feeds: {_few(domains)}"
        advice = f"Look again: wireroom scout {domains[0]} --refresh"
        yield Check("rhythm", "warn", found, advice)


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
