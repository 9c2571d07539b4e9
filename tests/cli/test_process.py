"""The real entry point in a process of its own: streams, pipes, signals, terminals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.budget import ROOM
from tests.cli.conftest import command, run_process
from tests.cli.terminals import run_on_terminal, run_process_on_terminal
from wireroom.store import open_store

MANY_FEEDS = "\n".join(
    f'[[feeds]]\nname = "feed {number}"\nurl = "https://a.test/{number}"' for number in range(400)
)
ANSI = re.compile(r"\x1b\[")


def test_data_goes_to_stdout_and_talk_to_stderr() -> None:
    ran = run_process("sync", "--dry-run", "--config", "-", stdin=MANY_FEEDS)
    assert ran.code == 0
    assert ran.out.count("\n") == 400
    assert ran.err == "Nothing was applied; it would be 400 added, 0 changed, 0 unchanged.\n"


def test_the_installed_command_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("wireroom")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False)
    assert done.stdout == run_process("--version").out
    assert done.returncode == 0


@pytest.mark.long
def test_settings_can_come_from_standard_input() -> None:
    ran = run_process("config", "show", "--json", "--config", "-", stdin='[log]\nlevel = "info"\n')
    rows = {row["path"]: row for row in json.loads(ran.out)["settings"]}
    assert rows["log.level"]["origin"] == "standard input line 2"


@pytest.mark.long
def test_a_reader_that_leaves_is_no_complaint() -> None:
    Path("wireroom.toml").write_text(MANY_FEEDS)
    process = subprocess.Popen(
        command("config", "show"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
    assert process.wait(timeout=60) == 141
    assert err == b""


@pytest.mark.parametrize(
    "arguments", [pytest.param("doctor", marks=pytest.mark.long), "--help", "stats"]
)
def test_off_a_terminal_there_is_no_colour(arguments: str) -> None:
    environ = {"FORCE_COLOR": "1", "GITHUB_ACTIONS": "1", "TERM": "xterm-256color"}
    ran = run_process(arguments, environ=environ)
    assert not ANSI.search(ran.out + ran.err)


@pytest.mark.long
def test_on_a_terminal_there_is_colour_and_no_color_ends_it() -> None:
    assert ANSI.search(run_process_on_terminal("config", "show").out)
    plain = run_process_on_terminal("config", "show", environ={"NO_COLOR": "1"})
    assert not ANSI.search(plain.out)
    assert "database_url" in plain.out


@pytest.mark.parametrize("columns", [40, 120])
def test_on_a_terminal_no_table_is_wider_than_it(columns: int) -> None:
    ran = run_on_terminal("config", "show", columns=columns, environ={"NO_COLOR": "1"})
    assert max(map(len, ran.out.splitlines()[:-1])) <= columns


@pytest.mark.long
def test_odd_characters_do_not_crash_an_ascii_stream() -> None:
    Path("wireroom.toml").write_text('[[feeds]]\nname = "Grüße 東京"\nurl = "https://a.test/"\n')
    environ = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = run_process("sync", environ=environ)
    assert ran.code == 1
    assert "Gr\\xfc\\xdfe" in ran.out


@pytest.mark.long
def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    fifo = tmp_path / "settings"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        command("config", "show", "--config", str(fifo)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with fifo.open("w"):  # opens only once the process reads from it
        time.sleep(0.2)
        process.send_signal(2)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


@pytest.mark.long
def test_completion_is_offered() -> None:
    environ = {
        "_WIREROOM_COMPLETE": "complete_bash",
        "COMP_WORDS": "wireroom st",
        "COMP_CWORD": "1",
    }
    ran = run_process(environ=environ)
    assert "status" in ran.out


@pytest.mark.long
def test_help_is_quick() -> None:
    # Processor time, not time on the clock: the machine may be busy.
    script = (
        "import resource, sys\n"
        "from wireroom.cli import main\n"
        "main(['--help'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_utime, file=sys.stderr)\n"
        "print([m for m in ('rich', 'pydantic', 'sqlalchemy', 'aiohttp') if m in sys.modules],"
        " file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    took, loaded = done.stderr.splitlines()
    assert float(took) < 1.0 * ROOM
    assert loaded == "[]"


@pytest.mark.long
def test_a_missing_extra_says_how_to_install_it() -> None:
    script = (
        "import sys\n"
        "sys.modules['psycopg'] = None\n"
        "from wireroom.cli import main\n"
        "sys.exit(main(['status', '--db', 'postgresql://desk:hush@127.0.0.1:1/news', *sys.argv[1:]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "-v"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    error, cause, *rest = done.stderr.splitlines()
    assert error.startswith("error: ")
    assert "pip install 'wireroom[postgres]'" in error
    assert cause.startswith("  because of ModuleNotFoundError")
    assert not [line for line in rest if not line.startswith("  because of")]


@pytest.mark.long
@pytest.mark.parametrize("redirect", ["> /dev/full", ">&-", "2>&-", "< /dev/null"])
def test_streams_that_cannot_be_used_are_no_traceback(redirect: str) -> None:
    line = " ".join(command("config", "schema")) + f" {redirect}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if "full" in redirect:
        assert done.returncode == 1
        message = "The output cannot be written: No space left on device."
        assert done.stderr == f"error: {message} Make room, or send it somewhere else.\n"
    else:
        assert done.returncode == 0


LOADED_BEFORE_MAIN = """
import sys
before = set(sys.modules)
from wireroom.cli import main
print(sorted(set(sys.modules) - before))
"""


def test_next_to_nothing_is_loaded_before_an_interrupt_can_be_caught() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BEFORE_MAIN], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.replace("'", '"')))
    assert loaded <= {"__future__", "wireroom", "wireroom.cli", "wireroom.version"}


LOADED_BY_A_COMMAND = """
import sys
from wireroom.cli import main
code = main(["status", "--db", sys.argv[1]])
print(*sys.modules)
sys.exit(code)
"""


@pytest.mark.long
def test_a_command_loads_neither_other_commands_nor_rooms_it_does_not_need() -> None:
    open_store("sqlite:///held.db").close()
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY_A_COMMAND, "held.db"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"wireroom.cli.status", "wireroom.store.sqlite.sqlite_database"} <= loaded
    rooms = {"wireroom.parse", "wireroom.scout", "wireroom.fetch", "wireroom.town", "numpy", "lxml"}
    others = {"wireroom.cli.demo", "wireroom.cli.doctor"}
    assert not loaded & (rooms | others)


INTERRUPTED_WHILE_LOADING = """
import sys
class Ctrl:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Ctrl())
from wireroom.cli import main
sys.exit(main(["config", "show"]))
"""


@pytest.mark.parametrize("module", ["wireroom.cli.app", "typer", "wireroom.cli.config"])
def test_an_interrupt_while_the_program_loads_is_quiet(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_LOADING, module],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


@pytest.mark.long
def test_a_long_message_is_broken_at_words_on_a_terminal_and_nowhere_else() -> None:
    arguments = ("status",)
    whole = run_process(*arguments).err
    assert whole.count("\n") == 1
    shown = run_on_terminal(*arguments, columns=50, environ={"NO_COLOR": "1"}).out
    assert len(shown.splitlines()) > 2
    assert " ".join(shown.split()) == whole.strip()


LOADED_BY_HELP = """
import sys
from wireroom.cli import main
main(["--help"])
print(*sys.modules)
"""


def test_the_list_of_commands_loads_neither_rooms_nor_what_is_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY_HELP], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    rooms = ("parse", "scout", "poll", "fetch", "store", "export", "report", "workers", "town")
    heavy = {"asyncio", "aiohttp", "lxml", "numpy", "pydantic", "rich", "sqlalchemy", "sqlite3"}
    assert not loaded & (heavy | {f"wireroom.{room}" for room in rooms})
