"""A settings file that lies in the working folder sends no secret of the operator anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from wireroom.errors import SettingsError, terminal_words
from wireroom.settings import FILE_NAME, Flag, Loaded, load_settings

KEY = "hush-hush"
MODEL_KEY = {"WIREROOM_SCOUT__MODEL_KEY": KEY}
API_KEY = {"WIREROOM_FETCH__STRATEGY_OPTIONS__API__API_KEY": KEY}
EVIL_MODEL = '[scout]\nmodel = "small"\nmodel_url = "https://evil.test/v1"\n'
EVIL_API = '[fetch.strategy_options.api]\nurl = "https://evil.test/v1"\n'
EVIL_ADDRESS = '[fetch.strategy_options.api]\naddress = "192.0.2.7:443"\n'
OWN_API = {"WIREROOM_FETCH__STRATEGY_OPTIONS__API__URL": "https://mine.test/v1"}
OWN_MODEL = {"WIREROOM_SCOUT__MODEL_URL": "https://mine.test/v1"}
EVIL_HOSTS = '[hosts]\n"mine.test" = "192.0.2.7:443"\n'
EVIL_DATABASE = 'database_url = "postgresql://desk@evil.test/news"\n'


def load(
    folder: Path,
    text: str,
    environ: Mapping[str, str],
    *,
    config: str | None = None,
    flags: tuple[Flag, ...] = (),
) -> Loaded:
    folder.mkdir(exist_ok=True)
    (folder / FILE_NAME).write_text(text)
    return load_settings(config=config, flags=flags, environ=environ, cwd=folder)


@pytest.mark.parametrize(
    ("text", "environ", "named"),
    [
        (EVIL_MODEL, MODEL_KEY, "scout.model_url"),
        (EVIL_HOSTS, MODEL_KEY | OWN_MODEL, 'hosts."mine.test"'),
        (EVIL_HOSTS.replace("mine.test", "Mine.Test"), MODEL_KEY | OWN_MODEL, 'hosts."Mine.Test"'),
        (EVIL_API, API_KEY, "fetch.strategy_options.api.url"),
        (EVIL_ADDRESS, API_KEY | OWN_API, "fetch.strategy_options.api.address"),
        (EVIL_DATABASE, {"PGPASSWORD": KEY}, "database_url"),
        (EVIL_DATABASE, {"PGPASSFILE": "/etc/passwords"}, "database_url"),
        (EVIL_DATABASE.replace("desk@", "desk:@"), {"PGPASSWORD": KEY}, "database_url"),
        (
            'database_url = "postgresql://desk@localhost/news?host=evil.test"',
            {"PGPASSWORD": KEY},
            "database_url",
        ),
    ],
)
def test_a_file_of_the_folder_does_not_say_where_a_secret_goes(
    tmp_path: Path, text: str, environ: Mapping[str, str], named: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text, environ)
    (problem,) = caught.value.problems
    assert problem.startswith(f"{named} = "), problem
    assert f"({FILE_NAME} line " in problem
    assert KEY not in str(caught.value)
    assert "--config" in terminal_words(caught.value.hint)
    assert "config=…" in caught.value.hint


def test_a_secret_of_a_flag_is_no_different(tmp_path: Path) -> None:
    flags = (Flag("--set", "scout.model_key", KEY),)
    with pytest.raises(SettingsError, match="flag --set"):
        load(tmp_path, EVIL_MODEL, {}, flags=flags)


def test_the_password_file_in_the_home_is_a_secret_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    load(tmp_path / "here", EVIL_DATABASE, {"HOME": str(home)})
    (home / ".pgpass").write_text("*:*:*:*:hush-hush")
    with pytest.raises(SettingsError, match="database_url"):
        load(tmp_path / "here", EVIL_DATABASE, {"HOME": str(home)})


@pytest.mark.parametrize(
    ("text", "environ"),
    [
        (EVIL_MODEL, MODEL_KEY | OWN_MODEL),
        (EVIL_MODEL, {}),
        (EVIL_MODEL + 'model_key = "theirs"\n', {}),
        (EVIL_API, API_KEY | OWN_API),
        (EVIL_DATABASE.replace("desk@", "desk:theirs@"), {"PGPASSWORD": KEY}),
        ('database_url = "postgresql:///news"', {"PGPASSWORD": KEY}),
        ('database_url = "sqlite:///news.db"', {"PGPASSWORD": KEY}),
        ('[fetch.strategy_options.plain]\nca_file = "./own.pem"\n', API_KEY),
    ],
)
def test_what_sends_no_secret_of_the_operator_stays_as_it_is(
    tmp_path: Path, text: str, environ: Mapping[str, str]
) -> None:
    loaded = load(tmp_path, text, environ)
    assert loaded.named_by == "working folder"
    assert loaded.settings.scout.model_url in {"", *OWN_MODEL.values(), "https://evil.test/v1"}


@pytest.mark.parametrize("way", ["flag", "environment", "configuration folder"])
def test_a_file_of_the_operators_own_may_name_the_address(tmp_path: Path, way: str) -> None:
    environ, config = dict(MODEL_KEY), None
    folder = tmp_path
    if way == "flag":
        config = FILE_NAME
    elif way == "environment":
        environ["WIREROOM_CONFIG"] = FILE_NAME
    else:
        environ |= {"XDG_CONFIG_HOME": str(tmp_path), "APPDATA": str(tmp_path)}
        folder = tmp_path / "wireroom"  # whoever stands in it reads their own file
    loaded = load(folder, EVIL_MODEL, environ, config=config)
    assert loaded.settings.scout.model_key == KEY
    assert way in loaded.named_by


# --- where the feeds of the operator's own database are asked ---------------------------------------

OWN_DATABASE = {"WIREROOM_DATABASE_URL": "sqlite:////home/desk/news.db"}
PINNED = '[hosts]\n"private.test" = "127.0.0.1:8080"\n'
PROXIED = (
    '[fetch]\nstrategies = ["proxy"]\n[fetch.strategy_options.proxy]\nurl = "http://evil.test:1"\n'
)
TRUSTED = '[fetch.strategy_options.plain]\nca_file = "./evil.pem"\n'


@pytest.mark.parametrize(
    ("text", "named"),
    [(PINNED, "hosts"), (PROXIED, "fetch.strategies"), (TRUSTED, "fetch.strategy_options.plain")],
)
def test_a_file_of_the_folder_does_not_lead_the_operators_feeds_elsewhere(
    tmp_path: Path, text: str, named: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, text, OWN_DATABASE)
    assert caught.value.problems[0].startswith(named)
    assert "the database (environment WIREROOM_DATABASE_URL)" in caught.value.problems[0]
    hint = terminal_words(caught.value.hint)
    assert f"If it is yours, say so: --config {FILE_NAME}" in hint
    assert "--db news.db" in hint
    assert "secret" not in hint  # none is sent anywhere here
    assert "config=…" in caught.value.hint


def test_a_folder_may_say_where_the_feeds_of_its_own_database_are_asked(tmp_path: Path) -> None:
    both = f'database_url = "sqlite:///news.db"\n{PINNED}'
    assert load(tmp_path, both, {}).settings.hosts
    flag = Flag("--db", "database_url", "sqlite:///other.db")
    assert load(tmp_path, both, {}, flags=(flag,)).settings.hosts
    assert load(tmp_path, PINNED, OWN_DATABASE, config=FILE_NAME).settings.hosts


# --- what only the operator can say ---------------------------------------------------------------

AGREED = '[fetch]\nagreed = ["index.commoncrawl.org"]\n'
OWN_AGREED = {"WIREROOM_FETCH__AGREED": "index.commoncrawl.org"}


def test_a_file_of_the_folder_lifts_no_robots_txt(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, AGREED, {})
    (problem,) = caught.value.problems
    assert problem.startswith("fetch.agreed = "), problem
    assert f"({FILE_NAME} line 2)" in problem
    assert "--config" in terminal_words(caught.value.hint)
    assert "config=…" in caught.value.hint


@pytest.mark.parametrize("way", ["--config", "WIREROOM_CONFIG", "environment", "flag", "over it"])
def test_the_operator_says_with_whom_terms_are_agreed(tmp_path: Path, way: str) -> None:
    flag = Flag("--set", "fetch.agreed", "index.commoncrawl.org")
    text, environ, config, flags = {
        "--config": (AGREED, {}, FILE_NAME, ()),
        "WIREROOM_CONFIG": (AGREED, {"WIREROOM_CONFIG": FILE_NAME}, None, ()),
        "environment": ("", OWN_AGREED, None, ()),
        "flag": ("", {}, None, (flag,)),
        "over it": (AGREED.replace("index", "data"), OWN_AGREED, None, ()),
    }[way]
    loaded = load(tmp_path, text, environ, config=config, flags=flags)
    assert loaded.settings.fetch.agreed == ("index.commoncrawl.org",)


@pytest.mark.parametrize("name", ["*.commoncrawl.org", ".commoncrawl.org", "https://x.test/", "*"])
def test_hosts_of_agreements_are_whole_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="host name"):
        load(tmp_path, "", {"WIREROOM_FETCH__AGREED": name})
