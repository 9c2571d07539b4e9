"""RSL documents: what is read, what is mended, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.signals.outcomes import outcome
from wireroom.errors import ParseError
from wireroom.signals.rsl.rsl_document import MAX_BYTES, MAX_CONTENTS, MAX_LICENCES, read_rsl

XMLNS = 'xmlns="https://rslstandard.org/rsl"'
FULL = f"""<?xml version="1.0" encoding="UTF-8"?>
<rsl {XMLNS} xmlns:x="https://other.test/" max-age="7">
  <content url="/" server="https://courier.test/tokens" encrypted="true" lastmod="2026-06-01">
    <x:license><x:permits type="usage">all</x:permits></x:license>
    <license>
      <permits type="usage">ai-input,  ai-index,train-ai
         train-genai inference</permits>
      <permits type="usage">search</permits>
      <permits type="user">commercial</permits>
      <permits type="geo">gb EU</permits>
      <prohibits type="usage">ai-train</prohibits>
      <prohibits type="user">government</prohibits>
      <prohibits type="geo">us</prohibits>
      <payment type="Use">
        <standard>https://courier.test/rates</standard>
        <custom>https://courier.test/licensing</custom>
        <amount currency="eur">0.015</amount>
        <accepts type="application/x402+json"/>
      </payment>
      <legal type="warranty">ownership authority</legal>
      <reporting type="telemetry" profile="https://p.test/1" endpoint="https://e.test/"/>
    </license>
    <copyright type="organization" contactEmail="r@courier.test">The Courier</copyright>
    <terms>https://courier.test/terms</terms>
    <schema>https://courier.test/schema.json</schema>
    <alternate type="application/json">https://courier.test/a.json</alternate>
  </content>
</rsl>
"""


def _document(licence: str = "<license/>", url: str = "/") -> bytes:
    return f'<rsl {XMLNS}><content url="{url}">{licence}</content></rsl>'.encode()


def test_a_document_is_read_whole() -> None:
    document = read_rsl(FULL.encode())
    (content,) = document.contents
    (licence,) = content.licences
    assert document.max_age_days == 7
    assert (content.url, content.server, content.encrypted) == ("/", "https://courier.test/tokens", True)  # fmt: skip
    assert content.line == 3
    assert licence.permits_usage == ("ai-input", "ai-index", "ai-train", "search")
    assert licence.permits_user == ("commercial",)
    assert licence.permits_geo == ("GB", "EU")
    assert licence.prohibits_usage == ("ai-train",)
    assert licence.prohibits_user == ("government",)
    assert licence.prohibits_geo == ("US",)
    (payment,) = licence.payments
    assert (payment.type, payment.amount, payment.currency) == ("use", "0.015", "EUR")
    assert payment.custom_url == "https://courier.test/licensing"
    assert payment.standard_urls == ("https://courier.test/rates",)
    assert payment.accepts == ("application/x402+json",)
    assert licence.legal[0].value == "ownership authority"
    assert licence.reporting[0].endpoint == "https://e.test/"
    assert content.copyright is not None
    assert content.copyright.email == "r@courier.test"
    assert content.terms_url == "https://courier.test/terms"
    assert not document.mended


def test_a_list_that_is_not_there_is_not_an_empty_one() -> None:
    silent = read_rsl(_document()).contents[0].licences[0]
    empty = read_rsl(_document('<license><permits type="usage"/></license>'))
    assert silent.permits_usage is None
    assert silent.payments == ()
    assert empty.contents[0].licences[0].permits_usage == ()


def test_a_prefix_no_namespace_or_utf16_change_nothing() -> None:
    plain = b'<rsl><content url="/a"><license><permits type="usage">all</permits></license></content></rsl>'  # fmt: skip
    prefixed = (
        b'<r:rsl xmlns:r="https://rslstandard.org/rsl"><r:content url="/a"><r:license>'
        b'<r:permits type="usage">all</r:permits></r:license></r:content></r:rsl>'
    )
    wide = ("\ufeff" + plain.decode()).encode("utf-16-le")
    assert read_rsl(plain) == read_rsl(prefixed) == read_rsl(wide)


def test_the_content_of_a_feed_item_is_a_document() -> None:
    body = f'<rsl:content xmlns:rsl="https://rslstandard.org/rsl" url="https://courier.test/a"><rsl:license/></rsl:content>'  # noqa: F541  # fmt: skip
    assert read_rsl(body.encode()).contents[0].url == "https://courier.test/a"


def test_a_document_that_is_not_well_formed_says_so() -> None:
    body = _document("<license><custom>https://a.test/?x=1&y=2</custom></license>")
    assert read_rsl(body).mended


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"<!DOCTYPE html><html><body>Not found</body></html>",
        b"plain text",
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 50,
        b'<rss version="2.0"><channel/></rss>',
        b'<rsl xmlns="https://rslstandard.org/rsl"/>',
        b'<rsl xmlns="https://other.test/"><content url="/"/></rsl>',
        b"<rsl><content url='/'><license><permits type='usage'>al",
        b'<!DOCTYPE rsl [<!ENTITY a "b">]><rsl><content url="/">&a;</content></rsl>',
        b'<!DOCTYPE rsl SYSTEM "file:///etc/passwd"><rsl><content url="/"/></rsl>',
        '<!DOCTYPE rsl><rsl><content url="/"/></rsl>'.encode("utf-16"),
        b"<rsl>" + b'<content url="/"/>' * (MAX_CONTENTS + 1) + b"</rsl>",
        b'<rsl><content url="/">' + b"<license/>" * (MAX_LICENCES + 1) + b"</content></rsl>",
        b"<rsl>" + b"<content>" * 5_000,
    ],
)
def test_whatever_breaks_the_rules_is_refused(body: bytes) -> None:
    with pytest.raises(ParseError):
        read_rsl(body)


@pytest.mark.long
def test_a_huge_document_costs_nothing() -> None:
    body = b"<rsl>" + b" " * 100_000_000 + b"</rsl>"
    with cpu_within(1), pytest.raises(ParseError, match=f"{MAX_BYTES:,}"):
        read_rsl(body)


def test_the_longest_documents_are_read_in_time() -> None:
    content = '<content url="/{n}"><license><permits type="usage">all</permits></license></content>'
    many = "".join(content.format(n=n) for n in range(MAX_CONTENTS))
    wide = "<license><permits type='usage'>" + "x " * 400_000 + "</permits></license>"
    with cpu_within(2):
        assert len(read_rsl(f"<rsl>{many}</rsl>".encode()).contents) == MAX_CONTENTS
        with pytest.raises(ParseError, match="more than 300 words"):
            read_rsl(_document(wide))


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: _document(text)))
def test_any_bytes_are_a_document_or_an_error(body: bytes) -> None:
    assert outcome(lambda: read_rsl(body).contents)
