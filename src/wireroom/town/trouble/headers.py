"""Trouble with heads: floods, nonsense, contradictions; and mirrors that show what was sent."""

from __future__ import annotations

import json
from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

COOKIE = "town=seen"


@trouble("/headers/many", "a head of ?n= (10000) fields")
async def _many(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n")
    for number in range(exchange.number("n", 10_000)):
        await exchange.send(f"X-Flood-{number}: yes\r\n".encode())
    await exchange.send(b"\r\nok")
    return exchange.done()


@trouble("/headers/huge", "one field of ?bytes= (1000000) bytes")
async def _huge(exchange: TroubleRequest) -> web.StreamResponse:
    left = exchange.number("bytes", 1_000_000)
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nX-Huge: ")
    while left > 0:
        await exchange.send(b"x" * min(left, 2**16))
        left -= 2**16
    await exchange.send(b"\r\n\r\nok")
    return exchange.done()


@trouble("/headers/early", "?n= (1000) answers of status 103 before the real one")
async def _early(exchange: TroubleRequest) -> web.StreamResponse:
    for _ in range(exchange.number("n", 1000)):
        await exchange.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
    await exchange.send_head("Content-Length: 2")
    await exchange.send(b"ok")
    return exchange.done()


@trouble("/headers/two-lengths", "two Content-Length fields that differ")
async def _two_lengths(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Length: 2", "Content-Length: 4")
    await exchange.send(b"okay")
    return exchange.done()


@trouble("/headers/both", "a Content-Length and a chunked body")
async def _both(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Length: 3", "Transfer-Encoding: chunked")
    await exchange.send(b"2\r\nok\r\n0\r\n\r\n")
    return exchange.done()


@trouble("/headers/nonsense", "a head with lines that are no fields")
async def _nonsense(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(
        b"HTTP/1.1 200 OK\r\nthis is no field\r\n: neither\r\n\x00\x01: x\r\n\r\nok"
    )
    return exchange.done()


@trouble("/headers/control", "control characters and a bare line feed inside a field")
async def _control(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(
        b"HTTP/1.1 200 OK\r\nX-Control: a\x1b[31mb\x07\nX-Smuggled: yes\r\n"
        b"Content-Length: 2\r\nConnection: close\r\n\r\nok"
    )
    return exchange.done()


@trouble("/headers/no-status", "a body without a status line, as in HTTP 0.9")
async def _no_status(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(b"<html><p>No head at all.</p></html>")
    return exchange.done()


@trouble("/headers/status-line", "a status line without a number")
async def _status_line(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(b"HTTP/1.1 FINE thanks\r\nContent-Length: 2\r\n\r\nok")
    return exchange.done()


@trouble("/headers/half", "half a head, then the connection closes")
async def _half(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
    return exchange.done()


@trouble("/cookie/set", "sets a cookie")
async def _cookie_set(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(text="ok\n", headers={"Set-Cookie": f"{COOKIE}; path=/"})


@trouble("/cookie/check", "says whether the cookie of /cookie/set came back: yes or no")
async def _cookie_check(exchange: TroubleRequest) -> web.StreamResponse:
    came = COOKIE in exchange.request.headers.get("Cookie", "")
    return web.Response(text="yes" if came else "no")


@trouble("/echo", "the request's method, target and fields as JSON")
async def _echo(exchange: TroubleRequest) -> web.StreamResponse:
    request = exchange.request
    seen = {
        "method": request.method,
        "target": request.raw_path,
        "headers": [[name, value] for name, value in request.headers.items()],
    }
    return web.Response(text=json.dumps(seen), content_type="application/json")


@trouble("/auth", "401 with a challenge; with credentials, 200 and the credentials as text")
async def _auth(exchange: TroubleRequest) -> web.StreamResponse:
    given = exchange.request.headers.get("Authorization")
    if given is None:
        return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="town"'})
    return web.Response(text=given)
