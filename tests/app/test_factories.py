"""The library's door to scouting: one call, with a database or without."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import wireroom
from tests.parts import REPOSITORY
from wireroom.errors import RefusedError, SettingsError, UnreachableError, WireroomError
from wireroom.settings import Settings, load_settings
from wireroom.town import Running, build_town, running_town


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def settings(served: Running, tmp_path: Path) -> Settings:
    """Settings that lead to the town, its database in a folder of the test."""
    served.forget()
    file = tmp_path / "wireroom.toml"
    named = f'database_url = "sqlite:///{tmp_path}/own.db"\n\n'
    file.write_text(named + served.settings_toml(), encoding="utf-8")
    return load_settings(config=str(file), environ={}).settings


def test_a_publisher_is_scouted_in_one_call(settings: Settings, served: Running) -> None:
    dossier = wireroom.scout_publisher("courier.test", settings=settings)
    assert dossier.publisher.name == "The Saltmarsh Courier"
    assert {verdict.use: verdict.value for verdict in dossier.rights}["ai-train"] == "allow"
    asked = len(served.log.requests_to("courier.test"))
    again = wireroom.scout_publisher("courier.test", settings=settings)
    assert again.rights == dossier.rights
    assert len(served.log.requests_to("courier.test")) == asked, "the database of the settings knew"


def test_another_database_can_be_named(settings: Settings, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/other.db"
    wireroom.scout_publisher("faro.test", settings=settings, database=url)
    with wireroom.open_app(url) as app:
        assert app.store.dossier("faro.test") is not None
    assert not (tmp_path / "own.db").exists()


def test_nothing_is_kept_where_nothing_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RefusedError):
        wireroom.scout_publisher("http://127.0.0.1/", offline=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("url", "error"),
    [("", SettingsError), ("ftp://x.test", SettingsError), ("nobody.invalid", UnreachableError)],
)
def test_what_cannot_be_scouted_is_an_error(url: str, error: type[WireroomError]) -> None:
    with pytest.raises(error):
        wireroom.scout_publisher(url, offline=True)


@pytest.mark.long
async def test_inside_a_loop_there_is_the_async_function(settings: Settings) -> None:
    with pytest.raises(WireroomError, match="inside an event loop"):
        wireroom.scout_publisher("courier.test", settings=settings)
    both = await asyncio.gather(
        *(
            wireroom.scout_publisher_async(f"http://{host}/", settings=settings)
            for host in ("phare.test", "akti.test")
        )
    )
    assert [dossier.publisher.domain for dossier in both] == ["phare.test", "akti.test"]


def test_the_example_of_the_guide_runs(
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert settings.scout.offline, "the file in this folder leads to the town alone"
    monkeypatch.chdir(tmp_path)
    guide = (REPOSITORY / "docs" / "guide" / "scout.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(compile(source, "scout.md", "exec"), {})
    out = capsys.readouterr().out
    assert "ai-train allow" in out
    assert Path("courier.html").read_text(encoding="utf-8").startswith("<!doctype html>")
