"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import wireroom

HEAVY = (
    "aiohttp",
    "alembic",
    "asyncio",
    "lxml",
    "numpy",
    "pydantic",
    "rich",
    "selectolax",
    "sqlalchemy",
    "sqlite3",
    "typer",
)


def test_the_public_names_are_exactly_these() -> None:
    assert wireroom.__all__ == [
        "App",
        "ArticleReading",
        "ExtractConfig",
        "NoArticleError",
        "WireroomError",
        "__version__",
        "articles_from_feed",
        "extract",
        "extract_all",
        "open_app",
        "read_article",
        "scout_publisher",
        "scout_publisher_async",
    ]
    assert dir(wireroom) == sorted(wireroom.__all__)


def test_every_public_name_is_there() -> None:
    for name in wireroom.__all__:
        assert getattr(wireroom, name) is not None


def test_any_other_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'extrct'"):
        _ = wireroom.extrct


def heavy_after(statement: str) -> list[str]:
    script = f"import sys\n{statement}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_importing_wireroom_loads_nothing_heavy() -> None:
    assert heavy_after("import wireroom") == []


def test_the_app_and_the_settings_package_load_nothing_heavy() -> None:
    assert heavy_after("from wireroom import open_app, App; import wireroom.settings") == []


@pytest.mark.long
def test_importing_extract_loads_no_language_model() -> None:
    assert "numpy" not in heavy_after("from wireroom import extract, ExtractConfig")


EVERY_MODULE = """
import pkgutil, sys, wireroom
asked, name = [], "walking"
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        asked.append(f"{name}: {event} {arguments[1:]}")
sys.addaudithook(watch)
names = sorted(found.name for found in pkgutil.walk_packages(wireroom.__path__, "wireroom."))
for name in names:
    if not name.endswith(("__main__", "migrations.env")):  # these two act when they are loaded
        __import__(name)
name = "control"
import socket
socket.getaddrinfo("127.0.0.1", 80)
print(len(names), *asked, sep="\\n")
"""


@pytest.mark.long
def test_importing_any_module_asks_nothing_of_the_network() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EVERY_MODULE],
        capture_output=True,
        text=True,
        check=True,
    )
    count, *asked = done.stdout.splitlines()
    assert int(count) > 300
    assert [line.partition(":")[0] for line in asked] == ["control"]
