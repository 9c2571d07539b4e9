"""One town and one database with its articles for all pages of a module; a database of its own for who changes it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.cli.inline import read_scouts_here
from tests.cli.towns import SETTINGS
from tests.web.browser import chromium
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


@contextmanager
def opened_on(file: Path, settings: Settings, town: Running) -> Iterator[App]:
    """An app on this database."""
    settings = settings.model_copy(update={"database_url": f"sqlite:///{file}"})
    with open_app(settings, clock=town.town.clock.now) as app:
        yield app


@contextmanager
def copied(filled: Path, settings: Settings, town: Running, folder: Path) -> Iterator[App]:
    """An app on a copy of the database."""
    shutil.copy(filled, folder / "w.db")
    with opened_on(folder / "w.db", settings, town) as app:
        yield app


@pytest.fixture
def web_app(
    filled: Path, web_settings: Settings, web_town: Running, tmp_path: Path
) -> Iterator[App]:
    """A copy of it, to be changed as one likes."""
    with copied(filled, web_settings, web_town, tmp_path) as app:
        yield app


@pytest.fixture(scope="module")
def shared_app(
    filled: Path,
    web_settings: Settings,
    web_town: Running,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[App]:
    """A copy for all tests of a module that only look at it."""
    with copied(filled, web_settings, web_town, tmp_path_factory.mktemp("shared")) as app:
        yield app


@pytest.fixture(scope="module")
def shared_pages(shared_app: App) -> Iterator[Pages]:
    """The pages on that copy."""
    with serving(shared_app) as served:
        yield served


@pytest.fixture(scope="module")
def browser(filled: Path) -> Iterator[Browser]:
    """One browser for a module; the database is filled before, while this thread may still run an event loop."""
    with chromium() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _scouts_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    read_scouts_here(monkeypatch)


@pytest.fixture
def pages(web_app: App) -> Iterator[Pages]:
    """The pages on that copy."""
    with serving(web_app) as served:
        yield served
