"""One scout from the address to the dossier: find the site, run the steps, put together what they found.

Hands back progress as it happens and the dossier at the end; keeps nothing itself.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from wireroom.errors import FetchError
from wireroom.model import Dossier, Finding, Publisher, Response
from wireroom.ports import Advise, CrawlList, Fetch, ReadDocument, Step, StepContext
from wireroom.rights.finding_changes import has_changed
from wireroom.rights.finding_index import same_publisher
from wireroom.scout.address import Address
from wireroom.scout.document_reading import ScoutReading, read_inline
from wireroom.scout.dossier import make_dossier
from wireroom.scout.runner import Progress, run_steps
from wireroom.scout.scout_fetch import SCOUT_TIME, ScoutFetch, no_gap
from wireroom.signals import all_steps
from wireroom.signals.documents import answer_at, origin_of, page_at
from wireroom.signals.freshness import (
    FRESH_FOR,
    is_ahead,
    is_over,
    lacked_time,
    oldest_answer,
    unreached_of,
)
from wireroom.urls import is_front_page, publisher_domain

# The server was not even there: another spelling of the address may be, and if none is, nothing is.
_NOT_THERE = frozenset({"dns", "connect", "tls"})
# It hangs or breaks down: by the other scheme it may answer.
_FAILING = frozenset({"timeout", "server_error", "bad_response"})
# Whatever else is asked of the host would end the same way.
_HOPELESS = frozenset({"dns", "connect", "tls", "private_address"})
MAX_REFRESHES: Final = 2  # pages that send a browser on, one after the other, before the homepage


class ElsewhereError(Exception):
    """The page in question stands on another host: whose rights hold for it is to be asked there."""

    def __init__(self, url: str, *, moved_from: str = "") -> None:
        """`moved_from` is a front page that leads there for good: its publisher has moved."""
        super().__init__(url)
        self.url = url
        self.moved_from = moved_from


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Where the publisher lives, and which page of it is in question."""

    home_url: str
    url: str
    instead_of: str = ""
    """The address that was tried before, and why it was not that."""


async def scout_site(
    address: Address,
    fetch: Fetch,
    *,
    now: datetime,
    last: Dossier | None = None,
    fresh_for: timedelta = FRESH_FOR,
    believed_for: timedelta = FRESH_FOR,
    steps: Mapping[str, Step] | None = None,
    offline: bool = False,
    advise: Advise | None = None,
    crawl_list: CrawlList | None = None,
    read: ReadDocument = read_inline,
    time: timedelta = SCOUT_TIME,
    gap_of: Callable[[str], timedelta] = no_gap,
    follow_moved: bool = False,
) -> AsyncGenerator[Progress | Dossier, None]:
    """Progress of every step, then the dossier; raises FetchError when there is nobody at the address.

    Raises ElsewhereError when the page in question leads to another host; with `follow_moved` also when the front page
    leads there for good.

    Within `time` it asks for what is most important; `gap_of` says how long a host wants to be left alone between two
    requests. What `last` holds is reused while the answers it rests on are younger than `fresh_for`, except for findings
    about another page. Once something has changed, whatever else speaks of rights is asked for as well. Documents are
    read by `read`: without an engine, right here.
    """
    steps = all_steps() if steps is None else steps
    own = ScoutFetch(fetch, site=address.candidates[0], time=time, gap_of=gap_of)
    try:
        publisher = _known(address, last, now)
        fresh_since = now - fresh_for if fresh_for > timedelta() else None
        context = StepContext(
            publisher=publisher,
            url=address.candidates[0],
            fetch=own,
            read=ScoutReading(read),
            once=own.once,
            findings={},
            now=now,
            offline=offline,
            advise=advise,
            crawl_list=crawl_list,
            fresh_since=fresh_since,
            believed_since=now - believed_for,
        )
        kept = _fresh(steps, last, context, time)
        own.read_robots_anew("robots" not in kept)
        arrival = _remembered(address, last) if _knows_home(steps, kept) else None
        if arrival is None:
            arrival = await _arrive(address, context, follow_moved=follow_moved)
        own.is_at(arrival.home_url)
        publisher = replace(publisher, home_url=arrival.home_url)
        context = replace(context, publisher=publisher, url=arrival.url)
        if not _knows_page(arrival.url, steps, kept):
            arrival = await _followed(arrival, context)
            context = replace(context, url=arrival.url)
        kept = _about(arrival.url, steps, kept)
        before = {found.step: found for found in last.findings} if last else {}
        found = dict[str, Finding]()
        for name in steps.keys() - kept.keys():
            own.expect(steps[name])
        running = run_steps(steps, context, kept=kept, before=before, time=time)
        async with aclosing(running):
            async for progress in running:
                if progress.finding is not None:
                    own.end_step(progress.step)
                yield _noted(progress, found, arrival)
        ran = found.keys() - kept.keys()
        if again := _due_by_change(steps, before, found, ran, context):
            own.read_robots_anew("robots" in again or "robots" not in kept)
            whole = replace(context, fresh_since=None)
            rest = {name: finding for name, finding in found.items() if name not in again}
            running = run_steps(steps, whole, kept=rest, before=before, time=time)
            async with aclosing(running):
                async for progress in running:
                    if progress.step in again:
                        yield _noted(progress, found, arrival)
        scouted_at = now if ran or last is None else last.scouted_at
        yield make_dossier(publisher, found, url=arrival.url, now=scouted_at)
    finally:
        await own.close()


