"""What we do about verdicts, and the settings that say so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.rights.findings import NOW, PAGE
from wireroom.model import USES, Evidence, Item, Receipt, Signal, Use, Verdict, Word
from wireroom.rights import Policy, decide_export, decide_fetch, decide_storage
from wireroom.rights.policy import StorageAnswer, reduce_item, refusal_notice
from wireroom.settings import Settings

WORDS: tuple[Word, ...] = ("allow", "deny", "paid", "unknown")


def _verdict(use: Use, value: Word) -> Verdict:
    signal = Signal(
        family="rsl", use=use, value=value, evidence=Evidence(url=PAGE, line=7, excerpt="x")
    )
    return Verdict(use=use, value=value, because=(signal,))


def _receipt(*verdicts: Verdict) -> Receipt:
    return Receipt(verdicts=verdicts, robots="allowed", checked_at=NOW)


def test_by_default_we_fetch_what_robots_allows_and_keep_the_text() -> None:
    verdicts = [_verdict(use, "deny") for use in USES]
    assert decide_fetch(Policy(), verdicts).ok
    assert decide_fetch(Policy(), verdicts, robots_word="allowed").ok
    assert decide_storage(Policy(), verdicts) == ("text", "")


def test_no_policy_overrules_robots() -> None:
    answer = decide_fetch(Policy(fetch_on=WORDS), [], robots_word="disallowed")
    assert not answer.ok
    assert "robots.txt" in answer.reason


def test_fetching_is_judged_by_the_uses_that_are_meant() -> None:
    policy = Policy(uses=("ai-index",), fetch_on=("allow", "unknown"))
    assert decide_fetch(policy, [_verdict("ai-train", "deny")]).ok
    refused = decide_fetch(policy, [_verdict("ai-index", "paid")])
    assert refused == (False, f"ai-index: paid by rsl ({PAGE} line 7: x)")
    strict = Policy(uses=("search",), fetch_on=("allow",))
    assert decide_fetch(strict, []) == (
        False,
        "search: unknown, nothing that was seen speaks of it",
    )


def test_the_least_that_any_verdict_leaves_is_kept() -> None:
    policy = Policy(
        uses=("ai-train",),
        store_on={"allow": "text", "unknown": "excerpt", "paid": "metadata", "deny": "nothing"},
    )
    allowed = _verdict("archive", "allow")
    assert decide_storage(policy, [allowed, _verdict("ai-train", "allow")]).kept == "text"
    assert decide_storage(policy, [allowed]).kept == "excerpt"
    assert decide_storage(policy, [allowed, _verdict("ai-train", "paid")]).kept == "metadata"
    answer = decide_storage(policy, [_verdict("archive", "deny"), _verdict("ai-train", "paid")])
    assert answer.kept == "nothing"
    assert answer.reason.startswith("archive: deny by rsl")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("word", WORDS)
def test_by_default_only_an_allow_is_exported(use: Use, word: Word) -> None:
    ok, reason = decide_export(Policy(), use, _receipt(_verdict(use, word)))
    assert ok == (word == "allow")
    assert ok == (not reason)
    if not ok:
        assert reason == f"{use}: {word} by rsl ({PAGE} line 7: x)"


def test_without_a_use_it_is_the_operators_own_business() -> None:
    assert decide_export(Policy(), None, None) == (True, "")


def test_what_a_publisher_refuses_is_shown_with_what_is_kept() -> None:
    archived = [
        _verdict("search", "paid"),
        _verdict("ai-train", "deny"),
        _verdict("archive", "deny"),
    ]
    assert refusal_notice(Policy(), archived) == (
        "It sells search and refuses ai-train and archive. Full texts are kept all the same "
        "(rights.store_on_deny); an export for a use leaves out what is not permitted."
    )
    careful = Policy(store_on={"deny": "excerpt"})
    assert "Only excerpts are kept (rights.store_on_deny); an export" in refusal_notice(
        careful, archived
    )
    open_one = [_verdict("ai-train", "deny"), _verdict("archive", "allow")]
    assert refusal_notice(Policy(), open_one) == (
        "It refuses ai-train. An export for a use leaves out what is not permitted."
    )
    assert refusal_notice(Policy(), [_verdict("archive", "unknown")]) == ""


def test_without_a_receipt_nothing_is_known() -> None:
    assert decide_export(Policy(), "search", None)[0] is False
    lenient = Policy(export_on={"search": ("allow", "unknown")})
    assert decide_export(lenient, "search", None)[0] is True
    assert decide_export(lenient, "ai-train", None)[0] is False


def test_no_access_no_use() -> None:
    receipt = Receipt(verdicts=(_verdict("search", "allow"),), robots="disallowed", checked_at=NOW)
    ok, reason = decide_export(Policy(), "search", receipt)
    assert not ok
    assert "robots.txt" in reason


def test_a_reason_counts_the_families_that_agree() -> None:
    signals = tuple(
        Signal(family=family, use="search", value="deny", evidence=Evidence(url=PAGE))
        for family in ("robots_tag", "rsl", "rsl")
    )
    verdict = Verdict(use="search", value="deny", because=signals)
    _, reason = decide_export(Policy(), "search", _receipt(verdict))
    assert reason == f"search: deny by robots_tag and 1 more ({PAGE})"


@given(st.sampled_from(USES), st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_a_stricter_verdict_is_never_exported_where_a_looser_one_is_not(
    use: Use, word: Word, other: Word
) -> None:
    ok_one, _ = decide_export(Policy(), use, _receipt(_verdict(use, word)))
    ok_other, _ = decide_export(Policy(), use, _receipt(_verdict(use, other)))
    assert (ok_one and ok_other) == (word == other == "allow")


def test_a_reduced_item_keeps_no_text_in_its_extras() -> None:
    long = "word " * 60
    item = Item(
        feed_url=PAGE,
        guid="1",
        content_html="<p>text</p>",
        summary="text",
        extra={
            "media": [{"description": long, "url": f"https://courier.test/{'a' * 300}"}],
            "note": long,
            "comments_count": 7,
            "rsl": [long],
        },
    )
    kept = reduce_item(item, StorageAnswer("metadata", "so"))
    assert (kept.content_html, kept.summary) == ("", "")
    assert kept.extra == {
        "media": [{"url": f"https://courier.test/{'a' * 300}"}],
        "comments_count": 7,
        "rsl": [long],
    }
    assert reduce_item(item, StorageAnswer("text")) is item


def test_the_settings_make_the_policy() -> None:
    assert Settings().rights.policy() == Policy(export_on=dict.fromkeys(USES, ("allow",)))
    settings = Settings.model_validate(
        {
            "rights": {
                "uses": ["ai-index"],
                "fetch_on": ["allow"],
                "store_on_deny": "metadata",
                "export_on_for": {"search": ["allow", "unknown"]},
            }
        }
    )
    policy = settings.rights.policy()
    assert policy.uses == ("ai-index",)
    assert policy.fetch_on == ("allow",)
    assert policy.store_on["deny"] == "metadata"
    assert policy.export_on["search"] == ("allow", "unknown")
    assert policy.export_on["ai-train"] == ("allow",)


@pytest.mark.parametrize(
    "rights",
    [
        {"uses": ["reading"]},
        {"fetch_on": ["perhaps"]},
        {"store_on_deny": "half"},
        {"export_on_for": {"reading": ["allow"]}},
        {"excerpt_words": 0},
    ],
)
def test_words_that_do_not_exist_are_refused(rights: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"rights": rights})
