"""Every path of trouble.test does what its row of the table says; nobody is left unchecked."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable
from datetime import timedelta
from email.utils import parsedate_to_datetime
from functools import partial

import brotli
import pytest
import zstandard

from tests.town.client import MAX_RECEIVED, Raw, Reply, ask, exchange
from tests.town.conftest import NOW
from wireroom.town import TROUBLES, Running
from wireroom.town.trouble.charsets import SENTENCE
from wireroom.town.trouble.redirects import PRIVATE

Check = Callable[[Running], None]
CHECKS: dict[str, Check] = {}


def check(path: str) -> Callable[[Check], Check]:
    def enter(function: Check) -> Check:
        CHECKS[path] = function
        return function

    return enter


def _ask(served: Running, target: str, **more: str) -> Reply:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return ask(served, "trouble.test", target, headers=headers)


def _raw(served: Running, target: str, *, timeout: float = 10.0, most: int = MAX_RECEIVED) -> Raw:
    return exchange(served, "trouble.test", target, timeout=timeout, most=most)


def _status(target: str, status: int, served: Running) -> None:
    assert _ask(served, target).status == status


def _leads_to(target: str, location: str, status: int, served: Running) -> None:
    reply = _ask(served, target)
    assert (reply.status, reply.header("Location")) == (status, location)


# --- the table itself ---------------------------------------------------------------------------


def test_every_trouble_is_checked() -> None:
    assert set(CHECKS) == set(TROUBLES)


@pytest.mark.parametrize("path", sorted(TROUBLES))
def test_trouble_does_what_its_row_says(served: Running, path: str) -> None:
    CHECKS[path](served)


def test_index_lists_every_trouble(served: Running) -> None:
    text = _ask(served, "/").text
    assert all(f'href="{path}"' in text for path in TROUBLES)


def test_unknown_trouble_is_404(served: Running) -> None:
    assert _ask(served, "/no-such-trouble").status == 404


def test_town_lives_on_after_every_trouble(served: Running) -> None:
    for path in ("/reset", "/empty", "/broken-chunks", "/headers/nonsense"):
        _raw(served, path)
    assert ask(served, "courier.test").status == 200


def test_counting_starts_anew_on_request(served: Running) -> None:
    assert _ask(served, "/recovers?times=1&key=forget").status == 503
    assert _ask(served, "/recovers?times=1&key=forget").status == 200
    served.forget()
    assert _ask(served, "/recovers?times=1&key=forget").status == 503


# --- time ---------------------------------------------------------------------------------------


@check("/slow")
def _slow(served: Running) -> None:
    began = time.monotonic()
    assert _ask(served, "/slow?ms=200").status == 200
    assert time.monotonic() - began >= 0.2


@check("/drip")
def _drip(served: Running) -> None:
    began = time.monotonic()
    assert _ask(served, "/drip?bytes=10&ms=20").body == b"." * 10
    assert time.monotonic() - began >= 0.18


@check("/drip-head")
def _drip_head(served: Running) -> None:
    began = time.monotonic()
    reply = _ask(served, "/drip-head?lines=10&ms=20")
    assert (reply.status, reply.body, reply.header("X-Drip-9")) == (200, b"ok", ".")
    assert time.monotonic() - began >= 0.18


@check("/hang")
def _hang(served: Running) -> None:
    assert _raw(served, "/hang", timeout=0.3) == Raw(b"", "timeout")


@check("/hang-in-body")
def _hang_in_body(served: Running) -> None:
    raw = _raw(served, "/hang-in-body", timeout=0.3)
    assert raw.ended == "timeout"
    assert len(raw.data.partition(b"\r\n\r\n")[2]) == 500


# --- statuses -----------------------------------------------------------------------------------


@check("/status")
def _any_status(served: Running) -> None:
    for code in (204, 402, 418, 451, 500, 599):
        _status(f"/status?code={code}", code, served)
    _status("/status?code=42", 400, served)


@check("/throttled")
def _throttled(served: Running) -> None:
    target = "/throttled?seconds=7&times=2&key=throttled"
    replies = [_ask(served, target) for _ in range(3)]
    assert [reply.status for reply in replies] == [429, 429, 200]
    assert replies[0].header("Retry-After") == "7"


@check("/throttled-date")
def _throttled_date(served: Running) -> None:
    reply = _ask(served, "/throttled-date?seconds=60")
    when = parsedate_to_datetime(reply.header("Retry-After"))
    assert (reply.status, when - NOW) == (429, timedelta(seconds=60))


@check("/throttled-silly")
def _throttled_silly(served: Running) -> None:
    assert _ask(served, "/throttled-silly").header("Retry-After") == "soon"
    assert _ask(served, "/throttled-silly?value=-5").header("Retry-After") == "-5"


@check("/recovers")
def _recovers(served: Running) -> None:
    target = "/recovers?times=2&code=502&key=recovers"
    assert [_ask(served, target).status for _ in range(4)] == [502, 502, 200, 200]


@check("/breaks")
def _breaks(served: Running) -> None:
    assert [_ask(served, "/breaks?times=1&key=b").status for _ in range(3)] == [200, 500, 500]


CHECKS["/gone"] = partial(_status, "/gone", 410)


@check("/soft-404")
def _soft_404(served: Running) -> None:
    reply = _ask(served, "/soft-404")
    assert reply.status == 200
    assert "could not be found" in reply.text


@check("/no-head")
def _no_head(served: Running) -> None:
    assert ask(served, "trouble.test", "/no-head", method="HEAD").status == 405
    assert _ask(served, "/no-head").header("Content-Type").startswith("application/xml")


@check("/reset-head")
def _reset_head(served: Running) -> None:
    assert exchange(served, "trouble.test", "/reset-head", method="HEAD").ended == "reset"
    _status("/reset-head", 200, served)


# --- redirects ----------------------------------------------------------------------------------

CHECKS["/loop"] = partial(_leads_to, "/loop", "/loop", 302)
CHECKS["/loop-a"] = partial(_leads_to, "/loop-a", "/loop-b", 302)
CHECKS["/loop-b"] = partial(_leads_to, "/loop-b", "/loop-a", 302)
CHECKS["/moved"] = partial(_leads_to, "/moved", "/chain?n=0", 308)
CHECKS["/away"] = partial(_leads_to, "/away", "http://courier.test/about", 302)
CHECKS["/to-file"] = partial(_leads_to, "/to-file", "file:///etc/hostname", 302)
CHECKS["/to-script"] = partial(_leads_to, "/to-script", "javascript:alert(1)", 302)
CHECKS["/to-user"] = partial(_leads_to, "/to-user", "http://user:secret@courier.test/", 302)
CHECKS["/to-nowhere"] = partial(_leads_to, "/to-nowhere", "", 302)


@check("/loop-growing")
def _loop_growing(served: Running) -> None:
    _leads_to("/loop-growing", "/loop-growing?round=1", 302, served)
    _leads_to("/loop-growing?round=8", "/loop-growing?round=9", 302, served)


@check("/chain")
def _chain(served: Running) -> None:
    target, hops = "/chain?n=4", 0
    while location := _ask(served, target).header("Location"):
        target, hops = location, hops + 1
    assert hops == 4


@check("/to")
def _to(served: Running) -> None:
    _leads_to("/to?url=ftp%3A%2F%2Fa.test%2F", "ftp://a.test/", 302, served)
    _leads_to("/to?url=a%0D%0AX-Evil:1", "aX-Evil:1", 302, served)


@check("/to-private")
def _to_private(served: Running) -> None:
    places = {_ask(served, f"/to-private?n={n}").header("Location") for n in range(len(PRIVATE))}
    assert places == set(PRIVATE)
    assert len(PRIVATE) == 12


@check("/refresh")
def _refresh(served: Running) -> None:
    assert 'http-equiv="refresh"' in _ask(served, "/refresh").text


# --- bodies -------------------------------------------------------------------------------------


@check("/cut")
def _cut(served: Running) -> None:
    reply = _ask(served, "/cut?bytes=300")
    assert (reply.header("Content-Length"), len(reply.body)) == ("10000", 300)
    assert reply.ended == "closed"


@check("/cut-reset")
def _cut_reset(served: Running) -> None:
    assert _raw(served, "/cut-reset").ended == "reset"


@check("/cut-chunks")
def _cut_chunks(served: Running) -> None:
    reply = _ask(served, "/cut-chunks")
    assert (reply.body, reply.ended) == (b"5\r\nhello\r\n", "closed")


@check("/long")
def _long(served: Running) -> None:
    reply = _ask(served, "/long")
    assert (reply.header("Content-Length"), len(reply.body)) == ("10", 1000)


@check("/endless")
def _endless(served: Running) -> None:
    raw = _raw(served, "/endless")
    assert (raw.ended, len(raw.data) >= MAX_RECEIVED) == ("enough", True)
    assert b"Transfer-Encoding: chunked" in raw.data[:200]


@check("/endless-plain")
def _endless_plain(served: Running) -> None:
    raw = _raw(served, "/endless-plain")
    assert raw.ended == "enough"
    assert b"Content-Length" not in raw.data[:200]


@check("/large")
def _large(served: Running) -> None:
    raw = _raw(served, "/large?mb=3", most=10**7)
    head, _, body = raw.data.partition(b"\r\n\r\n")
    assert b"Content-Length: 3000000" in head
    assert len(body) == 3_000_000


@check("/large-promise")
def _large_promise(served: Running) -> None:
    reply = _ask(served, "/large-promise")
    assert (reply.header("Content-Length"), len(reply.body)) == (str(10**12), 1000)


@check("/broken-chunks")
def _broken_chunks(served: Running) -> None:
    assert b"\r\nzz\r\n" in _ask(served, "/broken-chunks").body


@check("/huge-chunk")
def _huge_chunk(served: Running) -> None:
    assert int(_ask(served, "/huge-chunk").body.partition(b"\r\n")[0], 16) == 2**60


@check("/empty")
def _empty(served: Running) -> None:
    assert _raw(served, "/empty") == Raw(b"", "closed")


@check("/reset")
def _reset(served: Running) -> None:
    assert _raw(served, "/reset") == Raw(b"", "reset")


@check("/empty-body")
def _empty_body(served: Running) -> None:
    reply = _ask(served, "/empty-body")
    assert (reply.status, reply.body) == (200, b"")


# --- codings ------------------------------------------------------------------------------------


def _bomb(path: str, coding: str, unpack: Callable[[bytes], bytes], served: Running) -> None:
    """The whole bomb is small on the wire; a small one unpacks to exactly what it says."""
    reply = _ask(served, f"{path}?mb=3")
    assert reply.header("Content-Encoding") == coding
    assert unpack(reply.body) == b" " * (3 * 2**20)
    whole = _raw(served, path)
    assert whole.ended == "closed"
    assert len(whole.data) < 2 * 2**20


def _gunzip_twice(body: bytes) -> bytes:
    return gzip.decompress(gzip.decompress(body))


def _unzstd(body: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(body)


CHECKS["/bomb/gzip"] = partial(_bomb, "/bomb/gzip", "gzip", gzip.decompress)
CHECKS["/bomb/deflate"] = partial(_bomb, "/bomb/deflate", "deflate", zlib.decompress)
CHECKS["/bomb/zstd"] = partial(_bomb, "/bomb/zstd", "zstd", _unzstd)
CHECKS["/bomb/br"] = partial(_bomb, "/bomb/br", "br", brotli.decompress)
CHECKS["/bomb/gzip-gzip"] = partial(_bomb, "/bomb/gzip-gzip", "gzip, gzip", _gunzip_twice)
CHECKS["/bomb/sitemap"] = partial(_bomb, "/bomb/sitemap", "", gzip.decompress)


def test_larger_gzip_bomb_is_sound(served: Running) -> None:
    """Many times the repeated piece, checked by its check sum, a little at a time."""
    packed = _ask(served, "/bomb/gzip?mb=64").body
    unpack, size = zlib.decompressobj(31), 0
    for at in range(0, len(packed), 4096):
        size += len(unpack.decompress(packed[at : at + 4096]))
    assert (size, unpack.eof) == (64 * 2**20, True)


def test_brotli_bomb_says_what_is_missing(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "brotli", None)
    reply = _ask(served, "/bomb/br")
    assert reply.status == 501
    assert "wireroom[test]" in reply.text


@check("/coded")
def _coded(served: Running) -> None:
    reply = _ask(served, "/coded?with=deflate,%20gzip")
    assert reply.header("Content-Encoding") == "deflate, gzip"
    assert b"honest size" in zlib.decompress(gzip.decompress(reply.body))
    assert b"honest size" in _unzstd(_ask(served, "/coded?with=zstd").body)
    assert _ask(served, "/coded?with=lzw").status == 400


@check("/coded/five")
def _coded_five(served: Running) -> None:
    reply = _ask(served, "/coded/five")
    body = reply.body
    for _ in reply.header("Content-Encoding").split(","):
        body = gzip.decompress(body)
    assert body.startswith(b"<html>")


@check("/coded/raw-deflate")
def _raw_deflate(served: Running) -> None:
    body = _ask(served, "/coded/raw-deflate").body
    with pytest.raises(zlib.error):
        zlib.decompress(body)
    assert zlib.decompress(body, -15).startswith(b"<html>")


@check("/coded/lie")
def _lie(served: Running) -> None:
    reply = _ask(served, "/coded/lie")
    assert reply.header("Content-Encoding") == "gzip"
    assert reply.body.startswith(b"<html>")


@check("/coded/cut")
def _coded_cut(served: Running) -> None:
    with pytest.raises(EOFError):
        gzip.decompress(_ask(served, "/coded/cut").body)


@check("/coded/broken")
def _coded_broken(served: Running) -> None:
    with pytest.raises((zlib.error, OSError, EOFError)):
        gzip.decompress(_ask(served, "/coded/broken").body)


@check("/coded/unknown")
def _coded_unknown(served: Running) -> None:
    assert _ask(served, "/coded/unknown").header("Content-Encoding") == "town"


# --- heads --------------------------------------------------------------------------------------


@check("/headers/many")
def _many(served: Running) -> None:
    assert len(_ask(served, "/headers/many").headers) > 10_000


@check("/headers/huge")
def _huge(served: Running) -> None:
    assert len(_ask(served, "/headers/huge").header("X-Huge")) >= 1_000_000


@check("/headers/early")
def _early(served: Running) -> None:
    data = _raw(served, "/headers/early").data
    assert data.count(b"HTTP/1.1 103 Early Hints") == 1000
    assert data.endswith(b"\r\n\r\nok")


@check("/headers/two-lengths")
def _two_lengths(served: Running) -> None:
    assert _ask(served, "/headers/two-lengths").all("Content-Length") == ["2", "4"]


@check("/headers/both")
def _both(served: Running) -> None:
    reply = _ask(served, "/headers/both")
    assert (reply.header("Content-Length"), reply.header("Transfer-Encoding")) == ("3", "chunked")


@check("/headers/nonsense")
def _nonsense(served: Running) -> None:
    assert b"\r\nthis is no field\r\n" in _raw(served, "/headers/nonsense").data


@check("/headers/control")
def _control(served: Running) -> None:
    assert b"\x1b[31mb\x07\nX-Smuggled" in _raw(served, "/headers/control").data


@check("/headers/no-status")
def _no_status(served: Running) -> None:
    assert _raw(served, "/headers/no-status").data.startswith(b"<html>")


@check("/headers/status-line")
def _status_line(served: Running) -> None:
    assert _raw(served, "/headers/status-line").data.startswith(b"HTTP/1.1 FINE")


@check("/headers/half")
def _half(served: Running) -> None:
    raw = _raw(served, "/headers/half")
    assert (raw.data.endswith(b"Content-Ty"), raw.ended) == (True, "closed")


@check("/cookie/set")
def _cookie_set(served: Running) -> None:
    assert _ask(served, "/cookie/set").header("Set-Cookie") == "town=seen; path=/"


@check("/cookie/check")
def _cookie_check(served: Running) -> None:
    assert _ask(served, "/cookie/check").text == "no"
    assert _ask(served, "/cookie/check", Cookie="a=b; town=seen").text == "yes"


@check("/echo")
def _echo(served: Running) -> None:
    seen = json.loads(_ask(served, "/echo?a=1", Referer="http://x.test/").body)
    assert (seen["method"], seen["target"]) == ("GET", "/echo?a=1")
    assert ["Referer", "http://x.test/"] in seen["headers"]


@check("/auth")
def _auth(served: Running) -> None:
    reply = _ask(served, "/auth")
    assert (reply.status, reply.header("WWW-Authenticate")) == (401, 'Basic realm="town"')
    assert _ask(served, "/auth", Authorization="Basic eDp5").text == "Basic eDp5"


# --- charsets -----------------------------------------------------------------------------------


def _charset(path: str, encoding: str, kind: str, served: Running) -> None:
    reply = _ask(served, path)
    assert reply.header("Content-Type") == kind
    assert SENTENCE in reply.body.decode(encoding)


CHECKS |= {
    f"/charset/{path}": partial(_charset, f"/charset/{path}", encoding, kind)
    for path, encoding, kind in (
        ("wrong-header", "cp1251", "text/html; charset=utf-8"),
        ("wrong-meta", "utf-8", "text/html"),
        ("wrong-both", "utf-8", "text/html; charset=iso-8859-1"),
        ("none", "cp1251", "text/html"),
        ("unknown", "utf-8", "text/html; charset=klingon"),
        ("codec", "utf-8", "text/html; charset=rot13"),
        ("utf-16", "utf-16-le", "text/html"),
        ("bom", "utf-8-sig", "text/html; charset=windows-1251"),
    )
}


@check("/charset/utf-7")
def _utf_7(served: Running) -> None:
    reply = _ask(served, "/charset/utf-7")
    assert reply.header("Content-Type") == "text/html; charset=utf-7"
    assert b"<script" not in reply.body
    assert "<script>" in reply.body.decode("utf-7")


@check("/charset/bad-byte")
def _bad_byte(served: Running) -> None:
    body = _ask(served, "/charset/bad-byte").body
    with pytest.raises(UnicodeDecodeError):
        body.decode()
    assert SENTENCE in body.decode(errors="replace")


# --- documents ----------------------------------------------------------------------------------


@check("/feed/rss")
def _feed_rss(served: Running) -> None:
    assert _ask(served, "/feed/rss").text.count("<item>") == 10


@check("/feed/html")
def _feed_html(served: Running) -> None:
    reply = _ask(served, "/feed/html")
    assert reply.header("Content-Type").startswith("application/rss+xml")
    assert reply.text.startswith("<!DOCTYPE html>")


@check("/feed/turning")
def _feed_turning(served: Running) -> None:
    after = {}
    for into in ("html", "empty", "nothing", "many", "cut"):
        target = f"/feed/turning?into={into}&after=1&key=turning"
        assert _ask(served, target).text.count("<item>") == 10
        after[into] = _ask(served, target)
    assert after["html"].header("Content-Type").startswith("text/html")
    assert after["many"].text.count("<item>") == 100
    assert "<channel>" in after["empty"].text
    assert "<item>" not in after["empty"].text
    assert after["nothing"].body == b""
    assert not after["cut"].text.endswith("</rss>")


@check("/feed/entities")
def _feed_entities(served: Running) -> None:
    text = _ask(served, "/feed/entities").text
    assert "<!DOCTYPE" in text
    assert text.count("&e8;") == 10


@check("/feed/external")
def _feed_external(served: Running) -> None:
    assert 'SYSTEM "file:///etc/hostname"' in _ask(served, "/feed/external").text


@check("/feed/address")
def _feed_address(served: Running) -> None:
    assert _ask(served, "/feed/address").text == "http://trouble.test/feed/rss"


@check("/sitemap/self")
def _sitemap_self(served: Running) -> None:
    assert "<loc>http://trouble.test/sitemap/self</loc>" in _ask(served, "/sitemap/self").text


@check("/sitemap/deep")
def _sitemap_deep(served: Running) -> None:
    assert "/sitemap/deep?level=6</loc>" in _ask(served, "/sitemap/deep?level=5").text


@check("/sitemap/large")
def _sitemap_large(served: Running) -> None:
    reply = _ask(served, "/sitemap/large?mb=2")
    assert len(reply.body) > 1_900_000
    assert reply.body.endswith(b"</urlset>\n")


@check("/sitemap/cut")
def _sitemap_cut(served: Running) -> None:
    assert _ask(served, "/sitemap/cut").text.endswith("trouble.te")


@check("/robots/large")
def _robots_large(served: Running) -> None:
    raw = _raw(served, "/robots/large", most=20 * 10**6)
    assert len(raw.data) > 9_900_000
    assert raw.data.endswith(b"\nDisallow: /\n")


@check("/rsl/dtd")
def _rsl_dtd(served: Running) -> None:
    assert "<!DOCTYPE rsl" in _ask(served, "/rsl/dtd").text


@check("/page/deep")
def _page_deep(served: Running) -> None:
    assert _ask(served, "/page/deep").body.count(b"<div>") == 100_000


@check("/page/attributes")
def _page_attributes(served: Running) -> None:
    assert _ask(served, "/page/attributes?n=1000").body.count(b"=1") == 1000


@check("/page/control")
def _page_control(served: Running) -> None:
    body = _ask(served, "/page/control").body
    assert b"a\x00b\x1b" in body
    assert rb"\ud800" in body


@check("/page/colspan")
def _page_colspan(served: Running) -> None:
    assert "9007199254740991" in _ask(served, "/page/colspan").text


# --- validators ---------------------------------------------------------------------------------


def _tagged(path: str, sent_back: str, other: str, served: Running) -> None:
    """What was given is honoured when it comes back exactly, and only then."""
    given, back = ("ETag", "If-None-Match")
    if path.startswith("/modified"):
        given, back = ("Last-Modified", "If-Modified-Since")
    first = _ask(served, path)
    assert (first.status, first.header(given)) == (200, sent_back)
    assert _ask(served, path, **{back: sent_back}).status == 304
    assert _ask(served, path, **{back: other}).status == 200


CHECKS["/etag/strong"] = partial(_tagged, "/etag/strong", '"v1"', '"v2"')
CHECKS["/etag/weak"] = partial(_tagged, "/etag/weak", 'W/"v1"', '"v1"')
CHECKS["/etag/odd"] = partial(_tagged, "/etag/odd", 'odd tag, W/"x"', '"x"')
CHECKS["/modified/odd"] = partial(
    _tagged,
    "/modified/odd",
    "Sunday, 15 Nov 2026 12:00:00 +0100 (local)",
    "Sun, 15 Nov 2026 11:00:00 GMT",
)


@check("/etag/changing")
def _changing(served: Running) -> None:
    tags = {_ask(served, "/etag/changing?key=c").header("ETag") for _ in range(3)}
    assert len(tags) == 3


@check("/etag/unasked")
def _unasked(served: Running) -> None:
    assert _ask(served, "/etag/unasked").status == 304


@check("/etag/ignored")
def _ignored(served: Running) -> None:
    assert _ask(served, "/etag/ignored", If_None_Match='"v1"').status == 200


@check("/modified/build-time")
def _build_time(served: Running) -> None:
    stamps = {_ask(served, "/modified/build-time?key=b").header("Last-Modified") for _ in range(3)}
    assert len(stamps) == 3
