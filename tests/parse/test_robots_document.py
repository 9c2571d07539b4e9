"""What else a robots.txt says: pauses, sitemaps, later standards, and what is wrong with it."""

from __future__ import annotations

import gc
import pickle
import random
import weakref
from datetime import timedelta

import pytest

from tests.budget import cpu_within
from wireroom.parse.robots import Extension, SitemapLine, read_robots
from wireroom.parse.robots.robots_scan import MAX_LINTS

SITE = "https://courier.test"


def codes(body: bytes) -> list[str]:
    return [lint.code for lint in read_robots(body).lint]


# --- is it one at all? -------------------------------------------------------------------------

RULES = b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (RULES, "rules"),
        (b"", "empty"),
        (b"\n \n\t\n", "empty"),
        (b"# nothing to say\n", "empty"),
        (b"Sitemap: /s.xml\n", "rules"),
        (b"License: https://courier.test/l.xml\n", "rules"),
        (b"Disallow: /\n", "rules"),
        (b"Host: courier.test\n", "rules"),
        (b"<!DOCTYPE html><pre>\n" + RULES, "html"),
        (b" \r\n\t<html>\n" + RULES, "html"),
        (b"\xef\xbb\xbf<HTML lang=en>\n" + RULES, "html"),
        (b"<!-- served by a cache --><!-- x -->\n<html>\n" + RULES, "html"),
        (b"<?xml version='1.0'?>\n" + RULES, "html"),
        (b"<head>\n" + RULES, "html"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + RULES, "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "binary"),
        ("User-agent: *\nDisallow: /\n".encode("utf-16"), "rules"),  # a refusal in it counts
        (b"\x00", "binary"),
        (b"Not Found", "malformed"),
        (b'{"error": "no such file"}', "malformed"),
        (b"Welcome to the Courier.\nWe are closed.", "malformed"),
    ],
)
def test_what_is_no_robots_file_is_not_found_and_bars_nobody(body: bytes, state: str) -> None:
    robots = read_robots(body)
    assert robots.state == state
    assert robots.found is (state in {"rules", "empty"})
    if not robots.found:
        assert robots.allows("ravenbot", f"{SITE}/")
        assert state in {lint.code for lint in robots.lint}
        assert robots.groups == ()


def test_random_bytes_are_not_found() -> None:
    for seed in range(50):
        assert not read_robots(random.Random(seed).randbytes(4096)).found


def test_one_stray_byte_does_not_unlock_a_site() -> None:
    for stray in (b"\x00", b"\x1a", b"\xff\xfe", b"\x0c"):
        robots = read_robots(b"User-agent: *\nDisallow: /private\n# note\n" + stray)
        assert not robots.allows("ravenbot", f"{SITE}/private")


# --- pauses and sitemaps -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10", 10),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5),
        ("0", 0),
        ("10 # seconds", 10),
        ("99999999999", 365 * 86_400),
        ("-1", None),
        ("1e3", None),
        ("nan", None),
        ("inf", None),
        ("ten", None),
        ("", None),
        ("1" * 5_000, None),
        ("٣", None),
    ],
)
def test_crawl_delay_is_a_plain_number_of_seconds(value: str, seconds: float | None) -> None:
    robots = read_robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow:\n".encode())
    expected = None if seconds is None else timedelta(seconds=seconds)
    assert robots.crawl_delay("ravenbot") == expected
    assert ("bad_crawl_delay" in {lint.code for lint in robots.lint}) is (seconds is None)


def test_crawl_delay_is_the_longest_of_the_agents_own_groups() -> None:
    robots = read_robots(
        b"Crawl-delay: 99\n"
        b"User-agent: raven\nCrawl-delay: 3\nDisallow: /a\n"
        b"User-agent: *\nCrawl-delay: 60\nDisallow: /b\n"
        b"User-agent: raven\nCrawl-delay: 7\nCrawl-delay: 5\nDisallow: /c\n"
        b"User-agent: owl\nDisallow: /d\n"
    )
    assert robots.crawl_delay("raven") == timedelta(seconds=7)
    assert robots.crawl_delay("anyone") == timedelta(seconds=60)
    assert robots.crawl_delay("owl") is None
    assert ("outside_group", 1) in {(lint.code, lint.line) for lint in robots.lint}


