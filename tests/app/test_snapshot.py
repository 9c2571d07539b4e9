"""The original of an article, through a worker and once more sanitised."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.app.test_reparse import NOW, PAGE, hold
from tests.cli.inline import InlineEngine
from wireroom.app import App, open_app
from wireroom.app.snapshot import article_snapshot, snapshot_by
from wireroom.settings import Settings


@pytest.fixture
def app() -> Iterator[App]:
    settings = Settings(database_url="sqlite:///:memory:")
    with open_app(settings, clock=lambda: NOW + timedelta(days=1)) as opened:
        yield opened


async def test_the_page_of_an_article_is_shown_with_its_texts_marked(app: App) -> None:
    extra = "<nav>All sections of the paper</nav><script>steal()</script>"
    held = hold(app, page=PAGE.replace("<article>", f"{extra}<article>"))
    found = await snapshot_by(InlineEngine(), app, held.id)
    assert found is not None
    assert (found.article.id, found.fetched_at, found.problem) == (held.id, NOW, "")
    assert found.kept >= 1
    assert '<span class="kept"' in found.html
    assert '<span class="dropped" title="outside' in found.html
    title = '<h1><span class="kept" title="it is the title">The ferry sails</span></h1>'
    assert title in found.html, "it is kept, though not in the text"
    assert "steal" not in found.html


async def test_what_is_not_kept_and_what_is_no_article_are_two_things(app: App) -> None:
    gone = hold(app, 2, raw=None)
    assert await snapshot_by(InlineEngine(), app, gone.id) is None
    assert await snapshot_by(InlineEngine(), app, "abcdef") is None
    front = hold(app, 3, page="<body><p>Nothing here</p></body>")
    found = await snapshot_by(InlineEngine(), app, front.id)
    assert found is not None
    assert found.problem
    assert (found.kept, "Nothing here" in found.html) == (0, True)


@pytest.mark.long
def test_a_worker_of_its_own_reads_it(app: App) -> None:
    held = hold(app)
    found = article_snapshot(app, held.id)
    assert found is not None
    assert found.kept >= 1
