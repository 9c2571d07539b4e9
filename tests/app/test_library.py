"""Following from a script: what the guide shows is run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.inline import use_inline_engine
from wireroom.app import open_app
from wireroom.errors import WireroomError
from wireroom.town import build_town, running_town
from wireroom.town.town_config import config_text

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "library.md"


@pytest.mark.long
def test_the_python_of_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    assert len(blocks[0].strip().splitlines()) <= 14  # ten lines, an import or two, and a blank
    town = build_town()
    with running_town(town) as running:
        settings = config_text(town, running.hosts, feeds=False)
        settings = settings.replace("[fetch]", "[fetch]\ndelay = 0")
        (tmp_path / "wireroom.toml").write_text(settings, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        use_inline_engine(monkeypatch)
        exec(compile("\n".join(blocks), "library.md", "exec"), {"__name__": "guide"})
    added, new, article, exported, awaited = capsys.readouterr().out.splitlines()
    assert added.startswith("added ['http://courier.test/rss.xml'")
    assert (new, exported, awaited) == ("True", "True", "True")
    assert article.endswith("allowed")
    assert (tmp_path / "news.jsonl").stat().st_size > 1000


async def test_inside_an_event_loop_the_async_function_is_named() -> None:
    with open_app("sqlite:///:memory:") as app:
        with pytest.raises(WireroomError, match="add_async"):
            app.add("courier.test")
        with pytest.raises(WireroomError, match="run_once_async"):
            app.run_once()


def test_an_app_has_the_settings_it_was_opened_with() -> None:
    from wireroom.settings import Settings

    settings = Settings(database_url="sqlite:///:memory:", contact_url="https://desk.example/bot")
    with open_app(settings) as app:
        assert app.settings is settings
    with open_app("sqlite:///:memory:") as app:
        assert app.settings == Settings()
