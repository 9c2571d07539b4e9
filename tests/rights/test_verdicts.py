"""Between families: a deny is never hidden, order changes nothing, unknown never becomes allow."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.rights.findings import (
    HOME,
    NOW,
    PAGE,
    ai_txt,
    headers,
    licence,
    robots,
    robots_tag,
    rsl,
    terms,
    trust_txt,
    verdicts,
    words,
)
from wireroom.model import USES, Condition, Evidence, Finding, Signal, Word
from wireroom.rights import FindingIndex, robots_word
from wireroom.rights.verdicts import weigh
from wireroom.signals import gather, judge

BY = "https://creativecommons.org/licenses/by/4.0/"
STRICT: dict[Word, int] = {"deny": 3, "paid": 2, "allow": 1, "unknown": 0}

_WORDS = st.sampled_from(["allow", "deny", "paid", "unknown"])
_SIGNALS = st.builds(
    Signal,
    family=st.sampled_from(["rsl", "tdmrep", "terms", "licence"]),
    use=st.sampled_from(USES),
    value=_WORDS,
    scope=st.sampled_from(["", "/news"]),
    evidence=st.builds(
        Evidence,
        url=st.sampled_from([HOME, PAGE]),
        line=st.none() | st.integers(1, 9),
        excerpt=st.sampled_from(["", "x"]),
    ),
    conditions=st.lists(
        st.builds(Condition, kind=st.sampled_from(["attribution", "payment"]), detail=st.just("d")),
        max_size=2,
    ).map(tuple),
)
_MANY = st.lists(_SIGNALS, max_size=12)


def _findings() -> list[Finding]:
    """A publisher that says something in every family, and not the same."""
    return [
        *rsl(
            '<content url="/"><license><permits type="usage">ai-all</permits></license></content>'
        ),
        headers("content_signal", "search=yes, ai-train=no"),
        headers("content_usage", "train-ai=y"),
        robots_tag("noarchive"),
        ai_txt("User-Agent: *\nAllow: /\n"),
        trust_txt("datatrainingallowed=no"),
        licence(BY),
        terms(ai_ml="permitted", tdm="prohibited", redistribution="conditional"),
    ]


def test_no_signal_is_unknown() -> None:
    assert {verdict.value for verdict in judge((), PAGE)} == {"unknown"}
    assert [verdict.use for verdict in judge((), PAGE)] == list(USES)
    assert [verdict.use for verdict in judge((), PAGE, uses=("archive",))] == ["archive"]


def test_a_deny_is_never_hidden_and_the_conflict_is_named() -> None:
    verdict = verdicts(trust_txt("datatrainingallowed=no"), ai_txt("User-Agent: *\nAllow: /\n"))[
        "ai-train"
    ]
    assert verdict.value == "deny"
    assert [signal.family for signal in verdict.because] == ["trust_txt"]
    assert [signal.family for signal in verdict.conflicts] == ["ai_txt"]


def test_paid_stands_before_allow() -> None:
    priced = rsl(
        '<content url="/"><license><permits type="usage">all</permits><payment type="use"/>'
        "</license></content>"
    )
    verdict = verdicts(*priced, licence(BY))["ai-train"]
    assert verdict.value == "paid"
    assert [condition.kind for condition in verdict.conditions] == ["attribution", "payment"]
    assert {signal.value for signal in verdict.conflicts} == {"allow"}


def test_a_deny_has_no_conditions() -> None:
    assert verdicts(licence(BY), robots_tag("noarchive"))["archive"].conditions == ()


def test_failed_and_skipped_findings_are_not_heard() -> None:
    for verdict in ("failed", "skipped"):
        finding = trust_txt("datatrainingallowed=no")
        unheard = Finding(
            step=finding.step,
            outcome=verdict,
            facts=finding.facts,
            found_at=NOW,
        )
        assert words(unheard) == {}


def test_facts_that_cannot_be_read_say_nothing() -> None:
    for facts in ({}, {"url": 3}, {"pages": "x"}, {"url": HOME, "file": {"entries": [1]}}):
        for step in ("robots", "rsl", "tdmrep", "trust_txt", "terms", "licence", "ai_txt"):
            broken = Finding(step=step, outcome="yes", facts=facts, found_at=NOW, took=timedelta())
            assert words(broken) == {}


def test_an_address_that_is_none_is_judged_all_the_same() -> None:
    for url in ("", "nonsense", "ftp://courier.test/", "https://", "https://[::1"):
        assert len(judge(_findings(), url)) == len(USES)


@given(st.permutations(range(9)))
def test_the_order_of_findings_changes_nothing(order: list[int]) -> None:
    findings = _findings()
    shuffled = [findings[place] for place in order if place < len(findings)]
    rest = [finding for place, finding in enumerate(findings) if place not in order]
    assert judge(shuffled + rest, PAGE) == judge(findings, PAGE)


def test_hearing_a_finding_twice_changes_nothing() -> None:
    findings = _findings()
    assert judge(findings + findings, PAGE) == judge(findings, PAGE)
    assert len(gather(findings + findings, PAGE)) == len(gather(findings, PAGE))


@given(_MANY, st.randoms())
def test_the_order_of_signals_changes_nothing(signals: list[Signal], chance: object) -> None:
    shuffled = list(signals)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # a random.Random of hypothesis
    assert weigh(shuffled) == weigh(signals)


@given(_MANY, _SIGNALS)
def test_one_more_signal_never_loosens_a_refusal(signals: list[Signal], more: Signal) -> None:
    before = {verdict.use: verdict for verdict in weigh(signals)}
    after = {verdict.use: verdict for verdict in weigh([*signals, more])}
    for use in USES:
        assert STRICT[after[use].value] >= STRICT[before[use].value]
    if more.value == "deny":
        assert after[more.use].value == "deny"


@given(_MANY)
def test_a_verdict_is_that_of_a_signal(signals: list[Signal]) -> None:
    for verdict in weigh(signals):
        own = [signal for signal in signals if signal.use == verdict.use]
        values = {signal.value for signal in own}
        assert verdict.value in values | {"unknown"}
        assert (verdict.value == "unknown") == (not values - {"unknown"})
        assert all(signal.value == verdict.value for signal in verdict.because)
        assert all(signal.value not in {verdict.value, "unknown"} for signal in verdict.conflicts)
        named = {*verdict.because, *verdict.conflicts}
        assert {signal for signal in own if signal.value != "unknown"} <= named


@given(_MANY)
def test_only_an_allow_makes_an_allow(signals: list[Signal]) -> None:
    without = [signal for signal in signals if signal.value != "allow"]
    assert all(verdict.value != "allow" for verdict in weigh(without))


@given(_MANY, _MANY)
def test_what_could_not_be_read_is_asked_for_where_a_use_is_allowed(
    signals: list[Signal], missing: list[Signal]
) -> None:
    asked: list[bool] = []

    def unseen() -> list[Signal]:
        asked.append(True)
        return missing

    allowed = {verdict.use for verdict in weigh(signals) if verdict.value == "allow"}
    left = {verdict.use for verdict in weigh(signals, unseen=unseen) if verdict.value == "allow"}
    assert left == allowed - {signal.use for signal in missing}
    assert len(asked) == min(1, len(allowed))


@given(_MANY)
def test_conditions_of_a_permission_are_all_kept(signals: list[Signal]) -> None:
    for verdict in weigh(signals):
        asked = {
            condition
            for signal in signals
            if signal.use == verdict.use
            for condition in signal.conditions
        }
        assert set(verdict.conditions) == (set() if verdict.value == "deny" else asked)


@given(
    st.lists(
        st.sampled_from(
            ["User-agent: *", "User-agent: GPTBot", "Disallow: /", "Allow: /", "Content-Signal: ai-train=yes", "Content-Usage: train-ai=y", ""]
        ),
        max_size=9,
    )
)  # fmt: skip
def test_a_refusing_line_more_never_loosens(lines: list[str]) -> None:
    before = verdicts(robots("\n".join(lines)))["ai-train"].value
    more = [*lines, "", "User-agent: wireroom", "User-agent: *", "Content-Signal: ai-train=no"]
    after = verdicts(robots("\n".join(more)))["ai-train"].value
    assert STRICT[after] >= STRICT[before]
    assert after == "deny"


def test_robots_word_is_about_access() -> None:
    file = robots("User-agent: wireroom\nDisallow: /news\n")
    word, evidence = robots_word([file], PAGE)
    assert word == "disallowed"
    assert evidence is not None
    assert (evidence.line, evidence.excerpt) == (2, "Disallow: /news")
    assert robots_word([file], HOME)[0] == "allowed"
    assert robots_word([file], "https://gazette.test/")[0] == "unknown"
    assert robots_word([], PAGE) == ("unknown", None)


def test_robots_that_could_not_be_fetched_is_a_complete_disallow() -> None:
    for state, word in (("unreachable", "disallowed"), ("absent", "allowed")):
        facts = {"url": HOME + "robots.txt", "state": state}
        looked = Finding(step="robots", outcome="unknown", facts=facts, found_at=NOW)
        assert robots_word([looked], PAGE)[0] == word


def test_what_was_heard_once_serves_every_page() -> None:
    """Kept answers are those of pages with the same rules, and of no others."""
    barring = robots("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /paid\n")
    findings = [*_findings(), barring]
    index = FindingIndex(findings)
    for path in ("news/1", "paid/1", "news/2", "paid/2", ""):
        assert judge(index, HOME + path) == judge(findings, HOME + path)


def test_a_page_is_heard_on_top_of_its_publisher() -> None:
    own, page = _findings(), headers("content_signal", "ai-train=no")
    on_top = FindingIndex([page], parent=FindingIndex(own))
    assert gather(on_top, PAGE) == gather([*own, page], PAGE)
