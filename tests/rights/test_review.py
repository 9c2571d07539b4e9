"""What becomes of an article when its publisher changes its mind."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.rights.findings import HOME, NOW, PAGE, headers, licence, robots
from wireroom.model import Article, Finding, TypedFacts, Word
from wireroom.parse.page_tags import RSL_TYPE, LicenceTag, PageTags
from wireroom.rights import FindingIndex
from wireroom.rights.policy import Policy
from wireroom.rights.review import first_to_permit
from wireroom.signals import (
    findings_on,
    make_receipt,
    page_findings,
    receipt_today,
    review_article,
)
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice, read_rsl

LATER = NOW + timedelta(days=30)
OPEN = robots("User-agent: *\nContent-Signal: ai-train=yes, search=yes\nAllow: /\n")
SHUT = robots("User-agent: *\nContent-Signal: ai-train=no, search=yes\nAllow: /\n")
STRICT = Policy(uses=("ai-train",), store_on={"allow": "text", "deny": "metadata"})


def article(*findings: Finding) -> Article:
    receipt = make_receipt(findings, PAGE, robots_word="allowed", now=NOW)
    return Article(
        id="a1",
        publisher="courier.test",
        url=PAGE,
        title="Harbour",
        fetched_at=NOW,
        receipt=receipt,
    )


def test_nothing_changed_is_no_review() -> None:
    assert review_article(article(OPEN), FindingIndex([OPEN]), STRICT, now=LATER) is None


def test_a_new_refusal_names_both_words_and_what_the_policy_leaves() -> None:
    review = review_article(article(OPEN), FindingIndex([SHUT]), STRICT, now=LATER)
    assert review is not None
    assert review.changes == {"ai-train": ("allow", "deny")}
    assert review.storage.kept == "metadata"
    assert review.storage.reason.startswith("ai-train: deny by content_signal")
    assert review.receipt.checked_at == LATER


def test_a_page_that_could_not_be_read_stays_unread() -> None:
    receipt = make_receipt([OPEN], PAGE, robots_word="allowed", now=NOW, page_unread="status 503")
    held = replace(article(OPEN), receipt=receipt)
    for _ in range(2):
        today = receipt_today(held, FindingIndex([OPEN]), now=LATER)
        words = {verdict.use: verdict.value for verdict in today.verdicts}
        assert words["ai-train"] == "unknown"
        held = replace(held, receipt=today)


NO_WORD = robots("User-agent: *\nAllow: /\n")


@pytest.mark.parametrize("then", [SHUT, NO_WORD], ids=["deny", "unknown"])
def test_a_page_that_could_not_be_read_stays_unread_under_any_other_verdict(then: Finding) -> None:
    receipt = make_receipt([then], PAGE, robots_word="allowed", now=NOW, page_unread="status 503")
    held = replace(article(then), receipt=receipt)
    today = receipt_today(held, FindingIndex([OPEN]), now=LATER)
    verdict = next(verdict for verdict in today.verdicts if verdict.use == "ai-train")
    assert verdict.value == "unknown"
    assert {signal.evidence.excerpt for signal in verdict.unseen} == {"status 503"}


def test_who_was_not_scouted_yet_is_judged_by_what_it_says_then() -> None:
    unscouted = findings_on("courier.test", None, now=NOW)
    receipt = make_receipt(unscouted, PAGE, robots_word="allowed", now=NOW, page_read=True)
    assert receipt.unscouted
    held = replace(article(OPEN), receipt=receipt)
    for findings, word in (([OPEN], "allow"), ([SHUT], "deny"), (unscouted, "unknown")):
        today = receipt_today(held, FindingIndex(findings), now=LATER)
        assert {verdict.use: verdict.value for verdict in today.verdicts}["ai-train"] == word


def _read_page(known: FindingIndex, tags: PageTags) -> Article:
    found = page_findings(tags, now=NOW, known=known)
    free = licence("https://creativecommons.org/publicdomain/zero/1.0/", page=PAGE)
    receipt = make_receipt(
        FindingIndex([*found, free], parent=known),
        PAGE,
        robots_word="allowed",
        now=NOW,
        page_read=True,
    )
    return replace(article(), receipt=receipt)


def _names_rsl(*, part: bool = False) -> PageTags:
    address = HOME + "rsl.xml"
    tag = LicenceTag(tag="link", type=RSL_TYPE, url=address, part=part)
    return PageTags(url=PAGE, base_url=PAGE, licences=(tag,))


def _words_today(held: Article, findings: FindingIndex) -> set[Word]:
    return {verdict.value for verdict in receipt_today(held, findings, now=LATER).verdicts}


def _rsl_of_front_page(elements: str) -> Finding:
    text = f'<rsl xmlns="https://rslstandard.org/rsl"><content url=""><license>{elements}</license></content></rsl>'
    notice = RslNotice(
        place="html_link",
        licence_url=HOME + "rsl.xml",
        page_url=HOME,
        document=read_rsl(text.encode()),
    )
    return Finding(
        step="rsl", outcome="yes", facts=TypedFacts(RslFacts(notices=(notice,))), found_at=NOW
    )


PERMITS = _rsl_of_front_page('<permits type="usage">all</permits>')
PROHIBITS = _rsl_of_front_page('<prohibits type="usage">all</prohibits>')


def test_a_document_that_the_page_names_counts_by_what_it_says_today() -> None:
    held = _read_page(FindingIndex([NO_WORD, PERMITS]), _names_rsl())
    assert held.receipt is not None
    assert held.receipt.documents == (HOME + "rsl.xml",)
    assert _words_today(held, FindingIndex([NO_WORD, PERMITS])) == {"allow"}
    assert _words_today(held, FindingIndex([NO_WORD, PROHIBITS])) == {"deny"}
    assert _words_today(held, FindingIndex([NO_WORD])) == {"unknown"}


def test_a_document_that_nobody_has_read_allows_nothing_later_either() -> None:
    held = _read_page(FindingIndex([NO_WORD]), _names_rsl())
    assert _words_today(held, FindingIndex([NO_WORD])) == {"unknown"}
    assert _words_today(held, FindingIndex([NO_WORD, PROHIBITS])) == {"deny"}


def test_a_document_of_a_picture_permits_nothing_of_its_page() -> None:
    held = _read_page(FindingIndex([NO_WORD]), _names_rsl(part=True))
    assert held.receipt is not None
    assert not held.receipt.documents
    assert _words_today(held, FindingIndex([NO_WORD, PERMITS])) == {"unknown"}


def test_what_stood_behind_a_limit_of_the_page_stays_unknown() -> None:
    cut = PageTags(url=PAGE, base_url=PAGE, cut="more than 1 tag")
    held = _read_page(FindingIndex([NO_WORD]), cut)
    assert held.receipt is not None
    assert held.receipt.page_unread == "not looked at: more than 1 tag"
    assert _words_today(held, FindingIndex([NO_WORD])) == {"unknown"}


def test_where_the_policy_names_no_use_the_text_may_stay() -> None:
    review = review_article(article(OPEN), FindingIndex([SHUT]), Policy(), now=LATER)
    assert review is not None
    assert review.storage.kept == "text"


def test_the_signals_of_the_page_itself_still_count() -> None:
    """The page's own header said no: a publisher that opens up does not undo it."""
    own = headers("content_signal", "ai-train=no", url=PAGE)
    assert review_article(article(SHUT, own), FindingIndex([OPEN]), STRICT, now=LATER) is None


