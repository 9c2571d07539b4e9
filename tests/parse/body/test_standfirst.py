"""The standfirst in an article's header is its first paragraph; what else stands there is none."""

from __future__ import annotations

import pytest

from wireroom.parse.body import block_hash, layout_of, read_body
from wireroom.parse.html import open_page

TITLE = "Bridge closes on Monday"
STANDFIRST = "After forty years the bearings give way, and the town has to cross the river by ferry until the spring."
PROSE = (
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
    "Shopkeepers on the north quay asked for the work to wait until after the herring fair in May.",
)


def _page(header: str, *, meta: str = "", text: tuple[str, ...] = PROSE) -> str:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in text)
    return (
        f"<html><head><title>{TITLE}</title>{meta}</head><body><div class='masthead'><a href='/'>The Courier</a></div>"
        f"<article>{header}<div class='article-body'>{body}</div></article></body></html>"
    )


def _texts(header: str, *, meta: str = "", text: tuple[str, ...] = PROSE) -> list[str]:
    page = open_page(_page(header, meta=meta, text=text), url="https://courier.test/a")
    return read_body(page).text.split("\n\n")


HEAD = f"<h1>{TITLE}</h1>"
BYLINE = '<div class="byline">By <a href="/jane">Jane Doe</a></div><time>12 May 2026</time>'


@pytest.mark.parametrize(
    "markup",
    [
        '<p class="standfirst">{}</p>',
        '<h2 class="article-subtitle">{}</h2>',
        '<div class="ArticleDek_root__P3leE">{}</div>',
        '<div class="heroSubhed"><p>{}</p></div>',
        '<div class="field field--name-field-subheadline"><h2>{}</h2></div>',
        '<p class="chapo">{}</p>',
        '<h3 class="article__vorspann">{}</h3>',
        '<p class="ingress">{}</p>',
        '<div class="perex">{}</div>',
        '<h2 class="entradilla">{}</h2>',
        '<p class="bajada">{}</p>',
        '<div class="sottotitolo">{}</div>',
        '<p class="manchet">{}</p>',
        '<p class="lead">{}</p>',
        '<div class="post-excerpt">{}</div>',
        '<p itemprop="description">{}</p>',
        "<p>{}</p>",
    ],
)
@pytest.mark.parametrize("where", ["header", "div"])
def test_a_standfirst_in_the_header_is_the_first_paragraph(markup: str, where: str) -> None:
    header = f"<{where}>{HEAD}{markup.format(STANDFIRST)}{BYLINE}</{where}>"
    page = open_page(_page(header), url="https://courier.test/a")
    found = read_body(page)
    assert found.text.split("\n\n") == [STANDFIRST, *PROSE]
    assert layout_of(found.blocks) == "p" * 5


@pytest.mark.parametrize("name", ["description", "Description"])
def test_one_that_the_page_describes_itself_with_is_kept_wherever_it_stands(name: str) -> None:
    header = (
        f"<header>{HEAD}<div class='byline'>By Jane Doe</div><div class='share'><a href='/s'>Share</a></div></header>"
        f"<div class='x7'><div class='x8'>{STANDFIRST}</div></div>"
    )
    meta = f'<meta name="{name}" content="{STANDFIRST[:80]}…">'
    assert _texts(header, meta=meta) == [STANDFIRST, *PROSE]


def test_one_of_two_paragraphs_is_kept_whole() -> None:
    second = "It was built in 1986, and nobody had looked below its deck since the flood."
    header = (
        f"<header>{HEAD}<div class='standfirst'><p>{STANDFIRST}</p><p>{second}</p></div></header>"
    )
    assert _texts(header) == [STANDFIRST, second, *PROSE]


@pytest.mark.parametrize(
    ("title", "standfirst", "text"),
    [
        (
            "Die Brücke schließt am Montag",
            "Nach vierzig Jahren geben die Lager nach, und die Stadt muss bis zum Frühling mit der Fähre fahren.",
            "Der Rat trat in dieser Woche zum dritten Mal zusammen, um über die Brücke und ihre Lager zu sprechen.",
        ),
        (
            "月曜日に橋が閉鎖される",
            "四十年を経て支承が傷み、町の人々は春まで渡し船で川を渡ることになる。",
            "市議会は今週三度目の会合を開き、橋とその支承について話し合った。技術者は二十年にわたり橋を見てきたが、ひび割れは予想していなかったと語った。",
        ),
        (
            "يغلق الجسر يوم الاثنين",
            "بعد أربعين عاما تتهاوى محامل الجسر، وعلى أهل المدينة أن يعبروا النهر بالعبارة حتى الربيع.",
            "اجتمع المجلس للمرة الثالثة هذا الأسبوع للحديث عن الجسر ومحامله، وقال المهندس إن أحدا لم يتوقع الشقوق.",
        ),
    ],
)
def test_standfirsts_of_other_languages(title: str, standfirst: str, text: str) -> None:
    prose = "".join(f"<p>{text} {n}。</p>" for n in range(1, 5))
    page = (
        f"<title>{title}</title><body><article><header><h1>{title}</h1><h2 class='subtitle'>{standfirst}</h2></header>"
        f"<div>{prose}</div></article></body>"
    )
    found = read_body(open_page(page, url="https://courier.test/a")).text.split("\n\n")
    assert found[0] == standfirst
    assert len(found) == 5


