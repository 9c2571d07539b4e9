"""What a paper says in between its paragraphs, in many languages: none of it is a word of the article."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wireroom.parse.body import notices, read_body
from wireroom.parse.body.notice_phrases import ASKS, CONSENT, EMBEDS, THINGS, NoticePhrases
from wireroom.parse.body.notices import is_ad_label, is_byline
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


# --- advertisements ------------------------------------------------------------------------------

AD_LABELS = (
    "Advertisement", "ADVERTISEMENT", "- Advertisement -", "Anzeige", "Werbung", "Publicité", "[Publicidad]", "Pubblicità",
    "Advertentie", "Annons", "Annonse", "Mainos", "Reklama", "Hirdetés", "Реклама", "Διαφήμιση", "Reklam", "إعلان", "פרסומת",
    "विज्ञापन", "Iklan", "Quảng cáo", "広告", "广告", "廣告", "광고", "Story continues below advertisement",
    "Weiter nach der Werbung", "La suite après la publicité", "Continua dopo la pubblicità", "Advertisement. Scroll to continue reading.",
    "Artikeln fortsätter efter annonsen", "Continúa después de la publicidad",
)  # fmt: skip


@pytest.mark.parametrize("label", AD_LABELS)
def test_the_label_of_an_advertisement_is_no_paragraph(label: str) -> None:
    assert is_ad_label(label)
    assert _text(f"<p>{label}</p>") == list(PROSE)


@pytest.mark.parametrize(
    "text",
    [
        "The advertisement was withdrawn after two days.",
        "Advertisements in the harbour",
        "Nach der Anzeige begann die Polizei zu ermitteln, wie ein Sprecher am Montag sagte.",
    ],
)
def test_a_sentence_on_advertisements_is_none(text: str) -> None:
    assert not is_ad_label(text)


OFFER = "Buy the new Lumo lamp today and get one free, only while stocks last in every shop."


@pytest.mark.parametrize(
    "box",
    [
        f"<div class=ad-slot><span>Advertisement</span><p>{OFFER}</p></div>",
        f"<div><div>Reklama</div><p>{OFFER}</p></div>",
        f"<div class='inline-ad'><p><a href=/buy>{OFFER}</a></p></div>",
    ],
)
def test_an_advertisement_goes_with_its_label(box: str) -> None:
    assert _text(box) == list(PROSE)


def test_a_label_in_a_box_of_paragraphs_takes_none_of_them() -> None:
    boxes = "".join(
        f"<div class=part><div>Anzeige</div><p>{text} Again.</p></div>" for text in PROSE
    )
    assert [text for text in _text(boxes) if text.endswith("Again.")] == [
        f"{text} Again." for text in PROSE
    ]


def test_a_name_with_the_letters_of_an_advertisement_says_nothing() -> None:
    assert OFFER in _text(f"<div class='x9ad7f97 load-more ad'><p>{OFFER}</p></div>")


# --- boxes that ask for something ----------------------------------------------------------------

BOXES = {
    "newsletter": "<div><p>Sign up to our newsletter and get the best stories in your inbox every morning.</p>"
    "<form><input type=email><button>Go</button></form></div>",
    "German": "<div><h3>Newsletter</h3><p>Abonnieren Sie unseren Newsletter und erhalten Sie jeden Morgen die "
    "wichtigsten Nachrichten.</p><a href=/n>Jetzt anmelden</a></div>",
    "French": "<div><p>Inscrivez-vous à notre infolettre pour recevoir chaque matin les nouvelles du port.</p>"
    "<a href=/n>Je m'inscris</a></div>",
    "Spanish": "<div><p>Suscríbete a nuestro boletín y recibe cada mañana las noticias del puerto.</p>"
    "<button>Suscribirse</button></div>",
    "Russian": "<div><p>Подпишитесь на нашу рассылку и получайте главные новости порта каждое утро.</p>"
    "<button>Подписаться</button></div>",
    "Japanese": "<div><p>ニュースレターに登録すると、毎朝港のニュースをメールでお届けします。ぜひご登録ください。</p>"
    "<button>登録</button></div>",
    "login": "<div><p>Already a subscriber? <a href=/l>Log in</a></p><p>Subscribe now to read the full story for only "
    "1 euro a month.</p><a href=/s>Subscribe</a></div>",
    "consent": "<div><p>To show this content we need your consent. The provider may set cookies.</p>"
    "<button>Accept</button></div>",
    "German consent": "<div><p>An dieser Stelle finden Sie einen externen Inhalt von YouTube. Mit Ihrer Zustimmung wird "
    "er angezeigt.</p><button>Inhalt anzeigen</button></div>",
    "paragraph": "<p>Subscribe to <a href=/n>our newsletter</a> and have great insights delivered to your inbox.</p>",
}


@pytest.mark.parametrize("place", ["between", "after"])
@pytest.mark.parametrize("case", BOXES)
def test_a_box_that_asks_for_something_is_no_part_of_the_text(case: str, place: str) -> None:
    assert _text(**{place: BOXES[case]}) == list(PROSE)


def test_a_paragraph_on_subscribers_stays() -> None:
    story = "The library lost half of its subscribers after the newsletter was stopped, its head said on Monday."
    assert story in _text(f"<p>{story}</p>")
    assert story in _text(f"<div><p>{story}</p></div>")


# --- bylines and dates ---------------------------------------------------------------------------

BYLINES = (
    "By Lena Okafor", "By Lena Okafor and Tom Berg, Staff Reporters", "Von Lena Okafor", "Par Lena Okafor", "Por Lena Okafor",
    "3 May 2026", "3 May 2026, 10:15", "May 3, 2026", "3. Mai 2026", "Freitag, 3. Mai 2026, 10:15 Uhr", "le 3 mai 2026 à 10h15",
    "3 мая 2026", "2026年5月3日 10:15", "2026-05-03", "Published on: May 3, 2026", "Last Updated on December 30, 2025",
    "Zuletzt aktualisiert: 03.05.2026", "4 min read", "12 Min. Lesezeit", "Temps de lecture : 3 min", "Reading time: 8 minutes",
    "By Lena Okafor | 3 May 2026 | 4 min read", "記者 山田太郎", "2026.05.03 10:15 입력", "Lena Okafor | 3 May 2026 | 4 min read", "Lena Okafor · 3. Mai 2026",
)  # fmt: skip


@pytest.mark.parametrize("line", BYLINES)
def test_a_byline_or_date_at_the_top_goes(line: str) -> None:
    assert is_byline(line)
    assert _text(top=f"<div>{line}</div>") == list(PROSE)


@pytest.mark.parametrize(
    "line",
    [
        "By nine o'clock the quay was full.",
        "Von Berlin nach Hamburg sind es zwei Stunden",
        "In May 2026 the bridge was closed.",
        "Por la mañana el puerto estaba lleno",
        "12 people were hurt",
    ],
)
def test_a_sentence_at_the_top_stays(line: str) -> None:
    assert not is_byline(line)


def test_a_date_further_down_is_part_of_the_text() -> None:
    assert "3 May 2026" in _text("<p>3 May 2026</p>")


def test_paragraphs_in_boxes_without_a_way_to_give_anything_are_not_searched_for_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[str] = []
    has_any = notices.has_any

    def counted(words: NoticePhrases, text: str) -> bool:
        searched.append(text)
        return has_any(words, text)

    monkeypatch.setattr(notices, "has_any", counted)
    boxes = "".join(
        f"<div><div><p>{text} Part {n}.</p></div></div>" for n in range(50) for text in PROSE
    )
    assert len(_text(boxes)) == 200 + len(PROSE)
    assert len(searched) < 10


_PIECES = st.sampled_from([*ASKS, *CONSENT, *THINGS, *EMBEDS]) | st.text(max_size=4)


@given(st.lists(_PIECES, max_size=3).map("’ ".join))
@example("“log in” — or")
@example("don’t miss")
def test_phrases_that_a_text_cannot_hold_are_left_out_and_no_others(text: str) -> None:
    for phrases in (ASKS, CONSENT, THINGS, EMBEDS, NoticePhrases(["don’t miss", "été", "été’s"])):
        assert notices.has_any(phrases, text) == any(words in text for words in phrases)


def test_a_text_in_plain_letters_is_searched_for_plain_phrases_alone() -> None:
    assert all(words.isascii() for words in ASKS.that_fit("“Log in” – it’s free"))
    assert ASKS.that_fit("Jetzt für später anmelden") == tuple(ASKS)
