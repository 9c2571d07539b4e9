"""The settings that a town writes are understood by those who read settings."""

from __future__ import annotations

import tomllib
from pathlib import Path

from wireroom.settings import load_settings
from wireroom.town import Running, build_town
from wireroom.town.town_config import config_text


def test_written_settings_are_read_without_a_complaint(served: Running, tmp_path: Path) -> None:
    file = tmp_path / "wireroom.toml"
    file.write_text(served.settings_toml(), encoding="utf-8")
    settings = load_settings(config=str(file), environ={}, cwd=tmp_path).settings
    assert dict(settings.hosts) == served.hosts
    assert f"courier.test:{served.port}" in settings.fetch.allow_private
    urls = {feed.url for feed in settings.feeds}
    assert "http://courier.test/rss.xml" in urls
    for feed in settings.feeds:
        assert feed.url.removeprefix("http://").partition("/")[0] in served.hosts


def test_agency_is_followed_with_a_field_map(served: Running) -> None:
    feeds = tomllib.loads(served.settings_toml())["feeds"]
    (agency,) = [feed for feed in feeds if feed["name"] == "agency"]
    assert agency["kind"] == "json_api"
    assert agency["field_map"]["title"] == "headline"


def test_feeds_can_be_left_out(served: Running) -> None:
    assert "feeds" not in tomllib.loads(served.settings_toml(feeds=False))


def test_large_town_is_written_whole(tmp_path: Path) -> None:
    town = build_town(publishers=30, articles=1)
    hosts = {host: f"127.0.0.1:{8000 + at}" for at, host in enumerate(town.publishers)}
    file = tmp_path / "wireroom.toml"
    file.write_text(config_text(town, hosts), encoding="utf-8")
    settings = load_settings(config=str(file), environ={}, cwd=tmp_path).settings
    assert len(settings.hosts) == len(town.publishers)
