"""Whose word counts for a page: that of the host it was read from, and of nobody who only points at it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.export.samples import article
from tests.rights.findings import (
    HOME,
    NOW,
    PAGE,
    ai_txt,
    finding,
    robots,
    robots_tag,
    terms,
    trust_txt,
    verdicts,
    words,
)
from wireroom.identity import owner_of
from wireroom.model import USES, Dossier, Feed, Finding, Item, Publisher, Response, TypedFacts
from wireroom.poll.ask_feed import MAX_RIGHTS_HEADERS, feed_headers, read_answer
from wireroom.rights.finding_index import FindingIndex, RobotsFacts, with_last
from wireroom.rights.policy import Policy, decide_export
from wireroom.signals import (
    feed_refusals,
    feed_unread,
    findings_on,
    item_findings,
    judge,
    make_receipt,
    receipt_today,
)
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice

OTHER = "https://gazette.test/news/b"
BLOG = "https://blog.courier.test/c"
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
FREE = '<license><permits type="usage">all</permits></license>'
NO_TRAINING = "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"


def item(url: str, *, feed: str = HOME + "feed.xml", **extra: object) -> Item:
    return Item(feed_url=feed, guid="1", url=url, extra=extra)


def failed(step: str, error: str = "status 503") -> Finding:
    return Finding(step=step, outcome="failed", facts={"error": error}, found_at=NOW)


# --- feeds -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "extra",
    [
        {"licence_url": CC0},
        {"rsl": [{"xml": f'<content url="">{FREE}</content>'}]},
        {"rsl": [{"xml": f'<content url="{OTHER}">{FREE}</content>'}]},
    ],
)
def test_a_feed_licenses_no_page_of_somebody_else(extra: dict[str, object]) -> None:
    named = Item(feed_url=HOME + "feed.xml", guid="1", url=OTHER, extra=extra)
    found = item_findings(named, OTHER, now=NOW)
    gazette = robots(NO_TRAINING, url="https://gazette.test/robots.txt")
    assert words(gazette, *found, url=OTHER) == {"ai-train": "deny"}
    assert words(*found, url=OTHER) == {}


@pytest.mark.parametrize("host", ["substack.com", "wordpress.com", "medium.com", "neocities.org"])
@pytest.mark.parametrize(
    "extra", [{"licence_url": CC0}, {"rsl": [{"xml": f'<content url="">{FREE}</content>'}]}]
)
def test_a_feed_licenses_no_page_of_a_neighbour_on_its_host(
    extra: dict[str, object], host: str
) -> None:
    """Blogs of one service are one site, as far as the list of public suffixes knows."""
    story = f"https://bob.{host}/p/story"
    named = item(story, feed=f"https://alice.{host}/feed", **extra)
    assert words(*item_findings(named, story, now=NOW), url=story) == {}
    own = item(story, feed=f"https://www.bob.{host}/feed", **extra)
    assert words(*item_findings(own, story, now=NOW), url=story)["ai-train"] == "allow"


def test_a_feed_may_refuse_what_it_carries_of_somebody_else() -> None:
    terms_of_feed = (
        '<content url=""><license><prohibits type="usage">ai-train</prohibits></license></content>'
    )
    found = item_findings(item(OTHER, rsl=[{"xml": terms_of_feed}]), OTHER, now=NOW)
    assert verdicts(*found, url=OTHER)["ai-train"].value == "deny"


def test_the_feed_is_named_as_the_source_of_its_licence() -> None:
    found = item_findings(item(PAGE, licence_url=CC0), PAGE, now=NOW)
    (signal,) = verdicts(*found)["ai-train"].because
    assert signal.evidence.url == HOME + "feed.xml"


def test_what_a_feed_says_of_an_item_holds_where_its_address_leads() -> None:
    """Feeds name pages by addresses that count clicks."""
    clicked = item("https://courier.test/click?id=9", rsl=[{"xml": "<content"}])
    assert words(*item_findings(clicked, PAGE, now=NOW)) == {}
    refused = '<content url=""><license><prohibits type="usage">all</prohibits></license></content>'
    clicked = item("https://courier.test/click?id=9", rsl=[{"xml": refused}])
    assert words(*item_findings(clicked, PAGE, now=NOW))["ai-train"] == "deny"


def test_headers_of_a_feed_refuse_machines_the_texts_in_it() -> None:
    headers = (("x-robots-tag", "noindex, noai"), ("tdm-reservation", "1"))
    refusals = feed_refusals(headers, HOME + "feed.xml", now=NOW)
    assert {signal.use for signal in refusals} == {"ai-train", "ai-input", "ai-index"}
    assert {signal.evidence.url for signal in refusals} == {HOME + "feed.xml"}
    receipt = make_receipt((), PAGE, robots_word="allowed", licence_url=CC0, now=NOW, also=refusals)
    assert {verdict.use: verdict.value for verdict in receipt.verdicts}["ai-train"] == "deny"


def test_headers_of_a_feed_that_are_left_out_are_known_to_be_unread() -> None:
    feed = Feed(url=HOME + "feed.xml", publisher="courier.test", kind="rss")
    body = f"<rss><channel><item><link>{PAGE}</link><content:encoded>{'Text. ' * 99}</content:encoded></item></channel></rss>"
    rows = [("x-robots-tag", f"word-{n}") for n in range(MAX_RIGHTS_HEADERS + 1)]
    unread = []
    for headers in (rows[:-1], [*rows, ("x-robots-tag", "noai")]):
        answer = Response(
            url=feed.url,
            final_url=feed.url,
            status=200,
            headers=(("content-type", "application/rss+xml"), *headers),
            body=body.encode(),
            fetched_at=NOW,
        )
        (found,) = read_answer(feed, answer).items
        unread.append(feed_unread(feed_headers(found), feed.url, now=NOW))
    assert unread == ["", "not looked at: more than 20 headers of the feed about rights"]


def test_of_several_items_of_a_page_any_may_refuse() -> None:
    feed = Feed(url=HOME + "feed.xml", publisher="courier.test", kind="rss")
    refused = '<r:content url=""><r:license><r:prohibits type="usage">all</r:prohibits></r:license></r:content>'
    rows = f"<item><link>{PAGE}</link></item><item><guid>2</guid><link>{PAGE}?utm_source=x</link>{refused}</item>"
    answer = Response(
        url=feed.url,
        final_url=feed.url,
        status=200,
        headers=(("content-type", "application/rss+xml"),),
        body=f'<rss xmlns:r="https://rslstandard.org/rsl"><channel>{rows}</channel></rss>'.encode(),
        fetched_at=NOW,
    )
    found = read_answer(feed, answer).items
    assert [words(*item_findings(each, PAGE, now=NOW))["ai-train"] for each in found] == [
        "deny"
    ] * 2


def test_terms_of_another_feed_name_its_address() -> None:
    refused = '<content url=""><license><prohibits type="usage">all</prohibits></license></content>'
    other = {"xml": refused, "feed_url": HOME + "two.xml"}
    (signal,) = verdicts(*item_findings(item(PAGE, rsl=[other]), PAGE, now=NOW))["ai-train"].because
    assert signal.evidence.url == HOME + "two.xml"


# --- publishers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "allowing",
    [
        trust_txt("datatrainingallowed=yes"),
        terms(ai_ml="permitted", tdm="permitted"),
        ai_txt("User-agent: *\nAllow: /\n"),
    ],
    ids=["trust.txt", "terms", "ai.txt"],
)
def test_documents_of_a_publisher_speak_for_it_alone(allowing: Finding) -> None:
    assert verdicts(allowing)["ai-train"].value == "allow"
    assert words(allowing, url=OTHER) == {}
    assert words(allowing, url=BLOG) == {}, "not even for another host of its site"


def test_a_publisher_refuses_for_all_hosts_of_its_site() -> None:
    refusing = trust_txt("datatrainingallowed=no"), terms(archiving="prohibited")
    assert words(*refusing, url=BLOG) == {"ai-train": "deny", "archive": "deny"}
    assert words(*refusing, url=OTHER) == {}


def test_robots_txt_read_elsewhere_holds_for_the_host_that_was_asked() -> None:
    facts = RobotsFacts(
        url="https://www.courier.test/robots.txt",
        asked_url="https://blog.courier.test/robots.txt",
        text=NO_TRAINING,
    )
    verdict = verdicts(finding("robots", facts), url=BLOG)["ai-train"]
    assert verdict.value == "deny"
    assert verdict.because[0].evidence.url == "https://www.courier.test/robots.txt"
    assert words(finding("robots", facts), url="https://www.courier.test/x") == {}


@pytest.mark.parametrize(
    ("url", "owner"),
    [
        (PAGE, "courier.test"),
        ("https://www.courier.test/a", "courier.test"),
        (BLOG, "courier.test"),
        (OTHER, "gazette.test"),
        ("", "courier.test"),
    ],
)
def test_a_page_that_a_feed_names_belongs_to_its_host(url: str, owner: str) -> None:
    assert owner_of("courier.test", url) == owner


# --- what could not be fetched ---------------------------------------------------------------------

ALLOWING = robots(
    "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=yes\nAllow: /\n"
)


@pytest.mark.parametrize("step", ["terms", "tdmrep", "trust_txt", "ai_txt", "rsl"])
def test_nothing_is_allowed_while_somebody_who_might_refuse_cannot_be_read(step: str) -> None:
    assert verdicts(ALLOWING)["ai-train"].value == "allow"
    verdict = verdicts(ALLOWING, failed(step))["ai-train"]
    assert verdict.value == "unknown"
    assert {signal.family for signal in verdict.unseen} == {step}
    assert verdict.unseen[0].evidence.excerpt == "status 503"
    assert {signal.family for signal in verdict.conflicts} == {"content_signal"}


def test_who_cannot_refuse_a_use_does_not_stop_it() -> None:
    assert verdicts(ALLOWING, failed("trust_txt"))["search"].value == "allow"


def test_a_refusal_stands_whatever_could_not_be_read() -> None:
    verdict = verdicts(robots(NO_TRAINING), failed("terms"))["ai-train"]
    assert (verdict.value, verdict.unseen) == ("deny", ())


def test_the_operator_may_take_what_can_be_read() -> None:
    receipt = make_receipt([ALLOWING, failed("terms")], PAGE, robots_word="allowed", now=NOW)
    permitted, reason = decide_export(Policy(), "ai-train", receipt)
    assert not permitted
    assert "terms could not be read" in reason
    assert decide_export(Policy(certain=False), "ai-train", receipt) == (True, "")


def test_the_last_refusal_stands_while_its_document_cannot_be_fetched() -> None:
    before = terms(ai_ml="prohibited")
    today = with_last(failed("terms"), before)
    assert verdicts(ALLOWING, today)["ai-train"].value == "deny"
    again = with_last(failed("terms"), today)
    assert verdicts(ALLOWING, again)["ai-train"].value == "deny", "also after a second failure"


def test_the_last_permission_does_not() -> None:
    today = with_last(failed("terms"), terms(ai_ml="permitted"))
    assert verdicts(today)["ai-train"].value == "unknown"


def test_the_last_refusal_of_robots_txt_stands_while_the_server_fails() -> None:
    gone = RobotsFacts(url=HOME + "robots.txt", state="unreachable")
    facts = TypedFacts(gone, {"unseen": "status 503"})
    today = Finding(step="robots", outcome="unknown", facts=facts, found_at=NOW)
    kept = with_last(today, robots(NO_TRAINING))
    assert verdicts(kept)["ai-train"].value == "deny"


def test_a_step_that_could_look_forgets_what_it_knew() -> None:
    assert with_last(ALLOWING, robots(NO_TRAINING)) is ALLOWING


def test_rsl_that_is_named_and_gone_allows_nothing() -> None:
    file = "License: /rsl.xml\nUser-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n"
    notice = RslNotice(place="robots", licence_url=HOME + "rsl.xml", line=1, problem="status 404")
    verdict = verdicts(robots(file), finding("rsl", RslFacts(notices=(notice,))))["ai-train"]
    assert verdict.value == "unknown"
    assert verdict.unseen[0].evidence.excerpt == "status 404"


def test_a_host_that_nobody_scouted_allows_nothing() -> None:
    known = findings_on("gazette.test", None, now=NOW)
    index = FindingIndex(known)
    receipt = make_receipt(index, OTHER, robots_word="allowed", licence_url=CC0, now=NOW)
    assert {verdict.value for verdict in receipt.verdicts} == {"unknown"}
    assert {verdict.use for verdict in receipt.verdicts} == set(USES)


def test_steps_of_a_scout_that_broke_off_count_as_unseen() -> None:
    publisher = Publisher(domain="courier.test", added_at=NOW)
    half = Dossier(publisher=publisher, findings=(ALLOWING,), scouted_at=NOW)
    known = findings_on("courier.test", half, now=NOW)
    assert {verdict.value for verdict in judge(known, PAGE)} == {"unknown"}


def test_a_page_that_was_read_needs_no_word_of_its_publisher_about_pages() -> None:
    """The homepage could not be read when its publisher was scouted; the article's own page was."""
    index = FindingIndex([ALLOWING, failed("robots_tag")])
    receipt = make_receipt(index, PAGE, robots_word="allowed", now=NOW, page_read=True)
    assert {verdict.use: verdict.value for verdict in receipt.verdicts}["search"] == "allow"
    unread = make_receipt(index, PAGE, robots_word="allowed", now=NOW)
    assert {verdict.use: verdict.value for verdict in unread.verdicts}["search"] == "unknown"


