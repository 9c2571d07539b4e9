"""Trouble with content codings: bombs, double codings, lies.

Bombs are written as they are sent: a megabyte of blanks at a time, compressed to next to nothing,
so that neither side of the town ever holds one.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import zstandard
from aiohttp import web

from wireroom.town.trouble.exchange import Trouble, TroubleRequest, register

TABLE: dict[str, Trouble] = {}
trouble = partial(register, TABLE)

MEGABYTE = b" " * 2**20
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
RAW_DEFLATE = -15  # zlib's way of saying: no header, window of 32 KB
GZIP = 31  # and: a gzip header
PAGE = b"<html><body><p>A page of honest size.</p></body></html>" * 20
DEFAULT_BOMB = 1024  # megabytes decoded


async def _send_bomb(
    exchange: TroubleRequest, coding: str, pieces: Iterator[bytes]
) -> web.StreamResponse:
    await exchange.send_head("Content-Type: text/html", f"Content-Encoding: {coding}")
    for piece in pieces:
        await exchange.send(piece)
    return exchange.done()


@lru_cache(maxsize=1)
def _squeezed_megabyte() -> bytes:
    """A megabyte as deflate blocks that can be sent again and again in one stream."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    return squeeze.compress(MEGABYTE) + squeeze.flush(zlib.Z_FULL_FLUSH)


def _gzip_pieces(megabytes: int) -> Iterator[bytes]:
    yield GZIP_HEAD
    check = 0
    for _ in range(megabytes):
        check = zlib.crc32(MEGABYTE, check)
        yield _squeezed_megabyte()
    size = megabytes * len(MEGABYTE) % 2**32
    yield b"\x03\x00" + check.to_bytes(4, "little") + size.to_bytes(4, "little")


def _deflate_pieces(megabytes: int) -> Iterator[bytes]:
    yield b"\x78\xda"
    check = 1
    for _ in range(megabytes):
        check = zlib.adler32(MEGABYTE, check)
        yield _squeezed_megabyte()
    yield b"\x03\x00" + check.to_bytes(4, "big")


def _zstd_pieces(megabytes: int) -> Iterator[bytes]:
    squeeze = zstandard.ZstdCompressor(level=1).compressobj()
    for _ in range(megabytes):
        yield squeeze.compress(MEGABYTE)
    yield squeeze.flush()


@trouble("/bomb/gzip", "gzip that unpacks to ?mb= (1024) megabytes of blanks")
async def _bomb_gzip(exchange: TroubleRequest) -> web.StreamResponse:
    return await _send_bomb(exchange, "gzip", _gzip_pieces(exchange.number("mb", DEFAULT_BOMB)))


@trouble("/bomb/deflate", "deflate that unpacks to ?mb= (1024) megabytes of blanks")
async def _bomb_deflate(exchange: TroubleRequest) -> web.StreamResponse:
    return await _send_bomb(
        exchange, "deflate", _deflate_pieces(exchange.number("mb", DEFAULT_BOMB))
    )


@trouble("/bomb/zstd", "zstd that unpacks to ?mb= (1024) megabytes of blanks")
async def _bomb_zstd(exchange: TroubleRequest) -> web.StreamResponse:
    return await _send_bomb(exchange, "zstd", _zstd_pieces(exchange.number("mb", DEFAULT_BOMB)))


@trouble("/bomb/br", "brotli that unpacks to ?mb= (1024) megabytes of blanks; 501 without brotli")
async def _bomb_br(exchange: TroubleRequest) -> web.StreamResponse:
    try:
        import brotli
    except ImportError:
        return web.Response(status=501, text="This needs the package brotli: wireroom[test].\n")
    squeeze = brotli.Compressor(quality=1)

    def pieces() -> Iterator[bytes]:
        for _ in range(exchange.number("mb", DEFAULT_BOMB)):
            yield squeeze.process(MEGABYTE)
        yield squeeze.finish()

    return await _send_bomb(exchange, "br", pieces())


@trouble("/bomb/gzip-gzip", "gzip inside gzip: a kilobyte a gigabyte, ?mb= (1024) megabytes in all")
async def _bomb_twice(exchange: TroubleRequest) -> web.StreamResponse:
    outer = zlib.compressobj(9, zlib.DEFLATED, GZIP)

    def pieces() -> Iterator[bytes]:
        for piece in _gzip_pieces(exchange.number("mb", DEFAULT_BOMB)):
            squeezed = outer.compress(piece)
            if squeezed:
                yield squeezed
        yield outer.flush()

    return await _send_bomb(exchange, "gzip, gzip", pieces())


@trouble("/bomb/sitemap", "a gz file, no coding declared, that unpacks to ?mb= (1024) megabytes")
async def _bomb_sitemap(exchange: TroubleRequest) -> web.StreamResponse:
    await exchange.send_head("Content-Type: application/x-gzip")
    for piece in _gzip_pieces(exchange.number("mb", DEFAULT_BOMB)):
        await exchange.send(piece)
    return exchange.done()


_CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def _coded(codings: str, body: bytes) -> web.Response:
    for coding in codings.split(","):
        body = _CODERS[coding.strip()](body)
    headers = {"Content-Encoding": codings, "Content-Type": "text/html"}
    return web.Response(body=body, headers=headers)


@trouble("/coded", "a small page in the codings of ?with= (gzip), applied in that order")
async def _coded_page(exchange: TroubleRequest) -> web.StreamResponse:
    codings = exchange.word("with", "gzip")
    if any(coding.strip() not in _CODERS for coding in codings.split(",")):
        return web.Response(status=400, text=f"codings are {', '.join(_CODERS)}\n")
    return _coded(codings, PAGE)


@trouble("/coded/five", "a small page in five codings, gzip each")
async def _coded_five(_: TroubleRequest) -> web.StreamResponse:
    return _coded("gzip, gzip, gzip, gzip, gzip", PAGE)


@trouble("/coded/raw-deflate", "deflate without the zlib header, as old servers send it")
async def _raw_deflate(_: TroubleRequest) -> web.StreamResponse:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    body = squeeze.compress(PAGE) + squeeze.flush()
    return web.Response(body=body, headers={"Content-Encoding": "deflate", "Content-Type": "text/html"})  # fmt: skip


@trouble("/coded/lie", "says gzip, sends plain HTML")
async def _lie(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(body=PAGE, headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})  # fmt: skip


@trouble("/coded/cut", "gzip that stops in the middle")
async def _cut_gzip(_: TroubleRequest) -> web.StreamResponse:
    body = gzip.compress(PAGE, mtime=0)
    return web.Response(body=body[: len(body) // 2], headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})  # fmt: skip


@trouble("/coded/broken", "gzip with a damaged byte in the middle")
async def _broken_gzip(_: TroubleRequest) -> web.StreamResponse:
    body = bytearray(gzip.compress(PAGE, mtime=0))
    body[len(body) // 2] ^= 0xFF
    return web.Response(body=bytes(body), headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})  # fmt: skip


@trouble("/coded/unknown", "a coding that nobody knows")
async def _unknown(_: TroubleRequest) -> web.StreamResponse:
    return web.Response(body=PAGE, headers={"Content-Encoding": "town", "Content-Type": "text/html"})  # fmt: skip
