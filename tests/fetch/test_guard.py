"""Which addresses may be asked: a table of spellings, the exceptions, and a name that changes its mind."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from wireroom.errors import RefusedError, UnreachableError
from wireroom.fetch.guard import check, judge_answer, judge_form
from wireroom.fetch.ranges import judge_address
from wireroom.urls import MAX_URL_LENGTH

PUBLIC = "93.184.215.14"


def public(host: str) -> list[str]:
    return [PUBLIC]


def refused(url: str, addresses: Sequence[str] = (PUBLIC,)) -> str:
    """The reason, without the address it is about."""
    with pytest.raises(RefusedError) as caught:
        check(url, resolve=lambda host: addresses)
    assert caught.value.kind == "private_address"
    assert caught.value.permanent
    return caught.value.reason


# --- the form ----------------------------------------------------------------------------------

BAD_FORMS: dict[str, list[str]] = {
    "not an http or https address": [
        *("", "/", "courier.example", "courier.example/a", "//courier.example/", "http:", "http:/"),
        *("http:courier.example", "http:/courier.example", "https:courier.example", "://x.example"),
        *("ftp://courier.example/", "file:///etc/passwd", "gopher://courier.example:70/", "data:,x"),
        *("javascript:alert(1)", "ws://courier.example/", "dict://127.0.0.1:11211/", "jar:http://x/"),
        *("ldap://courier.example/", "unix:///run/docker.sock", "httpx://courier.example/"),
        *("view-source:http://courier.example/", "h\u0442tp://courier.example/", "blob:http://a.b/"),
    ],
    "without a host": ["http://", "https:///a", "http:///127.0.0.1/", "http://?x", "http://#x", "http://:80/"],
    "user info": [
        *("http://user@courier.example/", "http://user:secret@courier.example/", "http://@a.example/"),
        *("http://:@courier.example/", "http://courier.example@127.0.0.1/", "http://127.0.0.1@a.b/"),
        *("http://a.example:80@127.0.0.1/", "http://a@b@c.example/", "http://user@[::1]/"),
    ],
    "white space, a control character or a backslash": [
        *(" http://courier.example/", "http://courier.example/ ", "http://courier.example /"),
        *("http:// courier.example/", "http://courier.example/a b", "\thttp://courier.example/"),
        *("http://courier.example\n/", "http://courier.example/\r\nHost: x", "ht\ntp://a.example/"),
        *("http://courier.example\x00/", "http://courier.example\x7f/", "http://a.example/\x1b[0m"),
        *("http:\\\\courier.example\\", "http://courier.example\\@127.0.0.1/", "http:/\\127.0.0.1/"),
        *("http://127.0.0.1\\.courier.example/", "http://courier\u00a0.example/", "\ufeffhttp://a.b/"),
        *("http://courier\u2028.example/", "http://127.0.0.1\u200b/", "http://local\u200bhost/"),
        *("http://courier.example/\u0085", "http://courier\u3000.example/", "http://a.example/\\..\\b"),
    ],
    "told apart": [
        *("http://courier.example:80:80/", "http://courier.example:http/", "http://courier.example:-1/"),
        *("http://::1/", "http://2606:4700::1111/", "http://[::1/", "http://::1]/", "http://[[::1]]/"),
        *("http://[::1]x/", "http://x[::1]/", "http://[::1]:x/", "http://courier.example:８０/"),
        *("http://[2606:4700::1111].courier.example/", "http://courier.example:8o/", "http://a:+80/"),
    ],
    "port 0": [
        *("http://courier.example:0/", "http://courier.example:00080/", "http://courier.example:080/"),
        *("http://courier.example:0443/", "https://[2606:4700::1111]:0/"),
    ],
    "port above": ["http://courier.example:65536/", "http://courier.example:" + "9" * 400 + "/"],
    "not among those that may be asked": [
        *(f"http://courier.example:{port}/" for port in (1, 22, 25, 81, 3306, 6379, 8080, 8443, 65535)),
        *("http://93.184.215.14:8080/", "https://[2606:4700::1111]:9200/", "http://127.0.0.1:5432/"),
    ],
    "escape or a zone": [
        *("http://%31%32%37.0.0.1/", "http://127.0.0.1%2fcourier.example/", "http://courier%2eexample/"),
        *("http://courier.example%00/", "http://courier.example%0d%0a/", "http://loc%61lhost/"),
        *("http://[fe80::1%eth0]/", "http://[fe80::1%25eth0]/", "http://[2606:4700::1111%251]/"),
        *("http://%6c%6f%63%61%6c/", "http://%e2%91%a0.example/", "http://courier.example%/"),
    ],
    "dot at its end": [
        *("http://courier.example./", "http://localhost./", "http://127.0.0.1./", "http://./"),
        *("http://courier.example.:80/", "http://courier.example。/", "http://127.0.0.1．/"),
        *("http://metadata.google.internal./", "http://courier.example../", "http://localhost｡/"),
    ],
    "empty label": ["http://.courier.example/", "http://courier..example/", "http://.127.0.0.1/", "http://127..1/"],
    "longer than DNS allows": [
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 127 + "example/",
        "http://" + "1" * 200 + "/",
    ],
    "no host name has": [
        *("http://cour!er.example/", "http://cour'ier.example/", "http://courier,example/", "http://a*b.c/"),
        *("http://$(id).example/", "http://`id`.example/", "http://<b>.example/", "http://a;b.example/"),
        *('http://"x".example/', "http://{x}.example/", "http://a|b.example/", "http://a&b.example/"),
        *("http://a^b.example/", "http://~a.example/", "http://a=b.example/", "http://a+b.example/"),
    ],
    "four decimal numbers": [
        *("http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0X7F000001/"),
        *("http://127.1/", "http://127.0.1/", "http://127.0.0.01/", "http://0177.0.0.1/", "http://0177.1/"),
        *("http://0x7f.0.0.1/", "http://0x7f.1/", "http://0x7f.0x0.0x0.0x1/", "http://127.0.0.0x1/"),
        *("http://00000177.0.0.1/", "http://127.000.000.001/", "http://0127.0.0.1/", "http://127.0x1/"),
        *("http://0/", "http://0x0/", "http://00/", "http://0x/", "http://0.0/", "http://00.0.0.0/"),
        *("http://256.256.256.256/", "http://127.0.0.256/", "http://1.2.3.4.5/", "http://127.0.0.1.1/"),
        *("http://4294967296/", "http://99999999999/", "http://3232235521/", "http://0xc0a80001/"),
        *("http://2852039166/", "http://169.254.43518/", "http://0xa9fea9fe/", "http://0251.0376.0251.0376/"),
        *("http://10.1/", "http://192.168.257/", "http://172.1048577/", "http://0x0a000001/", "http://012.1/"),
        *("http://134744072/", "http://8.8.2056/", "http://010.8.8.8/", "http://0x8.8.8.8/", "http://08.8.8.8/"),
        *("http://courier.127/", "http://courier.0x7f/", "http://1.2.3/", "http://0b1.1/", "http://1e3.0.0.1/"),
    ],
    "other digits than 0-9": [
        *("http://１２７.０.０.１/", "http://127。0。0。1/", "http://127．0．0．1/", "http://127｡0｡0｡1/"),
        *("http://①②⑦.⓪.⓪.①/", "http://¹²⁷.⁰.⁰.¹/", "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", "http://₁₂₇.0.0.1/"),
        *("http://２１３０７０６４３３/", "http://０x7f000001/", "http://８.８.８.８/", "http://1²7.0.0.1/"),
        *("http://127.0.0.\u00ad1/", "http://169。254。169。254/", "http://𝟎ｘ𝟕ｆ.1/", "http://0ｘ7f.1/"),
    ],
    "not an IPv6 address": [
        *("http://[]/", "http://[::1::]/", "http://[127.0.0.1]/", "http://[courier.example]/"),
        *("http://[v1.fe80]/", "http://[12345::]/", "http://[::ffff:127.1]/", "http://[::ffff:0177.0.0.1]/"),
        *("http://[1:2:3:4:5:6:7:8:9]/", "http://[::g]/", "http://[：：1]/", "http://[::１]/"),
    ],
    "not an international host name": [
        *("http://a℁b.example/", "http://a℀b.example/", "http://a＠b.example/"),
        *("http://a：80.example/", "http://a＃b.example/", "http://a％b.example/", "http://\ud800.example/"),
        *("http://a／b.example/", "http://a\ue000b.example/", "http://a？b.example/"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "url"), [(rule, url) for rule, urls in BAD_FORMS.items() for url in urls]
)
def test_a_bad_form_is_refused_before_anything_is_resolved(rule: str, url: str) -> None:
    def never(host: str) -> list[str]:
        raise AssertionError(f"{host} was resolved")

    with pytest.raises(RefusedError) as caught:
        check(url, resolve=never)
    allowed = {rule}
    if rule == "not an international host name":
        allowed.add("no host name has")  # what the mapping lets through, the alphabet does not
    assert any(words in caught.value.reason for words in allowed), caught.value.reason


def test_a_longer_address_than_any_server_takes_is_refused() -> None:
    url = "http://courier.example/" + "a" * MAX_URL_LENGTH
    assert "longer than" in refused(url)


# --- names -------------------------------------------------------------------------------------

INNER = [
    *("localhost", "LOCALHOST", "LocalHost", "a.localhost", "localhost.localdomain", "ｌocalhost"),
    *("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "local\u00adhost", "printer.local", "PRINTER.LOCAL", "metadata.google.internal"),
    *("metadata。google。internal", "db.internal", "internal", "router.lan", "nas.home.arpa"),
    *("wiki.intranet", "router", "wpad", "a", "ⓡouter", "xn--a"),
]


@pytest.mark.parametrize("host", INNER)
def test_names_of_the_inner_network_are_refused_whatever_they_resolve_to(host: str) -> None:
    assert "name of" in refused(f"http://{host}/")


ALLOWED = {
    "http://courier.example/": "courier.example",
    "https://courier.example/a?b=c#d": "courier.example",
    "HTTPS://COURIER.Example/": "courier.example",
    "http://courier.example": "courier.example",
    "http://courier.example?q=1": "courier.example",
    "http://courier.example#top": "courier.example",
    "http://courier.example:/": "courier.example",
    "http://courier.example:80/": "courier.example",
    "https://courier.example:443/": "courier.example",
    "http://courier.example:443/": "courier.example",
    "https://courier.example:80/": "courier.example",
    "http://www.courier.example/user@home": "www.courier.example",
    "http://courier.example/?to=http://127.0.0.1/": "courier.example",
    "http://courier.example/%00%0a": "courier.example",
    "http://courier.example//127.0.0.1/": "courier.example",
    "http://courier.example/:8080": "courier.example",
    "http://my_paper.example/": "my_paper.example",
    "http://x--y.example/": "x--y.example",
    "http://1.example/": "1.example",
    "http://127.0.0.1.example/": "127.0.0.1.example",
    "http://1e100.example/": "1e100.example",
    "http://0xcafe.example/": "0xcafe.example",
    "http://localhost.example/": "localhost.example",
    "http://local.example/": "local.example",
    "http://notlocal.example/": "notlocal.example",
    "http://thelocal.example/": "thelocal.example",
    "http://courier.test/": "courier.test",
    "http://zürich-bote.example/": "xn--zrich-bote-9db.example",
    "http://ZÜRICH-Bote.example/": "xn--zrich-bote-9db.example",
    "http://xn--zrich-bote-9db.example/": "xn--zrich-bote-9db.example",
    "http://例え.テスト/": "xn--r8jz45g.xn--zckzah",
    "http://例え。テスト/": "xn--r8jz45g.xn--zckzah",
    "http://новости.example/путь": "xn--b1amnebsh.example",
    "http://أخبار.example/": "xn--igbicxr.example",
    "http://ｃｏｕｒｉｅｒ.example/": "courier.example",
    "http://نامه\u200cای.example/": "xn--mgba3gch31f060k.example",
    "http://straße.example/": "xn--strae-oqa.example",
    "http://8.8.8.8/": "8.8.8.8",
    "http://1.1.1.1:443/": "1.1.1.1",
    "http://223.255.255.255/": "223.255.255.255",
    "http://[2606:4700::1111]/": "[2606:4700::1111]",
    "http://[2606:4700:0:0::1111]:443/": "[2606:4700::1111]",
    "http://[2A00:1450:4001::200E]/": "[2a00:1450:4001::200e]",
    "http://" + "a" * 63 + ".example/": "a" * 63 + ".example",
    "http://" + "a." * 123 + "example/": "a." * 123 + "example",
}


@pytest.mark.parametrize(("url", "host"), ALLOWED.items())
def test_public_places_may_be_asked_in_any_decent_spelling(url: str, host: str) -> None:
    checked = check(url, resolve=public)
    assert checked.host == host
    assert checked.addresses


def test_what_was_checked_says_where_to_connect_and_whose_rules_hold() -> None:
    checked = check("https://Courier.example:80/a", resolve=public)
    assert (checked.scheme, checked.port, checked.addresses) == ("https", 80, (PUBLIC,))
    assert (checked.authority, checked.origin) == (
        "courier.example:80",
        "https://courier.example:80",
    )
    assert check("https://courier.example:443/", resolve=public).origin == "https://courier.example"


def test_other_ports_only_where_they_are_listed() -> None:
    assert check("http://courier.example:8080/", resolve=public, ports=(80, 8080)).port == 8080
    with pytest.raises(RefusedError, match=r"\(80, 8080\)"):
        check("https://courier.example/", resolve=public, ports=(80, 8080))
    with pytest.raises(RefusedError, match="none"):
        check("https://courier.example/", resolve=public, ports=())


def test_an_error_never_repeats_a_password_or_a_control_character() -> None:
    long = "http://ann:" + "secret" * 100 + "@courier.example/"
    for url in ("http://ann:secret@a.example/", "http:ann:secret@x", "ftp://a:secret@b@c/", long):
        with pytest.raises(RefusedError) as caught:
            check(url, resolve=public)
        assert "secret" not in str(caught.value)
    with pytest.raises(RefusedError) as caught:
        check("http://courier.example/\x1b[31m\n" + "x" * 1_000, resolve=public)
    assert str(caught.value).isprintable()
    assert len(caught.value.url) <= 200


# --- addresses ---------------------------------------------------------------------------------

SPECIAL = {
    "unspecified": ["0.0.0.0", "0.1.2.3", "::", "0:0:0:0:0:0:0:0"],
    "loopback": ["127.0.0.1", "127.255.255.254", "127.66.0.1", "::1"],
    "private": [
        *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1"),
        *("192.168.255.255", "fc00::1", "fd00:ec2::254", "fdff::1", "fec0::1", "feff::1"),
    ],
    "carrier NAT": ["100.64.0.1", "100.127.255.255", "100.100.100.200"],
    "link-local": ["169.254.169.254", "169.254.0.1", "fe80::1", "febf::1"],
    "cloud": ["168.63.129.16"],
    "documentation": ["192.0.2.1", "198.51.100.7", "203.0.113.255", "2001:db8::1", "3fff::1"],
    "benchmark": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "reserved": [
        *("240.0.0.1", "255.255.255.255", "192.0.0.1", "192.0.0.192", "192.88.99.1", "2001:10::1"),
        *("2001:20::1", "2001:1ff::1", "4000::1", "5f00::1", "8000::1", "1::1", "200::1", "e000::1"),
        *("2620:4f:8000::1", "fe00::1", "0:1::", "192.31.196.1", "192.52.193.1", "192.175.48.1"),
    ],
    "discard": ["100::1"],
    "(mapped)": ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "0:0:0:0:0:ffff:a00:1"],
    "(translated)": ["::ffff:0:127.0.0.1", "::ffff:0:a00:1"],
    "(compatible)": ["::127.0.0.1", "::8.8.8.8", "::2"],
    "(NAT64)": ["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::8.8.8.8"],
    "(local NAT64)": ["64:ff9b:1::1", "64:ff9b:1:ffff::a00:1"],
    "(Teredo)": ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    "(6to4)": ["2002:7f00:1::1", "2002:808:808::1", "2002::"],
    "(ISATAP)": ["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:7f00:1", "2a00:1450::100:5efe:0:1"],
}  # fmt: skip
SPECIAL_ADDRESSES = [(words, address) for words, each in SPECIAL.items() for address in each]


@pytest.mark.parametrize(("words", "address"), SPECIAL_ADDRESSES)
def test_special_addresses_are_refused_as_literals_and_as_answers(words: str, address: str) -> None:
    assert words in judge_address(address)
    literal = f"[{address}]" if ":" in address else address
    assert words in refused(f"http://{literal}/")
    assert words in refused("http://courier.example/", [address])
    assert words in refused("http://courier.example/", [PUBLIC, address])
    assert words in refused("http://courier.example/", [address, PUBLIC])


@pytest.mark.parametrize(
    "address",
    [
        *("1.0.0.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"),
        *("128.0.0.1", "168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255"),
        *("172.32.0.0", "192.0.1.1", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255"),
        *("198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1"),
        *("2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "3ffe::1", "2a00::5efe:0"),
    ],
)  # fmt: skip
def test_their_neighbours_are_not(address: str) -> None:
    assert judge_address(address) == ""


@pytest.mark.parametrize(
    "answer",
    ["", "courier.example", "127.1", "0x7f.1", "1.2.3.4/8", "8.8.8.8 ", "[::1]", "٨.٨.٨.٨"],
)
def test_an_answer_that_is_no_address_is_refused(answer: str) -> None:
    assert "not an address" in refused("http://courier.example/", [answer])


def test_an_answer_with_a_zone_is_refused() -> None:
    assert "zone" in refused("http://courier.example/", ["2606:4700::1%eth0"])


def test_answers_come_back_once_each_in_their_order() -> None:
    answer = ["2606:4700:0::1111", "8.8.8.8", "2606:4700::1111", "8.8.8.8"]
    checked = check("http://courier.example/", resolve=lambda host: answer)
    assert checked.addresses == ("2606:4700::1111", "8.8.8.8")


def test_a_name_without_an_answer_is_unreachable_not_refused() -> None:
    def fails(host: str) -> list[str]:
        raise OSError("no such host")

    def empty(host: str) -> list[str]:
        return []

    for resolve in (fails, empty):
        with pytest.raises(UnreachableError) as caught:
            check("http://courier.example/", resolve=resolve)
        assert caught.value.kind == "dns"


# --- exceptions --------------------------------------------------------------------------------

LISTED = ("127.0.0.1:8080", "[::1]:9000", "wiki.intranet:80", "Desk.Example:8443")


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("http://127.0.0.1:8080/a", ("127.0.0.1",)),
        ("http://[::1]:9000/", ("::1",)),
        ("http://[0:0:0:0:0:0:0:1]:9000/", ("::1",)),
        ("http://wiki.intranet/", ("10.0.0.7",)),
        ("https://desk.example:8443/", ("10.0.0.7",)),
    ],
)
def test_a_listed_pair_may_be_asked(url: str, addresses: tuple[str, ...]) -> None:
    checked = check(url, resolve=lambda host: ["10.0.0.7"], allow_private=LISTED)
    assert checked.addresses == addresses


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1/", "http://127.0.0.1:8081/", "http://127.0.0.2:8080/", "http://[::1]/"),
        *("http://[::ffff:127.0.0.1]:8080/", "http://2130706433:8080/", "http://127.1:8080/"),
        *("http://0177.0.0.1:8080/", "http://127.0.0.1.:8080/", "http://localhost:8080/"),
        *("http://１２７.0.0.1:8080/", "http://a@127.0.0.1:8080/", "http://wiki.intranet:8080/"),
        *("https://wiki.intranet/", "http://a.wiki.intranet/", "http://desk.example/"),
        *("http://ann@desk.example:8443/", "http://0.0.0.0:8080/", "http://[::]:9000/"),
    ],
)
def test_a_listed_pair_opens_nothing_beside_it(url: str) -> None:
    with pytest.raises(RefusedError):
        check(url, resolve=lambda host: ["10.0.0.7"], allow_private=LISTED)


@pytest.mark.parametrize(
    "entry", ["", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "[::1]", "*:80"]
)
def test_a_broken_entry_opens_nothing(entry: str) -> None:
    for url in ("http://127.0.0.1/", "http://[::1]/", "http://localhost/"):
        with pytest.raises(RefusedError):
            check(url, resolve=public, allow_private=(entry,))


HOSTS = {"courier.test": "127.66.0.1:8080", "six.test": "[::1]:9000", "desk.local": "10.0.0.7:80"}


@pytest.mark.parametrize(
    ("url", "address", "port", "origin"),
    [
        ("http://courier.test/", "127.66.0.1", 8080, "http://courier.test"),
        ("http://COURIER.test/a?b", "127.66.0.1", 8080, "http://courier.test"),
        ("https://courier.test/", "127.66.0.1", 8080, "https://courier.test"),
        ("http://courier.test:80/", "127.66.0.1", 8080, "http://courier.test"),
        ("http://courier.test:8080/", "127.66.0.1", 8080, "http://courier.test:8080"),
        ("http://six.test/", "::1", 9000, "http://six.test"),
        ("http://desk.local/", "10.0.0.7", 80, "http://desk.local"),
    ],
)
def test_a_pinned_name_is_connected_where_it_is_pinned(
    url: str, address: str, port: int, origin: str
) -> None:
    def never(host: str) -> list[str]:
        raise AssertionError("a pinned name was resolved")

    checked = check(url, resolve=never, hosts=HOSTS)
    assert (checked.addresses, checked.port, checked.origin) == ((address,), port, origin)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://127.66.0.1/",
            "http://127.66.0.1:8080/",
            "http://[::1]:9000/",
            "http://10.0.0.7/",
        ),
        *("http://courier.test:81/", "http://courier.test:443/", "http://courier.test:22/"),
        *("http://www.courier.test/", "http://courier.test./", "http://ann@courier.test/"),
        *("http://other.test/", "http://courier.test\\.other.test/", "https://courier.test:80/"),
    ],
)
def test_a_pin_opens_only_that_name_at_that_port(url: str) -> None:
    with pytest.raises(RefusedError):
        check(url, resolve=lambda host: ["127.66.0.1"], hosts=HOSTS)


@pytest.mark.parametrize("pin", ["", "127.0.0.1", "127.0.0.1:0", "localhost:80", "127.1:80", ":80"])
def test_a_broken_pin_is_refused(pin: str) -> None:
    with pytest.raises(RefusedError, match="pinned"):
        check("http://courier.test/", resolve=public, hosts={"courier.test": pin})


def test_an_address_cannot_be_pinned_like_a_name() -> None:
    with pytest.raises(RefusedError):
        check("http://127.0.0.1/", resolve=public, hosts={"127.0.0.1": "127.0.0.1:80"})


# --- a name that changes its mind --------------------------------------------------------------


def test_the_connection_gets_the_answer_that_was_judged() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])
    asked: list[str] = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return next(answers)

    first = check("http://rebind.example/", resolve=rebinding)
    assert first.addresses == (PUBLIC,)
    assert asked == ["rebind.example"]
    with pytest.raises(RefusedError, match="loopback"):  # the next hop is judged anew
        check("http://rebind.example/", resolve=rebinding)


def test_the_judge_can_be_asked_in_two_steps() -> None:
    target = judge_form("http://courier.example/")
    assert (target.host, target.addresses) == ("courier.example", ())
    assert judge_answer(target, [PUBLIC]) == check("http://courier.example/", resolve=public)
    with pytest.raises(
        RefusedError, match=r"courier\.example leads to a private address"
    ) as caught:
        judge_answer(target, ["10.0.0.1"])
    assert "10.0.0.1" not in caught.value.message, "it is kept, and shown on pages"
    assert "10.0.0.1" in caught.value.hint, "the operator is told"
    assert judge_form("http://8.8.8.8/").addresses == ("8.8.8.8",)


def test_the_table_is_as_long_as_promised() -> None:
    forms = sum(map(len, BAD_FORMS.values()))
    assert forms + len(INNER) + len(SPECIAL_ADDRESSES) + len(ALLOWED) >= 250
