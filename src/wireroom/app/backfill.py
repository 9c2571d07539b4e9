"""Older articles of a publisher from its sitemaps: what each brought, and what that came to.

How sitemaps are walked over stands in `backfilling`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from wireroom.app.backfilling import Backfill as Backfill
from wireroom.app.backfilling import NoSitemaps as NoSitemaps
from wireroom.app.backfilling import SitemapResult as SitemapResult
from wireroom.app.backfilling import open_backfilling
from wireroom.poll.discovery import Span as Span
from wireroom.poll.rate_text import duration_words as duration_words

if TYPE_CHECKING:
    from wireroom.app.application import App

PACE = timedelta(seconds=1)  # between two pages of one host, whatever the settings say is less


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillTotals:
    """What came of all sitemaps so far."""

    sitemaps: int = 0
    new: int = 0
    known: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    """Pages that were not wanted, by reason."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Why a sitemap could not be read, by its address."""
    full: bool = False
    waiting: int = 0
    gap: timedelta = PACE
    """Between two requests, at the slowest of the hosts."""

    def plus(self, looked: SitemapResult) -> BackfillTotals:
        """With what one sitemap more brought."""
        problem = {looked.url: looked.problem} if looked.problem else {}
        return BackfillTotals(
            sitemaps=self.sitemaps + 1,
            new=self.new + looked.new,
            known=self.known + looked.known,
            left=Counter(self.left) + looked.left,
            problems={**self.problems, **problem},
            full=self.full or looked.full,
            waiting=looked.waiting,
            gap=max(self.gap, looked.gap),
        )

    @property
    def takes(self) -> timedelta:
        """How long reading the new pages takes."""
        return self.new * self.gap


async def backfill_publisher(
    app: App, wanted: Backfill
) -> AsyncGenerator[SitemapResult | NoSitemaps, None]:
    """What each sitemap brought, or why there is none; FetchError when nobody answers at all."""
    async with (
        open_backfilling(app, app.settings) as backfilling,
        aclosing(backfilling.run(wanted)) as results,
    ):
        async for result in results:
            yield result
