"""One town and one database with its articles for all pages of a module; a database of its own for who changes it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.inline import read_scouts_here
from tests.cli.towns import SETTINGS
from tests.web.serving import Pages, serving
from wireroom.app import App, open_app
from wireroom.settings import Settings, load_settings
from wireroom.town import Running, build_town, running_town

FOLLOWED = ("courier.test", "alminaa.test")


@pytest.fixture(scope="session")
def web_town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture(scope="session")
def web_settings(web_town: Running, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("web")
    lines = "\n".join(f'"{name}" = "{place}"' for name, place in web_town.hosts.items())
    text = SETTINGS.replace("sqlite:///w.db", f"sqlite:///{folder}/w.db") + lines + "\n"
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return load_settings(config=str(folder / "own.toml")).settings


@pytest.fixture(scope="session")
def filled(web_settings: Settings, web_town: Running) -> Path:
    """The file of a database in which two papers are followed and their articles held."""
    with pytest.MonkeyPatch.context() as patch:
        read_scouts_here(patch)
        with open_app(web_settings, clock=web_town.town.clock.now) as app:
            app.add(*FOLLOWED)
            app.run_once()
    return Path(web_settings.database_url.removeprefix("sqlite:///"))


@pytest.fixture
def web_app(
    filled: Path, web_settings: Settings, web_town: Running, tmp_path: Path
) -> Iterator[App]:
    """A copy of it, to be changed as one likes."""
    shutil.copy(filled, tmp_path / "w.db")
    settings = web_settings.model_copy(update={"database_url": f"sqlite:///{tmp_path}/w.db"})
    with open_app(settings, clock=web_town.town.clock.now) as app:
        yield app


@pytest.fixture(autouse=True)
def _scouts_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    read_scouts_here(monkeypatch)


@pytest.fixture
def pages(web_app: App) -> Iterator[Pages]:
    """The pages on that copy."""
    with serving(web_app) as served:
        yield served
