"""Dates of feeds that name no zone: the operator's zone counts, and what was done is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wireroom.model import Hints
from wireroom.parse.article import ExtractConfig, extract_all
from wireroom.parse.feed import read_feed
from wireroom.parse.sitemap import read_sitemap
from wireroom.poll.ask_feed import items_of

TEXT = (
    "The harbour board met at noon to write_settings who pays for the new quay, and for the old one. "
    * 4
)
RSS = '<rss version="2.0"><channel><title>C</title><item><title>A</title><link>http://courier.test/1</link><description>{text}</description><pubDate>{date}</pubDate></item></channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>C</title><entry><id>1</id><title>A</title><link href="http://courier.test/1"/><summary>{text}</summary><published>{date}</published></entry></feed>'
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    '<channel><title>C</title></channel><item rdf:about="http://courier.test/1"><title>A</title><link>http://courier.test/1</link>'
    "<description>{text}</description><dc:date>{date}</dc:date></item></rdf:RDF>"
)
JSON = '{{"version": "https://jsonfeed.org/version/1.1", "title": "C", "items": [{{"id": "1", "url": "http://courier.test/1", "title": "A", "content_text": "{text}", "date_published": "{date}"}}]}}'
API = '{{"items": [{{"id": "1", "url": "http://courier.test/1", "title": "A", "body": "{text}", "published_at": "{date}"}}]}}'
VIENNA = Hints(zone="Europe/Vienna")  # two hours ahead in July
FETCHED = datetime(2026, 8, 1, tzinfo=UTC)


@pytest.mark.parametrize("form", [RSS, ATOM, RDF, JSON, API], ids=["rss", "atom", "rdf", "json", "api"])  # fmt: skip
@pytest.mark.parametrize(
    ("date", "hints", "at", "zone_from", "offset"),
    [
        ("2026-07-01 10:00:00", VIENNA, "08:00", "hint", 120),
        ("Wed, 01 Jul 2026 10:00:00", VIENNA, "08:00", "hint", 120),
        ("2026-07-01 10:00:00", Hints(), "10:00", "assumed", None),
        ("2026-07-01T10:00:00+03:00", VIENNA, "07:00", "offset", 0),
    ],
)
def test_the_zone_counts_for_dates_without_one_and_is_noted(
    form: str, date: str, hints: Hints, at: str, zone_from: str, offset: int | None
) -> None:
    body = form.format(text=TEXT, date=date).encode()
    (article,) = extract_all(body, fetched_at=FETCHED, config=ExtractConfig(hints=hints))
    assert article.published_at is not None
    assert f"{article.published_at:%H:%M}" == at
    assert article.extra["published"]["zone_from"] == zone_from
    assert article.extra["published"].get("offset_minutes") == offset


def test_the_local_day_is_that_of_the_operators_zone() -> None:
    body = RSS.format(text=TEXT, date="2026-07-01 00:30:00").encode()
    (article,) = extract_all(body, fetched_at=FETCHED, config=ExtractConfig(hints=VIENNA))
    assert article.published_at == datetime(2026, 6, 30, 22, 30, tzinfo=UTC)
    assert article.extra["published"]["local_day"] == "2026-07-01"


def test_a_name_of_a_zone_stays_one() -> None:
    body = RSS.format(text=TEXT, date="Wed, 01 Jul 2026 10:00:00 EST").encode()
    (item,) = read_feed(body, zone="Europe/Vienna").items
    assert item.published_at == datetime(2026, 7, 1, 15, tzinfo=UTC)
    assert item.extra["published_zone"] == "name"


def test_naive_dates_of_sitemaps_follow_the_zone_too() -> None:
    body = (
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://courier.test/1</loc>'
        b"<lastmod>2026-07-01T10:00:00</lastmod></url></urlset>"
    )
    (item,) = items_of(read_sitemap(body), feed_url="http://courier.test/", zone="Europe/Vienna")
    assert item.updated_at == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert item.extra["updated_zone"] == "hint"
