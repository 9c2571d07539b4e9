"""What a person does to one article: uncluster, read anew, report a wrong text."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.app.test_article_history import hold_copies
from tests.app.test_reparse import NOW, PAGE, hold
from tests.cli.inline import InlineEngine
from tests.store.samples import reading
from wireroom.app import App, open_app
from wireroom.app.article_actions import read_anew, uncluster_article
from wireroom.app.case_file import MAX_REPORT, SCHEMA, report_wrong_text
from wireroom.app.cluster_round import cluster_round, recluster
from wireroom.app.waiting import WaitsFor
from wireroom.duplicates import ClusterOptions, sign
from wireroom.errors import SettingsError
from wireroom.model import Article
from wireroom.settings import Settings

STORY = (
    "The harbour master resigned on Monday after thirty years, and nobody knows who will follow him. "
    "The ferry left with the tide at noon while the gates stood open, as they had all summer long. "
    "Shops along the quay closed early; the council meets again on Thursday to choose a new one. "
)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    settings = Settings(database_url=f"sqlite:///{tmp_path}/w.db")
    with open_app(settings, clock=lambda: NOW + timedelta(days=1)) as opened:
        yield opened


# --- clusters ---------------------------------------------------------------------------------------


def save_signed(app: App, held: Article) -> None:
    """Saves an article as a run does, with what near-duplicates are found by."""
    signature = sign(held.id, held.text, held.language, held.fetched_at, ClusterOptions())
    assert signature is not None
    app.store.save_readings([replace(reading(held), signature=signature)], now=NOW)


def cluster_all(app: App) -> None:
    while any(cluster_round(app.store, ClusterOptions(), holder="run-a", clock=app.clock)):
        continue


def test_an_article_that_was_taken_out_stays_out_though_it_is_edited(app: App) -> None:
    from tests.store.samples import article

    texts = [STORY * 3, STORY * 3, STORY * 3]
    members = [
        article(number, f"p{number}.test", text=text, text_hash=f"{number}", fetched_at=NOW)
        for number, text in enumerate(texts)
    ]
    for member in members:
        save_signed(app, member)
    cluster_all(app)
    taken = members[0]
    assert app.store.clusters_of([taken.id])
    done = uncluster_article(app, taken.id)
    assert done.cluster_id
    assert set(done.others) == {member.id for member in members[1:]}
    cluster_all(app)
    assert taken.id not in app.store.clusters_of([taken.id])
    edited = replace(
        taken,
        text=taken.text + " More soon.",
        text_hash="edited",
        fetched_at=NOW + timedelta(hours=1),
    )
    save_signed(app, edited)
    newcomer = article(7, "p7.test", text=STORY * 3, text_hash="7", fetched_at=NOW)
    save_signed(app, newcomer)
    cluster_all(app)
    now = app.store.article(taken.id)
    assert now is not None
    assert now.text_hash == "edited", "it was saved"
    assert taken.id not in app.store.clusters_of([taken.id]), "an edit does not bring it back"
    assert newcomer.id in app.store.clusters_of([newcomer.id])
    app.store.drop_old_signatures(
        now=NOW + timedelta(days=900), window=timedelta(days=1), limit=100
    )
    again = replace(edited, text=STORY * 3, text_hash="again", fetched_at=NOW + timedelta(hours=2))
    save_signed(app, again)
    for member in members[1:]:
        recluster(app, member)
    cluster_all(app)
    assert taken.id not in app.store.clusters_of([taken.id]), "nor does time"
    assert recluster(app, again), "a person can undo it"
    cluster_all(app)
    assert taken.id in app.store.clusters_of([taken.id])


def test_what_stands_in_no_cluster_is_taken_out_of_none(app: App) -> None:
    held = hold(app)
    assert uncluster_article(app, held.id).cluster_id == ""
    with pytest.raises(SettingsError, match="no article is held"):
        uncluster_article(app, "abcdef")
    ids = hold_copies(app, 2)
    assert uncluster_article(app, ids[0]).others == (ids[1],)
    assert app.store.clusters_of(ids) == {}, "one article alone is no cluster"


# --- reading anew -----------------------------------------------------------------------------------


async def test_a_kept_page_is_read_anew_and_saved(app: App) -> None:
    held = hold(app)
    done = await read_anew(InlineEngine(), app, held.id)
    assert (done.outcome, "text" in done.fields) == ("changed", True)
    assert done.article.text.startswith("The harbour master opened")
    assert done.article.version == 2
    again = await read_anew(InlineEngine(), app, held.id)
    assert (again.outcome, again.fields) == ("same", ())


async def test_without_a_kept_page_the_lead_is_due(app: App) -> None:
    held = hold(app, raw=None)
    done = await read_anew(InlineEngine(), app, held.url)
    assert done.outcome == "opened"
    assert done.wait is not None
    assert done.wait.on in {WaitsFor.RUN, WaitsFor.SCOUT}
    (lead,) = app.store.leads(publisher="courier.test", url=held.url)
    assert lead.state == "new"


async def test_a_page_that_gives_no_article_any_more_changes_nothing(app: App) -> None:
    held = hold(app, page="<body><p>Nothing here</p></body>")
    done = await read_anew(InlineEngine(), app, held.id)
    assert (done.outcome, done.reason) == ("unread", "no_article")
    now = app.store.article(held.id)
    assert now is not None
    assert now.text == held.text


# --- a wrong text -----------------------------------------------------------------------------------


def test_a_case_file_has_what_is_needed_and_nobody_else_reads_it(app: App, tmp_path: Path) -> None:
    held = hold(app, title="../../The <ferry> / sails", sources={"title": "og:title"})
    case = report_wrong_text(app, held.id, "  The byline is in the text. ")
    assert case.path.parent == tmp_path / "cases"
    assert case.path.name.startswith("the-ferry-sails-")
    assert (case.path.stat().st_mode & 0o777, case.path.parent.stat().st_mode & 0o777) == (
        0o600,
        0o700,
    )
    found = json.loads(case.path.read_text(encoding="utf-8"))
    assert (found["schema"], found["wrong"]) == (SCHEMA, "The byline is in the text.")
    assert (found["article"]["id"], found["article"]["text"]) == (held.id, held.text)
    assert found["fields"][0] | {"confidence": None} == {
        "field": "title",
        "value": held.title,
        "source": "og:title",
        "confidence": None,
    }
    assert b64decode(found["page"]["body_base64"]) == PAGE.encode()
    assert case.has_page


def test_two_reports_are_two_files_and_a_page_that_is_gone_is_none(
    app: App, tmp_path: Path
) -> None:
    held = hold(app, raw=None)
    folder = tmp_path / "elsewhere"
    first = report_wrong_text(app, held.id, "cut off", folder=folder)
    second = report_wrong_text(app, held.id, "no date", folder=folder)
    assert len(list(folder.iterdir())) == 2
    assert first.path != second.path
    assert not first.has_page
    assert json.loads(first.path.read_text(encoding="utf-8"))["page"] is None
    assert report_wrong_text(app, held.id, "cut off", folder=folder).path == first.path
    for wrong in ("", "  ", "x" * (MAX_REPORT + 1)):
        with pytest.raises(SettingsError, match="expected what is wrong"):
            report_wrong_text(app, held.id, wrong, folder=folder)
    with pytest.raises(SettingsError, match="no article is held"):
        report_wrong_text(app, "abcdef", "wrong", folder=folder)


def test_a_database_on_a_server_needs_a_folder(app: App, tmp_path: Path) -> None:
    held = hold(app)
    server = Settings(database_url="postgresql://u@h/n")
    away = App(app.store, clock=app.clock, settings=server)
    with pytest.raises(SettingsError, match="have no place"):
        report_wrong_text(away, held.id, "wrong")
    named = server.model_copy(
        update={"store": server.store.model_copy(update={"cases": f"{tmp_path}/named"})}
    )
    away = App(app.store, clock=app.clock, settings=named)
    assert report_wrong_text(away, held.id, "wrong").path.parent == tmp_path / "named"
