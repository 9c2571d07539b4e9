"""Steps about the publisher and its articles: who, what is described, what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, context_of
from wireroom.errors import FetchError, StatusError
from wireroom.model import Finding
from wireroom.parse.metadata import Organisation
from wireroom.ports import StepContext
from wireroom.scout.steps import (
    article_data,
    google_news,
    metadata_profile,
    paywall,
    publisher_details,
)

STORY = f"{HOME}2026/11/14/the-tide-came-in"
NOTHING = Finding(step="feeds", outcome="no", facts={}, found_at=NOW)


def article(extra: str = "", *, free: str = "true", kind: str = "NewsArticle") -> str:
    return (
        f"<html lang=en><title>The tide came in</title>{extra}"
        '<meta property="og:title" content="The tide came in"><meta name="twitter:title" content="Tide">'
        f'<script type="application/ld+json">{{"@type":"{kind}","headline":"The tide came in",'
        '"datePublished":"2026-11-14T08:00:00Z","author":{"@type":"Person","name":"Ada Mole"},'
        f'"isAccessibleForFree":{free}}}</script><article><p>The tide came in.</article>'
    )


def page_case(answers: Mapping[str, Answer], url: str = HOME, **findings: Finding) -> StepContext:
    held = {"feeds": NOTHING, "sitemap_analysis": replace(NOTHING, step="sitemap_analysis")}
    return replace(context_of(answers, url=url), findings=held | findings)


# --- the sample --------------------------------------------------------------------------------


async def test_for_a_homepage_a_recent_article_is_looked_at() -> None:
    newest = Finding(
        step="feeds", outcome="yes", facts={"measured": {"newest_url": STORY}}, found_at=NOW
    )
    by_feed = await article_data.run(page_case({HOME: "<p>Home", STORY: article()}, feeds=newest))
    front = f'<a href="/about">About</a><a href="{STORY}">Tide</a>'
    by_link = await article_data.run(page_case({HOME: front, STORY: article()}))
    assert by_feed.facts["measured"]["chosen"] == "the newest of feeds"
    assert by_link.facts["measured"]["chosen"] == "a link of the homepage"
    assert (
        by_feed.facts["measured"]["sample_url"] == by_link.facts["measured"]["sample_url"] == STORY
    )


async def test_a_newest_item_on_another_site_is_not_taken_for_an_article_of_this_one() -> None:
    foreign = Finding(step="feeds", outcome="yes", facts={"measured": {"newest_url": "https://x.example/1"}}, found_at=NOW)  # fmt: skip
    found = await article_data.run(page_case({HOME: "<p>Home"}, feeds=foreign))
    assert (found.outcome, found.facts["reason"]) == ("unknown", "no article known")


async def test_steps_share_one_request_for_the_sample() -> None:
    table = Table({STORY: article()})
    scout = context_of(fetch=table)
    context = replace(page_case({}, url=STORY), fetch=scout.fetch, once=scout.once)
    await article_data.run(context)
    await paywall.run(context)
    assert [request.url for request in table.asked] == [STORY]


# --- fields, paywall, signs --------------------------------------------------------------------


async def test_the_fields_are_listed_by_format_and_never_merged() -> None:
    found = await article_data.run(page_case({STORY: article()}, url=STORY))
    assert found.facts["formats_found"] == ["json-ld", "opengraph", "twitter"]
    assert found.facts["fields"]["opengraph"] == ["headline"]
    assert "datePublished" in found.facts["fields"]["json-ld"]
    assert found.facts["fields"]["microdata"] == []
    assert found.facts["types"]["json-ld"]["type"]
    bare = await article_data.run(page_case({STORY: "<p>Hello"}, url=STORY))
    assert (bare.outcome, bare.facts["formats_found"]) == ("no", [])
    with pytest.raises(FetchError):
        await article_data.run(page_case({STORY: StatusError(STORY, 500)}, url=STORY))


async def test_the_publisher_is_what_most_of_its_pages_are() -> None:
    locked = await paywall.run(page_case({STORY: article(free="false")}, url=STORY))
    assert (locked.outcome, locked.facts["schema_accessible"]) == ("yes", False)
    assert locked.facts["has_paywall"] is True
    assert locked.evidence
    other = f"{HOME}2026/11/14/other"
    later = replace(page_case({other: article(free="false")}, url=other), before=locked)
    both = await paywall.run(later)
    assert list(both.facts["measured"]["pages"]) == [STORY, other]


async def test_a_page_that_says_nothing_overwrites_nothing() -> None:
    locked = await paywall.run(page_case({STORY: article(free="false")}, url=STORY))
    silent = await paywall.run(replace(page_case({HOME: "<p>Home"}), before=locked))
    assert silent.facts["paywall_status"] == "unknown"
    assert (silent.outcome, silent.facts["has_paywall"]) == ("yes", True)


@pytest.mark.parametrize(
    ("news_sitemap", "kind", "organisation", "level", "count"),
    [
        (True, "NewsArticle", "newsmediaorganization", "strong", 3),
        (True, "ReportageNewsArticle", "organization", "moderate", 2),
        (False, "BlogPosting", "newsmediaorganization", "minimal", 1),
        (False, "BlogPosting", "organization", "none", 0),
    ],
)
async def test_the_signs_of_a_news_site_are_counted(
    news_sitemap: bool, kind: str, organisation: str, level: str, count: int
) -> None:
    data = await article_data.run(page_case({STORY: article(kind=kind)}, url=STORY))
    found = await google_news.run(
        replace(
            context_of(url=STORY),
            findings={
                "article_data": data,
                "sitemap_analysis": replace(NOTHING, facts={"has_news_sitemap": news_sitemap}),
                "publisher_details": replace(
                    NOTHING, facts={"organization": {"type": organisation}}
                ),
            },
        )
    )
    assert (found.facts["readiness"], found.facts["signal_count"]) == (level, count)


async def test_one_page_without_the_mark_does_not_lower_a_news_publisher() -> None:
    data = await article_data.run(page_case({STORY: article()}, url=STORY))
    needs = {"article_data": data, "sitemap_analysis": NOTHING, "publisher_details": NOTHING}
    first = await google_news.run(replace(context_of(url=STORY), findings=needs))
    about = await article_data.run(page_case({f"{HOME}about": "<p>Us"}, url=f"{HOME}about"))
    later = replace(
        context_of(url=f"{HOME}about"), findings=needs | {"article_data": about}, before=first
    )
    second = await google_news.run(replace(later, now=NOW + timedelta(hours=1)))
    assert first.facts["signals"] == second.facts["signals"]
    assert second.facts["signals"]["news_article_schema"] is True


async def test_unlooked_signs_are_unknown_and_not_no() -> None:
    failed = Finding(step="x", outcome="failed", facts={}, found_at=NOW)
    needs = dict.fromkeys(("article_data", "sitemap_analysis", "publisher_details"), failed)
    found = await google_news.run(replace(context_of(), findings=needs))
    assert found.outcome == "unknown"
    assert set(found.facts["signals"].values()) == {None}


# --- who publishes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "points"),
    [
        (Organisation(id=HOME, more={}), 4),
        (Organisation(url="https://www.courier.example", more={}), 3),
        (Organisation(type="newsmediaorganization", more={}), 3),
        (Organisation(id=f"{HOME}x#publisher", more={}), 2),
        (Organisation(roles=("publisher",), more={}), 2),
        (Organisation(logo_url="/l.png", same_as=("https://x.example/c",), more={}), 2),
        (Organisation(more={"contactPoint": {}}), 1),
        (Organisation(name="Somebody", more={}), 0),
    ],
)
def test_points(body: Organisation, points: int) -> None:
    assert publisher_details.score(body, HOME) == points


async def test_the_likeliest_organisation_is_the_publisher() -> None:
    page = (
        '<script type="application/ld+json">{"@graph":['
        '{"@type":"Organization","name":"Ads Inc","url":"https://ads.example/"},'
        f'{{"@type":"NewsMediaOrganization","@id":"{HOME}#organization","name":"The Courier","url":"{HOME}","logo":"/l.png"}},'
        f'{{"@type":"WebSite","publisher":{{"@id":"{HOME}#organization"}}}}]}}</script>'
    )
    found = await publisher_details.run(context_of({HOME: page}))
    assert found.facts["organization"]["name"] == "The Courier"
    assert found.facts["candidate_count"] == 2
    nobody = await publisher_details.run(context_of({HOME: "<p>Hello"}))
    assert (nobody.outcome, nobody.facts["found"]) == ("no", False)


async def test_the_profile_is_two_to_four_sentences_and_always_the_same() -> None:
    data = await article_data.run(page_case({STORY: article()}, url=STORY))
    details = replace(NOTHING, facts={"organization": {"name": "The Courier"}})
    needs = {"article_data": data, "publisher_details": details}
    context = replace(context_of(url=STORY), findings=needs)
    found = await metadata_profile.run(context)
    summary = found.facts["summary"]
    assert summary == (await metadata_profile.run(context)).facts["summary"]
    assert 2 <= summary.count(". ") + 1 <= 4
    assert "JSON-LD, OpenGraph and Twitter cards" in summary
    assert "The Courier" in summary
    blind = {"article_data": replace(data, outcome="failed"), "publisher_details": details}
    unseen = await metadata_profile.run(replace(context, findings=blind))
    assert (unseen.outcome, unseen.facts["summary"]) == ("unknown", "")
