"""Rights over time: a publisher changes its mind, and what is held follows the policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.rights.cases import robots
from wireroom.desk import Desk, open_desk
from wireroom.desk.reviewing import Carried, carry_out, rights_reviews
from wireroom.model import Article, Dossier, Finding, Lead, Publisher, RawPage, Reading
from wireroom.rights import judge, make_receipt
from wireroom.rights.policy import Kept, Policy
from wireroom.urls import article_id

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
HOME = "https://courier.test/"
OPEN = robots("User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n")
SHUT = robots("User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n")
TEXT = "The harbour master opened the gates at noon. " * 20


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_desk("sqlite:///:memory:", clock=lambda: NOW + timedelta(days=30)) as desk:
        yield desk


def scouted(desk: Desk, finding: Finding, at: datetime) -> None:
    publisher = Publisher(domain="courier.test", added_at=NOW)
    rights = judge([finding], HOME)
    desk.store.save_dossier(
        Dossier(publisher=publisher, findings=(finding,), rights=rights, scouted_at=at)
    )


def read(desk: Desk, finding: Finding, *paths: str) -> None:
    for path in paths:
        url = HOME + path
        article = Article(
            id=article_id("courier.test", url),
            publisher="courier.test",
            url=url,
            title=path,
            text=TEXT,
            text_hash=path,
            fetched_at=NOW,
            receipt=make_receipt([finding], url, robots_word="allowed", now=NOW),
            raw=RawPage(body=TEXT.encode()),
        )
        lead = Lead(url=url, publisher="courier.test", state="read")
        desk.store.save_readings([Reading(lead=lead, article=article)], now=NOW)


def policy(kept: Kept) -> Policy:
    return Policy(uses=("ai-train",), store_on={"allow": "text", "deny": kept}, excerpt_words=3)


def test_nothing_is_listed_while_nothing_changed(desk: Desk) -> None:
    scouted(desk, OPEN, NOW - timedelta(hours=1))
    read(desk, OPEN, "a", "b")
    assert list(rights_reviews(desk, policy("metadata"))) == []
    scouted(desk, OPEN, NOW + timedelta(days=7))  # looked at again, and still the same
    assert list(rights_reviews(desk, policy("metadata"))) == []


@pytest.mark.parametrize(
    ("kept", "carried"),
    [
        ("text", Carried(kept=2)),
        ("excerpt", Carried(reduced=2)),
        ("metadata", Carried(reduced=2)),
        ("nothing", Carried(removed=2)),
    ],
)
def test_a_refusal_touches_what_is_held(desk: Desk, kept: Kept, carried: Carried) -> None:
    read(desk, OPEN, "a", "b")
    scouted(desk, SHUT, NOW + timedelta(days=7))
    chosen = policy(kept)
    reviews = list(rights_reviews(desk, chosen))
    assert [one.changes for one in reviews] == [{"ai-train": ("allow", "deny")}] * 2
    before = list(desk.store.articles())
    assert carry_out(desk, chosen, reviews, dry_run=True) == carried
    assert list(desk.store.articles()) == before
    assert carry_out(desk, chosen, reviews) == carried
    after = {one.title: one for one in desk.store.articles()}
    expected = {"text": TEXT, "excerpt": "The harbour master…", "metadata": "", "nothing": None}
    assert (after["a"].text if "a" in after else None) == expected[kept]
    if kept in {"excerpt", "metadata"}:
        assert desk.store.raw(after["a"].id) is None
        assert not desk.store.search("noon").articles
        assert list(rights_reviews(desk, chosen)) == []  # its receipt is that of today


def test_what_was_removed_is_not_fetched_again(desk: Desk) -> None:
    read(desk, OPEN, "a")
    scouted(desk, SHUT, NOW + timedelta(days=7))
    carry_out(desk, policy("nothing"), rights_reviews(desk, policy("nothing")))
    lead = desk.store.lead("courier.test", HOME + "a")
    assert lead is not None
    assert lead.state == "refused"
    assert "ai-train: deny" in lead.reason
    assert (
        desk.store.take_leads(
            holder="x", now=NOW + timedelta(days=90), limit=5, lease=timedelta(minutes=1)
        )
        == ()
    )


def test_one_publisher_can_be_named(desk: Desk) -> None:
    read(desk, OPEN, "a")
    scouted(desk, SHUT, NOW + timedelta(days=7))
    assert list(rights_reviews(desk, Policy(), ["other.test"])) == []
    assert len(list(rights_reviews(desk, Policy(), ["courier.test"]))) == 1


def test_an_article_that_went_meanwhile_is_no_trouble(desk: Desk) -> None:
    read(desk, OPEN, "a")
    scouted(desk, SHUT, NOW + timedelta(days=7))
    reviews = list(rights_reviews(desk, policy("excerpt")))
    ghost = replace(reviews[0], article_id="nobody")
    assert carry_out(desk, policy("excerpt"), [ghost, *reviews]).reduced == 1
    assert next(iter(desk.store.articles())).text == "The harbour master…"


@pytest.mark.parametrize("kept", ["nothing", "excerpt"])
def test_what_is_told_is_what_was_done(desk: Desk, kept: Kept) -> None:
    read(desk, OPEN, "a", "b")
    scouted(desk, SHUT, NOW + timedelta(days=7))
    reviews = list(rights_reviews(desk, policy(kept)))
    gone = article_id("courier.test", HOME + "a")
    desk.store.remove_articles([gone], reason="somebody was quicker", now=NOW)
    done = carry_out(desk, policy(kept), reviews)
    assert (done.removed, done.reduced) == ((1, 0) if kept == "nothing" else (0, 1))
