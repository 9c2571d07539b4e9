"""The streams: text from outside is only text, and colour is for terminals."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.cli.console import clean
from wireroom.cli.streams import Streams, _Formatter

ERASED = "\x1b[?25h\r\x1b[1A\x1b[2K"  # the cursor is shown again, and the line of the bar is empty


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> tuple[Streams, Terminal, Terminal]:
    monkeypatch.setenv("TERM", "xterm-256color")
    out, err = Terminal(), Terminal()
    return Streams(out, err), out, err


def in_files() -> tuple[Streams, io.StringIO, io.StringIO]:
    out, err = io.StringIO(), io.StringIO()
    return Streams(out, err), out, err


@given(st.text())
def test_no_text_keeps_a_character_that_a_terminal_obeys(text: str) -> None:
    shown = clean(text)
    assert shown.encode().decode() == shown
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2028\u2029")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ein Blatt", "Ein Blatt"),
        ("a\x1b]0;owned\x07b", "a ]0;owned b"),
        ("two\r\nlines", "two lines"),
        ("half \ud800 character", "half \ufffd character"),
        ("https://me:hush@a.test/", "https://***@a.test/"),
        ("[link=file:///etc]x[/link] :boom:", "[link=file:///etc]x[/link] :boom:"),
        ("日本語 العربية", "日本語 العربية"),
    ],
)
def test_text_is_cleaned(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_in_a_file_nothing_is_cut_coloured_or_padded() -> None:
    streams, out, err = in_files()
    streams.table([("ok", "x" * 300), ("fail", "y")], columns=("state", "found"))
    streams.line("z" * 300, style="bold red")
    streams.error("broken")
    assert out.getvalue().splitlines() == [
        "state  found",
        "ok     " + "x" * 300,
        "fail   y",
        "z" * 300,
    ]
    assert err.getvalue() == "error: broken\n"


def test_columns_of_wide_characters_stay_aligned_in_a_file() -> None:
    streams, out, _ = in_files()
    streams.table([("東京", "a"), ("Rome", "b")])
    assert out.getvalue() == "東京  a\nRome  b\n"


def test_on_a_terminal_there_is_colour_unless_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    streams, out, err = on_terminal(monkeypatch)
    streams.table([("ok", "[red]x[/red]")], styles={"ok": "green"})
    streams.error("broken")
    assert "\x1b[32m" in out.getvalue()
    assert "[red]x[/red]" in out.getvalue()
    assert "\x1b[" in err.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    streams, out, err = on_terminal(monkeypatch)
    streams.table([("ok", "x")], styles={"ok": "green"})
    streams.heading("bold")
    streams.error("broken")
    assert "\x1b" not in out.getvalue() + err.getvalue()


def test_progress_is_drawn_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    streams, out, err = in_files()
    with streams.progress("Copying") as report:
        report(1, 2)
    assert out.getvalue() + err.getvalue() == ""
    streams, out, err = on_terminal(monkeypatch)
    with streams.progress("Copying [x]") as report:
        report(1, 2)
    assert "Copying [x]" in err.getvalue()
    assert out.getvalue() == ""


def test_a_bar_of_bytes_has_the_rate_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    streams, out, err = in_files()
    with streams.byte_progress("Reading") as report:
        report(1, 2, "1 article")
    assert out.getvalue() + err.getvalue() == ""
    streams, out, err = on_terminal(monkeypatch)
    with streams.byte_progress("Reading") as report:
        report(5_000_000, 10_000_000, "7 articles of 9 pages")
    assert "7 articles of 9 pages" in err.getvalue()
    assert "5.0/10.0 MB" in err.getvalue()
    assert out.getvalue() == ""


def write_line(streams: Streams) -> None:
    streams.line("data")


def write_bytes(streams: Streams) -> None:
    streams.binary.write(b"data")


@pytest.mark.parametrize("write", [write_line, write_bytes])
def test_a_bar_is_gone_before_anything_is_written_into_a_pipe(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[Streams], None]
) -> None:
    """`wireroom fetch URL | head` ends on the terminal that shows the bar."""
    monkeypatch.setenv("TERM", "xterm-256color")
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as read, os.fdopen(writer, "w", encoding="utf-8") as out:
        err = Terminal()
        streams = Streams(out, err)
        with streams.progress("Fetching") as report:
            report(1, 2)
            assert not err.getvalue().endswith(ERASED)
            write(streams)
            shown = err.getvalue()
            assert shown.endswith(ERASED)
            report(2, 2)
        assert err.getvalue() == shown
        streams.flush()
        assert read.read1().rstrip() == b"data"


@pytest.mark.parametrize("write", [write_line, lambda streams: streams.jsonl([{"a": 1}])])
def test_a_bar_and_data_never_share_a_line_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, write: Callable[[Streams], None]
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Terminal()
    streams = Streams(screen, screen)
    with streams.progress("Adding") as report:
        report(1, 2)
        before = len(screen.getvalue())
        write(streams)
        written = screen.getvalue()[before:]
        data = written.index("data" if "data" in written else "{")
        assert written[:data].endswith(ERASED)
        assert written[data:].partition("\n")[0].rstrip() in {"data", '{"a": 1}'}
    with streams.live() as show:
        show([("Step", "")], "doing")
        before = len(screen.getvalue())
        streams.line("more")
        written = screen.getvalue()[before:]
        assert "Step" not in written[: written.index("more")].rpartition("\n")[2]


def test_with_json_logs_every_line_is_json(capfd: pytest.CaptureFixture[str]) -> None:
    streams, _, err = in_files()
    streams.log_format = "json"
    streams.note("a note")
    streams.error("wrong")
    streams.hint("mend it")
    streams.missing("not there", "look elsewhere")
    streams.raw_error("Traceback\n  File https://u:hush@x.test/", what="OddError: x")
    streams.end_line()
    lines = [json.loads(line) for line in err.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["info", "error", "info", "info", "info"]
    assert lines[0]["message"] == "a note"
    assert lines[-1]["traceback"].startswith("Traceback\n  File")
    assert "hush" not in err.getvalue()
    assert not streams.redraws
    assert not streams.may_ask


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_line_of_the_log_is_one_line_whatever_a_stranger_wrote(style: str) -> None:
    record = logging.LogRecord(
        "w", logging.WARNING, "", 0, "a %s", ("b\nerror: forged \x1b[31m",), None
    )
    record.host = "x.test\r\nerror: forged https://u:hush@x.test/\x1b]0;owned\x07"
    line = _Formatter(style).format(record)
    assert not any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in line)
    assert "\\u001b" not in line
    assert "hush" not in line
    assert "forged" in line


def test_quiet_says_nothing_but_errors() -> None:
    streams, _, err = in_files()
    streams.verbosity = -1
    streams.note("going on")
    streams.error("broken")
    assert err.getvalue() == "error: broken\n"


def test_json_is_one_line_in_a_pipe_and_indented_for_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = {"title": "Grüße\x1b", "list": [1]}
    streams, out, _ = in_files()
    streams.json(data)
    assert out.getvalue() == '{"title": "Grüße\\u001b", "list": [1]}\n'
    streams, out, _ = on_terminal(monkeypatch)
    streams.json(data)
    assert out.getvalue().count("\n") > 3
    assert json.loads(out.getvalue()) == data


def test_json_lines_are_one_object_a_line() -> None:
    streams, out, _ = in_files()
    streams.jsonl([{"a": 1}, {"a": 2}])
    assert out.getvalue() == '{"a": 1}\n{"a": 2}\n'


def test_json_hides_secrets_as_text_does() -> None:
    address = "https://me:hush@a.test/feed?api_key=hush&page=2"
    data = {
        "url": address,
        "list": [(address,)],
        "inner": {address: 1, "none": None, "at": datetime(2026, 11, 15, tzinfo=UTC)},
        "odd": Path("x?token=hush"),
    }
    streams, out, _ = in_files()
    streams.json(data)
    streams.jsonl([data, data])
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    hidden = "https://***@a.test/feed?api_key=***&page=2"
    assert rows == 3 * [
        {
            "url": hidden,
            "list": [[hidden]],
            "inner": {hidden: 1, "none": None, "at": "2026-11-15T00:00:00+00:00"},
            "odd": "x?token=***",
        }
    ]


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)],
)
def test_only_yes_is_yes(monkeypatch: pytest.MonkeyPatch, typed: str, agreed: bool) -> None:
    streams, _, err = on_terminal(monkeypatch)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert streams.ask("Apply\x1b[2J?") is agreed
    assert err.getvalue() == "Apply [2J? [y/N] "
