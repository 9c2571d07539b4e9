"""A publisher whose documents change, scouted without a network or a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tests.scout.contexts import HOME, NOW, Answer, Table, served
from tests.scout.flips import PAGE, Doc
from wireroom.errors import StatusError
from wireroom.model import Dossier, Finding, Use, Word
from wireroom.scout.address import read_address
from wireroom.scout.visit import scout_site
from wireroom.signals import all_steps
from wireroom.store.packing import as_document, from_document

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
_ASKED = {
    name: step
    for name, step in all_steps().items()
    if step.section == "rights" or name in {"robots", "homepage", "access", "ai_bots"}
}
STEPS = {
    name: replace(step, needs=tuple(need for need in step.needs if need in _ASKED))
    for name, step in _ASKED.items()
}
STORY = HOME.rstrip("/") + PAGE


@dataclass
class Site:
    """A publisher whose documents change, and what was found out about it so far."""

    docs: Mapping[str, Doc]
    now: datetime = NOW
    last: Dossier | None = None
    asked: list[str] = field(default_factory=list)
    """By the last scout."""
    broken: set[str] = field(default_factory=set)
    """Paths that answer with 503."""

    async def scout(
        self, url: str = HOME, *, refresh: bool = False, fresh_for: timedelta = DAY
    ) -> Dossier:
        table = Table({HOME.rstrip("/") + path: self._answer(path) for path in self.docs})
        reports_of = scout_site(
            read_address(url),
            table,
            now=self.now,
            last=self.last,
            fresh_for=timedelta() if refresh else fresh_for,
            steps=STEPS,
            offline=True,
        )
        reports = [report async for report in reports_of]
        dossier = reports[-1]
        assert isinstance(dossier, Dossier)
        self.asked = [request.url.removeprefix(HOME.rstrip("/")) for request in table.asked]
        plain = from_document(as_document(dossier.findings), tuple[Finding, ...])
        self.last = replace(dossier, findings=plain)  # as the store gives it back
        return dossier

    def _answer(self, path: str) -> Answer:
        if path in self.broken:
            return StatusError(path, 503, kind="server_error")
        doc = self.docs[path]
        answer = served("", doc.body, kind=doc.kind)
        own = ((name.replace("_", "-"), value) for name, value in doc.headers.items())
        return replace(answer, headers=(*answer.headers, *own))


def word(dossier: Dossier, use: Use = "ai-train") -> Word:
    return next(verdict.value for verdict in dossier.rights if verdict.use == use)
