"""What the API does: each call is the use case of a button and of a command, with tokens, conditions and keys."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from tests.web.serving import TOKEN, Answer, Pages, serving
from tests.web.test_jobs_kept import ended
from wireroom.app import App
from wireroom.app.feeds import require_feed
from wireroom.app.purge import PurgePlan
from wireroom.app.submit import MAX_ROWS
from wireroom.web.guards import MAX_BODY
from wireroom.web.login import COOKIE, FAILURES

JSON = {"Content-Type": "application/json"}
RESOLVER = socket.getaddrinfo
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


def test_rows_of_a_list_tell_nothing_of_our_network(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for a name that leads inside nor for an address: a list is no way to ask who lives there."""
    monkeypatch.setattr(socket, "getaddrinfo", answered_inside)
    names = ("intranet.example", "http://10.1.2.3/", "courier.test")
    body = {"text": "\n".join(names)}
    job = ended(pages, send(pages, "POST", "/submissions", body).data["id"])
    reasons = {row["target"]: row["reason"] for row in job["outcomes"]}
    refused = "That address is refused: it is not one of the public web."
    assert [reasons[name] for name in names] == [refused, refused, ""]
    alone = ended(pages, send(pages, "POST", "/submissions", {"text": names[0]}).data["id"])
    assert alone["message"] == refused
    assert "10.9.8.7" not in json.dumps(job) + json.dumps(alone)


def answered_inside(host: Any, *arguments: Any, **options: Any) -> Any:
    """What a resolver of our own network says of a name that only it knows."""
    known = "10.9.8.7" if host == "intranet.example" else host
    return RESOLVER(known, *arguments, **options)


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


def test_pages_that_were_given_up_are_opened_again(pages: Pages, web_app: App) -> None:
    article = next(web_app.articles("publisher:courier.test"))
    path = "/retry"
    assert send(pages, "POST", path, {}).data == {"opened": 0, "waits_for": {}}
    for page in (article.id, article.url):
        assert send(pages, "POST", path, {"page": page}).data["opened"] in {0, 1}
    assert [lead.state for lead in leads_of(web_app, article.url)] == ["new"]
    for body in ({"publisher": "courier.test"}, {"feed": feed_url(web_app)}, {"refused": True}):
        assert send(pages, "POST", path, body).status == 200
    for body in (
        {"publisher": "nobody.test"},
        {"feed": "nothing"},
        {"page": "nothing"},
        {"page": "ftp://courier.test/"},
        {"everything": True},
    ):
        assert problem(send(pages, "POST", path, body)) == (400, "usage")


def leads_of(app: App, url: str) -> list[Any]:
    return [record.lead for record in app.store.queue.page(url).leads]