def test_sitemaps_come_with_their_lines_from_anywhere() -> None:
    robots = read_robots(
        b"Sitemap: https://courier.test/news.xml\r\n"
        b"User-agent: *\r\nSITEMAP:/relative.xml # here\r\nDisallow: /x\r\n"
        b"Site-map: https://courier.test/\xc3\xa4.xml\r\nsitemap:\r\n"
        b"Sitemap: https://courier.test/\xff.xml"
    )
    assert robots.sitemaps == (
        SitemapLine(url="https://courier.test/news.xml", line=1),
        SitemapLine(url="/relative.xml", line=3),
        SitemapLine(url="https://courier.test/ä.xml", line=5),
        SitemapLine(url="https://courier.test/%FF.xml", line=7),
    )


# --- lines of later standards ------------------------------------------------------------------

LICENCES = b"""License: https://courier.test/all.xml
LICENSE : https://courier.test/more.xml   # both hold

User-agent: raven
User-agent: owl
License: https://courier.test/birds.xml
Disallow: /x

User-agent: *
Disallow: /y
"""


def test_a_licence_in_a_group_replaces_the_global_ones_for_its_agents() -> None:
    robots = read_robots(LICENCES)
    birds = Extension(
        name="license", value="https://courier.test/birds.xml", line=6, agents=("raven", "owl")
    )
    everyone = (
        Extension(name="license", value="https://courier.test/all.xml", line=1),
        Extension(name="license", value="https://courier.test/more.xml", line=2),
    )
    assert robots.licences("Raven") == (birds,)
    assert robots.licences("owl") == (birds,)
    assert robots.licences("dove") == everyone
    assert robots.extensions == (*everyone, birds)


def test_a_licence_does_not_change_who_may_read() -> None:
    robots = read_robots(LICENCES)
    assert not robots.allows("raven", f"{SITE}/x")
    assert robots.allows("raven", f"{SITE}/y")
    assert not robots.allows("dove", f"{SITE}/y")


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b"License:\nUser-agent: *\n", []),
        (b"License: \r\nUser-agent: *\r\n", []),
        (b"license:https://courier.test/l.xml\r\n", ["https://courier.test/l.xml"]),
        (b"\t License: https://courier.test/l.xml", ["https://courier.test/l.xml"]),
        (b"License: https://courier.test/l.xml#terms", ["https://courier.test/l.xml"]),
        (b"# License: https://courier.test/l.xml", []),
        (b"Licensee: https://courier.test/l.xml", []),
        (b"License: a\rLicense: b", ["a", "b"]),
    ],
)
def test_licence_lines_in_every_dress(body: bytes, values: list[str]) -> None:
    assert [line.value for line in read_robots(body).licences("raven")] == values


def test_a_licence_of_everyone_is_not_for_those_with_a_group_of_their_own() -> None:
    robots = read_robots(b"User-agent: *\nLicense: a\nDisallow:\nUser-agent: owl\nDisallow: /\n")
    assert [line.value for line in robots.licences("raven")] == ["a"]
    assert robots.licences("owl") == ()


def test_a_licence_behind_a_blank_line_is_pointed_out() -> None:
    assert codes(b"User-agent: owl\nDisallow: /\n\nLicense: a\n") == ["loose_licence"]
    assert codes(b"License: a\n\nUser-agent: owl\nDisallow: /\n") == []


def test_content_signals_belong_to_a_group() -> None:
    robots = read_robots(
        b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"
        b"User-agent: owl\ncontent-signal: ai-train=yes\nAllow: /\n"
    )
    (everyone,) = robots.content_signals("raven")
    (owl,) = robots.content_signals("owl")
    assert (everyone.value, everyone.line, everyone.agents) == (
        "search=yes, ai-train=no",
        2,
        ("*",),
    )
    assert (owl.value, owl.line, owl.agents) == ("ai-train=yes", 5, ("owl",))


