"""Pages that are no articles: refused with what they are, or kept on wish with a low quality."""

from __future__ import annotations

import pytest

from tests.parse.article.test_extract import FETCHED_AT, PAGE, PARAGRAPH, URL
from wireroom import ExtractConfig, extract, read_article
from wireroom.errors import NoArticleError
from wireroom.model import Hints, Item
from wireroom.parse.html import MAX_TAGS

LOGIN = """<html lang="en"><head><title>Sign in</title></head><body><form action="/in"><h1>Sign in</h1>
<label>Name <input name="n"></label><label>Password <input type="password" name="p"></label>
<button>Sign in</button></form><p>Forgot your password?</p></body></html>"""
HOME = f"""<html lang="en"><head><title>The Courier</title></head><body>{
    "".join(
        f'<div class="teaser"><h3><a href="/story-{n}">Story number {n} of the day</a></h3>'
        f"<p>Some {n} words about it, so that readers know whether they want to read the whole.</p></div>"
        for n in range(40)
    )
}</body></html>"""
NOT_FOUND = """<html lang="en"><head><title>Page not found</title></head><body><h1>Page not found</h1>
<p>The page you were looking for does not exist.</p></body></html>"""
HOME_URL = "https://www.courier.test/"


@pytest.mark.parametrize(
    ("page", "url", "kind"),
    [
        (LOGIN, "https://www.courier.test/login", "login"),
        (HOME, HOME_URL, "listing"),
        (NOT_FOUND, URL, "error"),
        ("<html><body><script>1</script></body></html>", URL, "empty"),
    ],
)
def test_page_that_is_no_article_says_what_it_is(page: str, url: str, kind: str) -> None:
    with pytest.raises(NoArticleError) as caught:
        extract(page, url=url, fetched_at=FETCHED_AT)
    assert caught.value.page_kind == kind
    assert kind in str(caught.value)
    assert caught.value.permanent
    assert ("any_page=True" in caught.value.hint) == (kind != "empty"), "what reads it all the same"


@pytest.mark.parametrize(("page", "url"), [(LOGIN, URL), (HOME, HOME_URL), (NOT_FOUND, URL)])
def test_on_request_it_is_read_with_a_low_quality_and_the_reason(page: str, url: str) -> None:
    article = extract(page, url=url, fetched_at=FETCHED_AT, config=ExtractConfig(any_page=True))
    assert article.quality < 0.5
    assert any("looks like" in reason or "no text" in reason for reason in article.extra["quality"])


def test_an_article_about_logins_is_an_article() -> None:
    page = PAGE.replace("The ferry", "Sign in with your password, they say; the ferry")
    assert extract(page, url=URL, fetched_at=FETCHED_AT).quality > 0.5


def test_an_item_of_a_feed_is_not_refused_for_its_looks() -> None:
    item = Item(feed_url="f", guid="1", url=HOME_URL, title="Story number 1 of the day")
    article = extract(HOME, url=HOME_URL, config=ExtractConfig(item=item, mode="recall"))
    assert article.title
    with pytest.raises(NoArticleError):
        extract(LOGIN, url=URL, config=ExtractConfig(item=item))


def test_what_the_operator_selects_is_not_judged() -> None:
    config = ExtractConfig(hints=Hints(body_selector=".teaser"))
    reading = read_article(HOME, url=HOME_URL, config=config)
    assert reading.judged == "article"


def test_a_reading_tells_how_it_was_judged() -> None:
    dated = '<meta property="article:published_time" content="2026-11-03"></head>'
    reading = read_article(PAGE.replace("</head>", dated), url=URL, fetched_at=FETCHED_AT)
    assert reading.judged == reading.judgement.kind == "article"
    assert reading.judgement.article > 0.35
    assert PARAGRAPH.strip() in reading.article.text


def test_the_error_of_a_page_that_was_cut_says_so() -> None:
    page = b"<html><body>" + b"<i></i>" * (MAX_TAGS // 2 + 10) + b"<p>The text.</p>"
    with pytest.raises(NoArticleError, match="cut: more tags than are read"):
        extract(page, url="https://courier.test/a")
