"""Markdown of what is held is that of the page it was read from, on the town, from the feed to the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.inline import use_inline_engine
from tests.cli.towns import Run, write_settings
from wireroom.town import Running, build_town, running_town
from wireroom.town.pages import article_page

PAGES_READ = "http://faro.test/arc/outboundfeeds/rss/"
TEXT_IN_FEED = "http://courier.test/rss.xml"
STORIES = 20  # that a feed carries
SHAPES = {"\n## ", "\n- ", "| --- |", "\n> ", "\n*"}  # the last is a caption
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CAPTION = re.compile(r"^\*([^*]+)\*$", re.MULTILINE)


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture(autouse=True)
def _inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading where it stands: workers are tested elsewhere."""
    use_inline_engine(monkeypatch)


def follow(served: Running, wireroom: Run, feed_url: str) -> None:
    write_settings(served.hosts)
    for arguments in (("add", feed_url), ("run", "--once")):
        ran = wireroom(*arguments, "--set", "run.scout=false")
        assert ran.code == 0, ran.err


def without_marks(markdown: str) -> str:
    """The Markdown without links and emphases, which are not held; captions are told by a word."""
    return _CAPTION.sub(r"Caption: \1", _LINK.sub(r"\1", markdown)).replace("*", "").strip()


@pytest.mark.long
def test_an_article_that_is_held_looks_like_its_page(served: Running, wireroom: Run) -> None:
    follow(served, wireroom, PAGES_READ)
    seen = set()
    for story in served.town.stories("faro.test", limit=STORIES):
        Path("page.html").write_text(article_page(served.town, story), encoding="utf-8")
        held = wireroom("article", story.url, "--format", "md").out
        page = wireroom("extract", "page.html", "--format", "md").out
        assert without_marks(held) == without_marks(page)
        seen |= {shape for shape in SHAPES if shape in held}
    assert seen == SHAPES


@pytest.mark.long
def test_a_text_that_stood_in_the_feed_has_its_shapes_in_every_file(
    served: Running, wireroom: Run
) -> None:
    follow(served, wireroom, TEXT_IN_FEED)
    assert wireroom("export", "-o", "pages", "--format", "md").code == 0
    files = [path.read_text("utf-8") for path in Path("pages").iterdir()]
    assert len(files) == STORIES
    assert all("\n## " in file and "\n> " in file for file in files)
    assert {shape for shape in SHAPES for file in files if shape in file} == SHAPES
