"""`wireroom fetch`: bytes for pipes, a table for people, a file per page, and why something failed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, command, run_process
from tests.cli.terminals import run_on_terminal
from wireroom.town import Running, build_town, running_town

Run = Callable[..., Ran]
COURIER = "http://courier.test/"
TROUBLE = "http://trouble.test"
SETTINGS = """
contact_url = "https://you.example/bot"

[fetch]
delay = "{delay}"
timeout = "3 s"

[hosts]
{hosts}
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    """The town, and settings in the working folder that lead there."""
    served.forget()
    write_settings(served)
    return served


def write_settings(town: Running, delay: str = "0 s") -> None:
    hosts = "\n".join(f'"{name}" = "{place}"' for name, place in town.hosts.items())
    Path("wireroom.toml").write_text(SETTINGS.format(delay=delay, hosts=hosts), encoding="utf-8")


@pytest.mark.long
def test_a_page_goes_to_the_pipe_byte_for_byte(town: Running) -> None:
    done = subprocess.run(
        command("fetch", "http://nagisa.test/"), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"</html>" in done.stdout
    done.stdout.decode("shift_jis")
    sent = town.log.requests_to("nagisa.test")[-1].headers["User-Agent"]
    assert sent.startswith("wireroom/")
    assert sent.endswith(" (+https://you.example/bot)")


def test_an_empty_page_is_empty(town: Running, wireroom: Run) -> None:
    assert wireroom("fetch", f"{TROUBLE}/empty-body") == Ran(0, "", "")


def test_head_shows_the_headers_alone(town: Running, wireroom: Run) -> None:
    ran = wireroom("fetch", "--head", COURIER)
    assert ran.code == 0
    assert ran.out.startswith("HTTP 200\n")
    assert "content-type: text/html" in ran.out
    assert town.log.requests_to("courier.test")[-1].method == "HEAD"


def test_many_pages_are_a_line_each(town: Running, wireroom: Run) -> None:
    ran = wireroom("fetch", COURIER, "http://phare.test/")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("200  ") for line in lines)
    assert {line.split()[-1] for line in lines} == {COURIER, "http://phare.test/"}


@pytest.mark.long
def test_addresses_come_from_standard_input_with_and_without_a_scheme(town: Running) -> None:
    ran = run_process("fetch", "-", "--jsonl", stdin="http://courier.test/\n\nphare.test/?a=1\n")
    rows = {row["url"]: row for row in map(json.loads, ran.out.splitlines())}
    assert set(rows) == {COURIER, "http://phare.test/?a=1"}
    assert {row["status"] for row in rows.values()} == {200}


