"""Publishers that are odd as a whole, on one loopback port: what they serve depends on the name asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINE = b"Disallow: /a/rather/long/path/that/nobody/has/ever/asked/for\n"
XML = "application/xml"
RSL_LINE = b'<content url="/x"><license><permits type="usage">all</permits></license></content>\n'
DTD = """<?xml version="1.0"?><!DOCTYPE rsl [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>
<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">&b;</permits>
</license></content></rsl>"""
HOME = "<html><head><title>{name}</title>{head}</head><body><h1>{name}</h1>{body}</body></html>"


@dataclass
class Odd:
    """Where they are, and who was asked for what."""

    port: int
    asked: list[tuple[str, str]] = field(default_factory=list)

    def hosts(self) -> dict[str, str]:
        return dict.fromkeys(PUBLISHERS, f"127.0.0.1:{self.port}")

    def requests_to(self, name: str) -> list[str]:
        return [path for host, path in self.asked if host == name]


class _Handler(BaseHTTPRequestHandler):
    odd: Odd

    def do_GET(self) -> None:
        name = self.headers.get("Host", "").partition(":")[0]
        self.odd.asked.append((name, self.path))
        PUBLISHERS[name](self)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_message: object) -> None:
        """Says nothing."""

    def give(self, body: bytes | str, kind: str = "text/html", status: int = 200) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def give_long(self, piece: bytes, times: int, kind: str) -> None:
        """A long body, whose reader may leave when it has enough."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(piece) * times))
        self.end_headers()
        try:
            for _ in range(times):
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True

    def home(self, name: str, head: str = "", body: str = "") -> None:
        if self.path == "/":
            self.give(HOME.format(name=name, head=head, body=body))
        else:
            self.give("no such page", status=404)


def _garbage(handler: _Handler) -> None:
    handler.wfile.write(b"\x00\xff\xfe this is no HTTP \r\n\r\n" + bytes(range(256)))
    handler.close_connection = True


def _errors(handler: _Handler) -> None:
    handler.give("sorry", status=500)


def _missing(handler: _Handler) -> None:
    handler.give("no such page", status=404)


def _barred(handler: _Handler) -> None:
    if handler.path == "/robots.txt":
        handler.give("User-agent: *\nDisallow: /\n", "text/plain")
    else:
        handler.home("Barred")


def _barred_feed(handler: _Handler) -> None:
    if handler.path == "/robots.txt":
        handler.give("User-agent: *\nDisallow: /feed\n", "text/plain")
    else:
        link = '<link rel="alternate" type="application/rss+xml" href="/feed/">'
        handler.home("Barred feed", head=link)


def _long_robots(handler: _Handler) -> None:
    if handler.path == "/robots.txt":
        handler.give_long(LINE * 1000, 10_000_000 // (len(LINE) * 1000) + 1, "text/plain")
    else:
        handler.home("Long robots")


def _rsl(write: Callable[[_Handler], None]) -> Callable[[_Handler], None]:
    def answer(handler: _Handler) -> None:
        if handler.path == "/robots.txt":
            handler.give("User-agent: *\nAllow: /\nLicense: /rsl.xml\n", "text/plain")
        elif handler.path == "/rsl.xml":
            write(handler)
        else:
            handler.home("RSL")

    return answer


def _selfish(handler: _Handler) -> None:
    url = "http://selfish.test/sitemap.xml"
    if handler.path == "/robots.txt":
        handler.give(f"User-agent: *\nAllow: /\nSitemap: {url}\n", "text/plain")
    elif handler.path == "/sitemap.xml":
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        entry = f"<sitemap><loc>{url}</loc></sitemap>"
        handler.give(f'<sitemapindex xmlns="{space}">{entry}</sitemapindex>', XML)
    else:
        handler.home("Selfish")


def _printed(handler: _Handler) -> None:
    if handler.path == "/terms.pdf":
        handler.give(b"%PDF-1.7\n" + bytes(range(256)) * 40, "application/pdf")
    else:
        handler.home("Printed", body='<footer><a href="/terms.pdf">Terms of use</a></footer>')


def _forger(handler: _Handler) -> None:
    """Its words move cursors and look like markup."""
    handler.home("[bold red]\x1b[31mForged\x1b]0;title\x07[/] \u202egnp.exe")


FEED = """<rss version="2.0"><channel><title>Settled</title><link>http://settled.test/</link>
<item><title>Story</title><link>http://settled.test/2026/11/a-story</link></item></channel></rss>"""


def _moved(handler: _Handler) -> None:
    """All of it stands at another domain for good."""
    handler.send_response(301)
    handler.send_header("Location", f"http://settled.test{handler.path}")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def _settled(handler: _Handler) -> None:
    if handler.path == "/feed.xml":
        handler.give(FEED, "application/rss+xml")
    else:
        handler.home(
            "Settled", head='<link rel=alternate type="application/rss+xml" href=/feed.xml>'
        )


def _unhurried(handler: _Handler) -> None:
    """Wants a second between two requests, and announces nothing."""
    if handler.path == "/robots.txt":
        handler.give("User-agent: *\nCrawl-delay: 1\n", "text/plain")
    elif handler.path == "/feed/":
        handler.give(FEED.replace("settled", "unhurried"), "application/rss+xml")
    else:
        handler.home("Unhurried")


PUBLISHERS: dict[str, Callable[[_Handler], None]] = {
    "garbage.test": _garbage,
    "errors.test": _errors,
    "missing.test": _missing,
    "barred.test": _barred,
    "barred-feed.test": _barred_feed,
    "long-robots.test": _long_robots,
    "long-rsl.test": _rsl(lambda handler: handler.give_long(RSL_LINE * 1000, 1_200, XML)),
    "dtd.test": _rsl(lambda handler: handler.give(DTD, XML)),
    "selfish.test": _selfish,
    "printed.test": _printed,
    "forger.test": _forger,
    "moved.test": _moved,
    "settled.test": _settled,
    "unhurried.test": _unhurried,
}


@contextmanager
def odd_publishers() -> Iterator[Odd]:
    """Serves them in a thread."""

    class Handler(_Handler):
        pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.odd = Odd(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Handler.odd
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
