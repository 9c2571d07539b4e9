"""Formats found, per format and not merged; microdata; organisations; the operator's selectors."""

from __future__ import annotations

from tests.parse.metadata.pages import article, meta, read, script, tree_of
from wireroom.model import Hints
from wireroom.parse.metadata import FORMATS, KEY_FIELDS, read_organisations

ALL = article(
    headline="In data",
    author=[{"@type": "Person", "name": "Ada Lind"}, {"@type": "Person", "name": "Bo Falk"}],
    datePublished="2026-11-03",
    dateModified="2026-11-04",
    image={"url": "https://www.courier.test/a.png"},
    description="Data.",
    isAccessibleForFree=True,
    wordCount=400,
    articleSection="Harbour",
    inLanguage="en",
    keywords=["ferry", "port"],
    publisher={"@type": "Organization", "name": "The Courier"},
)
MICRO = """
<article itemscope itemtype="https://schema.org/NewsArticle">
  <h1 itemprop="headline">In microdata</h1>
  <span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Cy Moor</b></span>
  <time itemprop="datePublished" datetime="2026-11-01">1 November</time>
  <img itemprop="image" src="/b.png">
  <meta itemprop="wordCount" content="300">
  <div class="comment"><span itemprop="author">Some Reader</span></div>
</article>
"""


def test_each_format_says_its_own() -> None:
    head = ALL + meta(og__title="In the graph", og__type="article", article__tag="ferry")
    head += '<meta name="twitter:title" content="On the card"><meta name="twitter:card" content="summary">'
    found = read(head, MICRO).formats
    assert tuple(found) == FORMATS
    assert set(KEY_FIELDS) <= set(found["json-ld"])
    assert found["json-ld"]["author"] == "Ada Lind, Bo Falk"
    assert found["json-ld"]["isAccessibleForFree"] is True
    assert found["json-ld"]["publisher"] == "The Courier"
    assert found["json-ld"]["@type"] == "newsarticle"
    assert found["opengraph"] == {
        "headline": "In the graph",
        "@type": "article",
        "keywords": ["ferry"],
    }
    assert found["microdata"] == {
        "headline": "In microdata",
        "author": "Cy Moor",
        "datePublished": "2026-11-01",
        "image": "/b.png",
        "wordCount": "300",
        "@type": "newsarticle",
    }
    assert found["twitter"] == {"headline": "On the card", "@type": "summary"}


def test_formats_not_found_are_not_named() -> None:
    assert read("<title>x</title>").formats == {}
    assert tuple(read(meta(og__title="x")).formats) == ("opengraph",)


def test_properties_outside_of_items_speak_of_the_page() -> None:
    found = read("", '<h1>Ferry</h1><span itemprop="author">Ada Lind</span>')
    assert found.authors.value == ("Ada Lind",)


def test_organisations_are_found_with_their_roles() -> None:
    body = {
        "@type": "NewsMediaOrganization",
        "@id": "#org",
        "name": "The Courier",
        "url": "https://www.courier.test/",
        "logo": {"url": "https://www.courier.test/logo.png"},
        "sameAs": ["https://social.test/courier", "javascript:x"],
        "foundingDate": "1897",
    }
    graph = {"@graph": [body, {"@type": "WebSite", "publisher": {"@id": "#org"}}]}
    (found,) = read_organisations(tree_of(script(graph)))
    assert (found.name, found.type, found.id) == ("The Courier", "newsmediaorganization", "#org")
    assert found.roles == ("publisher",)
    assert found.logo_url == "https://www.courier.test/logo.png"
    assert found.same_as == ("https://social.test/courier",)
    assert found.more == {"foundingDate": "1897"}


def test_selectors_give_text_attribute_or_list() -> None:
    hints = Hints(
        metadata_selectors={
            "industry": ".industry",
            "picture": "img.main@src",
            "topics": "a.topic[]",
            "links": "a.topic@href[]",
            "card": 'meta[name="x"]',
        }
    )
    body = '<p class=industry> Ship <b>yards</b> </p><img class=main src="/a.png">'
    body += '<a class=topic href="/1">One</a><a class=topic href="/2">Two</a>'
    found = read('<meta name="x" content="From meta">', body, hints=hints)
    assert found.selected == {
        "industry": "Ship yards",
        "picture": "/a.png",
        "topics": ("One", "Two"),
        "links": ("/1", "/2"),
        "card": "From meta",
    }
    assert found.notes == ()


def test_selectors_that_fail_are_reported_and_stop_nothing() -> None:
    hints = Hints(metadata_selectors={"title": ".gone", "odd": ":::", "empty": "p"})
    found = read("", "<h1>Ferry</h1><p> </p>", hints=hints)
    assert found.title.value == "Ferry"
    assert found.selected == {}
    assert found.notes == (
        "selector title: matched nothing",
        "selector odd: not a CSS selector",
        "selector empty: matched nothing",
    )


def test_nested_matches_are_not_doubled() -> None:
    hints = Hints(metadata_selectors={"box": "div[]"})
    found = read("", "<div>a <div>b</div></div><div>c</div>", hints=hints)
    assert found.selected == {"box": ("a b", "c")}
