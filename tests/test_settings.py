"""Settings: where they come from, and what is said when they are wrong."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from selectolax.lexbor import LexborHTMLParser

from wireroom.app.run.run_options import RunOptions, run_options
from wireroom.duplicates.cluster_options import ClusterOptions, cluster_options
from wireroom.errors import SettingsError, terminal_words
from wireroom.fetch.fetch_options import FetchOptions, options_from
from wireroom.parse.metadata.selectors import select
from wireroom.settings import (
    FeedSettings,
    Flag,
    Loaded,
    Settings,
    json_schema,
    load_settings,
    redact,
    redact_address,
    setting_names,
    setting_rows,
)
from wireroom.settings.kinds import read_selector
from wireroom.settings.problems import key_lines, redacted
from wireroom.settings.secrets import cache_folder
from wireroom.settings.setting_sources import _place_in_table

GOOD = """\
database_url = "sqlite:///news.db"
contact_url = "https://desk.example/bot"

[hosts]
"courier.test" = "127.66.0.1:8080"
weekly = "[::1]:8080"

[fetch]
allow_private = ["courier.test:8080", "[::1]:80"]

[store]
raw_kept_for = 0
busy_timeout = "5 s"

[log]
level = "info"

[[feeds]]
name = "Courier"
url = "https://www.courier.test/rss.xml"

[[feeds]]
name = "Wochenblatt"
url = "https://weekly.test/api"
publisher = "wochenblatt.test"
kind = "json_api"
body_selector = "article p"
metadata_selectors = { section = "nav .here", image = "meta[name=image]@content" }
json_ld = false
language = "de-AT"
zone = "Europe/Vienna"
interval = "15 min"
mirrors = ["https://mirror.test/api"]
proxy = "socks5://me:hush@proxy.test:1080"
region = "Vienna"
category = "weeklies"
role = "fallback"
enabled = false

