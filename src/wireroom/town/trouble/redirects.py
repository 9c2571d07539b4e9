"""Trouble with redirects: loops, chains, and places nobody should be sent to."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

# Spellings of places that a public page has no business to lead to.
PRIVATE = (
    "http://127.0.0.1/",
    "http://localhost/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
)


def _to(location: str, status: int = 302) -> web.Response:
    return web.Response(status=status, headers={"Location": location})


@trouble("/loop", "redirects to itself")
async def _loop(_: TroubleRequest) -> web.StreamResponse:
    return _to("/loop")


@trouble("/loop-a", "redirects to /loop-b, which redirects back")
async def _loop_a(_: TroubleRequest) -> web.StreamResponse:
    return _to("/loop-b")


@trouble("/loop-b", "redirects to /loop-a, which redirects back")
async def _loop_b(_: TroubleRequest) -> web.StreamResponse:
    return _to("/loop-a")


@trouble("/loop-growing", "redirects to itself with a longer query each time")
async def _loop_growing(exchange: TroubleRequest) -> web.StreamResponse:
    return _to(f"/loop-growing?round={exchange.number('round', 0) + 1}")


@trouble("/chain", "a chain of ?n= (10) redirects that ends in a page")
async def _chain(exchange: TroubleRequest) -> web.StreamResponse:
    left = exchange.number("n", 10)
    if left:
        return _to(f"/chain?n={left - 1}", status=301)
    return web.Response(text="<p>The end of the chain.</p>", content_type="text/html")


@trouble("/moved", "308 to /chain?n=0: moved for good")
async def _moved(_: TroubleRequest) -> web.StreamResponse:
    return _to("/chain?n=0", status=308)


@trouble("/away", "redirects to another origin, courier.test")
async def _away(_: TroubleRequest) -> web.StreamResponse:
    return _to("http://courier.test/about")


@trouble("/to", "redirects to ?url=, whatever it is")
async def _to_any(exchange: TroubleRequest) -> web.StreamResponse:
    return _to(exchange.word("url", "/").replace("\r", "").replace("\n", ""))


@trouble("/to-private", "redirects to a private address: number ?n= (0) of a list of 12 spellings")
async def _to_private(exchange: TroubleRequest) -> web.StreamResponse:
    return _to(PRIVATE[exchange.number("n", 0) % len(PRIVATE)])


@trouble("/to-file", "redirects to file:///etc/hostname")
async def _to_file(_: TroubleRequest) -> web.StreamResponse:
    return _to("file:///etc/hostname")


@trouble("/to-script", "redirects to a javascript: address")
async def _to_script(_: TroubleRequest) -> web.StreamResponse:
    return _to("javascript:alert(1)")


@trouble("/to-user", "redirects to an address with a user and a password in it")
async def _to_user(_: TroubleRequest) -> web.StreamResponse:
    return _to("http://user:secret@courier.test/")


@trouble("/to-nowhere", "302 without a Location")
async def _to_nowhere(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(status=302)


@trouble("/refresh", "a page that sends browsers on with a meta refresh")
async def _refresh(_: TroubleRequest) -> web.StreamResponse:
    page = '<html><head><meta http-equiv="refresh" content="0; url=/chain?n=0"></head></html>'
    return web.Response(text=page, content_type="text/html")
