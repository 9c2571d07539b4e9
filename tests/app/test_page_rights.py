"""Rights over time: a publisher changes its mind, and what is held follows the policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.holding import find_lead
from tests.rights.findings import robots, robots_tag
from tests.rights.findings import scouted as whole_scout
from wireroom.app import App, open_app
from wireroom.app.page_rights import (
    PolicyResult,
    apply_policy,
    known_rights,
    publisher_homes,
    rights_reviews,
)
from wireroom.model import Article, Dossier, Finding, Lead, Publisher, RawPage, Reading
from wireroom.rights.policy import Kept, Policy
from wireroom.signals import judge, make_receipt
from wireroom.urls import article_id

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
HOME = "https://courier.test/"
OPEN = robots("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n")
SHUT = robots("User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n")
TEXT = "The harbour master opened the gates at noon. " * 20


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///:memory:", clock=lambda: NOW + timedelta(days=30)) as app:
        yield app


def scouted(app: App, finding: Finding, at: datetime) -> None:
    publisher = Publisher(domain="courier.test", added_at=NOW)
    rights = judge([finding], HOME)
    app.store.save_dossier(
        Dossier(publisher=publisher, findings=whole_scout(finding), rights=rights, scouted_at=at)
    )


def read(app: App, finding: Finding, *paths: str, at: datetime = NOW) -> None:
    for path in paths:
        url = HOME + path
        article = Article(
            id=article_id("courier.test", url),
            publisher="courier.test",
            url=url,
            title=path,
            text=TEXT,
            text_hash=path,
            fetched_at=at,
            receipt=make_receipt([finding], url, robots_word="allowed", now=at),
            raw=RawPage(body=TEXT.encode()),
        )
        lead = Lead(url=url, publisher="courier.test", state="read")
        app.store.save_readings([Reading(lead=lead, article=article)], now=at)


def policy(kept: Kept) -> Policy:
    return Policy(uses=("ai-train",), store_on={"allow": "text", "deny": kept}, excerpt_words=3)


def test_nothing_is_listed_while_nothing_changed(app: App) -> None:
    scouted(app, OPEN, NOW - timedelta(hours=1))
    read(app, OPEN, "a", "b")
    assert list(rights_reviews(app, policy("metadata"))) == []
    scouted(app, OPEN, NOW + timedelta(days=7))  # looked at again, and still the same
    assert list(rights_reviews(app, policy("metadata"))) == []


@pytest.mark.parametrize(
    ("kept", "carried"),
    [
        ("text", PolicyResult(kept=2)),
        ("excerpt", PolicyResult(reduced=2)),
        ("metadata", PolicyResult(reduced=2)),
        ("nothing", PolicyResult(removed=2)),
    ],
)
def test_a_refusal_touches_what_is_held(app: App, kept: Kept, carried: PolicyResult) -> None:
    read(app, OPEN, "a", "b")
    scouted(app, SHUT, NOW + timedelta(days=7))
    chosen = policy(kept)
    reviews = list(rights_reviews(app, chosen))
    assert [review.changes for review in reviews] == [{"ai-train": ("allow", "deny")}] * 2
    before = list(app.store.articles())
    assert apply_policy(app, chosen, reviews, dry_run=True) == carried
    assert list(app.store.articles()) == before
    assert apply_policy(app, chosen, reviews) == carried
    after = {article.title: article for article in app.store.articles()}
    expected = {"text": TEXT, "excerpt": "The harbour master…", "metadata": "", "nothing": None}
    assert (after["a"].text if "a" in after else None) == expected[kept]
    if kept in {"excerpt", "metadata"}:
        assert app.store.raw(after["a"].id) is None
        assert not app.store.search("noon").articles
        assert list(rights_reviews(app, chosen)) == []  # its receipt is that of today


def test_what_was_removed_is_not_fetched_again(app: App) -> None:
    read(app, OPEN, "a")
    scouted(app, SHUT, NOW + timedelta(days=7))
    apply_policy(app, policy("nothing"), rights_reviews(app, policy("nothing")))
    lead = find_lead(app.store, "courier.test", HOME + "a")
    assert lead is not None
    assert lead.state == "refused"
    assert "ai-train: deny" in lead.reason
    assert (
        app.store.take_leads(
            holder="x", now=NOW + timedelta(days=90), limit=5, lease=timedelta(minutes=1)
        )
        == ()
    )


def test_one_publisher_can_be_named(app: App) -> None:
    read(app, OPEN, "a")
    scouted(app, SHUT, NOW + timedelta(days=7))
    assert list(rights_reviews(app, Policy(), ["other.test"])) == []
    assert len(list(rights_reviews(app, Policy(), ["courier.test"]))) == 1


def test_an_article_that_went_meanwhile_is_no_trouble(app: App) -> None:
    read(app, OPEN, "a")
    scouted(app, SHUT, NOW + timedelta(days=7))
    reviews = list(rights_reviews(app, policy("excerpt")))
    ghost = replace(reviews[0], article_id="nobody")
    assert apply_policy(app, policy("excerpt"), [ghost, *reviews]).reduced == 1
    assert next(iter(app.store.articles())).text == "The harbour master…"


@pytest.mark.parametrize("kept", ["nothing", "excerpt"])
def test_what_is_reported_is_what_was_done(app: App, kept: Kept) -> None:
    read(app, OPEN, "a", "b")
    scouted(app, SHUT, NOW + timedelta(days=7))
    reviews = list(rights_reviews(app, policy(kept)))
    gone = article_id("courier.test", HOME + "a")
    app.store.remove_articles([gone], reason="somebody was quicker", now=NOW)
    done = apply_policy(app, policy(kept), reviews)
    assert (done.removed, done.reduced) == ((1, 0) if kept == "nothing" else (0, 1))


def test_what_is_known_is_dated_by_the_oldest_finding_that_counts(app: App) -> None:
    finding = replace(SHUT, found_at=NOW - timedelta(days=3))
    scouted(app, finding, NOW)
    (found,) = known_rights(app, "ai-train")
    assert found.as_of == NOW - timedelta(days=3)
    assert (found.permitted, found.card.url) == (False, HOME)
    assert {row.use: row.word for row in found.card.rights}["ai-train"] == "deny"
    assert found.reason.startswith("ai-train: deny by content_signal")


def test_what_has_a_time_counts_from_then_on_also_where_nobody_looks_again(app: App) -> None:
    """The dossier was saved before that time; it is judged as of now."""
    scouted(app, robots_tag("unavailable_after: Sun, 10 May 2026 18:00:00 GMT", url=HOME), NOW)
    (found,) = known_rights(app, "search")
    words = {row.use: row.word for row in found.card.rights}
    assert (words["search"], words["archive"]) == ("deny", "deny")
    assert found.reason.startswith("search: deny by robots_tag")


def test_a_publisher_that_was_never_scouted_permits_nothing(app: App) -> None:
    app.store.save_publisher(Publisher(domain="later.test", added_at=NOW))
    (found,) = known_rights(app, "search")
    assert (found.as_of, found.permitted, found.receipt.robots) == (None, False, "unknown")
    assert {row.word for row in found.card.rights} == {"unknown"}
    assert publisher_homes(app) == ("https://later.test/",)


@pytest.mark.parametrize("kept", ["nothing", "excerpt"])
def test_a_page_that_was_read_again_after_the_refusal_is_found(app: App, kept: Kept) -> None:
    chosen = policy(kept)
    read(app, OPEN, "a")
    scouted(app, SHUT, NOW + timedelta(days=7))
    read(app, SHUT, "a", at=NOW + timedelta(days=8))
    (review,) = rights_reviews(app, chosen)
    assert review.changes == {"ai-train": ("allow", "deny")}
    apply_policy(app, chosen, [review])
    held = app.store.article(article_id("courier.test", HOME + "a"))
    assert (held.text if held else "") == ("The harbour master…" if kept == "excerpt" else "")
    assert list(rights_reviews(app, chosen)) == []  # nothing of before is held


def test_what_was_read_for_the_first_time_after_the_refusal_is_not_named(app: App) -> None:
    scouted(app, SHUT, NOW - timedelta(days=1))
    read(app, SHUT, "a")
    read(app, SHUT, "a", at=NOW + timedelta(days=8))
    assert list(rights_reviews(app, policy("excerpt"))) == []
