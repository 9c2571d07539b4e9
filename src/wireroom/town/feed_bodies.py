"""The feeds of a publisher as text: RSS, Atom, RDF, JSON Feed and the agency's JSON API.

Pure: stories in, text out. Sitemaps stand in `sitemaps.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape
from math import ceil
from typing import Any

from wireroom.town.block_html import BlockStyle, blocks_html
from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.metadata import local_time
from wireroom.town.page_chrome import local, page_chrome
from wireroom.town.truth import Story
from wireroom.town.world import Town

# What an XML declaration calls the encodings of the town.
XML_LABELS = {"utf-8": "UTF-8", "cp932": "Shift_JIS", "gbk": "GBK", "cp1251": "windows-1251"}

MONTHS_ES = ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre")  # fmt: skip
RSS_NAMESPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" '
    'xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:creativeCommons="http://backend.userland.com/creativeCommonsRssModule" '
    'xmlns:rsl="https://rslstandard.org/rsl" '
    'xmlns:mw="http://agency.test/ns/wire"'
)


def feed_text(town: Town, host: str, plan: FeedPlan) -> str:
    """The feed as it stands now."""
    publisher = town.publisher(host)
    stories = town.stories(host, limit=plan.items)
    if plan.comments:
        return _comments(town, publisher, plan, stories)
    return _WRITERS[plan.kind](publisher, plan, stories)


def _rss(publisher: TownPublisher, plan: FeedPlan, stories: tuple[Story, ...]) -> str:
    items = "".join(_rss_item(publisher, plan, story) for story in stories)
    return _rss_frame(publisher, plan, items, built=_newest(stories))


def _rss_frame(
    publisher: TownPublisher, plan: FeedPlan, items: str, *, built: datetime | None
) -> str:
    self_url = f"http://{publisher.host}{plan.path}"
    licence = publisher.rights.licence_url
    channel = [
        f"<title>{_xml(_title(publisher, plan))}</title>",
        f"<link>{publisher.home_url}</link>",
        f"<description>{_xml(publisher.name)}</description>",
        f"<language>{publisher.language}</language>",
        f'<atom:link rel="self" type="application/rss+xml" href="{self_url}"/>',
        f'<atom:link rel="hub" href="{publisher.home_url}hub"/>',
        "<ttl>30</ttl>",
        "<skipHours><hour>2</hour><hour>3</hour></skipHours>",
        "<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>",
    ]
    if built:
        channel.append(f"<lastBuildDate>{_rfc822(built, publisher)}</lastBuildDate>")
    if licence:
        channel.append(f"<creativeCommons:license>{licence}</creativeCommons:license>")
    text = (
        f'{_declaration(publisher)}<rss version="2.0" {RSS_NAMESPACES}>\n<channel>\n'
        + "\n".join(channel)
        + f"\n{items}</channel>\n</rss>\n"
    )
    # Old servers put blank lines before the declaration, which no strict parser forgives.
    return f"\n  {text}" if plan.quirk == "leading_space" else text


def _rss_item(publisher: TownPublisher, plan: FeedPlan, story: Story) -> str:
    parts = [
        f"<title>{_xml(story.title)}</title>",
        f"<link>{_xml(story.url)}</link>",
        f'<guid isPermaLink="false">{_guid(story)}</guid>',
        f"<pubDate>{_rss_date(story.published_at, publisher, plan)}</pubDate>",
        f"<description>{_xml(story.description)}</description>",
        *(f"<dc:creator>{_xml(name)}</dc:creator>" for name in story.authors),
        *(f"<category>{_xml(tag)}</category>" for tag in story.tags),
        f'<media:thumbnail url="{story.image_url}"/>',
        f"<mw:urgency>{1 + story.number % 5}</mw:urgency>",
    ]
    if story.modified_at:
        parts.append(f"<atom:updated>{_iso(story.modified_at, publisher)}</atom:updated>")
    if plan.whole_text:
        parts.append(f"<content:encoded><![CDATA[{_content(story)}]]></content:encoded>")
    if publisher.rights.rsl_path:
        url = f"http://{publisher.host}{publisher.rights.rsl_path}"
        parts.append(f'<rsl:content url="{url}"/>')
    return "<item>" + "".join(parts) + "</item>\n"


def _comments(
    town: Town, publisher: TownPublisher, plan: FeedPlan, stories: tuple[Story, ...]
) -> str:
    items = []
    for story in stories:
        for place, remark in enumerate(page_chrome(town, publisher.host, story).remarks, 1):
            written_at = story.published_at + timedelta(minutes=11 * place)
            items.append(
                f"<item><title>{_xml(remark.name)}: {_xml(story.title)}</title>"
                f"<link>{_xml(story.url)}#comment-{place}</link>"
                f'<guid isPermaLink="false">{_guid(story)}:{place}</guid>'
                f"<pubDate>{_rfc822(written_at, publisher)}</pubDate>"
                f"<description>{_xml(remark.text)}</description></item>\n"
            )
    return _rss_frame(publisher, plan, "".join(items), built=_newest(stories))


def _atom(publisher: TownPublisher, plan: FeedPlan, stories: tuple[Story, ...]) -> str:
    newest = _newest(stories)
    base = f' xml:base="{publisher.home_url}"' if plan.quirk == "relative_links" else ""
    licence = publisher.rights.licence_url
    head = [
        f"<id>{publisher.home_url}</id>",
        f"<title>{_xml(_title(publisher, plan))}</title>",
        f'<link rel="self" href="http://{publisher.host}{plan.path}"/>',
        f'<link rel="alternate" type="text/html" href="{publisher.home_url}"/>',
    ]
    if newest:
        head.append(f"<updated>{_iso(newest, publisher)}</updated>")
    if licence:
        head.append(f'<link rel="license" href="{licence}"/>')
    entries = "".join(_atom_entry(publisher, plan, story) for story in stories)
    return (
        f'{_declaration(publisher)}<feed xmlns="http://www.w3.org/2005/Atom"{base} '
        f'xml:lang="{publisher.language}">\n' + "\n".join(head) + f"\n{entries}</feed>\n"
    )


def _atom_entry(publisher: TownPublisher, plan: FeedPlan, story: Story) -> str:
    href = local(story.url) if plan.quirk == "relative_links" else story.url
    parts = [
        f"<id>{_guid(story)}</id>",
        f'<title type="text">{_xml(story.title)}</title>',
        f'<link rel="alternate" type="text/html" href="{_xml(href)}"/>',
        f"<updated>{_iso(story.modified_at or story.published_at, publisher)}</updated>",
        *(f"<author><name>{_xml(name)}</name></author>" for name in story.authors),
        *(f'<category term="{_xml(tag)}"/>' for tag in story.tags),
        f"<summary>{_xml(story.description)}</summary>",
    ]
    if plan.quirk != "only_updated":
        parts.append(f"<published>{_iso(story.published_at, publisher)}</published>")
    if plan.whole_text:
        parts.append(f'<content type="html">{_xml(_content(story))}</content>')
    return "<entry>" + "".join(parts) + "</entry>\n"


def _rdf(publisher: TownPublisher, plan: FeedPlan, stories: tuple[Story, ...]) -> str:
    places = "".join(f'<rdf:li rdf:resource="{_xml(story.url)}"/>' for story in stories)
    items = "".join(
        f'<item rdf:about="{_xml(story.url)}"><title>{_xml(story.title)}</title>'
        f"<link>{_xml(story.url)}</link><description>{_xml(story.description)}</description>"
        f"<dc:date>{_iso(story.published_at, publisher)}</dc:date>"
        + "".join(f"<dc:creator>{_xml(name)}</dc:creator>" for name in story.authors)
        + f"<dc:subject>{_xml(story.section)}</dc:subject></item>\n"
        for story in stories
    )
    return (
        f'{_declaration(publisher)}<rdf:RDF xmlns="http://purl.org/rss/1.0/" '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<channel rdf:about="http://{publisher.host}{plan.path}">'
        f"<title>{_xml(_title(publisher, plan))}</title><link>{publisher.home_url}</link>"
        f"<description>{_xml(publisher.name)}</description>"
        f"<items><rdf:Seq>{places}</rdf:Seq></items></channel>\n{items}</rdf:RDF>\n"
    )


def _json(publisher: TownPublisher, plan: FeedPlan, stories: tuple[Story, ...]) -> str:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": _title(publisher, plan),
        "home_page_url": publisher.home_url,
        "feed_url": f"http://{publisher.host}{plan.path}",
        "language": publisher.language,
        "items": [_json_item(publisher, plan, story) for story in stories],
    }
    return json.dumps(feed, ensure_ascii=False, indent=1)


def _json_item(publisher: TownPublisher, plan: FeedPlan, story: Story) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": _guid(story),
        "url": story.url,
        "title": story.title,
        "summary": story.description,
        "date_published": _iso(story.published_at, publisher),
        "authors": [{"name": name} for name in story.authors],
        "tags": list(story.tags),
        "image": story.image_url,
        "language": story.language_tag,
    }
    if story.modified_at:
        item["date_modified"] = _iso(story.modified_at, publisher)
    item["content_html"] = (
        _content(story) if plan.whole_text else f"<p>{_xml(story.description)}</p>"
    )
    return item


_WRITERS: dict[str, Callable[[TownPublisher, FeedPlan, tuple[Story, ...]], str]] = {
    "rss": _rss,
    "atom": _atom,
    "rdf": _rdf,
    "json": _json,
}


# --- the agency's API ---------------------------------------------------------------------------


def api_page(town: Town, host: str, plan: FeedPlan, page: int) -> str | None:
    """One page of records, newest first; None for a page that is not there."""
    stories = town.stories(host)
    pages = max(ceil(len(stories) / plan.items), 1)
    if not 1 <= page <= pages:
        return None
    shown = stories[(page - 1) * plan.items : page * plan.items]
    links = {"self": f"http://{host}{plan.path}?page={page}"}
    if page < pages:
        links["next"] = f"http://{host}{plan.path}?page={page + 1}"
    records = [_record(story) for story in shown]
    meta = {"page": page, "pages": pages, "total": len(stories)}
    return json.dumps({"meta": meta, "links": links, "data": records}, ensure_ascii=False)


def api_record(story: Story) -> str:
    """One article as a record."""
    return json.dumps({"data": _record(story)}, ensure_ascii=False)


def _record(story: Story) -> dict[str, Any]:
    return {
        "id": f"mpa-{story.number}",
        "headline": story.title,
        "byline": list(story.authors),
        "firstCreated": story.published_at.isoformat(),
        "versionCreated": (story.modified_at or story.published_at).isoformat(),
        "version": story.version,
        "language": story.language,
        "slugline": story.subject,
        "subjects": list(story.tags),
        "abstract": story.description,
        "links": {"self": story.url},
        "bodyHtml": _content(story),
    }


# --- small words --------------------------------------------------------------------------------


def _content(story: Story) -> str:
    # Relative on purpose: readers have to resolve addresses inside content against the article's.
    image = local(story.image_url)
    return blocks_html(story.shown_blocks, BlockStyle(), image=image, intruders={})


def _declaration(publisher: TownPublisher) -> str:
    label = XML_LABELS[publisher.charset.encoding]
    return f'<?xml version="1.0" encoding="{label}"?>\n'


def _title(publisher: TownPublisher, plan: FeedPlan) -> str:
    return f"{publisher.name}: {plan.title}" if plan.title else publisher.name


def _guid(story: Story) -> str:
    return f"tag:{story.publisher},{story.published_at:%Y}:{story.number}"


def _newest(stories: tuple[Story, ...]) -> datetime | None:
    return max((story.modified_at or story.published_at for story in stories), default=None)


def _rss_date(moment: datetime, publisher: TownPublisher, plan: FeedPlan) -> str:
    if plan.quirk != "local_dates":
        return _rfc822(moment, publisher)
    there = local_time(moment, publisher)
    return f"{there.day} de {MONTHS_ES[there.month - 1]} de {there.year} {there:%H:%M:%S}"


def _rfc822(moment: datetime, publisher: TownPublisher) -> str:
    return format_datetime(local_time(moment, publisher))


def _iso(moment: datetime, publisher: TownPublisher) -> str:
    return local_time(moment, publisher).isoformat()


def _xml(text: str) -> str:
    return escape(text)
