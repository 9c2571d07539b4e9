"""Every signal that a publisher is declared to give is really given, in its exact syntax."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from tests.town.client import ask
from tests.town.reading import Page
from wireroom.model import USES
from wireroom.town import Running

RSL = "{https://rslstandard.org/rsl}"


def test_open_daily_allows_everything(served: Running) -> None:
    robots = ask(served, "courier.test", "/robots.txt")
    assert robots.header("Content-Type") == "text/plain; charset=utf-8"
    assert "Content-Signal: search=yes, ai-input=yes, ai-train=yes" in robots.text
    assert "Disallow" not in robots.text
    home = ask(served, "courier.test")
    assert home.header("tdm-reservation") == "0"
    assert home.header("Content-Usage") == "train-ai=y, search=y"
    licences = [link["href"] for link in Page(home.text).links if link["rel"] == "license"]
    assert licences == ["https://creativecommons.org/licenses/by/4.0/"]
    assert 'rel="license" href="https://creativecommons.org/licenses/by/4.0/">The Salt' in home.text
    assert "All rights reserved" not in home.text
    verdicts = served.town.publisher("courier.test").rights.verdicts
    assert dict(verdicts) == dict.fromkeys(USES, "allow")


def test_guarded_national_bars_ai_agents_in_robots(served: Running) -> None:
    text = ask(served, "sentinel.test", "/robots.txt").text
    groups = [set(group.splitlines()) for group in text.split("\n\n")]
    barred = [group for group in groups if "Disallow: /" in group]
    assert any("User-agent: GPTBot" in group and "User-agent: CCBot" in group for group in barred)
    assert any("User-agent: ChatGPT-User" in group for group in barred)
    assert not any("User-agent: *" in group for group in barred)
    assert "Content-Signal: search=yes, ai-input=no, ai-train=no" in text
    assert "Content-Usage: train-ai=n, search=y" in text
    assert "License: http://sentinel.test/rsl.xml" in text


def test_guarded_national_names_its_rsl_in_three_places(served: Running) -> None:
    home = ask(served, "sentinel.test")
    assert '<http://sentinel.test/rsl.xml>; rel="license"; type="application/rsl+xml"' in home.all(
        "Link"
    )
    links = [link for link in Page(home.text).links if link.get("type") == "application/rsl+xml"]
    assert [link["href"] for link in links] == ["/rsl.xml"]
    document = ask(served, "sentinel.test", "/rsl.xml")
    assert document.header("Content-Type") == "application/rsl+xml"
    root = ET.fromstring(document.body)
    assert root.tag == f"{RSL}rsl"
    payments = [element.get("type") for element in root.iter(f"{RSL}payment")]
    assert payments == ["free", "use"]
    prohibited = [element.text for element in root.iter(f"{RSL}prohibits")]
    assert prohibited == ["ai-train"]


def test_guarded_national_reserves_mining_in_file_header_and_page(served: Running) -> None:
    rules = json.loads(ask(served, "sentinel.test", "/.well-known/tdmrep.json").body)
    assert rules[-1]["tdm-reservation"] == 1
    policy_path = rules[-1]["tdm-policy"].removeprefix("http://sentinel.test")
    policy = json.loads(ask(served, "sentinel.test", policy_path).body)
    assert policy["permission"][0]["duty"][1] == {"action": "compensate"}
    home = ask(served, "sentinel.test")
    assert home.header("tdm-reservation") == "1"
    assert Page(home.text).meta("tdm-reservation") == ["1"]
    assert home.all("X-Robots-Tag") == ["noarchive, max-snippet:0", "noai, noimageai"]


def test_guarded_national_forbids_training_in_its_terms(served: Running) -> None:
    page = Page(ask(served, "sentinel.test").text)
    assert "/terms-of-use" in page.hrefs
    terms = ask(served, "sentinel.test", "/terms-of-use").text
    assert "train, fine-tune or evaluate machine learning" in terms
    assert served.town.publisher("sentinel.test").rights.verdicts["ai-train"] == "deny"


@pytest.mark.parametrize(
    ("host", "path", "line"),
    [
        ("courier.test", "/ai.txt", "User-Agent: *"),
        ("courier.test", "/.well-known/trust.txt", "datatrainingallowed=yes"),
        ("courier.test", "/llms.txt", "# The Saltmarsh Courier"),
        ("sentinel.test", "/ai.txt", "Disallow: /"),
        ("sentinel.test", "/trust.txt", "datatrainingallowed=no"),
        ("haneul.test", "/ai.txt", "# AI at this paper"),
    ],
)
def test_small_files_hold_their_line(served: Running, host: str, path: str, line: str) -> None:
    reply = ask(served, host, path)
    assert reply.header("Content-Type") == "text/plain; charset=utf-8"
    assert line in reply.text.splitlines()


def test_reservations_stand_in_comments(served: Running) -> None:
    french = ask(served, "phare.test", "/robots.txt").text
    assert any("2019/790" in line for line in french.splitlines() if line.startswith("#"))
    assert "Disallow" not in french
    german = ask(served, "anzeiger.test", "/robots.txt").text
    assert any("44b" in line for line in german.splitlines() if line.startswith("#"))
    assert ask(served, "anzeiger.test").header("tdm-reservation") == "1"


def test_robots_of_old_regionals_are_as_odd_as_declared(served: Running) -> None:
    html = ask(served, "nagisa.test", "/robots.txt")
    assert (html.status, html.header("Content-Type")) == (200, "text/html; charset=utf-8")
    assert html.body.startswith(b"<!DOCTYPE html>")
    assert (
        b"\r\nSitemap: /sitemap_index.xml.gz\r\n"
        in ask(served, "yunjiang.test", "/robots.txt").body
    )
    assert ask(served, "tikhobereg.test", "/robots.txt").body.startswith(b"\xef\xbb\xbfUser-agent")


@pytest.mark.parametrize("host", ["almanac.test", "blank.test", "latarnia.test"])
def test_some_have_no_robots(served: Running, host: str) -> None:
    assert ask(served, host, "/robots.txt").status == 404


def test_challenge_bears_the_marks_of_its_vendor(served: Running) -> None:
    gate = ask(served, "gate.test")
    assert (gate.status, gate.header("CF-Mitigated")) == (403, "challenge")
    assert gate.header("Server") == "cloudflare"
    assert "Just a moment" in gate.text
    assert ask(served, "gate.test", "/robots.txt").status == 200
    bastion = ask(served, "bastion.test", "/robots.txt")
    assert (bastion.status, bastion.header("Server")) == (403, "AkamaiGHost")
    assert any(cookie.startswith("ak_bmsc=") for cookie in bastion.all("Set-Cookie"))


def test_cdn_without_a_challenge_is_no_block(served: Running) -> None:
    home = ask(served, "sentinel.test")
    assert (home.status, home.header("Server")) == (200, "cloudflare")
    assert home.header("CF-RAY")


def test_toll_asks_a_price_for_articles_alone(served: Running) -> None:
    story = served.town.stories("toll.test")[0]
    page = ask(served, "toll.test", story.url.removeprefix("http://toll.test"))
    assert (page.status, page.header("crawler-price")) == (402, "USD 0.002")
    assert 'rel="license"' in page.header("Link")
    assert ask(served, "toll.test").status == 200
    assert ask(served, "toll.test", "/rss.xml").status == 200


def test_blank_publisher_has_a_home_page_and_nothing_else(served: Running) -> None:
    assert ask(served, "blank.test").status == 200
    for path in ("/robots.txt", "/sitemap.xml", "/rss.xml", "/about", "/images/logo-1.png"):
        assert ask(served, "blank.test", path).status == 404
