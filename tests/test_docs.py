"""The docs say what the code does: every setting, command, error and plug, and every command shown."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts import REPOSITORY
from wireroom import errors, ports, store
from wireroom.app import doctor
from wireroom.cli.app import make_command
from wireroom.registry import plugs
from wireroom.settings import setting_rows
from wireroom.town import build_town, running_town
from wireroom.town.town_config import config_text

DOCS = REPOSITORY / "docs"
PAGES = sorted(
    [*REPOSITORY.glob("*.md"), *(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)]
)


def _reference(name: str) -> str:
    return (DOCS / "reference" / name).read_text(encoding="utf-8")


def _commands() -> set[str]:
    return set(plugs("cli", ports.Command))


def _shown_commands() -> Iterator[tuple[str, str]]:
    """Each `wireroom …` and `make …` line in a block of commands."""
    for page in PAGES:
        for block in re.findall(r"```(?:console|sh|bash)\n(.*?)```", page.read_text(), re.DOTALL):
            for line in block.splitlines():
                command = line.removeprefix("$ ").split("#", 1)[0].strip(" &")
                if command.startswith(("wireroom ", "make ")):
                    yield page.name, command


def _map_rows() -> list[tuple[str, list[str]]]:
    """Each change that the map knows, with the files it names."""
    table = (DOCS / "map.md").read_text(encoding="utf-8").split("## Where does it go?")[1]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE)[1:]
    return [
        (change, [path for path in re.findall(r"`([\w./-]+)`", place) if re.search(r"[/.]", path)])
        for change, place in rows
    ]


def test_the_map_names_a_file_that_exists_for_every_change() -> None:
    rows = _map_rows()
    assert len(rows) >= 20
    for change, paths in rows:
        assert paths, f"{change}: names no file"
        for path in paths:
            found = (REPOSITORY / "src" / "wireroom" / path, REPOSITORY / path)
            assert any(place.exists() for place in found), f"{change}: {path}"


def test_the_map_shows_the_layers_that_are_checked() -> None:
    drawn = (DOCS / "map.md").read_text(encoding="utf-8").split("```text\n")[2].split("```")[0]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = [
        contract["layers"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    rooms = [sorted(re.findall(r"\w+", layer)) for layer in layers]
    assert [sorted(line.split()) for line in drawn.splitlines()] == rooms


def test_every_command_is_documented() -> None:
    page = _reference("commands.md")
    for command in _commands():
        assert f"## wireroom {command}" in page, command


def test_every_setting_is_documented_and_says_what_it_does() -> None:
    page = _reference("settings.md")
    for row in setting_rows():
        assert f"| `{row.path}` |" in page
        assert row.help.strip(), f"{row.path} does not say what it does"


def test_every_error_is_documented() -> None:
    page = _reference("errors.md")
    for name in (name for name in vars(errors) if name.endswith("Error")):
        assert f"| `{name}` |" in page
        assert inspect.getdoc(getattr(errors, name))


@pytest.mark.parametrize(
    "room", ["scout.steps", "signals", "fetch.strategies", "store", "export", "workers", "cli"]
)
def test_every_plug_is_documented(room: str) -> None:
    page = _reference("plugs.md")
    for name in plugs(room, object):  # type: ignore[type-var]  # whatever kind the room has
        assert f"| `{room}` | `{name}` |" in page


@pytest.mark.long  # `make check` asks the same before it runs any test
def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "scripts" / "reference.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_command_shown_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    root = make_command()
    shown = list(_shown_commands())
    assert any(page == "README.md" for page, _ in shown)
    for page, command in shown:
        words = command.split()
        if words[0] == "make":
            assert words[1] in targets, f"{page}: {command}"
        else:
            assert _known(root, words[1:]), f"{page}: {command}"


def _known(command: object, words: list[str]) -> bool:
    """Whether the words name a command and every flag among them is one of its flags."""
    children = getattr(command, "commands", {})
    flags = {flag for param in getattr(command, "params", ()) for flag in param.opts}
    for place, word in enumerate(words):
        if word in {"--help", "--version", "--install-completion", "--show-completion"}:
            continue
        if word.startswith("-") and word != "-":
            if word.split("=", 1)[0] not in flags:
                return False
        elif word in children:
            return _known(children[word], words[place + 1 :])
    return not children or all(word.startswith("-") for word in words)


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert blocks
    town = build_town()
    with running_town(town) as running:
        # As `wireroom town --write-config wireroom.toml` writes it; nothing else is there after `make demo`.
        (tmp_path / "wireroom.toml").write_text(config_text(town, running.hosts), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "search allow",
        "ai-input allow",
        "ai-index allow",
        "ai-train allow",
        "archive allow",
        "Storm closes the harbour h1",
    ]


@pytest.mark.long
def test_a_first_look_of_the_guide_works_after_the_demo_alone(tmp_path: Path) -> None:
    """In a folder where nothing is but the program, as `make demo` leaves it."""
    page = (DOCS / "guide" / "command-line.md").read_text(encoding="utf-8")
    shown = page.partition("A first look")[2].partition("```console\n")[2].partition("```")[0]
    commands = [line.removeprefix("$ ") for line in shown.splitlines()]
    assert commands[0] == 'export PATH="$PWD/.venv/bin:$PATH"'
    bin_folder = Path(sys.executable).parent
    assert (bin_folder / "wireroom").exists()
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(bin_folder)
    done = subprocess.run(
        ["/bin/sh", "-ec", "\n".join(commands)],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("0 failed, ")


def test_the_page_on_installing_names_the_extras_that_there_are() -> None:
    page = (DOCS / "guide" / "install.md").read_text(encoding="utf-8")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    own = {"test", "bench", "docs"}
    table = page.partition("## Extras")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == extras - own
    assert own <= set(re.findall(r"`(\w+)`", table))
    assert doctor.EXTRAS.keys() == extras - own - {"all"}
    named = re.findall(r"(?:wireroom|\.)\[([\w,]+)\]", page)
    assert {extra for names in named for extra in names.split(",")} <= extras
    least = project["requires-python"].removeprefix(">=")
    assert f"Python {least} or newer" in page


def test_the_two_commands_stand_in_the_readme() -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "make demo" in readme
    assert "make test" in readme
    assert len(readme.splitlines()) <= 70, "the README is one screen"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_page_on_scale_names_what_there_is() -> None:
    page = (DOCS / "guide" / "scale.md").read_text(encoding="utf-8")
    benches = set(re.findall(r"bench/\w+\.py", page))
    assert "bench/sizing.py" in benches
    for bench in benches:
        assert '\nif __name__ == "__main__":' in (REPOSITORY / bench).read_text(), bench
    assert {"several-runs.md", "store.md", "archive.md", "ray.md"} <= set(
        re.findall(r"\]\(([\w-]+\.md)", page)
    )
    (moved,) = re.findall(r"python -c '([^']+)'", page)
    imported, _, called = moved.partition("; ")
    assert imported == "from wireroom.store import copy_store"
    assert re.fullmatch(r'copy_store\("sqlite:[^"]+", "postgresql:[^"]+"\)', called)
    assert callable(store.copy_store)
    for setting in re.findall(r"`(store\.\w+) = ", page):
        assert any(row.path == setting for row in setting_rows()), setting


BRITISH = {
    "behavior": "behaviour",
    "color": "colour",
    "license": "licence",
    "normalize": "normalise",
    "recognize": "recognise",
    "favor": "favour",
    "center": "centre",
    "organize": "organise",
    "serialize": "serialise",
    "artifact": "artefact",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_is_british(page: Path) -> None:
    if page.parent.name == "reference":
        return  # written from the code, whose names may quote other people's vocabulary
    prose = re.sub(r"```.*?```|`[^`\n]*`|\]\([^)]*\)", "", page.read_text("utf-8"), flags=re.DOTALL)
    for word in re.findall(r"[a-z]+", prose.lower()):
        assert word not in BRITISH, f"{page.name}: {word} (write {BRITISH.get(word)})"


def test_no_file_names_this_machine_or_a_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    registry = re.compile(
        r"pypi\.org|pythonhosted|registry\.npmjs|^--(extra-)?index-url|^--find-links"
        r"|(?<![\w.])/(?:work|root)/\w",
        re.MULTILINE,
    )
    named = [name for name in listed if name]
    assert len(named) > 100, "git lists nothing here"
    for name in named:
        path = REPOSITORY / name
        if (
            path.suffix in {".gz", ".png", ".db"}
            or not path.is_file()
            or name == "tests/test_docs.py"
        ):
            continue
        assert not registry.search(path.read_text("utf-8", errors="replace")), name
