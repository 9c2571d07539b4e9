"""The page that stands for the publisher's articles: the one in question, or a recent one.

A homepage says little about articles. When it is the page in question, the newest item of the best feed,
a news sitemap's entry, or an article-like link of the homepage is looked at instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from wireroom.errors import FetchError
from wireroom.ports import StepContext
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.documents import OpenPage, article_at, home_page
from wireroom.signals.page_reading import ArticleMarks
from wireroom.urls import same_site

NEEDS = ("feeds", "sitemap_analysis")
"""The steps whose findings may name a recent article."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A page with what it says of itself, and how it was chosen."""

    page: OpenPage
    marks: ArticleMarks
    chosen: str


async def sample_page(context: StepContext) -> Sample | None:
    """The sample, fetched and read once; None when no article is known. Raises FetchError."""

    async def make() -> Sample | None:
        found = await _choose(context)
        if found is None:
            return None
        url, chosen = found
        page = await article_at(context, url)
        assert page.reading.article is not None  # noqa: S101 - it was read as one
        return Sample(page, page.reading.article, chosen)

    return await context.once("sample", make)


async def _choose(context: StepContext) -> tuple[str, str] | None:
    if context.url != context.publisher.home_url:
        return context.url, "the page in question"
    for step in NEEDS:
        finding = context.findings.get(step)
        url = finding.facts.get(MEASURED, {}).get("newest_url") if finding is not None else None
        if isinstance(url, str) and same_site(url, context.publisher.home_url):
            return url, f"the newest of {step.replace('_', ' ')}"
    try:
        page = await home_page(context)
    except FetchError:
        return None
    url = page.reading.front.article_url
    return (url, "a link of the homepage") if url else None
