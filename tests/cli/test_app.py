"""The command line as a whole: options of every command, exit codes, what is said of errors."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
import typer

from tests.cli.conftest import Ran, set_commands
from wireroom.cli import app
from wireroom.cli.exits import exit_code_of
from wireroom.cli.session import Choices, Json, Session
from wireroom.errors import (
    BlockedError,
    FetchError,
    MissingExtraError,
    RefusedError,
    SettingsError,
    StoreError,
    TownError,
    WireroomError,
)
from wireroom.ports import Command
from wireroom.version import __version__

Run = Callable[..., Ran]
Add = Callable[[Callable[..., Any]], None]


@pytest.fixture
def add_command(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Makes `wireroom try` a command of the test's own."""

    def add(function: Callable[..., Any]) -> None:
        set_commands(monkeypatch, Command("try", function))

    return add


def failing(add_command: Add, error: BaseException) -> None:
    def command() -> None:
        raise error

    add_command(command)


# --- the command line itself -------------------------------------------------------------------


def test_the_version_is_shown(wireroom: Run) -> None:
    assert wireroom("--version") == Ran(0, f"wireroom {__version__}\n", "")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_commands_on_stdout(wireroom: Run, flag: str) -> None:
    ran = wireroom(flag)
    assert (ran.code, ran.err) == (0, "")
    for command in ("status", "sync", "backup", "doctor", "config", "demo"):
        assert f"\n  {command} " in ran.out


@pytest.mark.parametrize("group", [(), ("config",)])
def test_help_tells_each_command_in_a_whole_sentence(wireroom: Run, group: tuple[str, ...]) -> None:
    message = wireroom(*group, "--help").out.partition("-h, --help")[2]
    commands = [line for line in message.splitlines()[1:] if line.startswith("  ")]
    assert commands
    assert [line for line in commands if not line.endswith(".") or line.endswith("...")] == []


def test_help_lists_commands(wireroom: Run) -> None:
    ran = wireroom("config", "--help")
    assert "\nCommands:\n" in ran.out


