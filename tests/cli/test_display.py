"""Codes of terminals and marks of direction: in no line, no data and no bytes that a terminal gets."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO

import pytest

from tests.cli.conftest import Ran
from tests.cli.terminals import run_on_terminal
from tests.export.holding import hold
from tests.export.samples import article
from tests.holding import save_feeds
from wireroom import open_app
from wireroom.cli.console import clean
from wireroom.cli.streams import Streams
from wireroom.display_text import VisibleBytes, escaped_json, visible
from wireroom.model import Feed

Run = Callable[..., Ran]

OVERRIDES = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C, 0x200E, 0x200F]
CODES = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *OVERRIDES]
HOSTILE = "".join(f"a{chr(code)}" for code in CODES)
LINK = "\x1b]8;;http://evil.test\x1b\\click\x1b]8;;\x1b\\ \x9b31m [bold]x[/bold] [link=http://evil.test]"


@pytest.mark.parametrize("code", CODES)
def test_no_code_is_visible(code: int) -> None:
    assert chr(code) not in visible(f"a{chr(code)}b") + clean(f"a{chr(code)}b")
    text = f"a{chr(code)}b"
    shown = escaped_json(json.dumps(text, ensure_ascii=False))
    assert chr(code) not in shown
    assert json.loads(shown) == text


def test_words_of_any_script_stay_as_they_are() -> None:
    for text in ("naïve, Straße", "東京都\tx\ny", "می\u200cخواهم", "שלום", "नमस्ते", "👩\u200d🚀"):
        assert visible(text) == text


def test_bytes_that_come_in_pieces_are_visible_too() -> None:
    shown = VisibleBytes()
    pieces = "東\x9b\u202e京\n".encode()
    assert b"".join(shown.next(bytes([byte])) for byte in pieces).decode() == "東  京\n"


def test_data_shows_no_code_in_a_pipe_either() -> None:
    out = StringIO()
    streams = Streams(out=out, err=StringIO())
    streams.json({"title": HOSTILE})
    streams.jsonl([HOSTILE])
    assert not {chr(code) for code in CODES} & set(out.getvalue())
    assert json.loads(out.getvalue().splitlines()[0]) == {"title": HOSTILE}


COMMANDS = (
    ("articles",),
    ("articles", "--json"),
    ("article", "ID"),
    ("article", "ID", "--format", "md"),
    ("article", "ID", "--format", "json"),
    ("search", "harbour"),
    ("export", "-o", "-", "--format", "jsonl"),
    ("export", "-o", "-", "--format", "csv"),
    ("export", "-o", "-", "--format", "atom"),
    ("opml",),
    ("feeds",),
    ("feed", "https://courier.example/rss"),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_hostile_article_and_feed_are_shown_as_text(arguments: tuple[str, ...]) -> None:
    odd = f"harbour {LINK} {HOSTILE}"
    held = article(title=odd, description=odd, authors=(odd,), text=f"{odd}\n\n{odd}", tags=(odd,))
    with open_app("sqlite:///wireroom.db") as app:
        feed = Feed(
            url="https://courier.example/rss",
            publisher="courier.example",
            kind="rss",
            title=odd,
            name="odd",
            category=odd,
        )
        save_feeds(app.store, [feed], now=app.clock())
        hold(app, [held])
        (kept,) = app.articles()
    typed = [kept.id if argument == "ID" else argument for argument in arguments]
    seen = run_on_terminal("-q", *typed, environ={"NO_COLOR": "1"})
    assert seen.code == 0, seen.out
    shown = set(seen.out) - set("\r\n")
    assert not {chr(code) for code in CODES} & shown, sorted(map(hex, map(ord, shown)))[:5]
