"""What a well-behaved publisher answers to a path: status, headers and bytes.

Pure: town, host and target in, an `Answer` out. Conditional requests, compression and the socket
are the server's business; misbehaviour lives in `trouble/`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs

from wireroom.town import pages
from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.feed_bodies import api_page, api_record, feed_text
from wireroom.town.sitemap_text import sitemap_text
from wireroom.town.truth import Story
from wireroom.town.world import Town

Headers = tuple[tuple[str, str], ...]

FILES_AGE = timedelta(days=30)  # how long before the town was built its still files were written
XML_KINDS = frozenset({"sitemap", "news_sitemap", "sitemap_index"})

CHALLENGE_BODY = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
    "<h1>Checking your browser before you enter</h1><noscript>Enable JavaScript and cookies "
    "to continue</noscript></body></html>"
)
CHALLENGES: dict[str, Headers] = {
    "cloudflare": (
        ("Server", "cloudflare"),
        ("CF-RAY", "8f1a2b3c4d5e6f71-MRW"),
        ("CF-Mitigated", "challenge"),
        ("Set-Cookie", "__cf_bm=town; path=/; HttpOnly"),
    ),
    "akamai": (
        ("Server", "AkamaiGHost"),
        ("Akamai-GRN", "0.town.1763208000.1a2b3c"),
        ("Set-Cookie", "ak_bmsc=town; path=/; HttpOnly"),
        ("Set-Cookie", "bm_sz=town; path=/"),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the publisher says, before the server looks at validators and codings."""

    status: int = 200
    headers: Headers = ()
    body: bytes = b""
    etag: str = ""
    last_modified_at: datetime | None = None


class _Asked(NamedTuple):
    """What a route looks at."""

    town: Town
    publisher: TownPublisher
    path: str
    query: str


def answer(town: Town, host: str, target: str) -> Answer:
    """The answer to a request for this target (path and query as they came)."""
    publisher = town.publisher(host)
    if publisher.behaviour.challenge:
        return _challenge(town, publisher, target)
    path, _, query = target.partition("?")
    if publisher.behaviour.only_home and path != "/":
        return _not_found(town, publisher)
    asked = _Asked(town, publisher, path, query)
    for route in _ROUTES:
        found = route(asked)
        if found is not None:
            return found
    return _not_found(town, publisher)


# --- routes: each says what it finds at the path, or None ---------------------------------------


