"""Trouble with validators: weak, changing, malformed ones, and answers that misuse them.

A validator belongs to the server: it has to come back byte for byte as it was given.
"""

from __future__ import annotations

from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

BODY = "<p>The same as ever.</p>"
ODD_TAG = 'odd tag, W/"x" '.strip()
ODD_DATE = "Sunday, 15 Nov 2026 12:00:00 +0100 (local)"


def _answer(headers: dict[str, str], *, known: bool) -> web.Response:
    if known:
        return web.Response(status=304, headers=headers)
    return web.Response(text=BODY, content_type="text/html", headers=headers)


@trouble("/etag/strong", "a strong entity tag; 304 when it comes back")
async def _strong(exchange: TroubleRequest) -> web.StreamResponse:
    tag = '"v1"'
    return _answer({"ETag": tag}, known=exchange.request.headers.get("If-None-Match") == tag)


@trouble("/etag/weak", "a weak entity tag; 304 when it comes back with its W/")
async def _weak(exchange: TroubleRequest) -> web.StreamResponse:
    tag = 'W/"v1"'
    return _answer({"ETag": tag}, known=exchange.request.headers.get("If-None-Match") == tag)


@trouble("/etag/changing", "another entity tag on every request for the same body")
async def _changing(exchange: TroubleRequest) -> web.StreamResponse:
    return _answer({"ETag": f'"v{exchange.times_before}"'}, known=False)


@trouble("/etag/odd", "a malformed entity tag; 304 only when it comes back exactly as it was")
async def _odd(exchange: TroubleRequest) -> web.StreamResponse:
    given = exchange.request.headers.get("If-None-Match")
    return _answer({"ETag": ODD_TAG}, known=given == ODD_TAG)


@trouble(
    "/modified/odd", "a malformed Last-Modified; 304 only when it comes back exactly as it was"
)
async def _odd_date(exchange: TroubleRequest) -> web.StreamResponse:
    given = exchange.request.headers.get("If-Modified-Since")
    return _answer({"Last-Modified": ODD_DATE}, known=given == ODD_DATE)


@trouble("/etag/unasked", "304 to everybody, asked or not")
async def _unasked(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(status=304, headers={"ETag": '"v1"'})


@trouble("/etag/ignored", "an entity tag that is never honoured: 200 every time")
async def _ignored(_: TroubleRequest) -> web.StreamResponse:
    return _answer({"ETag": '"v1"'}, known=False)


@trouble("/modified/build-time", "Last-Modified is the time of the request, whatever the body")
async def _build_time(exchange: TroubleRequest) -> web.StreamResponse:
    stamp = f"{exchange.now:%a, %d %b %Y} 00:00:{exchange.times_before % 60:02} GMT"
    return _answer({"Last-Modified": stamp}, known=False)
