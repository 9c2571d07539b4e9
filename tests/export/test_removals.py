"""An export with a cursor for a use names what it handed out earlier and may not be used any more."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import COURIER, NOW, article, receipt
from wireroom.app import App, open_app
from wireroom.app.export import ExportResult
from wireroom.app.purge import purge_cursor
from wireroom.errors import DeliverError
from wireroom.export.article_json import from_line, read_line, removal_line
from wireroom.export.atom import TOMBSTONES
from wireroom.model import Article, Removal

LATER = NOW + timedelta(days=2)


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(clock: Clock) -> Iterator[App]:
    with open_app("sqlite://", clock=clock) as opened:
        hold(opened, [article(number) for number in range(1, 4)])
        save_robots(opened, COURIER, ALLOW)
        yield opened


class Exports:
    """One export after the other with the same cursor, each into a file of its own."""

    def __init__(self, app: App, folder: Path) -> None:
        self.app, self.folder, self.cursor = app, folder, folder / "cursor"
        self.number = 0

    def run(self, suffix: str = ".jsonl", **how: Any) -> ExportResult:
        self.number += 1
        return self.app.export(self.output(suffix), use="ai-train", cursor=self.cursor, **how)

    def output(self, suffix: str = ".jsonl") -> Path:
        return self.folder / f"{self.number}{suffix}"

    def lines(self) -> list[Article | Removal]:
        return [read_line(line) for line in self.output().read_bytes().splitlines()]

    def report(self) -> dict[str, Any]:
        path = self.output().with_name(f"{self.output().name}.report.json")
        found: dict[str, Any] = json.loads(path.read_text())
        return found


@pytest.fixture
def exports(app: App, tmp_path: Path) -> Exports:
    return Exports(app, tmp_path)


def test_a_verdict_that_changed_is_reported_with_its_evidence(
    exports: Exports, clock: Clock
) -> None:
    assert exports.run().count == 3
    clock.now = LATER
    save_robots(exports.app, COURIER, DENY, at=LATER)
    result = exports.run()
    assert (result.count, result.removals_count) == (0, 3)
    removal = next(found for found in exports.lines() if found.id == article(1).id)
    assert isinstance(removal, Removal)
    assert (removal.url, removal.cause) == (article(1).url, "rights")
    assert removal.reason.startswith("ai-train: deny by Content-Signal")
    assert [evidence.url for evidence in removal.evidence] == [f"https://{COURIER}/robots.txt"]
    assert removal.evidence[0].line == 3
    assert (removal.left_at, removal.left_under, removal.removed_at) == (NOW, "allow", LATER)
    report = exports.report()
    assert report["removals_count"] == 3
    rows = {row["id"]: row for row in report["removals"]}
    assert rows[article(1).id]["reason"] == removal.reason
    assert rows[article(1).id]["evidence"][0]["line"] == 3


def test_it_is_reported_once(exports: Exports) -> None:
    exports.run()
    save_robots(exports.app, COURIER, DENY)
    assert exports.run().removals_count == 3
    again = exports.run()
    assert (again.count, again.removals_count) == (0, 0)
    assert not exports.output().exists()


def test_while_nothing_changed_nothing_is_reported(exports: Exports) -> None:
    exports.run()
    result = exports.run()
    assert (result.count, result.looked_at, result.removals_count) == (0, 0, 0)
    assert not exports.output().exists()


def test_a_page_that_was_read_again_under_a_refusal_is_reported(exports: Exports) -> None:
    exports.run()
    shut = replace(receipt(ai_train="deny"), checked_at=LATER)
    hold(exports.app, [replace(article(1), fetched_at=LATER, receipt=shut)])
    result = exports.run()
    assert [removal.id for removal in result.removals] == [article(1).id]
    assert result.report is not None
    assert result.report.left_out == 1  # and it is not handed out again


def test_what_was_withdrawn_is_reported_and_not_exported(exports: Exports) -> None:
    exports.run()
    hold(exports.app, [replace(article(2), fetched_at=LATER, state="withdrawn")])
    result = exports.run()
    (removal,) = result.removals
    assert (removal.id, removal.cause) == (article(2).id, "withdrawn")
    assert result.count == 0
    assert result.report is not None
    assert [row.word for row in result.report.reasons] == ["withdrawn"]


def test_what_was_purged_is_reported_with_its_address_and_the_reason(exports: Exports) -> None:
    exports.run()
    gone = [article(3).id]
    exports.app.store.remove_articles(gone, reason="somebody asked", now=LATER)
    result = exports.run()
    (removal,) = result.removals
    assert (removal.id, removal.url) == (article(3).id, article(3).url)
    assert (removal.cause, removal.reason) == ("purged", "somebody asked")
    assert (removal.left_under, result.removed) == ("allow", (article(3).id,))


def test_only_what_left_under_this_cursor_is_reported(exports: Exports, tmp_path: Path) -> None:
    exports.run(limit=1)
    exports.app.export(tmp_path / "all.jsonl", use="ai-train")  # without a cursor
    save_robots(exports.app, COURIER, DENY)
    assert exports.run().removals_count == 1
    other = Exports(exports.app, tmp_path / "other")
    other.folder.mkdir()
    assert other.run().removals_count == 0


def test_removals_come_after_what_is_new(exports: Exports) -> None:
    exports.run()
    exports.app.store.remove_articles([article(3).id], reason="test", now=LATER)
    hold(exports.app, [article(7)])
    result = exports.run()
    assert (result.count, result.removals_count) == (1, 1)
    assert [type(found) for found in exports.lines()] == [Article, Removal]


def test_atom_has_tombstones(exports: Exports, tmp_path: Path) -> None:
    exports.run()
    save_robots(exports.app, COURIER, DENY)
    exports.run(".atom")
    feed = etree.parse(tmp_path / "2.atom").getroot()
    deleted = feed.findall(f"{{{TOMBSTONES}}}deleted-entry")
    assert f"urn:wireroom:article:{article(1).id}" in {entry.get("ref") for entry in deleted}
    assert len(deleted) == 3
    comments = {entry.findtext(f"{{{TOMBSTONES}}}comment", "") for entry in deleted}
    assert all(comment.startswith("rights: ai-train: deny") for comment in comments)


def test_a_format_without_a_place_for_them_has_them_in_the_report(exports: Exports) -> None:
    exports.run()
    save_robots(exports.app, COURIER, DENY)
    exports.number += 1
    csv = exports.folder / "out.csv"
    result = exports.app.export(csv, use="ai-train", cursor=exports.cursor)
    assert not csv.exists()
    assert result.report_path is not None
    assert json.loads(result.report_path.read_text())["removals_count"] == 3
    assert exports.run().removals_count == 0


def test_what_was_reported_nowhere_is_reported_the_next_time(exports: Exports) -> None:
    exports.run()
    save_robots(exports.app, COURIER, DENY)
    for _ in range(2):
        out = io.BytesIO()  # a stream of a format that has no place, and no report
        result = exports.app.export(out, form="csv", use="ai-train", cursor=exports.cursor)
        assert (result.removals_count, out.getvalue()) == (3, b"")
    assert exports.run().removals_count == 3


def test_an_output_that_fails_forgets_nothing(exports: Exports) -> None:
    exports.run()
    save_robots(exports.app, COURIER, DENY)
    with pytest.raises(DeliverError):
        exports.app.export(
            exports.folder / "no" / "such.jsonl", use="ai-train", cursor=exports.cursor
        )
    assert exports.run().removals_count == 3


class Broken(io.BytesIO):
    """A reader that goes away after the first article."""

    def write(self, data: Any) -> int:
        if self.tell():
            raise BrokenPipeError
        return super().write(data)


def test_what_left_before_a_first_export_was_cut_short_is_reported(
    exports: Exports, clock: Clock
) -> None:
    with pytest.raises((BrokenPipeError, DeliverError)):
        exports.app.export(Broken(), form="jsonl", use="ai-train", cursor=exports.cursor)
    clock.now = LATER
    save_robots(exports.app, COURIER, DENY, at=LATER)
    assert exports.run().removals_count == 3


def test_what_left_goes_with_its_cursor(exports: Exports) -> None:
    exports.run()
    assert purge_cursor(exports.app, exports.cursor, dry_run=True) == 3
    assert exports.cursor.exists()
    assert purge_cursor(exports.app, exports.cursor) == 3
    assert not exports.cursor.exists()
    assert purge_cursor(exports.app, exports.cursor) is None
    assert exports.run().count == 3  # from the beginning


def test_a_line_that_is_a_removal_is_no_article(exports: Exports) -> None:
    exports.run()
    exports.app.store.remove_articles([article(3).id], reason="test", now=LATER)
    (removal,) = exports.run().removals
    assert read_line(removal_line(removal)) == removal
    with pytest.raises(DeliverError, match="no article"):
        from_line(removal_line(removal))
    with pytest.raises(DeliverError, match="no removal"):
        read_line(b'{"removed": 3}'.replace(b" ", b""))