def test_an_address_without_a_scheme_is_asked_by_https_and_by_http_where_that_is_not_spoken(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("fetch", "--jsonl", "--explain", "phare.test")
    assert "did not bring https://phare.test: tls" in ran.err
    assert json.loads(ran.out)["final_url"] == "http://phare.test/"
    assert ran.code == 0


@pytest.mark.parametrize(
    ("typed", "problem"),
    [("https://phare.test", "tls"), ("silent.test", "connect"), ("nowhere.invalid", "dns")],
)
def test_where_neither_is_spoken_the_first_failure_is_reported(
    typed: str, problem: str, town: Running, wireroom: Run
) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        settings = Path("wireroom.toml")
        settings.write_text(f'{settings.read_text("utf-8")}"silent.test" = "127.0.0.1:{port}"\n')
        ran = wireroom("fetch", "--jsonl", typed)
    row = json.loads(ran.out)
    assert (row["url"], row["problem"]) == (f"https://{typed.removeprefix('https://')}", problem)
    assert ran.code == 1


def test_a_folder_takes_a_file_per_page_whatever_the_address_says(
    town: Running, wireroom: Run
) -> None:
    urls = [COURIER, f"{TROUBLE}/echo?../../etc/passwd", f"{TROUBLE}/echo?{'x' * 300}"]
    ran = wireroom("fetch", *urls, "-o", "pages/today")
    assert ran.code == 0
    files = sorted(path.name for path in Path("pages/today").iterdir())
    assert len(files) == 3
    assert all(
        len(name) < 90 and name.replace("-", "").replace(".", "").isalnum() for name in files
    )
    assert {name.rpartition(".")[2] for name in files} == {"html", "json"}
    assert all(name in ran.out for name in files)
    assert not Path("etc").exists()


def test_the_name_of_a_file_holds_no_token_and_the_file_is_private(
    town: Running, wireroom: Run
) -> None:
    ran = wireroom("fetch", f"{TROUBLE}/echo?token=hush&page=2", "-o", "pages")
    (file,) = Path("pages").iterdir()
    assert "hush" not in f"{file.name}{ran.out}{ran.err}"
    assert file.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_is_one_line(town: Running, wireroom: Run) -> None:
    Path("taken").write_text("a file")
    ran = wireroom("fetch", COURIER, "-o", "taken/pages")
    assert ran.code == 1
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_everything_can_be_archived(town: Running, wireroom: Run) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc comes with the archive extra")
    ran = wireroom("fetch", COURIER, f"{TROUBLE}/moved", "--warc", "day.warc.gz")
    assert ran.code == 0
    kept = gzip.decompress(Path("day.warc.gz").read_bytes())
    assert kept.count(b"WARC-Type: response") == 5, "two robots.txt, a page, a redirect, its end"
    assert b"WARC-Target-URI: http://courier.test/robots.txt" in kept


def test_json_has_a_row_for_each(town: Running, wireroom: Run) -> None:
    ran = wireroom("fetch", COURIER, f"{TROUBLE}/gone", f"{TROUBLE}/moved", "--json")
    assert ran.code == 1
    rows = {row["url"]: row for row in json.loads(ran.out)}
    assert rows[COURIER]["content_type"] == "text/html"
    assert rows[f"{TROUBLE}/gone"]["problem"] == "gone"
    assert rows[f"{TROUBLE}/gone"]["permanent"] is True
    assert len(rows[f"{TROUBLE}/moved"]["hops"]) == 2


@pytest.mark.parametrize(
    ("urls", "code", "word"),
    [
        ([COURIER], 0, ""),
        ([f"{TROUBLE}/status?code=500"], 1, "server_error"),
        ([f"{TROUBLE}/gone", COURIER], 1, "gone"),
        ([], 2, "no address"),
        (["http://127.0.0.1/"], 4, "private_address"),
        (["http://faro.test/pf/inner"], 4, "robots"),
        (["ftp://courier.test/"], 2, "'ftp' is not supported"),
        ([COURIER, "nonsense://x"], 2, "'nonsense' is not supported"),
        (["http://gate.test/"], 5, "challenge"),
        ([f"{TROUBLE}/auth"], 5, "login"),
        (["http://gate.test/", "http://127.0.0.1/"], 1, "challenge"),
    ],
)
def test_the_exit_code_says_how_it_went(
    urls: list[str], code: int, word: str, town: Running, wireroom: Run
) -> None:
    ran = wireroom("fetch", *urls)
    assert ran.code == code, ran.err
    assert word in ran.err
    assert "Traceback" not in ran.err


def test_why_it_waited_is_shown_on_request(town: Running, wireroom: Run) -> None:
    write_settings(town, delay="0.3 s")
    urls = [f"{COURIER}?n={n}" for n in range(3)]
    message = wireroom("fetch", *urls, "--explain").err
    assert "robots.txt of http://courier.test is found" in message
    assert message.count("0.3 s between requests to one host") >= 2
    assert wireroom("fetch", *urls).err == ""
    assert "between requests" in wireroom("fetch", *urls, "-vv").err, "and the log says it too"


def test_why_it_failed_is_shown_step_by_step_on_request(town: Running, wireroom: Run) -> None:
    message = wireroom("fetch", f"{TROUBLE}/loop-a", "http://sentinel.test/", "--explain").err
    assert "/loop-a leads to http://trouble.test/loop-b (status 302)" in message
    assert "plain did not bring" in message
    assert "Crawl-delay of 2 s in its robots.txt" in message


def test_an_unknown_strategy_is_one_line_and_code_2(town: Running, wireroom: Run) -> None:
    ran = wireroom("fetch", COURIER, "--set", 'fetch.strategies=["magic"]')
    assert ran.code == 2
    assert ran.err.startswith('error: fetch.strategies[0] = "magic" (flag --set): expected one of')
    assert ran.err.count("\n") == 1


def test_the_key_of_a_service_comes_from_the_environment_and_is_never_shown(
    town: Running, wireroom: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIREROOM_FETCH__STRATEGY_OPTIONS__API__API_KEY", "hush-hush")
    ran = wireroom("fetch", COURIER, "--set", 'fetch.strategies=["api"]', "-vv")
    assert ran.code == 4
    assert "fetch.unpinned" in ran.err
    shown = wireroom("config", "show")
    assert "hush" not in ran.out + ran.err + shown.out + shown.err
    assert "api" in shown.out


def test_on_a_terminal_there_is_a_table_and_no_bytes(town: Running) -> None:
    ran = run_on_terminal("fetch", COURIER, environ={"NO_COLOR": "1"})
    assert ran.code == 0
    assert "status" in ran.out
    assert COURIER in ran.out
    assert "</html>" not in ran.out


def test_a_bar_is_shown_on_a_terminal_alone(town: Running, wireroom: Run) -> None:
    urls = [f"{TROUBLE}/slow?ms=200&n={n}" for n in range(2)]
    assert "Fetching" in run_on_terminal("fetch", *urls).out
    assert "Fetching" not in run_on_terminal("fetch", *urls, "-q").out
    quiet = wireroom("fetch", *urls)
    assert "Fetching" not in quiet.out + quiet.err


@pytest.mark.long
def test_an_interrupt_ends_a_hanging_fetch_soon_with_130(town: Running) -> None:
    urls = [f"{TROUBLE}/hang?n={n}" for n in range(20)]
    process = subprocess.Popen(
        command("fetch", COURIER, *urls, "--set", "fetch.timeout=60 s", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 30
    while not town.log.requests_to("trouble.test", "/hang") and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 10
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert [row["url"] for row in json.loads(out)] == [COURIER], "what came before is not lost"


@pytest.mark.long
def test_a_reader_that_leaves_is_no_complaint(town: Running) -> None:
    process = subprocess.Popen(
        command("fetch", f"{TROUBLE}/slow?ms=300"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        process.stdout.close()
        err = process.stderr.read()
    assert process.wait(timeout=60) == 141
    assert err == b""


@pytest.mark.long
def test_a_reader_that_has_seen_enough_ends_the_run_and_nothing_is_blamed_on_servers(
    town: Running,
) -> None:
    process = subprocess.Popen(
        command("fetch", "--jsonl", "--explain", COURIER, f"{TROUBLE}/slow?ms=60000", "-"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        for n in range(200):
            process.stdin.write(f"http://phare.test/?{n}\n".encode())
        process.stdin.close()
        assert json.loads(process.stdout.readline())["status"] == 200, "told as soon as it came"
        process.stdout.close()
        err = process.stderr.read().decode()
    assert process.wait(timeout=60) == 141
    assert "did not bring" not in err
    assert town.log.count("phare.test") < 150


@pytest.mark.long
def test_the_help_may_be_left_as_well() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            command("--help"), stdout=closed, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (141, b"")
