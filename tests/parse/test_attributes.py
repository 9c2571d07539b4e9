"""Elements with very many attributes or namespaces cost what their bytes cost, whoever reads them.

lxml looks each value up anew when all are asked for, and declares every namespace anew in what it
writes out: both take the square of their number.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from lxml import etree

from tests.budget import ROOM, cpu_within
from wireroom.errors import ParseError
from wireroom.parse.feed import read_feed
from wireroom.parse.html import open_page
from wireroom.parse.links import read_page_links
from wireroom.parse.opml_outlines import read_opml
from wireroom.parse.sitemap import read_sitemap
from wireroom.parse.xmltree import MAX_NAMESPACES, first_attributes, inner_markup, read_tree
from wireroom.signals.rsl.rsl_document import read_rsl

FEW, MANY = 20_000, 80_000
TIMES_LONGER = 2.5 * MANY / FEW  # than with FEW, at most; the square would be 16

RSS = "<rss xmlns:q='u:q' xmlns:media='http://search.yahoo.com/mrss/'><channel><item><title>t</title>{0}</item></channel></rss>"
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>t</title>{0}</entry></feed>"
SITEMAP = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url{0}><loc{0}>https://a.test/b</loc></url></urlset>"
PAGE = (
    "<html{0}><head><meta{0}><link{0} rel=alternate href=/x></head><body><p{0}>x</p></body></html>"
)
PLACES: dict[str, tuple[Callable[[bytes], object], str]] = {
    "rss enclosure": (read_feed, RSS.format("<enclosure{0} url='https://a.test/x.mp3'/>")),
    "rss media": (read_feed, RSS.format("<media:content{0} url='https://a.test/x.mp3'/>")),
    "rss extension": (read_feed, RSS.format("<q:x{0}>1</q:x>")),
    "rss root": (read_feed, "<rss{0}><channel><item><title>t</title></item></channel></rss>"),
    "atom link": (read_feed, ATOM.format("<link{0} href='https://a.test/b'/>")),
    "atom content": (
        read_feed,
        ATOM.format(
            "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'{0}><p{0}>x</p></div></content>"
        ),
    ),
    "sitemap": (read_sitemap, SITEMAP),
    "opml": (read_opml, "<opml><body><outline{0} xmlUrl='https://a.test/b'/></body></opml>"),
    "rsl": (
        read_rsl,
        "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'{0}/></rsl>",
    ),
    "page": (lambda body: read_page_links(open_page(body, url="https://a.test/")), PAGE),
}
KINDS = {"attributes": ' a{0}="{0}"', "namespaces": ' xmlns:a{0}="u:{0}"'}


def document(place: str, kind: str, count: int) -> bytes:
    many = "".join(KINDS[kind].format(number) for number in range(count))
    return PLACES[place][1].replace("{0}", many).encode()


def cost(place: str, kind: str, count: int) -> float:
    body, read = document(place, kind, count), PLACES[place][0]
    started = time.process_time()
    try:
        read(body)
    except ParseError:  # it was too large: no reader has to take it
        return 0.0
    return time.process_time() - started


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_time_grows_with_the_number_of_attributes_not_with_its_square(
    place: str, kind: str
) -> None:
    few = min(cost(place, kind, FEW) for _ in range(3))
    many = min(cost(place, kind, MANY) for _ in range(2))
    assert many < max(few, 0.02) * TIMES_LONGER * ROOM / 2
    assert many < ROOM  # seconds; 38 were needed for one enclosure


@pytest.mark.parametrize("place", PLACES)
def test_some_thousand_attributes_are_read_at_once(place: str) -> None:
    with cpu_within(0.1):
        cost(place, "attributes", 5_000)
        cost(place, "namespaces", 2_000)


def test_an_enclosure_is_found_behind_any_number_of_attributes() -> None:
    feed = read_feed(document("rss enclosure", "attributes", 1_000))
    (enclosure,) = feed.items[0].extra["enclosures"]
    assert enclosure["url"] == "https://a.test/x.mp3"


def test_so_many_attributes_are_read_and_no_more() -> None:
    element = etree.fromstring("<a b='1' c='2' d='3'/>")
    assert first_attributes(element, 3) == [("b", "1"), ("c", "2"), ("d", "3")]
    assert first_attributes(element, 2) == [("b", "1"), ("c", "2")]


def test_namespaces_beyond_the_limit_are_left_out_and_that_is_reported() -> None:
    names = "".join(f" xmlns:a{number}='u:{number}'" for number in range(MAX_NAMESPACES + 3))
    tree = read_tree(f"<r{names}><a5:x/><b/></r>".encode())
    assert tree.cut
    assert len(tree.root.nsmap) == MAX_NAMESPACES
    assert [child.tag for child in tree.root] == ["{u:5}x", "b"]
    few = read_tree(b"<r>" + b"<i xmlns='u:i'/>" * (2 * MAX_NAMESPACES) + b"</r>")
    assert not few.cut, "many elements may declare one each"


def test_markup_inside_an_element_is_written_once_with_all_its_children() -> None:
    source = "<r xmlns='u:r' xmlns:q='u:q'>a &amp; b<i t='&gt;\"'/> c &lt; d<q:b>e</q:b>f</r>"
    assert (
        inner_markup(etree.fromstring(source))
        == 'a &amp; b<i t="&gt;&quot;"></i> c &lt; d<b>e</b>f'
    )
    assert inner_markup(etree.fromstring("<r>a &amp; b</r>")) == "a &amp; b"
    names = "".join(f" xmlns:a{number}='urn:{number}'" for number in range(90))
    with cpu_within(0.3):
        inner_markup(etree.fromstring(f"<r{names}>{'<b/>' * 20_000}</r>"))