@pytest.mark.parametrize(
    "other",
    [
        '<p class="kicker">Traffic and transport in the north of the county</p>',
        '<p class="byline">By Jane Doe and John Roe, our correspondents at the harbour</p>',
        "<p>By Jane Doe, 12 May 2026, 10:15 am</p>",
        "<p>Updated Dec. 23, 2024, 1:24 PM EST</p>",
        "<p>Naftali Fisher, Fernando C. Perez, William Bale</p>",
        '<div class="share">Share this story with your friends and family today.</div>',
        '<figure><img src="a.jpg"><figcaption>The bridge on Sunday, seen from the old lock keeper\'s house.</figcaption></figure>',
        '<div class="caption">The bridge on Sunday, seen from the old lock keeper\'s house.</div>',
        '<p class="subtitle">Photo: Jane Doe/Reuters</p>',
        "<p>We may earn a commission if you buy something through the links on this page.</p>",
        "<p>Every product was independently selected by our editors for this guide.</p>",
        '<div class="newsletter"><p>Get the best of the Courier in your inbox every morning.</p></div>',
        '<ul class="breadcrumbs"><li>Home</li><li>News and views from the whole county</li></ul>',
        '<aside><p class="summary">The mayor resigns after eleven years in the old town hall.</p></aside>',
        '<p class="subtitle" hidden>After forty years the bearings give way, and the town takes the ferry.</p>',
        f'<p class="subtitle">{TITLE}</p>',
        '<p class="tags">Bridges, rivers, ferries and the people who run them</p>',
    ],
)
def test_what_else_stands_in_a_header_is_no_standfirst(other: str) -> None:
    assert _texts(f"<header>{HEAD}{other}</header>") == list(PROSE)


def test_teasers_between_headline_and_text_are_none() -> None:
    teasers = "".join(
        f"<div class='card'><a href='/{n}'>Story {n}</a><p class='card-excerpt'>{text}</p></div>"
        for n, text in enumerate(
            (
                "The mayor resigns after eleven years in the old town hall of the county.",
                "The theatre opens its season with a play that nobody has seen for a century.",
            )
        )
    )
    assert _texts(f"<header>{HEAD}</header><section>{teasers}</section>") == list(PROSE)


def test_one_that_the_text_begins_with_stands_once() -> None:
    text = (f"{STANDFIRST} More of it on Monday.", *PROSE)
    header = f"<header>{HEAD}<p class='standfirst'>{STANDFIRST}</p>{BYLINE}</header>"
    assert _texts(header, text=text) == [*text]


def test_a_subheading_that_begins_the_text_stays_one() -> None:
    header = f"<header>{HEAD}</header>"
    body = "<h2>Why the bearings of the old bridge are worn out</h2>" + "".join(
        f"<p>{p}</p>" for p in PROSE
    )
    page = f"<title>{TITLE}</title><body><article>{header}<div class='article-body'>{body}</div></article></body>"
    found = read_body(open_page(page, url="https://courier.test/a"))
    assert layout_of(found.blocks) == "2pppp"


def test_explaining_names_it() -> None:
    header = f"<header>{HEAD}<p class='standfirst'>{STANDFIRST}</p>{BYLINE}</header>"
    page = open_page(_page(header), url="")
    blocks = read_body(page, explain=True).blocks
    assert [b.reason for b in blocks if b.text == STANDFIRST] == ["standfirst"]


def test_what_repeats_across_a_publishers_pages_is_not_brought_back() -> None:
    page = open_page(_page(f"<header>{HEAD}<p class='subtitle'>{STANDFIRST}</p></header>"), url="")
    known = frozenset((block_hash(STANDFIRST),))
    assert STANDFIRST not in read_body(page, known_boilerplate=known).text
