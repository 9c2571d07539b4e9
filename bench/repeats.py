"""Documents that repeat one piece, through every reader: how its time grows with the number of pieces.

`bench/fuzz.py` prints what is measured here, a line each.

A place is a document with a gap (`GAP`) somewhere in it, and what is repeated fills the gap: signs,
tags, attributes, keys, words of each format. A reader whose time grows faster than n log n lets one
publisher keep a worker busy for as long as it likes.
"""

from __future__ import annotations

import json
import math
import signal
import time
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wireroom.parse.robots import Robots

GAP = "\x01"  # where the pieces stand; no document of ours has it
URL = "https://courier.test/a/b"
LENGTHS = (8_000, 32_000, 128_000, 512_000)  # bytes of repeated pieces; caps hold at the last
SHORT_LENGTHS = (4_000, 16_000)
WORST = 1.4  # the exponent that counts as too much; caches and garbage make 1.1 of n log n
NOTICED = 0.004  # CPU s for the shortest document, below which the next ones need not be read
MINOR = 0.1  # CPU s for the longest document, below which noise decides
FURTHER = (
    8  # times as long is the document that decides in doubt; elements may be 500 deep, no more
)
TOO_LONG = 4.0  # CPU s; who takes so long has been found out
TEXT = "The harbour master resigns after thirty years, and nobody knows who will follow him. "

SIGNS = tuple(" \t\n.,;:!?\"'()[]{}<>/\\|-_=*#@&%$~^+a1é漢\0\x85\u2028\u00a0…§")
TOKENS = (
    *("<p>", "</p>", "<b>", "<a href=x>", "<br/>", "<!--", "-->", "<![CDATA[", "]]>", "<p/>x", "</"),
    *("&amp;", "&#", "&x;", "&#65;", "%41", "\\u0041", "\\", '\\"', "a ", "a.", ". ", ".\n", "A. ", "- "),
    *("a: b\n", "x=1; ", '"a":1,', '{"a":', "[[", "https://a.test/x ", "https://a.test/x\n", "@a.b "),
    *("1 January 2026 ", "2026-11-17T06:00:00Z ", "by Jane Doe and ", "Jane Doe, ", "and ", "you may not "),
    *("reserve all rights. ", "* a\n", "# a\n", "[a](b)\n", "<div>", "</div>", "<td>", "<i><b>", "</i>"),
    *("<li>", "<script>", "</script>", "<title>", "<meta>", "<a ", "='", '="', "a=b ", "a='b' ", "(", "a(b) "),
    *("Disallow: /a\n", "User-agent: a\n", "Allow: /*a*$\n", "/*", "a*", "no-", "a, ", "a; ", '"a", ', '<a>; rel="b", '),
)  # fmt: skip


class Place(NamedTuple):
    """A document with a gap, and who reads it."""

    reader: str
    name: str
    document: str


class Growth(NamedTuple):
    """How the time of a reader grows in one place, for its worst piece."""

    place: Place
    piece: str
    exponent: float
    seconds: float
    """For the longest document that was read."""

    @property
    def is_bounded(self) -> bool:
        """Whether one publisher cannot keep a worker busy with it."""
        return self.exponent < WORST or self.seconds < MINOR


# --- places ---------------------------------------------------------------------------------------

_RSS = f"<rss xmlns:media='http://search.yahoo.com/mrss/' xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:q='u:q'><channel><title>C</title><link>https://courier.test/</link>%s<item><title>t</title><link>{URL}</link>%s</item></channel></rss>"  # fmt: skip
_ATOM = f"<feed xmlns='http://www.w3.org/2005/Atom'><title>C</title>%s<entry><title>t</title><id>1</id><link href='{URL}'/>%s</entry></feed>"  # fmt: skip
_PAGE = f"<!doctype html><html lang=en><head><title>Harbour</title>%s</head><body><article><h1>Harbour</h1>%s<p>{TEXT * 8}</p><p>{TEXT * 8}</p></article>%s</body></html>"  # fmt: skip
_URLSET = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>%s<url><loc>https://courier.test/a</loc>%s</url></urlset>"  # fmt: skip
_LD = '<script type="application/ld+json">%s</script>'


