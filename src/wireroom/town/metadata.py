"""What pages say about themselves in their heads: JSON-LD, OpenGraph and the rest, by publisher.

Pure: story in, HTML out. Microdata stands in the body and so in `layouts.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from html import escape
from typing import Any

from wireroom.town.declaration import MetadataStyle, TownPublisher
from wireroom.town.truth import Story

# Where a walled page keeps what guests do not see; named in its JSON-LD.
WALLED_CLASS = "subscriber-only"

BROKEN_JSON_LD = '{"@context": "https://schema.org", "@type": "WebSite", /* old */ "name": "x",}'


def local_time(moment: datetime, publisher: TownPublisher) -> datetime:
    """The moment on the publisher's clock."""
    return moment.astimezone(timezone(publisher.utc_offset))


def article_head(publisher: TownPublisher, story: Story) -> str:
    """Everything that the head of an article's page says about it."""
    return "".join(_STYLES[style](publisher, story) for style in publisher.metadata)


def home_head(publisher: TownPublisher) -> str:
    """Who the publisher is, for those that say it in JSON-LD."""
    if not any(style.startswith("json_ld") for style in publisher.metadata):
        return ""
    return _script({"@context": "https://schema.org", **_organization(publisher)})


def _json_ld(publisher: TownPublisher, story: Story) -> str:
    node = _article(publisher, story)
    node["author"] = [{"@type": "Person", "name": name} for name in story.authors]
    node["publisher"] = _organization(publisher)
    return _script({"@context": "https://schema.org", **node})


def _json_ld_graph(publisher: TownPublisher, story: Story) -> str:
    """One graph whose nodes point at one another, as large content systems write it."""
    people = [f"{publisher.home_url}#/person/{at}" for at, _ in enumerate(story.authors)]
    organization = _organization(publisher)
    article = _article(publisher, story)
    article["@id"] = f"{story.url}#article"
    article["author"] = [{"@id": person} for person in people]
    article["publisher"] = {"@id": organization["@id"]}
    article["isPartOf"] = {"@id": story.url}
    page = {
        "@type": "WebPage",
        "@id": story.url,
        "name": f"{story.title} - {publisher.name}",
        "datePublished": _stamp(story.published_at, publisher),
    }
    persons = [
        {"@type": "Person", "@id": person_id, "name": name}
        for person_id, name in zip(people, story.authors, strict=True)
    ]
    graph = [page, article, organization, *persons]
    return _script({"@context": "https://schema.org", "@graph": graph})


def _json_ld_after_broken(publisher: TownPublisher, story: Story) -> str:
    broken = f'<script type="application/ld+json">{BROKEN_JSON_LD}</script>\n'
    return broken + _json_ld(publisher, story)


def _article(publisher: TownPublisher, story: Story) -> dict[str, Any]:
    node: dict[str, Any] = {
        "@type": "NewsArticle",
        "mainEntityOfPage": story.url,
        "headline": story.title,
        "description": story.description,
        "datePublished": _stamp(story.published_at, publisher),
        "dateModified": _stamp(story.modified_at or story.published_at, publisher),
        "image": [story.image_url],
        "articleSection": story.section,
        "keywords": list(story.tags),
        "inLanguage": story.language_tag,
        "wordCount": len(story.text.split()),
        "isAccessibleForFree": story.paywall == "free",
    }
    if story.paywall != "free":
        node["hasPart"] = {
            "@type": "WebPageElement",
            "isAccessibleForFree": False,
            "cssSelector": f".{WALLED_CLASS}",
        }
    if publisher.rights.licence_url:
        node["license"] = publisher.rights.licence_url
    if publisher.rights.terms_path:
        node["usageInfo"] = f"http://{publisher.host}{publisher.rights.terms_path}"
    return node


def _organization(publisher: TownPublisher) -> dict[str, Any]:
    return {
        "@type": "NewsMediaOrganization",
        "@id": f"{publisher.home_url}#organization",
        "name": publisher.name,
        "url": publisher.home_url,
        "logo": {"@type": "ImageObject", "url": f"{publisher.home_url}images/logo-1.png"},
        "sameAs": [f"http://{publisher.host}/about"],
        "foundingDate": "1897",
        "publishingPrinciples": f"http://{publisher.host}/about",
        "contactPoint": {"@type": "ContactPoint", "email": f"desk@{publisher.host}"},
    }


def _open_graph(publisher: TownPublisher, story: Story) -> str:
    pairs = [
        ("og:type", "article"),
        ("og:site_name", publisher.name),
        ("og:title", story.title),
        ("og:description", story.description),
        ("og:url", story.canonical_url),
        ("og:image", story.image_url),
        ("og:locale", story.language_tag.replace("-", "_")),
        ("article:published_time", _stamp(story.published_at, publisher)),
        ("article:section", story.section),
        *(("article:tag", tag) for tag in story.tags),
    ]
    if story.modified_at:
        pairs.append(("article:modified_time", _stamp(story.modified_at, publisher)))
    if story.paywall != "free":
        tier = "metered" if story.paywall == "metered" else "locked"
        pairs.append(("article:content_tier", tier))
    return _metas("property", pairs)


def _twitter(_: TownPublisher, story: Story) -> str:
    return _metas(
        "name",
        [
            ("twitter:card", "summary_large_image"),
            ("twitter:title", story.title),
            ("twitter:description", story.description),
            ("twitter:label1", "Written by"),
            ("twitter:data1", ", ".join(story.authors)),
        ],
    )


def _parsely(publisher: TownPublisher, story: Story) -> str:
    return _metas(
        "name",
        [
            ("parsely-title", story.title),
            ("parsely-pub-date", _stamp(story.published_at, publisher)),
            *(("parsely-author", name) for name in story.authors),
            ("news_keywords", ", ".join(story.tags)),
        ],
    )


_STYLES: dict[MetadataStyle, Callable[[TownPublisher, Story], str]] = {
    "json_ld": _json_ld,
    "json_ld_graph": _json_ld_graph,
    "json_ld_after_broken": _json_ld_after_broken,
    "open_graph": _open_graph,
    "twitter": _twitter,
    "parsely": _parsely,
}


def _stamp(moment: datetime, publisher: TownPublisher) -> str:
    return local_time(moment, publisher).isoformat()


def _script(node: dict[str, Any]) -> str:
    # A "<" inside the script could end it.
    text = json.dumps(node, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>\n'


def _metas(attribute: str, pairs: list[tuple[str, str]]) -> str:
    return "".join(
        f'<meta {attribute}="{name}" content="{escape(value)}">\n' for name, value in pairs
    )
