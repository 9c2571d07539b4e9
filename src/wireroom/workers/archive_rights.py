"""The rights of a page that stands in an archive: as the crawl saw them, and as its publisher says today.

Pure, and called in workers. A crawl asks for robots.txt at most: whatever else might refuse was not looked at, and
its silence is no permission.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from wireroom.model import Article, Evidence, Finding, Receipt, RobotsWord, TypedFacts
from wireroom.parse.page_tags import PageTags
from wireroom.rights.finding_index import UNSEEN, FindingIndex, RobotsFacts, robots_word
from wireroom.urls import publisher_domain

HOSTS_KEPT = 128  # whose rights a worker keeps at hand


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawledRobots:
    """A robots.txt as the crawl had it."""

    url: str
    status: int
    text: str = ""
    at: datetime
    cut: bool = False
    """Whether it was longer than is read of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRights:
    """What is known of a host: its robots.txt of the same archive, and what its publisher says today."""

    domain: str
    robots: tuple[CrawledRobots, ...] = ()
    today: tuple[Finding, ...] | None = None
    """None where nobody has asked the publisher."""
    below: tuple[Finding, ...] = ()
    """What the publisher of the whole site says, where that is another one."""
    as_of: datetime | None = None
    at: datetime
    """When it was put together."""


def pack_rights(rights: HostRights) -> bytes:
    """The rights of a host on their way to workers, each of which opens them once."""
    return pickle.dumps(rights, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRights:
    """What may be done with an archived page."""

    as_crawled: Receipt
    today: Receipt | None = None
    """None where nobody has asked the publisher."""
    today_as_of: datetime | None = None


def judge_archived(
    article: Article, tags: PageTags, packed: bytes, *, at: datetime, now: datetime
) -> ArchivedRights:
    """The rights of an article by its page and by what is known of its host, if anything is."""
    if not packed and _says_nothing(tags, at):
        return ArchivedRights(as_crawled=replace(_silence(now), checked_at=at))
    rights = _opened_rights(packed) if packed else _unknown_host(article.url, now)
    receipt = rights.as_crawled(article, tags, at)
    return ArchivedRights(
        as_crawled=receipt,
        today=rights.today(replace(article, receipt=receipt), now),
        today_as_of=rights.as_of,
    )


class _OpenedRights:
    """What is known of a host, ready to judge its pages by."""

    def __init__(self, rights: HostRights, now: datetime) -> None:
        from wireroom.signals import findings_on

        self.as_of = rights.as_of
        unscouted = findings_on(rights.domain, None, now=now)
        robots = tuple(map(robots_finding, rights.robots))
        known = (
            *robots,
            *(found for found in unscouted if not (robots and found.step == "robots")),
        )
        self._crawl = FindingIndex(known)
        self._today: FindingIndex | None = None
        if rights.today is not None:
            below = FindingIndex(rights.below) if rights.below else None
            self._today = FindingIndex(rights.today, parent=below)

    def as_crawled(self, article: Article, tags: PageTags, at: datetime) -> Receipt:
        """The receipt by what stands in the archive: headers and tags of the page, and robots.txt."""
        from wireroom.signals import make_receipt, page_findings
        from wireroom.signals.licence import licence_of

        stated = page_findings(tags, now=at, known=self._crawl)
        found = FindingIndex(stated, parent=self._crawl)
        word = self._robots_word(article.url)
        receipt = make_receipt(found, article.url, robots_word=word, now=at, page_read=True)
        return replace(receipt, licence_url=licence_of(found, article.url))

    def _robots_word(self, url: str) -> RobotsWord:
        """Of several files for one host the strictest counts."""
        words = {robots_word((found,), url)[0] for found in self._crawl.findings("robots")}
        strictest: tuple[RobotsWord, ...] = ("disallowed", "allowed")
        return next((word for word in strictest if word in words), "unknown")

    def today(self, article: Article, now: datetime) -> Receipt | None:
        """The receipt as it would be written today; None where nobody has asked."""
        if self._today is None:
            return None
        from wireroom.signals import receipt_today

        return receipt_today(article, self._today, now=now)


@lru_cache(maxsize=HOSTS_KEPT)
def _opened_rights(packed: bytes) -> _OpenedRights:
    rights: HostRights = pickle.loads(packed)  # noqa: S301 - packed by `pack_rights` in our parent
    return _OpenedRights(rights, rights.at)


def _unknown_host(url: str, now: datetime) -> _OpenedRights:
    return _OpenedRights(HostRights(domain=publisher_domain(url), at=now), now)


def _says_nothing(tags: PageTags, at: datetime) -> bool:
    """Whether a page speaks of no use, names no licence and no document: most do not."""
    from wireroom.rights.verdicts import unseen
    from wireroom.signals import all_signals, gather, page_findings
    from wireroom.signals.licence import licence_of

    page, plugs, url = FindingIndex(page_findings(tags, now=at)), all_signals(), tags.url
    if gather(page, url) or licence_of(page, url) or unseen(plugs, page, url):
        return False
    return not any(plug.named_documents(page, url) for plug in plugs if plug.named_documents)


@lru_cache(maxsize=1)
def _silence(now: datetime) -> Receipt:
    """The receipt of a page that says nothing, on a host of which nothing is known: the same for all."""
    article = Article(id="", publisher="", url="https://nobody.invalid/", title="", fetched_at=now)
    tags = PageTags(url=article.url, base_url=article.url)
    return _unknown_host(article.url, now).as_crawled(article, tags, now)


def robots_finding(robots: CrawledRobots) -> Finding:
    """What the step `robots` would have found, had it asked when the crawl did."""
    from wireroom.scout.steps.robots import NO_SUCH_FILE

    is_found, is_absent = robots.status == 200, robots.status in NO_SUCH_FILE
    facts = RobotsFacts(
        url=robots.url,
        state="found" if is_found else "absent" if is_absent else "unreachable",
        text=robots.text if is_found else "",
    )
    notes: dict[str, str] = {}
    if robots.cut:
        notes[UNSEEN] = "robots.txt is longer than what is read of it"
    elif not is_found and not is_absent:
        notes[UNSEEN] = f"the crawl was answered with {robots.status}"
    return Finding(
        step="robots",
        outcome="yes" if is_found else "no" if is_absent else "unknown",
        facts=TypedFacts(facts, notes),
        evidence=(Evidence(url=robots.url, status=robots.status),),
        found_at=robots.at,
    )
