"""The card knows no step by name: what a step shows, it brings; a foreign step is treated as ours are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.report.dossiers import found, generous
from wireroom import report
from wireroom.model import Facts, Finding
from wireroom.ports import Bots, CardDetails, Picture, Step, StepContext, Summary, TermsStatement
from wireroom.report import make_card, to_html, to_markdown
from wireroom.report.build import changes
from wireroom.signals import all_steps

REPORT = Path(report.__file__).parent
FORMULA = "the formula of the grade is published step by step (docs/guide/report-card.md)"
CONCLUSION = "what a card comes to, and what to do next, is about these steps alone"
EXEMPT = {
    ("build.py", "access"): "the name of a section",
    ("build.py", "homepage"): "who a history of findings is about",
    ("conclusion.py", "access"): CONCLUSION,
    ("conclusion.py", "feeds"): CONCLUSION,
    ("conclusion.py", "frequency"): CONCLUSION,
    ("conclusion.py", "homepage"): CONCLUSION,
    ("conclusion.py", "sitemap_analysis"): CONCLUSION,
    ("grade.py", "access"): FORMULA,
    ("grade.py", "article_data"): FORMULA,
    ("grade.py", "feeds"): FORMULA,
    ("grade.py", "frequency"): FORMULA,
    ("grade.py", "homepage"): FORMULA,
    ("grade.py", "publisher_details"): FORMULA,
    ("grade.py", "sitemap_analysis"): FORMULA,
    ("grade.py", "sitemaps"): FORMULA,
    ("grade.py", "waf"): FORMULA,
    ("html_page.py", "access"): "the name of a section",
    ("html_page.py", "terms"): "a class of the style sheet",
}
NAME = "foreign_step"


def named_in(path: Path) -> Iterator[str]:
    """The names of steps that stand as strings in a module."""
    names = set(all_steps())
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names:
            yield node.value


def imported_in(path: Path) -> Iterator[str]:
    """Modules of single signals or steps that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if module.startswith(("wireroom.signals.", "wireroom.scout")):
            yield module


def test_no_step_is_known_by_name() -> None:
    found_names = {(path.name, name) for path in REPORT.glob("*.py") for name in named_in(path)}
    assert found_names == set(EXEMPT)
    assert not [module for path in REPORT.glob("*.py") for module in imported_in(path)]


async def run(context: StepContext) -> Finding:
    raise AssertionError("nobody scouts here")


def details(facts: Facts) -> CardDetails:
    barred = tuple(facts["barred"])
    return CardDetails(
        bots=(Bots(purpose="weather", word="some", barred=barred, total=3),),
        terms=(
            TermsStatement(activity="kites", word="permitted", quote="Fly them.", url="http://a/"),
        ),
        fields=(("mood", ("json_ld",)),),
        picture=Picture(
            label="12 a day",
            per_day=12,
            low=10,
            high=14,
            confidence="high",
            zone="UTC",
            grid=((0,) * 24,) * 7,
        ),
    )


def what_changed(before: Facts, after: Facts) -> Iterator[str]:
    yield f"barred {len(before['barred'])} before, {len(after['barred'])} now"


FOREIGN = Step(
    NAME,
    "Weather",
    run,
    summary=lambda facts: Summary(text="no weather", nothing=True),
    details=details,
    changes=what_changed,
)


@pytest.fixture
def _foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: Mapping[str, Step] = MappingProxyType({**all_steps(), NAME: FOREIGN})
    monkeypatch.setattr("wireroom.report.build.all_steps", lambda: steps)


@pytest.mark.usefixtures("_foreign")
def test_a_foreign_step_fills_every_part_of_a_card() -> None:
    dossier = generous()
    ours = make_card(dossier)
    own = found(NAME, "unknown", barred=["KiteBot"])
    card = make_card(replace(dossier, findings=(own, *dossier.findings)))
    assert card.bots == (*details(own.facts).bots, *ours.bots)
    assert card.terms == (*details(own.facts).terms, *ours.terms)
    assert card.fields == (("mood", ("json_ld",)), *ours.fields)
    assert card.picture == details(own.facts).picture
    (line,) = [line for part in card.sections for line in part.lines if line.key == NAME]
    assert line.value == "unknown: no weather in what could be fetched"
    for text in (to_html(card), to_markdown(card)):
        assert "KiteBot" in text
        assert "kites" in text


@pytest.mark.usefixtures("_foreign")
def test_a_foreign_step_says_what_changed() -> None:
    pages = [
        found(NAME, barred=["a"], page_url="/1"),
        found(NAME, barred=[], page_url="/2", days=1),
    ]
    (change,) = changes(pages)
    assert change.text == "barred 1 before, 0 now"


def _lines(monkeypatch: pytest.MonkeyPatch, step: Step, *rows: Facts) -> list[str]:
    steps: Mapping[str, Step] = MappingProxyType({**all_steps(), NAME: step})
    monkeypatch.setattr("wireroom.report.build.all_steps", lambda: steps)
    history = [found(NAME, days=day, **facts) for day, facts in enumerate(rows)]
    return [change.text for change in changes(history)]


def test_facts_decide_what_is_a_change_and_not_the_words_of_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = Step(NAME, "Weather", run, summary=lambda facts: f"seen {facts['day']}")
    same = {"wind": "north"}
    days = [{**same, "day": day} for day in (1, 2)]
    compared = replace(plain, compared=("wind",))
    assert _lines(monkeypatch, compared, *days) == [], "another text is no change"
    assert _lines(monkeypatch, plain, *days) == ["seen 2 (before: seen 1)"]
    silent = replace(plain, summary=lambda _facts: "weather known")
    assert _lines(monkeypatch, silent, *days) == ["weather known (before: weather known)"]
    measured = [{**same, "measured": {"day": day}} for day in (1, 2)]
    assert _lines(monkeypatch, silent, *measured) == [], "what was only measured is no change"
    counted = replace(silent, compared=lambda facts: len(facts["barred"]))
    assert _lines(monkeypatch, counted, {"barred": ["a"]}, {"barred": ["b"]}) == []
    assert _lines(monkeypatch, counted, {"barred": ["a"]}, {"barred": []})


def test_a_tuple_of_a_fresh_finding_equals_the_list_of_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step = Step(NAME, "Weather", run, summary=lambda _facts: "weather")
    assert _lines(monkeypatch, step, {"winds": [["n", 1]]}, {"winds": (("n", 1),)}) == []


def test_every_step_of_ours_names_what_counts_as_a_change() -> None:
    unnamed = {
        name
        for name, step in all_steps().items()
        if step.summary is not None and step.changes is None and step.compared is None
    }
    assert unnamed == set()
