"""A page that is no article is read as what it is: a thread by its posts, a listing by its entries."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wireroom.errors import NoArticleError
from wireroom.parse.article import ExtractConfig, read_article
from wireroom.parse.article.article_reader import SHIFTS
from wireroom.parse.body import read_body
from wireroom.parse.html import open_page

FETCHED_AT = datetime(2026, 11, 3, 12, tzinfo=UTC)
ANY = ExtractConfig(any_page=True)
POSTS = (
    "Does anybody know which of the two ferries takes bicycles before nine in the morning?",
    "The small one does, but only when the tide is high enough for the ramp at the north quay.",
    "I was turned away last week, so better ask the harbour master before you ride down there.",
    "The timetable on the landing stage has a note about it, in very small letters at the bottom.",
)


OPENING = " ".join((
    "Which ferry would you take from Dunmere to the north quay with two bicycles and a pram on a weekday?",
    "We have to be there at nine, and the man at the landing stage told us something else every time we asked him.",
    "Last year the small one took us without a word, but it lay in the dock for most of the spring and came back",
    "with a new ramp and a new captain, who is said to be strict about everything that has wheels, whatever its size.",
))  # fmt: skip


def _thread() -> str:
    posts = "".join(
        f'<div class="post"><b>user{n}</b><p>{post}</p><a href="#{n}">Reply</a></div>'
        for n, post in enumerate(POSTS)
    )
    title = "Which ferry would you take from Dunmere?"
    data = '{"@type": "DiscussionForumPosting", "headline": "Ferry", "author": {"name": "user0"}}'
    return (
        f"<html lang=en><head><title>{title} | Quay</title>"
        f'<script type="application/ld+json">{data}</script></head><body>'
        f'<h1>{title}</h1><div class="post"><b>asker</b><p>{OPENING}</p></div>'
        f'<div class="comments">{posts}</div></body></html>'
    )


def _listing() -> str:
    entries = "".join(
        f'<li class="teaser"><h3><a href="/boats/{n}">Boat number {n} of the harbour list</a></h3></li>'
        for n in range(12)
    )
    return (
        "<html lang=en><head><title>All boats | The Quay</title></head><body><main><h1>All boats</h1>"
        f'<p>Every boat that has lain at the quay since the spring.</p><ul class="list">{entries}</ul></main></body></html>'
    )


def test_the_posts_of_a_thread_are_its_text() -> None:
    reading = read_article(
        _thread(),
        url="https://forum.quay.test/threads/which-ferry.1234",
        fetched_at=FETCHED_AT,
        config=ANY,
    )
    assert reading.judged == "forum"
    assert [post for post in POSTS if post not in reading.article.text] == []
    assert reading.article.title not in reading.article.text.splitlines()


def test_a_listing_is_refused_and_read_when_any_page_is_wanted() -> None:
    url = "https://quay.test/boats/"
    with pytest.raises(NoArticleError):
        read_article(_listing(), url=url, fetched_at=FETCHED_AT)
    text = read_article(_listing(), url=url, fetched_at=FETCHED_AT, config=ANY).article.text
    assert [n for n in range(12) if f"Boat number {n} of the harbour list" not in text] == []


def test_lists_are_read_more_readily_and_threads_less() -> None:
    page = open_page(_listing(), url="https://quay.test/boats/")
    sizes = [
        len(read_body(page, any_kind=True, shift=shift).text) for shift in (0.6, 0.1, 0.0, -0.1)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert SHIFTS["listing"] < 0 < SHIFTS["forum"]
