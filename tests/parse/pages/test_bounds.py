"""Whatever a page holds: a judgement comes back, in time, with a score between 0 and 1."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.parse.pages.pages import judged, page_of, story
from tests.parts import examples
from wireroom.parse.body import Body, read_body
from wireroom.parse.html import open_page
from wireroom.parse.metadata import read_metadata
from wireroom.parse.pages import PageJudgement, PageKind, judge_page

MAX_SECONDS = 0.5  # of CPU, for judging alone
HOSTILE = {
    "many types": '<script type="application/ld+json">{"@graph": ['
    + '{"@type": ["Product", "Offer"]},' * 20_000
    + "{}]}</script>",
    "many short lines": "<p>not found</p>" * 20_000,
    "one long line": f"<p>{'we use cookies ' * 60_000}</p>",
    "many prices": "<li>$ 1</li>" * 20_000,
    "a long title": f"<title>{'page not found ' * 50_000}</title>",
    "signs of money": f"<p>{'$' * 500_000}</p>",
}


def _is_sound(found: PageJudgement) -> bool:
    named = found.kind in get_args(PageKind)
    return 0.0 <= found.article <= 1.0 and named and all(map(str.strip, found.reasons))


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pages_cost_little(case: str) -> None:
    page = open_page(page_of(HOSTILE[case]))
    body, metadata = read_body(page), read_metadata(page.tree)
    with cpu_within(MAX_SECONDS):
        found = judge_page(page, body, metadata, "https://a.test/" + "b-" * 100_000)
    assert _is_sound(found)


@examples(100)
@given(st.binary(max_size=600), st.text(max_size=80))
def test_any_bytes_at_any_address_are_judged(body: bytes, url: str) -> None:
    assert _is_sound(judged(body, url))


@examples(100)
@given(st.data())
def test_a_damaged_article_is_judged(data: st.DataObject) -> None:
    markup = story()
    start = data.draw(st.integers(0, len(markup)))
    end = data.draw(st.integers(start, len(markup)))
    middle = data.draw(st.sampled_from(["", "<", "</div>", "<form>", "<title>404", "$ 5"]))
    assert _is_sound(judged(markup[:start] + middle + markup[end:]))


def test_a_body_that_was_made_elsewhere_is_judged_too() -> None:
    page = open_page("<p>Ferry</p>")
    body = Body(text="The ferry is back.", blocks=(), word_count=4, confidence=0.5)
    assert _is_sound(judge_page(page, body, read_metadata(page.tree), ""))


def test_judging_twice_gives_the_same() -> None:
    assert judged(story()) == judged(story())
