"""Where a licence stands decides what it licenses: the page, or a thing on it."""

from __future__ import annotations

import pytest

from wireroom.parse.html import open_page
from wireroom.parse.page_tags import read_page_tags

URL = "https://courier.test/a"
LINK = '<a rel="license" href="https://creativecommons.org/publicdomain/zero/1.0/">CC0</a>'
BOXES = {
    "figure": f"<figure><img src=x>{LINK}</figure>",
    "caption": f'<div class="wp-caption"><p>{LINK}</p></div>',
    "photo credit": f'<p class="photo-credit">Photo: {LINK}</p>',
    "credit of an article": f'<div class="article-credits">{LINK}</div>',
    "comment": f'<ol class="commentlist"><li id="comment-7"><div>{LINK}</div></li></ol>',
    "comment of a script": f'<div id="disqus_thread">{LINK}</div>',
    "comment as an article": f"<article><p>Hm.</p>{LINK}</article>",
    "sidebar": f'<div class="sidebar right">{LINK}</div>',
    "complementary": f'<div role="complementary">{LINK}</div>',
    "deep": "<div>" * 150 + LINK + "</div>" * 150,
}
OF_THE_PAGE = {
    "text": f"<p>{LINK}</p>",
    "footer": f"<footer><small>{LINK}</small></footer>",
    "wrapper that has a sidebar": f'<div class="has-sidebar">{LINK}</div>',
}


def licences(inside: str) -> int:
    body = f'<body class="single comments-open"><article class="post">{inside}</article></body>'
    return len(read_page_tags(open_page(body), url=URL, headers=()).licences)


@pytest.mark.parametrize("box", BOXES)
def test_a_licence_in_a_box_is_that_of_the_box(box: str) -> None:
    assert licences(BOXES[box]) == 0


@pytest.mark.parametrize("place", OF_THE_PAGE)
def test_a_licence_in_the_text_is_that_of_the_page(place: str) -> None:
    assert licences(OF_THE_PAGE[place]) == 1
