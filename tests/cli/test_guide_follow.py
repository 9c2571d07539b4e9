"""The guide to choosing and looking after feeds works as it is printed, on the town."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from tests.cli.inline import use_inline_engine
from tests.cli.towns import Run, write_settings
from tests.parts import REPOSITORY
from wireroom.town import Running, build_town, running_town


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


def commands() -> Iterator[tuple[list[str], list[str]]]:
    """Every command of the page with the lines that are shown below it."""
    page = (REPOSITORY / "docs" / "guide" / "follow.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for part in block.split("$ wireroom ")[1:]:
            command, *shown = part.rstrip().split("\n")
            yield shlex.split(command), shown


@pytest.mark.long
def test_every_command_does_what_is_shown(
    served: Running, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_inline_engine(monkeypatch)
    write_settings(served.hosts)
    names = []
    for arguments, shown in commands():
        ran = wireroom(*arguments)
        assert ran.code == 0, (arguments, ran.err)
        if shown:
            assert ran.out.splitlines() == shown
        names.append(arguments[0])
    assert set(names) == {
        "add",
        "test-feed",
        "feeds",
        "feed",
        "pause",
        "resume",
        "opml",
        "backfill",
    }
