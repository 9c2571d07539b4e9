"""`wireroom why`, `wireroom leads`, and `wireroom article` of a page that is no article."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.held_feeds import COURIER, held
from tests.cli.inline import use_inline_engine
from tests.cli.test_pausing import FEED, ONCE, lead_to
from tests.cli.towns import Run, write_settings
from wireroom.town import Running, build_town, running_town

STORY = "https://courier.test/story-{}"


@pytest.fixture
def town(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    use_inline_engine(monkeypatch)
    with running_town(build_town()) as running:
        write_settings(running.hosts)
        yield running


@pytest.mark.usefixtures("town")
def test_a_page_that_is_not_there_says_what_was_tried(wireroom: Run) -> None:
    lead_to(["/nowhere"])
    page = "http://anzeiger.test/nowhere"
    assert wireroom("why", page).code == 0
    assert wireroom(*ONCE).code == 0
    data = json.loads(wireroom("why", page, "--json").out)
    assert (data["outcome"], data["cause"]) == ("failed", "gone")
    assert [(each["kind"], each["permanent"]) for each in data["tries"]] == [("gone", True)]
    assert [each["feed_url"] for each in data["named_by"]] == [FEED]
    assert data["permission"]["robots"] == "allowed"
    shown = wireroom("article", page)
    assert (shown.code, shown.out) == (3, "")
    assert "failed, and given up (gone: HTTP 404)" in shown.err
    assert f"wireroom retry {page}" in shown.err
    assert "gone, HTTP 404" in shown.err.splitlines()[-1]
    (row,) = [
        each for each in json.loads(wireroom("leads", "--json").out)["leads"] if each["url"] == page
    ]
    assert (row["state"], row["cause"], row["waits_for"]) == ("failed", "gone", None)


def test_a_page_that_was_never_seen_is_code_3(wireroom: Run) -> None:
    ran = wireroom("why", "https://nobody.test/1")
    assert ran.code == 3
    assert "never seen" in ran.out
    assert "wireroom add nobody.test" in ran.out
    held()
    data = json.loads(wireroom("why", STORY.format(99), "--json").out)
    assert (data["outcome"], len(data["feeds"])) == ("never_seen", 1)


def test_what_is_no_address_is_a_usage_error(wireroom: Run) -> None:
    assert wireroom("why", "story-1").code == 2


def test_the_story_of_a_page_in_its_order(wireroom: Run) -> None:
    held()
    ran = wireroom("why", STORY.format(0))
    labels = [line.split("  ")[0].strip() for line in ran.out.splitlines()[1:] if line.strip()]
    assert labels[:5] == ["page", "outcome", "publisher", "found", "robots.txt"]
    assert "by Courier\n" in ran.out, "a feed whose pages all fail is live as well"
    assert "its article is held" in ran.out
    assert "wireroom article " in ran.out


def test_pages_are_listed_with_their_reasons(wireroom: Run) -> None:
    assert wireroom("leads").code == 3
    held()
    ran = wireroom("leads")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == ["state", "new", "new", "failed"]
    assert "waits for a scout of courier.test" in ran.out
    failed = wireroom("leads", "--state", "failed", "--publisher", "www.courier.test")
    assert len(failed.out.splitlines()) == 2
    assert wireroom("leads", "--feed", "Courier", "--state", "refused").code == 3
    assert wireroom("leads", "--feed", "nobody").code == 3
    assert wireroom("leads", "--state", "sleepy").code == 2


def test_a_list_of_pages_goes_on_where_it_ended(wireroom: Run) -> None:
    held()
    first = json.loads(wireroom("leads", "--json", "-n", "2").out)
    second = json.loads(wireroom("leads", "--json", "-n", "2", "--cursor", first["cursor"]).out)
    urls = [row["url"] for row in (*first["leads"], *second["leads"])]
    assert len(set(urls)) == 3
    assert second["cursor"] == ""
    assert all(row["feed_url"] == COURIER for row in first["leads"])
    assert f"--cursor {first['cursor']}" in wireroom("leads", "-n", "2").err
    assert wireroom("leads", "--cursor", "x").code == 2
