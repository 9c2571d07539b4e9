"""Receipts, and what pages and feed items add to a scout's findings."""

from __future__ import annotations

import pytest

from tests.rights.findings import HOME, NOW, PAGE, RSL_URL, robots, rsl, rsl_body, words
from wireroom.model import USES, Item
from wireroom.parse.html import open_page
from wireroom.parse.page_tags import read_page_tags
from wireroom.signals import item_findings, make_receipt, page_findings

BY = "https://creativecommons.org/licenses/by/4.0/"
SEARCH = '<license><permits type="usage">search</permits></license>'


def test_a_receipt_has_every_use_at_a_moment() -> None:
    file = robots("User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n")
    receipt = make_receipt([file], PAGE, robots_word="allowed", now=NOW)
    assert [verdict.use for verdict in receipt.verdicts] == list(USES)
    assert receipt.robots == "allowed"
    assert receipt.checked_at == NOW
    assert {verdict.use: verdict.value for verdict in receipt.verdicts}["ai-train"] == "deny"


def test_the_licence_of_the_article_is_heard() -> None:
    receipt = make_receipt([], PAGE, robots_word="allowed", licence_url=BY, now=NOW)
    assert {verdict.value for verdict in receipt.verdicts} == {"allow"}
    assert receipt.licence_url == BY
    odd = make_receipt([], PAGE, robots_word="unknown", licence_url="https://a.test/", now=NOW)
    assert {verdict.value for verdict in odd.verdicts} == {"unknown"}


def test_what_a_page_says_stands_beside_what_its_publisher_says() -> None:
    html = (
        f'<head><link rel="license" type="application/rsl+xml" href="/rsl.xml">'
        f'<link rel="license" href="{BY}"><meta name="robots" content="noarchive"></head>'
    )
    headers = [
        ("content-signal", "ai-input=no"),
        ("content-usage", "search=y"),
        ("tdm-reservation", "1"),
    ]
    signals = read_page_tags(open_page(html), url=PAGE, headers=headers)
    alone = words(*page_findings(signals, now=NOW))
    assert (
        alone
        == {  # nothing of search: RSL is named and was not read, so that no other word allows it
            "ai-input": "deny",
            "ai-index": "deny",
            "ai-train": "deny",
            "archive": "deny",
        }
    )
    known = rsl(f'<content url="/">{SEARCH}</content>')
    found = page_findings(signals, now=NOW, known=known)
    (by_rsl,) = [finding for finding in found if finding.step == "rsl"]
    assert words(by_rsl) == {use: "allow" if use == "search" else "deny" for use in USES}
    assert words(*found, url=HOME) == {}


def test_a_page_that_says_nothing_adds_nothing() -> None:
    signals = read_page_tags(open_page("<p>text</p>"), url=PAGE)
    assert words(*page_findings(signals, now=NOW)) == {}


def test_a_feed_item_may_carry_terms_and_a_licence() -> None:
    terms = rsl_body("").decode().replace("<rsl ", "<content ").replace("</rsl>", "</content>")
    terms = terms.replace("></content>", f' url="{PAGE}">{SEARCH}</content>')
    item = Item(
        feed_url=HOME + "feed.xml",
        guid="1",
        url=PAGE,
        extra={"rsl": [{"xml": terms}], "licence_url": "https://creativecommons.org/publicdomain/zero/1.0/"},
    )  # fmt: skip
    by_rsl, by_licence = item_findings(item, item.url, now=NOW)
    assert words(by_rsl)["search"] == "allow"
    assert words(by_rsl)["ai-train"] == "deny"
    assert words(by_licence) == dict.fromkeys(USES, "allow")
    assert words(by_rsl, by_licence, url=HOME) == {}


def test_terms_of_an_item_that_cannot_be_read_allow_nothing() -> None:
    extra = {"rsl": [{"xml": "<content"}, "odd"], "licence_url": 3}
    item = Item(feed_url=HOME + "feed.xml", guid="1", url=PAGE, extra=extra)
    (by_rsl,) = item_findings(item, item.url, now=NOW)
    assert words(by_rsl) == {}
    assert item_findings(Item(feed_url=HOME, guid="2"), "", now=NOW) == ()


def test_the_document_a_scout_read_is_found_by_its_address() -> None:
    signals = read_page_tags(
        None, url=PAGE, headers=[("link", f'<{RSL_URL}>; rel=license; type="application/rsl+xml"')]
    )
    _, known = rsl(f'<content url="/news">{SEARCH}</content>')
    (by_rsl,) = [
        page_finding
        for page_finding in page_findings(signals, now=NOW, known=[known])
        if page_finding.step == "rsl"
    ]
    assert words(by_rsl)["search"] == "allow"


PERMITTING = robots("User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n")


@pytest.mark.parametrize(
    ("html", "why"),
    [
        (
            '<link rel=license type="application/rsl+xml" href="/rsl.xml">' * 51,
            "more than 50 RSL links",
        ),
        ('<script type="application/rsl+xml"></script>' * 51, "more than 50 RSL links"),
        ("<meta name=a content=b>" * 2001, "more than 2,000 tags that may speak of rights"),
    ],
)
def test_what_stands_behind_a_limit_of_a_page_may_refuse(html: str, why: str) -> None:
    tags = read_page_tags(open_page(f"<head>{html}<p>Text"), url=PAGE)
    found = [PERMITTING, *page_findings(tags, now=NOW)]
    receipt = make_receipt(found, PAGE, robots_word="allowed", now=NOW, page_read=True)
    verdict = next(verdict for verdict in receipt.verdicts if verdict.use == "ai-train")
    assert verdict.value == "unknown"
    notices = (signal.evidence.excerpt for signal in (*verdict.unseen, *verdict.because))
    assert f"not looked at: {why}" in notices


def test_the_twenty_first_header_refuses_as_the_first_does() -> None:
    headers = [*[("X-Robots-Tag", "all")] * 30, ("X-Robots-Tag", f"{'a, ' * 5000}noai")]
    tags = read_page_tags(None, url=PAGE, headers=headers)
    assert words(PERMITTING, *page_findings(tags, now=NOW))["ai-train"] == "deny"
