"""Steps about the site itself: homepage, robots.txt, access to a page, who stands in front."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.budget import cpu_within
from tests.scout.contexts import HOME, Answer, context_of, served
from wireroom.errors import BlockedError, FetchError, StatusError, UnreachableError
from wireroom.model import Finding
from wireroom.parse.robots import opens_host
from wireroom.ports import StepContext
from wireroom.rights.finding_index import robots_word, why_unseen
from wireroom.scout.steps import access, homepage, robots, waf
from wireroom.signals import rsl as rsl_step

ROBOTS = f"{HOME}robots.txt"
RULES = "User-agent: wireroom\nAllow: /\n\nUser-agent: *\nDisallow: /secret/\nCrawl-delay: 2\nSitemap: /s.xml\nSitemap: /s.xml\nLicense: https://courier.example/rsl.xml\n"


async def run_robots(answer: Answer | None, url: str = HOME) -> tuple[StepContext, Finding]:
    context = context_of({} if answer is None else {ROBOTS: answer}, url=url)
    return context, await robots.run(context)


async def run_access(context: StepContext, found: Finding) -> Finding:
    return await access.run(replace(context, findings={"robots": found}))


async def test_a_robots_file_is_kept_with_what_it_says() -> None:
    _, found = await run_robots(served(ROBOTS, RULES, kind="text/plain"))
    assert found.outcome == "yes"
    assert found.facts["robots_found"] is True
    assert found.facts["sitemaps_from_robots"] == ["https://courier.example/s.xml"]
    assert found.facts["license_directives"][0]["url"] == "https://courier.example/rsl.xml"
    assert found.facts["raw_length"] == len(RULES)
    assert found.facts["text"]


async def test_a_robots_file_of_nothing_but_licences_is_kept_in_short() -> None:
    """Facts go to the store and the card: thousands of agents are not written out for thousands of lines."""
    agents = "".join(f"User-agent: a{number}\n" for number in range(8_000))
    body = agents + "License: /rsl.xml\n" * 10_000 + "Sitemap: /s.xml\n" * 5_000
    with cpu_within(0.5):
        context, found = await run_robots(served(ROBOTS, body, kind="text/plain"))
        named = await rsl_step.run(replace(context, findings={"robots": found}))
    assert len(found.facts["license_directives"]) == robots.MAX_LICENCES
    assert len(found.facts["license_directives"][0]["agents"]) == robots.MAX_AGENTS
    notices = named.facts["notices"]
    assert len(notices) == 100
    assert {len(notice["agents"]) for notice in notices} == {200}


@pytest.mark.parametrize(
    ("answer", "state", "verdict", "allowed"),
    [
        (None, "absent", "no", True),
        (StatusError(ROBOTS, 403), "absent", "no", True),
        (StatusError(ROBOTS, 500), "unreachable", "unknown", None),
        (UnreachableError(ROBOTS, "no answer", kind="timeout"), "unreachable", "unknown", None),
        (BlockedError(ROBOTS, 403, kind="challenge"), "challenge", "unknown", True),
        (FetchError(ROBOTS, "a ring", kind="redirect_loop"), "unreachable", "unknown", True),
        (served(ROBOTS, "<!doctype html><p>Hello"), "absent", "no", True),
        (served(ROBOTS, RULES, kind="text/html"), "found", "yes", True),
        (served(ROBOTS, bytes(range(256)) * 9), "absent", "no", True),
    ],
)
async def test_the_states_of_a_robots_file(
    answer: Answer | None, state: str, verdict: str, allowed: bool | None
) -> None:
    context, found = await run_robots(answer)
    assert (found.facts["robots_state"], found.outcome) == (state, verdict)
    seen = await run_access(context, found)
    assert seen.facts["url_allowed"] is allowed
    assert seen.outcome == {True: "yes", None: "unknown"}[allowed]
    # What is told is what the fetcher does (`opens_host`).
    held = "held until it can" in robots.summary(found.facts).text
    assert held is (allowed is None)
    assert robots_word([found], HOME)[0] == ("allowed" if allowed else "disallowed")


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (StatusError(ROBOTS, 401, kind="login"), "allowed"),
        (StatusError(ROBOTS, 404), "allowed"),
        (BlockedError(ROBOTS, 403, kind="blocked_waf"), "allowed"),
        (BlockedError(ROBOTS, 403, kind="challenge"), "allowed"),
        (FetchError(ROBOTS, "a ring", kind="redirect_loop"), "allowed"),
        (FetchError(ROBOTS, "a form", kind="consent_wall"), "allowed"),
        (BlockedError(ROBOTS, 503, kind="challenge"), "disallowed"),
        (StatusError(ROBOTS, 429, kind="throttled"), "disallowed"),
        (StatusError(ROBOTS, 500), "disallowed"),
    ],
)
async def test_rights_take_a_host_for_as_open_as_the_fetcher_does(
    error: FetchError, word: str
) -> None:
    """RFC 9309: 4xx is no rules. What such a file would have said of uses stays unknown all the same."""
    _, found = await run_robots(error)
    assert robots_word([found], HOME)[0] == word
    assert opens_host(error) is (word == "allowed")
    if found.facts["robots_state"] != "absent":
        assert why_unseen(found)


async def test_we_and_everybody_are_distinguished_with_the_line() -> None:
    context, found = await run_robots(served(ROBOTS, RULES), url=f"{HOME}secret/1")
    seen = await run_access(context, found)
    assert (seen.facts["url_allowed"], seen.facts["url_allowed_generic"]) == (True, False)
    assert seen.facts["generic"] == {
        "allowed": False,
        "line": 5,
        "rule": "Disallow: /secret/",
        "agent": "*",
    }
    assert seen.facts["page_url"] == f"{HOME}secret/1"


async def test_a_page_of_another_origin_has_its_own_robots() -> None:
    other = "https://blog.courier.example"
    _, found = await run_robots(served(ROBOTS, RULES))
    closed = context_of({f"{other}/robots.txt": "User-agent: *\nDisallow: /"}, url=f"{other}/x")
    seen = await access.run(replace(closed, findings={"robots": found}))
    assert seen.outcome == "no"
    assert seen.evidence[0].url == f"{other}/robots.txt"


async def test_the_homepage_is_described_and_its_failure_is_not_hidden() -> None:
    page = "<title> The Courier \n</title>"
    found = await homepage.run(context_of({HOME: page}))
    assert (found.facts["title"], found.facts["status"]) == ("The Courier", 200)
    with pytest.raises(FetchError):
        await homepage.run(context_of({}))


async def test_a_cdn_is_no_block_and_a_challenge_is() -> None:
    cdn = await waf.run(context_of({HOME: served(HOME, "hi", server="cloudflare", cf_ray="1")}))
    assert (cdn.outcome, cdn.facts["cdn"], cdn.facts["challenged"]) == ("no", ["Cloudflare"], False)
    refusal = BlockedError(HOME, 403, kind="challenge")
    refusal.headers = (("x-datadome", "protected"),)
    blocked = await waf.run(context_of({HOME: refusal}))
    assert (blocked.outcome, blocked.facts["waf_type"]) == ("yes", "DataDome")
    assert blocked.facts["challenged"] is True
    assert blocked.evidence[0].status == 403


async def test_a_server_that_does_not_answer_says_nothing_about_a_waf() -> None:
    silent = context_of({HOME: UnreachableError(HOME, "no answer", kind="timeout")})
    found = await waf.run(silent)
    assert (found.outcome, found.facts["waf_detected"]) == ("unknown", None)
