"""What a paper says of itself around an article is no word of it: money, rights, followers, tags, contents."""

from __future__ import annotations

import pytest

from wireroom.parse.body import read_body
from wireroom.parse.html import open_page

PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)


def _text(between: str = "", *, top: str = "", after: str = "") -> list[str]:
    first, second = ("".join(f"<p>{text}</p>" for text in half) for half in (PROSE[:2], PROSE[2:]))
    page = (
        "<title>Bridge closes on Monday</title><body><article><h1>Bridge closes on Monday</h1>"
        f"{top}{first}{between}{second}{after}</article></body>"
    )
    return read_body(open_page(page, url="https://courier.test/a")).text.split("\n\n")


@pytest.mark.parametrize(
    "note",
    [
        "This article contains affiliate links that may earn us a commission at no extra cost to you.",
        "Every item on this page was chosen by a Courier editor. We may earn commission on some of them.",
        "As an Amazon Associate I earn from qualifying purchases.",
        "Wenn Sie über diese Links kaufen, erhalten wir eine Provision, ohne dass es Sie mehr kostet.",
        "Cet article contient des liens affiliés, qui peuvent nous rapporter une commission.",
    ],
)
def test_how_the_paper_earns_its_money_is_a_note_at_either_end(note: str) -> None:
    assert _text(top=f"<p>{note}</p>") == list(PROSE)
    assert _text(after=f"<p>{note}</p>") == list(PROSE)


def test_a_story_on_commissions_keeps_its_sentences() -> None:
    sentence = "Brokers may earn a commission on each ticket, the ferry company told the council on Monday."
    assert sentence in _text(f"<p>{sentence}</p>")


@pytest.mark.parametrize(
    "line",
    [
        "Copyright © 2026 The Courier. All rights reserved.",
        "Alle Rechte vorbehalten. Nachdruck nur mit Erlaubnis der Redaktion.",
        "Follow us on Facebook, Instagram and YouTube",
        "Follow the Courier on X, Instagram and TikTok for more stories from the harbour.",
        "Folgen Sie uns auf Instagram",
        "Suivez-nous sur Facebook et sur Instagram",
        "Подписывайтесь на наш канал в Telegram",
        "フォローはこちら: Twitter",
        'Tags: <a href="/t/a">Bridges</a>, <a href="/t/b">Harbour</a>',
        "Schlagwörter: Brücke, Hafen, Stadtrat",
        "Mots-clés : pont, port, conseil",
        "标签：桥梁，港口",
    ],
)
def test_lines_at_the_end_that_speak_of_the_paper_are_no_paragraphs(line: str) -> None:
    assert _text(after=f"<p>{line}</p>") == list(PROSE)


@pytest.mark.parametrize(
    "line",
    [
        "Tags: the small metal plates that divers use are sold by weight in every shop on the quay.",
        "Follow the path along the quay until the second crane, where the ferry lands at low water.",
        "The copyright of the old map belongs to the harbour office, the archivist said on Tuesday.",
    ],
)
def test_sentences_of_the_story_stay(line: str) -> None:
    assert line in _text(after=f"<p>{line}</p>")


def test_a_table_of_contents_goes_and_its_headings_stay() -> None:
    headings = ("Why the bridge has to close", "What the ferry will cost", "When it opens again")
    links = "".join(f'<li><a href="#s{n}">{text}</a></li>' for n, text in enumerate(headings))
    sections = "".join(
        f"<h2 id=s{n}>{text}</h2><p>{PROSE[n]} So it was said.</p>"
        for n, text in enumerate(headings)
    )
    found = _text(top=f"<p>In this article:</p><ul>{links}</ul>", after=sections)
    assert [text for text in found if text in headings] == list(headings)
    assert "In this article:" not in found
    assert not [text for text in found if text.startswith("- ")]


def test_a_quotation_that_says_the_text_again_goes_and_another_stays() -> None:
    repeated = (
        "<aside class=pull-quote><p>“It takes bicycles and prams but no horses at all”</p></aside>"
    )
    assert _text(repeated) == list(PROSE)
    own = "<blockquote><p>We never promised anybody that the bridge would open before the fair.</p></blockquote>"
    assert any("We never promised" in text for text in _text(own))


@pytest.mark.parametrize("line", ["★★★★★", "***", "&zwj;", "."])
def test_a_line_without_a_word_is_none(line: str) -> None:
    assert _text(f"<p>{line}</p>") == list(PROSE)


def test_a_paragraph_that_leads_to_an_offer_alone_is_an_appeal() -> None:
    appeal = (
        "Love the harbour? The Courier's Tide newsletter has the best of it. "
        '<a href="https://courier.test/newsletters/tide">Sign up now</a>.'
    )
    assert _text(f"<p>{appeal}</p>") == list(PROSE)
    story = 'Readers can <a href="/news/1">sign up for the hearing</a> at the town hall until the end of May.'
    assert any("the hearing" in text for text in _text(f"<p>{story}</p>"))
