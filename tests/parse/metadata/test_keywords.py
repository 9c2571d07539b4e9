"""Tags, section, description, publisher and language."""

from __future__ import annotations

import pytest

from tests.parse.metadata.pages import URL, article, meta, read
from wireroom.model import Claim, Hints, Item

ITEM = Item(feed_url="f", guid="1", tags=("Boats",), summary="<p>From the feed.</p>")


@pytest.mark.parametrize(
    ("head", "body", "tags", "source"),
    [
        ('<meta name="news_keywords" content="Ferry, Port">', "", ("Ferry", "Port"), "meta news_keywords"),
        (meta(article__tag="Ferry") + meta(article__tag="Port"), "", ("Ferry", "Port"), "meta article:tag"),
        (article(keywords=["Ferry", "ferry", "Port"]), "", ("Ferry", "Port"), "json-ld keywords"),
        (article(keywords="Ferry; Port"), "", ("Ferry", "Port"), "json-ld keywords"),
        (article(keywords=[{"name": "Ferry"}, "type: article"]), "", ("Ferry",), "json-ld keywords"),
        ('<meta name="keywords" content="Ferry, Port">', "", ("Ferry", "Port"), "meta keywords"),
        ("", '<a rel="tag" href="/t">#Ferry</a>', ("Ferry",), "rel=tag"),
        (meta(article__tag="Ferry") + '<meta name="keywords" content="news, paper">', "", ("Ferry",), "meta article:tag"),
        (meta(og__site_name="Courier", article__tag="Courier, Ferry"), "", ("Ferry",), "meta article:tag"),
        ("", "", (), ""),
    ],
)  # fmt: skip
def test_tags(head: str, body: str, tags: tuple[str, ...], source: str) -> None:
    found = read(head, body).tags
    assert (found.value, found.source) == (tags, source)


def test_tags_of_the_feed_are_joined() -> None:
    assert read(meta(article__tag="Ferry"), item=ITEM).tags.value == ("Boats", "Ferry")


def test_tags_are_bounded() -> None:
    words = ",".join(f"word{n}" for n in range(1000))
    assert len(read(f'<meta name="keywords" content="{words}">').tags.value) == 60


def test_description() -> None:
    head = '<meta name="description" content="Plain &amp; simple."><meta name="og:description" content="Open.">'
    assert read(head).description.value == "Open."
    assert (
        read('<meta name="description" content="Plain &amp; simple.">').description.value
        == "Plain & simple."
    )
    assert read("", item=ITEM).description.value == "From the feed."
    assert read(head, item=ITEM, precedence="feed").description.source == "feed"


def test_references_are_resolved_once() -> None:
    written_twice = '<meta name="description" content="The &amp;lt;b&amp;gt; tag of R&amp;amp;D">'
    assert read(written_twice).description.value == "The &lt;b&gt; tag of R&amp;D"
    linked = article(description="The &amp;lt;b&amp;gt; tag")
    assert read(linked).description.value == "The &lt;b&gt; tag"
    assert read(meta(article__tag="R&amp;D")).tags.value == ("R&D",)


def test_section_and_publisher() -> None:
    head = article(articleSection=["Harbour", "News"], publisher={"name": "The Courier"})
    found = read(head)
    assert (found.section.value, found.publisher.value) == ("Harbour", "The Courier")
    assert read(meta(article__section="Port")).section.source == "meta article:section"
    assert read(meta(og__site_name="The Courier")).publisher.source == "meta og:site_name"


@pytest.mark.parametrize(
    ("lang", "head", "code", "tag"),
    [
        ("en", "", "en", "en"),
        ("pt_BR", "", "pt", "pt-BR"),
        ("zh-Hant-TW", "", "zh", "zh-Hant-TW"),
        ("", meta(og__locale="de_AT"), "de", "de-AT"),
        ("", '<meta http-equiv="content-language" content="fr">', "fr", "fr"),
        ("", '<meta name="language" content="Deutsch">', "de", "de"),
        ("zh", article(inLanguage="zh-Hans"), "zh", "zh-Hans"),
        ("", f'<link rel="alternate" hreflang="da" href="{URL}"><link rel="alternate" hreflang="en" href="/en">', "da", "da"),
        ("xx", "", "", ""),
        ("", "", "", ""),
    ],
)  # fmt: skip
def test_language(lang: str, head: str, code: str, tag: str) -> None:
    found = read(head, lang=lang)
    assert (found.language.value, found.language_tag.value) == (code, tag)


def test_a_sure_detector_is_believed_against_a_template() -> None:
    sure = Claim(value="ja", source="text", confidence=0.98)
    found = read(lang="en", detected=sure).language
    assert (found.value, found.source) == ("ja", "text")
    assert found.notes == ("html lang says en",)


def test_an_unsure_detector_is_not() -> None:
    unsure = Claim(value="ja", source="text", confidence=0.5)
    assert read(lang="en", detected=unsure).language.value == "en"
    assert read(lang="", detected=unsure).language.value == "ja"


def test_agreement_makes_sure() -> None:
    same = Claim(value="en", source="text", confidence=0.98)
    assert read(lang="en-GB", detected=same).language.confidence > 0.95


@pytest.mark.parametrize(
    ("lang", "head", "detected", "language"),
    [
        ("", "", None, ("de", "hint")),
        ("en", "", None, ("en", "html lang")),
        ("", '<meta property="og:locale" content="fr_FR">', None, ("fr", "meta og:locale")),
        ("", "", 0.98, ("ja", "text")),  # a text that is plainly in another language
        ("", "", 0.5, ("de", "hint")),
        ("en", "", 0.98, ("ja", "text")),
    ],
)
def test_the_operators_word_counts_where_the_page_says_nothing(
    lang: str, head: str, detected: float | None, language: tuple[str, str]
) -> None:
    claim = Claim(value="ja", source="text", confidence=detected) if detected else None
    found = read(head, lang=lang, detected=claim, hints=Hints(language="de")).language
    assert (found.value, found.source) == language


def test_no_field_has_characters_that_cannot_be_seen() -> None:
    head = meta(
        og__title="Hafen\u00adamt", author="Ada\u200b Berg", description="Ein\u200b Tag\u00ad."
    )
    found = read(head + meta(news_keywords="Ha\u00adfen, Schiff\u200b"))
    assert (found.title.value, found.authors.value) == ("Hafenamt", ("Ada Berg",))
    assert (found.description.value, found.tags.value) == ("Ein Tag.", ("Hafen", "Schiff"))
