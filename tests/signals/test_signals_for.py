"""Each signal's own rules of precedence and scope."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rights.findings import (
    HOME,
    PAGE,
    ai_txt,
    finding,
    headers,
    licence,
    robots,
    robots_tag,
    terms,
    trust_txt,
    verdicts,
    words,
)
from wireroom.model import USES, Condition
from wireroom.rights.agents import agent_table
from wireroom.signals import all_signals
from wireroom.signals.comments import CommentFacts, ReservationNote
from wireroom.signals.tdmrep.tdm_documents import (
    TdmFacts,
    TdmFile,
    TdmPage,
    TdmPermission,
    TdmPolicy,
    TdmRule,
    TdmWord,
)

CC = "https://creativecommons.org/licenses"
POLICY = HOME + "policy.json"


def _barred(purpose: str, *, path: str = "/") -> str:
    names = [
        agent.name
        for agent in agent_table().agents
        if agent.purpose == purpose and agent.well_known
    ]
    return "".join(f"User-agent: {name}\n" for name in names) + f"Disallow: {path}\n\n"


def test_every_signal_has_a_name_of_its_own_and_steps() -> None:
    names = [plug.name for plug in all_signals()]
    assert len(set(names)) == len(names) == 11
    assert all(plug.steps and plug.title for plug in all_signals())
    assert {plug.name for plug in all_signals() if plug.prose} == {"terms", "comments"}


# --- AI agents ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("purpose", "use"),
    [
        ("training", "ai-train"),
        ("dataset", "ai-train"),
        ("policy_token", "ai-train"),
        ("search", "ai-index"),
        ("user_fetch", "ai-input"),
        ("agent", "ai-input"),
    ],
)
def test_a_class_that_is_barred_refuses_what_it_does(purpose: str, use: str) -> None:
    assert words(robots(_barred(purpose))) == {use: "deny"}


def test_a_class_is_barred_where_the_path_is() -> None:
    file = robots(_barred("training", path="/news"))
    assert words(file) == {"ai-train": "deny"}
    assert words(file, url=HOME) == {}


def test_some_of_a_class_are_unknown_with_the_list() -> None:
    verdict = verdicts(robots("User-agent: GPTBot\nDisallow: /\n"))["ai-train"]
    assert verdict.value == "unknown"
    (signal,) = verdict.because
    assert "1 of" in signal.evidence.excerpt
    assert "GPTBot" in signal.evidence.excerpt
    assert signal.evidence.line == 2


def test_letting_agents_in_is_no_permission() -> None:
    assert words(robots("User-agent: *\nAllow: /\n")) == {}


def test_everybody_barred_is_every_class_barred() -> None:
    found = words(robots("User-agent: *\nDisallow: /\n\nUser-agent: wireroom\nAllow: /\n"))
    assert found == {"ai-train": "deny", "ai-index": "deny", "ai-input": "deny"}


def test_robots_of_another_host_says_nothing() -> None:
    other = robots(_barred("training"), url="https://gazette.test/robots.txt")
    assert words(other) == {}
    www = robots(_barred("training"), url="http://www.courier.test/robots.txt")
    assert words(www) == {"ai-train": "deny"}


# --- Content-Signal, Content-Usage ---------------------------------------------------------------


def test_the_group_that_is_ours_gives_the_content_signal() -> None:
    file = (
        "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n\n"
        "User-agent: wireroom\nContent-Signal: ai-input=yes, use=full\nAllow: /\n"
    )
    assert words(robots(file)) == {"ai-input": "allow"}
    assert words(robots(file.partition("\n\n")[0])) == {"search": "allow", "ai-train": "deny"}


def test_a_content_signal_header_speaks_of_its_page() -> None:
    finding = headers("content_signal", "ai-train=no")
    assert words(finding) == {"ai-train": "deny"}
    assert words(finding, url=HOME) == {}
    assert words(finding, url="http://www.courier.test/news/a?utm_source=x") == {"ai-train": "deny"}


def test_the_longest_path_has_the_say_in_content_usage() -> None:
    file = robots(
        "User-agent: *\nAllow: /\nContent-Usage: train-ai=n, search=y\n"
        "Content-Usage: /news train-ai=y\nContent-Usage: /news/secret train-ai=n\n"
    )
    assert words(file) == {"ai-train": "allow"}
    assert words(file, url=HOME + "news/secret/b") == {"ai-train": "deny"}
    assert words(file, url=HOME) == {"ai-train": "deny", "search": "allow"}


def test_lines_of_one_path_that_differ_are_a_no() -> None:
    file = robots("User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: train-ai=n\n")
    verdict = verdicts(file)["ai-train"]
    assert verdict.value == "deny"
    assert [signal.evidence.line for signal in verdict.because] == [3]
    assert [signal.evidence.line for signal in verdict.conflicts] == [2]


def test_no_preference_for_what_may_not_be_read() -> None:
    file = "User-agent: *\nDisallow: /news\nContent-Usage: train-ai=y\n"
    assert "ai-train" in verdicts(robots(file))
    assert words(robots(file)).get("ai-train") != "allow"


def test_any_no_of_header_and_file_stands() -> None:
    file = robots("User-agent: *\nContent-Usage: train-ai=n\n")
    assert words(file, headers("content_usage", "train-ai=y")) == {"ai-train": "deny"}
    file = robots("User-agent: *\nContent-Usage: train-ai=y\n")
    assert words(file, headers("content_usage", "train-ai=n")) == {"ai-train": "deny"}


def test_unknown_labels_and_broken_dictionaries_say_nothing() -> None:
    assert words(headers("content_usage", "genai=n, train-ai=perhaps")) == {}
    assert words(headers("content_usage", "train-ai=n,,")) == {}


# --- TDMRep ------------------------------------------------------------------------------------


def _tdm(
    *rules: tuple[str, Literal[0, 1] | None],
    header: TdmWord | None = None,
    meta: TdmWord | None = None,
    policy: bool = False,
) -> TdmFacts:
    page = TdmPage(url=PAGE, header=header or TdmWord(), meta=meta or TdmWord())
    offer = TdmPolicy(
        url=POLICY,
        permissions=(TdmPermission(duties=("consent", "compensation")),),
        email="rights@courier.test",
    )
    return TdmFacts(
        file_url=HOME + ".well-known/tdmrep.json",
        file=TdmFile(
            rules=tuple(TdmRule(location=where, reservation=word) for where, word in rules)
        ),
        pages=(page,),
        policies=(offer,) if policy else (),
    )


def _mining(facts: TdmFacts, url: str = PAGE) -> str:
    found = words(finding("tdmrep", facts), url=url)
    assert found.get("ai-train") == found.get("ai-index")
    assert set(found) <= {"ai-train", "ai-index"}
    return found.get("ai-train", "unknown")


def test_the_first_rule_that_fits_has_the_say() -> None:
    assert _mining(_tdm(("/news/*", 0), ("/*", 1))) == "allow"
    assert _mining(_tdm(("/*", 1), ("/news/*", 0))) == "deny"
    assert _mining(_tdm(("/sport/", 1))) == "unknown"
    assert _mining(_tdm(("/news/a$", 1), ("/", 0)), HOME + "news/a/b") == "allow"
    assert _mining(_tdm(("news/", 1))) == "deny"
    assert _mining(_tdm(("/", None), ("/", 1))) == "unknown"


def test_header_supersedes_file_and_meta_supersedes_header() -> None:
    assert _mining(_tdm(("/", 1), header=TdmWord(reservation=0))) == "allow"
    assert _mining(_tdm(("/", 0), header=TdmWord(reservation=1))) == "deny"
    assert (
        _mining(_tdm(("/", 0), header=TdmWord(reservation=0), meta=TdmWord(reservation=1)))
        == "deny"
    )
    assert _mining(_tdm(("/", 1), header=TdmWord(), meta=TdmWord())) == "deny"


def test_an_offer_makes_a_reservation_paid() -> None:
    facts = _tdm(("/", 1), header=TdmWord(policy_url=POLICY), policy=True)
    assert _mining(facts) == "paid"
    (condition,) = verdicts(finding("tdmrep", facts))["ai-train"].conditions
    assert condition.kind == "payment"
    assert "rights@courier.test" in condition.detail
    assert _mining(_tdm(("/", 1), header=TdmWord(policy_url=POLICY))) == "deny"


# --- robots tags -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("noindex", {"search": "deny"}),
        ("none", {"search": "deny"}),
        ("noarchive", {"archive": "deny"}),
        ("nosnippet", {"ai-input": "deny"}),
        ("max-snippet:0", {"ai-input": "deny"}),
        ("max-snippet:50", {}),
        ("max-snippet:-1", {}),
        ("noai", {"ai-train": "deny", "ai-input": "deny"}),
        ("noimageai", {}),
        ("all, index, follow", {}),
        ("googlebot: noindex", {}),
        ("wireroom: noindex", {"search": "deny"}),
    ],
)
def test_a_robots_tag_refuses(value: str, found: dict[str, str]) -> None:
    assert words(robots_tag(value)) == found
    assert words(robots_tag(value), url=HOME) == {}


# --- ai.txt, trust.txt -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ("Disallow: /", "deny"),
        ("Allow: /", "allow"),
        ("Disallow:", "allow"),
        ("Disallow: *.html", "deny"),
        ("Disallow: *.html\nAllow: /", "deny"),
        ("Disallow: *.jpg\nDisallow: *.png", ""),
        ("Disallow: *.jpg\nAllow: /", "allow"),
        ("Disallow: /sport", ""),
    ],
)
def test_ai_txt_speaks_of_training(rules: str, word: str) -> None:
    found = words(ai_txt(f"User-Agent: *\n{rules}\n"))
    assert found == ({"ai-train": word} if word else {})


def test_trust_txt_speaks_of_training() -> None:
    assert words(trust_txt("datatrainingallowed=No")) == {"ai-train": "deny"}
    assert words(trust_txt("datatrainingallowed = yes\n")) == {"ai-train": "allow"}
    assert words(trust_txt("datatrainingallowed=perhaps\nmember=x")) == {}
    both = verdicts(trust_txt("datatrainingallowed=yes\ndatatrainingallowed=no"))["ai-train"]
    assert (both.value, len(both.conflicts)) == ("deny", 1)


# --- licences ----------------------------------------------------------------------------------


def test_cc0_permits_everything() -> None:
    found = verdicts(licence("https://creativecommons.org/publicdomain/zero/1.0/"))
    assert {verdict.value for verdict in found.values()} == {"allow"}
    assert not any(verdict.conditions for verdict in found.values())


def test_by_asks_for_attribution_and_nc_for_no_money() -> None:
    found = verdicts(licence(f"{CC}/by-nc-sa/4.0/"))
    assert set(found) == set(USES)
    for verdict in found.values():
        assert verdict.value == "allow"
        assert [condition.kind for condition in verdict.conditions] == [
            "attribution",
            "non-commercial",
        ]


def test_nd_leaves_training_open() -> None:
    found = words(licence(f"{CC}/by-nd/4.0/"))
    assert set(USES) - set(found) == {"ai-train"}
    assert set(found.values()) == {"allow"}


def test_a_licence_holds_for_its_page_or_by_robots_for_all() -> None:
    assert words(licence(f"{CC}/by/4.0/"), url=HOME) == {}
    by_robots = licence(f"{CC}/by/4.0/", page=HOME + "robots.txt", place="robots")
    assert len(words(by_robots, url=HOME + "x")) == len(USES)


def test_other_licences_speak_of_no_use() -> None:
    assert words(licence("https://courier.test/licence")) == {}
    assert words(licence("https://creativecommons.org/publicdomain/mark/1.0/")) == {}


# --- terms, comments ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("activity", "uses"),
    [
        ("ai_ml", {"ai-input", "ai-index", "ai-train"}),
        ("tdm", {"ai-index", "ai-train"}),
        ("archiving", {"archive"}),
        ("scraping", set()),
        ("manual_use", set()),
        ("api_rss", set()),
        ("redistribution", set()),
        ("ugc", set()),
    ],
)
def test_terms_speak_of_uses(activity: str, uses: set[str]) -> None:
    assert words(terms(**{activity: "prohibited"})) == dict.fromkeys(uses, "deny")
    assert words(terms(**{activity: "permitted"})) == dict.fromkeys(uses, "allow")
    assert words(terms(**{activity: "silent"})) == {}
    assert words(terms(**{activity: "conditional"})) == {}


def test_redistribution_is_a_condition_of_every_use() -> None:
    found = verdicts(terms(redistribution="prohibited"), licence(f"{CC}/by/4.0/"))
    own = Condition(kind="redistribution", detail="prohibited")
    assert all(own in verdict.conditions for verdict in found.values())
    assert all(verdict.value == "allow" for verdict in found.values())


def test_a_clause_is_its_own_evidence() -> None:
    (signal,) = verdicts(terms(archiving="prohibited"))["archive"].because
    assert signal.evidence.excerpt == "A clause on archiving."
    assert signal.evidence.url == HOME + "terms"


def test_a_reservation_in_a_comment_refuses_mining() -> None:
    file = robots("# Text and data mining is reserved, Article 4 of 2019/790.\nUser-agent: *\n")
    assert words(file) == {"ai-train": "deny", "ai-index": "deny"}
    note = ReservationNote(url=PAGE, quote="No text and data mining.")
    other = finding("comments", CommentFacts(reservations=(note, note)))
    assert words(other) == {"ai-train": "deny", "ai-index": "deny"}
    assert len(verdicts(other)["ai-train"].because) == 1
