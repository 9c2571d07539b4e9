"""Pointers to other articles and appeals to subscribe go; sentences that look like them stay."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from tests.budget import ROOM
from wireroom.parse.body import Body, Mode, block_rules, read_body
from wireroom.parse.body.block_weights import Weights
from wireroom.parse.html import open_page
from wireroom.town import build_town
from wireroom.town.answers import answer

MAX_CPU = 2.0 * ROOM  # seconds a page may take, whatever it is
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MODES: tuple[Mode, ...] = ("precision", "balanced", "recall")

PROSE = [
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay had asked for the work to wait until after the herring fair.",
]
LINK = '<a href="/2026/11/ferry">Ferry fares rise in spring</a>'


def _read(inner: str, *, mode: Mode = "balanced") -> Body:
    """The body of a page with something between its second and third paragraph."""
    before, after = ("".join(f"<p>{text}</p>" for text in part) for part in (PROSE[:2], PROSE[2:]))
    page = f"<article><h1>Bridge</h1><div class=text>{before}{inner}{after}</div></article>"
    return read_body(open_page(page, url="https://courier.test/bridge"), mode=mode, explain=True)


def _reasons(body: Body, words: str) -> set[str]:
    return {block.reason for block in body.blocks if words in block.text and not block.kept}


# --- pointers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pointer",
    [
        f'<p class="read-also"><strong>Quaerite etiam</strong> {LINK}</p>',
        f'<p class="also-read">{LINK}</p>',
        f'<p class="article__readAlso">Quaerite: {LINK} | <a href="/b">Who paid for the lamps?</a></p>',
        f'<div class="lire-aussi"><p>{LINK}</p></div>',
        f'<div class="lesen-sie-auch"><span>Mehr</span> {LINK}</div>',
        f'<aside class="related-inline"><ul><li>{LINK}</li></ul></aside>',
        f'<p class="box more-on">\n        <b>\n   Quaerite\n  </b>\n        {LINK}\n      </p>',
    ],
)
def test_a_link_in_a_box_called_so_is_dropped_in_any_language(pointer: str) -> None:
    for mode in MODES:
        body = _read(pointer, mode=mode)
        assert body.text.split("\n\n") == PROSE


def test_the_reason_is_reported() -> None:
    body = _read(f'<p class="read-also"><strong>Quaerite etiam</strong> {LINK}</p>', mode="recall")
    assert _reasons(body, "Ferry fares") == {"points to another article"}


@pytest.mark.parametrize(
    "pointer",
    [
        f"<p>Read also: {LINK}</p>",
        f"<p><strong>Lesen Sie auch</strong> {LINK}</p>",
        f"<p><b>RELATED:</b> <em>{LINK}</em></p>",
        f"<p>&gt;&gt; See also – {LINK} »</p>",
        f"<p>(À lire aussi : {LINK})</p>",
        f"<p><em>Διαβάστε επίσης</em>: {LINK}</p>",
        f"<p><strong>यह भी पढ़ें</strong> {LINK}</p>",
        f"<p>関連記事：{LINK}</p>",
        '<p><a href="/ferry">Also read: Ferry fares rise in spring</a></p>',
    ],
)
def test_a_known_lead_in_and_nothing_but_a_link_is_dropped_without_a_name(pointer: str) -> None:
    assert _read(pointer).text.split("\n\n") == PROSE


@pytest.mark.parametrize(
    "prose",
    [
        "<p>Read also the letter, she said, before you judge the man who wrote it to the council.</p>",
        f"<p>“Read also: {LINK},” she said to the council, and nobody in the hall answered her.</p>",
        '<p>Read also <a href="/letter">the letter that she wrote to the council in May of that year</a>.</p>',
        f"<p><strong>Read also</strong> what the paper wrote in May: {LINK}. It has changed its mind since.</p>",
        '<p>Related <a href="/locks">work by the same engineers on the lock</a> will begin in the spring.</p>',
        '<p>See also: the <a href="/plan">plan of the quay</a> and the <a href="/map">map of the channel</a>.</p>',
        f'<p class="read-also">{PROSE[0][:-1]} again, as it had in <a href="/m">May</a>, and once before.</p>',
        '<p>The <a href="/a">first report</a> spoke of two cracks. The <a href="/b">second one</a> found four.</p>',
        '<p>See also: <a href="#bearings">the part about the bearings, further down on this very page</a></p>',
        '<p><strong>Website:</strong> <a href="/bridge">The bridge and its hours of opening, all year</a></p>',
    ],
)
def test_prose_that_begins_like_a_pointer_stays(prose: str) -> None:
    plain = open_page(prose).tree.body
    assert plain is not None
    words = plain.text().split()
    assert any(paragraph.split() == words for paragraph in _read(prose).text.split("\n\n"))


def test_a_link_stays_where_the_whole_article_stands_in_a_box_called_related() -> None:
    source = '<p>The report: <a href="/report">Two cracks in four bearings of the bridge</a></p>'
    inner = "".join(f"<p>{text}</p>" for text in PROSE)
    page = f'<main><h1>Bridge</h1><div class="related-story-text">{inner}{source}</div></main>'
    body = read_body(open_page(page), explain=True)
    assert not _reasons(body, "Two cracks") & {"points to another article"}


def test_the_id_of_a_heading_is_its_title_and_no_name_of_a_box() -> None:
    heading = '<h2 id="work-related-injuries"><a href="/b#work">Work-related injuries</a></h2>'
    assert "Work-related injuries" in _read(heading, mode="recall").text


def test_a_cell_of_a_table_is_no_pointer_and_a_paragraph_in_a_cell_may_be_one() -> None:
    rows = "".join(
        f"<tr><td>{text}</td><td>See also: {LINK} {n}</td></tr>" for n, text in enumerate("ab")
    )
    assert not _reasons(_read(f"<table>{rows}</table>"), "Ferry") & {"points to another article"}
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    pointer = f'<p class="read-also"><b>Mehr</b> {LINK}</p>'
    page = f"<table><tr><td><h1>Bridge</h1><p>{PROSE[0]}</p>{pointer}{paragraphs}</td></tr></table>"
    assert "Ferry fares" not in read_body(open_page(page)).text


def test_a_caption_beside_pointers_stays() -> None:
    pointers = "".join(f'<p class="read-also">{LINK} {n}</p>' for n in range(3))
    figure = "<figure><img src=a.jpg><figcaption>The quay in the morning.</figcaption></figure>"
    blocks = _read(pointers + figure, mode="recall").blocks
    assert [block.text for block in blocks if block.kept] == [
        *PROSE[:2],
        "The quay in the morning.",
        *PROSE[2:],
    ]


LEAD_INS = (
    "Read also", "More on this story", "Lesen Sie auch", "Das könnte Sie auch interessieren", "À lire aussi", "Sur le même sujet", "Te puede interesar",
    "Leia mais", "Potrebbe interessarti", "Lees ook", "Läs mer", "Les også", "Se også", "Lue lisää", "Zobacz również", "Přečtěte si také", "Čítajte aj",
    "Kapcsolódó", "Citește și", "Pročitajte i", "Preberite tudi", "Skaitykite taip pat", "Lasi arī", "Loe ka", "Прочетете още", "Читайте также", "По теме",
    "Читайте також", "Διαβάστε ακόμη", "İlgili haber", "اقرأ أيضا", "קראו גם", "بیشتر بخوانید", "यह भी पढ़ें", "আরও পড়ুন", "Baca juga", "Xem thêm",
    "อ่านเพิ่มเติม", "関連記事", "あわせて読みたい", "相关新闻", "延伸閱讀", "관련 기사",
)  # fmt: skip


@pytest.mark.parametrize("lead_in", LEAD_INS)
def test_a_known_lead_in_and_a_link_are_dropped_however_they_are_set(lead_in: str) -> None:
    shapes = (
        f"<p>{lead_in}: {LINK}</p>",
        f"<p><strong>{lead_in}</strong><br>{LINK}</p>",
        f"<p>{lead_in} <b>{LINK}</b></p>",
        f"<p><strong>{lead_in}</strong></p><p>{LINK}</p>",
        f'<div class="box"><p>{lead_in}</p><p>{LINK}</p><p><a href="/b">Who paid for the lamps?</a></p></div>',
        f'<h4>{lead_in}:</h4><ul><li>{LINK}</li><li><a href="/b">Who paid for the lamps?</a></li></ul>',
    )
    for shape in shapes:
        assert _read(shape).text.split("\n\n") == PROSE, shape


def test_read_more_is_a_pointer_before_a_colon_and_a_button_alone() -> None:
    assert _read(f"<p>Read more: {LINK}</p>").text.split("\n\n") == PROSE
    sentence = "Read more of it in the minutes of May"
    assert sentence in _read('<p>Read more of it in <a href="/m">the minutes of May</a></p>').text
    text = _read(f'<p><a href="/more">Read more</a></p><p>{LINK}</p>').text
    assert "Ferry fares rise in spring" in text


@pytest.mark.parametrize(
    "label", ["<h2>Sources</h2>", "<p>Quellen:</p>", "<h3>Further documents</h3>"]
)
@pytest.mark.parametrize(
    "announcing",
    [
        "<h2>Related</h2>",
        "<p>Read more</p>",
        "<p><b>Related articles:</b></p>",
        "<h3>Lesen Sie auch</h3>",
    ],
)
def test_a_list_of_the_text_above_a_line_that_announces_others_stays(
    label: str, announcing: str
) -> None:
    sources = "".join(
        f'<li><a href="https://s{n}.test/a">Report {n} of the harbour office, 2019</a></li>'
        for n in range(3)
    )
    others = "".join(
        f'<li><a href="/a/{n}">Ferry {n} lands in May again</a></li>' for n in range(3)
    )
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    page = (
        f"<title>Bridge</title><article><h1>Bridge</h1><div class=text>{paragraphs}"
        f"{label}<ul>{sources}</ul>{announcing}<ul>{others}</ul></div></article>"
    )
    text = read_body(open_page(page, url="https://courier.test/bridge")).text
    assert text.endswith("Report 2 of the harbour office, 2019")
    assert "Report 0" in text


def test_a_list_of_links_without_a_line_of_its_own_is_no_part_of_the_text() -> None:
    links = "".join(f'<li><a href="/t/{n}">Harbour {n} and its quays</a></li>' for n in range(3))
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    page = (
        f"<title>Bridge</title><article><h1>Bridge</h1><div class=text>{paragraphs}<ul>{links}</ul>"
        f"<h2>Related</h2><ul><li>{LINK}</li></ul></div></article>"
    )
    text = read_body(open_page(page, url="https://courier.test/bridge")).text
    assert text.split("\n\n") == PROSE


def test_the_line_above_a_long_list_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each item: that would take the square of a list's length."""
    looked: list[int] = []
    has_label = block_rules._has_label

    def counted(draft: block_rules.BlockDecisions, item: int) -> bool:
        looked.append(item)
        return has_label(draft, item)

    monkeypatch.setattr(block_rules, "_has_label", counted)
    links = "".join(f'<li><a href="/t/{n}">Harbour {n} and its quays</a></li>' for n in range(50))
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    page = (
        f"<title>Bridge</title><article><h1>Bridge</h1><div class=text>{paragraphs}<ul>{links}</ul>"
        f"<h2>Related</h2><ul><li>{LINK}</li></ul></div></article>"
    )
    everything = Weights(names={}, start=9.0, tables=())
    text = read_body(open_page(page, url="https://courier.test/bridge"), weights=everything).text
    assert "Harbour 49" not in text
    assert len(looked) == 1