def places() -> Iterator[Place]:
    """Every place that is tried."""
    for name in ("title", "description", "pubDate", "author", "category", "guid", "link", "dc:creator", "content:encoded", "q:x", "media:title"):  # fmt: skip
        yield Place("feed", f"rss {name}", _RSS % ("", f"<{name}>{GAP}</{name}>"))
        yield Place("feed", f"rss {name} cdata", _RSS % ("", f"<{name}><![CDATA[{GAP}]]></{name}>"))
    yield Place("feed", "rss item", _RSS % ("", GAP))
    yield Place("feed", "rss channel", _RSS % (GAP, ""))
    yield Place("feed", "rss attributes", _RSS % ("", f"<media:content url='x' {GAP}/>"))
    for kind in ("text", "html", "xhtml"):
        yield Place("feed", f"atom content {kind}", _ATOM % ("", f"<content type='{kind}'>{GAP}</content>"))  # fmt: skip
    yield Place("feed", "atom entry", _ATOM % ("", GAP))
    yield Place("feed", "before the root", f"{GAP}{_RSS % ('', '')}")
    yield Place("feed", "json", f'{{"version":"https://jsonfeed.org/version/1.1","items":[{{"id":"1","content_html":"{GAP}"}}]}}')  # fmt: skip
    yield Place("feed", "json members", f'{{"version":"https://jsonfeed.org/version/1.1",{GAP}"items":[]}}')  # fmt: skip
    yield Place("sitemap", "loc", _URLSET % ("", f"<loc>{GAP}</loc>"))
    yield Place("sitemap", "url", _URLSET % ("", GAP))
    yield Place("sitemap", "root", _URLSET % (GAP, ""))
    yield Place("sitemap", "attributes", _URLSET.replace("<urlset", f"<urlset {GAP}") % ("", ""))
    yield Place("sitemap", "text", f"https://courier.test/a\n{GAP}")
    yield Place("robots", "whole", GAP)
    yield Place("robots", "rule", f"User-agent: *\nDisallow: /{GAP}\n")
    yield Place("robots", "comment", f"# {GAP} mining 44b\nUser-agent: *\nDisallow: /\n")
    yield Place("opml", "body", f"<opml><body>{GAP}</body></opml>")
    yield Place(
        "opml", "outline", f"<opml><body><outline xmlUrl='{URL}' text='{GAP}'/></body></opml>"
    )
    yield Place("opml", "attributes", f"<opml><body><outline xmlUrl='{URL}' {GAP}/></body></opml>")
    for part in ("<content url='/'>%s</content>", "<content url='/%s'/>", "<content url='/'><license>%s</license></content>", "<content %s url='/'/>"):  # fmt: skip
        yield Place("rsl", part, f"<rsl xmlns='https://rslstandard.org/rsl'>{part % GAP}</rsl>")
    for reader in ("llms.txt", "trust.txt", "ai.txt", "tdmrep", "link header", "content usage", "content signal", "robots tag", "encoding", "terms", "date", "names", "values"):  # fmt: skip
        yield Place(reader, "whole", GAP)
        yield Place(reader, "behind words", f"Terms of use. {TEXT}{GAP}")
    yield Place("link header", "value", f'<https://a.test/{GAP}>; rel="{GAP}"')
    yield Place("tdmrep", "json", f'[{{"location":"{GAP}","tdm-reservation":1}}]')
    yield Place("tdmrep", "list", f'[{GAP}{{"location":"/","tdm-reservation":1}}]')
    yield Place("records", "json", f'[{{"title":"t","url":"{URL}","body":"{GAP}"}}]')
    yield Place("records", "list", f'[{GAP}{{"title":"t"}}]')
    for reader in ("page links", "article", "page tags"):
        yield Place(reader, "head", _PAGE % (GAP, "", ""))
        yield Place(reader, "article", _PAGE % ("", GAP, ""))
        yield Place(reader, "paragraph", _PAGE % ("", f"<p>{GAP}</p>", ""))
        yield Place(reader, "title", _PAGE.replace("Harbour<", f"{GAP}<") % ("", "", ""))
        yield Place(reader, "end", _PAGE % ("", "", GAP))
        yield Place(reader, "attribute", _PAGE % ("", f"<p class='{GAP}'>x</p>", ""))
        yield Place(reader, "attributes", _PAGE % (f"<meta name=a {GAP}>", f"<p {GAP}>x</p>", ""))
        yield Place(reader, "meta", _PAGE % (f'<meta name=author content="{GAP}"><meta name=keywords content="{GAP}"><meta property="article:published_time" content="{GAP}"><meta http-equiv=refresh content="{GAP}">', "", ""))  # fmt: skip
        yield Place(reader, "byline", _PAGE % ("", f"<p class=byline>{GAP}</p><time>{GAP}</time>", ""))  # fmt: skip
        yield Place(reader, "json-ld", _PAGE % (_LD % GAP, "", ""))
        yield Place(reader, "json-ld text", _PAGE % (_LD % f'{{"@type":"NewsArticle","author":"{GAP}","articleBody":"{GAP}"}}', "", ""))  # fmt: skip
        yield Place(reader, "json-ld list", _PAGE % (_LD % f'{{"@type":"NewsArticle","author":[{GAP}"x"]}}', "", ""))  # fmt: skip
        yield Place(reader, "microdata", _PAGE % ("", f'<div itemscope itemtype="https://schema.org/Article"><span itemprop=author>{GAP}</span></div>', ""))  # fmt: skip
        yield Place(reader, "links", _PAGE % (f'<link rel="{GAP}" href="{GAP}">', f'<a rel="{GAP}" href="{GAP}">x</a>', ""))  # fmt: skip


