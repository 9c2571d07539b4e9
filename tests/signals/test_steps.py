"""The steps of the rights signals: what they keep, and what they say when they could not look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, context_of, served
from wireroom.errors import BlockedError, FetchError, StatusError, UnreachableError
from wireroom.model import Finding, Verdict
from wireroom.ports import StepContext
from wireroom.report.build import summary
from wireroom.scout.scout_fetch import ScoutFetch
from wireroom.scout.steps import ai_bots, feeds, llms_txt, robots
from wireroom.signals import (
    ai_txt,
    all_steps,
    comments,
    judge,
    licence,
    robots_tag,
    trust_txt,
)
from wireroom.signals import rsl as rsl
from wireroom.signals import tdmrep as tdmrep

ROBOTS = f"{HOME}robots.txt"
RSL_URL = f"{HOME}rsl.xml"
RSL = """<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
<license><permits type="usage">search</permits><payment type="purchase"/></license></content></rsl>"""
TDM_URL = f"{HOME}.well-known/tdmrep.json"


async def with_robots(
    text: str, answers: Mapping[str, Answer] | None = None, url: str = HOME
) -> StepContext:
    table = Table(
        {ROBOTS: served(ROBOTS, text, kind="text/plain"), HOME: "<p>Hello", **(answers or {})}
    )
    context = context_of(fetch=table, url=url)
    return replace(context, findings={"robots": await robots.run(context)})


def word(findings: list[Finding], use: str, url: str = HOME) -> Verdict:
    return next(verdict for verdict in judge(findings, url) if verdict.use == use)


# --- robots.txt and its extensions -------------------------------------------------------------


async def test_agents_are_listed_by_class_with_the_deciding_line() -> None:
    text = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: PerplexityBot\nDisallow: /news/\n"
    found = await ai_bots.run(await with_robots(text, url=f"{HOME}news/1"))
    bots = found.facts["bots"]
    assert found.outcome == "yes"
    assert bots["GPTBot"]["blocked"] is True
    assert bots["GPTBot"]["line"] == 3
    assert (bots["PerplexityBot"]["site"], bots["PerplexityBot"]["page"]) == ("partly", "blocked")
    assert bots["PerplexityBot"]["front"] == "allowed"
    assert (found.facts["blocked_count"], found.facts["total_count"] > 150) == (2, True)
    assert "GPTBot" in found.facts["classes"]["training"]["barred"]
    assert found.facts["table_of"]


async def test_agents_are_unknown_where_robots_is() -> None:
    context = context_of({ROBOTS: StatusError(ROBOTS, 500)})
    found = await ai_bots.run(replace(context, findings={"robots": await robots.run(context)}))
    assert found.outcome == "unknown"


async def test_signals_of_robots_and_headers_are_heard_together() -> None:
    page = served(HOME, "<p>Hello", content_usage="train-ai=n", content_signal="ai-train=no")
    context = await with_robots(
        "User-agent: *\nContent-Signal: search=yes\nContent-Usage: /x train-ai=y\n", {HOME: page}
    )
    signal, usage = (
        await all_steps()["content_signal"].run(context),
        await all_steps()["content_usage"].run(context),
    )
    assert [evidence.excerpt for evidence in signal.evidence] == [
        "Content-Signal: search=yes",
        "ai-train=no",
    ]
    assert [evidence.line for evidence in usage.evidence] == [3, None]
    both = [context.findings["robots"], signal, usage]
    assert (word(both, "search").value, word(both, "ai-train").value) == ("allow", "deny")


async def test_lines_of_robots_survive_a_homepage_that_fails() -> None:
    context = await with_robots(
        f"User-agent: *\nContent-Signal: search=no\nLicense: {RSL_URL}\n",
        {HOME: UnreachableError(HOME, "no answer", kind="timeout"), RSL_URL: RSL},
    )
    signal, licensing = await all_steps()["content_signal"].run(context), await rsl.run(context)
    assert (signal.outcome, licensing.outcome) == ("yes", "yes")
    assert signal.facts["error"] == licensing.facts["error"] == "no answer"


async def test_reservations_in_comments_are_quoted_with_their_line() -> None:
    text = "# Text and data mining is reserved under Article 4 of Directive (EU) 2019/790.\nUser-agent: *\n"
    context = await with_robots(text)
    found = await comments.run(context)
    assert (found.outcome, found.evidence[0].line) == ("yes", 1)
    assert "2019/790" in found.evidence[0].excerpt
    assert word([context.findings["robots"], found], "ai-train").value == "deny"


# --- RSL and licences --------------------------------------------------------------------------


async def test_rsl_is_found_in_all_places_and_its_document_is_read_once() -> None:
    page = served(
        HOME,
        f'<link rel="license" type="application/rsl+xml" href="{RSL_URL}">',
        link='</rsl.xml>; rel=license; type="application/rsl+xml"',
    )
    context = await with_robots(f"License: {RSL_URL}\n", {HOME: page, RSL_URL: RSL})
    found = await rsl.run(context)
    assert found.facts["rsl_detected"] is True
    assert {fact["source"] for fact in found.facts["indicators"]} == {
        "robots.txt",
        "http_header",
        "html_link",
    }
    assert {fact["url"] for fact in found.facts["indicators"]} == {RSL_URL}
    assert word([context.findings["robots"], found], "search").value == "paid"
    assert word([context.findings["robots"], found], "ai-train").value == "deny"


RSL_ITEM = """<rsl:content xmlns:rsl="https://rslstandard.org/rsl" url=""><rsl:license>
<rsl:prohibits type="usage">ai-train</rsl:prohibits></rsl:license></rsl:content>"""


async def test_rsl_in_the_items_of_a_feed_is_on_the_card() -> None:
    story, feed_url = f"{HOME}story", f"{HOME}feed"
    items = f"<item><link>{story}</link>{RSL_ITEM}</item><item><link>{HOME}other</link></item>"
    feed = f"<rss version='2.0'><channel><title>C</title>{items}</channel></rss>"
    link = f'<link rel="alternate" type="application/rss+xml" href="{feed_url}">'
    table = {HOME: link, feed_url: feed, story: "<p>Story"}

    async def scouted(url: str, before: Finding | None = None) -> tuple[Finding, list[Finding]]:
        context = await with_robots("User-agent: *\nAllow: /", table, url=url)
        held = {**context.findings, "feeds": await feeds.run(context)}
        found = await rsl.run(replace(context, findings=held, before=before))
        return found, [*held.values(), found]

    home, known = await scouted(HOME)
    assert (home.outcome, home.facts["count"]) == ("yes", 1)
    assert summary(home) == "RSL, named in 1 place, item by item in a feed"
    assert home.evidence[0].url == feed_url
    assert word(known, "ai-train").value == "unknown", "an item speaks of its own page alone"
    _, known = await scouted(story)
    assert word(known, "ai-train", story).value == "deny"
    # A scout that has no feed at hand asks for none: what was known stays.
    context = await with_robots("User-agent: *\nAllow: /", {HOME: link})
    later = await rsl.run(replace(context, before=home))
    assert later.facts["indicators"] == home.facts["indicators"]


async def test_a_licence_for_everybody_is_no_rsl() -> None:
    context = await with_robots("License: https://creativecommons.org/licenses/by/4.0/\n")
    found, licensed = await rsl.run(context), await licence.run(context)
    assert (found.outcome, found.facts["rsl_detected"]) == ("no", False)
    assert licensed.facts["codes"] == ["CC BY 4.0"]
    assert word([context.findings["robots"], licensed], "archive").value == "allow"


@pytest.mark.parametrize(
    "document",
    ["<!DOCTYPE x [<!ENTITY a 'b'>]><rsl/>", "hello", b"\x00\xff" * 50, StatusError(RSL_URL, 500)],
)
async def test_a_document_that_cannot_be_read_is_reported_and_allows_nothing(
    document: Answer,
) -> None:
    context = await with_robots(f"License: {RSL_URL}\n", {RSL_URL: document})
    found = await rsl.run(context)
    assert found.outcome == "unknown"
    assert found.facts["indicators"][0]["confidence"] == "potential"
    assert found.facts["indicators"][0]["problem"]
    assert word([context.findings["robots"], found], "ai-train").value != "allow"


async def test_at_most_three_documents_are_asked_for() -> None:
    text = "".join(f"License: {HOME}{n}.xml\n" for n in range(6))
    table = Table({HOME: "<p>Hello", ROBOTS: served(ROBOTS, text)})
    context = context_of(fetch=table)
    found = await rsl.run(replace(context, findings={"robots": await robots.run(context)}))
    assert sum(request.url.endswith(".xml") for request in table.asked) == 3
    assert "more than 3 documents" in found.facts["indicators"][-1]["problem"]


# --- pages and well-known files ----------------------------------------------------------------


async def test_directives_of_a_page_are_kept_with_those_heard_before() -> None:
    article = f"{HOME}a"
    pages = {
        HOME: served(HOME, "<meta name=robots content=noai>"),
        article: served(article, "<p>Hi", x_robots_tag="noarchive"),
    }
    first = await robots_tag.run(context_of(pages))
    table = Table(pages)
    later = context_of(fetch=table, url=article, before=first)
    second = await robots_tag.run(later)
    assert [page["url"] for page in second.facts["pages"]] == [HOME, article]
    assert [request.url for request in table.asked] == [article], "the homepage was heard today"
    old = replace(later, before=second, fresh_since=NOW, believed_since=NOW)
    table.asked.clear()
    await robots_tag.run(replace(old, once=ScoutFetch(table).once, fetch=table))
    assert [request.url for request in table.asked] == [HOME, article], "it answered too long ago"


async def test_a_header_of_several_directives_is_one_line_of_evidence() -> None:
    page = served(HOME, "<p>Hi", x_robots_tag="noarchive, nosnippet, noai")
    found = await robots_tag.run(context_of({HOME: page}))
    assert [evidence.excerpt for evidence in found.evidence] == [
        "X-Robots-Tag: noarchive, nosnippet, noai"
    ]


async def test_a_refusal_is_heard_but_is_no_no() -> None:
    refusal = BlockedError(HOME, 403, kind="challenge")
    refusal.headers = (("server", "cloudflare"),)
    context = await with_robots("User-agent: *\n", {HOME: refusal})
    for name in ("robots_tag", "licence", "rsl", "content_signal"):
        assert (await all_steps()[name].run(context)).outcome == "unknown"
    refusal.headers = (("x-robots-tag", "noai"),)
    found_tag = await robots_tag.run(await with_robots("", {HOME: refusal}))
    assert found_tag.outcome == "yes"


async def test_tdmrep_is_read_from_file_headers_and_policy() -> None:
    policy_url = f"{HOME}tdm.json"
    policy = '{"@type": "Offer", "assigner": {"vcard:hasEmail": "mailto:x@courier.example"}, "permission": [{"action": "tdm:mine", "duty": [{"action": "compensate"}]}]}'
    rules = f'[{{"location": "/*", "tdm-reservation": 1, "tdm-policy": "{policy_url}"}}]'
    context = context_of(
        {
            HOME: "<p>Hello",
            TDM_URL: served(TDM_URL, rules, kind="application/json"),
            policy_url: served(policy_url, policy, kind="application/json"),
        }
    )
    found = await tdmrep.run(context)
    assert found.outcome == "yes"
    assert found.facts["policies"][0]["url"] == policy_url
    assert word([found], "ai-train").value == "paid"


async def test_a_tdm_file_nobody_could_look_for_does_not_hide_what_the_page_says() -> None:
    page = served(HOME, "<p>Hello", tdm_reservation="1")
    found = await tdmrep.run(context_of({HOME: page, TDM_URL: StatusError(TDM_URL, 500)}))
    assert (found.outcome, found.facts["error"]) == ("yes", "HTTP 500")
    assert word([found], "ai-train").value == "deny"


@pytest.mark.parametrize(
    ("step", "path", "text", "fact"),
    [
        (ai_txt, "ai.txt", "User-Agent: *\nDisallow: /\n", ("groups", 1)),
        (llms_txt, "llms.txt", "# Courier\n> News\n## News\n- [A](/a)\n", ("links", 1)),
        (
            trust_txt,
            ".well-known/trust.txt",
            "member=https://x.example/\ndatatrainingallowed=no\n",
            ("data_training_allowed", "no"),
        ),
        (trust_txt, "trust.txt", "belongto=https://x.example/\n", ("counts", {"belongto": 1})),
    ],
)
async def test_well_known_files_are_read_and_pages_in_their_place_are_not(
    step: object, path: str, text: str, fact: tuple[str, object]
) -> None:
    url = f"{HOME}{path}"
    run = step.run  # type: ignore[attr-defined] # a module
    found = await run(context_of({url: served(url, text, kind="text/plain")}))
    assert (found.outcome, found.facts[fact[0]]) == ("yes", fact[1])
    page = await run(context_of({url: served(url, "<!doctype html><p>Not found")}))
    assert page.outcome == "no"
    assert (await run(context_of())).outcome == "no"
    with pytest.raises(FetchError):
        await run(context_of({url: StatusError(url, 500)}))
