"""What a perfect reader would read is really on the page, in the page's own encoding."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest

from tests.town.client import ask
from tests.town.reading import Page, flat
from wireroom.town import Running, Story, Town, boilerplate
from wireroom.town.answers import answer
from wireroom.town.permissions import CC_BY
from wireroom.town.press import PUBLISHERS

WRITERS = [
    publisher.host
    for publisher in PUBLISHERS
    if publisher.articles
    and publisher.addresses != "api"
    and not publisher.behaviour.challenge
    and not publisher.behaviour.toll
]


def _page(town: Town, story: Story) -> Page:
    publisher = town.publisher(story.publisher)
    made = answer(town, story.publisher, story.url.removeprefix(f"http://{story.publisher}"))
    assert made.status == 200
    return Page(made.body.decode(publisher.charset.encoding))


@pytest.mark.parametrize("host", WRITERS)
def test_every_block_of_the_truth_is_on_the_page_in_order(still_town: Town, host: str) -> None:
    for story in still_town.stories(host, limit=25):
        lines = _page(still_town, story).lines
        assert flat(story.title) in lines
        at = lines.index(flat(story.title))
        for block in story.shown_blocks:
            for text in block.cells or (block.text,):
                if text:
                    at = lines.index(flat(text), at)


def test_blocks_behind_a_wall_are_not_on_the_page(still_town: Town) -> None:
    for story in still_town.stories("lantern.test"):
        lines = _page(still_town, story).lines
        for block in story.blocks[story.shown :]:
            assert flat(block.text) not in lines


@pytest.mark.parametrize("host", WRITERS)
def test_boilerplate_is_on_the_page_and_not_in_the_text(still_town: Town, host: str) -> None:
    for story in still_town.stories(host, limit=10):
        text = " ".join(_page(still_town, story).lines)
        around = boilerplate(still_town, story)
        assert len(around) > 10
        for piece in around:
            assert flat(piece) in text
        long_ones = [piece for piece in around if len(piece) > 40]
        assert not any(piece in story.text for piece in long_ones)


@pytest.mark.parametrize("host", WRITERS)
def test_page_says_its_language_and_direction(still_town: Town, host: str) -> None:
    page = _page(still_town, still_town.stories(host)[0])
    assert page.html["lang"].partition("-")[0] == still_town.publisher(host).language
    assert page.html["dir"] == ("rtl" if host == "alminaa.test" else "ltr")


def test_canonical_link_is_the_truth(still_town: Town) -> None:
    for host in WRITERS:
        story = still_town.stories(host)[0]
        found = [
            link["href"]
            for link in _page(still_town, story).links
            if link.get("rel") == "canonical"
        ]
        assert found == [story.canonical_url]


@pytest.mark.parametrize("host", ["courier.test", "lantern.test", "anzeiger.test", "faro.test"])
def test_plain_json_ld_agrees_with_the_truth(still_town: Town, host: str) -> None:
    for story in still_town.stories(host, limit=15):
        node = _page(still_town, story).json_ld()[0]
        assert node["headline"] == story.title
        assert [person["name"] for person in node["author"]] == list(story.authors)
        assert node["isAccessibleForFree"] is (story.paywall == "free")
        assert ("hasPart" in node) is (story.paywall != "free")


@pytest.mark.parametrize("host", ["sentinel.test", "phare.test"])
def test_graph_json_ld_resolves_to_the_truth(still_town: Town, host: str) -> None:
    for story in still_town.stories(host, limit=10):
        nodes = {
            person["@id"]: person for person in _page(still_town, story).json_ld()[0]["@graph"]
        }
        article = nodes[f"{story.url}#article"]
        assert [nodes[person["@id"]]["name"] for person in article["author"]] == list(story.authors)
        assert nodes[article["publisher"]["@id"]]["@type"] == "NewsMediaOrganization"


@pytest.mark.parametrize("host", ["digest.test", "latarnia.test"])
def test_broken_json_ld_stands_before_the_sound_one(still_town: Town, host: str) -> None:
    story = still_town.stories(host)[0]
    page = _page(still_town, story)
    assert len(page.scripts) == len(page.json_ld()) + 1
    assert page.json_ld()[0]["headline"] == story.title


def test_open_graph_agrees_with_the_truth(still_town: Town) -> None:
    for host in WRITERS:
        if "open_graph" not in still_town.publisher(host).metadata:
            continue
        story = still_town.stories(host)[0]
        page = _page(still_town, story)
        assert page.meta("og:title") == [story.title]
        assert page.meta("article:tag") == list(story.tags)
        assert page.meta("article:published_time")[0].startswith("202")


def test_microdata_agrees_with_the_truth(still_town: Town) -> None:
    story = still_town.stories("almanac.test")[0]
    items = _page(still_town, story).items
    names = [value for name, value in items if name == "name"]
    assert names == list(story.authors)
    assert ("datePublished", story.published_at.isoformat()) in items
    assert {"headline", "articleBody"} <= {name for name, _ in items}


def test_wall_vendor_and_tier_are_named_on_the_metered_weekly(still_town: Town) -> None:
    for story in still_town.stories("lantern.test"):
        page = _page(still_town, story)
        tiers = page.meta("article:content_tier")
        wanted = {"free": [], "metered": ["metered"], "locked": ["locked"]}
        assert tiers == wanted.get(story.paywall, ["locked"])


@pytest.mark.parametrize(
    ("host", "header", "meta"),
    [
        ("nagisa.test", "text/html", ["Shift_JIS"]),
        ("yunjiang.test", "text/html; charset=gb2312", []),
        ("tikhobereg.test", "text/html", []),
    ],
)
def test_old_regionals_declare_their_charset_as_they_do(
    served: Running, host: str, header: str, meta: list[str]
) -> None:
    reply = ask(served, host)
    publisher = served.town.publisher(host)
    assert reply.header("Content-Type") == header
    text = reply.body.decode(publisher.charset.encoding)
    assert publisher.name in text
    labels = [part.split('"')[0] for part in text.split('<meta charset="')[1:]]
    assert labels == meta
    with pytest.raises(UnicodeDecodeError):
        reply.body.decode("utf-8")


@pytest.mark.long
def test_links_lead_somewhere_inside_the_town(still_town: Town) -> None:
    for host in WRITERS:
        stories = still_town.stories(host)
        encoding = still_town.publisher(host).charset.encoding
        for url in (f"http://{host}/", stories[0].url, stories[-1].url):
            made = answer(still_town, host, url.removeprefix(f"http://{host}"))
            targets = {urljoin(url, href) for href in Page(made.body.decode(encoding)).hrefs}
            assert len(targets) > 5
            for target in targets - {CC_BY}:
                parts = urlsplit(target)
                path = parts.path + (f"?{parts.query}" if parts.query else "")
                assert parts.hostname is not None
                assert answer(still_town, parts.hostname, path).status == 200, target


def test_agency_record_holds_the_truth(served: Running) -> None:
    import json

    town = served.town
    for story in town.stories("agency.test", limit=5):
        reply = ask(served, "agency.test", story.url.removeprefix("http://agency.test"))
        record = json.loads(reply.body)["data"]
        assert record["headline"] == story.title
        lines = Page(record["bodyHtml"]).lines
        assert [flat(b.text) for b in story.blocks if b.kind == "paragraph"] == [
            line
            for line in lines
            if line in {flat(b.text) for b in story.blocks if b.kind == "paragraph"}
        ]


def test_withdrawn_article_is_gone(served: Running) -> None:
    for host in ("courier.test", "agency.test"):
        town = served.town
        gone = [
            story
            for number in range(1, town.count(host) + 1)
            if (story := town.numbered(host, number)).withdrawn
        ]
        path = gone[0].url.removeprefix(f"http://{host}")
        assert ask(served, host, path).status == 410
