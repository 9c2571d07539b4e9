"""Trouble with time: slow, dripping, silent servers."""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

LONGEST = 3_600.0  # seconds a hanging answer waits before it gives up by itself


@trouble("/slow", "answers after ?ms= milliseconds (2000)")
async def _slow(exchange: TroubleRequest) -> web.StreamResponse:
    await asyncio.sleep(exchange.number("ms", 2000) / 1000)
    return web.Response(text="<p>Late, but here.</p>", content_type="text/html")


@trouble("/drip", "sends a body of ?bytes= (100) one byte at a time, ?ms= (100) apart")
async def _drip(exchange: TroubleRequest) -> web.StreamResponse:
    count, wait = exchange.number("bytes", 100), exchange.number("ms", 100) / 1000
    await exchange.send_head("Content-Type: text/html", f"Content-Length: {count}")
    for _ in range(count):
        await exchange.send(b".")
        await asyncio.sleep(wait)
    return exchange.done()


@trouble("/drip-head", "sends header lines one at a time, ?ms= (100) apart, ?lines= (100) of them")
async def _drip_head(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(b"HTTP/1.1 200 OK\r\n")
    for line in range(exchange.number("lines", 100)):
        await exchange.send(f"X-Drip-{line}: .\r\n".encode())
        await asyncio.sleep(exchange.number("ms", 100) / 1000)
    await exchange.send(b"Content-Length: 2\r\nConnection: close\r\n\r\nok")
    return exchange.done()


@trouble("/hang", "takes the request and never answers")
async def _hang(exchange: TroubleRequest) -> web.StreamResponse:
    await asyncio.sleep(LONGEST)
    return exchange.done()


@trouble("/hang-in-body", "sends half a body, then nothing more")
async def _hang_in_body(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", "Content-Length: 1000")
    await exchange.send(b"." * 500)
    await asyncio.sleep(LONGEST)
    return exchange.done()
