"""Following from a script: what the guide shows is run."""

from __future__ import annotations

import ast
import asyncio
import pickle
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest

import wireroom
from tests.cli.inline import use_inline_engine
from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import NOW, article
from wireroom import model
from wireroom.app import App, open_app
from wireroom.app.waiting import WaitsFor
from wireroom.errors import (
    DeliverError,
    GoneError,
    RefusedError,
    SettingsError,
    UnreachableError,
    WireroomError,
    terminal_words,
)
from wireroom.model import Lead, Reading
from wireroom.settings import FeedSettings, Settings
from wireroom.settings.sections import RightsSettings
from wireroom.town import Running, build_town, running_town
from wireroom.town.town_config import config_text

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "library.md"


@pytest.mark.long
def test_the_python_of_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks[0].strip().splitlines()) <= 14  # ten lines, an import or two, and a blank
    printed = []
    town = build_town()
    with running_town(town) as running:
        settings = config_text(town, running.hosts, feeds=False)
        settings = settings.replace("[fetch]", "[fetch]\ndelay = 0")
        (tmp_path / "wireroom.toml").write_text(settings, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        use_inline_engine(monkeypatch)
        for block in blocks:
            exec(compile(block, "library.md", "exec"), {"__name__": "guide"})
            printed.append(capsys.readouterr().out.splitlines())
    following, watching, looking_after, awaiting, reading = printed
    assert following[0].startswith("added ['http://courier.test/rss.xml'")
    assert following[2].endswith("allowed")
    assert [following[1], following[3]] == ["True", "True"]
    assert (tmp_path / "news.jsonl").stat().st_size > 1000
    assert watching[0].startswith("phare.test added")
    assert watching[1].startswith("nobody.test failed https://nobody.test/: ")
    assert [line for line in watching if line.startswith(("run_", "articles"))][:2] == [
        "run_started",
        "articles_saved",
    ]
    assert watching[-2:] == ["run_ended", "True"]
    missing, waits, opened, purged, found, refused = looking_after
    assert (missing, purged, found) == ("('nobody.test',)", "0", "yes")
    assert set(ast.literal_eval(waits)) <= {"run", "rest"}, (
        "its host may be left alone for a moment"
    )
    assert opened.isdigit()
    assert refused == (
        "there is no use 'training'. One of: search, ai-input, ai-index, ai-train, archive."
    )
    assert awaiting == ["True"]
    assert reading == ["Storm closes the harbour h1"]


async def test_inside_an_event_loop_the_async_function_is_named() -> None:
    with open_app("sqlite:///:memory:") as app:
        with pytest.raises(WireroomError, match="add_async"):
            app.add("courier.test")
        with pytest.raises(WireroomError, match="run_once_async"):
            app.run_once()
        with pytest.raises(WireroomError, match="run_async"):
            app.run()
        with pytest.raises(WireroomError, match="scout_async"):
            app.scout("courier.test")


def test_an_app_has_the_settings_it_was_opened_with() -> None:
    from wireroom.settings import Settings

    settings = Settings(database_url="sqlite:///:memory:", contact_url="https://desk.example/bot")
    with open_app(settings) as app:
        assert app.settings is settings
    with open_app("sqlite:///:memory:") as app:
        assert app.settings == Settings()


# --- which database -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "named",
    ["news.db", Path("news.db"), "sqlite:///news.db", Settings(database_url="sqlite:///news.db")],
    ids=["name", "path", "address", "settings"],
)
def test_an_app_opens_on_what_the_flag_takes(
    named: str | Path | Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_app(named) as app:
        assert app.feeds() == ()
    assert [file.name for file in tmp_path.iterdir()] == ["news.db"]


def test_without_a_database_an_app_stands_where_the_commands_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIREROOM_DATABASE_URL", "sqlite:///from_environment.db")
    (tmp_path / "wireroom.toml").write_text('contact_url = "https://desk.example/bot"\n')
    with open_app() as app:
        assert app.settings.contact_url == "https://desk.example/bot"
    assert (tmp_path / "from_environment.db").exists()
    with open_app("other.db") as app:
        assert app.settings == Settings(), "a database that is named has the defaults"
    with open_app("other.db", settings=Settings(database_url="sqlite:///not_this.db")) as app:
        assert app.settings.database_url == "sqlite:///not_this.db"
    assert not (tmp_path / "not_this.db").exists()


@pytest.mark.parametrize("named", ["", "mysql://desk/news"])
def test_what_names_no_database_is_refused_in_words_of_python(named: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://USER") as caught:
        open_app(named)
    assert "--" not in str(caught.value)


# --- adding and running -------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[App, Running]]:
    """An app that follows nobody yet, and the town."""
    town = build_town()
    with running_town(town) as running:
        text = config_text(town, running.hosts, feeds=False).replace(
            "[fetch]", "[fetch]\ndelay = 0"
        )
        (tmp_path / "wireroom.toml").write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        use_inline_engine(monkeypatch)
        with open_app() as app:
            yield app, running


def test_each_target_has_its_outcome_and_one_that_fails_stops_no_other(
    desk: tuple[App, Running],
) -> None:
    app, _ = desk
    feed = "http://courier.test/rss.xml"
    gone, known = "http://courier.test/no/such/page", "http://courier.test/atom.xml"
    app.add(known, scout=False)
    targets = ("nobody.test", "http://", feed, gone, "http://10.0.0.1/rss.xml")
    found = app.add(*targets)
    assert [added.target for added in found] == list(targets)
    assert [added.outcome for added in found] == ["failed", "failed", "added", "nothing", "refused"]
    assert [added.kind for added in found] == ["dns", "", "", "gone", "private_address"]
    assert [type(added.error) for added in found] == [
        UnreachableError,
        SettingsError,
        type(None),
        GoneError,
        RefusedError,
    ]
    assert all(added.reason for added in found if added.error)
    assert {stats.feed.url for stats in app.feeds()} == {feed, known}
    assert app.add() == ()
    (unseen,) = app.add("courier.test", scout=False)
    assert unseen.outcome == "failed"
    assert str(unseen.error).endswith("Leave scout=False out, or name the feed itself.")


def test_a_run_ends_when_it_is_asked_to_and_gives_on_what_happened(
    desk: tuple[App, Running],
) -> None:
    app, _ = desk
    app.add("http://courier.test/rss.xml", scout=False)
    before = [event.seq for event in app.events()]
    stop, seen = Event(), list[model.Event]()

    def watch(event: model.Event) -> None:
        seen.append(event)
        if event.kind == "articles_saved":
            stop.set()

    counts = app.run(stop=stop, on_event=watch)
    assert counts.articles["new"] > 0
    assert [event.kind for event in (seen[0], seen[-1])] == ["run_started", "run_ended"]
    assert [event.seq for event in seen] == [event.seq for event in app.events(after=before[-1])]
    counts = app.run(stop=stop)
    assert counts.did_nothing, "a flag that is set ends a run before it has begun"


async def test_what_is_raised_over_an_event_ends_the_run(desk: tuple[App, Running]) -> None:
    app, _ = desk

    def refuse(event: model.Event) -> None:
        raise KeyError(event.kind)

    with pytest.raises(KeyError, match="run_started"):
        await app.run_async(on_event=refuse)
    assert [event.kind for event in app.events()][-1] == "run_ended"
    stop = asyncio.Event()
    stop.set()
    assert (await app.run_async(stop=stop)).did_nothing


# --- looking after what is held -----------------------------------------------------------------


@pytest.fixture
def held(tmp_path: Path) -> Iterator[App]:
    """An app with a feed, three articles, a page that failed, and a publisher that was scouted twice."""
    with open_app(tmp_path / "held.db", clock=lambda: NOW) as app:
        app.sync([FeedSettings(name="a", url="https://courier.example/rss")], apply=True)
        save_robots(app, "courier.example", ALLOW, at=NOW - timedelta(days=2))
        save_robots(app, "courier.example", DENY)
        hold(app, [article(1), article(2, "weekly.example"), article(3, "weekly.example")])
        lead = Lead(url="https://courier.example/x", publisher="courier.example", state="failed")
        app.store.save_readings([Reading(lead=lead)], now=NOW)
        yield app


def test_feeds_are_paused_and_resumed_by_name(held: App) -> None:
    paused = held.pause("a", "nosuch")
    assert ([feed.name for feed in paused.feeds], paused.missing) == (["a"], ("nosuch",))
    assert [stats.feed.state for stats in held.feeds()] == ["paused"]
    resumed = held.resume("courier.example")
    assert [feed.state for feed in resumed.feeds] == ["paused"], "as they were before"
    assert [wait.on for wait in resumed.waits] == [WaitsFor.RUN]
    assert [stats.feed.state for stats in held.feeds()] == ["live"]


def test_pages_that_failed_are_opened_again(held: App) -> None:
    assert held.retry(publisher="weekly.example").opened == 0
    assert held.retry(feed="a").opened == 0, "no feed led to it"
    assert held.retry().opened == 1
    with pytest.raises(SettingsError, match="no feed is called nosuch"):
        held.retry(feed="nosuch")
    with pytest.raises(SettingsError, match="nothing is known about"):
        held.retry(publisher="nosuch.example")
    with pytest.raises(SettingsError, match="expected the address of a page"):
        held.retry("nosuch")


def test_what_is_planned_is_purged_and_nothing_goes_unasked(held: App) -> None:
    assert held.plan_purge(query="publisher:weekly.example").ids
    assert held.plan_purge(query="publisher:weekly.example", publisher="courier.example").ids == ()
    with pytest.raises(SettingsError, match="nothing says what is to go"):
        held.plan_purge(query=" ")
    plan = held.plan_purge(publisher="weekly.example")
    assert (len(plan.ids), dict(plan.publishers)) == (2, {"weekly.example": 2})
    assert len(list(held.articles())) == 3
    assert held.purge(plan).articles == 2
    assert [article.publisher for article in held.articles()] == ["courier.example"]
    with pytest.raises(SettingsError, match="Name older_than, feed, publisher or query"):
        held.plan_purge()
    with pytest.raises(SettingsError, match="no feed is called nosuch"):
        held.plan_purge(feed="nosuch")
    for nobody in ("nosuch.example", "://"):
        with pytest.raises(SettingsError):
            held.plan_purge(publisher=nobody)


def test_history_tells_findings_and_rights_that_changed(held: App) -> None:
    found = held.history("courier.example", step="robots")
    assert [finding.found_at for finding in found] == [NOW - timedelta(days=2), NOW]
    changes = held.rights_history("courier.example")
    flips = [
        (change.uses, change.old, change.new) for change in changes if change.kind == "verdict"
    ]
    assert flips == [(("ai-train",), "allow", "deny")]
    assert held.history("nosuch.example") == ()
    with pytest.raises(SettingsError, match="there is no step nosuch"):
        held.history("courier.example", step="nosuch")


# --- errors -------------------------------------------------------------------------------------


def test_a_word_that_is_no_use_is_refused_with_the_uses(held: App, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"'training'\. One of: search, ai-input, ai-index"):
        held.export(tmp_path / "out.jsonl", use="training")  # type: ignore[arg-type]
    assert not (tmp_path / "out.jsonl").exists()


def test_an_export_for_a_use_obeys_the_policy_of_the_settings(tmp_path: Path) -> None:
    lenient = RightsSettings(export_on=("allow", "unknown"), certain=False)
    settings = Settings(database_url="sqlite://", rights=lenient)
    for chosen, count in ((settings, 1), (Settings(database_url="sqlite://"), 0)):
        with open_app(chosen, clock=lambda: NOW) as app:
            hold(app, [article(1)])
            exported = app.export(tmp_path / "out.jsonl", use="ai-train", replace=True)
        assert exported.count == count


def test_errors_name_arguments_in_python_and_flags_at_a_terminal(held: App, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.touch()
    with pytest.raises(DeliverError, match=r"replace=True$") as caught:
        held.export(there)
    assert terminal_words(caught.value.hint) == "Replace it with: --force"
    with pytest.raises(SettingsError, match="Give form, one of: ") as unknown:
        held.export(tmp_path / "out", form="nosuch")
    assert terminal_words(unknown.value.hint).startswith("Give --format, one of: ")
    again = pickle.loads(pickle.dumps(unknown.value.hint))
    assert (again, terminal_words(again)) == (unknown.value.hint, terminal_words(again))


FLAG = re.compile(
    r"(?:^|[\s(`'])--[a-z][a-z-]+|\bwireroom (?:add|articles?|backup|run|export|retry)\b"
)
# Advice that a command prints as it is, for somebody at a terminal; no error of a library call.
FOR_TERMINALS = {
    *("app/page_trace.py", "app/doctor.py", "app/backfill.py", "report/terminal_view.py"),
    *("report/build.py", "report/conclusion.py"),  # a card names the next commands
}


def test_no_flag_is_named_below_the_command_line_but_in_words_for_a_terminal() -> None:
    source = Path(wireroom.__file__).parent
    wrong = []
    for path in sorted(source.rglob("*.py")):
        place = path.relative_to(source).as_posix()
        if place.startswith(("cli/", "town/", "web/")) or place in FOR_TERMINALS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wrong += [
            f"{place}:{line}: {text}" for text, line in _shown_texts(tree) if FLAG.search(text)
        ]
    assert not wrong


def _shown_texts(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every text but docstrings and what is for a terminal."""
    left_out = {
        id(part)
        for node in ast.walk(tree)
        for skipped in _skipped(node)
        for part in ast.walk(skipped)
    }
    for node in ast.walk(tree):
        if id(node) in left_out or not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, str) and not node.value.startswith(
            "flag "
        ):  # of where it came from
            yield node.value, node.lineno


def _skipped(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node  # a docstring
    if isinstance(node, ast.Call):
        yield from (
            word.value for word in node.keywords if word.arg in {"terminal", "description", "flag"}
        )
