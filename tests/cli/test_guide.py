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
