"""Which lead an item belongs to and which article a reading ends in, without a database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from wireroom.identity import (
    ArticleDecision,
    HeldArticles,
    HeldLead,
    ItemOutcome,
    LeadKey,
    NamedPage,
    aliases,
    decide_article,
    is_merely_named,
    item_outcome,
    lead_changes,
    lead_key,
    merged,
    new_and_changed,
    of_different_articles,
)
from wireroom.model import USES, Article, Lead, LeadCause, Reading, Receipt, Verdict, Word
from wireroom.urls import article_id

NOW = datetime(2026, 11, 13, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
WHO = "courier.test"
URL = f"https://{WHO}/1"
READ = HeldLead(host=WHO, state="read")
OPEN = HeldLead(host=WHO, state="new")
ASLEEP = replace(OPEN, asleep=True)
IN_FLIGHT = replace(OPEN, in_flight=True)
PURGED = HeldLead(host=WHO, state="refused", cause=LeadCause.PURGED)


def test_items_are_new_changed_or_known() -> None:
    seen = {"a": "1", "b": "2", "c": "3"}
    assert new_and_changed(seen, {"b": "2", "c": "old", "d": "4"}) == (
        frozenset("a"),
        frozenset("c"),
    )
    assert new_and_changed({}, {"b": "2"}) == (frozenset(), frozenset())


def page(url: str = URL, **changes: Any) -> NamedPage:
    named = NamedPage(key=lead_key(WHO, url), url=url, item_id=1, feed_url=f"https://{WHO}/rss")
    return replace(named, **changes)


@pytest.mark.parametrize(
    ("held", "new", "changed", "in_paused"),
    [
        (None, "added", "added", "added"),
        (READ, "known", "reopened", "reopened"),
        (replace(READ, state="failed"), "known", "reopened", "reopened"),
        (OPEN, "known", "reopened", "known"),
        (ASLEEP, "woken", "reopened", "known"),
        (IN_FLIGHT, "known", "in_flight", "known"),
        (replace(ASLEEP, in_flight=True), "woken", "woken", "known"),
        (PURGED, "known", "purged", "purged"),
        (replace(PURGED, cause=LeadCause.ROBOTS), "known", "reopened", "reopened"),
    ],
)
def test_an_item_gives_opens_or_leaves_a_lead(
    held: HeldLead | None, new: str, changed: str, in_paused: str
) -> None:
    assert item_outcome(page(), held) == new
    assert item_outcome(page(changed=True), held) == changed
    assert item_outcome(page(changed=True, paused=True), held) == in_paused
    assert item_outcome(page(changed=True, reopen=False), held) == new


def test_an_item_without_an_address_gives_nothing() -> None:
    nowhere = page("mailto:desk@courier.test")
    assert nowhere.key == LeadKey(WHO, "")
    assert item_outcome(nowhere, None) is ItemOutcome.NO_PAGE
    assert not any(lead_changes([nowhere], {}).values())


def test_a_page_that_two_feeds_name_is_read_for_the_one_at_work() -> None:
    paused, at_work = page(paused=True, item_id=1), page(f"{URL}?utm_source=x", item_id=2)
    assert lead_changes([paused, at_work], {})[ItemOutcome.ADDED] == [at_work]
    assert lead_changes([paused], {})[ItemOutcome.ADDED] == [paused]
    changes = lead_changes([paused, at_work], {paused.key: ASLEEP})
    assert changes[ItemOutcome.WOKEN] == [at_work]


def test_of_several_items_of_a_page_the_one_that_says_something_new_counts() -> None:
    named, changed = page(item_id=1), page(item_id=2, changed=True)
    changes = lead_changes([named, changed, page(item_id=3, changed=True)], {named.key: ASLEEP})
    assert changes == {
        ItemOutcome.WOKEN: [],
        ItemOutcome.ADDED: [],
        ItemOutcome.REOPENED: [changed],
    }


def test_a_known_page_that_is_merely_named_is_not_read_again() -> None:
    lead = Lead(url=URL, publisher=WHO)
    assert is_merely_named(lead)
    assert not is_merely_named(replace(lead, attempts=1))
    assert not is_merely_named(replace(lead, state="retry"))


# --- articles


def article(url: str = URL, **changes: Any) -> Article:
    held = Article(
        id=article_id(WHO, url),
        publisher=WHO,
        url=url,
        title="Ferry",
        text="It sank.",
        fetched_at=NOW,
    )
    return replace(held, **changes)


def reading(read: Article | None, url: str = "") -> Reading:
    url = url or (URL if read is None else read.url)
    return Reading(lead=Lead(url=url, publisher=WHO, state="read"), article=read)


def holding(
    *held: Article, leads: dict[str, str] | None = None, aliased: dict[str, str] | None = None
) -> HeldArticles:
    return HeldArticles(
        articles={article.id: article for article in held},
        by_lead={lead_key(WHO, url): article_id for url, article_id in (leads or {}).items()},
        by_alias={lead_key(WHO, url): article_id for url, article_id in (aliased or {}).items()},
    )


NOTHING = holding()
OTHER_URL = f"https://{WHO}/2"


def test_a_reading_without_an_article_ends_in_none() -> None:
    assert decide_article(reading(None), NOTHING) == ArticleDecision()


def test_a_page_that_is_not_held_gives_a_new_article() -> None:
    new = article()
    assert decide_article(reading(new), NOTHING) == ArticleDecision("new", new, None, is_news=True)
    other = article(OTHER_URL, title="Harbour", text="It rained.")
    assert decide_article(reading(new), holding(other)).outcome == "new"


def test_the_same_page_read_again_is_the_same_article_and_an_edit_a_new_version() -> None:
    held = article()
    again = decide_article(reading(article(fetched_at=NOW + HOUR)), holding(held))
    assert (again.outcome, again.held, again.is_news) == ("same", held, False)
    edited = decide_article(reading(article(text="It floats.")), holding(held))
    assert edited.article is not None
    assert (edited.outcome, edited.article.version, edited.is_news) == ("changed", 2, True)


def test_only_when_we_checked_is_no_news_and_a_picture_is() -> None:
    held = article(receipt=Receipt(checked_at=NOW))
    checked = replace(held, receipt=Receipt(checked_at=NOW + HOUR), fetched_at=NOW + HOUR)
    assert not decide_article(reading(checked), holding(held)).is_news
    pictured = replace(held, image_url=f"https://{WHO}/ferry.jpg")
    decision = decide_article(reading(pictured), holding(held))
    assert (decision.outcome, decision.is_news) == ("same", True)


def test_another_address_of_a_page_ends_in_its_article() -> None:
    held = article()
    claims = article(OTHER_URL, canonical_url=URL)
    decision = decide_article(reading(claims), holding(held, leads={URL: held.id}))
    assert decision.held == held
    assert decision.article is not None
    assert (decision.article.id, decision.article.url) == (held.id, held.url)
    assert (
        decide_article(
            reading(article(OTHER_URL)), holding(held, aliased={OTHER_URL: held.id})
        ).held
        == held
    )


def test_an_address_that_is_only_claimed_counts_when_title_or_text_agree() -> None:
    held = article()
    known = holding(held, leads={URL: held.id})
    unlike = article(OTHER_URL, canonical_url=URL, title="Harbour", text="It rained.")
    assert decide_article(reading(unlike), known).outcome == "new"
    assert decide_article(reading(replace(unlike, title="Ferry")), known).held == held
    assert decide_article(reading(replace(unlike, text="It sank.")), known).held == held
    nameless = replace(held, title="", text="")
    same_void = replace(unlike, title="", text="")
    known = holding(nameless, leads={URL: held.id})
    assert decide_article(reading(same_void), known).outcome == "new"


def test_an_address_that_was_given_to_another_story_gives_another_article() -> None:
    held = article()
    known = holding(held, leads={OTHER_URL: held.id})
    story = article(OTHER_URL, title="Harbour", text="It rained.")
    assert decide_article(reading(story), known).outcome == "new"
    assert decide_article(reading(replace(story, title="Ferry")), known).held == held
    assert decide_article(reading(replace(story, canonical_url=URL)), known).held == held


def test_what_was_fetched_earlier_says_nothing_and_a_date_is_not_lost() -> None:
    held = article(published_at=NOW - HOUR, published_source="meta", cluster_id="c")
    assert merged(held, article(title="Old", fetched_at=NOW - HOUR)) is held
    after = merged(held, article(title="New", fetched_at=NOW + HOUR))
    assert (after.published_at, after.published_source, after.cluster_id) == (
        NOW - HOUR,
        "meta",
        "c",
    )


def test_a_receipt_with_an_earlier_time_may_refuse_and_never_permits() -> None:
    def receipt(*words: Word) -> Receipt:
        verdicts = (Verdict(use=use, value=word) for use, word in zip(USES, words, strict=False))
        return Receipt(verdicts=tuple(verdicts), robots="allowed", checked_at=NOW)

    held = article(receipt=receipt("allow", "deny", "unknown"))
    earlier = article(receipt=receipt("deny", "allow", "allow"), fetched_at=NOW - HOUR)
    after = merged(held, earlier)
    assert after == replace(held, receipt=receipt("deny", "deny", "unknown"))
    permitting = replace(earlier, receipt=receipt("allow", "allow", "allow"))
    assert merged(held, permitting) is held


def test_aliases_leave_out_what_is_no_address() -> None:
    assert aliases(article(canonical_url="nonsense")) == {lead_key(WHO, URL)}
    assert len(aliases(article(canonical_url=OTHER_URL))) == 2


def test_readings_that_may_be_of_one_article_are_saved_one_after_the_other() -> None:
    first, second = reading(article()), reading(article(OTHER_URL))
    assert of_different_articles([first, second], NOTHING) == [first, second]
    assert of_different_articles([first, first], NOTHING) == [first]
    claiming = reading(article(OTHER_URL, canonical_url=URL))
    assert of_different_articles([first, claiming], NOTHING) == [first]
    held = article(f"https://{WHO}/3")
    both = holding(held, leads={URL: held.id, OTHER_URL: held.id})
    assert of_different_articles([first, second], both) == [first]