def test_help_lists_commands_in_groups_and_others_behind_them(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = wireroom("--help").out
    titles = [line for line in ours.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == ["Options:", *(f"{title}:" for title in app.GROUPS.values())]
    assert ours.index("\n  add ") < ours.index("\n  run ") < ours.index("\n  articles ")
    set_commands(
        monkeypatch, Command("theirs", lambda: None), Command("mine", lambda: None, order=31)
    )
    message = wireroom("--help").out
    assert (
        message.index("Follow:")
        < message.index("mine")
        < message.index("Commands:")
        < message.index("theirs")
    )


def test_without_a_command_the_help_is_shown_as_an_error(wireroom: Run) -> None:
    ran = wireroom()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: wireroom")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("stats",),
            "error: There is no command 'stats'. Did you mean 'status'? Try: wireroom --help",
        ),
        (("status", "--jsn"), "Try: wireroom status --help"),
        (("backup",), "Missing argument"),
        (("config", "shw"), "Did you mean 'show'"),
        (("status", "extra"), "unexpected extra argument"),
        (("--set",), "requires an argument"),
        (("feeds", "--state", "odd"), "error: '--state': 'odd' is not one of 'live', 'paused',"),
        (("articles", "-n", "few"), "'--limit' / '-n': expected a whole number. Try:"),
        (("feeds", "--stat"), "error: There is no option --stat"),
        (("feeds", "--stat"), "--state). Try: wireroom feeds --help\n"),
        (("articles", "-n", "0"), "'--limit' / '-n': expected 1 or more. Try:"),
        (("town", "--port", "99999"), "'--port': expected 65535 or less. Try:"),
        (
            ("articles", "storm", "-surge"),
            "Try: wireroom articles --help; words with a minus stand behind --: wireroom articles",
        ),
        (("search", "ferry", "-lang:en"), "stand behind --: wireroom search -- ferry -lang:en\n"),
        (("articles", "--limt", "3"), "Try: wireroom articles --help\n"),
        (("feeds", "-x"), "error: There is no option -x. Try: wireroom feeds --help\n"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_code_2(
    wireroom: Run, arguments: tuple[str, ...], expected: str
) -> None:
    ran = wireroom(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert expected in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_options_of_every_command_stand_before_or_after_it(wireroom: Run, add_command: Add) -> None:
    seen: list[Choices] = []

    def command(session: Session, json: Json = False) -> None:
        seen.append(session.choices)
        assert json

    add_command(command)
    assert wireroom("-v", "--db", "a", "--set", "x=1", "try", "--json").code == 0
    assert wireroom("try", "--json", "--db", "a", "-v", "--set", "x=1").code == 0
    assert wireroom("--db", "b", "--set", "x=1", "try", "--db", "a", "--json", "-v").code == 0
    assert seen == [Choices(db="a", sets=("x=1",), verbosity=1)] * 3
    wireroom("-vv", "try", "--json", "-q")
    assert seen[-1].verbosity == 1


def test_what_a_command_returns_is_the_exit_code(wireroom: Run, add_command: Add) -> None:
    add_command(lambda: 3)
    assert wireroom("try").code == 3

    def leave() -> None:
        raise typer.Exit(4)

    add_command(leave)
    assert wireroom("try").code == 4


def test_a_group_of_commands_is_a_typer_app(wireroom: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    group = typer.Typer()

    @group.command()
    def first(session: Session) -> None:
        session.streams.line(session.choices.db)

    @group.command()
    def second() -> None: ...

    command = Command("both", group, help="Two of them.")
    set_commands(monkeypatch, command)
    assert wireroom("both", "first", "--db", "x").out == "x\n"
    assert "Two of them." in wireroom("--help").out


# --- errors ------------------------------------------------------------------------------------

CODES: list[tuple[BaseException, int]] = [
    (WireroomError("broken", hint="Mend it."), 1),
    (StoreError("no database"), 1),
    (TownError("port 80 is taken"), 1),
    (MissingExtraError("postgres", "PostgreSQL"), 1),
    (FetchError("https://a.test/", "no"), 1),
    (SettingsError(["a is wrong"], hint="See: wireroom config schema"), 2),
    (RefusedError("https://a.test/", "robots.txt"), 4),
    (BlockedError("https://a.test/", 403), 5),
    (KeyboardInterrupt(), 130),
]


@pytest.mark.parametrize(("error", "code"), CODES, ids=lambda value: type(value).__name__)
def test_every_error_has_its_exit_code_and_no_traceback(
    wireroom: Run, add_command: Add, error: BaseException, code: int
) -> None:
    failing(add_command, error)
    ran = wireroom("try")
    assert (ran.code, ran.out) == (code, "")
    assert "Traceback" not in ran.err
    if isinstance(error, WireroomError):
        assert ran.err.startswith(f"error: {error.message}")
        assert ran.err.endswith(f"{error.hint}\n")
        assert ran.err.count("\n") == 1


def test_the_codes_of_classes_follow_the_tree() -> None:
    class OddError(RefusedError): ...

    assert exit_code_of(OddError) == 4
    assert exit_code_of(ValueError) == 1


def test_several_problems_are_a_line_each_and_the_hint(wireroom: Run, add_command: Add) -> None:
    failing(add_command, SettingsError(["a is wrong", "b is wrong"], hint="Correct them."))
    assert wireroom("try").err == "error: a is wrong\nerror: b is wrong\n  Correct them.\n"


def chained() -> StoreError:
    error = StoreError("the database cannot be opened.", hint="Start it.")
    error.__cause__ = OSError("connection refused at postgresql://me:hush@db.test/")
    error.__cause__.__cause__ = TimeoutError("after 5 s")
    return error


def test_with_v_the_causes_are_reported(wireroom: Run, add_command: Add) -> None:
    failing(add_command, chained())
    assert wireroom("try").err.count("\n") == 1
    ran = wireroom("try", "-v")
    assert ran.err.splitlines() == [
        "error: the database cannot be opened. Start it.",
        "  because of OSError: connection refused at postgresql://***@db.test/",
        "  because of TimeoutError: after 5 s",
    ]


def test_with_vv_the_traceback_is_shown(wireroom: Run, add_command: Add) -> None:
    failing(add_command, chained())
    ran = wireroom("-v", "try", "-v")
    assert "Traceback (most recent call last)" in ran.err
    assert "hush" not in ran.err


def test_what_nobody_foresaw_is_one_line_and_a_request(wireroom: Run, add_command: Add) -> None:
    failing(add_command, ZeroDivisionError("odd\x1b[2J\nnumber"))
    ran = wireroom("try")
    assert ran.code == 1
    assert ran.err == (
        "error: internal error, ZeroDivisionError: odd [2J number;"
        " run it again with -vv and report what it says.\n"
    )
    assert "Traceback" in wireroom("try", "-vv").err


def test_a_message_from_outside_cannot_forge_lines_or_markup(
    wireroom: Run, add_command: Add
) -> None:
    failing(add_command, WireroomError("[bold]title[/bold]\r\nerror: forged\x1b[31m\u202e"))
    assert wireroom("try").err == "error: [bold]title[/bold] error: forged [31m\n"


def test_a_set_without_a_value_is_a_usage_error(wireroom: Run) -> None:
    ran = wireroom("config", "show", "--set", "log.level")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: --set log.level: expected name=value. Write it as in: --set log.level=debug.\n"
    )


# --- logs --------------------------------------------------------------------------------------


@pytest.fixture
def logging_command(add_command: Add) -> None:
    def command(session: Session) -> None:
        session.load()
        log = logging.getLogger("wireroom.fetch")
        log.debug("asked", extra={"url": "https://me:hush@a.test/\x1b[2J"})
        log.info("polled", extra={"feed": "a", "new": 3})
        log.warning("slow")
        log.error("lost\nerror: forged")

    add_command(command)


@pytest.mark.usefixtures("logging_command")
@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        (("-q",), 1),
        ((), 2),
        (("-v",), 3),
        (("-vv",), 4),
        (("--set", "log.level=debug"), 4),
        (("--set", "log.level=error"), 1),
        (("--set", "log.level=error", "-v"), 2),
    ],
)
def test_logs_go_to_stderr_by_level(wireroom: Run, flags: tuple[str, ...], lines: int) -> None:
    ran = wireroom("try", *flags)
    assert ran.out == ""
    logged = ran.err.splitlines()
    assert len(logged) == lines
    assert logged[-1] == "error: lost error: forged"
    assert "hush" not in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.usefixtures("logging_command")
def test_logs_can_be_json_lines(wireroom: Run) -> None:
    import json

    rows = [
        json.loads(line)
        for line in wireroom("try", "-v", "--set", "log.format=json").err.splitlines()
    ]
    assert [row["level"] for row in rows] == ["info", "warning", "error"]
    assert rows[0]["message"] == "polled"
    assert (rows[0]["feed"], rows[0]["log"]) == ("a", "wireroom.fetch")
    assert rows[0]["at"].endswith("+00:00")


def test_the_library_sets_up_no_logs() -> None:
    assert not logging.getLogger("wireroom.settings").handlers
