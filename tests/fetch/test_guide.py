"""What the pages on fetching show, works; and their tables leave nothing out."""

from __future__ import annotations

import re
import sys
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

from tests.fetch.conftest import MakeFetcher
from tests.parts import REPOSITORY
from wireroom.errors import FetchError, SettingsError, TooLargeError
from wireroom.fetch import FetchOptions, fetch_options
from wireroom.fetch.fetch_options import Manners
from wireroom.model import ProblemKind, Request, Validators
from wireroom.ports import StrategyPlug
from wireroom.registry import plugs

DOCS = REPOSITORY / "docs"
NOT_OF_FETCHING = {
    "unknown_format",
    "no_article",
    "too_complex",
    "our_network",
    "store",
    "internal",
}


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def load(name: str, block: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The numbered Python block of a page, as a module."""
    source = re.findall(r"```python\n(.*?)```", page(name), re.DOTALL)[block]
    module = ModuleType(f"shown_{block}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source, f"{name}[{block}]", "exec"), module.__dict__)
    return module


async def test_the_example_with_many_pages_works(
    options: FetchOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = load("guide/fetch.md", 0, monkeypatch)
    urls = ["http://courier.test/", "http://phare.test/", "http://127.0.0.1/"]
    pages = await shown.read(urls, options)
    assert set(pages) == {"http://courier.test/", "http://phare.test/"}
    assert "http://127.0.0.1/ private_address" in capsys.readouterr().out


async def test_the_example_with_validators_works(
    options: FetchOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = load("guide/fetch.md", 1, monkeypatch)
    url = "http://trouble.test/etag/strong"
    body, known = await shown.changed(url, Validators(), options)
    assert body
    assert await shown.changed(url, known, options) is None


async def test_the_strategy_shown_works(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = load("extend/strategy.md", 0, monkeypatch)
    url = "http://by-post.example/today"
    (tmp_path / shown.file_name(url)).write_bytes(b"<p>By post.</p>")
    given = {"folder": {"path": str(tmp_path)}}
    async with make_fetcher(strategies=("folder",), strategy_options=given) as fetch:
        fetch._strategies._plugs["folder"] = shown.PLUG
        assert (await fetch(Request(url=url, purpose="read"))).body == b"<p>By post.</p>"
        start = await fetch(Request(url=url, purpose="read", max_bytes=3, take_start=True))
        assert (start.body, start.truncated) == (b"<p>", True)
        with pytest.raises(TooLargeError):
            await fetch(Request(url=url, purpose="read", max_bytes=3))
        with pytest.raises(FetchError, match="not in the folder"):
            await fetch(Request(url="http://by-post.example/x", purpose="read"))
    with pytest.raises(SettingsError, match="path is not set"):
        shown.PLUG.open({})


def test_every_reason_stands_in_the_table() -> None:
    shown = set(
        re.findall(
            r"^\| `(\w+)` \|", page("guide/fetch.md").split("## Why it failed")[1], re.MULTILINE
        )
    )
    words = set(get_args(ProblemKind)) - NOT_OF_FETCHING
    assert words <= shown
    assert shown - words <= set(plugs("fetch.strategies", StrategyPlug)), "no word that is none"


def test_every_strategy_stands_in_the_table() -> None:
    shown = page("guide/fetch.md").split("## Other strategies")[1]
    for name, plug in plugs("fetch.strategies", StrategyPlug).items():
        assert f"| `{name}` |" in shown
        assert not plug.extra or f"wireroom[{plug.extra}]" in shown


def test_the_manners_shown_are_the_manners_kept() -> None:
    message = page("manners.md")
    usual = Manners()
    for words in (
        f"at most {usual.burst} requests, {usual.burst_in_flight} in flight",
        f"at most {usual.per_address} in flight to one address",
        f"{usual.gap.total_seconds():g} s from the end",
        f"{usual.host_budget:,} requests",
        f"after {usual.patience} failures",
        f"up to {fetch_options.MAX_CRAWL_DELAY.total_seconds():g} s",
        f"on to {fetch_options.MAX_BACK_OFF / timedelta(minutes=1):g} min",
        "between 1 s and 24 h",
        "User-agent: wireroom",
    ):
        assert words in message, words
