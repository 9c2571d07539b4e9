"""RSL: which content has the say about an address, and what it says."""

from __future__ import annotations

import pytest

from tests.rights.findings import (
    HOME,
    PAGE,
    RSL_URL,
    finding,
    robots,
    rsl,
    rsl_body,
    verdicts,
    words,
)
from wireroom.model import USES, Condition
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice, RslPlace, read_rsl


def _content(url: str, *licences: str, server: str = "") -> str:
    held = "".join(f"<license>{licence}</license>" for licence in licences)
    return f'<content url="{url}" server="{server}">{held}</content>'


def _permits(tokens: str, payment: str = "") -> str:
    price = f'<payment type="{payment}"/>' if payment else ""
    return f'<permits type="usage">{tokens}</permits>{price}'


def _prohibits(tokens: str) -> str:
    return f'<prohibits type="usage">{tokens}</prohibits>'


def _on_page(
    contents: str, *, part: bool = False, place: RslPlace = "html_link", page: str = PAGE
) -> RslNotice:
    return RslNotice(
        place=place,
        licence_url=RSL_URL,
        page_url=page,
        part=part,
        document=read_rsl(rsl_body(contents)),
    )


@pytest.mark.parametrize(
    ("tokens", "allowed"),
    [
        ("all", set(USES)),
        ("ai-all", {"ai-input", "ai-index", "ai-train"}),
        ("search", {"search"}),
        ("ai-train search", {"ai-train", "search"}),
        ("train-ai, inference", {"ai-train", "ai-input"}),
        ("", set()),
        ("something-else", set()),
    ],
)
def test_the_list_of_permissions_is_closed(tokens: str, allowed: set[str]) -> None:
    found = words(*rsl(_content("/", _permits(tokens))))
    assert {use for use, word in found.items() if word == "allow"} == allowed
    assert {use for use, word in found.items() if word == "deny"} == set(USES) - allowed


@pytest.mark.parametrize("payment", ["", "free", "attribution"])
def test_free_and_attribution_allow(payment: str) -> None:
    verdict = verdicts(*rsl(_content("/", _permits("search", payment))))["search"]
    assert verdict.value == "allow"
    assert [condition.kind for condition in verdict.conditions] == ["attribution"] * (
        payment == "attribution"
    )


@pytest.mark.parametrize(
    "payment",
    ["purchase", "subscription", "training", "crawl", "use", "contribution", "royalty", "new"],
)
def test_every_other_payment_is_paid(payment: str) -> None:
    verdict = verdicts(*rsl(_content("/", _permits("search", payment))))["search"]
    assert verdict.value == "paid"
    assert [condition.kind for condition in verdict.conditions] == ["payment"]


def test_licences_are_alternatives() -> None:
    contents = _content("/", _permits("ai-all search", "use"), _permits("search"))
    assert words(*rsl(contents)) == {
        "search": "allow",
        "ai-input": "paid",
        "ai-index": "paid",
        "ai-train": "paid",
        "archive": "deny",
    }


def test_a_prohibition_beats_a_permission_in_any_order() -> None:
    for licence in (
        _permits("ai-all") + _prohibits("ai-train"),
        _prohibits("ai-train") + _permits("ai-all"),
    ):
        found = words(*rsl(_content("/", licence)))
        assert found["ai-train"] == "deny"
        assert found["ai-input"] == "allow"


def test_the_most_specific_content_sets_permission_but_prohibitions_stay() -> None:
    contents = (
        _content("/", _permits("search") + _prohibits("ai-train"))
        + _content("/news/", _permits("all"))
        + _content("/news/a/b", _permits("search", "crawl"))
    )
    assert words(*rsl(contents)) == {
        "search": "allow",
        "ai-input": "allow",
        "ai-index": "allow",
        "ai-train": "deny",
        "archive": "allow",
    }
    assert words(*rsl(contents), url=HOME)["ai-input"] == "deny"


def test_of_equal_contents_the_strictest_has_the_say() -> None:
    contents = _content("/news", _permits("all")) + _content("/news", _permits("search", "use"))
    found = words(*rsl(contents))
    assert found["search"] == "paid"
    assert found["ai-input"] == "deny"


def test_patterns_and_whole_addresses_cover() -> None:
    assert words(*rsl(_content("/*/a$", _permits("search"))))["search"] == "allow"
    assert (
        words(*rsl(_content("https://courier.test/news", _permits("search"))))["search"] == "allow"
    )
    assert words(*rsl(_content("https://gazette.test/news", _permits("search")))) == {}
    assert words(*rsl(_content("/sport", _permits("search")))) == {}
    assert words(*rsl(_content("news/", _permits("search"))))["search"] == "allow"


