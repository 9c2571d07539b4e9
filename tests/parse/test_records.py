"""JSON APIs: by a map of fields, by the usual names, and what is no list of records."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parse.bounds import MAX_MEGABYTES, MAX_SECONDS, costs_of
from wireroom.errors import ParseError
from wireroom.parse.records import read_records
from wireroom.town.feed_bodies import api_page, api_record
from wireroom.town.press import PUBLISHERS
from wireroom.town.town_config import AGENCY_FIELDS
from wireroom.town.world import build_town

URL = "https://api.agency.test/v1/news"
_READ = """from wireroom.parse.records import read_records
def read(body):
    try:
        return read_records(body, field_map={})
    except ParseError as error:  # the warm-up of the measurement is no JSON
        return error
"""
NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)


def _read(value: Any, **field_map: str) -> Any:
    return read_records(json.dumps(value).encode(), field_map=field_map, base_url=URL)


def test_the_towns_agency_reads_as_it_is() -> None:
    town = build_town(now=NOW)
    plan = next(publisher for publisher in PUBLISHERS if publisher.host == "agency.test").feeds[0]
    page = api_page(town, "agency.test", plan, 1)
    assert page is not None
    document = read_records(
        page.encode(), field_map=AGENCY_FIELDS, base_url="http://agency.test/api/v1/articles"
    )
    stories = town.stories("agency.test", limit=len(document.items))
    assert document.kind == "json_api"
    assert len(document.items) == plan.items
    for item, story in zip(document.items, stories, strict=True):
        assert item.title == story.title
        assert item.url == story.url
        assert item.authors == story.authors
        assert item.tags == story.tags
        assert item.summary == story.description
        assert item.published_at == story.published_at
        assert item.content_html.startswith("<")
    assert document.extra["next_url"] == "http://agency.test/api/v1/articles?page=2"


def test_one_record_is_a_list_of_one() -> None:
    story = build_town(now=NOW).stories("agency.test", limit=1)[0]
    mapped = read_records(
        api_record(story).encode(), field_map={**AGENCY_FIELDS, "records": "data"}
    )
    assert [item.title for item in mapped.items] == [story.title]
    alone = _read(
        {"data": {"title": "One", "body": "Text", "authors": [{"name": "A"}, {"name": "B"}]}}
    )
    assert [(item.title, item.authors) for item in alone.items] == [("One", ("A", "B"))]


def test_usual_names_need_no_map() -> None:
    record = {
        "id": 17,
        "title": "Ferry &amp; bridge",
        "link": "/ferry",
        "published_at": "2026-11-03T09:30:00+01:00",
        "tags": "river, ferry, River",
        "author": "Bryony Thackray",
        "content": "<p>Text</p>",
        "image": {"url": "/ferry.png"},
        "lang": "en_GB",
    }
    item = _read({"count": 1, "results": [record]}).items[0]
    assert item.guid == "17"
    assert item.title == "Ferry & bridge"
    assert item.url == "https://api.agency.test/ferry"
    assert item.published_at == datetime(2026, 11, 3, 8, 30, tzinfo=UTC)
    assert item.tags == ("river", "ferry")
    assert item.authors == ("Bryony Thackray",)
    assert item.extra == {"language": "en-GB", "image_url": "https://api.agency.test/ferry.png"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("media.1.href", {"media": [{"href": "/0"}, {"href": "/1"}]}),
        ("media[1].href", {"media": [{"href": "/0"}, {"href": "/1"}]}),
        ("dc.link", {"dc.link": "/1"}),
        ("links", {"links": {"url": "/1"}}),
    ],
)
def test_paths_lead_through_lists_and_objects(path: str, value: dict[str, Any]) -> None:
    item = _read([value | {"title": "T"}], url=path).items[0]
    assert item.url == "https://api.agency.test/1"


def test_further_fields_of_the_map_are_kept_as_extra() -> None:
    records = [{"title": "T", "geo": {"places": [{"n": "Eastferry"}, {"n": "Quay"}]}, "prio": 3}]
    item = _read(records, places="geo.places.n", priority="prio", none="x.y").items[0]
    assert item.extra == {"places": ["Eastferry", "Quay"], "priority": "3"}


def test_plain_content_becomes_paragraphs_and_is_escaped() -> None:
    item = _read([{"title": "T", "text": "a < b\n\nsecond"}]).items[0]
    assert item.content_html == "<p>a &lt; b</p><p>second</p>"


def test_the_largest_list_of_objects_is_taken() -> None:
    value = {"filters": [{"n": 1}], "docs": {"hits": [{"title": str(n)} for n in range(3)]}}
    assert [item.title for item in _read(value).items] == ["0", "1", "2"]


def test_zone_counts_for_dates_without_one() -> None:
    body = b'[{"title": "T", "date": "2026-11-03 09:30"}]'
    item = read_records(body, field_map={}, zone="Europe/Berlin").items[0]
    assert item.published_at == datetime(2026, 11, 3, 8, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[1, 2]", b'"text"', b"{broken", b"[" * 100_000, b'{"a": NaN}']
)
def test_what_holds_no_records_is_a_parse_error(body: bytes) -> None:
    with pytest.raises(ParseError):
        read_records(body, field_map={})


def test_a_path_that_leads_nowhere_says_so() -> None:
    with pytest.raises(ParseError, match=r"data\.hits"):
        _read({"data": {}}, records="data.hits")


def test_texts_leave_without_control_characters() -> None:
    item = _read(
        [{"title": "a\u0000b\ud800", "body": "<p>\u0007x</p>", "x": "\u0001y"}], note="x"
    ).items[0]
    assert "\x00" not in item.title
    assert item.content_html == "<p>x</p>"
    assert item.extra["note"] == "y"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["title", "url", "date", "tags", "author", "x"]), inner, max_size=4
        )
    ),
    max_leaves=30,
)


@given(
    _JSON, st.dictionaries(st.sampled_from(["title", "records", "tags", "z"]), st.text(max_size=9))
)
def test_any_json_gives_a_document_or_a_parse_error(value: Any, field_map: dict[str, str]) -> None:
    try:
        document = read_records(json.dumps(value).encode(), field_map=field_map)
    except ParseError:
        return
    assert document.kind == "json_api"


@given(st.binary(max_size=300))
def test_any_bytes_give_a_document_or_a_parse_error(body: bytes) -> None:
    try:
        document = read_records(body, field_map={})
    except ParseError:
        return
    assert document.kind == "json_api"


@pytest.mark.long
def test_hostile_json_stays_in_bounds() -> None:
    bodies = {
        "deep": "b'[' * 5_000_000",
        "deep objects": "b'{\"a\":' * 1_000_000",
        "wide": "b'[' + b'{\"title\":\"t\"},' * 250_000 + b'{}]'",
        "long text": 'b\'[{"title":"t","body":"\' + b\'<p>x \' * 1_900_000 + b\'"}]\'',
        "many keys": "b'[{' + b','.join(b'\"k%d\":1' % n for n in range(500_000)) + b'}]'",
        "digits": "b'[{\"title\":' + b'9' * 1_000_000 + b'}]'",
    }
    costs = costs_of(_READ, "read", bodies)
    for name, cost in costs.items():
        assert cost.seconds < MAX_SECONDS, (name, cost)
        assert cost.megabytes < MAX_MEGABYTES, (name, cost)
