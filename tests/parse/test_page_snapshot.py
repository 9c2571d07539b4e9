"""A page as harmless HTML with kept and dropped texts marked."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.app.snapshot import CLASSES, sanitised
from wireroom.parse.article import read_article
from wireroom.parse.html import open_page
from wireroom.parse.page_snapshot import MAX_HTML, TAGS, MarkedPage, mark_page

STORY = "The harbour master resigned on Monday after thirty years, and nobody knows who will follow him. "
PAGE = f"""<!doctype html><html lang=en><head><title>Harbour</title><style>p{{color:red}}</style>
<meta http-equiv=refresh content="0; url=https://evil.test/"><base href="https://evil.test/"></head><body onload=x()>
<nav><ul><li><a href="/sport">Sport pages</a></li></ul></nav>
<article><h1>Harbour master resigns</h1>
<p lang=de dir="ltr" onclick="steal()">{STORY * 2}<b>Really <a href="javascript:x()">yes</a></b>.</p>
<p style="background:url(//evil.test/x)">{STORY * 3}</p><img src="https://evil.test/p.png" alt="A &lt;ship&gt;">
<p>{STORY}<br>{STORY}</p></article>
<form action="https://evil.test/"><input name=q value=secret><button>Send</button><p>Subscribe to our newsletter</p></form>
<iframe src="https://evil.test/"></iframe><script>steal()</script><svg><text>drawn</text></svg>
<math><mi>x</mi></math><object data=x></object><footer>© 2026 Courier</footer></body></html>"""


def marked(html: str) -> MarkedPage:
    reading = read_article(html, url="https://courier.test/a", explain=True)
    return mark_page(open_page(html), reading.body.blocks, reading.article.text)


class _Reader(HTMLParser):
    """Everything that stands in some HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.runs: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        word = next((value or "" for name, value in attrs if name == "class"), "")
        self.open.append(word if word in {"kept", "dropped"} else "")

    def handle_endtag(self, tag: str) -> None:
        if self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        word = next((word for word in reversed(self.open) if word), "")
        if data.strip():
            self.runs.append((word, " ".join(data.split())))


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html.replace("<br>", " ").replace("<hr>", ""))
    reader.close()
    return reader


def test_runs_are_marked_as_they_were_decided() -> None:
    page = marked(PAGE)
    runs = read(page.html).runs
    kept = [text for word, text in runs if word == "kept"]
    dropped = [text for word, text in runs if word == "dropped"]
    assert any(text.startswith("The harbour master") for text in kept)
    assert "Sport pages" in dropped
    assert "© 2026 Courier" in dropped
    assert all(word for word, _ in runs), "every text is one or the other"
    assert (page.kept > 2, page.dropped >= 3, page.cut) == (True, True, False)


def test_nothing_of_the_page_but_its_words_is_left() -> None:
    for html in (marked(PAGE).html, sanitised(marked(PAGE).html)):
        reader = read(html)
        assert reader.tags <= TAGS
        assert {name for name, _ in reader.attributes} <= {"class", "title", "lang", "dir"}
        assert {value for name, value in reader.attributes if name == "class"} <= CLASSES
        for trace in ("evil.test", "steal", "javascript", "secret", "drawn", "color:red", "Send"):
            assert trace not in html
        assert "[image: A &lt;ship&gt;]" in html
        assert '<p lang="de" dir="ltr">' in html
        assert "Subscribe to our newsletter" in html, "what a form says is text of the page"


def test_sanitising_takes_what_should_not_be_there() -> None:
    hostile = (
        '<span class="kept evil" onclick=x() style=y>a</span><script>b</script><a href=x>c</a>'
    )
    assert sanitised(hostile) == '<span class="kept">a</span>c'
    assert sanitised(marked(PAGE).html).count('class="kept"') == marked(PAGE).kept


def test_the_same_words_twice_are_matched_in_their_order() -> None:
    twice = f"<body><article><p>{STORY * 2}</p><p>{STORY}</p><p>{STORY * 2}</p></article></body>"
    page = marked(twice)
    words = re.findall(r'<span class="(\w+)"', page.html)
    assert words.count("dropped") == 1, "what is said again is dropped once"


def test_a_page_that_is_too_long_is_cut_and_says_so() -> None:
    page = mark_page(open_page("<body>" + "<p>word word</p>" * 90_000), ())
    assert page.cut
    assert len(page.html) < 2 * MAX_HTML


@pytest.mark.parametrize("depth", [400, 5_000])
def test_deep_pages_are_walked_without_recursion(depth: int) -> None:
    page = mark_page(open_page("<div><b>" * depth + "deep words are here" + "</div>" * depth), ())
    assert "deep words are here" in page.html


MARKUP = st.lists(
    st.sampled_from(
        [
            "<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<a href=x>", "</a>", "<li>", "<table>", "<td>",
            "</table>", "<br>", "<img alt='<x>\"'>", "word ", "&lt;script&gt;", '"', "'", "<script>", "</script>",
            "<i", ">", "<svg onload=x>", "</svg>", "<!--", "-->", "<em>", "</em>", "<title>", "<p lang='\"x'>",
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(MARKUP)
def test_whatever_a_page_is_its_snapshot_is_plain(html: str) -> None:
    page = mark_page(open_page(f"<body>{html}</body>"), ())
    reader = read(page.html)
    assert reader.tags <= TAGS
    assert {name for name, _ in reader.attributes} <= {"class", "title", "lang", "dir"}
    assert page.html.count("<span") == page.html.count("</span>")
    clean = sanitised(page.html)
    words = [text for _, text in read(clean).runs]
    assert " ".join(words).split() == " ".join(text for _, text in reader.runs).split()
