"""What the API does: each call is the use case of a button and of a command, with tokens, conditions and keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from tests.web.serving import TOKEN, Answer, Pages, serving
from tests.web.test_jobs_kept import ended
from wireroom.app import App
from wireroom.app.feeds import require_feed
from wireroom.app.submit import MAX_ROWS
from wireroom.web.guards import MAX_BODY
from wireroom.web.login import COOKIE, FAILURES

JSON = {"Content-Type": "application/json"}
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def send(
    pages: Pages,
    method: str,
    path: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """A call, as a program sends it."""
    kind = {} if body is None else JSON
    text = None if body is None else json.dumps(body)
    return pages.ask(
        f"/api/v1{path}", method=method, body=text, headers={**kind, **(headers or {})}
    )


def feed_url(app: App) -> str:
    return next(stats.feed.url for stats in app.feeds() if stats.feed.kind == "rss")


def at_feed(app: App, part: str = "") -> str:
    return f"/feed{part}?url={quote(feed_url(app), safe='')}"


def problem(answer: Answer) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    data = answer.data
    assert (data["status"], data["type"]) == (answer.status, f"/docs#problem-{data['kind']}")
    assert data["detail"]
    return answer.status, data["kind"]


def test_a_feed_is_paused_resumed_and_polled(pages: Pages, web_app: App) -> None:
    assert send(pages, "POST", at_feed(web_app, "/pause")).data["state"] == "paused"
    assert problem(send(pages, "POST", at_feed(web_app, "/poll"))) == (400, "usage")
    assert send(pages, "POST", at_feed(web_app, "/resume")).data["state"] == "live"
    assert send(pages, "POST", at_feed(web_app, "/poll")).data["next_why"] == "you asked for it"
    for part in ("/pause", "/resume", "/poll"):
        assert problem(send(pages, "POST", f"/feed{part}?url=nothing")) == (404, "not_found")


def test_options_are_edited_by_whoever_has_seen_them(pages: Pages, web_app: App) -> None:
    path = at_feed(web_app, "/options")
    seen = pages.ask(f"/api/v1{path}")
    tag = {"If-Match": seen.headers["etag"]}
    wanted = {"category": "Coast", "json_ld": False, "metadata_selectors": {"section": "nav .here"}}
    first = send(pages, "PATCH", path, wanted, tag)
    assert first.status == 200, first.text
    assert {name: first.data["options"][name] for name in wanted} == wanted
    assert first.headers["etag"] != seen.headers["etag"]
    assert problem(send(pages, "PATCH", path, {"category": "Inland"}, tag)) == (412, "changed")
    now = pages.ask(f"/api/v1{path}")
    assert (now.headers["etag"], now.data) == (first.headers["etag"], first.data)
    send(pages, "POST", at_feed(web_app, "/poll"))  # what is learnt or due changes no option
    tag = {"If-Match": first.headers["etag"]}
    second = send(pages, "PATCH", path, {"category": None, "mirrors": []}, tag)
    assert second.data["options"]["category"] is None
    assert second.data["options"]["json_ld"] is False
    feed = require_feed(web_app, feed_url(web_app))
    assert (feed.category, feed.hints.json_ld) == ("", False)


@pytest.mark.parametrize(
    "wanted",
    [{"interval": "soon"}, {"colour": "red"}, {"json_ld": "perhaps"}, [], {"role": "chief"}],
)
def test_options_that_are_none_are_refused(pages: Pages, web_app: App, wanted: Any) -> None:
    assert problem(send(pages, "PATCH", at_feed(web_app, "/options"), wanted)) == (400, "usage")


def test_a_password_of_a_proxy_is_never_shown(pages: Pages, web_app: App) -> None:
    path = at_feed(web_app, "/options")
    answer = send(pages, "PATCH", path, {"proxy": "http://me:secret@proxy.test:8080"})
    assert answer.data["options"]["proxy"] == "http://proxy.test:8080"
    again = send(pages, "PATCH", path, {"proxy": "http://proxy.test:8080", "note": "n"})
    assert "secret" not in again.text
    assert require_feed(web_app, feed_url(web_app)).proxy == "http://me:secret@proxy.test:8080"


def test_a_feed_is_removed(pages: Pages, web_app: App) -> None:
    held = sum(1 for _ in web_app.articles())
    url = feed_url(web_app)
    path = at_feed(web_app)
    gone = send(pages, "DELETE", path)
    assert (gone.status, gone.data["url"], gone.data["articles"]) == (200, url, 0)
    assert problem(send(pages, "DELETE", path)) == (404, "not_found")
    assert sum(1 for _ in web_app.articles()) == held


def test_a_feed_is_followed_with_its_options(pages: Pages, web_app: App) -> None:
    new = {"address": "phare.test", "options": {"category": "Coast"}}
    key = {"Idempotency-Key": "phare-1"}
    begun = send(pages, "POST", "/feeds", new, key)
    assert begun.status == 202
    assert begun.headers["location"] == begun.data["url"]
    job = ended(pages, begun.data["id"])
    assert (job["state"], job["publisher"]) == ("done", "phare.test")
    assert {
        stats.feed.category for stats in web_app.feeds() if stats.feed.publisher == "phare.test"
    } == {"Coast"}
    again = send(pages, "POST", "/feeds", new, key)
    assert (again.data["id"], again.data["state"]) == (job["id"], "done")
    other = send(pages, "POST", "/feeds", {"address": "faro.test"}, key)
    assert problem(other) == (409, "conflict")
    assert problem(send(pages, "POST", "/feeds", {"address": "not an address"})) == (400, "usage")
    wrong = {"address": "faro.test", "options": {"interval": "soon"}}
    assert problem(send(pages, "POST", "/feeds", wrong)) == (400, "usage")


def test_a_publisher_is_followed_under_the_terms_that_were_seen(pages: Pages, web_app: App) -> None:
    seen = pages.ask("/api/v1/publishers/courier.test")
    again = pages.ask(
        "/api/v1/publishers/courier.test", headers={"If-None-Match": seen.headers["etag"]}
    )
    assert again.status == 304
    path = "/publishers/courier.test/follow"
    tag = {"If-Match": seen.headers["etag"]}
    assert send(pages, "POST", path, headers=tag).status == 202
    assert problem(send(pages, "POST", path, headers={"If-Match": '"old"'})) == (412, "changed")
    unknown = send(pages, "POST", "/publishers/nobody.test/follow", headers=tag)
    assert problem(unknown) == (404, "not_found")


def test_a_publisher_is_scouted_once_at_a_time(pages: Pages, web_app: App) -> None:
    first = send(pages, "POST", "/publishers/phare.test/scout")
    assert first.status == 202
    job = ended(pages, first.data["id"])
    assert (job["kind"], job["state"]) == ("scout", "done")
    assert {"robots", "feeds"} <= {step["name"] for step in job["steps"]}
    assert pages.ask("/api/v1/publishers/phare.test").status == 200


@pytest.mark.parametrize(
    ("kind", "body", "rows"),
    [
        ("text/plain", "not an address\nnor this one\n", 2),
        ("text/csv", "url,rank\nnot an address,1\n", 1),
        ("text/x-opml", '<opml><body><outline text="n" xmlUrl=""/></body></opml>', 1),
        ("application/json", json.dumps({"text": "url\nnot an address\n", "name": "a.csv"}), 1),
    ],
)
def test_a_list_is_submitted_as_it_is(pages: Pages, kind: str, body: str, rows: int) -> None:
    begun = pages.ask(
        "/api/v1/submissions", method="POST", body=body, headers={"Content-Type": kind}
    )
    assert begun.status == 202, begun.text
    job = ended(pages, begun.data["id"])
    assert (job["kind"], job["rows"], len(job["outcomes"])) == ("list", rows, rows)
    assert {row["outcome"] for row in job["outcomes"]} == {"invalid"}
    assert pages.ask(job["page"]).status == 200


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("application/json", b'{"text": ""}', (400, "usage")),
        ("application/json", b"{", (400, "usage")),
        ("application/json", b'{"text": "a.test", "more": 1}', (400, "usage")),
        ("application/json", b'{"text": "url\\na.test", "name": "a.xls"}', (400, "usage")),
        ("text/csv", b"name\na\n", (400, "usage")),
        ("text/plain", b"a.test\n" * (MAX_ROWS + 1), (400, "usage")),
        ("text/plain", b"x" * 6_000_001, (413, "too_large")),
        ("image/png", b"x", (415, "media_type")),
        ("", b"x", (415, "media_type")),
    ],
)
def test_what_is_no_list_is_refused(
    pages: Pages, kind: str, body: bytes, expected: tuple[int, str]
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    answer = pages.ask("/api/v1/submissions", method="POST", body=body, headers=headers)
    assert problem(answer) == expected


def test_an_address_inside_our_network_is_refused_without_details(pages: Pages) -> None:
    begun = send(pages, "POST", "/submissions", {"text": "http://10.1.2.3/feed"})
    job = ended(pages, begun.data["id"])
    assert (job["state"], job["problem"]) == ("failed", "private_address")
    assert job["message"] == "That address is refused: it is not one of the public web."


def test_an_article_is_unclustered_and_reported(pages: Pages, web_app: App) -> None:
    article = next(web_app.articles())
    path = f"/articles/{article.id}"
    assert send(pages, "POST", f"{path}/uncluster").data["id"] == article.id
    report = send(pages, "POST", f"{path}/reports", {"wrong": "The end is missing."})
    assert report.status == 201
    assert "/" not in report.data["file"]
    for wrong in ("", "  ", "x" * 5_001):
        assert problem(send(pages, "POST", f"{path}/reports", {"wrong": wrong})) == (400, "usage")
    for part in ("uncluster", "read", "reports"):
        body = {"wrong": "w"} if part == "reports" else None
        assert problem(send(pages, "POST", f"/articles/ff00/{part}", body)) == (404, "not_found")


def test_a_run_is_started_and_stopped_where_it_may(web_app: App) -> None:
    with serving(web_app, can_run=True) as pages:
        assert send(pages, "GET", "/run/control").data["allowed"]
        assert send(pages, "POST", "/run/start").data["running"]
        assert send(pages, "POST", "/run/start").status == 202
        assert send(pages, "POST", "/run/stop").data["stopping"] in {True, False}
    with serving(web_app) as pages:
        assert problem(send(pages, "POST", "/run/start")) == (409, "conflict")
        assert problem(send(pages, "POST", "/run/stop")) == (409, "conflict")


def test_too_much_is_refused_with_a_time_to_come_again(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireroom.web.background_jobs.PER_MINUTE", 1)
    send(pages, "POST", "/submissions", {"text": "not an address\nnor this"})
    answer = send(pages, "POST", "/submissions", {"text": "not an address\nnor this"})
    assert problem(answer) == (429, "too_many")
    assert answer.headers["retry-after"] == "60"


def test_a_body_is_bounded(pages: Pages, web_app: App) -> None:
    wanted = {"note": "x" * MAX_BODY}
    assert problem(send(pages, "PATCH", at_feed(web_app, "/options"), wanted)) == (413, "too_large")


def test_json_is_taken_as_json_alone(pages: Pages, web_app: App) -> None:
    """A form of another site can send text, and no more than that unasked."""
    headers = {"Content-Type": "text/plain"}
    path = f"/api/v1{at_feed(web_app, '/options')}"
    answer = pages.ask(path, method="PATCH", body='{"category": "x"}', headers=headers)
    assert answer.status in {400, 415}
    assert require_feed(web_app, feed_url(web_app)).category == ""


class TestWithAToken:
    """Who comes in, and whose changes are taken."""

    def test_the_token_opens_the_api_and_nothing_else_does(self, web_app: App) -> None:
        with serving(web_app, token=TOKEN) as pages:
            path = at_feed(web_app, "/pause")
            assert problem(send(pages, "POST", path)) == (401, "token")
            wrong = {"Authorization": "Bearer wrong"}
            assert problem(send(pages, "POST", path, headers=wrong)) == (401, "token")
            assert send(pages, "POST", path, headers=BEARER).status == 200

    def test_a_session_alone_must_come_from_our_own_pages(self, web_app: App) -> None:
        with serving(web_app, token=TOKEN) as pages:
            login = pages.post("/login", token=TOKEN)
            session = {"Cookie": login.headers["set-cookie"].partition(";")[0]}
            assert session["Cookie"].startswith(COOKIE)
            path = at_feed(web_app, "/pause")
            own = {**session, "Sec-Fetch-Site": "same-origin"}
            foreign = (
                {**session, "Sec-Fetch-Site": "cross-site"},
                {**session, "Sec-Fetch-Site": "same-site"},
                {**session, "Origin": "http://evil.test"},
                session,
            )
            for headers in foreign:
                answer = send(pages, "POST", path, headers=headers)
                assert problem(answer) == (403, "foreign_request")
                deleted = send(pages, "DELETE", at_feed(web_app), headers=headers)
                assert problem(deleted) == (403, "foreign_request")
            assert send(pages, "POST", path, headers=own).status == 200

    def test_tokens_are_not_guessed_by_the_api(self, web_app: App) -> None:
        with serving(web_app, token=TOKEN) as pages:
            wrong = {"Authorization": "Bearer wrong"}
            for _ in range(FAILURES):
                assert send(pages, "GET", "/feeds", headers=wrong).status == 401
            for headers in (wrong, BEARER):
                answer = send(pages, "GET", "/feeds", headers=headers)
                assert problem(answer) == (429, "too_many")
                assert answer.headers["retry-after"] == "60"


def test_status_says_how_things_stand(pages: Pages, web_app: App) -> None:
    found = send(pages, "GET", "/status").data
    assert (found["state"], found["jobs"]) == ("ok", 0)
    assert found["counts"]["articles"] == sum(1 for _ in web_app.articles())
    assert found["last_poll_at"] is not None


def test_jobs_are_listed_page_by_page(pages: Pages) -> None:
    for number in range(3):
        begun = send(pages, "POST", "/submissions", {"text": f"no address {number}\nnor this"})
        ended(pages, begun.data["id"])
    first = send(pages, "GET", "/jobs?limit=2").data
    rest = send(pages, "GET", f"/jobs?limit=2&cursor={first['next']}").data
    assert (len(first["rows"]), len(rest["rows"]), rest["next"]) == (2, 1, "")
    assert problem(send(pages, "GET", "/jobs?cursor=nothing")) == (400, "query")
    assert problem(send(pages, "GET", "/jobs/nothing")) == (404, "not_found")
    done = first["rows"][0]
    assert problem(send(pages, "POST", f"/jobs/{done['id']}/resume")) == (409, "conflict")
    assert pages.ask(f"/jobs/{done['id']}").headers["location"] == done["page"]