def _noted(progress: Progress, found: dict[str, Finding], arrival: _Arrival) -> Progress:
    """The progress, with its finding among those of the scout."""
    finding = progress.finding
    if finding is None:
        return progress
    if progress.step == "homepage" and progress.status == "completed":
        scheme = {"scheme": urlsplit(arrival.home_url).scheme, "instead_of": arrival.instead_of}
        finding = replace(finding, facts={**finding.facts, **scheme})
    found[progress.step] = finding
    return replace(progress, finding=finding)


def _due_by_change(
    steps: Mapping[str, Step],
    before: Mapping[str, Finding],
    found: Mapping[str, Finding],
    ran: Iterable[str],
    context: StepContext,
) -> set[str]:
    """The steps about rights that rest on older answers, once any finding says something new."""
    if context.fresh_since is None or not any(
        has_changed(before.get(name), found[name], about_page=steps[name].about == "page")
        for name in ran
        if not _saw_a_part(before.get(name)) and not _saw_a_part(found[name])
    ):
        return set()
    home = context.publisher.home_url
    again = {
        name
        for name, finding in found.items()
        if _speaks(steps, name) and oldest_answer(finding, home) != context.now
    }
    derived = {name for name, step in steps.items() if step.section in {"access", "rights"}}
    while more := {name for name in derived - again if not again.isdisjoint(steps[name].needs)}:
        again |= more
    return again


def _saw_a_part(finding: Finding | None) -> bool:
    """Whether its step did not get to something: then it differs from another without any change."""
    return finding is not None and bool(unreached_of(finding))


def _known(address: Address, last: Dossier | None, now: datetime) -> Publisher:
    if last is not None:
        return last.publisher
    return Publisher(domain=address.domain, name=address.domain, added_at=now)


def _fresh(
    steps: Mapping[str, Step], last: Dossier | None, context: StepContext, time: timedelta
) -> dict[str, Finding]:
    """What need not be asked again; what could not be read, or rests on such a thing, is tried anew.

    So is what an earlier scout, which had less time, did not get to.
    """
    since = context.fresh_since
    if last is None or since is None:
        return {}
    kept = {}
    for found in last.findings:
        at = oldest_answer(found, last.publisher.home_url)
        known = at is not None and since < at and not is_ahead(found, context.now)
        known = known and not is_over(found, context.now) and not lacked_time(found, time)
        if found.step in steps and _is_answer(found) and known:
            kept[found.step] = found
    while stale := {
        name
        for name in kept
        if any(_speaks(steps, need) and need not in kept for need in steps[name].needs)
    }:
        kept = {name: found for name, found in kept.items() if name not in stale}
    return kept


def _is_answer(found: Finding) -> bool:
    """Whether the finding is an answer; a robots.txt that could not be had is none."""
    if found.outcome in {"failed", "skipped"}:
        return False
    return not (found.step == "robots" and found.outcome == "unknown")


