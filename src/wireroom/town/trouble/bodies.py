"""Trouble with bodies and connections: cut, overlong, endless, broken, missing."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

CHUNK = b"<p>And on it goes.</p>\n" * 2_800  # about 64 KB
ENDLESS = 4 * 2**30  # bytes after which even the endless body ends, should its reader never leave


@trouble("/cut", "promises 10000 bytes, sends ?bytes= (4000), closes")
async def _cut(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Content-Length: 10000")
    await exchange.send(b"." * min(exchange.number("bytes", 4000), 10_000))
    return exchange.done()


@trouble("/cut-reset", "promises 10000 bytes, sends 4000, resets the connection")
async def _cut_reset(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Content-Length: 10000")
    await exchange.send(b"." * 4000)
    return exchange.reset()


@trouble("/cut-chunks", "a chunked body that ends without its last chunk")
async def _cut_chunks(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await exchange.send(b"5\r\nhello\r\n")
    return exchange.done()


@trouble("/long", "promises 10 bytes, sends 1000")
async def _long(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Content-Length: 10")
    await exchange.send(b"." * 1000)
    return exchange.done()


@trouble("/endless", "a chunked body without end")
async def _endless(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    for _ in range(ENDLESS // len(CHUNK)):
        await exchange.send(b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK))
    return exchange.done()


@trouble("/endless-plain", "a body without end and without a length, until the connection closes")
async def _endless_plain(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html")
    for _ in range(ENDLESS // len(CHUNK)):
        await exchange.send(CHUNK)
    return exchange.done()


@trouble("/large", "a page of ?mb= (50) megabytes with an honest length")
async def _large(exchange: TroubleRequest) -> web.StreamResponse:
    size = exchange.number("mb", 50) * 10**6
    await exchange.send_head("Content-Type: text/html", f"Content-Length: {size}")
    while size > 0:
        await exchange.send(CHUNK[:size])
        size -= len(CHUNK)
    return exchange.done()


@trouble("/large-promise", "promises a terabyte, sends a kilobyte, closes")
async def _large_promise(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", f"Content-Length: {10**12}")
    await exchange.send(b"." * 1000)
    return exchange.done()


@trouble("/broken-chunks", "a chunked body whose second chunk has no number for its size")
async def _broken_chunks(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await exchange.send(b"5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n")
    return exchange.done()


@trouble("/huge-chunk", "a chunk that says it has 2^60 bytes")
async def _huge_chunk(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Transfer-Encoding: chunked")
    await exchange.send(b"1000000000000000\r\nhello")
    return exchange.done()


@trouble("/empty", "closes without a word")
async def _empty(exchange: TroubleRequest) -> web.StreamResponse:
    return exchange.done()


@trouble("/reset", "resets the connection without a word")
async def _reset(exchange: TroubleRequest) -> web.StreamResponse:
    return exchange.reset()


@trouble("/empty-body", "200 with nothing in it")
async def _empty_body(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(body=b"", content_type="text/html")