def test_an_empty_url_covers_nothing_under_robots_but_the_page_that_names_it() -> None:
    assert words(*rsl(_content("", _permits("search")))) == {}
    on_page = finding("rsl", RslFacts(notices=(_on_page(_content("", _permits("search"))),)))
    assert words(on_page)["search"] == "allow"
    assert words(on_page, url=HOME) == {}


def test_what_a_page_names_is_closer_than_robots() -> None:
    file, by_robots = rsl(_content("/news/", _permits("search")))
    on_page = finding("rsl", RslFacts(notices=(_on_page(_content("/", _permits("all", "use"))),)))
    assert words(file, by_robots, on_page)["search"] == "paid"
    assert words(file, by_robots, on_page)["ai-train"] == "paid"


def test_a_licence_of_another_group_is_not_ours() -> None:
    document = read_rsl(rsl_body(_content("/", _prohibits("all"))))
    file = (
        "License: https://courier.test/open.xml\nUser-agent: GPTBot\n"
        "License: https://courier.test/rsl.xml\nAllow: /\n"
    )
    theirs = RslNotice(
        place="robots", licence_url=RSL_URL, line=3, agents=("GPTBot",), document=document
    )
    kept = finding("rsl", RslFacts(notices=(theirs,)))
    assert words(robots(file), kept) == {}
    assert words(kept) == {}
    ours = file.replace("GPTBot", "wireroom")
    assert words(robots(ours), kept) == dict.fromkeys(USES, "deny")


def test_users_places_and_tokens_are_conditions() -> None:
    licence = (
        _permits("search")
        + '<permits type="user">education personal</permits><permits type="geo">GB EU</permits>'
        + '<prohibits type="geo">FR</prohibits>'
    )
    contents = _content("/", licence, server="https://courier.test/tokens")
    assert verdicts(*rsl(contents))["search"].conditions == (
        Condition(kind="non-commercial", detail="education personal"),
        Condition(kind="territory", detail="GB EU"),
        Condition(kind="territory", detail="not FR"),
        Condition(kind="payment", detail="a token from https://courier.test/tokens"),
    )
    both = _permits("search") + '<permits type="user">commercial non-commercial</permits>'
    assert verdicts(*rsl(_content("/", both)))["search"].conditions == ()
    some = _permits("search") + '<prohibits type="user">government</prohibits>'
    assert [
        condition.kind for condition in verdicts(*rsl(_content("/", some)))["search"].conditions
    ] == ["users"]


def test_a_licence_without_a_list_says_nothing_unless_it_has_a_price() -> None:
    assert words(*rsl(_content("/", ""))) == {}
    assert words(*rsl(_content("/"))) == {}
    assert words(*rsl(_content("/", _prohibits("ai-train")))) == {"ai-train": "deny"}
    priced = words(*rsl(_content("/", '<payment type="purchase"/>')))
    assert priced == dict.fromkeys(USES, "paid")


def test_a_document_that_cannot_be_used_allows_nothing() -> None:
    file, good = rsl(_content("/", _permits("search")))
    unread = RslNotice(place="header", licence_url=HOME + "gone.xml", page_url=PAGE, problem="404")
    kept = finding("rsl", RslFacts(notices=(unread,)))
    assert words(kept) == {}
    verdict = verdicts(kept)["search"]
    assert verdict.because[0].evidence.excerpt == "404"
    assert "search" not in words(file, good, kept)
    assert words(file, good, kept)["ai-train"] == "deny"


def test_half_a_permission_is_none() -> None:
    part = finding(
        "rsl", RslFacts(notices=(_on_page(_content("", _permits("search")), part=True),))
    )
    assert words(part) == dict.fromkeys(set(USES) - {"search"}, "deny")
    mended = _content("/", _permits("search") + "<custom>https://a.test/?a&b=1</custom>")
    assert "search" not in words(*rsl(mended))
    assert words(*rsl(mended))["ai-train"] == "deny"


def test_a_feed_speaks_of_its_own_origin() -> None:
    own = _on_page(_content("https://courier.test/news/a", _permits("search")), place="feed")
    assert words(finding("rsl", RslFacts(notices=(own,))))["search"] == "allow"
    foreign = RslNotice(
        place="feed",
        licence_url="https://aggregator.test/feed",
        page_url=PAGE,
        document=own.document,
    )
    assert words(finding("rsl", RslFacts(notices=(foreign,)))) == {}


def test_evidence_is_the_content_that_decides() -> None:
    (signal,) = verdicts(*rsl(_content("/", _permits("search"))))["ai-train"].because
    assert signal.evidence.url == RSL_URL
    assert signal.evidence.line == 1
    assert "ai-train is not on the list" in signal.evidence.excerpt
    assert signal.scope == "/"
