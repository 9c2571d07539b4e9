"""Paywalls: what the page says first, walls next, vendors and words hardly at all."""

from __future__ import annotations

import pytest

from tests.parse.metadata.pages import article, meta, read
from wireroom.parse.metadata.paywall_evidence import CAN_BE_METERED, ENOUGH_TEXT, NO_SIGN

PART = {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": ".x"}
WALL = '<div class="paywall">Subscribe to read on.</div>'

TABLE: list[tuple[str, str, str, str]] = [
    ("free by json-ld", article(isAccessibleForFree=True), WALL, "free"),
    ("free as a text", article(isAccessibleForFree="True"), "", "free"),
    ("free as an address", article(isAccessibleForFree="https://schema.org/True"), "", "free"),
    ("locked by json-ld", article(isAccessibleForFree=False), "", "locked"),
    ("locked as a text", article(isAccessibleForFree="False"), "", "locked"),
    ("locked by a part", article(headline="x", hasPart=PART), "", "locked"),
    ("locked by one of many parts", article(isAccessibleForFree=True, hasPart=[{}, PART]), "", "locked"),
    ("microdata", "", '<div itemscope itemtype="https://schema.org/Article"><meta itemprop="isAccessibleForFree" content="false"></div>', "locked"),
    ("tier metered", meta(article__content_tier="metered"), "", "metered"),
    ("tier locked", meta(article__content_tier="locked"), "", "locked"),
    ("tier free", meta(article__content_tier="free"), "", "free"),
    ("json-ld and tier", article(isAccessibleForFree=False) + meta(article__content_tier="metered"), "", "metered"),
    ("premium", '<meta name="isPremium" content="true">', "", "locked"),
    ("registration", article(isAccessibleForFree=False), '<div class="regwall">Register for free to read on.</div>', "registration"),
    ("wall that asks to register", "", '<div class="paywall">Register free to continue reading.</div>', "registration"),
    ("wall that counts", "", '<div class="meter-box">You have 2 free articles left.</div>', "metered"),
    ("wall that sells", "", WALL, "locked"),
    ("wall without words", "", '<div class="paywall"></div>', "unknown"),
    ("words that count", "", "<p>Subscribe! You have 2 free articles left. Log in to continue.</p>", "metered"),
    ("words that ask", "", "<p>Sign in to read more.</p>", "unknown"),
    ("words with a link", "", '<p>Please <a href="/in"><b>log in</b></a> to continue reading.</p>', "unknown"),
    ("words that sell", "", "<p>Subscribe to our newsletter.</p>", "free"),
    ("words in a footer", "", "<footer><p>Sign in to read more.</p></footer>", "free"),
    ("words in a script", "", "<script>var x = '<p>Sign in to read more.</p>'</script>", "free"),
    ("words in a menu", "", "<nav><a>Log in</a> <a>Continue</a></nav>", "free"),
    ("no wall by name", "", '<div class="no-paywall">Subscribe to read on.</div>', "free"),
    ("nothing", "", "", "free"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body", "kind"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_paywall(head: str, body: str, kind: str) -> None:
    assert read(head, body).paywall.value == kind


@pytest.mark.parametrize(
    "src",
    ["https://cdn.tinypass.com/api/x.js", "//experience.piano.io/x.js", "/arc/subs/p.min.js", "https://news.google.com/swg/js/v1/swg.js"],
)  # fmt: skip
def test_a_vendors_script_alone_only_can_meter(src: str) -> None:
    found = read(f'<script src="{src}"></script>').paywall
    assert found.value == "unknown"
    assert found.notes[0] == CAN_BE_METERED


def test_evidence_is_kept_the_surest_first() -> None:
    found = read(
        article(isAccessibleForFree=False) + meta(article__content_tier="metered"), WALL
    ).paywall
    assert [claim.source for claim in found.claims] == [
        "json-ld isAccessibleForFree",
        "meta article:content_tier",
        "element paywall",
    ]


def test_a_page_that_shows_its_text_is_not_searched_for_words() -> None:
    body = "<p>Sign in to read more.</p>"
    assert read("", body, word_count=ENOUGH_TEXT).paywall.value == "free"
    found = read("", body).paywall
    assert found.claims[0].source == "words: Sign in to read more."


def test_no_sign_is_free_at_little_confidence() -> None:
    found = read().paywall
    assert (found.source, found.confidence) == (NO_SIGN, 0.3)


def test_a_cut_text_is_weak_evidence() -> None:
    head = article(wordCount=900)
    assert read(head, word_count=100).paywall.value == "unknown"
    assert read(head, word_count=100).paywall.claims[0].source == "100 of 900 words shown"
    assert read(head, word_count=850).paywall.value == "free"