def test_links_within_the_page_and_prose_below_a_lead_in_stay() -> None:
    inner = (
        '<p>Related</p><p><a href="#bearings">What the bearings of the bridge are made of</a></p>'
    )
    assert "What the bearings" in _read(inner).text
    prose = "Related work was done on the piers in 1986, when the river had been low for a whole summer."
    assert prose in _read(f"<h3>Related</h3><p>{prose}</p>").text


# --- appeals -------------------------------------------------------------------------------------

WALL = "This article is for subscribers. You have read all your free articles this month."


def _walled(wall: str) -> Body:
    inner = "".join(f"<p>{text}</p>" for text in PROSE)
    page = f"<main><h1>Bridge</h1><div class=text>{inner}</div>{wall}</main>"
    return read_body(
        open_page(page, url="https://courier.test/bridge"), mode="recall", explain=True
    )


@pytest.mark.parametrize("name", ["meter-notice", "paywall", "regwall box", "c-subscription-wall"])
@pytest.mark.parametrize("way", ['<a href="/in">Subscribe</a>', "<button>Subscribe</button>"])
@pytest.mark.parametrize(
    "words", [WALL, "Cet article est réservé aux abonnés.", "この記事は有料会員限定です。"]
)
def test_an_appeal_in_a_wall_is_dropped(name: str, way: str, words: str) -> None:
    assert _walled(f'<div class="{name}"><p>{words}</p>{way}</div>').text.split("\n\n") == PROSE


