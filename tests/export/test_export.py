"""`app.export`: what is held into a file, whole or not at all, again and again with a cursor."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import NOW, article, receipt
from wireroom.app import App, export_output, open_app
from wireroom.app import export as export_module
from wireroom.errors import DeliverError, MissingExtraError, QueryError, SettingsError
from wireroom.export.article_json import from_line
from wireroom.model import Article, Cluster, Word
from wireroom.ports import Format

WEEKLY = "weekly.example"


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite://", clock=lambda: NOW) as opened:
        hold(opened, [article(number) for number in range(1, 6)])
        yield opened


def ids(path: Path) -> list[str]:
    return [from_line(line).id for line in path.read_bytes().splitlines()]


def test_what_is_held_is_written_newest_first(app: App, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    result = app.export(path)
    assert (result.count, result.looked_at, result.form) == (5, 5, "jsonl")
    assert ids(path) == [article(number).id for number in range(1, 6)]
    read = from_line(path.read_bytes().splitlines()[0])
    assert replace(read, version=2, cluster_id="c1") == article(1)
    assert [path] == list(tmp_path.iterdir())
    event = app.store.events()[-1]
    assert (event.kind, event.subject, event.data["count"]) == ("articles_exported", "out.jsonl", 5)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.atom", "OUT.JSONL"])
def test_the_suffix_tells_the_format(app: App, tmp_path: Path, name: str) -> None:
    assert app.export(tmp_path / name).form == name.lower().partition(".")[2]


def test_a_stream_is_written_and_stays_open(app: App) -> None:
    out = io.BytesIO()
    assert app.export(out, limit=2).count == 2
    assert out.getvalue().count(b"\n") == 2


def test_a_query_narrows_it_and_a_bad_one_is_reported(app: App, tmp_path: Path) -> None:
    hold(app, [article(7, WEEKLY)])
    assert app.export(tmp_path / "a.jsonl", query=f"publisher:{WEEKLY}").count == 1
    with pytest.raises(QueryError):
        app.export(tmp_path / "b.jsonl", query='"open')
    assert not (tmp_path / "b.jsonl").exists()


def test_nothing_makes_no_file(app: App, tmp_path: Path) -> None:
    result = app.export(tmp_path / "a.csv", query="nowhere", cursor=tmp_path / "c.json")
    assert (result.count, result.looked_at) == (0, 0)
    assert list(tmp_path.iterdir()) == []


def test_for_a_use_both_have_to_permit_it(app: App, tmp_path: Path) -> None:
    hold(
        app,
        [
            article(11, WEEKLY),
            article(12, WEEKLY, receipt=receipt(ai_train="deny")),
            article(13, "gazette.example"),
        ],
    )
    save_robots(app, "courier.example", DENY)
    save_robots(app, WEEKLY, ALLOW)
    path = tmp_path / "out.jsonl"
    result = app.export(path, use="ai-train")
    assert ids(path) == [article(11, WEEKLY).id]
    report = json.loads((tmp_path / "out.jsonl.report.json").read_text())
    assert result.report_path == tmp_path / "out.jsonl.report.json"
    assert (report["handed_on"], report["looked_at"]) == (1, 8)
    counts = {
        (row["refused_by"], row["word"]): row["articles"] for row in report["rights"]["reasons"]
    }
    assert counts == {
        ("publisher", "deny"): 5,
        ("receipt", "deny"): 1,
        ("publisher", "unknown"): 1,
    }
    assert any("robots.txt line 3" in row["reason"] for row in report["rights"]["examples"])


def test_a_licence_of_the_page_itself_still_counts(app: App, tmp_path: Path) -> None:
    licensed = article(21, WEEKLY)
    hold(app, [replace(licensed, receipt=receipt(url=licensed.url))])
    save_robots(app, WEEKLY, "User-agent: *\nAllow: /\n")
    path = tmp_path / "out.jsonl"
    app.export(path, use="ai-train")
    assert ids(path) == [licensed.id]


def test_rights_that_leave_nothing_leave_a_report(app: App, tmp_path: Path) -> None:
    save_robots(app, "courier.example", DENY)
    result = app.export(
        tmp_path / "out.csv", use="ai-train", cursor=tmp_path / "c", report=tmp_path / "why.json"
    )
    assert (result.count, result.looked_at) == (0, 5)
    assert [path.name for path in tmp_path.iterdir()] == ["why.json"]


def test_a_cursor_gives_only_what_is_new_or_changed(app: App, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor.json"
    assert app.export(tmp_path / "1.jsonl", cursor=cursor).count == 5
    assert app.export(tmp_path / "2.jsonl", cursor=cursor).count == 0
    assert not (tmp_path / "2.jsonl").exists()
    edited = article(2, text="He stays after all, and says so.", text_hash="1" * 32)
    hold(app, [article(6), edited])
    app.export(tmp_path / "3.jsonl", cursor=cursor)
    assert sorted(ids(tmp_path / "3.jsonl")) == sorted([article(6).id, article(2).id])
    app.store.remove_articles([article(1).id], reason="test", now=NOW)
    result = app.export(tmp_path / "4.jsonl", cursor=cursor, report=tmp_path / "4.json")
    assert (result.count, result.removed) == (0, (article(1).id,))
    assert json.loads((tmp_path / "4.json").read_text())["removed"] == [article(1).id]


def test_a_limit_and_a_cursor_give_everything_once(app: App, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor.json"
    given: list[str] = []
    for run in range(3):
        path = tmp_path / f"{run}.jsonl"
        app.export(path, cursor=cursor, limit=2)
        given += ids(path)
    assert sorted(given) == sorted(article(number).id for number in range(1, 6))


def test_the_cursor_stays_when_the_output_fails(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(articles: Iterable[Article], out: BinaryIO) -> int:
        out.write(str(next(iter(articles))).encode())
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export_output, "plugs", lambda *_: {"x": Format("x", ".x", write=broken)})
    with pytest.raises(DeliverError, match="No space left"):
        app.export(tmp_path / "out.x", cursor=tmp_path / "cursor.json")
    with pytest.raises(DeliverError, match="No space left"):
        app.export(io.BytesIO(), form="x")
    assert list(tmp_path.iterdir()) == []


def test_a_cursor_belongs_to_its_question(app: App, tmp_path: Path) -> None:
    cursor = tmp_path / "cursor.json"
    app.export(tmp_path / "1.jsonl", cursor=cursor, query="harbour")
    for other in ({"query": "storm"}, {"query": "harbour", "use": "search"}):
        with pytest.raises(SettingsError, match="another export"):
            app.export(tmp_path / "2.jsonl", cursor=cursor, **other)  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"number": "x"}', "\xff"])
def test_a_file_that_is_no_cursor_is_reported(app: App, tmp_path: Path, text: str) -> None:
    (tmp_path / "cursor.json").write_text(text, "latin-1")
    with pytest.raises(DeliverError, match="holds no cursor"):
        app.export(tmp_path / "out.jsonl", cursor=tmp_path / "cursor.json")
    with pytest.raises(DeliverError, match="cannot be read"):
        app.export(tmp_path / "out.jsonl", cursor=tmp_path)


def test_what_is_there_is_not_replaced_unasked(app: App, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("mine")
    with pytest.raises(DeliverError, match="there already"):
        app.export(path)
    assert path.read_text() == "mine"
    app.export(path, replace=True)
    assert len(ids(path)) == 5


def test_a_folder_grows_with_a_cursor(app: App, tmp_path: Path) -> None:
    folder, cursor = tmp_path / "pages", tmp_path / "cursor.json"
    assert app.export(folder, form="md", cursor=cursor).count == 5
    hold(app, [article(6), article(1, title="He stays", text_hash="1" * 32)])
    assert app.export(folder, form="md", cursor=cursor).count == 2
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 6
    assert sum("he-stays" in name for name in names) == 1
    with pytest.raises(DeliverError, match="there already"):
        app.export(folder, form="md")


def test_what_makes_no_sense_is_reported(app: App, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for output, form, message in (
        (tmp_path / "out.xyz", "", "tells no format"),
        (tmp_path / "out", "xml", "no format xml"),
        (io.BytesIO(), "md", "folder of files"),
        (tmp_path / "file", "md", "is a file"),
        (tmp_path, "csv", "is a folder"),
        (tmp_path / "none" / "out.csv", "csv", "cannot be written"),
        (tmp_path / ("x" * 300), "csv", "cannot be written: File name too long"),
    ):
        with pytest.raises((DeliverError, SettingsError), match=message):
            app.export(output, form=form)


def test_a_part_that_is_not_installed_is_named(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"wireroom\[parquet\]"):
        app.export(tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_of_near_duplicates_only_the_canonical_one_is_exported(app: App, tmp_path: Path) -> None:
    held = [article.id for article in app.store.articles()]
    original, copy = held[0], held[-1]
    cluster = Cluster(id="c", members=(original, copy), canonicals={"en": original}, made_at=NOW)
    app.store.save_clusters([cluster])
    result = app.export(tmp_path / "all.jsonl")
    assert (result.count, result.near_duplicates) == (len(held), 0)
    unique = app.export(tmp_path / "some.jsonl", unique=True)
    assert (unique.count, unique.near_duplicates) == (len(held) - 1, 1)
    assert copy not in ids(tmp_path / "some.jsonl")
    assert original in ids(tmp_path / "some.jsonl")
    used = app.export(tmp_path / "used.jsonl", unique=True, use="ai-train")
    assert used.report is not None
    assert used.near_duplicates == 1  # whatever may be done with it
    assert used.count + used.report.left_out + used.near_duplicates == used.looked_at == len(held)


def test_progress_is_reported(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "PROGRESS_EVERY", 2)
    calls: list[Any] = []
    app.export(io.BytesIO(), progress=lambda done, total: calls.append((done, total)))
    assert calls == [(2, 5), (4, 5)]


@pytest.mark.parametrize(
    ("rules", "own", "leaves"),
    [
        (ALLOW, "unknown", True),
        (DENY, "unknown", False),
        (None, "unknown", False),
        (ALLOW, "deny", False),
    ],
    ids=["it permits", "it refuses", "it is still not scouted", "the page itself refuses"],
)
def test_what_was_read_before_its_host_was_scouted_is_judged_by_what_that_says(
    app: App, tmp_path: Path, rules: str | None, own: Word, leaves: bool
) -> None:
    page = article(9, WEEKLY)
    taken = replace(receipt("unknown", url=page.url, ai_train=own), unscouted=True)
    hold(app, [replace(page, receipt=taken)])
    if rules is not None:
        save_robots(app, WEEKLY, rules)
    done = app.export(tmp_path / "out.jsonl", use="ai-train")
    assert done.count == int(leaves)