def test_a_licence_of_the_page_stays_its_licence() -> None:
    by = licence("https://creativecommons.org/licenses/by/4.0/", page=PAGE)
    review = review_article(article(by), FindingIndex([SHUT]), Policy(), now=LATER)
    assert review is not None
    assert review.changes["ai-train"] == ("allow", "deny")
    conflicts = {
        conflict.family for verdict in review.receipt.verdicts for conflict in verdict.conflicts
    }
    assert "licence" in conflicts


def test_robots_that_close_later_are_noted() -> None:
    barred = robots("User-agent: *\nDisallow: /\n", url=HOME + "robots.txt")
    review = review_article(article(OPEN), FindingIndex([barred]), Policy(), now=LATER)
    assert review is not None
    assert review.receipt.robots == "disallowed"


def test_an_article_without_a_receipt_has_nothing_to_compare() -> None:
    bare = replace(article(OPEN), receipt=None)
    assert review_article(bare, FindingIndex([SHUT]), STRICT, now=LATER) is None


def test_what_was_taken_before_the_page_was_read_again_is_reviewed() -> None:
    """Reading it after the refusal gives it a receipt that agrees with today; the text of before is held."""
    first, again = article(OPEN).receipt, article(SHUT)
    assert first is not None
    assert review_article(again, FindingIndex([SHUT]), STRICT, now=LATER) is None
    review = review_article(again, FindingIndex([SHUT]), STRICT, now=LATER, former=[first])
    assert review is not None
    assert review.changes == {"ai-train": ("allow", "deny")}
    assert review.storage.kept == "metadata"


def test_robots_that_closed_before_the_last_look_are_noted() -> None:
    barred = robots("User-agent: *\nDisallow: /\n", url=HOME + "robots.txt")
    first = article(barred).receipt
    assert first is not None
    again = replace(article(barred), receipt=replace(first, robots="disallowed"))
    review = review_article(again, FindingIndex([barred]), Policy(), now=LATER, former=[first])
    assert review is not None
    assert (review.robots_before, review.receipt.robots) == ("allowed", "disallowed")


@pytest.mark.parametrize(
    ("words", "now", "before"),
    [
        (["allow"], "allow", "allow"),
        (["allow"], "deny", "allow"),
        (["deny"], "allow", "deny"),
        (["allow", "deny"], "deny", "allow"),
        (["allow", "deny", "allow"], "allow", "allow"),  # nothing has to go
        (["deny", "allow", "deny"], "deny", "allow"),  # what was taken in between has to
        (["unknown", "allow", "deny"], "deny", "unknown"),
        (["paid", "deny"], "deny", "paid"),
        (["allow", "unknown"], "unknown", "allow"),
        (["deny", "unknown"], "allow", "unknown"),
    ],
)
def test_the_oldest_word_that_permitted_more_is_compared(
    words: list[Word], now: Word, before: Word
) -> None:
    assert first_to_permit(words, now) == before
