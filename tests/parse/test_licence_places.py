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
    "area of comments": f'<div id="commentsArea"><p>{LINK}</p></div>',
    "picture": f"<picture><img src=x><small>Foto: {LINK}</small></picture>",
    "credit in a paragraph": f"<p><small>Foto: A. Archer, {LINK}</small></p>",
    "credit after the licence": f"<p>{LINK}, 写真 A. Archer</p>",
    "box of a picture without a name": f"<div><a href=/x><img src=x></a><p>{LINK}</p></div>",
    "footer of a comment": f'<div class="replies"><footer>{LINK}</footer></div>',
    "box that nobody knows": f'<div class="x1a2b3"><p>{LINK}</p></div>',
    "name without a letter": f'<div id="12"><p>{LINK}</p></div>',
    "quote": f"<blockquote><footer>{LINK}</footer></blockquote>",
}
NAMES = [
    "commentBody",
    "photoCredit",
    "imageCredit",
    "user-comment-body",
    "article-comments-list",
    "styles_comment__x1",
    "image-credit-text",
    "discussion",
    "replies",
    "respond",
    "bildnachweis",
    "Kommentar",
    "kommentarbereich",
    "comentarios",
    "commentaires",
    "komentarze",
    "yorumlar",
    "photocredit",
    "legende-photo",
    "fotocredit",
    "media-gallery",
    "relatedStories",
    "AuthorBio",
    "комментарии",
    "コメント",
]
OF_THE_PAGE = {
    "text": f"<p>{LINK}</p>",
    "footer": f"<footer><small>{LINK}</small></footer>",
    "wrapper that has a sidebar": f'<div class="has-sidebar">{LINK}</div>',
    "body of the text": f'<div class="entry-content" id="article-body"><p>{LINK}</p></div>',
    "notice": f'<div class="articleLicense"><p>This text is under {LINK}</p></div>',
    "footer in columns": f'<footer class="bg-1"><div class="mx-4 css-1x"><ul><li>{LINK}</li></ul></div></footer>',
    "picture elsewhere in the text": f"<div class=text><img src=x>{'<p>a</p>' * 8}<p>{LINK}</p></div>",
    "badge": LINK.replace("CC0", "<img src=cc0.png>") + "<br>This work has no rights reserved.",
}
WHOLE_PAGES = {
    "footer of the page": (f"<div class=page><footer><p>{LINK}</p></footer></div>", 1),
    "text without an article": (f"<div id=main><h1>A</h1><p>b</p><p>{LINK}</p></div>", 1),
    "layout around the article": (
        f'<div class="content-sidebar-wrap"><article><p>{LINK}</p></article></div>',
        1,
    ),
    "story after a teaser": (
        f"<article><h3>a</h3></article><article><h1>b</h1><p>{LINK}</p></article>",
        1,
    ),
    "comment after the story": (
        f"<article><h1>a</h1></article><div><article><p>{LINK}</p></article></div>",
        0,
    ),
    "article that is called a comment": (
        f'<article class="comment-7"><p>{LINK}</p></article>',
        0,
    ),
    "article among comments": (
        f'<section class="comments"><article><p>{LINK}</p></article></section>',
        0,
    ),
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


@pytest.mark.parametrize("name", NAMES)
def test_whatever_a_box_of_something_else_is_called(name: str) -> None:
    box = f'<div class="{name}"><p>{LINK}</p></div>'
    assert licences(box) == licences(f"<footer>{box}</footer>") == 0


@pytest.mark.parametrize("place", WHOLE_PAGES)
def test_the_story_and_the_footer_speak_for_the_page(place: str) -> None:
    body, found = WHOLE_PAGES[place]
    tags = read_page_tags(open_page(f"<body>{body}</body>"), url=URL, headers=())
    assert len(tags.licences) == found
