"""Every call of the API, made once against a real server: its examples, and what their shape is held against."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlencode

from tests.web.serving import Answer, Pages
from wireroom.app import App
from wireroom.app.job_history import JobRecord, save_job
from wireroom.app.snapshot import has_page

PATIENCE = 120  # seconds
LONGEST = 300  # characters of a text in an example
MOST = 2  # entries of a list in an example
JSON = "application/json"
_HOLDER = re.compile(r"\b(run|serve|scout)-[^ ]+-\d+-\d+-[0-9a-f]{8}")
_PROCESS = re.compile(r"[^ ]+ \(process \d+\)")


@dataclass(frozen=True)
class Call:
    """One call: what is sent to which operation."""

    operation: str
    method: str
    path: str
    places: Mapping[str, str] = field(default_factory=dict)
    """What stands in the path."""
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    def made(self, pages: Pages) -> Answer:
        """What the server answers."""
        path = self.path.format(
            **{name: quote(text, safe="") for name, text in self.places.items()}
        )
        target = f"/api/v1{path}{'?' + urlencode(self.query) if self.query else ''}"
        if self.body is None:
            return pages.ask(target, method=self.method, headers=self.headers)
        kind = {"Content-Type": JSON, **self.headers}
        return pages.ask(target, method=self.method, body=json.dumps(self.body), headers=kind)


Reply = Callable[[str], Any]
"""What the last call of an operation answered."""


def calls(app: App, last: Reply) -> Iterator[Call]:
    """One call of each operation, in an order in which every one succeeds; the server may run."""
    domain = "courier.test"
    kept = [held for held in app.articles() if has_page(app, held)]
    article = min(kept, key=lambda held: held.language != "en").id
    feeds = [stats.feed for stats in app.feeds() if stats.feed.publisher == domain]
    feeds.sort(key=lambda feed: feed.kind != "rss")
    feed = {"url": feeds[0].url}
    yield Call("get_status", "GET", "/status")
    yield Call("list_publishers", "GET", "/publishers", query={"limit": 1})
    yield Call("get_card", "GET", "/publishers/{domain}", {"domain": domain})
    yield Call("list_search", "GET", "/search", query={"q": "harbour", "limit": 1})
    asked = {"q": "harbour after:30d", "for": "ai-train"}
    yield Call("get_search_summary", "GET", "/search/summary", query=asked)
    wanted = {"q": "harbour", "for": "ai-train", "limit": 1}
    yield Call("export_articles", "GET", "/export", query={**wanted, "format": "jsonfeed"})
    yield Call("get_export_report", "GET", "/export/report", query={"for": "ai-train"})
    yield Call("get_article", "GET", "/articles/{which}", {"which": article})
    copied = next((held.id for held in app.articles() if held.cluster_id), article)
    yield Call("list_article_copies", "GET", "/articles/{which}/copies", {"which": copied})
    yield Call("list_article_versions", "GET", "/articles/{which}/versions", {"which": article})
    yield Call("uncluster_article", "POST", "/articles/{which}/uncluster", {"which": article})
    yield Call("read_article", "POST", "/articles/{which}/read", {"which": article})
    wrong = {"wrong": "The last paragraph is missing."}
    yield Call(
        "report_article", "POST", "/articles/{which}/reports", {"which": article}, body=wrong
    )
    yield Call("list_feeds", "GET", "/feeds", query={"publisher": domain, "limit": 1})
    yield Call("get_feed", "GET", "/feed", query=feed)
    yield Call("get_feed_options", "GET", "/feed/options", query=feed)
    options = {"category": "Coast", "interval": "30m"}
    yield Call("edit_feed_options", "PATCH", "/feed/options", query=feed, body=options)
    tried = {"article": article, "options": {"body_selector": "h1"}}
    yield Call("try_feed_options", "POST", "/feed/trial", query=feed, body=tried)
    yield Call("pause_feed", "POST", "/feed/pause", query=feed)
    yield Call("resume_feed", "POST", "/feed/resume", query=feed)
    yield Call("poll_feed", "POST", "/feed/poll", query=feed)
    yield Call("remove_feed", "DELETE", "/feed", query={"url": feeds[-1].url})
    new = {"address": "faro.test", "options": {"category": "Coast"}}
    yield Call("follow_feed", "POST", "/feeds", headers={"Idempotency-Key": "faro-1"}, body=new)
    yield Call("scout_publisher", "POST", "/publishers/{domain}/scout", {"domain": "phare.test"})
    yield Call("follow_publisher", "POST", "/publishers/{domain}/follow", {"domain": domain})
    given = {"text": "url,name\nalminaa.test,Al-Mina\nnot an address,\n", "name": "papers.csv"}
    yield Call("submit", "POST", "/submissions", body=given)
    yield Call("get_job", "GET", "/jobs/{job_id}", {"job_id": last("submit")["id"]})
    yield Call("list_jobs", "GET", "/jobs", query={"limit": 1})
    save_job(app, _broken_off(app))
    yield Call("resume_job", "POST", "/jobs/{job_id}/resume", {"job_id": "Nb1wYq0TzvUk"})
    yield Call("retry_pages", "POST", "/retry", body={"page": article})
    old = {"older_than": "1d", "publisher": domain, "q": "harbour"}
    yield Call("plan_purge", "GET", "/purge", query=old)
    tag = {"If-Match": last("plan_purge")["tag"]}
    yield Call("purge", "POST", "/purge", query=old, headers=tag)
    yield Call("get_run", "GET", "/run")
    yield Call("get_run_control", "GET", "/run/control")
    yield Call("start_run", "POST", "/run/start")
    yield Call("stop_run", "POST", "/run/stop")


def _broken_off(app: App) -> JobRecord:
    now = app.clock()
    return JobRecord(
        id="Nb1wYq0TzvUk",
        kind="scout",
        target="alminaa.test",
        publisher="alminaa.test",
        state="interrupted",
        begun_at=now,
        seen_at=now,
    )


def record(app: App, pages: Pages) -> dict[str, dict[str, Any]]:
    """Makes every call; what was sent and what was answered, by operation."""
    found: dict[str, dict[str, Any]] = {}
    for call in calls(app, lambda name: found[name]["answer"]):
        if call.operation == "get_job":
            _wait(pages, call)
        answer = call.made(pages)
        assert answer.status < 300, (call, answer.status, answer.text)
        request = {} if call.body is None else {"request": {JSON: call.body}}
        found[call.operation] = {
            "parameters": {**call.places, **call.query, **call.headers},
            **request,
            "status": answer.status,
            "answer": answer.data,
        }
    return found


def _wait(pages: Pages, call: Call) -> None:
    ends = monotonic() + PATIENCE
    while call.made(pages).data["state"] in {"waiting", "running"}:
        assert monotonic() < ends
        sleep(0.1)


def as_example(value: Any) -> Any:
    """An answer with its long texts and lists cut, and no name of this machine."""
    if isinstance(value, dict):
        return {name: as_example(part) for name, part in value.items()}
    if isinstance(value, list):
        return [as_example(part) for part in value[-MOST:]]
    if not isinstance(value, str):
        return value
    text = _PROCESS.sub("desk (process 4711)", _HOLDER.sub(r"\1-desk.f-4711-90210-0c0ffee0", value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
