"""What is exported for a use: receipt and publisher both have to permit it, and the report says who did not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.export.samples import NOW, article, receipt
from wireroom.export import selection as choosing
from wireroom.export.selection import RefusalCount, Report, permitted
from wireroom.model import Article, Condition, Receipt, Verdict, Word
from wireroom.rights import Policy

NOTHING = Receipt(checked_at=NOW)
WORDS: tuple[Word, ...] = ("allow", "deny", "paid", "unknown")


def chosen(
    articles: Iterable[Article], now: Receipt, policy: Policy | None = None
) -> tuple[list[Article], Report]:
    """Those exported for training, when every publisher says the same now."""
    found = permitted(articles, "ai-train", policy or Policy(), lambda _article: now)
    return list(found), found.report


def test_what_both_permit_is_exported() -> None:
    exported, report = chosen([article()], receipt())
    assert exported == [article()]
    assert (report.use, report.handed_on, report.left_out) == ("ai-train", 1, 0)
    (publisher,) = report.publishers
    assert (publisher.publisher, publisher.handed_on, publisher.left_out) == (
        "courier.example",
        1,
        0,
    )
    assert not report.reasons
    assert not report.examples


def test_the_report_says_that_the_receipt_refused() -> None:
    exported, report = chosen([article(receipt=receipt(ai_train="deny"))], receipt())
    assert exported == []
    (reason,) = report.reasons
    assert (reason.refused_by, reason.word, reason.families, reason.articles) == (
        "receipt",
        "deny",
        ("rsl",),
        1,
    )
    (example,) = report.examples
    assert example.id == article().id
    assert "rsl.xml line 4" in example.reason


def test_the_report_says_that_the_publisher_refuses_now() -> None:
    exported, report = chosen([article()], receipt(ai_train="deny"))
    assert exported == []
    assert [(reason.refused_by, reason.word) for reason in report.reasons] == [
        ("publisher", "deny")
    ]


def test_silence_is_no_permission() -> None:
    for held, now, who in (
        (receipt(ai_train="unknown"), receipt(), "receipt"),
        (None, receipt(), "receipt"),
        (receipt(), receipt(ai_train="unknown"), "publisher"),
        (receipt(), NOTHING, "publisher"),
    ):
        exported, report = chosen([article(receipt=held)], now)
        assert exported == []
        assert [(reason.refused_by, reason.word) for reason in report.reasons] == [(who, "unknown")]


def test_robots_txt_is_asked_first_then_and_now() -> None:
    barred = replace(receipt(), robots="disallowed")
    assert chosen([article(receipt=barred)], receipt())[1].reasons[0].word == "robots"
    report = chosen([article()], barred)[1]
    assert (report.reasons[0].refused_by, report.reasons[0].word) == ("publisher", "robots")


def test_the_operator_s_policy_decides() -> None:
    generous = Policy(export_on={"ai-train": ("allow", "unknown", "paid")})
    exported, _ = chosen([article(receipt=None)], NOTHING, generous)
    assert len(exported) == 1
    assert chosen([article(receipt=receipt(ai_train="deny"))], NOTHING, generous)[0] == []


def test_conditions_of_what_was_exported_are_reported() -> None:
    asks = Condition(kind="attribution")
    price = Condition(kind="payment", detail="5 EUR")
    verdict = Verdict(use="ai-train", value="allow", conditions=(asks,))
    held = replace(receipt(), verdicts=(verdict,))
    now = replace(
        receipt(),
        verdicts=(
            Verdict(
                use="ai-train",
                value="allow",
                conditions=(asks, price),
            ),
        ),
    )
    _, report = chosen([article(1, receipt=held), article(2, receipt=receipt())], now)
    assert {row.condition: row.articles for row in report.conditions} == {
        "attribution": 2,
        "payment 5 EUR": 2,
    }


def test_conditions_come_in_the_same_order_every_time() -> None:
    details = [f"land {number}" for number in range(9)]
    conditions = tuple(Condition(kind="territory", detail=detail) for detail in reversed(details))
    verdict = Verdict(use="ai-train", value="allow", conditions=conditions)
    _, report = chosen([article()], replace(receipt(), verdicts=(verdict,)))
    assert [row.condition for row in report.conditions] == [f"territory {name}" for name in details]


def test_refusals_are_counted_use_by_use_and_leave_nothing_out() -> None:
    unseen = replace(receipt(), verdicts=(), unscouted=True)
    held = [
        article(1, receipt=receipt(ai_train="deny", ai_index="unknown")),
        article(2, receipt=replace(receipt(), robots="disallowed")),
        article(3, receipt=None),
        article(4, receipt=unseen),  # nobody had looked then: what is said now counts
    ]
    count = RefusalCount(held, lambda _article: receipt(ai_train="paid"))
    assert list(count) == held
    assert count.counts == {"ai-train": 3, "search": 1, "ai-input": 1, "ai-index": 1, "archive": 1}


def test_a_long_report_stays_short(monkeypatch: Any) -> None:
    monkeypatch.setattr(choosing, "MAX_CONDITIONS", 3)
    monkeypatch.setattr(choosing, "MAX_PUBLISHERS", 3)
    many = [
        article(
            number,
            f"paper{number}.example",
            receipt=replace(
                receipt(),
                verdicts=(
                    Verdict(
                        use="ai-train",
                        value="allow" if number % 2 else "deny",
                        conditions=(Condition(kind="territory", detail=f"land {number}"),),
                    ),
                ),
            ),
        )
        for number in range(40)
    ]
    exported, report = chosen(many, receipt())
    assert len(exported) == report.handed_on == report.left_out == 20
    assert len(report.conditions) == 4
    assert sum(condition.articles for condition in report.conditions) == 20
    assert sum(publisher.left_out for publisher in report.publishers) == 20
    assert len(report.examples) == choosing.MAX_EXAMPLES


@given(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sets(st.sampled_from(WORDS)))
def test_never_more_than_both_permit(held: Word, now: Word, on: set[Word]) -> None:
    policy = Policy(export_on={"ai-train": tuple(on)})
    exported, report = chosen([article(receipt=receipt(held))], receipt(now), policy)
    assert bool(exported) == (held in on and now in on)
    assert report.handed_on + report.left_out == 1
