"""The sitemaps of a publisher as text: plain, news, and indexes of both.

Pure: stories in, text out.
"""

from __future__ import annotations

from datetime import timedelta
from html import escape

from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.metadata import local_time
from wireroom.town.truth import Story
from wireroom.town.world import Town

NEWS_AGE = timedelta(days=2)  # what the news sitemap's own rules allow
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NEWS_NAMESPACE = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'


def sitemap_text(town: Town, host: str, plan: FeedPlan) -> str:
    """The sitemap as it stands now."""
    publisher = town.publisher(host)
    if plan.kind == "sitemap_index":
        return _index(town, publisher, plan)
    if plan.kind == "news_sitemap":
        return _news(town, publisher, plan)
    # Plugins declare the news namespace on every sitemap, used or not: so do we, on this kind.
    urls = "".join(_url(publisher, story) for story in _part(town, publisher, plan))
    return f"{DECLARATION}<urlset {NAMESPACE} {NEWS_NAMESPACE}>\n{urls}</urlset>\n"


def _index(town: Town, publisher: TownPublisher, plan: FeedPlan) -> str:
    newest = town.clock.start.date().isoformat()
    children = "".join(
        f"<sitemap><loc>http://{publisher.host}{path}</loc><lastmod>{newest}</lastmod></sitemap>\n"
        for path in plan.children
    )
    return f"{DECLARATION}<sitemapindex {NAMESPACE}>\n{children}</sitemapindex>\n"


def _news(town: Town, publisher: TownPublisher, plan: FeedPlan) -> str:
    now = town.clock.now()
    urls = "".join(
        _news_url(publisher, story)
        for story in town.stories(publisher.host, limit=plan.items)
        if now - story.published_at <= NEWS_AGE
    )
    return f"{DECLARATION}<urlset {NAMESPACE} {NEWS_NAMESPACE}>\n{urls}</urlset>\n"


def _part(town: Town, publisher: TownPublisher, plan: FeedPlan) -> list[Story]:
    """The articles of this sitemap: a publisher with several spreads them by number."""
    parts = [feed.path for feed in publisher.feeds if feed.kind == "sitemap"]
    mine = parts.index(plan.path)
    return [story for story in town.stories(publisher.host) if story.number % len(parts) == mine]


def _url(publisher: TownPublisher, story: Story) -> str:
    changed = local_time(story.modified_at or story.published_at, publisher).isoformat()
    return f"<url><loc>{escape(story.url)}</loc><lastmod>{changed}</lastmod></url>\n"


def _news_url(publisher: TownPublisher, story: Story) -> str:
    published = local_time(story.published_at, publisher).isoformat()
    return (
        f"<url><loc>{escape(story.url)}</loc><news:news><news:publication>"
        f"<news:name>{escape(publisher.name)}</news:name>"
        f"<news:language>{publisher.language}</news:language></news:publication>"
        f"<news:publication_date>{published}</news:publication_date>"
        f"<news:title>{escape(story.title)}</news:title></news:news></url>\n"
    )