@pytest.mark.parametrize(
    "last",
    [
        "<p>The paper said that it had lost a third of its subscribers since the bridge was closed.</p>",
        '<p class="paywall">The paper has 3,000 subscribers on the quay, as <a href="/a">it told us</a> in May.</p>',
        '<div class="paywall"><p>The council meets again on Monday.</p><a href="/in">Subscribe</a></div>',
        f'<div class="paywall"><p>{" ".join(PROSE * 2)} So said a subscriber.</p><a href="/in">Subscribe</a></div>',
        '<div class="parameter-notes"><p>The figures are the registrar’s.</p><a href="/in">More</a></div>',
    ],
)
def test_the_last_words_of_a_story_stay_though_they_stand_in_a_wall_or_speak_of_one(
    last: str,
) -> None:
    assert not _reasons(_walled(last), "") & {"appeal to subscribe"}


def test_a_page_that_is_nothing_but_an_appeal_keeps_it() -> None:
    wall = f'<main><div class="paywall"><p>{WALL}</p><a href="/in">Subscribe</a></div></main>'
    body = read_body(open_page(wall), mode="recall", explain=True)
    assert not _reasons(body, WALL) & {"appeal to subscribe"}


# --- the town ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("anzeiger.test", "Lesen Sie auch"),
        ("akti.test", "Διαβάστε επίσης"),
        ("nadi.test", "यह भी पढ़ें"),
        ("sentinel.test", "Read also"),
        ("nagisa.test", "関連記事"),
        ("lantern.test", "This article is for subscribers."),
    ],
)
def test_no_article_of_the_town_holds_its_pointers_and_appeals(host: str, words: str) -> None:
    town = build_town(now=NOW)
    stories = town.stories(host)[:25]
    pages = [open_page(answer(town, host, story.url.partition(host)[2]).body) for story in stories]
    with_them = [page for page in pages if page.tree.body and words in page.tree.body.text()]
    assert len(with_them) > 5
    for page in with_them:
        assert words not in read_body(page).text


# --- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [
        '<div class="read-also">' + f"Read also: {LINK}<br><br>" * 20_000,
        "".join(f'<div class="related">Related: {LINK}' for _ in range(450)) + "<p>word " * 50_000,
        f'<p class="read-also">{LINK}' + "<b></b>" * 90_000,
        '<div class="paywall"><p>Subscribe' * 240 + "<p>word " * 50_000,
        "<p>" + "»" * 240 + " <a href=/b>c</a>" + ("<p>" + "»" * 240 + " <a href=/b>c</a>") * 9_000,
    ],
    ids=["one element", "nested", "empty elements", "walls", "signs"],
)
def test_no_page_of_boxes_takes_long(page: str) -> None:
    opened = open_page(page)
    started = time.process_time()
    read_body(opened, mode="recall")
    assert time.process_time() - started < MAX_CPU
