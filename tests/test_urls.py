"""What two spellings of one address have in common, and what must never be thrown together."""

from __future__ import annotations

import contextlib
import ipaddress
import subprocess
import sys
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom import urls
from wireroom.urls import (
    MAX_URL_LENGTH,
    TRACKING_PARAMETERS,
    article_id,
    canonical_url,
    fetch_url,
    host_of,
    identity_key,
    is_web_url,
    page_key,
    publisher_domain,
    registered_domain,
    resolve,
    same_page,
    same_site,
    web_link,
)

NB_03_TRACKING = [
    *("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "fbclid", "gclid"),
    *("gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "igshid", "mc_cid", "mc_eid"),
    *("oly_anon_id", "oly_enc_id", "_openstat", "vero_id", "wickedid", "yclid", "rb_clickid"),
    *("s_cid", "mkt_tok", "trk", "trkCampaign", "trkInfo"),
]

SAME_PAGE = [
    # host, scheme, port
    ("https://Courier.TEST/a", "https://courier.test/a"),
    ("https://www.courier.test/a", "https://courier.test/a"),
    ("https://WWW.courier.test/a", "https://courier.test/a"),
    ("https://www.www.courier.test/a", "https://courier.test/a"),
    ("https://www.test/a", "https://www.test/a"),
    ("https://www.10.0.0.1/a", "https://www.10.0.0.1/a"),
    ("https://news.courier.test/a", "https://news.courier.test/a"),
    ("http://courier.test/a", "https://courier.test/a"),
    ("HTTP://courier.test/a", "https://courier.test/a"),
    ("http://courier.test:80/a", "https://courier.test/a"),
    ("http://courier.test:/a", "https://courier.test/a"),
    ("http://courier.test:0080/a", "https://courier.test/a"),
    ("https://courier.test:443/a", "https://courier.test/a"),
    ("https://courier.test:8443/a", "https://courier.test:8443/a"),
    ("http://courier.test:8080/a", "https://courier.test:8080/a"),
    ("http://courier.test:443/a", "http://courier.test:443/a"),
    ("https://courier.test:80/a", "https://courier.test:80/a"),
    ("https://courier.test./a", "https://courier.test/a"),
    ("http://[::1]:80/a", "https://[::1]/a"),
    ("http://[0:0:0:0:0:0:0:1]:8080/a", "https://[::1]:8080/a"),
    ("http://[2001:DB8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"),
    ("http://[::ffff:192.0.2.1]/", "https://[::ffff:c000:201]/"),
    ("http://[::]/", "https://[::]/"),
    ("http://192.0.2.7/a", "https://192.0.2.7/a"),
    ("https://zürich-bote.test/a", "https://xn--zrich-bote-9db.test/a"),
    ("https://ZÜRICH-bote.test/a", "https://xn--zrich-bote-9db.test/a"),
    ("https://xn--zrich-bote-9db.test/a", "https://xn--zrich-bote-9db.test/a"),
    ("https://faß.test/", "https://xn--fa-hia.test/"),
    ("https://新聞。test/", "https://xn--efvv70d.test/"),
    ("https://ｃourier．test/", "https://courier.test/"),
    ("https://i_love.courier.test/", "https://i_love.courier.test/"),
    # path
    ("https://courier.test", "https://courier.test/"),
    ("https://courier.test?x=1", "https://courier.test/?x=1"),
    ("https://courier.test/a/", "https://courier.test/a/"),
    ("https://courier.test/x/../a/./b", "https://courier.test/a/b"),
    ("https://courier.test/../../a", "https://courier.test/a"),
    ("https://courier.test/a/..", "https://courier.test/"),
    ("https://courier.test/a/b/.", "https://courier.test/a/b/"),
    ("https://courier.test/a/%2e%2E/b", "https://courier.test/b"),
    ("https://courier.test/a/%2x", "https://courier.test/a/%252x"),
    ("https://courier.test//a//b", "https://courier.test//a//b"),
    ("https://courier.test/.well-known/x...y", "https://courier.test/.well-known/x...y"),
    ("https:\\\\courier.test\\a\\b", "https://courier.test/a/b"),
    ("https://courier.test\\@herald.test/", "https://courier.test/@herald.test/"),
    ("https://courier.test/%7eann/%c3%a4", "https://courier.test/~ann/%C3%A4"),
    ("https://courier.test/ä", "https://courier.test/%C3%A4"),
    ("https://courier.test/a%2fb", "https://courier.test/a%2Fb"),
    ("https://courier.test/%41%2541", "https://courier.test/A%2541"),
    ("https://courier.test/%%34%31", "https://courier.test/%2541"),
    ("https://courier.test/100%", "https://courier.test/100%25"),
    ("https://courier.test/a b", "https://courier.test/a%20b"),
    ("https://courier.test/a;jsessionid=0F9.w1", "https://courier.test/a"),
    ("https://courier.test/a;JSESSIONID=0F9/b;v=1", "https://courier.test/a/b;v=1"),
    # query
    ("https://courier.test/a?", "https://courier.test/a"),
    ("https://courier.test/a?&", "https://courier.test/a"),
    ("https://courier.test/a?b=2&a=1", "https://courier.test/a?a=1&b=2"),
    ("https://courier.test/a?b=2&&a=1&", "https://courier.test/a?a=1&b=2"),
    ("https://courier.test/a?b=2&a=2&b=1", "https://courier.test/a?a=2&b=2&b=1"),
    ("https://courier.test/a?z&b=2&a=1", "https://courier.test/a?z&b=2&a=1"),
    ("https://courier.test/?/news/1&b=1", "https://courier.test/?/news/1&b=1"),
    ("https://courier.test/a?20260217", "https://courier.test/a?20260217"),
    ("https://courier.test/a?b[]=2&a=ü", "https://courier.test/a?a=%C3%BC&b%5B%5D=2"),
    ("https://courier.test/a?q=a+b", "https://courier.test/a?q=a+b"),
    ("https://courier.test/a?utm_source=x&id=7&fbclid=y", "https://courier.test/a?id=7"),
    ("https://courier.test/a?UTM_Whatever=x&trkCampaign=1", "https://courier.test/a"),
    ("https://courier.test/a?utm%5Fsource=x", "https://courier.test/a"),
    ("https://courier.test/a?utm_source", "https://courier.test/a"),
    ("https://courier.test/a?trks=1&xutm_source=2", "https://courier.test/a?trks=1&xutm_source=2"),
    ("https://courier.test/a?PHPSESSID=9&id=1", "https://courier.test/a?id=1"),
    # fragment, blanks
    ("https://courier.test/a#top", "https://courier.test/a"),
    ("https://courier.test/a#", "https://courier.test/a"),
    ("https://courier.test/a#!", "https://courier.test/a"),
    ("https://courier.test/#!/story/7", "https://courier.test/#!/story/7"),
    ("https://courier.test/?b=1#\t!x", "https://courier.test/?b=1#!x"),
    ("  https://courier.test/a\n", "https://courier.test/a"),
    ("https://cour\nier.test/\ta", "https://courier.test/a"),
    ("https://courier.test/\ud800", "https://courier.test/%EF%BF%BD"),
]

NO_WEB_ADDRESS = [
    *(
        "",
        " ",
        "courier.test/a",
        "//courier.test/a",
        "/a",
        "ftp://courier.test/",
        "mailto:a@b.test",
    ),
    *("javascript:alert(1)", "https://", "https:///a", "https:courier.test", "https:/courier.test"),
    *("https://u@courier.test/", "https://u:p@courier.test/", "https://@courier.test/"),
    *("https://courier.test:65536/", "https://a.test:x/"),
    *("https://a.test:１/", "https://a.test:8:8/", "https://a..test/", "https://.a.test/"),
    *("https://a.test../", "https://a b.test/", "https://ex%61mple.test/", "https://a%00.test/"),
    *("https://[::1/", "https://[::1]x/", "https://[fe80::1%25eth0]/", "https://[1.2.3.4]/"),
    *(
        "https://[]/",
        "https://[:::]/",
        "https://a\x00.test/",
        "https://℀.test/",
        "https://a<b.test",
    ),
    *("https://\ud800.test/", "https://\u00ad/", f"https://{'a' * 64}.test/"),
    *(f"https://{'a.' * 127}test/", f"https://{'ä' * 60}.test/", f"https://{'x' * 9999}/"),
    f"https://courier.test/{'a' * MAX_URL_LENGTH}",
    f"https://courier.test/{'ä' * 400}",
]


@pytest.mark.parametrize(("url", "key"), SAME_PAGE)
def test_spellings_of_one_page_share_a_key(url: str, key: str) -> None:
    assert identity_key(url) == key
    assert identity_key(key) == key
    assert identity_key(canonical_url(url)) == key
    assert page_key(url) == key


@pytest.mark.parametrize("name", NB_03_TRACKING)
def test_tracking_is_dropped_whatever_its_case(name: str) -> None:
    assert identity_key(f"https://a.test/?{name.upper()}=1&x=2") == "https://a.test/?x=2"
    assert canonical_url(f"https://a.test/?x=2&{name}=1#y") == "https://a.test/?x=2"


def test_tracking_names_are_kept_in_lower_case() -> None:
    assert {name.lower() for name in TRACKING_PARAMETERS} == TRACKING_PARAMETERS


@pytest.mark.parametrize("url", NO_WEB_ADDRESS)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    if not url.endswith("ä" * 400):  # short enough as it stands, too long once escaped
        assert not is_web_url(url)
    assert page_key(url) == ""
    assert web_link("", url) in {"", url}
    for form in (identity_key, canonical_url, fetch_url):
        with pytest.raises(ValueError, match=r"address|host"):
            form(url)


DIFFERENT_PAGES = [
    ("https://courier.test/a", "https://courier.test/A"),
    ("https://courier.test/a", "https://courier.test/a/"),
    ("https://courier.test/a", "https://courier.test/a?x="),
    ("https://courier.test/a?x", "https://courier.test/a?x="),
    ("https://courier.test/a/b", "https://courier.test/a%2Fb"),
    ("https://courier.test/?a=1&a=2", "https://courier.test/?a=2&a=1"),
    ("https://courier.test/?a&b", "https://courier.test/?b&a"),
    ("https://courier.test/?a=1%26b=2", "https://courier.test/?a=1&b=2"),
    ("https://courier.test/%2541", "https://courier.test/%41"),
    ("https://courier.test/a//b", "https://courier.test/a/b"),
    ("https://courier.test/#!/a", "https://courier.test/#!/b"),
    ("https://courier.test:8080/", "https://courier.test/"),
    ("https://courier.test/", "https://m.courier.test/"),
]


@pytest.mark.parametrize(("url", "other"), DIFFERENT_PAGES)
def test_different_pages_have_different_keys(url: str, other: str) -> None:
    assert identity_key(url) != identity_key(other)


def test_canonical_address_keeps_scheme_host_and_order() -> None:
    url = "http://www.Courier.test:80/%7eann/../a;jsessionid=1?b=2&utm_source=x&a=%c3%a4#top"
    assert canonical_url(url) == "http://www.courier.test/a;jsessionid=1?b=2&a=%C3%A4"


FETCHED = [
    ("http://www.courier.test/a%7e?utm_source=x&b=2&a=1#top", "?utm_source=x&b=2&a=1"),
    ("http://www.courier.test/a%7e?q=ä [x]|y", "?q=%C3%A4%20%5Bx%5D%7Cy"),
    ("http://www.courier.test:80/b/%2E./a%7e#!/x", ""),
]


@pytest.mark.parametrize(("url", "query"), FETCHED)
def test_the_fetched_address_stays_as_published(url: str, query: str) -> None:
    assert fetch_url(url) == f"http://www.courier.test/a%7e{query}"


def test_host_names_a_port_only_where_it_is_unusual() -> None:
    assert host_of("http://Courier.test:80/") == "courier.test"
    assert host_of("http://courier.test:8080/") == "courier.test:8080"
    assert host_of("https://www.courier.test:80/") == "www.courier.test:80"
    assert host_of("https://[::1]:8443/") == "[::1]:8443"


def test_article_id_is_one_per_publisher_and_page() -> None:
    first = article_id("courier.test", "https://www.courier.test/a?utm_source=x")
    assert first == article_id("courier.test", "http://courier.test/a")
    assert first != article_id("herald.test", "http://courier.test/a")
    assert first == "a71d12dd65fed62927050343"  # it must never change: stores hold it


BASE = "https://www.courier.test/news/2026/today.html?page=2#top"
RESOLVED = [
    ("", "https://www.courier.test/news/2026/today.html?page=2"),
    ("#end", "https://www.courier.test/news/2026/today.html?page=2#end"),
    ("?page=3", "https://www.courier.test/news/2026/today.html?page=3"),
    ("?", "https://www.courier.test/news/2026/today.html"),
    ("a.html", "https://www.courier.test/news/2026/a.html"),
    ("./a.html", "https://www.courier.test/news/2026/a.html"),
    ("../a.html", "https://www.courier.test/news/a.html"),
    ("../../../../a.html", "https://www.courier.test/a.html"),
    ("..", "https://www.courier.test/news/"),
    ("/", "https://www.courier.test/"),
    ("/a?x#y", "https://www.courier.test/a?x#y"),
    ("//herald.test/a", "https://herald.test/a"),
    ("//herald.test", "https://herald.test/"),
    ("\\\\herald.test\\a", "https://herald.test/a"),
    ("/\\herald.test/a", "https://herald.test/a"),
    ("..\\a.html", "https://www.courier.test/news/a.html"),
    ("?x=\\y", "https://www.courier.test/news/2026/today.html?x=%5Cy"),
    (" \t/a\r\nb ", "https://www.courier.test/ab"),
    ("/a b/ä", "https://www.courier.test/a%20b/%C3%A4"),
    ("HTTP://herald.test/a", "http://herald.test/a"),
    ("https:a.html", "https://www.courier.test/news/2026/a.html"),
    ("https:/a.html", "https://www.courier.test/a.html"),
    ("12:30", "https://www.courier.test/news/2026/12:30"),
    ("?url=http://herald.test/", f"{BASE.partition('?')[0]}?url=http://herald.test/"),
    ("mailto:ann@courier.test", "mailto:ann@courier.test"),
    ("java\nscript:alert(1)", "javascript:alert(1)"),
    ("tel:+1", "tel:+1"),
]


@pytest.mark.parametrize(("href", "url"), RESOLVED)
def test_links_are_resolved_as_browsers_do(href: str, url: str) -> None:
    assert resolve(BASE, href) == url


def test_links_are_resolved_against_a_bare_host() -> None:
    assert resolve("https://courier.test", "a") == "https://courier.test/a"
    assert resolve("https://courier.test?x#y", "") == "https://courier.test/?x"


@pytest.mark.parametrize(
    "href", ["//", "///a", "http:a", "//u@herald.test/", "https://[x]/", "//:1/"]
)
def test_links_that_lead_nowhere_are_refused(href: str) -> None:
    with pytest.raises(ValueError, match=r"address|host"):
        resolve(BASE, href)
    with pytest.raises(ValueError, match="not an http"):
        resolve("file:///etc/passwd", href)


def test_publisher_goes_by_its_host() -> None:
    assert (
        publisher_domain("https://www.a.test/x") == publisher_domain("http://A.test:81") == "a.test"
    )
    assert publisher_domain("https://news.a.test/") == "news.a.test"


REGISTERED = [
    ("courier.test", "courier.test"),
    ("news.courier.test:8080", "courier.test"),
    ("WWW.Courier.Test.", "courier.test"),
    ("a.b.example.co.uk", "example.co.uk"),
    ("co.uk", ""),
    ("example.com.br", "example.com.br"),
    ("city.kawasaki.jp", "city.kawasaki.jp"),
    ("a.b.kawasaki.jp", "a.b.kawasaki.jp"),
    ("ann.github.io", "ann.github.io"),
    ("xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ("localhost", ""),
    ("192.0.2.1", ""),
    ("192.0.2.1:80", ""),
    ("[::1]", ""),
    ("", ""),
    ("a..test", ""),
]


@pytest.mark.parametrize(("host", "name"), REGISTERED)
def test_registered_domain(host: str, name: str) -> None:
    assert registered_domain(host) == name


def test_two_spellings_of_one_address_are_the_same_page() -> None:
    assert same_page("http://www.courier.test/a?utm_source=x", "https://courier.test/a")
    assert not same_page("https://courier.test/a", "https://courier.test/b")
    assert same_page("no address", "no address")
    assert not same_page("no address", "none either")
    assert not same_page("no address", "https://courier.test/")


def test_a_link_is_a_web_address_or_nothing() -> None:
    assert web_link(BASE, "//herald.test/x") == "https://herald.test/x"
    assert web_link("", " https://herald.test/x ") == "https://herald.test/x"
    assert [web_link(BASE, href) for href in ("mailto:a@b.test", "https://[x]/")] == ["", ""]
    assert web_link("no address", "x") == web_link("", "x") == ""


def test_same_site_goes_by_the_registered_name() -> None:
    assert same_site("https://www.courier.test/a", "http://news.courier.test:81/b")
    assert not same_site("https://courier.test/", "https://herald.test/")
    assert not same_site("https://ann.github.io/", "https://bob.github.io/")
    assert same_site("http://192.0.2.1/", "http://192.0.2.1:8080/")
    assert not same_site("http://192.0.2.1/", "http://192.0.3.1/")
    assert not same_site("http://co.uk/", "http://org.uk/")
    assert not same_site("mailto:a@courier.test", "mailto:a@courier.test")


# --- properties ----------------------------------------------------------------------------------

HOSTS = st.sampled_from(
    ["courier.test", "www.Courier.test", "zürich.test", "[2001:db8::7]", "192.0.2.1", "a_b.test."]
)
SCHEMES = st.sampled_from(["http", "https", "HTTPS"])
WORDS = st.text(min_size=1, max_size=6).filter(lambda text: not set(text) <= set("."))
ODD_URLS = st.text(
    st.sampled_from("httpsHTTPS:/\\?#[]@!%&=;.~ \t\nwww.comtestäß。０\ud800\x00é漢1234567890eEfF")
)
WEB_URLS = st.builds(
    lambda scheme, host, port, rest: f"{scheme}://{host}{port}{rest}",
    SCHEMES,
    HOSTS,
    st.sampled_from(["", ":80", ":443", ":8080", ":"]),
    ODD_URLS.map(lambda text: f"/{text}") | st.text(max_size=40).map(lambda text: f"?{text}"),
)


def encodable(text: str) -> bytes:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def spelt(data: bytes, draw: st.DrawFn) -> str:
    """One of the many spellings of these bytes: each escaped or, where that is allowed, not."""
    pieces = [quote_from_bytes(bytes([byte]), safe="") for byte in data]
    return "".join(
        f"%{byte:02{draw(st.sampled_from('xX'))}}" if draw(st.booleans()) else piece
        for byte, piece in zip(data, pieces, strict=True)
    )


@st.composite
def two_spellings(draw: st.DrawFn) -> tuple[str, str, list[bytes], list[tuple[bytes, bytes]]]:
    """Two addresses of one page, the segments of its path and its parameters."""
    path = [encodable(word) for word in draw(st.lists(WORDS, max_size=4))]
    names = draw(st.lists(WORDS.map(encodable), max_size=4, unique=True))
    query = [(b"p" + name, encodable(draw(st.text(max_size=4)))) for name in names]

    def address(prefix: str, pairs: list[tuple[bytes, bytes]]) -> str:
        segments = "".join(f"/{spelt(segment, draw)}" for segment in path) or "/"
        written = "&".join(f"{spelt(name, draw)}={spelt(value, draw)}" for name, value in pairs)
        return f"{prefix}{segments}?{written}"

    first = address("http://www.courier.test", query)
    return first, address("https://Courier.test:443", draw(st.permutations(query))), path, query


@pytest.mark.long
@given(two_spellings())
def test_key_means_the_same_bytes_and_has_one_spelling(
    page: tuple[str, str, list[bytes], list[tuple[bytes, bytes]]],
) -> None:
    url, other, path, query = page
    key = identity_key(url)
    assert key == identity_key(other)
    parts = urlsplit(key)
    assert [unquote_to_bytes(s) for s in parts.path.split("/")[1:]] == (path or [b""])
    pairs = [pair.split("=") for pair in parts.query.split("&")] if parts.query else []
    assert sorted((unquote_to_bytes(n), unquote_to_bytes(v)) for n, v in pairs) == sorted(query)


@given(ODD_URLS | WEB_URLS | st.text())
@example("http://a.test/%%34%31")
@example("http://a.test/..;jsessionid=1/x")
@example("http://a.test?#!\x00")
def test_forms_are_stable_and_agree(url: str) -> None:
    try:
        key, canonical, wire = identity_key(url), canonical_url(url), fetch_url(url)
    except ValueError:
        return
    assert identity_key(key) == key
    assert canonical_url(canonical) == canonical
    assert fetch_url(wire) == wire
    assert identity_key(canonical) == key
    assert canonical_url(key) == key
    for form in (key, canonical, wire):
        assert form.isascii()
        assert form.isprintable()
        assert " " not in form
        assert is_web_url(form)
        assert len(form) <= MAX_URL_LENGTH
    assert host_of(wire) == host_of(canonical) == host_of(url)
    if "#" not in url:
        assert identity_key(wire) == key


PLAIN_LOOKING = st.from_regex(
    r"https?://(www\.){0,2}[a-z]{1,3}\.(test|co\.uk)(/[a-z.]{0,3}){0,3}"
    r"(\?([abu](tm_)?[a-z]?=?[0-9]?(%(2F|7E|7e|C3))?&?){0,4})?(#!?x?)?",
    fullmatch=True,
)


@given(PLAIN_LOOKING | WEB_URLS)
def test_the_short_way_gives_what_the_careful_way_gives(url: str) -> None:
    with contextlib.suppress(ValueError):
        assert identity_key(url) == urls._careful_key(url)


@given(WEB_URLS, ODD_URLS | WEB_URLS | st.text())
def test_a_link_leaves_the_web_only_by_a_scheme_of_its_own(base: str, href: str) -> None:
    try:
        url = resolve(base, href)
    except ValueError:
        return
    if not is_web_url(url):
        scheme, colon, _ = url.partition(":")
        assert colon
        assert scheme.lower() not in {"http", "https"}
        assert href.translate(str.maketrans("", "", "\t\n\r")).strip().startswith(scheme)
    else:
        assert resolve(base, url) == url


@given(st.text() | ODD_URLS, st.text() | ODD_URLS)
def test_questions_never_raise(text: str, other: str) -> None:
    assert is_web_url(text) in {True, False}
    assert same_site(text, other) in {True, False}
    assert same_page(text, other) in {True, False}
    assert page_key(text) in {"", page_key(page_key(text))}
    assert web_link(text, other) == "" or is_web_url(web_link(text, other))
    name = registered_domain(text)
    assert name == "" or "." in name


@given(st.ip_addresses(v=6))
def test_ipv6_hosts_have_one_spelling(address: ipaddress.IPv6Address) -> None:
    host = host_of(f"http://[{address.exploded}]/")
    assert ipaddress.IPv6Address(host[1:-1]) == address
    assert host == host_of(f"http://{host}/")
    if address.ipv4_mapped is None:
        assert host == f"[{address}]"


# --- cost ----------------------------------------------------------------------------------------

HOSTILE = [
    *("https://" + "a." * 1000, "https://a.test/" + "/." * 1000, "https://a.test/?" + "&" * 2000),
    *("https://a.test/" + "%41" * 600, "https://" + "ä." * 100, "https://" + "漢" * 250 + ".test"),
    *("https://a.test/" + "../" * 600, "https://a.test/" + "%" * 2000, "https://[" + ":" * 2000),
    *("\t" * 9_000_000, "https://a.test/" + "a" * 9_000_000, "https://" + "\u0300" * 250),
    *("a" * 9_000_000, "https://a.test/" + "/.a" * 600, "https://a.test/" + ";jsessionid=" * 160),
]


@pytest.mark.parametrize("url", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_addresses_cost_little(url: str) -> None:
    with cpu_within(1), contextlib.suppress(ValueError):
        identity_key(url)


def test_the_suffix_list_is_loaded_only_when_asked_for() -> None:
    code = (
        "import sys; from wireroom import urls; urls.identity_key('http://A.test/%41');"
        "print([name for name in ('publicsuffixlist', 'idna', 'ipaddress') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("url", "is_front"),
    [
        ("http://courier.test", True),
        ("https://courier.test/", True),
        ("https://courier.test/#top", True),
        ("https://courier.test/?page=2", False),
        ("https://courier.test/story", False),
        ("", False),
    ],
)
def test_a_front_page_is_the_address_of_a_host_alone(url: str, is_front: bool) -> None:
    assert urls.is_front_page(url) is is_front


@pytest.mark.parametrize("url", ["mailto:desk@courier.test", "", "no address"])
def test_what_is_no_web_address_is_its_own_key(url: str) -> None:
    assert urls.address_key(url) == url
    assert urls.address_key("http://www.courier.test/a") == urls.page_key("https://courier.test/a")
