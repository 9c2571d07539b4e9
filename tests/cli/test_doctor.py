"""`wireroom doctor`: each illness is found and comes with advice."""

from __future__ import annotations

import json
import re
import shutil
import socket
import tomllib
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Ran
from tests.parts import REPOSITORY
from wireroom import open_app
from wireroom.app import doctor as checks
from wireroom.app.doctor import Check, Load
from wireroom.cli.doctor import terminal_check
from wireroom.cli.session import Choices, Session

Run = Callable[..., Ran]


def diagnosed(**choices: Any) -> dict[str, Check]:
    session = Session(choices=Choices(**choices))
    return {check.name: check for check in checks.diagnose(session.load)}


@pytest.mark.long
def test_a_sound_installation_is_ok(wireroom: Run) -> None:
    Path("wireroom.toml").write_text('contact_url = "https://desk.example/bot"\n')
    with open_app("sqlite:///wireroom.db"):
        pass
    ran = wireroom("doctor")
    assert ran.code == 0, ran.out
    states = {line.split()[0] for line in ran.out.splitlines()}
    assert states == {"ok"}
    assert "0 failed" in ran.err


def test_what_has_to_be_looked_at_stands_at_the_end(wireroom: Run) -> None:
    Path("wireroom.db").write_text("no database")
    states = [line.split()[0] for line in wireroom("doctor").out.splitlines()]
    assert {"ok", "warn", "fail"} == set(states)
    assert states == sorted(states, key=("ok", "warn", "fail").index)


def test_json_has_every_row(wireroom: Run) -> None:
    data = json.loads(wireroom("doctor", "--json").out)
    assert data["ok"] is True
    names = [check["name"] for check in data["checks"]]
    for name in ("python", "settings", "sqlite", "database", "disk", "hosts", "loopback"):
        assert name in names
    assert {check["state"] for check in data["checks"]} == {"ok", "warn"}


def test_looking_makes_no_database() -> None:
    assert "not there yet" in diagnosed()["database"].found
    assert not Path("wireroom.db").exists()


def test_wrong_settings_fail_and_the_rest_is_still_looked_at(wireroom: Run) -> None:
    Path("wireroom.toml").write_text('a = 1\n[log]\nlevel = "loud"\n')
    ran = wireroom("doctor")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert sum(line.startswith("fail  settings") for line in lines) == 2
    assert any(line.startswith("ok    python") for line in lines)
    assert any(line.startswith("ok    loopback") for line in lines)


def test_every_extra_of_the_package_is_known() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = set(project["optional-dependencies"]) - {"all", "test", "bench", "docs"}
    assert set(checks.EXTRAS) == extras


def requirements(extra: str) -> set[str]:
    """The distributions that an extra brings, by their normal names."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    return {
        normal(re.split(r"[^\w.-]", need)[0]) for need in project["optional-dependencies"][extra]
    }


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.long
@pytest.mark.parametrize("extra", checks.EXTRAS)
def test_the_module_looked_for_is_one_that_the_extra_brings(extra: str) -> None:
    module, _ = checks.EXTRAS[extra]
    # What is not installed here is known by its name alone.
    brought_by = packages_distributions().get(module, [module])
    assert requirements(extra) & {normal(name) for name in brought_by}


def test_a_missing_extra_is_a_failure_only_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "find_spec", lambda _module: None)
    found = diagnosed()["extra postgres"]
    assert found.state == "ok"
    assert found.advice == "pip install 'wireroom[postgres]'"
    assert diagnosed(db="postgresql://127.0.0.1:1/x")["extra postgres"].state == "fail"


@pytest.mark.parametrize(
    ("text", "extra"),
    [
        ('fetch.strategies = ["plain", "impersonate"]', "impersonate"),
        ('feeds = [{name="a", url="https://a.test/", proxy="http://p.test:80"}]', "socks"),
    ],
)
def test_a_strategy_without_its_extra_fails(
    monkeypatch: pytest.MonkeyPatch, text: str, extra: str
) -> None:
    Path("wireroom.toml").write_text(text)
    assert diagnosed()["strategies"].state == "ok"
    monkeypatch.setattr(checks, "find_spec", lambda _module: None)
    found = diagnosed()["strategies"]
    assert (found.state, found.advice) == ("fail", f"pip install 'wireroom[{extra}]'")


def test_a_strategy_that_does_not_exist_is_a_row() -> None:
    Path("wireroom.toml").write_text('fetch.strategies = ["nosuch"]')
    found = diagnosed()["settings"]
    assert found.state == "fail"
    assert found.found.startswith('fetch.strategies[0] = "nosuch" (wireroom.toml line 1)')


def test_a_broken_database_fails(wireroom: Run) -> None:
    Path("wireroom.db").write_bytes(b"no database" * 1000)
    assert diagnosed()["database"].state == "fail"
    assert wireroom("doctor").code == 1


@pytest.mark.parametrize(("free", "state"), [(10, "fail"), (2**29, "warn"), (2**40, "ok")])
def test_little_room_is_reported(monkeypatch: pytest.MonkeyPatch, free: int, state: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=free))
    assert diagnosed()["disk"].state == state


def test_a_missing_folder_is_reported() -> None:
    assert diagnosed(db="none/wireroom.db")["disk"].state == "fail"


def test_odd_network_rules_are_warned_of() -> None:
    found = diagnosed(sets=("hosts.a.test=8.8.8.8:80", "fetch.allow_private=db.test:5432"))
    assert found["hosts"].state == "warn"
    assert "a.test" in found["hosts"].found
    assert found["private places"].state == "warn"
    assert "PostgreSQL" in found["private places"].found
    fine = diagnosed(sets=("hosts.a.test=127.0.0.1:80", "fetch.allow_private=a.test:80"))
    assert fine["hosts"].state == fine["private places"].state == "ok"


def test_a_loopback_that_does_not_answer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert diagnosed()["loopback"].state == "fail"


def test_a_plug_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "broken", lambda room, _kind: {"their.plug:PLUG": "ImportError: x"} if room == "fetch.strategies" else {})  # fmt: skip
    found = diagnosed()["plug"]
    assert found.state == "warn"
    assert "their.plug:PLUG" in found.found


def test_an_old_python_and_missing_time_zones_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(checks, "OLDEST_PYTHON", (4, 0))
    monkeypatch.setattr(checks, "ZoneInfo", unknown)
    found = diagnosed()
    assert found["python"].state == found["time zones"].state == "fail"
    assert "tzdata" in found["time zones"].advice


def test_an_encoding_without_most_characters_is_warned_of(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.loads(wireroom("doctor", "--json").out)
    assert data["checks"][-1]["name"] == "terminal"
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="ascii", isatty=lambda: False))
    assert terminal_check(Session()).state == "warn"


def test_a_check_that_breaks_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def _odd(_load: Load) -> Any:
        raise ZeroDivisionError("x")

    monkeypatch.setattr(checks, "CHECKS", (_odd, *checks.CHECKS))
    found = diagnosed()
    assert found["odd"].state == "fail"
    assert found["python"].state == "ok"


def test_hosts_whose_robots_txt_is_not_asked_are_named(wireroom: Run) -> None:
    assert "agreed" not in diagnosed()
    sets = ("fetch.agreed=index.commoncrawl.org",)
    found = diagnosed(sets=sets)["agreed"].found
    assert found == "robots.txt is not asked of index.commoncrawl.org (fetch.agreed)"
    message = "robots.txt not asked, by agreement hosts=index.commoncrawl.org set_by=flag --set"
    assert message in wireroom("status", "-v", "--set", *sets).err
    assert message not in wireroom("status", "--set", *sets).err
