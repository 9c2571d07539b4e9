"""One box for whatever somebody wants to follow: what it is, and what becomes of each row."""

from __future__ import annotations

import codecs
import json

import pytest

from wireroom.app import App
from wireroom.app.submit import MAX_BYTES, MAX_ROWS, RowOutcome, read_submission, submit
from wireroom.errors import SettingsError
from wireroom.model import Feed
from wireroom.settings import Settings
from wireroom.town import Running

OPML = """<?xml version="1.0"?><opml version="2.0" xmlns:w="urn:wireroom:opml"><body>
<outline text="Coast"><outline type="rss" text="Courier" xmlUrl="https://courier.test/rss.xml"
 w:proxy="http://evil.test:8080"/></outline>
<outline type="rss" text="Nobody" xmlUrl=""/></body></opml>"""
CSV = "url,name,region,proxy\nhttps://courier.test/rss.xml,Courier,Nörd,http://evil.test:1\nnot a url,,,\n"


@pytest.mark.parametrize(
    ("given", "filename", "kind", "targets"),
    [
        (" courier.test \n", "", "address", ["courier.test"]),
        (
            "https://courier.test/rss.xml?a=1,2",
            "",
            "address",
            ["https://courier.test/rss.xml?a=1,2"],
        ),
        (
            "courier.test\n# mine\n\nherald.test\r\n",
            "",
            "addresses",
            ["courier.test", "herald.test"],
        ),
        (OPML, "", "opml", ["https://courier.test/rss.xml", ""]),
        (OPML.encode(), "C:\\lists\\Mine.OPML", "opml", ["https://courier.test/rss.xml", ""]),
        (CSV, "", "csv", ["https://courier.test/rss.xml", "not a url"]),
        (CSV.encode("utf-8-sig"), "a.csv", "csv", ["https://courier.test/rss.xml", "not a url"]),
        (
            codecs.BOM_UTF16_LE + CSV.replace(",", "\t").encode("utf-16-le"),
            "a.csv",
            "csv",
            ["https://courier.test/rss.xml", "not a url"],
        ),
        (CSV.encode("cp1252"), "a.csv", "csv", ["https://courier.test/rss.xml", "not a url"]),
    ],
)
def test_what_was_given_is_known_by_what_stands_in_it(
    given: str | bytes, filename: str, kind: str, targets: list[str]
) -> None:
    found = read_submission(given, filename=filename)
    assert (found.kind, [row.target for row in found.rows]) == (kind, targets)
    assert sum(row.request is None for row in found.rows) == (kind in {"opml", "csv"})
    if kind in {"opml", "csv"}:
        (note,) = found.notes
        assert "1 feed with a proxy or mirrors in the list: not taken" in note
        request = found.rows[0].request
        assert request is not None
        assert "proxy" not in request.given
    if kind == "csv":
        request = found.rows[0].request
        assert request is not None
        assert (request.given["name"], request.given["region"]) == ("Courier", "Nörd")


LISTING = {
    "kind": "Listing",
    "data": {
        "after": "t3_x",
        "children": [
            {
                "kind": "t3",
                "data": {"url": "https://courier.test/storm", "title": "Storm", "ups": 3},
            },
            {"kind": "t3", "data": {"url": "https://forum.test/r/coast/1", "is_self": True}},
            {"kind": "t3", "data": {"url": "javascript:alert(1)", "title": "<b>"}},
            {"kind": "more", "data": {"count": 4}},
        ],
    },
}


def test_a_listing_of_a_forum_gives_the_links_of_its_posts() -> None:
    found = read_submission(json.dumps(LISTING))
    assert found.kind == "addresses"
    assert [(row.line, row.target) for row in found.rows] == [
        (1, "https://courier.test/storm"),
        (3, "javascript:alert(1)"),
    ]
    assert [row.request is not None for row in found.rows] == [True, False]
    assert found.notes == ("the box: 2 links of a listing.",)


@pytest.mark.parametrize(
    "given",
    [
        '{"kind": "Listing"}',
        "{",
        '{"data": {"children": ' + "[" * 100_000,
        '{"data": {"children": 3}}',
    ],
)
def test_other_json_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="no listing of a forum"):
        read_submission(given)


def test_the_same_address_twice_is_one_row_with_a_reason() -> None:
    first, second = read_submission("courier.test\nhttps://courier.test/\n").rows
    assert first.request is not None
    assert (second.same, second.reason) == (True, "the same as line 1")


@pytest.mark.parametrize(
    ("given", "filename", "message"),
    [
        ("", "", "names nothing to follow"),
        ("# nothing\n", "", "names nothing to follow"),
        (b"x" * (MAX_BYTES + 1), "a.csv", "larger than 5 MB"),
        ("a.test\n" * (MAX_ROWS + 1), "", "at most 5,000"),
        (b"MZ\0\0", "virus.exe", "expected a file that ends in"),
        (b"MZ\0\0", "virus.csv", "no text file"),
        ("name,region\na,b\n", "a.csv", "no column is called url"),
        ("<rss><channel/></rss>", "", "box"),
    ],
)
def test_what_cannot_be_read_says_why(given: str | bytes, filename: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_submission(given, filename=filename)


def test_columns_that_nobody_knows_are_named_and_not_used() -> None:
    text = "Rank,URL,Name,intervals,,\n1,https://a.test/rss,A,1h,x,\n"
    found = read_submission(text, filename="a.csv")
    (row,) = found.rows
    assert row.request is not None
    assert row.request.given == {"name": "A"}
    assert found.notes == (
        "a.csv: columns that are not used: rank, intervals (did you mean interval?).",
    )


async def outcomes(app: App, text: str, *, scout: bool) -> dict[str, RowOutcome]:
    given = submit(app, read_submission(text), scout=scout)
    return {outcome.target: outcome async for outcome in given}


async def test_each_row_has_an_outcome_and_a_bad_one_stops_no_other(app: App) -> None:
    text = (
        "url,name\nhttps://courier.test/rss.xml,Courier\n,Nobody\nhttps://courier.test/rss.xml,\n"
    )
    done = [outcome async for outcome in submit(app, read_submission(text), scout=False)]
    assert [(outcome.line, outcome.outcome) for outcome in done] == [
        (3, "invalid"),
        (4, "same"),
        (2, "added"),
    ]
    assert (done[2].publisher, done[2].feeds) == ("courier.test", 1)
    assert [feed.name for feed in app.store.feeds()] == ["Courier"]
    again = await outcomes(app, "https://courier.test/rss.xml", scout=False)
    assert again["https://courier.test/rss.xml"].outcome == "known"


@pytest.mark.long
async def test_publishers_are_scouted_and_the_steps_are_reported(town: Running, app: App) -> None:
    hosts = Settings.model_validate({"hosts": dict(town.hosts)})
    desk = App(app.store, clock=app.clock, settings=hosts)
    steps: list[str] = []
    given = submit(
        desk,
        read_submission("courier.test\nnobody.invalid\n"),
        progress=lambda step: steps.append(step.step),
    )
    done = {outcome.target: outcome async for outcome in given}
    assert done["courier.test"].outcome == "added"
    assert done["courier.test"].feeds > 0
    assert done["nobody.invalid"].outcome in {"failed", "nothing"}
    assert done["nobody.invalid"].reason
    assert "robots" in steps
    feeds: tuple[Feed, ...] = app.store.feeds(publisher="courier.test")
    assert len(feeds) == done["courier.test"].feeds
