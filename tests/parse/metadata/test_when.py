"""Dates: the order of places, what is refused, and what one place lends another."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

import pytest
from selectolax.lexbor import LexborNode

from tests.parse.metadata.pages import FETCHED_AT, URL, article, meta, read
from wireroom.model import Hints, Item
from wireroom.parse.metadata.visible import Classed
from wireroom.parse.metadata.vocabulary import PUBLISHED_METAS
from wireroom.parse.metadata.when import day_in_url

H1 = "<h1>Ferry returns after ten years</h1>"
LONG = f"<p>{'The ferry sails. ' * 20}</p>" * 2
PUBLISHED = meta(article__published_time="2026-11-03T10:00:00+01:00")

TABLE: list[tuple[str, str, str, str, str]] = [
    ("json-ld", article(datePublished="2026-11-03T10:00:00+01:00"), "", "2026-11-03", "json-ld datePublished"),
    ("meta", PUBLISHED, "", "2026-11-03", "meta article:published_time"),
    ("json-ld before meta", article(datePublished="2026-11-02") + PUBLISHED, "", "2026-11-02", "json-ld datePublished"),
    ("name of one house", '<meta name="w-published-date" content="2026-11-03">', "", "2026-11-03", "meta w-published-date"),
    ("microdata", "", '<div itemscope itemtype="https://schema.org/Article"><time itemprop="datePublished" datetime="2026-11-03">x</time></div>', "2026-11-03", "microdata datePublished"),
    ("time with a class", "", f'{H1}<time class="entry-date published" datetime="2026-11-03">x</time>', "2026-11-03", "time"),
    ("created", article(dateCreated="2026-11-03"), "", "2026-11-03", "json-ld dateCreated"),
    ("date meta", '<meta name="dc.date" content="2026-11-03">', "", "2026-11-03", "meta dc.date"),
    ("the only time", "", f'{H1}<time datetime="2026-11-03">x</time>', "2026-11-03", "the only time"),
    ("labelled", "", f"{H1}<p>Published on 3 November 2026</p>", "2026-11-03", "visible, labelled"),
    ("label apart", "", f"{H1}<div><span>Published</span><p>3 November 2026</p></div>", "2026-11-03", "visible, labelled"),
    ("bare", "", f"{H1}<p>3 November 2026</p>", "2026-11-03", "visible"),
    ("before the headline", "", f"<div><p>3 November 2026</p>{H1}</div>", "2026-11-03", "visible"),
    ("beside a name", "", f"{H1}<p>Ada Lind · November 3, 2026 · 5 min read</p>", "2026-11-03", "visible"),
    ("the only date of the page", "", "<div><b>x</b></div><section><span>Nov 3, 2026</span></section>", "2026-11-03", "the only date"),
    ("after the day on which the writer came", "", f"{H1}<dl><dt>Joined:</dt><dd>4 July 2012</dd></dl><p>3 November 2026</p>", "2026-11-03", "visible"),
    ("the same in another language", "", f"{H1}<span>Registriert seit</span><p>4. Juli 2012</p><p>3 November 2026</p>", "2026-11-03", "visible"),
    ("labelled below the article", "", f"{H1}<p>Text.</p><aside><div><h3>Published</h3><p><time datetime='2026-11-03'>3 November 2026</time></p></div><a href=/x>Other</a></aside>", "2026-11-03", "labelled element"),
    ("labelled in a margin, in another language", "", f"{H1}{LONG}<div class=sidebar><h4>Veröffentlicht</h4><div class=post-date>3. November 2026</div><a href=/x>x</a></div>", "2026-11-03", "labelled element"),
    ("the time of day above the headline", "", f"<time datetime='2026-11-09T12:16Z'>November 09, 2026, 07:16</time>{H1}<p>Started by Ada Lind, November 03, 2026</p>", "2026-11-03", "visible"),
    ("a day above the headline alone", "", f"<time datetime='2026-11-03'>3 November 2026</time>{H1}<p>Text.</p>", "2026-11-03", "visible"),
    ("figures with a stamp", "", f"<time datetime='2026-11-03'>03.11.26</time>{H1}<p>03.11.26</p>", "2026-11-03", "visible"),
    ("a post that was changed later", "", f"{H1}{LONG}<span class=post_date>2026-11-03, 09:14 (last modified: 2026-11-05)</span><span class=post_date>2026-11-04</span>", "2026-11-03", "date element"),
    ("a list of values", article(datePublished=["2026-11-03"]), "", "2026-11-03", "json-ld datePublished"),
    ("unreadable, then readable", article(datePublished="soon") + PUBLISHED, "", "2026-11-03", "meta article:published_time"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body", "day", "source"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_published(head: str, body: str, day: str, source: str) -> None:
    found = read(head, body).published
    assert found.value is not None
    assert (found.value.local_day.isoformat(), found.source) == (day, source)
    assert 0 < found.confidence <= 1


@pytest.mark.parametrize("name", PUBLISHED_METAS)
def test_every_name_of_a_publishing_date_counts(name: str) -> None:
    found = read(f'<meta name="{name.upper()}" content="2026-11-03T08:00:00Z">').published
    assert found.value is not None
    assert found.value.at == datetime(2026, 11, 3, 8, tzinfo=UTC)


def test_some_35_names_are_known() -> None:
    assert len(set(PUBLISHED_METAS)) >= 35


NO_DATE = {
    "nothing": ("", H1),
    "a year": (meta(article__published_time="2026"), H1),
    "before the web": (meta(article__published_time="1970-01-01T00:00:00Z"), H1),
    "after the fetch": (meta(article__published_time="2027-01-01T00:00:00Z"), H1),
    "copyright": ("", f"{H1}<p>© 3 November 2026 The Courier</p>"),
    "several days": ("", "<p>Nov 3, 2026</p><p>Nov 4, 2026</p>"),
    "a teaser's date": (
        "",
        f'{H1}<aside><time class="published" datetime="2026-11-01">x</time></aside>',
    ),
    "a story's date in a margin": (
        "",
        f'{H1}<aside><p><a href="/b">Bridge</a> <time>Nov 1, 2026</time></p></aside>',
    ),
    "several days in a margin": (
        "",
        f"{H1}<aside><p><time>Nov 1, 2026</time></p><p><time>Nov 2, 2026</time></p></aside>",
    ),
    "a related story's date": (
        "",
        f'{H1}<div class="related-posts"><span class="date">Nov 1, 2026</span></div>',
    ),
    "a comment's date": (
        "",
        f'{H1}<div id="comments"><time datetime="2026-11-01">x</time></div>',
    ),
    "broken": (meta(article__published_time="31.02.2026"), H1),
}


@pytest.mark.parametrize("case", NO_DATE)
def test_no_date_is_invented(case: str) -> None:
    head, body = NO_DATE[case]
    found = read(head, body).published
    assert found.value is None
    assert (found.source, found.confidence) == ("", 0.0)


def test_fetch_time_is_taken_only_when_asked_and_marked() -> None:
    found = read("", H1, undated="fetched").published
    assert found.value is not None
    assert found.value.at == FETCHED_AT
    assert found.source == "fetched"
    assert found.confidence <= 0.1
    assert read(PUBLISHED, H1, undated="fetched").published.source == "meta article:published_time"


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/2026/11/03/ferry", date(2026, 11, 3)),
        ("/2026-11-03-ferry", date(2026, 11, 3)),
        ("/ferry-20261103.html", date(2026, 11, 3)),
        ("/news/2026/nov/03/ferry", date(2026, 11, 3)),
        ("/news/2026/november/3/ferry", date(2026, 11, 3)),
        ("/2026/13/03/ferry", None),
        ("/2026/02/30/ferry", None),
        ("/2026/11/ferry", None),
        ("/article/202611031234567", None),
        ("/ferry?date=2026-11-03", None),
    ],
)
def test_day_in_url(path: str, day: date | None) -> None:
    assert day_in_url(f"https://www.courier.test{path}") == day


def test_the_address_dates_a_page_that_says_nothing() -> None:
    found = read("", H1, url="https://www.courier.test/2026/11/03/ferry").published
    assert found.value is not None
    assert (found.value.local_day, found.source) == (date(2026, 11, 3), "url")


def test_time_and_offset_are_kept() -> None:
    moment = read(PUBLISHED).published.value
    assert moment is not None
    assert moment.at == datetime(2026, 11, 3, 9, tzinfo=UTC)
    assert moment.offset == timedelta(hours=1)


def test_a_day_takes_its_hour_from_another_place() -> None:
    found = read(article(datePublished="2026-11-03") + PUBLISHED).published
    assert found.value is not None
    assert found.value.at == datetime(2026, 11, 3, 9, tzinfo=UTC)
    assert found.notes == ("the hour from meta article:published_time",)


def test_a_stamp_in_utc_takes_its_offset_from_another_place() -> None:
    head = article(datePublished="2026-11-04T03:00:00Z") + meta(
        article__published_time="2026-11-03T22:00:00-05:00"
    )
    moment = read(head).published.value
    assert moment is not None
    assert moment.local_day == date(2026, 11, 3)
    assert moment.at == datetime(2026, 11, 4, 3, tzinfo=UTC)


@pytest.mark.parametrize("shown", ["November 3, 2026", "3 Nov 2026"])
def test_a_time_zone_slip_is_reported_by_the_day_on_the_page(shown: str) -> None:
    found = read(
        meta(article__published_time="2026-11-04T03:00:00Z"), f"{H1}<p>{shown}</p>"
    ).published
    assert found.value is not None
    assert found.value.local_day == date(2026, 11, 3)
    assert found.value.at == datetime(2026, 11, 4, 3, tzinfo=UTC)
    assert "time-zone slip" in found.notes[-1]


def test_a_time_zone_slip_is_reported_by_the_address() -> None:
    head = meta(article__published_time="2026-11-04T03:00:00Z")
    found = read(head, H1, url="https://www.courier.test/2026/11/03/ferry").published
    assert found.value is not None
    assert found.value.local_day == date(2026, 11, 3)
    assert "time-zone slip" in found.notes[0]


def test_the_operator_knows_the_zone() -> None:
    head = meta(article__published_time="2026-07-03 10:00")
    moment = read(head, hints=Hints(zone="Europe/Berlin")).published.value
    assert moment is not None
    assert moment.at == datetime(2026, 7, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lang", "url", "day"),
    [
        ("de", URL, date(2026, 3, 4)),
        ("en-GB", URL, date(2026, 3, 4)),
        ("en-US", URL, date(2026, 4, 3)),
        ("en", "https://courier.com/a", date(2026, 4, 3)),
        ("en", "https://courier.co.uk/a", date(2026, 3, 4)),
        ("fr", "https://courier.com/a", date(2026, 3, 4)),
    ],
)
def test_order_of_day_and_month_follows_the_language(lang: str, url: str, day: date) -> None:
    moment = read("", f"{H1}<p>04/03/2026</p>", lang=lang, url=url).published.value
    assert moment is not None
    assert moment.local_day == day


def test_modified() -> None:
    found = read(article(datePublished="2026-11-03", dateModified="2026-11-05T10:00:00Z")).modified
    assert found.value is not None
    assert (found.value.local_day, found.source) == (date(2026, 11, 5), "json-ld dateModified")


@pytest.mark.parametrize("stamp", ["2026-11-03T09:00:00Z", "2026-11-02T09:00:00Z"])
def test_what_is_not_later_is_no_change(stamp: str) -> None:
    assert read(PUBLISHED + meta(article__modified_time=stamp)).modified.value is None


def test_the_feed_fills_in_or_leads() -> None:
    at = datetime(2026, 11, 1, 8, tzinfo=UTC)
    item = Item(feed_url="f", guid="1", published_at=at)
    assert read("", H1, item=item).published.source == "feed"
    assert read(PUBLISHED, H1, item=item).published.source == "meta article:published_time"
    assert read(PUBLISHED, H1, item=item, precedence="feed").published.source == "feed"


def test_the_only_day_shown_is_taken_even_if_it_is_that_of_a_change_and_marked() -> None:
    found = read("", f"{H1}<p>Last updated: 3 November 2026</p>").published
    assert (found.source, found.confidence) == ("visible, changed", 0.3)
    both = read("", f"{H1}<p>Published 1 November 2026</p><p>Updated 3 November 2026</p>").published
    assert both.value is not None
    assert both.value.local_day == date(2026, 11, 1)


def test_the_margin_of_the_article_itself_counts() -> None:
    body = f'<article>{H1}<aside><time datetime="2026-11-03">x</time></aside><p>Text.</p></article>'
    found = read("", body).published
    assert (found.value is not None, found.source) == (True, "the only time")


def test_the_only_date_of_a_page_may_stand_in_a_margin() -> None:
    body = f"{H1}<aside><p>Ada Lind</p><p><time>Nov 1, 2026</time></p></aside>"
    found = read("", body).published
    assert found.value is not None
    assert (found.value.local_day.isoformat(), found.source) == (
        "2026-11-01",
        "the only date element",
    )


STAMP = meta(article__published_time="2026-06-24T10:00:00Z")


def test_figures_that_can_be_read_in_two_ways_are_believed_against_a_stamp_only_if_both_are_before_it() -> (
    None
):
    stamp = meta(article__published_time="2026-11-03T10:00:00Z")
    shown = read(stamp, f"{H1}<p>01/12/2026</p>").published
    assert shown.value is not None
    assert shown.value.local_day == date(2026, 11, 3)
    shown = read(stamp, f"{H1}<p>01/10/2026</p>").published
    assert shown.source == "visible, before the stamp"


@pytest.mark.parametrize(
    "line",
    [
        "<p>August 25, 2025</p>",
        "<p>Published Aug 25, 2025</p>",
        '<p lang="de">25. August 2025</p>',
        "<p>Veröffentlicht am 25.08.2025</p>",
        "<p>Publié le 25 août 2025</p>",
        "<p>25 de agosto de 2025</p>",
        "<p>25 августа 2025</p>",
        "<p>2025年8月25日</p>",
    ],
)
def test_a_stamp_later_than_the_day_beside_the_headline_is_a_new_release(line: str) -> None:
    found = read(STAMP, f"{H1}{line}<p>Text.</p>").published
    assert found.value is not None
    assert found.value.local_day.isoformat() == "2025-08-25"
    assert found.source == "visible, before the stamp"
    assert [claim.source for claim in found.claims][1] == "meta article:published_time"


@pytest.mark.parametrize(
    "line",
    [
        "<p>Updated August 25, 2025</p>",
        "<p>Aktualisiert am 25.08.2025</p>",
        "<p>June 23, 2026</p>",
        "<p>On August 25, 2025 the ferry that had been gone for ten years came back to town.</p>",
        '<div class="related"><p>August 25, 2025</p></div>',
    ],
)
def test_a_stamp_stays_where_the_page_shows_no_earlier_day_of_its_own(line: str) -> None:
    found = read(STAMP, f"{H1}{line}<p>Text.</p>").published
    assert found.source == "meta article:published_time"


@pytest.mark.parametrize(("day", "times"), [("June 24, 2026", 0), ("August 25, 2025", 1)])
def test_elements_called_a_date_are_looked_for_only_where_an_earlier_day_is_shown(
    day: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    having = Classed.having

    def counted(self: Classed, words: Iterable[str]) -> list[tuple[LexborNode, bool]]:
        words = tuple(words)
        asked.extend(word for word in words if word == "ublish")
        return having(self, words)

    monkeypatch.setattr(Classed, "having", counted)
    head = STAMP + meta(author="Ada Lind")
    read(head, f'{H1}<p>{day}</p><p class="published">x</p>')
    assert len(asked) == times


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Ferry returns</h1><time>2 hours ago</time>",
        "<h1>Ferry returns</h1><p class=byline>Ada Berg, 2 hours ago</p>",
        "<h1>Fähre zurück</h1><p>vor 2 Stunden</p>",
        '<h1>Ferry returns</h1><span class="post-date">2時間前</span>',
    ],
)
@pytest.mark.parametrize("lang", ["", "own"])
def test_a_relative_date_counts_from_the_fetch_with_little_confidence(body: str, lang: str) -> None:
    own = "ja" if "前" in body else "de" if "vor" in body else "en"
    found = read("", body, lang=own if lang else "").published
    assert found.value is not None
    assert found.value.at == FETCHED_AT - timedelta(hours=2)
    assert (found.source, found.confidence < 0.3) == ("visible, relative", True)
    assert read("", body, lang="", fetched_at=None).published.value is None


def test_a_relative_date_gives_way_to_every_other() -> None:
    body = "<h1>Ferry returns</h1><time>2 hours ago</time><p>Published on 3 November 2026</p>"
    found = read("", body).published.value
    assert found is not None
    assert found.local_day.isoformat() == "2026-11-03"


@pytest.mark.parametrize(
    ("lang", "text"),
    [("ar", "٣ نوفمبر ٢٠٢٦"), ("fa", "۳ نوامبر ۲۰۲۶"), ("hi", "३ नवंबर २०२६"), ("bn", "৩ নভেম্বর ২০২৬"), ("th", "๓ พฤศจิกายน ๒๕๖๙")],
)  # fmt: skip
@pytest.mark.parametrize("form", ["<h1>T</h1><p>{}</p>", "<p>T</p><div><span>{}</span></div>"])
def test_dates_in_the_digits_of_other_scripts_are_seen(lang: str, text: str, form: str) -> None:
    found = read("", form.format(text), lang=lang).published.value
    assert found is not None
    assert found.local_day.isoformat() == "2026-11-03"


def test_a_sentence_of_the_text_is_no_relative_date() -> None:
    body = "<article><h1>Bridge</h1><p>He had left 2 hours ago, said the woman.</p></article>"
    assert read(f"<html lang=en><body>{body}</body></html>").published.value is None
    stamp = body.replace("He had left 2 hours ago, said the woman.", "Published 2 hours ago.")
    assert read(f"<html lang=en><body>{stamp}</body></html>").published.value is not None