def _robots(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    rights = publisher.rights
    if path != "/robots.txt" or rights.robots is None:
        return None
    return _still(town, publisher, rights.robots.encode(), rights.robots_type)


def _file(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    file = publisher.rights.files.get(path)
    if file is None:
        return None
    return _still(town, publisher, file.body.encode(), file.media_type)


def _feed(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    plan = next((feed for feed in publisher.feeds if feed.path == path), None)
    if plan is None:
        return None
    if plan.kind == "json_api":
        return _api_list(asked, plan)
    if plan.kind in XML_KINDS:
        body, media_type = sitemap_text(town, publisher.host, plan).encode(), "application/xml"
    else:
        encoding = "utf-8" if plan.kind == "json" else publisher.charset.encoding
        body = feed_text(town, publisher.host, plan).encode(encoding)
        media_type = pages.FEED_TYPES[plan.kind]
    if plan.gzipped:
        body, media_type = gzip.compress(body, mtime=0), "application/x-gzip"
    if plan.quirk == "plain_type":
        media_type = "text/plain"
    headers = (("Content-Type", plan.media_type or media_type), ("Cache-Control", "max-age=300"))
    return _answer(publisher, body, headers, modified_at=_newest_change(town, publisher))


def _api_list(asked: _Asked, plan: FeedPlan) -> Answer:
    town, publisher = asked.town, asked.publisher
    page = parse_qs(asked.query).get("page", ["1"])[0]
    text = api_page(town, publisher.host, plan, int(page)) if page.isdecimal() else None
    if text is None:
        return _json_problem(publisher, 400, f"no such page: {page}")
    headers = (("Content-Type", "application/json"),)
    return _answer(publisher, text.encode(), headers, modified_at=_newest_change(town, publisher))


def _home(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    if path != "/":
        return None
    links = tuple(
        ("Link", f'<{feed.path}>; rel="alternate"; type="{pages.FEED_TYPES[feed.kind]}"')
        for feed in publisher.feeds
        if feed.announced == "header"
    )
    text = pages.home_page(town, publisher.host)
    return _page(publisher, text, modified_at=_newest_change(town, publisher), more=links)


def _about(asked: _Asked) -> Answer | None:
    """Pages that stand still: about, contact, terms and their like."""
    town, publisher, path = asked.town, asked.publisher, asked.path
    words, host = town.language(publisher.host).words, publisher.host
    if path == "/rss/" and any(feed.announced == "index_page" for feed in publisher.feeds):
        return _page(publisher, pages.feeds_page(town, host))
    if path == publisher.rights.terms_path and path:
        main = "".join(f"<p>{escape(line)}</p>" for line in publisher.rights.terms)
        text = pages.plain_page(town, host, title=words.terms, main=f"<h1>{words.terms}</h1>{main}")
        return _page(publisher, text)
    titles = {"/about": words.about, "/contact": words.contact, "/privacy": words.privacy, "/search": words.search}  # fmt: skip
    if publisher.rights.rsl_path:
        titles["/licensing"] = words.rights
    if path not in titles:
        return None
    main = f"<h1>{titles[path]}</h1><p>{escape(publisher.name)}</p>"
    return _page(publisher, pages.plain_page(town, host, title=titles[path], main=main))


def _image(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    if not (path.startswith("/images/") and path.endswith(".png")):
        return None
    return _still(town, publisher, _png(zlib.crc32(path.encode())), "image/png")


def _section(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    if publisher.behaviour.toll or path.count("/") != 2 or not path.endswith("/"):
        return None
    text = pages.section_page(town, publisher.host, path.strip("/"))
    return _page(publisher, text) if text is not None else None


def _article(asked: _Asked) -> Answer | None:
    town, publisher, path = asked.town, asked.publisher, asked.path
    story = town.story_at_path(publisher.host, f"{path}?{asked.query}" if asked.query else path)
    if story is None:
        return None
    if publisher.behaviour.toll:
        return _toll(publisher)
    if story.withdrawn:
        return _gone(town, publisher)
    modified_at = story.modified_at or story.published_at
    if publisher.addresses == "api":
        headers = (("Content-Type", "application/json"),)
        return _answer(publisher, api_record(story).encode(), headers, modified_at=modified_at)
    return _page(publisher, pages.article_page(town, story), modified_at=modified_at)


_ROUTES: tuple[Callable[[_Asked], Answer | None], ...] = (
    _article,
    _feed,
    _robots,
    _file,
    _home,
    _section,
    _about,
    _image,
)


# --- answers ------------------------------------------------------------------------------------


def _answer(
    publisher: TownPublisher,
    body: bytes,
    headers: Headers,
    *,
    status: int = 200,
    modified_at: datetime | None = None,
) -> Answer:
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    return Answer(
        status=status,
        headers=(*headers, *publisher.behaviour.headers),
        body=body,
        etag=f"W/{tag}" if publisher.layout == "press" else tag,
        last_modified_at=modified_at,
    )


def _page(
    publisher: TownPublisher,
    text: str,
    *,
    status: int = 200,
    modified_at: datetime | None = None,
    more: Headers = (),
) -> Answer:
    charset = publisher.charset
    media_type = f"text/html; charset={charset.header}" if charset.header else "text/html"
    headers = (("Content-Type", media_type), *publisher.rights.headers, *more)
    body = text.encode(charset.encoding)
    return _answer(publisher, body, headers, status=status, modified_at=modified_at)


def _still(town: Town, publisher: TownPublisher, body: bytes, media_type: str) -> Answer:
    headers = (("Content-Type", media_type),)
    return _answer(publisher, body, headers, modified_at=town.clock.start - FILES_AGE)


def _challenge(town: Town, publisher: TownPublisher, target: str) -> Answer:
    robots = _robots(_Asked(town, publisher, target, ""))
    if robots is not None:
        return robots
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"))
    marks = CHALLENGES[publisher.behaviour.challenge]
    return Answer(status=403, headers=(*headers, *marks), body=CHALLENGE_BODY.encode())


def _toll(publisher: TownPublisher) -> Answer:
    headers = (
        ("Content-Type", "text/plain; charset=utf-8"),
        ("crawler-price", publisher.behaviour.toll),
        *publisher.rights.headers,
    )
    return Answer(status=402, headers=headers, body=b"Payment required.\n")


def _gone(town: Town, publisher: TownPublisher) -> Answer:
    if publisher.addresses == "api":
        return _json_problem(publisher, 410, "withdrawn")
    text = pages.plain_page(town, publisher.host, title="410", main="<h1>410</h1>")
    return _page(publisher, text, status=410)


def _not_found(town: Town, publisher: TownPublisher) -> Answer:
    if publisher.addresses == "api":
        return _json_problem(publisher, 404, "not found")
    text = pages.plain_page(town, publisher.host, title="404", main="<h1>404</h1>")
    return _page(publisher, text, status=404)


def _json_problem(publisher: TownPublisher, status: int, message: str) -> Answer:
    body = json.dumps({"error": {"status": status, "message": message}}).encode()
    return _answer(publisher, body, (("Content-Type", "application/json"),), status=status)


def _newest_change(town: Town, publisher: TownPublisher) -> datetime | None:
    # Edits come to young articles: the newest change is among the newest few.
    stories: tuple[Story, ...] = town.stories(publisher.host, limit=20)
    return max((story.modified_at or story.published_at for story in stories), default=None)


def _png(number: int) -> bytes:
    """A picture of 16 by 9 points in one colour."""
    colour = struct.pack(">I", number)[1:]
    rows = b"".join(b"\0" + colour * 16 for _ in range(9))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 16, 9, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + chunks
