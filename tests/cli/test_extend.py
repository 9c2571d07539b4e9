"""The pages about commands and formats: each shows a whole file, which is installed as pip would and used."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.conftest import Ran
from tests.export.holding import hold
from tests.export.samples import NOW, article
from tests.parts import REPOSITORY
from wireroom.app import open_app
from wireroom.ports import Command, Done, EngineOptions, EnginePlug, Format, Lost
from wireroom.registry import plug_named, plugs

Run = Callable[..., Ran]
PAGE = "<html lang=en><title>Storm</title><article><h1>Storm</h1>{}</article></html>"
TEXT = (
    "<p>The harbour was closed on Monday, and nobody knows when the ferries will go again.</p>" * 9
)


def shown(page: str, language: str) -> str:
    text = (REPOSITORY / "docs" / "extend" / page).read_text(encoding="utf-8")
    (block,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(block)


def install(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the file of a page into a package, with the entry point that the page names."""
    group, name, place = re.findall(
        r'"(.*?)"]\n(\w+) = "your_package\.(.*?)"', shown(page, "toml")
    )[0]
    module = f"their_{name}"
    (folder / f"{module}.py").write_text(shown(page, "python"), encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    plug = place.partition(":")[2]
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}:{plug}\n")
    monkeypatch.syspath_prepend(str(folder))


def reference(page: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page of the reference, as `make docs` would write it."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "scripts"))
    return str(getattr(import_module("reference"), page)())


def test_the_command_shown_is_listed_documented_and_runs(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("command.md", tmp_path, monkeypatch)
    assert plug_named("cli", Command, "newest") is plugs("cli", Command)["newest"]
    assert "\n  newest " in wireroom("--help").out
    assert "How many at most." in wireroom("newest", "--help").out
    assert "## wireroom newest" in reference("commands_page", monkeypatch)
    assert wireroom("newest").code == 3
    assert not Path("wireroom.db").exists(), "looking makes no database"
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as app:
        hold(app, [article(1), article(2)])
    ran = wireroom("newest", "-n", "1", "--json")
    assert (ran.code, len(json.loads(ran.out))) == (0, 1)


def test_the_format_shown_is_listed_documented_and_written(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("format.md", tmp_path, monkeypatch)
    assert plug_named("export", Format, "headlines") is plugs("export", Format)["headlines"]
    for command in ("export", "extract"):
        assert "headlines" in wireroom(command, "--help").out
    assert "| `export` | `headlines` |" in reference("plugs_page", monkeypatch)
    with open_app("sqlite:///wireroom.db", clock=lambda: NOW) as app:
        hold(app, [article(1)])
    assert wireroom("export", "-o", "today.headlines").code == 0
    held = article(1)
    assert Path("today.headlines").read_text().endswith(f"  {held.publisher}  {held.title}\n")
    assert "headlines" in wireroom("export", "-o", "x", "--format", "nosuch").err


def test_extract_writes_every_format_that_is_a_stream(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.cli.inline import use_inline_engine

    install("format.md", tmp_path, monkeypatch)
    use_inline_engine(monkeypatch)
    Path("page.html").write_text(PAGE.format(TEXT))
    ran = wireroom("extract", "page.html", "--url", "https://a.example/storm", "-f", "headlines")
    assert (ran.code, ran.out) == (0, "undated  a.example  Storm\n")
    table = wireroom("extract", "page.html", "--format", "csv").out
    assert table.count("Storm") >= 1
    assert wireroom("extract", "page.html", "-f", "headlines", "-o", "out").code == 0
    (file,) = Path("out").iterdir()
    assert file.suffix == ".headlines"
    ran = wireroom("extract", "page.html", "--format", "nosuch")
    assert ran.code == 2
    assert "headlines" in ran.err
    assert wireroom("extract", "page.html", "-f", "csv", "--explain").code == 2


def test_the_engine_shown_reads_pages(
    wireroom: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("engine.md", tmp_path, monkeypatch)
    assert plugs("workers", EnginePlug)["threads"].name == "threads"
    assert "| `threads` |" in reference("plugs_page", monkeypatch)
    assert "threads" in wireroom("run", "--help").out
    Path("page.html").write_text(PAGE.format(TEXT))
    ran = wireroom("extract", "page.html", "--set", "run.engine=threads", "--jsonl")
    assert (ran.code, json.loads(ran.out)["title"]) == (0, "Storm")


async def test_the_engine_shown_loses_one_piece_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("engine.md", tmp_path, monkeypatch)
    engine = plugs("workers", EnginePlug)["threads"].open(EngineOptions(workers=2))
    outcomes = [outcome async for outcome in engine.spread(["1", "x", "3"], int)]
    await engine.close()
    done = [outcome.outcome for outcome in outcomes if isinstance(outcome, Done)]
    lost = [outcome.work for outcome in outcomes if isinstance(outcome, Lost)]
    assert (done, lost) == ([1, 3], ["x"])


def test_the_page_shown_is_in_the_navigation_and_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.web.serving import serving
    from wireroom.app import open_app

    install("page.md", tmp_path, monkeypatch)
    with open_app(f"sqlite:///{tmp_path}/w.db") as app, serving(app) as pages:
        assert 'href="/languages"' in pages.ask("/").text
        assert "None yet." in pages.ask("/languages").text
