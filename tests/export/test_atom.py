"""The Atom feed: what RFC 4287 asks for, readable, and harmless whatever an article says."""

from __future__ import annotations

import io
from collections import Counter
from datetime import datetime
from typing import Any

from lxml import etree

from tests.export.samples import LICENCE, NOW, article, bare, hostile
from wireroom.export.atom import ATOM, write
from wireroom.model import Article
from wireroom.parse.feed import read_feed

ONCE = {"id", "title", "updated"}
AT_MOST_ONCE = {"published", "rights", "summary", "content", "source", "generator", "subtitle"}
ENTRY = ONCE | AT_MOST_ONCE | {"author", "category", "link", "contributor"}
FEED = ONCE | AT_MOST_ONCE | {"author", "category", "link", "contributor", "entry"}


def written(*articles: Article) -> bytes:
    out = io.BytesIO()
    assert write(articles, out) == len(articles)
    return out.getvalue()


def parsed(body: bytes) -> Any:
    return etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True))


def names(element: Any) -> list[str]:
    assert all(child.tag.startswith(f"{{{ATOM}}}") for child in element)
    return [child.tag.removeprefix(f"{{{ATOM}}}") for child in element]


def assert_valid(feed: Any) -> None:
    """What RFC 4287 says of feeds and entries, as far as we use it."""
    assert feed.tag == f"{{{ATOM}}}feed"
    order = names(feed)
    first_entry = order.index("entry") if "entry" in order else len(order)
    assert set(order[first_entry:]) <= {"entry"}, "metadata stands before the entries"
    _assert_children(feed, FEED)
    ids = [entry.findtext(f"{{{ATOM}}}id") for entry in _entries(feed)]
    assert len(set(ids)) == len(ids)
    for entry in _entries(feed):
        _assert_children(entry, ENTRY)
        assert "author" in names(entry), "the feed has no author, so each entry needs one"
        assert all(author.findtext(f"{{{ATOM}}}name") for author in entry.iter(f"{{{ATOM}}}author"))
        alternates = entry.findall(f"{{{ATOM}}}link[@rel='alternate']")
        assert len(alternates) <= 1
        assert alternates or entry.find(f"{{{ATOM}}}content") is not None


def _assert_children(element: Any, known: set[str]) -> None:
    counted = Counter(names(element))
    assert set(counted) <= known
    assert all(counted[name] == 1 for name in ONCE)
    assert all(counted[name] <= 1 for name in AT_MOST_ONCE)
    for name in ("updated", "published"):
        for date in element.findall(f"{{{ATOM}}}{name}"):
            assert date.text.endswith("Z")
            assert datetime.fromisoformat(date.text).tzinfo is not None


def _entries(feed: Any) -> list[Any]:
    return list(feed.findall(f"{{{ATOM}}}entry"))


def test_feeds_are_valid() -> None:
    for articles in ((), (article(),), (article(1), article(2), bare(), hostile())):
        assert_valid(parsed(written(*articles)))


def test_an_entry_says_what_may_be_done_with_it() -> None:
    (entry,) = _entries(parsed(written(article())))
    rights = entry.findtext(f"{{{ATOM}}}rights")
    assert "ai-train: allow" in rights
    assert "2026-05-03" in rights
    assert entry.find(f"{{{ATOM}}}link[@rel='license']").get("href") == LICENCE
    assert "no receipt" in parsed(written(bare())).findtext(f"{{{ATOM}}}entry/{{{ATOM}}}rights")


def test_our_own_reader_reads_it() -> None:
    document = read_feed(written(article(1), article(2)), base_url="https://desk.example/")
    assert [item.title for item in document.items] == [article(1).title, article(2).title]
    item = document.items[0]
    assert item.url == article(1).url
    assert item.authors == article(1).authors
    assert item.tags == article(1).tags
    assert item.published_at == NOW.replace(hour=11, minute=59, microsecond=0)
    assert item.content_html or item.summary


def test_the_feed_is_as_old_as_its_newest_entry() -> None:
    feed = parsed(written(article(1, modified_at=None), article(2)))
    assert datetime.fromisoformat(feed.findtext(f"{{{ATOM}}}updated")) == NOW
    assert parsed(written()).findtext(f"{{{ATOM}}}updated") == "1970-01-01T00:00:00Z"


def test_nothing_hostile_becomes_markup_or_a_link() -> None:
    (entry,) = _entries(parsed(written(hostile())))
    assert entry.findall(f"{{{ATOM}}}link") == []
    assert entry.find(f"{{{ATOM}}}title").text.count("<script>") == 1  # as text
    assert len(entry.find(f"{{{ATOM}}}title")) == 0
    assert entry.get("{http://www.w3.org/XML/1998/namespace}lang") is None
    assert entry.findtext(f"{{{ATOM}}}id") == "urn:wireroom:article:..%2F..%2Fetc%2Fpasswd"


def test_entries_that_fill_no_memory_are_the_same(monkeypatch: Any) -> None:
    from wireroom.export import atom

    held = written(article(1), article(2))
    monkeypatch.setattr(atom, "IN_MEMORY", 1)
    assert written(article(1), article(2)) == held
