"""The examples of the guide work as they are printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.parts import REPOSITORY

Run = Callable[..., Ran]
GUIDE = REPOSITORY / "docs" / "guide"


def blocks(page: str, language: str) -> list[str]:
    text = (GUIDE / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("text", blocks("settings.md", "toml"))
def test_the_settings_shown_are_sound(wireroom: Run, text: str) -> None:
    Path("wireroom.toml").write_text(text, encoding="utf-8")
    ran = wireroom("config", "show")
    assert ran.code == 0, ran.err


def test_the_exit_codes_shown_are_all_there_are() -> None:
    from wireroom.cli import exits

    page = (GUIDE / "command-line.md").read_text(encoding="utf-8")
    shown = {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert shown == {value for value in vars(exits).values() if type(value) is int} - {
        exits.MAX_CAUSES,
        exits.POINTED,
    }


def test_the_example_of_archives_runs_as_it_is_printed(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.app.archive.conftest import titles
    from tests.cli.inline import use_inline_engine
    from tests.warcs import story_records, write_warc

    use_inline_engine(monkeypatch)
    write_warc(Path("news.warc.gz"), story_records(["Aldersea", "Brightwell"]))
    printed, filtered = blocks("archive.md", "console")
    shown, message = printed.strip().split("\n")
    ran = wireroom(*shown.removeprefix("$ wireroom ").split())
    assert ran.code == 0
    assert message in ran.err
    ran = wireroom(*filtered.strip().removeprefix("$ wireroom ").split())
    assert ran.code == 0, ran.err
    assert titles(Path("english")) == ["Aldersea", "Brightwell"]
