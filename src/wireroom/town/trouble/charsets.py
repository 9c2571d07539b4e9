"""Trouble with charsets: wrong, missing, contradictory and dangerous labels.

Every page holds the same sentence, so that a test can see whether it was read right.
"""

from __future__ import annotations

from functools import partial

from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

SENTENCE = "Съешь ещё этих мягких булок, да выпей чаю: так говорят в городе на реке."


def _page(encoding: str, *, header: str = "", meta: str = "", start: bytes = b"") -> web.Response:
    label = f'<meta charset="{meta}">' if meta else ""
    text = f"<html><head>{label}<title>charset</title></head><body><p>{SENTENCE}</p></body></html>"
    kind = f"text/html; charset={header}" if header else "text/html"
    return web.Response(body=start + text.encode(encoding), headers={"Content-Type": kind})


@trouble("/charset/wrong-header", "windows-1251, but the header says utf-8 and the page is right")
async def _wrong_header(_: TroubleRequest) -> web.StreamResponse:
    return _page("cp1251", header="utf-8", meta="windows-1251")


@trouble("/charset/wrong-meta", "utf-8, but the page says windows-1251 and the header nothing")
async def _wrong_meta(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", meta="windows-1251")


@trouble("/charset/wrong-both", "utf-8, but header and page say iso-8859-1")
async def _wrong_both(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", header="iso-8859-1", meta="iso-8859-1")


@trouble("/charset/none", "windows-1251 and not a word about it")
async def _none(_: TroubleRequest) -> web.StreamResponse:
    return _page("cp1251")


@trouble("/charset/unknown", "utf-8 under a label that nobody knows")
async def _unknown(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", header="klingon")


@trouble("/charset/codec", "utf-8 under the name of a Python codec that is no charset")
async def _codec(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", header="rot13")


@trouble("/charset/utf-7", "utf-7 that hides a script, labelled as such")
async def _utf_7(_: TroubleRequest) -> web.StreamResponse:
    body = b"<html><body><p>+ADw-script+AD4-alert(1)+ADw-/script+AD4-</p></body></html>"
    return web.Response(body=body, headers={"Content-Type": "text/html; charset=utf-7"})


@trouble("/charset/utf-16", "utf-16 without a byte order mark or a label")
async def _utf_16(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-16-le")


@trouble("/charset/bom", "utf-8 with a byte order mark under a header that says windows-1251")
async def _bom(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", header="windows-1251", start=b"\xef\xbb\xbf")


@trouble("/charset/bad-byte", "utf-8 with one byte in it that is not")
async def _bad_byte(_: TroubleRequest) -> web.StreamResponse:
    return _page("utf-8", header="utf-8", start=b"<!-- \xff -->")
