"""`wireroom scout`: the card, its forms, many at once, and what happens when there is nothing to see."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from tests.app.changing import changing_publishers
from tests.cli.conftest import Ran, command, run_process
from tests.cli.odd import Odd, odd_publishers
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run, write_settings
from tests.scout.flips import Doc, page
from wireroom.app import open_app
from wireroom.town import Running, build_town, running_town

HOMEPAGE = "the homepage could not be fetched"


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture(scope="module")
def odd_ones() -> Iterator[Odd]:
    with odd_publishers() as odd:
        yield odd


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


@pytest.fixture
def odd(odd_ones: Odd) -> Odd:
    odd_ones.asked.clear()
    write_settings(odd_ones.hosts())
    return odd_ones


def rows_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def step(card: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(entry for entry in card["steps"] if entry["name"] == name)
    return found


def line(card: dict[str, Any], key: str) -> dict[str, Any]:
    lines = [entry for section in card["sections"] for entry in section["lines"]]
    found: dict[str, Any] = next(line for line in lines if line["key"] == key)
    return found


# --- one ---------------------------------------------------------------------------------------


def test_the_card_says_what_a_publisher_offers_and_permits(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test")
    assert (ran.code, ran.err) == (0, "Scouting courier.test …\n")
    assert ran.out.startswith("A  The Saltmarsh Courier  (100 of 100)\n")
    assert "permits search, ai-input, ai-index, ai-train and archive." in ran.out
    assert "✓ allow" in ran.out
    assert "Found 3 feed(s)" in ran.out
    assert "\x1b" not in ran.out
    assert len(town.log.requests_to("courier.test")) <= 30
    assert len(town.log.requests_to("courier.test", "/")) == 1
    assert len(town.log.requests_to("courier.test", "/robots.txt")) == 1


@pytest.mark.long
def test_a_second_scout_asks_nobody_until_refresh_is_given(town: Running, wireroom: Run) -> None:
    wireroom("scout", "phare.test")
    asked = len(town.log.requests_to("phare.test"))
    wireroom("scout", "phare.test")
    assert len(town.log.requests_to("phare.test")) == asked
    wireroom("scout", "phare.test", "--refresh")
    assert len(town.log.requests_to("phare.test")) > asked


@pytest.mark.long
def test_how_long_findings_are_believed_can_be_set(town: Running, wireroom: Run) -> None:
    wireroom("scout", "phare.test")
    wireroom("scout", "phare.test", "--set", "scout.fresh_for=0 s")
    assert len(town.log.requests_to("phare.test", "/")) == 2


def test_json_is_the_documented_card(town: Running, wireroom: Run) -> None:
    card = json.loads(wireroom("scout", "faro.test", "--json").out)
    assert card["schema"] == "wireroom.card/1"
    assert card["domain"] == "faro.test"
    assert step(card, "homepage")["word"] == "yes"
    (same,) = rows_of(wireroom("scout", "faro.test", "--jsonl"))
    assert same["rights"] == card["rights"]


@pytest.mark.long
def test_pages_and_markdown_go_into_files(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test", "--html", "c.html", "--md", "c.md", "-q")
    assert ran.code == 0
    assert Path("c.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (
        Path("c.md").read_text(encoding="utf-8").startswith("# The Saltmarsh Courier: report card")
    )


def test_a_file_that_cannot_be_written_is_one_line(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test", "--html", "no/such/folder/c.html")
    assert ran.code == 1
    message = (
        "no/such/folder/c.html cannot be written: No such file or directory. Name another place."
    )
    assert ran.err == f"Scouting courier.test …\nerror: {message}\n"


def test_explain_shows_where_every_line_was_read(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test", "--explain")
    assert "http://courier.test/robots.txt, line 4: Content-Signal: search=yes" in ran.out
    assert "http://courier.test/robots.txt, line 4" not in wireroom("scout", "courier.test").out


@pytest.mark.long
def test_on_a_terminal_steps_run_and_go_and_the_card_stays(town: Running) -> None:
    ran = run_on_terminal("scout", "courier.test", columns=80)
    assert ran.code == 0
    assert "steps" in ran.out
    assert "The Saltmarsh Courier" in ran.out
    plain = run_on_terminal("scout", "courier.test", "-q", environ={"NO_COLOR": "1"}, columns=80)
    assert "\x1b[3" not in plain.out
    assert max(len(row) for row in plain.out.splitlines()) <= 80


def test_on_a_terminal_of_24_rows_a_card_ends_with_what_matters(town: Running) -> None:
    ran = run_on_terminal("scout", "phare.test", "-q", environ={"NO_COLOR": "1"}, columns=80)
    last = [row.rstrip() for row in ran.out.replace("\r", "").splitlines()][-23:]
    seen = "\n".join(last)
    assert " of 100)" in seen
    assert "how well it can be followed lawfully" in seen
    for use in ("search", "ai-input", "ai-index", "ai-train", "archive"):
        assert re.search(rf"^  [✓✗€?] \w+ +{use} ", seen, re.MULTILINE), use
    assert "wireroom add phare.test" in seen
    assert seen.index("phare.test/") < seen.index("wireroom add phare.test")


def test_in_a_file_a_card_begins_with_what_matters(town: Running, wireroom: Run) -> None:
    out = wireroom("scout", "phare.test").out
    assert out.index("wireroom add phare.test") < out.index("\nAccess\n")


def test_brief_is_a_few_lines(town: Running, wireroom: Run) -> None:
    rows = wireroom("scout", "phare.test", "--brief").out.splitlines()
    assert len(rows) <= 8
    assert " of 100)" in rows[0]
    assert "✗ deny ai-index, ai-train" in "\n".join(rows)
    assert rows[-1] == "next: follow it: wireroom add phare.test"
    refused = wireroom("scout", "phare.test", "--brief", "--json")
    assert (refused.code, "only one form at a time" in refused.err) == (2, True)


def test_json_holds_the_facts_and_no_sentences(town: Running, wireroom: Run) -> None:
    facts = json.loads(wireroom("scout", "courier.test", "--json").out)["facts"]
    feed = facts["feeds"][0]
    assert (feed["url"], feed["kind"]) == ("http://courier.test/rss.xml", "rss")
    assert feed["items"] == 20
    assert 0 < feed["per_day"] < 20
    assert feed["newest_at"] == facts["rhythm"]["newest_at"]
    assert facts["other_feeds"] == [
        {"url": "http://courier.test/comments.xml", "reason": "comments of readers"}
    ]
    news = facts["sitemaps"][0]
    assert news["url"] == "http://courier.test/news-sitemap.xml"
    assert (news["found_by"], news["kind"]) == ("robots.txt", "urlset")
    assert news["news_entries"] == news["entries"] > 0
    assert facts["robots"]["rules"] == [{"line": 3, "text": "Allow: /"}]
    assert (facts["robots"]["agent"], facts["robots"]["crawl_delay"]) == ("*", None)
    (flaw,) = facts["robots"]["flaws"]
    assert (flaw["code"], flaw["line"]) == ("loose_licence", 7)
    assert sum(facts["rhythm"]["hours"]) == sum(facts["rhythm"]["weekdays"]) == 20
    assert facts["rhythm"]["span_days"] > 1
    assert facts["sample"]["url"].startswith("http://courier.test/2")
    assert facts["steps"]["access"]["ours"]["rule"] == "Allow: /"


@pytest.mark.long
def test_steps_can_be_had_as_lines_where_there_is_no_terminal(town: Running, wireroom: Run) -> None:
    rows = wireroom("scout", "faro.test", "-v").err.splitlines()
    assert [row for row in rows if row.startswith("✓ Homepage: answered with 200: ")]
    again = wireroom("scout", "faro.test", "-v").err
    assert "(known)" in again


# --- when there is little or nothing to see ----------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "code", "word"),
    [
        ("", 2, "URL is required."),
        ("   ", 2, "URL is required."),
        ("http://", 2, "Invalid URL"),
        ("http://[::1", 2, "Invalid URL"),
        ("courier.test/" + "x" * 3000, 2, "longer than 2048 characters"),
        ("ftp://courier.test/", 2, "'ftp' is not supported"),
        ("javascript://courier.test/", 2, "'javascript' is not supported"),
        ("courier", 2, "names no domain"),
        ("http://127.0.0.1/", 4, "loopback"),
        ("http://10.1.2.3/", 4, "private"),
        ("http://[::1]/", 4, "loopback"),
        ("nobody.invalid", 1, "no such host"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_clear_line(
    typed: str, code: int, word: str, town: Running, wireroom: Run
) -> None:
    ran = wireroom("scout", typed)
    assert ran.code == code, ran.err
    (error,) = [line for line in ran.err.splitlines() if not line.startswith("Scouting ")]
    assert word in error
    assert error.startswith("error: ")
    assert ran.out == ""


def test_no_address_at_all_is_a_usage_error(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout")
    assert ran.code == 2
    assert "URL is required." in ran.err


@pytest.mark.parametrize(
    ("host", "code", "word"),
    [
        ("garbage.test", 3, HOMEPAGE),
        ("errors.test", 3, HOMEPAGE),
        ("missing.test", 3, HOMEPAGE),
        ("barred.test", 4, HOMEPAGE),
    ],
)
def test_a_host_without_a_homepage_has_a_card_that_says_why(
    host: str, code: int, word: str, odd: Odd, wireroom: Run
) -> None:
    ran = wireroom("scout", f"http://{host}/")
    assert ran.code == code, ran.err
    assert word in ran.err
    assert ran.err.splitlines()[0] == f"Scouting {host} …"
    assert ran.err.count("\n") == 2
    assert "could not be fetched" in ran.out or "skipped:" in ran.out
    assert "Traceback" not in ran.err
    assert len(odd.requests_to(host)) <= 30


def test_a_refresh_that_finds_itself_barred_is_code_4_and_sends_nothing_more(
    wireroom: Run,
) -> None:
    with changing_publishers() as served:
        write_settings(served.hosts("courier.test"))
        served.docs["courier.test"] = {"/robots.txt": Doc("User-agent: *\n"), "/": page()}
        assert wireroom("scout", "http://courier.test/").code == 0
        barred = Doc("User-agent: *\nDisallow: /\n")
        served.docs["courier.test"] = {"/robots.txt": barred, "/": page()}
        served.asked.clear()
        ran = wireroom("scout", "http://courier.test/", "--refresh")
        assert served.requests_to("courier.test") == ["/robots.txt"]
    assert ran.code == 4
    assert "disallowed by robots.txt" in ran.out


@pytest.mark.long
def test_a_server_that_shuts_us_out_is_code_5(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "gate.test")
    assert ran.code == 5
    assert "challenge of Cloudflare" in ran.err
    assert "challenged by Cloudflare" in ran.out
    assert "but its homepage could not be fetched" in ran.out


@pytest.mark.parametrize(
    ("host", "key", "word", "message"),
    [
        ("long-robots.test", "robots", "yes", "found, 1,000,000 bytes of a longer file, 2 flaws"),
        ("long-rsl.test", "rsl", "unknown", "larger than max_bytes = 1,000,000 bytes"),
        ("dtd.test", "rsl", "unknown", "an RSL document with a DOCTYPE"),
        ("selfish.test", "sitemap_analysis", "no", "no news; 1 sitemap read"),
        ("printed.test", "terms", "unknown", "found, not judged: terms are a PDF, not read"),
    ],
)
def test_one_odd_document_leaves_the_rest_of_the_card_intact(
    host: str, key: str, word: str, message: str, odd: Odd, wireroom: Run
) -> None:
    ran = wireroom("scout", f"http://{host}/", "--json")
    assert ran.code == 0, ran.err
    card = json.loads(ran.out)
    assert line(card, key)["word"] == word
    assert message in line(card, key)["value"]
    assert step(card, "homepage")["word"] == "yes"
    assert step(card, "waf")["word"] in {"yes", "no"}
    assert not [entry for entry in card["steps"] if entry["kind"] == "internal"]
    assert len(odd.requests_to(host)) <= 30


@pytest.mark.long
def test_a_publisher_that_moved_gets_the_card_of_where_it_is(
    odd: Odd, wireroom: Run, tmp_path: Path
) -> None:
    page, text = tmp_path / "card.html", tmp_path / "card.md"
    ran = wireroom("scout", "http://moved.test/", "--html", str(page), "--md", str(text))
    assert ran.code == 0, ran.err
    message = "http://moved.test/ has moved to http://settled.test/"
    for shown in (ran.out, page.read_text(), text.read_text().replace("\\", "")):
        assert message in " ".join(shown.split())
    card = json.loads(wireroom("scout", "http://moved.test/", "--json").out)
    assert (card["domain"], card["moved_from"]) == ("settled.test", "http://moved.test/")
    assert json.loads(wireroom("scout", "settled.test", "--json").out)["moved_from"] == ""
    ran = wireroom("rights", "http://moved.test/")
    assert message in ran.out


def test_what_was_not_reached_in_time_is_named_and_more_time_reaches_it(
    odd: Odd, wireroom: Run
) -> None:
    ran = wireroom("scout", "http://unhurried.test/", "--time", "2s")
    assert ran.code == 0, ran.err
    assert "Not reached in the time of the scout:" in " ".join(ran.out.split())
    assert "--time" in ran.out
    assert "no feed found" not in ran.out.replace("no feed found in what could be fetched", "")
    card = json.loads(wireroom("scout", "http://unhurried.test/", "--time", "2s", "--json").out)
    assert "feeds" in {row["step"] for row in card["not_reached"] if row["time"]}
    assert wireroom("scout", "unhurried.test", "--time", "0s").code == 2


def test_words_of_strangers_neither_colour_nor_move_anything(odd: Odd, wireroom: Run) -> None:
    plain = wireroom("scout", "http://forger.test/", "--explain").out
    assert "[bold red]" in plain, "markup is shown as it was written"
    seen = run_on_terminal("scout", "http://forger.test/", "--refresh", environ={"NO_COLOR": "1"})
    for text in (plain, seen.out):
        assert "\x1b[31m" not in text
        assert "\x1b]0;" not in text
        assert "\u202e" not in text


# --- many --------------------------------------------------------------------------------------


@pytest.mark.long
def test_many_are_a_line_each_and_rows_say_what_became_of_them(
    town: Running, wireroom: Run
) -> None:
    Path("list.txt").write_text(
        "# mine\ncourier.test\n\nhttps://www.courier.test/?utm_source=x\nfaro.test\nftp://x.test\n"
    )
    ran = wireroom("scout", "-i", "list.txt")
    assert ran.code == 1, "one row was invalid"
    assert {row.split()[2] for row in ran.out.splitlines()} == {"courier.test", "faro.test"}
    messages = ran.err.splitlines()
    assert messages[0] == "2 URLs queued, 1 duplicate, 1 invalid."
    assert "line 4: https://www.courier.test/?utm_source=x: the same as line 2" in messages
    assert [row for row in messages if row.startswith("error: line 6: ftp://x.test: Invalid URL")]


@pytest.mark.long
def test_jsonl_has_a_row_for_each_as_it_is_ready(town: Running, wireroom: Run) -> None:
    ran = wireroom(
        "scout", "courier.test", "faro.test", "gate.test", "nobody.invalid", "x y", "--jsonl"
    )
    rows = {row["url"]: row for row in rows_of(ran)}
    assert {url: row["outcome"] for url, row in rows.items()} == {
        "courier.test": "completed",
        "faro.test": "completed",
        "gate.test": "completed",
        "nobody.invalid": "failed",
        "x y": "invalid",
    }
    assert rows["courier.test"]["card"]["grade"]["letter"] == "A"
    assert "challenge" in rows["gate.test"]["reason"]
    assert "no such host" in rows["nobody.invalid"]["reason"]
    assert ran.code == 1


@pytest.mark.long
def test_a_csv_has_a_column_of_addresses(
    town: Running, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        '\ufeffName;URL\n"The Courier";courier.test\nNobody;\nThe Lighthouse;"http://faro.test/"\n'
    )
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
    ran = wireroom("scout", "-i", "-", "--jsonl")
    rows = rows_of(ran)
    assert sorted((row["line"], row["publisher"]) for row in rows) == [
        (2, "courier.test"),
        (4, "faro.test"),
    ]
    assert "2 URLs queued." in ran.err
    assert ran.code == 0


@pytest.mark.parametrize(
    ("name", "body", "word"),
    [
        ("none.csv", b"name,address\nx,courier.test\n", "no column is called URL"),
        ("large.csv", b"url\n" + b"courier.test\n" * 400_000, "larger than 5 MB"),
        ("broken.csv", b'url\n"' + b"x" * 200_000 + b"\n", "is no CSV"),
        ("empty.txt", b"", "URL is required."),
    ],
)
def test_a_list_that_is_none_is_one_line(
    name: str, body: bytes, word: str, town: Running, wireroom: Run
) -> None:
    Path(name).write_bytes(body)
    ran = wireroom("scout", "-i", name)
    assert ran.code == 2
    assert word in ran.err
    assert ran.err.count("\n") == 1


def test_a_list_that_is_not_there_is_one_line(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "-i", "nowhere.csv")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("error: nowhere.csv: no such file")


def test_what_all_rows_have_in_common_is_the_exit_code(town: Running, wireroom: Run) -> None:
    assert wireroom("scout", "http://127.0.0.1/", "http://10.0.0.1/").code == 4
    assert wireroom("scout", "x y", "ftp://x.test").code == 2
    assert wireroom("scout", "gate.test", "gate.test/").code == 1, "a duplicate went well"


def test_cards_of_many_go_into_a_folder(town: Running, wireroom: Run) -> None:
    ran = wireroom("scout", "courier.test", "faro.test", "--html", "cards", "-q")
    assert ran.code == 0
    names = sorted(path.name for path in Path("cards").iterdir())
    assert [name.rpartition("-")[0] for name in names] == ["courier.test", "faro.test"]


@pytest.mark.long
def test_an_interrupted_list_goes_on_where_it_stopped(town: Running, wireroom: Run) -> None:
    hosts = ["courier.test", "faro.test", "sentinel.test"]
    process = subprocess.Popen(
        command("scout", *hosts, "--jsonl"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    done = [json.loads(process.stdout.readline())["publisher"] for _ in range(2)]
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - started < 15
    assert b"Traceback" not in err
    town.forget()
    again = wireroom("scout", *done, "--jsonl")
    assert again.code == 0
    assert [seen.host for host in done for seen in town.log.requests_to(host)] == []


@pytest.mark.long
def test_two_processes_share_one_scout(town: Running) -> None:
    both = [
        subprocess.Popen(
            command("scout", "http://anzeiger.test/", "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    cards = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert cards[0]["rights"] == cards[1]["rights"]
    assert len(town.log.requests_to("anzeiger.test", "/")) == 1


@pytest.mark.long
def test_a_killed_scout_has_kept_what_it_found(town: Running) -> None:
    """sentinel.test asks for 2 s between requests, which leaves time to be killed in."""
    process = subprocess.Popen(
        command("scout", "http://sentinel.test/"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until = time.monotonic() + 90
    while not _kept("sentinel.test") >= {"homepage", "robots"} and time.monotonic() < until:
        time.sleep(0.1)
    assert process.poll() is None, "it is killed on the way"
    process.kill()
    process.communicate(timeout=30)
    ran = run_process("history", "sentinel.test", "--json")
    assert ran.code == 0, ran.err
    assert {"homepage", "robots"} <= {load["step"] for load in json.loads(ran.out)["findings"]}


def _kept(domain: str) -> set[str]:
    """The steps whose findings are in the database by now."""
    if not Path("w.db").exists():
        return set()
    with open_app("sqlite:///w.db") as app:
        return {found.step for found in app.store.history(domain)}


def test_a_list_of_common_crawls_domains_is_that_of_the_settings(
    town: Running, wireroom: Run
) -> None:
    Path("cc.txt").write_text("courier.test 1204 2026-10\n", encoding="utf-8")
    listed = ("--set", "scout.common_crawl_list=cc.txt")
    card = json.loads(wireroom("scout", "courier.test", "--json", *listed).out)
    assert line(card, "common_crawl")["value"] == "in cc.txt, last seen 2026-10"