def test_content_usage_takes_the_longest_path() -> None:
    robots = read_robots(
        b"User-agent: *\n"
        b"Content-Usage: train-ai=y\n"
        b"Content-Usage: /news/ train-ai=n\n"
        b"Content-Usage: /news/  search=y\n"
        b"Content-Usage: /news/*.pdf$\ttrain-ai=y\n"
        b"Content-Usage: /shut/ train-ai=y\n"
        b"Disallow: /shut/\n"
    )

    def lines(path: str) -> list[tuple[str, int]]:
        return [
            (content_usage.value, content_usage.line)
            for content_usage in robots.content_usages("raven", SITE + path)
        ]

    assert lines("/sport") == [("train-ai=y", 2)]
    assert lines("/news/a") == [("train-ai=n", 3), ("search=y", 4)]
    assert lines("/news/a.pdf") == [("train-ai=y", 5)]
    assert lines("/shut/a") == []
    assert robots.extensions[3].pattern == "/news/*.pdf$"


# --- lint --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"User-agent: *\nDisallow: /\n", []),
        (b"User-agent: *\nCrawl-delay: 5\nUser-agent: owl\nDisallow: /", ["ambiguous_group"]),
        (b"User-agent: *\nLicense: a\nUser-agent: owl\nDisallow: /", ["ambiguous_group"]),
        (b"User-agent: *\nContent-Signal: a=b\n\nUser-agent: owl\n", ["ambiguous_group"]),
        (b"User-agent: *\nMood: fair\nUser-agent: owl\nDisallow: /", ["ambiguous_group"]),
        (b"User-agent: *\nCrawl-delay: 5\nDisallow:\nUser-agent: owl\nDisallow: /", []),
        (b"User-agent: a\nUser-agent: b\nCrawl-delay: 5\nDisallow: /", []),
        (b"Disallow: /a\nDisallow: /b\nUser-agent: *\n", ["outside_group"]),
        (b"User-agent: \nDisallow: /", ["unnamed_agent"]),
        (b"User-agent: *\nDissallow: /", ["misspelt"]),
        (b"User-agent *\nDisallow: /", ["missing_colon"]),
        (b"Sitemap:\nUser-agent: *\n", ["empty_value"]),
        (b"User-agent: *\nDisallow: /\x00x", ["nul"]),
    ],
)
def test_flaws_are_named(body: bytes, expected: list[str]) -> None:
    assert codes(body) == expected


def test_a_flaw_names_its_line_and_what_stands_there() -> None:
    (lint,) = read_robots(b"User-agent: *\nCrawl-delay: 5\nUser-agent: owl\nDisallow: /").lint
    assert lint.line == 3
    assert "line 2" in lint.detail
    (lint,) = read_robots(b"User-agent: \x1b[31mred\xff\nDisallow: /").lint
    assert lint.detail.isprintable()


def test_flaws_are_counted_past_their_limit() -> None:
    robots = read_robots(b"Disallowed: /\n" * 1_000)
    assert len(robots.lint) == MAX_LINTS + 1
    assert robots.lint[-1].code == "more"
    assert robots.lint[-1].detail == "901 more"  # the last one says that no rule is in a group


def test_a_read_file_can_be_sent_to_another_process() -> None:
    robots = pickle.loads(pickle.dumps(read_robots(LICENCES)))
    assert not robots.allows("raven", f"{SITE}/x")
    assert robots.licences("dove")


def test_lines_of_a_group_of_thousands_are_read_and_asked_in_time() -> None:
    agents = b"".join(b"User-agent: a%d\n" % number for number in range(10_000))
    body = agents + b"License: /rsl.xml\n" * 15_000
    with cpu_within(0.5):
        robots = read_robots(body)
        assert len(robots.licences("a77")) == 15_000
        assert robots.licences("nobody") == ()


def test_a_file_that_somebody_holds_is_not_parsed_again() -> None:
    body = b"User-agent: *\nDisallow: /held\n"
    robots = read_robots(body)
    assert read_robots(bytes(bytearray(body))) is robots
    assert read_robots(body + b"# another") is not robots
    known = weakref.ref(robots)
    del robots
    gc.collect()
    assert known() is None, "nobody else keeps it"
