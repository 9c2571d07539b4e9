"""`wireroom rights`: one page, every use, and an exit code that a script can trust."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.app import test_page_rights as reviewed
from tests.app.changing import Changing, changing_publishers
from tests.cli.conftest import command
from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run, write_settings
from tests.rights.findings import robots, scouted
from tests.scout.flips import Doc, page
from wireroom.app import open_app
from wireroom.model import USES, Dossier, Publisher
from wireroom.signals import judge
from wireroom.town import Running, build_town, running_town

YESTERDAY = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    served.forget()
    write_settings(served.hosts)
    return served


def test_a_publisher_that_could_not_be_looked_at_is_not_shown_like_a_silent_one(
    town: Running, wireroom: Run
) -> None:
    silent = wireroom("rights", "blank.test").out
    barred = wireroom("rights", "bastion.test").out
    assert "no robots.txt: allowed" in silent
    assert "unknown: it says nothing in any of the places that were looked at" in silent
    assert "could not" not in silent
    assert "robots.txt could not be fetched and is taken for none: allowed" in barred
    assert "its homepage could not be fetched: HTTP 403: challenge of Akamai" in barred
    assert "unknown: 11 of 11 signals could not be looked at" in barred
    both = wireroom("rights", "blank.test", "bastion.test")
    assert "http://bastion.test/: robots.txt could not be fetched; 11 of 11 signals" in both.err
    assert "blank.test/: " not in both.err
    rows = csv.DictReader(
        io.StringIO(wireroom("rights", "blank.test", "bastion.test", "--csv").out)
    )
    assert ["could not be fetched" in row["reason"] for row in rows] == [False, True]


def test_the_line_of_robots_txt_is_shown(town: Running, wireroom: Run) -> None:
    assert "robots.txt: allowed to us (line 4: Allow: /)" in wireroom("rights", "toll.test").out
    barred = wireroom("rights", "http://faro.test/pf/inner").out
    assert "URL disallowed by robots.txt (line " in barred


@pytest.mark.parametrize(
    ("url", "use", "code", "word"),
    [
        ("courier.test", "ai-train", 0, ""),
        ("courier.test", "search", 0, ""),
        ("toll.test", "ai-train", 4, "ai-train: paid by"),
        ("toll.test", "archive", 4, "archive: deny by RSL ("),
        ("blank.test", "search", 4, "nothing that was seen speaks of it"),
        ("http://faro.test/pf/inner", "search", 4, "robots.txt does not let us read the page"),
    ],
)
def test_a_use_that_is_refused_is_code_4_with_the_reason(
    url: str, use: str, code: int, word: str, town: Running, wireroom: Run
) -> None:
    ran = wireroom("rights", url, "--for", use)
    host = url.removeprefix("http://").partition("/")[0]
    assert ran.code == code, ran.err
    assert word in ran.err
    assert ran.err.startswith(f"Scouting {host} …\n")
    assert ran.err.count("\n") == (2 if code else 1)


@pytest.mark.long
def test_off_a_terminal_a_host_that_wants_time_is_named(town: Running, wireroom: Run) -> None:
    asked = command("rights", "sentinel.test")
    with subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        lines = [process.stderr.readline().decode().rstrip() for _ in range(2)]
        process.kill()  # the whole scout takes a minute
    assert lines == [
        "Scouting sentinel.test …",
        "sentinel.test asks for 2 s between two requests (Crawl-delay): waiting …",
    ]


def test_no_word_is_broken_on_a_narrow_terminal(town: Running, wireroom: Run) -> None:
    known = set(wireroom("rights", "courier.test").out.split())
    ran = run_on_terminal("rights", "courier.test", "-q", columns=60, environ={"NO_COLOR": "1"})
    lines = ran.out.splitlines()
    assert max(map(cell_len, lines)) <= 60
    assert set(ran.out.split()) <= known


@pytest.mark.long
def test_the_policy_of_the_settings_decides_what_is_refused(town: Running, wireroom: Run) -> None:
    lenient = ("--set", 'rights.export_on=["allow", "unknown"]')
    assert wireroom("rights", "blank.test", "--for", "search").code == 4
    assert wireroom("rights", "blank.test", "--for", "search", *lenient).code == 0


@pytest.mark.long
def test_without_a_use_every_use_is_shown_and_nothing_is_refused(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("rights", "toll.test")
    assert (ran.code, ran.err) == (0, "Scouting toll.test …\n")
    assert wireroom("rights", "toll.test").err == "", "nobody is asked for what is known"
    assert wireroom("rights", "toll.test", "--refresh", "-q").err == ""
    assert "€ paid" in ran.out
    assert "✗ deny" in ran.out
    assert "robots.txt: allowed" in ran.out
    assert ran.out.count("line ") == 1, "that of robots.txt; the others come with --explain"
    assert "http://toll.test/" in wireroom("rights", "toll.test", "--explain").out


@pytest.mark.long
def test_each_path_has_its_own_verdict_from_one_robots_txt(town: Running, wireroom: Run) -> None:
    first = json.loads(wireroom("rights", "http://faro.test/", "--json").out)
    second = json.loads(wireroom("rights", "http://faro.test/pf/inner", "--json").out)
    assert (first["robots"], second["robots"]) == ("allowed", "disallowed")
    assert second["url"] == "http://faro.test/pf/inner"
    assert len(town.log.requests_to("faro.test", "/robots.txt")) <= 2, "once in each process"
    assert not town.log.requests_to("faro.test", "/pf/inner"), "what is disallowed is not asked"


@pytest.mark.long
def test_json_says_whether_and_why(town: Running, wireroom: Run) -> None:
    answer = json.loads(wireroom("rights", "toll.test", "--for", "ai-train", "--json").out)
    assert answer["permitted"] is False
    assert answer["for"] == "ai-train"
    assert answer["reason"].startswith("ai-train: paid by")
    assert {row["use"] for row in answer["rights"]} >= {"search", "ai-train", "archive"}


def test_an_unknown_use_is_a_usage_error(town: Running, wireroom: Run) -> None:
    ran = wireroom("rights", "courier.test", "--for", "world-peace")
    assert ran.code == 2
    assert "world-peace" in ran.err
    assert ran.err.count("\n") == 1


def test_changes_lists_what_is_held_under_verdicts_of_before(
    town: Running, wireroom: Run, tmp_path: Path
) -> None:
    database = ("--db", "changes.db")
    none = wireroom("rights", "changes", *database)
    assert (none.code, none.out) == (3, "")
    with open_app("sqlite:///changes.db") as app:
        reviewed.read(app, reviewed.OPEN, "a", "b")
        reviewed.scouted(app, reviewed.SHUT, reviewed.NOW + timedelta(days=7))
    listed = wireroom("rights", "changes", *database)
    assert listed.code == 0
    assert listed.out.count("ai-train: allow → deny") == 2
    strict = ("--set", 'rights.uses=["ai-train"]', "--set", "rights.store_on_deny=metadata")
    answer = json.loads(
        wireroom("rights", "changes", "courier.test", "--json", *strict, *database).out
    )
    assert [row["kept"] for row in answer["articles"]] == ["metadata", "metadata"]
    assert answer["articles"][0]["changes"] == {"ai-train": ["allow", "deny"]}
    other = wireroom("rights", "changes", "other.test", *database)
    assert (other.code, other.out) == (3, "")
    assert other.err == "Nothing is known about other.test. Try: wireroom scout other.test\n"
    both = wireroom("rights", "changes", "courier.test", "other.test", *database)
    assert (both.code, both.out) == (3, listed.out)
    assert other.err in both.err


def test_changes_name_robots_txt_wherever_it_has_changed(wireroom: Run) -> None:
    """Also where a use has changed besides; and not where robots.txt says what it said."""
    barred = robots("User-agent: *\nContent-Signal: ai-train=no\nDisallow: /shut\n")
    with open_app("sqlite:///wireroom.db") as app:
        reviewed.read(app, reviewed.OPEN, "shut", "open")
        reviewed.scouted(app, barred, reviewed.NOW + timedelta(days=7))
    rows = {line.split()[-1]: line for line in wireroom("rights", "changes").out.splitlines()}
    both = "ai-train: allow → deny, robots.txt: allowed → disallowed"
    assert both in rows["shut"]
    assert "ai-train: allow → deny" in rows["open"]
    assert "robots.txt" not in rows["open"]
    listed = json.loads(wireroom("rights", "changes", "--json").out)["articles"]
    assert {(row["title"], row["robots_before"], row["robots"]) for row in listed} == {
        ("shut", "allowed", "disallowed"),
        ("open", "allowed", "allowed"),
    }


def test_when_nobody_answers_the_message_names_what_to_check(wireroom: Run) -> None:
    write_settings({"nobody.test": "127.0.0.1:9"})
    ran = wireroom("rights", "http://nobody.test/")
    first, *_, last = ran.err.splitlines()
    assert (ran.code, ran.out) == (1, "")
    assert first == "Scouting nobody.test …"
    assert last.startswith("error: http://nobody.test/")
    assert "Check the address, the network" in last


# --- many ------------------------------------------------------------------------------------------

MANY = ("toll.test", "nobody.invalid", "x y", "courier.test", "http://toll.test/")


def words_of(line: str) -> list[str]:
    return [word for word in line.split() if word in {"allow", "deny", "paid", "unknown"}]


def test_many_addresses_are_a_row_each_in_their_order(town: Running, wireroom: Run) -> None:
    ran = wireroom("rights", *MANY)
    head, first, second = ran.out.splitlines()
    assert head.split() == ["address", *USES, "robots.txt", "as", "of"]
    assert first.startswith("http://toll.test/")
    assert words_of(first) == ["paid", "paid", "paid", "paid", "deny"]
    assert "€ paid" in first
    assert second.startswith("http://courier.test/")
    assert "✓ allow" in second
    assert "allowed" in second
    assert ran.err.startswith("3 URLs queued, 1 duplicate, 1 invalid.\n")
    assert "error: line 2: nobody.invalid: nobody.invalid: no such host" in ran.err
    assert "error: line 3: x y: Invalid URL" in ran.err
    assert "line 5: http://toll.test/: the same as line 1" in ran.err
    assert ran.code == 1, "of many some failed"


def test_for_a_use_one_refusal_of_many_is_code_4_and_its_row_has_the_reason(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("rights", "courier.test", "toll.test", "--for", "ai-train")
    assert ran.code == 4
    assert [line.split()[-4] for line in ran.out.splitlines()[1:]] == ["yes", "no"]
    assert "error: line 2: toll.test: refused for ai-train: paid by" in ran.err
    assert "courier.test: refused" not in ran.err
    assert wireroom("rights", "courier.test", "courier.test", "--for", "ai-train").code == 0
    both = wireroom("rights", "courier.test", "nobody.invalid", "--for", "ai-train")
    assert both.code == 1, "nobody refused"


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_rows_as_data_have_what_one_page_has(form: str, town: Running, wireroom: Run) -> None:
    ran = wireroom("rights", *MANY, form, "--for", "search")
    text = ran.out if form == "--json" else f"[{','.join(ran.out.splitlines())}]"
    rows = {row["line"]: row for row in json.loads(text)}
    assert {line: row["outcome"] for line, row in rows.items()} == {
        1: "completed",
        2: "failed",
        3: "invalid",
        4: "completed",
        5: "duplicate",
    }
    alone = json.loads(wireroom("rights", "courier.test", "--for", "search", "--json").out)
    assert alone.keys() <= rows[4].keys()
    assert rows[4]["permitted"] is True
    assert (rows[1]["permitted"], rows[2]["permitted"]) == (False, False)
    assert rows[1]["reason"].startswith("search: paid by")
    assert "no such host" in rows[2]["reason"]
    if form == "--json":
        assert list(rows) == [1, 2, 3, 4, 5]


def test_a_list_and_a_csv_are_read_and_csv_comes_out(town: Running, wireroom: Run) -> None:
    Path("list.csv").write_text("name;URL\nThe Courier;courier.test\n-;toll.test\n=1+1;=1+1\n")
    ran = wireroom("rights", "-i", "list.csv", "--csv", "--for", "archive")
    rows = list(csv.DictReader(ran.out.splitlines()))
    assert [row["asked"] for row in rows] == ["courier.test", "toll.test", "'=1+1"]
    assert [row["rights_archive"] for row in rows] == ["allow", "deny", ""]
    assert [row["permitted"] for row in rows] == ["true", "false", "false"]
    assert rows[0]["robots"] == "allowed"
    assert datetime.fromisoformat(rows[0]["as_of"]).tzinfo is not None
    assert ran.code == 4
    Path("again.csv").write_text(ran.out)
    again = wireroom("rights", "-i", "again.csv", "--csv", "--for", "archive")
    assert [row["url"] for row in csv.DictReader(again.out.splitlines())] == [
        "http://courier.test/",
        "http://toll.test/",
    ]


def test_a_list_comes_from_stdin(
    town: Running, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"# ours\ncourier.test\n\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    ran = wireroom("rights", "-")
    assert ran.code == 0, ran.err
    assert ran.out.count("http://courier.test/") == 1


def test_all_that_is_known_is_shown_without_asking_anybody(town: Running, wireroom: Run) -> None:
    none = wireroom("rights", "--all")
    assert (none.code, none.out) == (3, "")
    assert "there is no sqlite:///w.db" in none.err
    assert not Path("w.db").exists()
    wireroom("rights", "courier.test", "toll.test")
    with open_app("sqlite:///w.db") as app:
        app.store.save_publisher(Publisher(domain="later.test", added_at=reviewed.NOW))
    town.forget()
    ran = wireroom("rights", "--all")
    courier, later, toll = ran.out.splitlines()[1:]
    assert words_of(courier) == ["allow"] * 5
    assert words_of(toll) == ["paid", "paid", "paid", "paid", "deny"]
    assert words_of(later) == ["unknown"] * 5 + ["unknown"], "the last one is that of robots.txt"
    assert later.endswith("never")
    assert ran.code == 0
    assert not town.log.requests_to("courier.test")
    refused = wireroom("rights", "--all", "--for", "search")
    assert refused.code == 4
    assert "later.test was not scouted yet" in refused.err
    wireroom("rights", "--all", "--refresh")
    assert town.log.requests_to("courier.test", "/robots.txt")


def test_a_page_has_a_row_an_address(town: Running, wireroom: Run) -> None:
    ran = wireroom("rights", *MANY, "--for", "ai-train", "--html", "rights.html")
    assert "Written: rights.html" in ran.err
    page = Path("rights.html").read_text(encoding="utf-8")
    assert page.count('<th scope="row"><a') == 2
    assert "€ paid" in page
    assert "no such host" in page
    alone = wireroom("rights", "courier.test", "--html", "one.html")
    assert (alone.code, alone.out.count("http://courier.test/")) == (0, 1)
    assert Path("one.html").is_file()
    nowhere = wireroom("rights", "courier.test", "--html", "no/such/folder.html")
    assert nowhere.code == 1
    assert "cannot be written" in nowhere.err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "URL is required"),
        (("--all", "courier.test"), "--all: an address besides"),
        (("--json", "--csv", "courier.test"), "only one form at a time"),
        (("a.test", "b.test", "--explain"), "--explain"),
        (("changes", "--all"), "changes: --all"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    arguments: tuple[str, ...], word: str, wireroom: Run
) -> None:
    ran = wireroom("rights", *arguments)
    assert ran.code == 2
    assert word in ran.err


@pytest.fixture
def refusing(tmp_path: Path) -> Iterator[Changing]:
    """A publisher that allowed training when it was last scouted, and refuses it now."""
    with changing_publishers() as served:
        write_settings(served.hosts("courier.test"))
        lines = "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"
        served.docs["courier.test"] = {"/robots.txt": Doc(lines), "/": page()}
        with open_app("sqlite:///w.db") as app:
            reviewed.read(app, reviewed.OPEN, "a")
            found = tuple(replace(each, found_at=YESTERDAY) for each in scouted(reviewed.OPEN))
            publisher = Publisher(domain="courier.test", added_at=YESTERDAY)
            rights = judge(found, reviewed.HOME)
            app.store.save_dossier(
                Dossier(publisher=publisher, findings=found, rights=rights, scouted_at=YESTERDAY)
            )
        yield served


def test_changes_say_as_of_when_and_scout_again_what_is_older(
    refusing: Changing, wireroom: Run
) -> None:
    old = wireroom("rights", "changes")
    assert old.code == 3
    assert f"As of {YESTERDAY:%d %B %Y, %H:%M} UTC, when courier.test answered." in old.err
    assert refusing.asked == []
    new = wireroom("rights", "changes", "--fresh", "1h")
    assert new.code == 0, new.err
    assert "ai-train: allow → deny" in new.out
    refusing.asked.clear()
    answer = json.loads(wireroom("rights", "changes", "--fresh", "1h", "--json").out)
    assert refusing.asked == [], "it answered a moment ago"
    assert answer["oldest"] == "courier.test"
    assert datetime.fromisoformat(answer["as_of"]) > YESTERDAY


def test_an_export_for_a_use_can_ask_first_what_is_permitted_now(
    refusing: Changing, wireroom: Run, tmp_path: Path
) -> None:
    output = str(tmp_path / "out.jsonl")
    assert wireroom("export", "-o", output, "--for", "ai-train").code == 0
    assert refusing.asked == []
    ran = wireroom("export", "-o", output, "--force", "--for", "ai-train", "--fresh", "1h")
    assert ran.code == 4, ran.err
    assert "/robots.txt" in refusing.requests_to("courier.test")


def test_what_cannot_be_asked_first_is_not_exported(
    refusing: Changing, wireroom: Run, tmp_path: Path
) -> None:
    output = str(tmp_path / "out.jsonl")
    assert wireroom("export", "-o", output, "--for", "ai-train").code == 0
    write_settings({"courier.test": "127.0.0.1:1"})  # nobody answers there
    ran = wireroom("export", "-o", output, "--force", "--for", "ai-train", "--fresh", "1h")
    assert ran.code == 4, ran.err
    assert "courier.test: not scouted" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rights", "changes", "--fresh", "soon"), "--fresh soon"),
        (("rights", "courier.test", "--fresh", "1h"), "--fresh is for changes"),
        (("export", "-o", "out.jsonl", "--fresh", "1h"), "no use is named"),
    ],
)
def test_fresh_that_makes_no_sense_is_a_usage_error(
    arguments: tuple[str, ...], message: str, refusing: Changing, wireroom: Run
) -> None:
    ran = wireroom(*arguments)
    assert ran.code == 2
    assert message in ran.err
    assert refusing.asked == []
