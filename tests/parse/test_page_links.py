"""The links of a page: feeds, licences, terms, icons and its own addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom.parse.html import open_page
from wireroom.parse.links import PageLinks, read_page_links
from wireroom.parse.links.page_links import MAX_FEEDS, MAX_LINKS, MAX_TERMS
from wireroom.parse.links.terms_links import LANGUAGES, terms_score
from wireroom.urls import is_web_url

BASE = "https://courier.test/news/today.html"
RSS = "application/rss+xml"


def _links(markup: str, headers: tuple[tuple[str, str], ...] = ()) -> PageLinks:
    return read_page_links(open_page(markup), base_url=BASE, headers=headers)


def _feed_urls(markup: str) -> list[str]:
    return [feed.url for feed in _links(markup).feeds]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/feed", "https://courier.test/feed"),
        ("//cdn.courier.test/feed", "https://cdn.courier.test/feed"),
        ("feed.xml", "https://courier.test/news/feed.xml"),
        ("../rss", "https://courier.test/rss"),
        (" /a\n/feed ", "https://courier.test/a/feed"),
        ("http://other.test/rss", "http://other.test/rss"),
        ("httpdocs/feed", "https://courier.test/news/httpdocs/feed"),
    ],
)
def test_feeds_are_resolved_against_the_page(href: str, url: str) -> None:
    assert _feed_urls(f'<link rel="alternate" type="{RSS}" href="{href}">') == [url]


def test_a_base_element_counts_before_the_page_itself() -> None:
    found = _links(
        f'<base href="//static.courier.test/x/"><link rel=alternate type={RSS} href="f"><a href="rss">R</a>'
    )
    assert found.base_url == "https://static.courier.test/x/"
    assert [feed.url for feed in found.feeds] == [
        "https://static.courier.test/x/f",
        "https://static.courier.test/x/rss",
    ]


def test_a_base_that_is_no_address_is_passed_over() -> None:
    assert _links('<base href="javascript:x"><a href="/feed">F</a>').base_url == BASE


@pytest.mark.parametrize(
    ("attributes", "is_feed"),
    [
        ('rel="alternate" type="application/rss+xml"', True),
        ('rel="Alternate Home" type="application/atom+xml; charset=utf-8"', True),
        ('rel="alternate" type=" APPLICATION/RSS+XML "', True),
        ('rel="alternate" type="application/feed+json"', True),
        ('rel="alternate" type="application/json"', True),
        ('rel="alternate" type="text/xml"', True),
        ('rel="alternate" type="application/xml"', True),
        ('rel="feed"', True),
        ('rel="alternate stylesheet" type="text/xml"', False),
        ('rel="alternate" type="text/html"', False),
        ('rel="alternates" type="application/rss+xml"', False),
        ('rel="alternate" type="application/json+oembed"', False),
        ('type="application/rss+xml"', False),
        ("rel", False),
    ],
)
def test_link_tags_announce_feeds_by_relation_and_type(attributes: str, is_feed: bool) -> None:
    assert bool(_feed_urls(f'<link {attributes} href="/x/story">')) is is_feed


@pytest.mark.parametrize(
    "markup", ["<link {}>", "<link {} />", "<LINK {}></LINK>", "<body><p><link {}>"]
)
def test_every_way_to_write_a_link_tag_will_do(markup: str) -> None:
    attributes = f'rel="alternate" type="{RSS}" title=" The\n  Courier " href="/f"'
    feed = _links(markup.format(attributes)).feeds[0]
    assert (feed.type, feed.title, feed.source) == (RSS, "The Courier", "link")


def test_one_broken_link_does_not_hide_the_next() -> None:
    markup = f'<link rel><link rel=alternate><link rel=alternate type={RSS} href="http://[">'
    assert _feed_urls(markup + f'<link rel=alternate type={RSS} href="/f">') == [
        "https://courier.test/f"
    ]


def test_interfaces_of_programs_are_no_feeds() -> None:
    for href in ("/wp-json/wp/v2/posts/5", "/?rest_route=/wp/v2/posts"):
        assert _feed_urls(f'<link rel="alternate" type="application/json" href="{href}">') == []


@pytest.mark.parametrize(
    "href",
    [
        "/feed/",
        "/rss",
        "/rss.xml",
        "/news.rss",
        "/index.rdf",
        "/blog/atom.xml",
        "/feeds/posts/default",
        "/?feed=rss2",
        "/page?format=rss",
        "/arc/outboundfeeds/rss/category/news/",
        "/x/news-feed.xml",
    ],
)
def test_anchors_that_look_like_feeds_are_candidates(href: str) -> None:
    feed = _links(f'<a href="{href}">Subscribe</a>').feeds[0]
    assert (feed.source, feed.title) == ("anchor", "Subscribe")


@pytest.mark.parametrize(
    "href",
    [
        "/story",
        "/feedback",
        "/how-to-feed-cats",
        "https://feed.test/",
        "/atomic",
        "#rss",
        "/sitemap.xml",
    ],
)
def test_other_anchors_are_none(href: str) -> None:
    assert _feed_urls(f'<a href="{href}">News</a>') == []


def test_headers_come_first_and_each_address_once() -> None:
    headers = (("link", f'</f>; rel="alternate"; type="{RSS}", </h>; rel=hub, </s>; rel=self'),)
    found = _links(f'<link rel=alternate type={RSS} href="/f"><link rel=hub href="/h2">', headers)
    assert [(feed.url, feed.source) for feed in found.feeds] == [
        ("https://courier.test/f", "header")
    ]
    assert found.hub_urls == ("https://courier.test/h", "https://courier.test/h2")
    assert found.self_url == "https://courier.test/s"


def test_sitemaps_are_found_in_tags_and_anchors() -> None:
    found = _links('<link rel="sitemap" href="/s.xml"><a href="/news-sitemap.xml.gz">Map</a>')
    assert found.sitemap_urls == (
        "https://courier.test/s.xml",
        "https://courier.test/news-sitemap.xml.gz",
    )


def test_licences_say_what_they_speak_of() -> None:
    found = _links(
        '<head><link rel="license" type="application/rsl+xml" href="/rsl.xml"></head><body>'
        '<p><a rel="license noopener" href="https://creativecommons.org/licenses/by/4.0/">CC BY</a></p>'
        '<figure id="one two"><figcaption><a rel="LICENSE" href="/photo">Photo</a></figcaption></figure>'
        '<div class="box wide"><script type="application/rsl+xml"><rsl/></script></div>'
    )
    assert [
        (licence.url, licence.type, licence.source, licence.scope) for licence in found.licences
    ] == [
        ("https://courier.test/rsl.xml", "application/rsl+xml", "link", ""),
        ("https://creativecommons.org/licenses/by/4.0/", "", "anchor", ""),
        ("https://courier.test/photo", "", "anchor", "figcaption"),
    ]
    assert [
        (inline_licence.text, inline_licence.scope) for inline_licence in found.inline_licences
    ] == [("<rsl/>", "div.box")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_terms_are_known_in_many_languages(language: str) -> None:
    sure, _, possible = LANGUAGES[language].partition("|")
    for name in sure.split(";"):
        assert (
            terms_score(f" {name.upper() if name.isascii() else name} ", "https://a.test/p/7")
            >= 0.7
        )
    for name in filter(None, possible.split(";")):
        assert 0 < terms_score(name, "https://a.test/p/7") < 0.7


@pytest.mark.parametrize(
    ("words", "url"),
    [
        ("Privacy policy", "https://a.test/legal/privacy"),
        ("Cookies", "https://a.test/legal"),
        ("Datenschutz", "https://a.test/datenschutz"),
        ("In terms of goals, a good season", "https://a.test/sport/7"),
        ("Terms of peace", "https://a.test/news/terms-of-peace"),
        ("", "https://a.test/"),
    ],
)
def test_privacy_and_headlines_are_no_terms(words: str, url: str) -> None:
    assert terms_score(words, url) == 0


def test_the_likeliest_terms_come_first() -> None:
    found = _links(
        '<p><a href="/legal">Legal</a></p><p><a href="https://other.test/terms">Terms of use</a></p>'
        '<footer><a href="/terms">Terms of use</a></footer>'
    )
    assert [(term.url, term.in_footer) for term in found.terms] == [
        ("https://courier.test/terms", True),
        ("https://other.test/terms", False),
        ("https://courier.test/legal", False),
    ]
    assert _links('<link rel="terms-of-service" href="/x">').terms[0].score == 1


def test_the_best_icon_comes_first() -> None:
    found = _links(
        '<link rel="shortcut icon" href="/f.ico"><link rel="mask-icon" href="/m.svg">'
        '<link rel="icon" sizes="16x16 32x32" href="/32.png"><link rel="apple-touch-icon" href="/t.png">'
        '<link rel="icon" sizes="512x512" href="/512.png">'
    )
    assert [icon.url.rpartition("/")[2] for icon in found.icons] == [
        "512.png",
        "t.png",
        "32.png",
        "f.ico",
        "m.svg",
    ]


def test_the_page_names_itself_and_its_translations() -> None:
    found = _links(
        '<link rel="canonical" href="/c"><link rel="amphtml" href="/amp">'
        '<link rel="alternate" hreflang="pt_br" href="/pt"><link rel="alternate" hreflang="X-Default" href="/">'
    )
    assert found.canonical_url == "https://courier.test/c"
    assert found.amp_url == "https://courier.test/amp"
    assert [(language_link.language, language_link.url) for language_link in found.languages] == [
        ("pt-BR", "https://courier.test/pt"),
        ("x-default", "https://courier.test/"),
    ]
    assert found.feeds == ()


def test_a_page_without_links_and_address_says_nothing() -> None:
    assert read_page_links(open_page("")) == PageLinks()


@pytest.mark.parametrize(
    "piece",
    [
        f'<link rel=alternate type={RSS} href="/f/{{0}}">',
        '<a href="/feed/{0}/rss">x</a>',
        '<a href="/{0}/terms">Terms of use</a>',
        '<a rel=license href="/{0}">x</a>',
        '<link rel="icon" href="/{0}">',
        '<link rel=alternate hreflang=de href="/{0}">',
        '<script type="application/rsl+xml">x</script>',
        "<a href='" + "x" * 1500 + "'>x</a>",
    ],
)
def test_many_links_are_cut_and_that_is_reported(piece: str) -> None:
    page = open_page("".join(piece.replace("{0}", str(n)) for n in range(MAX_LINKS + 500)))
    with cpu_within(2):
        found = read_page_links(page, base_url=BASE)
    assert "links" in found.truncated
    assert len(found.feeds) <= MAX_FEEDS
    assert len(found.terms) <= MAX_TERMS


_HREFS = st.sampled_from(
    ["/feed", "//[", "http:", "\x00", "/%zz/terms", "javascript:x", "?feed=rss2"]
)


@given(st.lists(st.tuples(st.sampled_from(["a", "link", "base"]), _HREFS | st.text(max_size=30))))
def test_whatever_the_links_only_addresses_of_the_web_are_kept(tags: list[tuple[str, str]]) -> None:
    markup = "".join(f'<{tag} rel="alternate license" href="{href}">' for tag, href in tags)
    found = _links(markup)
    urls = [feed.url for feed in found.feeds] + [licence.url for licence in found.licences]
    assert all(is_web_url(url) for url in urls)
    assert found.base_url == BASE or is_web_url(found.base_url)
