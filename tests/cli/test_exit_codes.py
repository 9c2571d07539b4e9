"""Exit codes: the page of errors says what happens, and equal mistakes end equally in every command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ran, set_commands
from tests.cli.held_feeds import held
from wireroom import errors
from wireroom.cli.exits import ADVICE, advised
from wireroom.ports import Command

Run = Callable[..., Ran]

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
DOCUMENTED = {
    name: int(code)
    for name, code in re.findall(
        r"^\| `(\w+)` \|.*\| (\d+) \|$", PAGE.read_text("utf-8"), re.MULTILINE
    )
}
HOME = "https://courier.test/"


def one_of(name: str) -> errors.WireroomError:
    """An error of this class, made as the class wants it."""
    special: dict[str, tuple[Any, ...]] = {
        "SettingsError": (["a is wrong"],),
        "MissingExtraError": ("postgres", "PostgreSQL"),
        "TooLargeError": (HOME, "max_bytes", 10),
        "ExhaustedError": (HOME, {"plain": errors.UnreachableError(HOME, "no answer")}),
    }
    made = getattr(errors, name)
    if name in special:
        arguments = special[name]
    elif issubclass(made, errors.StatusError):
        arguments = (HOME, 403)
    else:
        arguments = (HOME, "no") if issubclass(made, errors.FetchError) else ("broken",)
    error: errors.WireroomError = made(*arguments)
    return error


def test_every_error_is_on_the_page() -> None:
    assert set(DOCUMENTED) == {name for name in vars(errors) if name.endswith("Error")}


@pytest.mark.parametrize(
    "command",
    [
        ("extract", "none.html"),
        ("add", "none.opml"),
        ("scout", "-i", "none.txt"),
        ("rights", "-i", "none.txt"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_that_is_not_there_is_code_3_everywhere(
    wireroom: Run, command: tuple[str, ...]
) -> None:
    ran = wireroom(*command)
    assert (ran.code, ran.out) == (3, "")
    assert "no such file" in ran.err


@pytest.mark.parametrize("name", sorted(DOCUMENTED))
def test_an_error_ends_as_the_page_says(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def fail() -> None:
        raise one_of(name)

    set_commands(monkeypatch, Command("try", fail))
    assert wireroom("try").code == DOCUMENTED[name]


@pytest.mark.parametrize(
    "arguments",
    [
        ("articles", "lang:english"),
        ("search", "before:never"),
        ("export", "-o", "x.jsonl", "--query", '"storm'),
    ],
)
def test_a_query_that_cannot_be_understood_ends_as_documented(
    wireroom: Run, arguments: tuple[str, ...]
) -> None:
    held()
    ran = wireroom(*arguments)
    assert (ran.code, ran.out) == (DOCUMENTED["QueryError"], "")
    assert DOCUMENTED["QueryError"] == 2
    message, shown, caret = ran.err.splitlines()
    assert message.startswith("error: ")
    assert shown.strip() in arguments
    assert caret.strip() == "^"


@pytest.mark.parametrize(
    "arguments",
    [
        ("feed", "nosuch"),
        ("test-feed", "nosuch"),
        ("reparse", "--feed", "nosuch"),
        ("retry", "--feed", "nosuch"),
        ("pause", "nosuch"),
        ("resume", "nosuch"),
        ("remove", "nosuch", "--yes"),
        ("purge", "--feed", "nosuch", "--yes"),
        ("purge", "--feed", "nosuch", "--raw", "--yes"),
    ],
)
def test_a_feed_that_nobody_follows_is_code_3_in_every_command(
    wireroom: Run, arguments: tuple[str, ...]
) -> None:
    held()
    ran = wireroom(*arguments)
    assert ran.code == 3, ran.err
    assert "nosuch: there is no such feed. List them with: wireroom feeds\n" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "words"),
    [
        (("feed", "nosuch"), 3, "not_found", "nosuch: there is no such feed."),
        (("test-feed", "nosuch"), 3, "not_found", "nosuch: there is no such feed."),
        (("article", "nosuch"), 3, "not_found", "No article nosuch is held."),
        (("reparse", "--publisher", "nobody.test"), 3, "not_found", "Nothing is known"),
        (("scout", "http://127.0.0.1/"), 4, "private_address", "127.0.0.1"),
        (("rights", "http://127.0.0.1/"), 4, "private_address", "127.0.0.1"),
        (("backfill", "127.0.0.1", "--since", "2000"), 4, "private_address", "127.0.0.1"),
        (("test-feed", "http://127.0.0.1/"), 4, "private_address", "127.0.0.1"),
        (("scout", "ftp://a.test/"), 2, "usage", "'ftp' is not supported"),
        (("articles", '"open'), 2, "query", "quote"),
        (("backup", "no/such/folder/copy.db"), 1, "store", "does not exist"),
        (("feeds", "--nosuch"), 2, "usage", "There is no option --nosuch"),
    ],
)
def test_with_json_an_error_is_one_object_on_stdout(
    wireroom: Run, arguments: tuple[str, ...], code: int, kind: str, words: str
) -> None:
    held()
    ran = wireroom(*arguments, "--json")
    error = json.loads(ran.out)["error"]
    assert (ran.code, error["kind"], sorted(error)) == (code, kind, ["hint", "kind", "message"])
    assert words in error["message"]
    assert error["hint"] in ran.err, "a person is told the same"
    assert wireroom(*arguments).out == "", "without --json stdout has data alone"


def test_with_json_and_no_database_the_error_says_so(wireroom: Run) -> None:
    for arguments in (("feed", "x"), ("article", "x"), ("backup", "x"), ("export", "-o", "x.csv")):
        ran = wireroom(*arguments, "--json")
        error = json.loads(ran.out)["error"]
        assert (ran.code, error["kind"]) == (3, "not_found")
        assert "there is no sqlite:///wireroom.db" in error["message"].replace("There", "there")
    assert not list(Path().iterdir())


def test_purge_says_as_data_which_feed_is_missing(wireroom: Run) -> None:
    held()
    ran = wireroom("purge", "--feed", "nosuch", "--yes", "--json")
    assert (ran.code, ran.out) == (3, '{"missing": ["nosuch"], "done": false}\n')


@pytest.mark.parametrize(
    "address", ["mysql://x", "sqlite://host/x.db", "postgresql://user@host:port/db"]
)
def test_a_wrong_address_of_a_database_is_a_usage_error(wireroom: Run, address: str) -> None:
    ran = wireroom("status", "--db", address)
    assert (ran.code, ran.out) == (2, "")
    assert "Write sqlite:///FILE" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("run", "--once", "--engine", "steam"),
        ("run", "--once", "--set", "run.engine=steam"),
        ("extract", "page.html", "--set", "run.engine=steam"),
        ("test-feed", "http://127.0.0.1:9/", "--set", "run.engine=steam"),
    ],
)
def test_an_unknown_engine_is_a_usage_error_whatever_is_followed(
    wireroom: Run, command: tuple[str, ...]
) -> None:
    Path("page.html").write_text("<p>A page.</p>")
    ran = wireroom(*command)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: There is no engine 'steam'. Known are: local, ray.\n"
    assert not Path("wireroom.db").exists()


# --- what to do --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dns", "connect", "tls", "timeout", "our_network", "gone"])
def test_a_page_that_cannot_be_had_names_what_to_check(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    def fail() -> None:
        raise errors.UnreachableError(HOME, "no answer", kind=kind)

    set_commands(monkeypatch, Command("try", fail))
    assert wireroom("try").err == f"error: {HOME}: no answer. {ADVICE[kind]}\n"


def test_what_an_error_knows_itself_goes_before_general_advice(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise errors.FetchError(HOME, "no", kind="dns", hint="List it in [hosts].")

    set_commands(monkeypatch, Command("try", fail))
    assert wireroom("try").err == f"error: {HOME}: no. List it in [hosts].\n"


def test_advice_is_a_sentence_behind_the_message() -> None:
    for message in ("It is late (again)", 'Expected "noon"', "It is 'late'", "It is late"):
        assert advised(message, "throttled") == f"{message}. Try again later."
    for message in ("It is late.", "(It is late.)", 'It says "Late!"', "Is it late?"):
        assert advised(message, "throttled") == f"{message} Try again later."
    assert advised("It is odd", "too_complex") == "It is odd"
    assert advised("robots.txt could not be fetched", "robots", permanent=False).endswith("later.")
    assert "Ask its publisher" in advised("robots.txt says no", "robots")
