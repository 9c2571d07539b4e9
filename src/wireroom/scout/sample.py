"""The page that stands for the publisher's articles: the one in question, or a recent one.

A homepage says little about articles. When it is the page in question, the newest item of the best feed,
a news sitemap's entry, or an article-like link of the homepage is looked at instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from wireroom.errors import FetchError
from wireroom.parse.metadata import Metadata, read_metadata
from wireroom.ports import StepContext
from wireroom.signals.shared import MEASURED, OpenPage, home_page, page_at
from wireroom.urls import resolve, same_site

NEEDS = ("feeds", "sitemap_analysis")
"""The steps whose findings may name a recent article."""

MAX_ANCHORS = 500  # of the homepage that are looked at
# An article's address ends in words or carries a date; sections are a word or two.
_ARTICLE_PATH = re.compile(r"/\d{4}/\d{1,2}/|(?<![a-z0-9])(?:[a-z0-9]++-){3}[a-z0-9]|/\d{5,}")


@dataclass(frozen=True, slots=True)
class Sample:
    """A page with what it says of itself, and how it was chosen."""

    page: OpenPage
    metadata: Metadata
    chosen: str


async def sample_page(context: StepContext) -> Sample | None:
    """The sample, fetched and read once; None when no article is known. Raises FetchError."""

    async def make() -> Sample | None:
        found = await _choose(context)
        if found is None:
            return None
        url, chosen = found
        page = await page_at(context, url)
        metadata = read_metadata(page.page.tree, url=page.url, fetched_at=context.now)
        return Sample(page, metadata, chosen)

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
    url = _article_link(page)
    return (url, "a link of the homepage") if url else None


def _article_link(page: OpenPage) -> str:
    """The first link that looks like an article's."""
    for anchor in page.page.tree.css("a[href]")[:MAX_ANCHORS]:
        try:
            url = resolve(page.url, anchor.attributes.get("href") or "")
        except ValueError:
            continue
        if _ARTICLE_PATH.search(urlsplit(url).path) and same_site(url, page.url):
            return url
    return ""
