"""`articles`, `article` and `search`: what is held, shown to people and as data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.terminals import run_on_terminal
from tests.cli.towns import Run
from tests.export.holding import hold
from tests.export.samples import NOW, article, receipt
from tests.holding import find_cluster
from wireroom.app import App, open_app
from wireroom.app.explain import explain_article, short_ids
from wireroom.export.article_json import from_plain, to_plain
from wireroom.model import Cluster

WEEKLY = "weekly.example"
TEXT = " ".join(
    f"In word {number} of the harbour report the quay is named." for number in range(40)
)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as opened:
        hold(
            opened,
            [
                article(1, cluster_id="", receipt=receipt(ai_train="deny", archive="unknown")),
                article(2, WEEKLY, text=TEXT, paywall="locked"),
                article(3, WEEKLY, title="[red]Bold[/red]\x1b[31m\nstorm", text=f"{TEXT} A storm."),
            ],
        )
        yield opened


def test_articles_are_listed_newest_first(app: App, wireroom: Run) -> None:
    ran = wireroom("articles")
    assert (ran.code, ran.err) == (0, "")
    head, *lines = ran.out.splitlines()
    assert head.split() == [
        *(
            "id",
            "published",
            "arrived",
            "publisher",
            "words",
            "quality",
            "paywall",
            "rights",
            "title",
        ),
    ]
    assert [line.split()[5] for line in lines] == ["courier.example", WEEKLY, WEEKLY]
    assert "✓✓✓✗?" in lines[0]
    assert lines[0].startswith(article(1).id)
    assert "locked" in lines[1]
    assert "[red]Bold[/red]" in lines[2]
    assert "\x1b" not in ran.out


def test_a_query_and_a_limit_narrow_the_list(app: App, wireroom: Run) -> None:
    assert wireroom("articles", f"publisher:{WEEKLY}", "--limit", "1").out.count("\n") == 2
    assert wireroom("articles", "storm").out.count("\n") == 2
    assert wireroom("articles", "--order", "best", "storm").out.count("\n") == 2


def test_articles_as_data_can_be_read_back(app: App, wireroom: Run) -> None:
    listed = json.loads(wireroom("articles", "--json").out)
    assert from_plain(listed[1]) == app.store.article(article(2, WEEKLY).id)
    lines = wireroom("articles", "--jsonl", "--limit", "2").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in listed[:2]]


@pytest.mark.parametrize(
    "command", [["articles"], ["search", "storm"], ["article", "0123456789ab"]]
)
def test_nothing_is_code_3_and_makes_no_database(wireroom: Run, command: list[str]) -> None:
    ran = wireroom(*command)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Nothing is held yet: there is no sqlite:///wireroom.db.")
    assert not Path("wireroom.db").exists()


def test_a_query_that_cannot_be_understood_is_a_usage_error(app: App, wireroom: Run) -> None:
    ran = wireroom("articles", "lang:english")
    assert ran.code == 2
    assert ran.err.splitlines()[1:] == ["  lang:english", "  ^"]
    ran = wireroom("search", "東京 (storm")
    assert ran.err.splitlines()[1:] == ["  東京 (storm", "       ^"], "a wide sign takes two cells"
    assert wireroom("search", " ").code == 2


@pytest.mark.parametrize("command", ["search", "articles"])
def test_a_search_that_takes_too_long_is_ended_with_a_hint(
    app: App, wireroom: Run, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("wireroom.app.search.SEARCH_TIME", timedelta())
    ran = wireroom(command, "harbour")
    assert ran.code == 1
    assert "The search was ended after" in ran.err
    assert "after:30d" in ran.err


@pytest.mark.parametrize("columns", [40, 66, 80, 130])
def test_a_line_fits_the_terminal_and_its_id_still_works(
    app: App, wireroom: Run, columns: int
) -> None:
    ran = run_on_terminal("articles", columns=columns)
    _, *lines = (line for line in ran.out.splitlines() if line.strip())
    assert all(len(re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip()) <= columns for line in lines)
    assert len(lines) == 3
    held = {article.id: article for article in app.store.articles()}
    for line in lines:
        short = line.split()[0]
        (found,) = [each for each in held if each.startswith(short)]
        assert len(short) == 8
        assert json.loads(wireroom("article", short, "--json").out)["id"] == found
        assert wireroom("why", short, "--json").code == 0
        assert wireroom("export", short, "-o", f"{short}.jsonl", "--json").code == 0
        assert json.loads(Path(f"{short}.jsonl").read_text())["id"] == found


def test_at_80_columns_there_is_room_for_titles(app: App) -> None:
    long = "Council of Long Barrow Quay votes on the harbour wall"
    hold(app, [article(number, title=f"{long}, part {number}") for number in (7, 8)])
    shown = run_on_terminal("articles", columns=80).out
    assert ", part 7" in shown
    assert ", part 8" in shown
    assert re.search(r"Council of \S*.*…", shown)


def test_an_id_needs_as_many_digits_as_tell_it_from_others(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = tuple(f"abcdef0123{end:014x}" for end in range(2))
    monkeypatch.setattr(
        "wireroom.store.articles_table.ids_beginning",
        lambda _conn, digits, **_: [each for each in near if each.startswith(digits)],
    )
    assert short_ids(app, near) == near  # they differ in their last digit
    assert short_ids(app, ["abcdef0199" + "0" * 14]) == ("abcdef019",)


def test_a_withdrawn_article_is_marked(app: App, wireroom: Run) -> None:
    hold(app, [article(5, title="Taken back", state="withdrawn")])
    assert "[withdrawn] Taken back" in wireroom("articles").out
    assert "[withdrawn] Taken back" in wireroom("search", "Taken").out
    assert "withdrawn by its publisher" in wireroom("article", article(5).id).out
    assert "withdrawn by its publisher" in wireroom("article", article(5).id, "--explain").out
    assert wireroom("articles").out.count("[withdrawn]") == 1


def test_an_article_begins_with_when_by_whom_and_where(app: App, wireroom: Run) -> None:
    title, facts, address, blank, text, *_ = wireroom("article", article(1).id).out.splitlines()
    held = article(1)
    assert title == held.title
    assert held.published_at is not None
    assert facts == f"{held.published_at:%Y-%m-%d %H:%M} UTC · Ada Quill, Zoë 清 · courier.example"
    assert (address, blank) == (held.url, "")
    assert held.text.startswith(text)


def test_search_shows_the_passage(app: App, wireroom: Run) -> None:
    ran = wireroom("search", "storm")
    assert ran.code == 0
    assert "… " in ran.out
    assert "A storm." in ran.out
    assert article(3, WEEKLY).url in ran.out
    data = json.loads(wireroom("search", "storm", "--json").out)
    assert [row["id"] for row in data] == [article(3, WEEKLY).id]
    assert wireroom("search", "nowhere").code == 3


def test_the_words_of_a_passage_are_marked(app: App, wireroom: Run) -> None:
    shown = run_on_terminal("search", "STORM", columns=80).out
    assert "A \x1b[1mstorm\x1b[0m." in shown
    assert "**" not in wireroom("search", "storm").out
    (row,) = json.loads(wireroom("search", "storm", "--json").out)
    passage = row["passage"]
    assert [passage["text"][start:end] for start, end in passage["marks"]] == ["storm"]
    assert json.loads(wireroom("search", "storm", "--jsonl").out)["passage"] == passage


def test_where_there_is_no_database_that_is_reported(wireroom: Run) -> None:
    for command in ("articles", "search storm", "feeds", "opml", "retry", "rights changes"):
        ran = wireroom(*command.split(), "--db", "nowhere/w.db")
        assert ran.code == 3, command
        assert "there is no sqlite:///nowhere/w.db" in ran.err, command


def test_an_article_is_found_by_id_and_by_any_spelling_of_its_address(
    app: App, wireroom: Run
) -> None:
    for which in (
        article(1).id,
        article(1).url,
        "HTTPS://www.courier.example/story-1?utm_source=x",
    ):
        ran = wireroom("article", which)
        assert ran.code == 0, which
        assert ran.out.startswith(f"{article(1).title}\n")
        assert ran.out.endswith(f"\n\n{article(1).text}\n")
    assert wireroom("article", article(1).id[:8].upper()).out.startswith(article(1).title)
    short = wireroom("article", article(1).id[:3])
    assert (short.code, "first 4 digits" in short.err) == (2, True)
    assert wireroom("article", "https://courier.example/none").code == 3
    assert wireroom("article", "http://[").code == 2


def test_digits_that_several_ids_begin_with_are_refused(
    app: App, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = (article(1).id, article(4).id)
    hold(app, [article(4)])
    monkeypatch.setattr("wireroom.store.articles_table.ids_beginning", lambda *_, **__: found)
    for command in (["why"], ["retry"], ["export", "-o", "a.jsonl"]):
        assert wireroom(*command, "abcd").code == 2, command
    ran = wireroom("article", "abcd")
    assert ran.code == 2
    message = " ".join(ran.err.split())
    assert "abcd: several ids begin so:" in message
    for number in (1, 4):
        named = f"{article(number).id} “{article(number).title}” (courier.example)"
        assert named in message
    assert "Give more of its digits." in message


def test_an_article_in_other_forms(app: App, wireroom: Run) -> None:
    assert wireroom("article", article(1).id, "--format", "md").out.startswith("# The harbour")
    held = app.store.article(article(1).id)
    assert held is not None
    shown = json.loads(wireroom("article", article(1).id, "--json").out)
    assert shown == json.loads(json.dumps(to_plain(held)))
    assert wireroom("article", article(1).id, "--format", "md", "--explain").code == 2


def test_a_reprint_is_shown_with_the_rights_of_its_original(app: App, wireroom: Run) -> None:
    ids = (article(1).id, article(2, WEEKLY).id)
    app.store.save_clusters([Cluster(id="c1", members=ids, canonicals={"en": ids[0]}, made_at=NOW)])
    original, reprint = ids[1], ids[0]  # the second is a minute older
    ran = wireroom("article", reprint)
    assert f"A reprint of {original}, https://{WEEKLY}/story-2" in ran.err
    assert "its own rights: search: allow, ai-input: allow, ai-index: allow, ai-train: deny" in (
        " ".join(ran.err.split())
    )
    assert "A reprint of" not in ran.out
    assert f"a reprint of {original}" in wireroom("article", reprint, "--explain").out
    shown = json.loads(wireroom("article", reprint, "--json").out)["original"]
    assert (shown["id"], shown["publisher"]) == (original, WEEKLY)
    words = {verdict["use"]: verdict["value"] for verdict in shown["receipt"]["verdicts"]}
    assert words["ai-train"] == "allow"
    assert wireroom("article", original).err == ""
    assert json.loads(wireroom("article", original, "--json").out)["original"] is None


def test_explain_says_what_an_article_rests_on(app: App, wireroom: Run) -> None:
    ids = (article(2, WEEKLY).id, article(3, WEEKLY).id)
    app.store.save_clusters([Cluster(id="c1", members=ids, canonicals={"en": ids[1]}, made_at=NOW)])
    ran = wireroom("article", ids[1], "--explain")
    assert ran.code == 0
    for expected in (
        "json-ld datePublished",
        "rights on 2026-05-03, robots.txt: allowed",
        "ai-train: ✓ allow",
        "https://courier.example/rsl.xml line 4: said so",
        "in a cluster of 2; this one is canonical, because it is the earliest",
        "never edited",
    ):
        assert expected in ran.out, expected
    explained = json.loads(wireroom("article", ids[1], "--explain", "--json").out)["explained"]
    assert explained["cluster"]["because"] == "time"
    (near_duplicate,) = explained["cluster"]["twins"]
    assert 0.9 < near_duplicate["alike"] < 1
    assert "harbour report" in near_duplicate["why"]
    assert explained["receipt"]["verdicts"][0]["use"] == "search"
    worth = explained["worth"]
    assert worth["parts"]["copies"] == 0.5
    assert f"worth {worth['value']:.2f}\n" in ran.out
    assert 0 < worth["value"] < 1
    alone = wireroom("article", article(1).id, "--explain").out
    assert "it has no near-duplicates" in alone


def test_explain_names_the_article_that_would_be_canonical_now(app: App, wireroom: Run) -> None:
    ids = (article(2, WEEKLY).id, article(3, WEEKLY).id)  # the second is the earlier one
    app.store.save_clusters([Cluster(id="c1", members=ids, canonicals={"en": ids[0]}, made_at=NOW)])
    ran = wireroom("article", ids[0], "--explain")
    assert "in a cluster of 2; this one is canonical\n" in ran.out
    assert f"now it would be {ids[1]}, because it is the earliest" in ran.out
    assert "now it would be this one" in wireroom("article", ids[1], "--explain").out
    explained = json.loads(wireroom("article", ids[0], "--explain", "--json").out)["explained"]
    cluster = explained["cluster"]
    assert (cluster["because"], cluster["chosen_now"]) == ("", ids[1])
    assert cluster["chosen_now_because"] == "time"


def test_explain_says_a_thing_once(app: App, wireroom: Run) -> None:
    held = article(2, WEEKLY)
    shown = wireroom("article", held.id, "--explain").out
    assert shown.count(held.title) == 1
    assert shown.count(held.url) == 1
    assert shown.count("https://courier.example/rsl.xml line 4: said so") == 1
    assert re.search(r"search: ✓ allow \((\d)\)", shown)
    assert shown.count(f"{held.word_count} words") == 1


def test_explain_shows_the_value_of_what_is_no_field(app: App) -> None:
    extra = {"section": "Harbour", "confidence": {"section": 0.9}}
    held = replace(article(1), sources={"section": "json-ld articleSection"}, extra=extra)
    (shown,) = explain_article(app, held).fields
    assert (shown.value, shown.confidence) == ("Harbour", 0.9)


def test_an_article_that_is_no_near_duplicate_is_taken_out_of_its_cluster(
    app: App, wireroom: Run
) -> None:
    ids = (article(2, WEEKLY).id, article(3, WEEKLY).id)
    app.store.save_clusters([Cluster(id="c1", members=ids, canonicals={"en": ids[0]}, made_at=NOW)])
    ran = wireroom("article", ids[1], "--uncluster")
    message = f"{ids[1]} is no longer in its cluster, which had 2 articles.\n"
    assert (ran.code, ran.err) == (0, message)
    assert find_cluster(app.store, "c1") is None
    assert app.store.unclustered(limit=9) == ()
    again = wireroom("article", ids[1], "--uncluster")
    assert (again.code, again.err) == (3, f"{ids[1]} is in no cluster; there is nothing to undo.\n")
    assert wireroom("article", ids[1], "--recluster").code == 0
    assert [signature.article_id for signature in app.store.unclustered(limit=9)] == [ids[1]]
    assert wireroom("article", ids[1], "--uncluster", "--recluster").code == 2
    assert wireroom("article", "nobody", "--uncluster").code == 3


def test_an_article_is_no_reprint_of_a_purged_one_when_somebody_says_so(
    app: App, wireroom: Run
) -> None:
    reprint, original = article(2, WEEKLY), article(3, WEEKLY)
    app.store.save_clusters([Cluster(id="c1", members=(reprint.id, original.id), made_at=NOW)])
    app.store.remove_articles([original.id], reason="test", now=NOW)
    ran = wireroom("article", reprint.id, "--uncluster")
    message = f"{reprint.id} is no longer a reprint of {original.url}.\n"
    assert (ran.code, ran.err) == (0, message)
    assert wireroom("article", reprint.id, "--uncluster").code == 3


def test_versions_show_what_an_edit_changed(app: App, wireroom: Run) -> None:
    edited = article(1, text="After thirty years he stays.\n\nShip 1 came in.", text_hash="1" * 32)
    hold(app, [replace(edited, modified_at=NOW)])
    ran = wireroom("article", article(1).id, "--versions")
    assert ran.code == 0
    assert "-After thirty years he goes home." in ran.out
    assert "+After thirty years he stays." in ran.out
    (change,) = json.loads(wireroom("article", article(1).id, "--versions", "--json").out)["edits"]
    assert (change["from"] + 1, change["diff"][0][:2]) == (change["to"], "@@")
    assert "edited 1 time;" in wireroom("article", article(1).id, "--explain").out
    assert "never edited" in wireroom("article", article(2, WEEKLY).id, "--versions").err


def test_an_empty_store_holds_nothing_whatever_is_asked(wireroom: Run, tmp_path: Path) -> None:
    open_app("sqlite:///empty.db").close()
    for command in (("search", "storm"), ("articles", "storm"), ("articles",)):
        ran = wireroom("--db", "empty.db", *command)
        assert (ran.code, ran.out) == (3, "")
        assert "No article is held yet" in ran.err
