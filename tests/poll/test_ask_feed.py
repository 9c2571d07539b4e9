"""Asking a feed: which requests, and what each kind of answer says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.poll.cases import DAY, HOUR, NOW, URL, feed, item, response, rss
from wireroom.errors import FetchError, GoneError, RefusedError, StatusError, UnreachableError
from wireroom.model import Feed, FeedKind, Hints, PollHistory, Validators
from wireroom.poll.ask_feed import (
    MAX_CHILDREN,
    MAX_FEED,
    MAX_ITEMS,
    MAX_SITEMAP,
    answer_to_error,
    child_requests,
    mirror_of,
    read_answer,
    requests_for,
    wants_next,
    with_children,
)

ETAG = Validators(etag='"7"')
MIRRORED = feed(mirrors=("https://one.test/f", "https://two.test/f"), validators=ETAG)
URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">{}</urlset>'
INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'


def sitemap_feed(kind: FeedKind = "sitemap") -> Feed:
    return feed(url="https://courier.test/sitemap.xml", kind=kind)


def dated(number: int, when: str) -> str:
    return f"<guid>g{number}</guid><link>https://courier.test/{number}</link><title>S {number}</title><pubDate>{when}</pubDate>"


# --- requests --------------------------------------------------------------------------------------


def test_the_feed_is_asked_first_then_its_mirrors_in_order() -> None:
    requests = requests_for(MIRRORED)
    assert [request.url for request in requests] == [
        URL,
        "https://one.test/f",
        "https://two.test/f",
    ]
    assert [mirror_of(MIRRORED, request) for request in requests] == [
        "",
        "https://one.test/f",
        "https://two.test/f",
    ]
    assert {request.purpose for request in requests} == {"poll"}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_validators_go_only_to_the_address_that_gave_them(place: int) -> None:
    answered_last = ["", *MIRRORED.mirrors][place]
    requests = requests_for(replace(MIRRORED, standing=PollHistory(mirror=answered_last)))
    assert [request.validators for request in requests] == [
        ETAG if at == place else Validators() for at in range(3)
    ]


def test_a_mirror_named_twice_is_asked_once() -> None:
    assert len(requests_for(feed(mirrors=(URL, "https://one.test/f", "https://one.test/f")))) == 2


def test_each_kind_says_what_it_wants_and_how_much() -> None:
    (rss_request,) = requests_for(feed(proxy="http://proxy.test:8080"))
    (map_request,) = requests_for(sitemap_feed())
    (api_request,) = requests_for(feed(kind="json_api"))
    assert "application/rss+xml" in rss_request.accept
    assert rss_request.proxy == "http://proxy.test:8080"
    assert (rss_request.max_bytes, map_request.max_bytes) == (MAX_FEED, MAX_SITEMAP)
    assert api_request.accept.startswith("application/json")
    assert (rss_request.take_start, api_request.take_start) == (True, False)


# --- feeds -----------------------------------------------------------------------------------------


def test_a_feed_is_read_with_all_it_teaches() -> None:
    body = rss(
        dated(1, "Wed, 11 Nov 2026 08:00:00 GMT"),
        channel="<ttl>30</ttl><language>en-gb</language>",
    )
    polled = read_answer(feed(kind="atom"), response(body, validators=ETAG))
    assert (polled.result, polled.kind, polled.title) == ("items", "rss", "Courier")
    assert polled.validators == ETAG
    assert polled.hints.ttl == timedelta(minutes=30)
    (found,) = polled.items
    assert (found.feed_url, found.guid, found.extra["language"]) == (
        URL,
        "g1",
        polled.language,
    )
    assert [(observation.about, observation.value) for observation in polled.observations] == [
        ("availability", 1.0)
    ]


def test_not_modified_is_the_same() -> None:
    polled = read_answer(feed(validators=ETAG), response(status=304))
    assert (polled.result, polled.items, polled.problem) == ("same", (), None)


@pytest.mark.parametrize(
    "body",
    [b"<!doctype html><html><body>Sorry</body></html>", b"", b"{}", b"\x00\x01\x02", b"gone"],
)
def test_what_is_no_feed_is_a_failed_poll_with_the_reason(body: bytes) -> None:
    polled = read_answer(feed(), response(body, validators=ETAG))
    assert (polled.result, polled.items) == ("failed", ())
    assert polled.problem is not None
    assert polled.problem.kind == "unknown_format"
    assert polled.problem.message
    assert polled.validators == Validators(), "or the next answer would be: not modified"
    assert [(observation.about, observation.value) for observation in polled.observations] == [
        ("availability", 1.0),
        ("quality", 0.0),
    ]
    assert wants_next(polled), "a mirror may be better"


def test_an_emptied_feed_is_an_answer_without_items() -> None:
    polled = read_answer(feed(), response(rss()))
    assert (polled.result, polled.items, polled.problem) == ("items", (), None)
    assert not wants_next(polled)


def test_an_item_without_an_address_is_kept() -> None:
    polled = read_answer(
        feed(), response(rss("<title>Only words</title><description>Here.</description>"))
    )
    (found,) = polled.items
    assert (found.url, found.title) == ("", "Only words")
    assert found.guid


def test_a_feed_that_moved_for_good_says_where_it_lives() -> None:
    moved = response(rss(), final_url="https://courier.test/new.xml", moved=True, validators=ETAG)
    assert read_answer(feed(), moved).moved_url == "https://courier.test/new.xml"
    assert read_answer(feed(), replace(moved, moved=False)).moved_url == ""
    assert read_answer(feed(), moved, mirror="https://one.test/f").moved_url == ""


def test_validators_of_another_place_are_not_taken_home() -> None:
    elsewhere = response(rss(), final_url="https://cdn.test/rss.xml", validators=ETAG)
    assert read_answer(feed(), elsewhere).validators == Validators()


def test_a_slow_answer_and_one_from_a_mirror_are_worth_less() -> None:
    slow = read_answer(feed(), response(rss(), elapsed=timedelta(seconds=25)))
    mirrored = read_answer(feed(), response(rss()), mirror="https://one.test/f")
    assert 0 < slow.observations[0].value < 1
    assert 0 < mirrored.observations[0].value < 1
    assert "mirror" in mirrored.observations[0].reason


def test_an_error_status_that_slips_through_is_no_document() -> None:
    assert read_answer(feed(), response(rss(), status=410)).result == "gone"
    assert read_answer(feed(), response(rss(), status=500)).result == "failed"


# --- clocks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [timedelta(), timedelta(minutes=-1), DAY * -3])
def test_dates_that_only_a_clock_has_written_are_left_out(ahead: timedelta) -> None:
    when = format_datetime(NOW + ahead)
    polled = read_answer(feed(), response(rss(*(dated(number, when) for number in range(5)))))
    assert [item.published_at for item in polled.items] == [None] * 5
    assert any(
        observation.about == "stability" and "clock" in observation.reason
        for observation in polled.observations
    )


def test_two_polls_of_a_clock_stamped_feed_say_the_same() -> None:
    first, second = (
        read_answer(
            feed(),
            response(
                rss(*(dated(number, format_datetime(at)) for number in range(4))), fetched_at=at
            ),
        ).items
        for at in (NOW, NOW + HOUR)
    )
    assert first == second


def test_true_dates_stay_also_beside_each_other_and_as_days() -> None:
    apart = [dated(number, format_datetime(NOW - number * HOUR)) for number in range(4)]
    days = [dated(number, "Tue, 10 Nov 2026 00:00:00 GMT") for number in range(4)]
    two = [dated(number, format_datetime(NOW)) for number in range(2)]
    for items in (apart, days, two):
        polled = read_answer(feed(), response(rss(*items)))
        assert all(item.published_at for item in polled.items)


# --- sitemaps --------------------------------------------------------------------------------------


def test_a_news_sitemap_gives_items_known_by_their_addresses() -> None:
    entry = (
        "<url><loc>https://courier.test/a</loc><news:news><news:publication><news:name>Courier</news:name>"
        "<news:language>en</news:language></news:publication><news:publication_date>2026-11-11T08:00:00Z"
        "</news:publication_date><news:title>The quay</news:title></news:news></url>"
    )
    polled = read_answer(sitemap_feed(), response(URLSET.format(entry).encode()))
    (found,) = polled.items
    assert (found.guid, found.url, found.title) == ("https://courier.test/a",) * 2 + ("The quay",)
    assert found.published_at == NOW - 2 * HOUR
    assert found.extra == {"language": "en", "publication": "Courier"}
    assert polled.kind == "news_sitemap"


def test_of_a_large_sitemap_the_newest_are_taken() -> None:
    entries = "".join(
        f"<url><loc>https://courier.test/{n}</loc><lastmod>{NOW - n * HOUR:%Y-%m-%dT%H:%M:%SZ}</lastmod></url>"
        for n in reversed(range(MAX_ITEMS + 500))
    )
    polled = read_answer(sitemap_feed(), response(URLSET.format(entries).encode()))
    assert polled.truncated
    assert len(polled.items) == MAX_ITEMS
    assert polled.items[0].url == "https://courier.test/0"
    assert {item.url for item in polled.items} == {
        f"https://courier.test/{n}" for n in range(MAX_ITEMS)
    }


def test_an_index_names_the_sitemaps_worth_asking_next() -> None:
    children = [
        ("old", "2020-01-01"),
        ("posts-2026-11", "2026-11-01"),
        ("pages", "2026-11-11"),
        ("google-news", "2026-11-10"),
        ("tags", "2026-11-02"),
    ]
    body = INDEX.format(
        "".join(
            f"<sitemap><loc>https://courier.test/{n}.xml</loc><lastmod>{d}</lastmod></sitemap>"
            for n, d in children
        )
    )
    polled = read_answer(sitemap_feed(), response(body.encode(), validators=ETAG))
    assert polled.more_urls == tuple(
        f"https://courier.test/{n}.xml" for n in ("google-news", "posts-2026-11", "pages")
    )
    assert len(polled.more_urls) == MAX_CHILDREN
    assert polled.validators == ETAG
    assert [child_request.url for child_request in child_requests(sitemap_feed(), polled)] == list(
        polled.more_urls
    )


def test_an_index_without_dates_is_asked_for_anew_each_time() -> None:
    body = INDEX.format("<sitemap><loc>https://courier.test/a.xml</loc></sitemap>").encode()
    polled = read_answer(sitemap_feed(), response(body, validators=ETAG))
    assert polled.validators == Validators()


def test_an_index_that_names_itself_ends() -> None:
    body = INDEX.format("<sitemap><loc>https://courier.test/sitemap.xml</loc></sitemap>").encode()
    held = sitemap_feed()
    assert child_requests(held, read_answer(held, response(body))) == ()


def test_the_answers_of_children_are_one_answer() -> None:
    index = read_answer(
        sitemap_feed(),
        response(INDEX.format("<sitemap><loc>https://courier.test/a.xml</loc><lastmod>2026-11-11</lastmod></sitemap>").encode(), validators=ETAG),
    )  # fmt: skip
    child = replace(index, items=(item(1), item(2)), kind="news_sitemap")
    again = replace(index, items=(item(2), item(3)))
    whole = with_children(index, (child, again))
    assert [item.guid for item in whole.items] == ["g1", "g2", "g3"]
    assert (whole.kind, whole.validators, whole.problem) == ("news_sitemap", ETAG, None)
    lost = answer_to_error(
        sitemap_feed(), UnreachableError("https://courier.test/b.xml", "no"), NOW
    )
    partly = with_children(index, (child, lost))
    assert partly.validators == Validators(), "or the lost one would hide behind: not modified"
    assert partly.problem is not None


def test_a_feed_that_never_brought_anything_may_turn_out_to_be_a_sitemap() -> None:
    body = URLSET.format("<url><loc>https://courier.test/a</loc></url>").encode()
    assert read_answer(feed(), response(body)).kind == "sitemap"
    known = feed(standing=PollHistory(new_at=NOW - DAY))
    assert read_answer(known, response(body)).result == "failed"


def test_a_feed_in_place_of_a_sitemap_keeps_its_titles() -> None:
    polled = read_answer(sitemap_feed(), response(rss(dated(1, "Wed, 11 Nov 2026 08:00:00 GMT"))))
    assert (polled.kind, polled.items[0].title) == ("rss", "S 1")


# --- records ---------------------------------------------------------------------------------------


def test_a_map_makes_an_api_of_a_feed_whose_kind_nobody_named() -> None:
    """A feed of the settings file has no kind before its first poll."""
    body = b'{"data": {"items": [{"kop": "Brug dicht", "adres": "https://courier.test/1", "beeld": "https://courier.test/1.jpg"}]}}'
    fields = {"records": "data.items", "title": "kop", "url": "adres", "image_url": "beeld"}
    unknown = feed(kind="rss", hints=Hints(field_map=fields))
    polled = read_answer(unknown, response(body))
    assert (polled.result, polled.kind) == ("items", "json_api")
    assert (polled.items[0].title, polled.items[0].extra["image_url"]) == (
        "Brug dicht",
        "https://courier.test/1.jpg",
    )
    assert read_answer(feed(kind="rss"), response(body)).result == "failed"


def test_a_json_api_is_read_by_its_map() -> None:
    api = feed(kind="json_api", hints=Hints(field_map={"title": "kop", "url": "adres"}))
    body = b'{"rows": [{"kop": "De kade", "adres": "https://courier.test/1"}]}'
    (found,) = read_answer(api, response(body)).items
    assert (found.title, found.url, found.feed_url) == (
        "De kade",
        "https://courier.test/1",
        URL,
    )
    broken = read_answer(api, response(b"<html>"))
    assert broken.result == "failed"
    assert broken.problem is not None
    assert broken.problem.kind == "unknown_format"


# --- errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "result", "permanent"),
    [
        (GoneError(URL, 410), "gone", True),
        (GoneError(URL, 404), "gone", False),
        (StatusError(URL, 451, kind="gone", permanent=True), "gone", True),
        (StatusError(URL, 500), "failed", False),
        (UnreachableError(URL, "no", kind="dns"), "failed", False),
    ],
)
def test_errors_of_the_other_side_leave_a_mark(
    error: FetchError, result: str, permanent: bool
) -> None:
    polled = answer_to_error(feed(), error, NOW)
    assert polled.problem is not None
    assert (polled.result, polled.problem.permanent) == (result, permanent)
    assert polled.observations[0].value == 0
    assert polled.observations[0].reason
    assert wants_next(polled)


@pytest.mark.parametrize("kind", ["robots", "rights", "private_address"])
def test_what_we_may_not_ask_is_nobodys_fault(kind: str) -> None:
    polled = answer_to_error(feed(), RefusedError(URL, "no", kind=kind), NOW)  # type: ignore[arg-type]  # one of three
    assert (polled.result, polled.observations) == ("failed", ())
    assert not wants_next(polled), "a mirror is no way around a rule"


def test_our_own_network_is_nobodys_fault() -> None:
    polled = answer_to_error(feed(), UnreachableError(URL, "no"), NOW, our_side=True)
    assert polled.problem is not None
    assert (polled.problem.kind, polled.observations) == ("our_network", ())


@given(st.binary(max_size=400), st.sampled_from(["rss", "sitemap", "json_api", "news_sitemap"]))
def test_no_bytes_raise(body: bytes, kind: FeedKind) -> None:
    polled = read_answer(feed(kind=kind), response(body))
    assert polled.result in {"items", "failed"}
    assert (polled.problem is None) == (polled.result == "items")
