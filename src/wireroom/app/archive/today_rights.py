"""What publishers say today, from the dossiers of the store. Where nobody has asked, nothing is known."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from wireroom.lru import LruCache
from wireroom.model import Dossier
from wireroom.signals import findings_on, rights_as_of
from wireroom.urls import registered_domain
from wireroom.workers.archive_rights import HostRights

if TYPE_CHECKING:
    from wireroom.app.application import App

PUBLISHERS_CACHED = 1_000  # whose findings are kept in memory; about 50 KB each where there are any


class TodayRights:
    """Looks dossiers up, each once."""

    def __init__(self, app: App) -> None:
        self._store = app.store
        self._scouted = {publisher.domain for publisher in app.store.publishers()}
        self._known: LruCache[str, tuple[HostRights | None]] = LruCache(PUBLISHERS_CACHED)

    @property
    def knows_anybody(self) -> bool:
        """Whether any publisher at all was ever asked."""
        return bool(self._scouted)

    def is_known(self, domain: str) -> bool:
        """Whether the publisher of a domain, or of the whole site, was ever asked."""
        if not self._scouted:
            return False
        return domain in self._scouted or registered_domain(domain) in self._scouted

    def of(self, domain: str, now: datetime) -> HostRights | None:
        """What the publisher of a domain says; what its whole site refuses lies below that."""
        known = self._known.get(domain)
        if known is None:
            known = self._known[domain] = (self._look_up(domain, now),)
        return known[0]

    def _dossier(self, domain: str) -> Dossier | None:
        """Most hosts of an archive are none of ours: for them nothing is looked up."""
        return self._store.dossier(domain) if domain in self._scouted else None

    def _look_up(self, domain: str, now: datetime) -> HostRights | None:
        own = self._dossier(domain)
        site = registered_domain(domain) if self._scouted else ""
        above = self._dossier(site) if site != domain else None
        if own is None and above is None:
            return None
        return HostRights(
            domain=domain,
            today=findings_on(domain, own, now=now),
            below=above.findings if above is not None else (),
            as_of=rights_as_of(own) if own is not None else None,
            at=now,
        )
