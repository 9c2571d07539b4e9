"""Trouble with documents: feeds that are none, sitemaps without end, pages that are too much."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

ITEMS = 10
TEN_TIMES = 10 * ITEMS
HOME = "http://trouble.test"
HTML = "<!DOCTYPE html><html><head><title>Hello</title></head><body><p>No feed.</p></body></html>"
PIECE = 2**16


def _rss(items: int, now: datetime) -> web.Response:
    entries = "".join(
        f"<item><title>Story {number}</title><link>{HOME}/chain?n=0&amp;story={number}</link>"
        f'<guid isPermaLink="false">trouble-{number}</guid>'
        f"<pubDate>{format_datetime(now - timedelta(hours=number))}</pubDate></item>"
        for number in range(items)
    )
    text = f'<?xml version="1.0"?><rss version="2.0"><channel><title>Trouble</title><link>{HOME}/</link><description>-</description>{entries}</channel></rss>'  # fmt: skip
    return web.Response(text=text, content_type="application/rss+xml")


async def _stream(
    exchange: TroubleRequest, media_type: str, pieces: Iterator[bytes]
) -> web.StreamResponse:
    """Sends a document in pieces of some size, so that it is never held whole."""
    await exchange.send_head(f"Content-Type: {media_type}")
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= PIECE:
            await exchange.send(bytes(held))
            held.clear()
    await exchange.send(bytes(held))
    return exchange.done()


@trouble("/feed/rss", "a sound feed of ten items")
async def _feed_rss(exchange: TroubleRequest) -> web.StreamResponse:
    return _rss(ITEMS, exchange.now)


@trouble("/feed/html", "HTML under a feed's media type")
async def _feed_html(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(text=HTML, content_type="application/rss+xml")


@trouble(
    "/feed/turning",
    "a feed of ten items that after ?after= (1) requests turns ?into= html, empty, nothing, many or cut",
)
async def _feed_turning(exchange: TroubleRequest) -> web.StreamResponse:
    sound = _rss(ITEMS, exchange.now)
    if exchange.times_before < exchange.number("after", 1):
        return sound
    into = exchange.word("into", "html")
    if into == "html":
        return web.Response(text=HTML, content_type="text/html")
    if into == "many":
        return _rss(TEN_TIMES, exchange.now)
    if into == "empty":
        return _rss(0, exchange.now)
    if into == "nothing":
        return web.Response(body=b"", content_type="application/rss+xml")
    body = sound.body if isinstance(sound.body, bytes) else b""
    return web.Response(body=body[: len(body) // 2], content_type="application/rss+xml")


@trouble("/feed/entities", "a feed with a DTD whose entities would grow to gigabytes")
async def _feed_entities(_: TroubleRequest) -> web.StreamResponse:
    levels = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))
    text = (
        f'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e0 "lol">{levels}]>'
        "<rss version='2.0'><channel><title>&e9;</title></channel></rss>"
    )
    return web.Response(text=text, content_type="application/rss+xml")


@trouble("/feed/external", "a feed with an external entity that names a local file")
async def _feed_external(_: TroubleRequest) -> web.StreamResponse:
    text = (
        '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        "<rss version='2.0'><channel><title>&x;</title></channel></rss>"
    )
    return web.Response(text=text, content_type="application/rss+xml")


@trouble("/feed/address", "a body that is nothing but an address")
async def _feed_address(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(text=f"{HOME}/feed/rss", content_type="application/rss+xml")


@trouble("/sitemap/self", "a sitemap index whose only child is itself")
async def _sitemap_self(_: TroubleRequest) -> web.StreamResponse:
    text = f"<sitemapindex><sitemap><loc>{HOME}/sitemap/self</loc></sitemap></sitemapindex>"
    return web.Response(text=text, content_type="application/xml")


@trouble("/sitemap/deep", "a sitemap index that leads to another one, and so on without end")
async def _sitemap_deep(exchange: TroubleRequest) -> web.StreamResponse:
    below = f"{HOME}/sitemap/deep?level={exchange.number('level', 0) + 1}"
    text = f"<sitemapindex><sitemap><loc>{below}</loc></sitemap></sitemapindex>"
    return web.Response(text=text, content_type="application/xml")


@trouble("/sitemap/large", "a sitemap of ?mb= (12) megabytes, without a length")
async def _sitemap_large(exchange: TroubleRequest) -> web.StreamResponse:
    row = b"<url><loc>http://trouble.test/chain?n=0</loc><lastmod>2026-02-17</lastmod></url>\n"

    def pieces() -> Iterator[bytes]:
        yield b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        for _ in range(exchange.number("mb", 12) * 10**6 // len(row)):
            yield row
        yield b"</urlset>\n"

    return await _stream(exchange, "application/xml", pieces())


@trouble("/sitemap/cut", "a sitemap that ends in the middle of a tag")
async def _sitemap_cut(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(text="<urlset><url><loc>http://trouble.te", content_type="application/xml")


@trouble(
    "/robots/large", "a robots.txt of ?mb= (10) megabytes that bars everybody in its last line"
)
async def _robots_large(exchange: TroubleRequest) -> web.StreamResponse:
    row = b"Disallow: /never/mind/this/path\n"

    def pieces() -> Iterator[bytes]:
        yield b"User-agent: *\n"
        for _ in range(exchange.number("mb", 10) * 10**6 // len(row)):
            yield row
        yield b"Disallow: /\n"

    return await _stream(exchange, "text/plain", pieces())


@trouble("/rsl/dtd", "an RSL document with a DTD")
async def _rsl_dtd(_: TroubleRequest) -> web.StreamResponse:
    text = (
        '<?xml version="1.0"?><!DOCTYPE rsl [<!ENTITY use "all">]>'
        '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
        '<permits type="usage">&use;</permits></license></content></rsl>'
    )
    return web.Response(text=text, content_type="application/rsl+xml")


@trouble("/page/deep", "a page of ?n= (100000) elements, each inside the one before")
async def _page_deep(exchange: TroubleRequest) -> web.StreamResponse:
    count = exchange.number("n", 100_000)
    return await _stream(exchange, "text/html", (b"<div>" for _ in range(count)))


@trouble("/page/attributes", "a page with ?n= (1000000) attributes on one element")
async def _page_attributes(exchange: TroubleRequest) -> web.StreamResponse:
    def pieces() -> Iterator[bytes]:
        yield b"<p"
        for number in range(exchange.number("n", 1_000_000)):
            yield b" a%d=1" % number
        yield b">text</p>"

    return await _stream(exchange, "text/html", pieces())


@trouble(
    "/page/control", "an article with NUL, control characters and lone surrogates in its JSON-LD"
)
async def _page_control(_: TroubleRequest) -> web.StreamResponse:
    node = r'{"@type": "NewsArticle", "headline": "a\u0000b\ud800c", "description": "\u001b[31m"}'
    text = f'<script type="application/ld+json">{node}</script><h1>a\x00b\x1b</h1><p>Text.</p>'
    return web.Response(text=text, content_type="text/html")


@trouble("/page/colspan", "a table cell that spans 9007199254740991 columns")
async def _page_colspan(_: TroubleRequest) -> web.StreamResponse:
    text = (
        '<table><tr><td colspan="9007199254740991" rowspan="9007199254740991">x</td></tr></table>'
    )
    return web.Response(text=text, content_type="text/html")
