"""What an archive says of rights besides its pages: the robots.txt of each host, and when it came.

A robots.txt that stands behind pages of its host speaks for them as well: then the input has to be read again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from wireroom.app.archive.page_filter import domain_of
from wireroom.lru import LruCache
from wireroom.parse.warc import HttpAnswer
from wireroom.rights.finding_index import robots_text
from wireroom.workers.archive_rights import CrawledRobots, HostRights, pack_rights

MAX_FILE = 512_000  # bytes of one robots.txt, as much as anybody reads
MAX_ALL = 50_000_000  # bytes of all that are kept of one archive
MOST_OF_HOST = 4  # with and without www, over http and https
PACKED = 1_000  # hosts whose rights are kept packed
UNREAD = 0  # a status that no server gives

TodayOf = Callable[[str, datetime], HostRights | None]
"""What the publisher of a domain says today; None where nobody has asked."""


class CrawlRights:
    """The rights of hosts, as far as an archive and the store know them."""

    def __init__(self, today_of: TodayOf | None, now: datetime) -> None:
        self._today_of = today_of
        self._now = now
        self._robots: dict[str, tuple[CrawledRobots, ...]] = {}
        self._size = 0
        self._packed: LruCache[str, bytes] = LruCache(PACKED)
        self._judged: set[str] = set()
        self.late: set[str] = set()
        """Hosts whose robots.txt came after pages of theirs."""

    def add_robots(self, url: str, answer: HttpAnswer, body: bytes, at: datetime) -> None:
        """Keeps a robots.txt; one that leads elsewhere says nothing by itself."""
        if 300 <= answer.status < 400:
            return
        domain = domain_of(url)
        status = answer.status
        text = robots_text(body[:MAX_FILE]) if status == 200 else ""
        if self._size + len(text) > MAX_ALL:
            status, text = UNREAD, ""  # nobody knows what it says: that is no permission
        found = CrawledRobots(url=url, status=status, text=text, at=at, cut=len(body) > MAX_FILE)
        known = self._robots.get(domain, ())
        if any((each.status, each.text) == (status, text) for each in known):
            return
        self._size += len(text)
        self._robots[domain] = (*known, found)[-MOST_OF_HOST:]
        self._packed.pop(domain)
        if domain in self._judged:
            self.late.add(domain)

    def of(self, url: str) -> bytes:
        """What is known of the host of a page, packed for workers; empty where nothing is."""
        domain = domain_of(url)
        packed = self._packed.get(domain)
        if packed is None:
            packed = self._packed[domain] = self._pack(domain)
        self._judged.add(domain)
        return packed

    @property
    def knows_today(self) -> bool:
        """Whether any publisher was ever asked what he says today."""
        return self._today_of is not None

    def read_again(self) -> None:
        """All pages come once more; what is known of robots.txt stays."""
        self.late.clear()
        self._judged.clear()

    def _pack(self, domain: str) -> bytes:
        from dataclasses import replace

        robots = self._robots.get(domain, ())
        today = self._today_of(domain, self._now) if self._today_of is not None else None
        if today is None and not robots:
            return b""
        rights = today or HostRights(domain=domain, at=self._now)
        return pack_rights(replace(rights, robots=robots))
