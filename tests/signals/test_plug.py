"""A signal, and a scouting step, of somebody else are one file each: the examples of docs/extend, installed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.entry_points import install
from tests.parts import REPOSITORY
from tests.scout.contexts import HOME, NOW, Answer, Table, served
from wireroom.model import Dossier, Use, Verdict
from wireroom.parse.page_tags import read_page_tags
from wireroom.report import Card, make_card, to_html, to_json, to_markdown
from wireroom.report.terminal_view import show_card
from wireroom.scout.address import read_address
from wireroom.scout.visit import scout_site
from wireroom.signals import all_signals, all_steps, judge, make_receipt, page_findings
from wireroom.store.packing import as_document, from_document

FILES: Mapping[str, Answer] = {
    HOME: "<title>The Courier</title><p>News.",
    f"{HOME}press-rights.txt": served(
        f"{HOME}press-rights.txt", "train: no\narchive: yes\n", kind="text/plain"
    ),
    f"{HOME}humans.txt": served(f"{HOME}humans.txt", "Name: Ada\nName: Linus\n", kind="text/plain"),
}
BARE = """\
from wireroom.ports import Step
from wireroom.signals.shared import finding

async def run(context):
    return finding(context, "bare", "yes", {})

PLUG = Step("bare", "A bare step", run, section="cellar")
"""


class Page:
    """A terminal that keeps what is written."""

    def __init__(self) -> None:
        self.text = ""

    def line(self, text: object = "", *, style: str = "", indent: int = 0) -> None:
        self.text += f"{text}\n"

    def prose(self, text: str, *, indent: int = 0) -> None:
        self.line(text, indent=indent)

    def heading(self, text: str) -> None:
        self.line(text)

    def table(
        self,
        rows: Sequence[Sequence[object]],
        *,
        columns: Sequence[str] = (),
        styles: Mapping[str, str] | None = None,
        indent: int = 0,
    ) -> None:
        for row in (columns, *rows):
            self.line("  ".join(map(str, row)))


def shown(page: str) -> str:
    """The whole file that a page of docs/extend shows."""
    text = (REPOSITORY / "docs" / "extend" / page).read_text(encoding="utf-8")
    return text.partition("```python\n")[2].partition("```")[0]


@pytest.fixture
def signal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal of docs/extend/signal.md, installed."""
    entry = {"wireroom.signals": "press_rights = press_rights:PLUG"}
    install(tmp_path, monkeypatch, "press_rights", shown("signal.md"), entry)


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step of docs/extend/step.md, installed."""
    entry = {"wireroom.scout.steps": "humans_txt = humans_txt:PLUG"}
    install(tmp_path, monkeypatch, "humans_txt", shown("step.md"), entry)


async def dossier_of(files: Mapping[str, Answer] = FILES) -> Dossier:
    scout = scout_site(read_address(HOME), Table(files), now=NOW, offline=True)
    outcomes = [outcome async for outcome in scout]
    assert isinstance(outcomes[-1], Dossier)
    return outcomes[-1]


def ways(card: Card) -> dict[str, str]:
    """The card in all four ways."""
    terminal = Page()
    show_card(card, terminal)
    return {
        "terminal": terminal.text,
        "html": to_html(card),
        "markdown": to_markdown(card),
        "json": to_json(card),
    }


def by_use(verdicts: Iterable[Verdict]) -> dict[Use, tuple[str, set[str]]]:
    return {
        verdict.use: (verdict.value, {signal.family for signal in verdict.because})
        for verdict in verdicts
    }


@pytest.mark.usefixtures("signal")
async def test_a_signal_of_somebody_else_decides_verdicts_and_receipts() -> None:
    dossier = await dossier_of()
    decided = {"ai-train": ("deny", {"press_rights"}), "archive": ("allow", {"press_rights"})}
    assert {use: by_use(dossier.rights)[use] for use in ("ai-train", "archive")} == decided
    (train,) = [verdict for verdict in dossier.rights if verdict.use == "ai-train"]
    assert (train.because[0].evidence.url, train.because[0].evidence.line) == (
        f"{HOME}press-rights.txt",
        1,
    )
    receipt = make_receipt(dossier.findings, f"{HOME}a", robots_word="allowed", now=NOW)
    assert {use: by_use(receipt.verdicts)[use] for use in ("ai-train", "archive")} == decided
    stored = from_document(as_document(dossier), Dossier)
    assert judge(stored.findings, HOME) == dossier.rights


@pytest.mark.usefixtures("signal")
async def test_what_a_page_says_by_a_signal_of_somebody_else_counts_for_that_page() -> None:
    tags = read_page_tags(None, url=f"{HOME}a", headers=[("Press-Rights", "train: yes")])
    found = page_findings(tags, now=NOW)
    assert by_use(judge(found, f"{HOME}a"))["ai-train"] == ("allow", {"press_rights"})
    assert by_use(judge(found, f"{HOME}b"))["ai-train"] == ("unknown", set())


@pytest.mark.usefixtures("signal")
async def test_a_signal_of_somebody_else_stands_on_the_card() -> None:
    card = make_card(await dossier_of())
    for way, text in ways(card).items():
        assert "press-rights.txt speaks of 2 uses" in text, way
    rights = next(section for section in card.sections if section.key == "rights")
    assert [line.key for line in rights.lines][-1] == "press_rights"
    assert card.families[-1] == "press_rights"
    plain = json.loads(to_json(card))
    (row,) = [row for row in plain["rights"] if row["use"] == "ai-train"]
    assert [cell["word"] for cell in row["cells"] if cell["family"] == "press_rights"] == ["deny"]
    matrix = ways(card)
    assert (
        "| press-rights.txt | · silent | · silent | · silent | ✗ deny | ✓ allow |"
        in (matrix["markdown"])
    )
    assert re.search(
        r"^press-rights.txt  · silent .*✗ deny  ✓ allow$", matrix["terminal"], re.MULTILINE
    )


@pytest.mark.usefixtures("step")
async def test_a_step_of_somebody_else_stands_on_the_card() -> None:
    card = make_card(await dossier_of())
    for way, text in ways(card).items():
        assert "Made by" in text, way
        assert "made by Ada, Linus" in text, way
    metadata = next(section for section in card.sections if section.key == "metadata")
    assert (metadata.lines[-1].key, metadata.lines[-1].word) == ("humans_txt", "yes")
    facts = json.loads(to_json(card))["facts"]["steps"]["humans_txt"]
    assert facts["names"] == ["Ada", "Linus"]


async def test_a_step_that_names_no_section_of_ours_has_its_line_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"wireroom.scout.steps": "bare = bare:PLUG"}
    install(tmp_path, monkeypatch, "bare", BARE, entry)
    card = make_card(await dossier_of())
    assert [section.title for section in card.sections][-1] == "More"
    for way, text in ways(card).items():
        assert "A bare step" in text, way


async def test_a_finding_whose_step_is_gone_keeps_a_line() -> None:
    dossier = await dossier_of()
    (homepage,) = [found for found in dossier.findings if found.step == "homepage"]
    gone = replace(homepage, step="of_an_older_day")
    card = make_card(replace(dossier, findings=(*dossier.findings, gone)))
    (line,) = card.sections[-1].lines
    assert (line.key, line.label, line.value) == ("of_an_older_day", "of_an_older_day", "yes")


def test_without_them_there_are_ours_alone() -> None:
    assert {"press_rights", "humans_txt", "bare"}.isdisjoint(all_steps())
    assert "press_rights" not in {plug.name for plug in all_signals()}
    assert len(all_signals()) == 11
    assert len(all_steps()) == 26