class TestPurge:
    """What is planned goes when its tag is sent, and nothing else ever does."""

    def test_exactly_what_was_planned_goes_once(self, pages: Pages, web_app: App) -> None:
        path = "/purge?publisher=courier.test&q=harbour"
        wanted = {article.id for article in web_app.articles("publisher:courier.test harbour")}
        others = {article.id for article in web_app.articles()} - wanted
        answer = send(pages, "GET", path)
        plan = answer.data
        assert (answer.headers["etag"], plan["articles"]) == (plan["tag"], len(wanted))
        assert (plan["publishers"], plan["has_more"]) == ({"courier.test": len(wanted)}, False)
        assert len(wanted) == len(list(web_app.articles("publisher:courier.test harbour")))
        done = send(pages, "POST", path, headers={"If-Match": plan["tag"]})
        assert (done.status, done.data["articles"]) == (200, len(wanted))
        assert {article.id for article in web_app.articles()} == others
        again = send(pages, "POST", path, headers={"If-Match": plan["tag"]})
        assert problem(again) == (412, "changed")

    @pytest.mark.parametrize(
        ("headers", "expected"),
        [
            ({}, (428, "unconfirmed")),
            ({"If-Match": "  "}, (428, "unconfirmed")),
            ({"If-Match": "*"}, (428, "unconfirmed")),
            ({"If-Match": '"another"'}, (412, "changed")),
        ],
    )
    def test_without_the_tag_of_the_plan_nothing_goes(
        self, pages: Pages, web_app: App, headers: dict[str, str], expected: tuple[int, str]
    ) -> None:
        held = len(list(web_app.articles()))
        answer = send(pages, "POST", "/purge?publisher=courier.test", headers=headers)
        assert problem(answer) == expected
        assert len(list(web_app.articles())) == held

    def test_a_plan_holds_for_what_it_was_made_of(self, pages: Pages, web_app: App) -> None:
        path = "/purge?publisher=courier.test"
        tag = {"If-Match": send(pages, "GET", path).data["tag"]}
        everything = send(pages, "POST", "/purge?older_than=1m", headers=tag)
        assert problem(everything) == (412, "changed")
        first = next(web_app.articles("publisher:courier.test"))
        web_app.purge(PurgePlan(ids=(first.id,)))
        assert problem(send(pages, "POST", path, headers=tag)) == (412, "changed")

    def test_one_call_removes_so_many(
        self, pages: Pages, web_app: App, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("wireroom.web.pages.purge.MOST_PURGED", 3)
        held = len(list(web_app.articles("publisher:courier.test")))
        plan = send(pages, "GET", "/purge?publisher=courier.test").data
        assert (plan["articles"], plan["has_more"]) == (3, True)
        tag = {"If-Match": plan["tag"]}
        done = send(pages, "POST", "/purge?publisher=courier.test", headers=tag)
        assert done.data["articles"] == 3
        assert len(list(web_app.articles("publisher:courier.test"))) == held - 3

    def test_raw_pages_go_and_articles_stay(self, pages: Pages, web_app: App) -> None:
        held = len(list(web_app.articles()))
        path = "/purge?scope=raw_pages"
        plan = send(pages, "GET", path).data
        assert plan["raw_pages"] > 0
        of_feed = f"{path}&feed={quote(feed_url(web_app), safe='')}&older_than=1d"
        assert send(pages, "GET", of_feed).data["raw_pages"] <= plan["raw_pages"]
        done = send(pages, "POST", path, headers={"If-Match": plan["tag"]}).data
        assert (done["raw_pages"], done["articles"]) == (plan["raw_pages"], 0)
        assert send(pages, "GET", path).data["raw_pages"] == 0
        assert len(list(web_app.articles())) == held

    def test_what_the_policy_forbids_is_planned_by_the_policy(self, pages: Pages) -> None:
        plan = send(pages, "GET", "/purge?scope=forbidden").data
        done = send(pages, "POST", "/purge?scope=forbidden", headers={"If-Match": plan["tag"]}).data
        assert (done["articles"], done["reduced"]) == (plan["articles"], plan["reduced"])

    @pytest.mark.parametrize(
        "query",
        [
            "",
            "?older_than=soon",
            "?feed=nothing",
            "?publisher=nobody.test",
            "?scope=forbidden&q=a",
            "?scope=raw_pages&publisher=courier.test",
            "?scope=raw_pages&feed=nothing",
            "?scope=everything",
        ],
    )
    def test_what_says_nothing_or_two_things_is_refused(self, pages: Pages, query: str) -> None:
        for method in ("GET", "POST"):
            answer = send(pages, method, f"/purge{query}", headers={"If-Match": '"x"'})
            assert problem(answer) == (400, "usage")


class TestExport:
    """The file of a command, by the same policy; what it leaves out is told with its reasons."""

    def test_a_use_leaves_out_what_its_report_counts(self, pages: Pages, web_app: App) -> None:
        answer = send(pages, "GET", "/export?for=ai-train")
        assert answer.headers["content-type"] == "application/jsonl"
        rows = [json.loads(line) for line in answer.text.splitlines()]
        report = send(pages, "GET", "/export/report?for=ai-train").data
        assert len(rows) == report["count"] == int(answer.headers["x-articles"]) > 0
        assert report["left_out"] == int(answer.headers["x-left-out"]) > 0
        assert (
            sum(reason["articles"] for reason in report["rights"]["reasons"]) == report["left_out"]
        )
        assert {row["publisher"] for row in rows} == {"courier.test"}
        whole = send(pages, "GET", "/export/report").data
        assert (whole["rights"], whole["left_out"]) == (None, 0)
        assert whole["refused"]["ai-train"] == report["left_out"]

    def test_only_the_export_is_an_event(self, pages: Pages, web_app: App) -> None:
        before = web_app.last_event_number()
        send(pages, "GET", "/export/report?for=search")
        assert [event.kind for event in web_app.events(after=before)] == []
        send(pages, "GET", "/export?for=search")
        assert [event.kind for event in web_app.events(after=before)] == ["articles_exported"]

    def test_a_limit_that_was_reached_is_named(self, pages: Pages) -> None:
        few = send(pages, "GET", "/export?limit=2")
        assert (few.headers["x-articles"], few.headers["x-limit-reached"]) == ("2", "true")
        assert send(pages, "GET", "/export/report?limit=2").data["is_limited"]
        assert send(pages, "GET", "/export").headers["x-limit-reached"] == "false"
        for limit in (0, 10_001):
            assert problem(send(pages, "GET", f"/export?limit={limit}")) == (400, "usage")

    def test_who_has_the_file_is_not_sent_it_again(self, pages: Pages, web_app: App) -> None:
        article = next(web_app.articles())
        path = f"/export?article={article.id}&format=csv&column=id&column=title"
        first = send(pages, "GET", path)
        assert first.text.splitlines()[0] == "id,title"
        assert first.text.splitlines()[1].startswith(article.id)
        again = send(pages, "GET", path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status, again.body) == (304, b"")

    @pytest.mark.parametrize(
        "query",
        [
            "?format=docx",
            "?format=md",
            "?for=anything",
            "?column=id",
            "?article=nothing",
            "?q=%28a",
        ],
    )
    def test_what_cannot_be_written_is_refused(self, pages: Pages, query: str) -> None:
        answer = send(pages, "GET", f"/export{query}")
        assert problem(answer)[0] == 400