def pieces(place: Place) -> Iterator[str]:
    """What is repeated there; some pieces are made of what the reader knows."""
    yield from SIGNS
    yield from TOKENS
    yield from _OWN.get(place.reader, ())
    if "attributes" in place.name:
        yield "a#='#' "
        yield "xmlns:a#='u:#' "


_OWN = {
    "feed": ("<item><title>a#</title></item>", "<category>a</category>", "<q:y>a</q:y>", "<link>#</link>", "<media:content url='#'/>", "<entry><id>#</id></entry>", "<author><name>a#</name></author>", '"a#":#,', "<dc:date>2026</dc:date>"),
    "sitemap": ("<url><loc>https://courier.test/#</loc></url>", "<n:news><n:title>a</n:title></n:news>"),
    "robots": ("User-agent: a#\n", "Disallow: /#\n", "Allow: /*#*/*\n", "Sitemap: /#\n", "Crawl-delay: #\n", "License: /#\n", "User-agent: a#\nLicense: /\n", "User-agent: a#\nContent-Signal: ai-train=no\n"),
    "opml": ("<outline xmlUrl='https://a.test/#'/>", "<outline text='#'>", "<outline/>"),
    "rsl": ("<license><permits type='usage'>search</permits></license>", "<content url='/#'/>", "<permits type='usage'>a</permits>"),
    "llms.txt": ("- [a#](https://a.test/#): b\n", "## a#\n"),
    "trust.txt": ("member=https://a#.test/\n",),
    "article": ("<p>a# b c d.</p>", "<div><p>a b c.</p>", "<section>", "<table><tr><td>", "<ul><li>a#", "<span itemprop=author>a#</span>", '{"@id":"#","author":{"@id":"#"}},', "<a href='/#'>a#</a>", "<meta name=a# content=b>", "<h2>a#</h2>", "<figure>", "<span itemscope>", "<p itemprop=name>"),
    "page links": ("<a href='/#'>a#</a>", "<link rel=alternate href='/#'>"),
    "page tags": ("<meta name=robots content='a#'>", "<link rel=license href='/#'>", "<a rel=license href='/#'>x</a>", "<b>Photo <a rel=license href='/#'>x", "<div class=text><a rel=license href='/#'>x</a>", "<article><h1>x</h1><a rel=license href='/#'>x</a>"),
    "records": ('{"title":"#"},', '"a#":#,'),
    "link header": ('<https://a.test/#>; rel="a", ', "; a#=b"),
    "content usage": ("a#=n, ",),
    "terms": ("You may not use a# for training. ", "You may not:\n- copy a#;\n", "(a) use; ", "Article #\n", "\n\n"),
}  # fmt: skip