def _speaks(steps: Mapping[str, Step], name: str) -> bool:
    """Whether rights are read from it: then whatever is derived from it is as old as it is."""
    return name == "robots" or (name in steps and steps[name].section == "rights")


def _knows_home(steps: Mapping[str, Step], kept: Mapping[str, Finding]) -> bool:
    return bool(kept) and ("homepage" in kept or "homepage" not in steps)


def _about(url: str, steps: Mapping[str, Step], kept: Mapping[str, Finding]) -> dict[str, Finding]:
    """The findings that hold for this page: all about the publisher, and those about this very page."""
    return {
        name: found
        for name, found in kept.items()
        if steps[name].about == "publisher" or found.facts.get("page_url") == url
    }


def _knows_page(url: str, steps: Mapping[str, Step], kept: Mapping[str, Finding]) -> bool:
    """Whether all that is asked about the page itself is known."""
    wanted = {name for name, step in steps.items() if step.about == "page"}
    return wanted <= _about(url, steps, kept).keys()


async def _followed(arrival: _Arrival, context: StepContext) -> _Arrival:
    """Where the page in question is in the end: that page is judged. One that cannot be had stays as it was named."""
    if arrival.url == arrival.home_url:
        return arrival
    try:
        answer = await answer_at(context, arrival.url)
    except FetchError:
        return arrival
    if publisher_domain(answer.final_url) != publisher_domain(arrival.url):
        raise ElsewhereError(answer.final_url)
    return replace(arrival, url=answer.final_url)


def _remembered(address: Address, last: Dossier | None) -> _Arrival | None:
    """Where we were led the last time; nobody has to be asked for that again."""
    home = last.publisher.home_url if last else ""
    if not home or publisher_domain(home) != address.domain:
        return None
    wanted = address.candidates[0]
    if is_front_page(wanted):
        return _Arrival(home, home)
    if len(address.candidates) > 1:
        wanted = wanted.replace("https://", f"{urlsplit(home).scheme}://", 1)
    return _Arrival(home, wanted)


async def _arrive(address: Address, context: StepContext, *, follow_moved: bool) -> _Arrival:
    """Where the homepage is found, by the first scheme that answers; raises FetchError without any server."""
    failed: list[tuple[FetchError, _Arrival]] = []
    for candidate in address.candidates:
        root = f"{origin_of(candidate)}/"
        at_root = replace(context, publisher=replace(context.publisher, home_url=root), url=root)
        try:
            answer = await _answer_of_home(at_root, root)
        except FetchError as error:
            failed.append((error, _Arrival(root, candidate)))
            if error.kind in _NOT_THERE or error.kind in _FAILING:
                continue
            if error.kind in _HOPELESS:
                raise
            break
        is_own = same_publisher(answer.final_url, root)
        if follow_moved and answer.moved and not is_own and is_front_page(candidate):
            raise ElsewhereError(answer.final_url, moved_from=root)
        # What another host serves in its place is not this one's: its documents speak for that host.
        home = answer.final_url if is_own else root
        broken = (pair for pair in failed if pair[0].kind in _FAILING)
        before = next((f"{gone.home_url}: {error.reason}" for error, gone in broken), "")
        return _Arrival(home, home if is_front_page(candidate) else candidate, before)
    there = (arrival for error, arrival in failed if error.kind not in _NOT_THERE)
    if arrival := next(there, None):
        return arrival  # a server that fails; what can be had of it is still asked for
    raise failed[0][0]


async def _answer_of_home(context: StepContext, root: str) -> Response:
    """The answer of the homepage, past pages that only send a browser on (`<meta http-equiv=refresh>`).

    A page that does so at once says the same as a redirect for good, and counts as one.
    """
    answer = await answer_at(context, root)
    for _ in range(MAX_REFRESHES):
        at = replace(context, publisher=replace(context.publisher, home_url=answer.final_url))
        try:
            url = (await page_at(at, answer.final_url)).reading.front.refresh_url
            if not url:
                break
            onward = await answer_at(replace(at, url=url), url)
        except FetchError:
            break  # what was found so far is the homepage
        has_moved = answer.moved or answer.final_url == root
        answer = replace(onward, moved=has_moved and (onward.moved or onward.final_url == url))
    return answer