[feeds.field_map]
records = "data.items"
title = "headline"
image_url = "media.0.href"
priority = "prio"
"""


def load(
    folder: Path,
    text: str | bytes | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: tuple[Flag, ...] = (),
    config: str | None = None,
) -> Loaded:
    if text is not None:
        body = text.encode() if isinstance(text, str) else text
        (folder / "wireroom.toml").write_bytes(body)
    return load_settings(config=config, flags=flags, environ=environ or {}, cwd=folder)


def problems(folder: Path, text: str | bytes | None = None, **more: Any) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        load(folder, text, **more)
    return caught.value.problems


def origins(loaded: Loaded) -> dict[str, str]:
    return {row.path: row.origin for row in loaded.rows()}


# --- what is read ------------------------------------------------------------------------------


def test_without_any_source_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert loaded.file == ""
    assert set(origins(loaded).values()) == {"default"}


def test_everything_a_feed_can_have_stands_in_the_file(tmp_path: Path) -> None:
    courier, weekly = load(tmp_path, GOOD).settings.feeds
    assert courier.publisher_name() == "courier.test"
    assert (courier.enabled, courier.options().interval, courier.kind) == (True, None, None)
    assert weekly.publisher_name() == "wochenblatt.test"
    assert weekly.options().interval == timedelta(minutes=15)
    hints = weekly.options().hints
    assert hints.metadata_selectors == {
        "section": "nav .here",
        "image": "meta[name=image]@content",
    }
    assert hints.field_map == {
        "records": "data.items",
        "title": "headline",
        "image_url": "media.0.href",
        "priority": "prio",
    }
    assert (hints.json_ld, hints.language, hints.zone) == (False, "de-AT", "Europe/Vienna")


@pytest.mark.parametrize(
    "selector", ["p", "a@href", ".who[]", "a@href[]", "meta[name='a@b']@content", ".x:has(> img)"]
)
def test_selectors_are_taken_as_pages_are_read(selector: str) -> None:
    feed = FeedSettings(name="a", url="https://a.test/", metadata_selectors={"x": selector})
    assert feed.options().hints.metadata_selectors == {"x": selector}
    tree = LexborHTMLParser("<p>")
    assert select(tree, {"x": selector})[1] in (("selector x: matched nothing",), ())


@settings(deadline=None)
@given(text=st.text(alphabet="pa.#[]()'\"=:>+~*,@ \\|^$é1", max_size=60))
def test_any_selector_is_taken_only_if_pages_can_be_read_by_it(text: str) -> None:
    try:
        taken = read_selector(text)
    except ValueError:
        return
    notes = select(LexborHTMLParser("<p>"), {"x": taken})[1]
    assert "selector x: not a CSS selector" not in notes


@pytest.mark.long
def test_a_file_without_selectors_does_not_load_their_library(tmp_path: Path) -> None:
    (tmp_path / "wireroom.toml").write_text(FEED)
    code = "import sys; from wireroom.settings import load_settings as load; load()"
    code += "; sys.exit('selectolax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_a_room_gets_its_part(tmp_path: Path) -> None:
    options = load(tmp_path, GOOD).settings.store_options()
    assert options.raw_kept_for == timedelta()
    assert options.busy_timeout == timedelta(seconds=5)


def test_flags_go_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    environ = {"WIREROOM_LOG__LEVEL": "error", "WIREROOM_STORE__BUSY_TIMEOUT": "9 s"}
    flags = (
        Flag("--set", "log.level", "debug"),
        Flag("--db", "database_url", "sqlite:///other.db"),
    )
    loaded = load(tmp_path, GOOD, environ=environ, flags=flags)
    assert loaded.settings.log.level == "debug"
    assert loaded.settings.store.busy_timeout == timedelta(seconds=9)
    assert loaded.settings.contact_url == "https://desk.example/bot"
    found = origins(loaded)
    assert found["log.level"] == "flag --set"
    assert found["database_url"] == "flag --db"
    assert found["store.busy_timeout"] == "environment WIREROOM_STORE__BUSY_TIMEOUT"
    assert found["store.raw_kept_for"] == "wireroom.toml line 12"
    assert found["log.format"] == "default"
    assert found['hosts."courier.test"'] == "wireroom.toml line 5"
    assert found["feeds[1].field_map.title"] == "wireroom.toml line 42"
    assert found["feeds[0].zone"] == "default"


def test_lists_and_tables_come_from_the_environment_too(tmp_path: Path) -> None:
    environ = {
        "WIREROOM_HOSTS": '{"weekly": "127.0.0.2:81", "new.test": "127.0.0.3:82"}',
        "WIREROOM_FETCH__ALLOW_PRIVATE": "a.test:1, b.test:2",
        "WIREROOM_FEEDS": '[{name = "One", url = "https://one.test/"}]',
    }
    loaded = load(tmp_path, GOOD, environ=environ)
    assert loaded.settings.hosts == {
        "courier.test": "127.66.0.1:8080",
        "weekly": "127.0.0.2:81",
        "new.test": "127.0.0.3:82",
    }
    assert loaded.settings.fetch.allow_private == ("a.test:1", "b.test:2")
    assert [feed.name for feed in loaded.settings.feeds] == ["One"]
    found = origins(loaded)
    assert found["feeds[0].url"] == "environment WIREROOM_FEEDS"
    assert found["hosts.weekly"] == "environment WIREROOM_HOSTS"
    assert found['hosts."courier.test"'] == "wireroom.toml line 5"


def test_one_host_can_be_set_by_a_flag(tmp_path: Path) -> None:
    flags = (Flag("--set", "hosts.courier.test", "127.0.0.1:80"),)
    assert load(tmp_path, flags=flags).settings.hosts == {"courier.test": "127.0.0.1:80"}


@pytest.mark.parametrize(
    ("annotation", "rest", "expected"),
    [
        (Mapping[str, str], ("a", "b"), ("value", ("t", "a.b"))),
        (Mapping[str, Mapping[str, str]], ("a",), ("table", ("t", "a"))),
        (Mapping[str, Mapping[str, str]], ("a", "b", "c"), ("value", ("t", "a", "b.c"))),
    ],
)
def test_names_in_tables_may_hold_dots(
    annotation: object, rest: tuple[str, ...], expected: object
) -> None:
    assert _place_in_table(annotation, ("t",), rest) == expected


def test_the_file_is_never_searched_upward(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "wireroom.toml").write_text('[log]\nlevel = "debug"\n')
    assert load(inner).settings.log.level == "warning"


def test_the_platforms_config_folder_comes_second(tmp_path: Path) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    (home / "wireroom").mkdir(parents=True)
    here.mkdir()
    (home / "wireroom" / "wireroom.toml").write_text('[log]\nlevel = "debug"\n')
    environ = {"XDG_CONFIG_HOME": str(home), "APPDATA": str(home), "HOME": ""}
    assert load(here, environ=environ).settings.log.level == "debug"
    assert load(here, "[log]\nlevel = 'error'", environ=environ).settings.log.level == "error"


@pytest.mark.skipif(sys.platform in {"darwin", "win32"}, reason="other platforms, other places")
@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_CACHE_HOME": "/var/kept", "HOME": "/home/ada"}, Path("/var/kept/wireroom")),
        ({"HOME": "/home/ada"}, Path("/home/ada/.cache/wireroom")),
        ({"XDG_CACHE_HOME": "kept"}, None),
        ({}, None),
    ],
)
def test_what_can_be_made_anew_is_kept_in_the_platforms_cache_folder(
    environ: dict[str, str], expected: Path | None
) -> None:
    assert cache_folder(environ) == expected


def test_a_named_file_goes_before_the_one_found(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('[log]\nlevel = "debug"\n')
    environ = {"WIREROOM_CONFIG": "other.toml"}
    assert load(tmp_path, GOOD, environ=environ).settings.log.level == "debug"
    named = load(tmp_path, config="wireroom.toml", environ=environ)
    assert named.settings.log.level == "info"


def test_windows_line_ends_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    body = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert origins(load(tmp_path, body))["log.level"] == "wireroom.toml line 16"


def test_settings_are_frozen_and_can_be_sent_to_a_worker(tmp_path: Path) -> None:
    loaded = load(tmp_path, GOOD)
    with pytest.raises(ValidationError):
        loaded.settings.contact_url = "x"
    assert pickle.loads(pickle.dumps(loaded.settings)) == loaded.settings


# --- what is wrong -----------------------------------------------------------------------------

WRONG = {
    '[fetch]\ngap = 3': ("fetch.gap (wireroom.toml line 2): unknown setting",),
    '[fetch]\nallow_privat = []': ("did you mean fetch.allow_private?",),
    '[fecth]\ndelay = "1 s"': ("fecth (wireroom.toml line 1): unknown section; did you mean fetch?",),
    '[[feed]]\nurl = "https://a.test/"': ("unknown section; did you mean feeds?",),
    '[magic]\na = 1': ("magic (wireroom.toml line 1): unknown section",),
    'level = "info"': ("level (wireroom.toml line 1): unknown", "did you mean log.level?"),
    '[log]\nlevel = "loud"': ('log.level = "loud" (wireroom.toml line 2): expected one of',),
    "[log]\nlevel = 3": ("log.level = 3 ", "expected one of"),
    "log = 3": ("log = 3 (wireroom.toml line 1): expected a table",),
    "contact_url = 5": ("contact_url = 5 ", "expected a text in quotes"),
    'contact_url = "nobody"': ("contact_url", "mailto:"),
    'contact_url = "https://a.test/(x)"': ("contact_url", "expected an address"),
    'database_url = "news.db"': ("database_url", 'expected "sqlite:///file.db"'),
    'hosts = ["a"]': ("hosts = a list of 1", "expected a table"),
    '[hosts]\n"a b" = "127.0.0.1:80"': ('hosts."a b"', "expected a host name"),
    '[hosts]\na = "localhost:80"': ("hosts.a", "expected a literal address"),
    '[hosts]\na = "127.1:80"': ("hosts.a", "expected a literal address"),
    '[hosts]\na = "::1:80"': ("hosts.a", 'expected "host:port"'),
    '[fetch]\nallow_private = ["a"]': ("fetch.allow_private[0]", 'expected "host:port"'),
    '[fetch]\nallow_private = ["a:0"]': ("fetch.allow_private[0]", "1 to 65535"),
    '[fetch]\nallow_private = "a:1"': ("fetch.allow_private", "expected a list"),
    "[store]\nbusy_timeout = 30": ("store.busy_timeout = 30", "does not say its unit"),
    "[store]\nbusy_timeout = true": ("store.busy_timeout = true", "expected a duration"),
    '[store]\nbusy_timeout = "1 h"': ("store.busy_timeout", "expected at most 10 min"),
    "[store]\nraw_kept_for = 07:00:00": ("store.raw_kept_for", "expected a duration"),
    'feeds = "x"': ('feeds = "x"', "expected a list"),
    '[[feeds]]\nname = "a"\nurl = "ftp://a.test/"': ("feeds[0].url", "expected a web address"),
    "feeds = [1]": ("feeds[0] = 1", "expected a table"),
    '[[feeds]]\nname = "a"': ("feeds[0].url (wireroom.toml line 1): missing",),
    '[[feeds]]\nurl = "https://a.test/"\nname = ""': ("feeds[0].name", "at least one"),
    '[[feeds]]\nurl = "https://a.test/"\nname = "a\\u001b[2J"': ("feeds[0].name", "printable"),
}  # fmt: skip

FEED = '[[feeds]]\nname = "a"\nurl = "https://a.test/"\n'
WRONG_FEED = {
    'interva = "1 h"': ("feeds[0].interva", "did you mean feeds[0].interval?"),
    'interval = "10 s"': ("feeds[0].interval", "expected at least 1 min"),
    'zone = "Europe"': ("feeds[0].zone", "expected a time zone"),
    'zone = "../../etc/passwd"': ("feeds[0].zone", "expected a time zone"),
    'zone = "Middle/Earth"': ("feeds[0].zone", "expected a time zone"),
    'language = "German language"': ("feeds[0].language", "expected a language tag"),
    'kind = "rss2"': ("feeds[0].kind", "expected one of"),
    'json_ld = "perhaps"': ("feeds[0].json_ld", "expected true or false"),
    'enabled = []': ("feeds[0].enabled", "expected true or false"),
    'mirrors = ["ftp://a"]': ("feeds[0].mirrors[0]", "expected a web address"),
    'proxy = "http://proxy.test:99999"': ("feeds[0].proxy", "expected"),
    'proxy = "proxy.test"': ("feeds[0].proxy", "expected"),
    'publisher = "https://a.test"': ("feeds[0].publisher", "expected a host name"),
    'field_map = { "head line" = "title" }': (
        'feeds[0].field_map."head line"',
        "expected a name of letters",
    ),
    'metadata_selectors = { "a b" = "p" }': ('feeds[0].metadata_selectors."a b"', "letters"),
    'body_selector = "article p["': ('feeds[0].body_selector = "article p["', "a CSS selector"),
    'metadata_selectors = { a = "p:::x" }': ("feeds[0].metadata_selectors.a", "a CSS selector"),
    'metadata_selectors = { a = "@href" }': ("feeds[0].metadata_selectors.a", "a CSS selector"),
    'metadata_selectors = { a = "" }': ("feeds[0].metadata_selectors.a", "at least one"),
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_setting_names_path_value_and_expectation(tmp_path: Path, text: str) -> None:
    (problem,) = problems(tmp_path, text)
    assert all(part in problem for part in WRONG[text]), problem
    assert "\n" not in problem


@pytest.mark.parametrize("line", WRONG_FEED)
def test_a_wrong_feed_names_its_place_in_the_list(tmp_path: Path, line: str) -> None:
    (problem,) = problems(tmp_path, FEED + line)
    assert all(part in problem for part in WRONG_FEED[line]), problem
    assert "wireroom.toml line 4" in problem


def test_all_problems_of_all_sources_are_reported_at_once(tmp_path: Path) -> None:
    text = 'contact = "x"\n[log]\nlevel = "loud"\n[store]\nbusy_timeout = 3\n'
    environ = {"WIREROOM_LOG__LEVL": "x", "WIREROOM_STORE": "{}", "HOME": "/nowhere"}
    flags = (Flag("--set", "fetch.gap", "1"), Flag("--set", "log.format", "xml"))
    lines = problems(tmp_path, text, environ=environ, flags=flags)
    assert len(lines) == 7
    assert any(
        "WIREROOM_LOG__LEVL (environment)" in line and "LOG__LEVEL?" in line for line in lines
    )
    assert any("WIREROOM_STORE (environment)" in line for line in lines)
    assert any(line.startswith("fetch.gap (flag --set)") for line in lines)
    assert any(line.startswith('log.format = "xml" (flag --set)') for line in lines)


def test_a_broken_file_does_not_hide_the_other_problems(tmp_path: Path) -> None:
    lines = problems(tmp_path, "a = = 1", environ={"WIREROOM_LOG__LEVEL": "loud"})
    assert "broken TOML" in lines[0]
    assert "line 1, column" in lines[0]
    assert lines[1].startswith('log.level = "loud" (environment WIREROOM_LOG__LEVEL)')


WRONG_NAMES = {
    '[hosts]\n"a b" = "127.0.0.1:80"': 'hosts."a b" (wireroom.toml line 2): expected a host name',
    '[hosts]\n"[key]" = "x"': 'hosts."[key]" = "x" (wireroom.toml line 2): expected "host:port"',
    '[fetch.strategy_options]\n" " = {}': 'fetch.strategy_options." " (wireroom.toml line 2): ',
    "[[feeds]]\nname = 'a'\nurl = 'https://a.test/'\nfield_map.'a b' = 'x'": (
        'feeds[0].field_map."a b" (wireroom.toml line 4): expected a name of letters'
    ),
    "[[feeds]]\nname = 'a'\nurl = 'https://a.test/'\nmetadata_selectors.'a b' = 'x'": (
        'feeds[0].metadata_selectors."a b" (wireroom.toml line 4): expected a name of letters'
    ),
}


@pytest.mark.parametrize("text", WRONG_NAMES)
def test_a_wrong_name_in_a_table_is_not_reported_as_its_value(tmp_path: Path, text: str) -> None:
    lines = problems(tmp_path, text)
    assert any(line.startswith(WRONG_NAMES[text]) for line in lines), lines


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('dedup = "x"', ""),
        ('title = "x"', ""),
        ('langauge = "x"', "feeds[0].language"),
        ('selector = "x"', "feeds[0].body_selector"),
    ],
)
def test_a_name_unlike_all_others_suggests_none(tmp_path: Path, text: str, meant: str) -> None:
    (problem,) = problems(tmp_path, FEED + text)
    assert problem.endswith(
        f"unknown setting; did you mean {meant}?" if meant else "unknown setting"
    )


def test_sections_and_prefixes_make_no_name_like_another(tmp_path: Path) -> None:
    environ = dict.fromkeys(("WIREROOM_FETCH__GAP", "WIREROOM_XYZ", "WIREROOM_LOG_LEVEL"), "1")
    flags = (Flag("--set", "fech.timeout", "1"), Flag("--set", "fetch.gap", "1"))
    lines = problems(tmp_path, environ=environ, flags=flags)
    meant = [line.partition("did you mean ")[2] for line in lines]
    assert sorted(meant) == ["", "", "", "WIREROOM_LOG__LEVEL?", "fetch.timeout?"]


SCHEMA = "What can be set: wireroom config schema"
WAYS_OUT: dict[str, tuple[dict[str, Any], str]] = {
    "missing": ({"config": "none.toml"}, "Write it, or name another file with --config."),
    "folder": (
        {"config": "."},
        "Name a file, such as wireroom.toml in that folder, with --config.",
    ),
    "broken": ({"text": "a = = 1"}, "Correct it there; https://toml.io shows how it is written."),
    "not UTF-8": ({"text": b"\xff"}, "Save it as UTF-8."),
    "endless": ({"config": "/dev/zero"}, "Name the right file with --config."),
    "no flag": ({"flags": (Flag("--set", "", "x"),)}, "Write it as in: --set log.level=debug."),
    "wrong": ({"text": "contact_url = 1"}, SCHEMA),
    "unknown": ({"environ": {"WIREROOM_X": "1"}}, SCHEMA),
    "two": ({"config": "none.toml", "environ": {"WIREROOM_X": "1"}}, f"with --config. {SCHEMA}"),
}


@pytest.mark.parametrize("cause", WAYS_OUT)
def test_each_cause_has_its_hint(tmp_path: Path, cause: str) -> None:
    given, hint = WAYS_OUT[cause]
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, **given)
    shown = terminal_words(caught.value.hint)
    assert shown.endswith(hint)
    assert (SCHEMA in shown) == (SCHEMA in hint)
    if cause != "no flag":  # nobody gives a flag from Python
        assert "--" not in str(caught.value)


def test_the_cause_is_kept(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, "a = = 1")
    assert isinstance(caught.value.__cause__, ValueError)


def test_feeds_with_one_name_or_one_address_are_refused(tmp_path: Path) -> None:
    text = (
        FEED
        + '[[feeds]]\nname = "a"\nurl = "https://b.test/"\n'
        + '[[feeds]]\nname = "c"\nurl = "http://www.a.test/?utm_source=x"\nzone = "Mars"\n'
    )
    lines = problems(tmp_path, text)
    assert lines[0].startswith('feeds[1].name = "a" (wireroom.toml line 5): expected another name')
    assert lines[1].startswith("feeds[2].url = ")
    assert "feeds[2].zone" in lines[2]


def test_feeds_given_twice_in_code_are_refused_too() -> None:
    feed = FeedSettings(name="a", url="https://a.test/")
    with pytest.raises(ValidationError, match=r"feeds\[1\].name"):
        Settings(feeds=(feed, feed))


def test_durations_given_in_code_are_taken_within_their_bounds() -> None:
    feed = FeedSettings(name="a", url="https://a.test/", interval=timedelta(hours=1))
    assert feed.options().interval == timedelta(hours=1)
    with pytest.raises(ValidationError, match="expected at least 1 min"):
        FeedSettings(name="a", url="https://a.test/", interval=timedelta(seconds=1))
    with pytest.raises(ValidationError, match="expected 0 to 3653 days"):
        FeedSettings(name="a", url="https://a.test/", interval=timedelta(days=-1))


def test_a_file_that_is_not_utf8_says_where(tmp_path: Path) -> None:
    assert problems(tmp_path, b'contact_url = "\xff"') == ("wireroom.toml: not UTF-8, at byte 15",)


def test_a_folder_instead_of_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "wireroom.toml").mkdir()
    (problem,) = problems(tmp_path)
    assert problem.startswith("wireroom.toml: cannot be read: ")


@pytest.mark.parametrize("named", ["flag", "environment"])
def test_a_named_file_that_is_missing_is_a_problem(tmp_path: Path, named: str) -> None:
    environ = {"WIREROOM_CONFIG": "none.toml"} if named == "environment" else {}
    config = "none.toml" if named == "flag" else None
    (problem,) = problems(tmp_path, config=config, environ=environ)
    assert problem.startswith("none.toml: cannot be read: No such file")


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="POSIX mode bits")
def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    link = tmp_path / "wireroom.toml"
    link.symlink_to(link)  # a loop cannot be read by anybody, root included
    (problem,) = problems(tmp_path)
    assert problem.startswith("wireroom.toml: cannot be read: ")


def test_a_device_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, config="/dev/zero")
    assert problem == "/dev/zero: larger than 16 MB"


def test_deep_nesting_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "a = " + "[" * 20_000)
    assert problem.startswith("wireroom.toml: broken TOML: ")


def test_many_problems_are_cut_and_counted(tmp_path: Path) -> None:
    lines = problems(tmp_path, "\n".join(f"key{number} = 1" for number in range(80)))
    assert len(lines) == 51
    assert lines[-1] == "and 30 more problems"


# --- secrets -----------------------------------------------------------------------------------

SECRET_FILES = [
    'database_url = "postgresql://desk:hush@localhost"\n[log]\nlevel = "x"',
    'database_url = "desk:hush@localhost/news"',
    'database_url = "postgresql:desk:hu@sh/x@localhost/news"',
    'database_url = ["postgresql://desk:hush@localhost/news"]',
    FEED + 'proxy = "socks9://me:hush@proxy.test"',
    FEED + 'proxy = "me:hush@proxy.test:80"',
    FEED + 'mirrors = ["https://me:hush@a.test/"]',
    FEED + 'mirrors = ["https://a.test/?api_key=hush", "x"]',
    '[scout]\nmodel_key = "hush hush"',
    '[scout]\nmodel_key = ["hush"]',
]


@pytest.mark.parametrize("text", SECRET_FILES)
def test_no_problem_shows_a_secret(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text)
    message = f"{caught.value} {caught.value.__cause__}"
    assert "hush" not in message
    assert "hu@sh" not in message


def test_rows_hide_secrets_and_are_plain_json(tmp_path: Path) -> None:
    flags = (Flag("--db", "database_url", "postgresql://desk:hu/sh@db.test/news?password=hush"),)
    rows = load(tmp_path, GOOD, flags=flags, config="wireroom.toml").rows()
    text = json.dumps([row.value for row in rows])
    assert "hush" not in text
    assert "hu/sh" not in text
    values = {row.path: row.value for row in rows}
    assert values["database_url"] == "postgresql://***@db.test/news?password=***"
    assert values["feeds[1].proxy"] == "socks5://***@proxy.test:1080"
    assert values["store.busy_timeout"] == "5 s"


def test_a_setting_that_is_called_a_secret_is_hidden_whole() -> None:
    assert redacted(("web", "api_token"), "hush") == "***"
    assert redacted(("fetch", "options"), {"proxy": {"password": "hush", "user": "me"}}) == {
        "proxy": {"password": "***", "user": "me"}
    }


OPTIONS = {
    "key": "hush",
    "authorization": "Bearer hush",
    "bearer": "https://hush.test/",
    "whatever": "hush",
    "base64": "/hush/9xQ==",
    "url": "socks5://me:hush@proxy.test:1080",
    "endpoint": "https://api.test/v1?auth=hush&page=2&signing-key=hush",
    "ca_file": "/etc/ssl/own.pem",
    "path": "./pages.warc.gz",
    "empty": "",
}


def test_of_a_strategys_options_only_addresses_and_paths_are_shown(tmp_path: Path) -> None:
    lines = (f"{name} = {json.dumps(value)}" for name, value in OPTIONS.items())
    rows = load(tmp_path, "\n".join(["[fetch.strategy_options.theirs]", *lines])).rows()
    shown = {row.path.rpartition(".")[2]: row.value for row in rows if "theirs" in row.path}
    assert shown == {
        **dict.fromkeys(("key", "authorization", "bearer", "whatever", "base64"), "***"),
        "url": "socks5://***@proxy.test:1080",
        "endpoint": "https://api.test/v1?auth=***&page=2&signing-key=***",
        "ca_file": "/etc/ssl/own.pem",
        "path": "./pages.warc.gz",
        "empty": "",
    }


@pytest.mark.parametrize("text", ["api = { key = 4711 }", 'api = "4711"', "api = { x = [4711] }"])
def test_a_wrong_option_of_a_strategy_is_not_shown(tmp_path: Path, text: str) -> None:
    (problem,) = problems(tmp_path, f"[fetch.strategy_options]\n{text}")
    assert "4711" not in problem
    assert problem.startswith("fetch.strategy_options.api")


def test_the_operators_own_words_are_no_names_of_secrets(tmp_path: Path) -> None:
    text = (
        '[hosts]\n"turkey.test" = "127.0.0.1:80"\n'
        + FEED
        + 'metadata_selectors = { token = "p" }\nfield_map = { authors = "by" }\n'
    )
    assert "***" not in [row.value for row in load(tmp_path, text).rows()]


def test_paths_with_an_at_sign_are_no_secret() -> None:
    assert redact("https://blogs.example/@ann/feed") == "https://blogs.example/@ann/feed"
    assert redact("see http://a:b@c.test/ and 'x'") == "see http://***@c.test/ and 'x'"
    assert redact_address("sqlite:///wireroom.db") == "sqlite:///wireroom.db"


# --- schema, lines, any input ------------------------------------------------------------------


def test_the_schema_describes_every_setting() -> None:
    schema = json_schema()
    definitions = schema["$defs"]
    assert set(schema["properties"]) == set(Settings.model_fields)
    for model in (schema, *definitions.values()):
        assert model["additionalProperties"] is False
        for name, field in model["properties"].items():
            assert field.get("description") or "$ref" in field, name
    assert json.loads(json.dumps(schema)) == schema


def test_every_setting_is_listed_with_type_default_and_help() -> None:
    rows = {row.path: row for row in setting_rows()}
    assert all(row.help and row.type for row in rows.values())
    assert rows["store.raw_kept_for"].default == '"7 days"'
    assert rows["store.raw_kept_for"].type == "duration"
    assert rows["log.level"].type == "`debug`, `info`, `warning`, `error`"
    assert rows["feeds[].interval"].type == "duration"
    assert rows["feeds[].url"].default == ""
    assert rows["hosts"].type == "table"


def test_every_setting_has_a_name() -> None:
    assert {"database_url", "fetch.allow_private", "store.raw_kept_for", "feeds"} <= set(
        setting_names()
    )


def test_lines_are_right_after_texts_and_lists_over_several_lines() -> None:
    text = (
        'a = """\n[not.a.table]\nb = 1\n"""\n'
        "c = [\n  1, # ] no end\n  '[',\n]\n"
        "[ \"x.y\" . z ]\nd = '''\n e = 2'''\nf = 1\n"
        "[[g.h]]\n[g.h.i]\nj = 1\n[[g.h]]\nj = { k = 1 }\n"
    )
    lines = key_lines(text)
    assert lines[("a",)] == 1
    assert ("not", "a", "table") not in lines
    assert lines[("c",)] == 5
    assert lines[("x.y", "z")] == 9
    assert lines[("x.y", "z", "f")] == 12
    assert lines[("g", "h", 0, "i", "j")] == 15
    assert lines[("g", "h", 1, "j")] == 17


NAMES = st.sampled_from([*Settings.model_fields, *FeedSettings.model_fields, "level", "odd"])
SCALARS = st.one_of(
    st.text(max_size=20),
    st.integers(),
    st.booleans(),
    st.floats(),
    st.sampled_from(["https://a.test/", "127.0.0.1:80", "15 min", "info"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value).replace("\\u007f", "\\u007F")


def outcome(folder: Path, text: bytes | None = None, **more: Any) -> tuple[str, ...]:
    """The problems told, none when it loads; any other exception is a failure."""
    try:
        loaded = load(folder, text, **more)
    except SettingsError as exc:
        return exc.problems or ("no problem told",)
    json.dumps([row.value for row in loaded.rows()])
    return ()


FUZZ = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@FUZZ
@given(document=st.dictionaries(NAMES, VALUES, max_size=6))
def test_any_settings_load_or_are_reported_as_problems(
    tmp_path: Path, document: dict[str, object]
) -> None:
    text = "\n".join(f"{name} = {toml(v)}" for name, v in document.items())
    lines = outcome(tmp_path, text.encode("utf-8", "surrogatepass"))
    assert not any("\n" in line or "no problem told" in line for line in lines)


@FUZZ
@given(text=st.text(alphabet="ab[]{}='\".,#\\\n 1\x00é\ud800", max_size=60))
def test_any_text_loads_or_is_reported_as_broken(tmp_path: Path, text: str) -> None:
    lines = outcome(tmp_path, text.encode("utf-8", "surrogatepass"))
    assert not any("\n" in line or "no problem told" in line for line in lines)


@FUZZ
@given(text=st.text(max_size=40), name=st.sampled_from(setting_names()))
def test_any_text_in_the_environment_is_taken_or_reported(
    tmp_path: Path, text: str, name: str
) -> None:
    environ = {"WIREROOM_" + name.replace(".", "__").upper(): text}
    (tmp_path / "wireroom.toml").unlink(missing_ok=True)
    lines = outcome(tmp_path, environ=environ)
    assert all(f"environment {next(iter(environ))}" in line for line in lines)


def test_a_room_without_settings_does_as_the_default_settings_say() -> None:
    """The numbers stand in both places, so that a room can be used without settings."""
    usual = Settings()
    assert cluster_options(usual) == ClusterOptions()
    fetching = options_from(usual)
    assert fetching == replace(FetchOptions(), user_agent=fetching.user_agent)
    assert run_options(usual) == RunOptions(keep_raw=True)