def filled(place: Place, piece: str, length: int) -> bytes:
    """The document with so many bytes of pieces in its gap; `#` counts them."""
    if "#" in piece and len(piece) > 1:
        count = max(1, length // (len(piece.encode()) + 3))
        text = "".join(piece.replace("#", str(number)) for number in range(count))
    else:
        text = piece * max(1, length // len(piece.encode()))
    return place.document.replace(GAP, text).encode()


# --- readers ----------------------------------------------------------------------------------------


def _ask_robots(robots: Robots) -> None:
    """What a scout asks of a file besides its text."""
    from wireroom.rights.agents import agents_key, view_agents

    path = URL + "/a" * 50
    robots.decide("wireroom", path)
    robots.licences("wireroom")
    robots.content_usages("wireroom", path)
    view_agents(robots, path)
    agents_key(robots, path)


def readers() -> dict[str, Callable[[bytes], object]]:
    """Each reader by its name."""
    from wireroom import extract
    from wireroom.dates import read_date
    from wireroom.parse.encoding import decode
    from wireroom.parse.feed import read_feed
    from wireroom.parse.html import open_page
    from wireroom.parse.links import read_page_links
    from wireroom.parse.links.link_headers import read_link_headers
    from wireroom.parse.metadata.lenient_json import read_values
    from wireroom.parse.metadata.person_names import read_names
    from wireroom.parse.opml_outlines import read_opml
    from wireroom.parse.records import read_records
    from wireroom.parse.robots import read_robots
    from wireroom.parse.sitemap import read_sitemap
    from wireroom.signals.terms.terms_reading import read_terms

    signals = _signal_readers()
    return {
        **signals,
        "feed": lambda body: read_feed(body, base_url=URL),
        "sitemap": lambda body: read_sitemap(body, base_url=URL),
        "robots": lambda body: _ask_robots(read_robots(body)),
        "opml": read_opml,
        "page links": lambda body: read_page_links(open_page(body, url=URL)),
        "article": lambda body: extract(body, url=URL),
        "link header": lambda body: read_link_headers(body.decode(), base_url=URL),
        "encoding": decode,
        "records": lambda body: read_records(body, field_map={}, base_url=URL),
        "terms": lambda body: read_terms(body.decode(), language="en"),
        "date": lambda body: read_date(body.decode()),
        "names": lambda body: read_names(body.decode()),
        "values": lambda body: read_values(body.decode()),
    }  # fmt: skip


def _signal_readers() -> dict[str, Callable[[bytes], object]]:
    from wireroom.parse.html import open_page
    from wireroom.parse.page_tags import read_page_tags
    from wireroom.scout.steps.llms_txt import read_llms_txt
    from wireroom.signals.ai_txt import read_ai_txt
    from wireroom.signals.content_signal import read_content_signal
    from wireroom.signals.content_usage import read_content_usage
    from wireroom.signals.robots_tag import read_robots_tag
    from wireroom.signals.rsl.rsl_document import read_rsl
    from wireroom.signals.tdmrep.tdm_documents import read_tdm_file
    from wireroom.signals.trust_txt import read_trust_txt

    return {
        "rsl": read_rsl,
        "llms.txt": lambda body: read_llms_txt(body, base_url=URL),
        "trust.txt": read_trust_txt,
        "ai.txt": read_ai_txt,
        "tdmrep": lambda body: read_tdm_file(body, base_url=URL),
        "content usage": lambda body: read_content_usage(body.decode()),
        "content signal": lambda body: read_content_signal(body.decode()),
        "robots tag": lambda body: read_robots_tag(body.decode()),
        "page tags": lambda body: read_page_tags(open_page(body, url=URL), url=URL),
    }


# --- measuring ---------------------------------------------------------------------------------------


class _TooLongError(Exception):
    """The time of one document is over."""


def _end(_number: int, _frame: object) -> None:
    raise _TooLongError


def growth(place: Place, read: Callable[[bytes], object], lengths: tuple[int, ...]) -> Growth:
    """The worst growth in a place, over all pieces."""
    worst = Growth(place, "", 0.0, 0.0)
    for piece in pieces(place):
        exponent, seconds = _exponent(place, piece, read, lengths)
        if exponent > WORST:  # by chance, or up to a cap: a much longer document decides
            further = (lengths[-1], FURTHER * lengths[-1])
            exponent, seconds = _exponent(place, piece, read, further)
        if exponent > worst.exponent:
            worst = Growth(place, piece, exponent, seconds)
    return worst


def _exponent(
    place: Place, piece: str, read: Callable[[bytes], object], lengths: tuple[int, ...]
) -> tuple[float, float]:
    before, length = _seconds(read, filled(place, piece, lengths[0])), lengths[0]
    exponent = 0.0
    for longer in lengths[1:]:
        if before < NOTICED:
            break
        seconds = min(_seconds(read, filled(place, piece, longer)) for _ in range(2))
        if math.isinf(seconds):
            return math.inf, seconds
        exponent = math.log(seconds / before) / math.log(longer / length)
        before, length = seconds, longer
    return exponent, before


def _seconds(read: Callable[[bytes], object], body: bytes) -> float:
    from wireroom.errors import ParseError

    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)
    began = time.process_time()
    try:
        read(body)
    except ParseError:
        pass  # refused, which takes time too
    except _TooLongError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return max(time.process_time() - began, 1e-6)


def all_growths(*, short: bool, wanted: Collection[str] = ()) -> Iterator[Growth]:
    """Every place in turn, or those of some readers."""
    known = readers()
    for place in places():
        if place.reader in (wanted or known):
            yield growth(place, known[place.reader], SHORT_LENGTHS if short else LENGTHS)


def described(row: Growth) -> str:
    """One line for people."""
    where = f"{row.place.reader}: {row.place.name}"
    return f"n^{row.exponent:.2f} {row.seconds:8.4f} s {where} {json.dumps(row.piece)}"
