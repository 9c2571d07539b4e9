"""Archives into the store: articles as if they had been read there, under the rights that the crawl saw."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.archive.conftest import NOW
from tests.app.archive.test_rights import TRAIN, robots, story
from tests.cli.inline import InlineEngine
from tests.store.postgres_server import running_server
from tests.warcs import answer, page, record, story_records, write_warc
from wireroom.app import App, open_app
from wireroom.app.archive import ArchiveRequest, ArchiveSummary
from wireroom.app.archive.archive_files import archive_inputs


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[App]:
    if request.param == "sqlite":
        with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW) as app:
            yield app
        return
    with running_server() as server, open_app(server.new_database(), clock=lambda: NOW) as app:
        yield app


def save(app: App, *inputs: Path, output: Path | None = None) -> ArchiveSummary:
    request = ArchiveRequest(inputs=tuple(map(str, inputs)), into_store=True, output=output)
    return asyncio.run(archive_inputs(app, request, InlineEngine()))


def test_articles_are_held_once_however_often_they_are_read(app: App, tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", story_records(["Aldersea", "Brightwell"]))
    assert save(app, warc).articles == 2
    held = {article.url: article for article in app.store.articles()}
    assert set(held) == {f"https://courier.example/{t}" for t in ("aldersea", "brightwell")}
    save(app, warc)
    again = {article.url: article for article in app.store.articles()}
    assert {url: article.version for url, article in again.items()} == dict.fromkeys(held, 1)
    assert app.store.search("harbour").articles


def test_a_robots_txt_behind_its_pages_is_in_their_receipts(app: App, tmp_path: Path) -> None:
    records = [story("a.example", "Aldersea"), robots("a.example", TRAIN)]
    save(app, write_warc(tmp_path / "a.warc.gz", records))
    (article,) = app.store.articles()
    assert article.receipt is not None
    words = {verdict.use: verdict.value for verdict in article.receipt.verdicts}
    assert words["ai-train"] == "deny"


def test_near_duplicates_are_clustered(app: App, tmp_path: Path) -> None:
    text = page("Aldersea", paragraphs=6)
    changed = text.replace(b"in spring", b"in autumn", 1)
    records = [
        record("https://a.example/x", answer(text)),
        record("https://b.example/y", answer(changed)),
    ]
    save(app, write_warc(tmp_path / "a.warc.gz", records))
    clusters = {article.cluster_id for article in app.store.articles()}
    assert len(clusters) == 1
    assert clusters != {""}


def test_a_manifest_is_kept_where_a_folder_is_named(app: App, tmp_path: Path) -> None:
    warc = write_warc(tmp_path / "a.warc.gz", story_records(["Aldersea"]))
    assert save(app, warc, output=tmp_path / "done").done_before == 0
    assert save(app, warc, output=tmp_path / "done").done_before == 1
    assert not list((tmp_path / "done").glob("day=*"))