def test_an_outage_of_today_is_seen_by_an_export() -> None:
    held = replace(
        article(url=PAGE), receipt=make_receipt([ALLOWING], PAGE, robots_word="allowed", now=NOW)
    )
    today = receipt_today(held, FindingIndex([ALLOWING, failed("terms")]), now=NOW)
    assert {verdict.use: verdict.value for verdict in today.verdicts}["ai-train"] == "unknown"


# --- a word with a time ----------------------------------------------------------------------------


def test_a_page_that_is_to_end_is_refused_from_then_on() -> None:
    ending = robots_tag("unavailable_after: Sun, 15 Nov 2026 18:00:00 GMT")
    before, after = NOW, NOW + timedelta(days=1)
    allowing = [ALLOWING, ending]
    assert {v.use: v.value for v in judge(allowing, PAGE, now=before)}["search"] == "allow"
    assert {v.use: v.value for v in judge(allowing, PAGE, now=after)}["search"] == "deny"
    receipt = make_receipt(allowing, PAGE, robots_word="allowed", now=before)
    held = replace(article(url=PAGE), receipt=receipt)
    today = receipt_today(held, FindingIndex([ALLOWING]), now=after)
    assert {v.use: v.value for v in today.verdicts}["search"] == "deny", "the receipt kept it"


def test_an_end_that_nobody_can_read_counts_as_past() -> None:
    ending = robots_tag("unavailable_after: soon")
    assert {v.use: v.value for v in judge([ending], PAGE, now=NOW)}["search"] == "deny"
