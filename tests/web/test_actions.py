"""What buttons do: each is a form that leads to a page, and the page shows what came of it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from tests.store.samples import reading
from tests.web.serving import OWN, Pages, serving
from tests.web.test_live import changes
from wireroom.app import App
from wireroom.app.snapshot import has_page
from wireroom.model import Article, Cluster
from wireroom.rights.rights_history import RightsChange
from wireroom.web.guards import MAX_UPLOAD


def feed_page(app: App) -> str:
    feed = next(stats.feed for stats in app.feeds() if stats.feed.kind == "rss")
    return f"/feeds/{quote(feed.url, safe='')}"


def with_kept_page(app: App) -> Article:
    return next(article for article in app.articles() if has_page(app, article))


def upload(pages: Pages, name: str, body: bytes) -> tuple[int, str]:
    """A file, as a browser sends it; status and where it leads, or the text."""
    edge = "edge-of-the-form"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    whole = head.encode() + body + f"\r\n--{edge}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={edge}", **OWN}
    answer = pages.ask("/", method="POST", body=whole, headers=kind)
    return answer.status, answer.headers.get("location", answer.text)


def test_a_feed_is_paused_and_resumed_and_polled(pages: Pages, web_app: App) -> None:
    path = feed_page(web_app)
    assert "Poll now" in pages.ask(path).text
    answer = pages.post(path, action="pause")
    assert (answer.status, answer.headers["location"]) == (303, f"{path}?done=pause")
    assert "left alone until you resume it" in pages.ask(answer.headers["location"]).text
    assert "Resume" in pages.ask(path).text
    pages.post(path, action="resume")
    assert pages.post(path, action="poll").status == 303
    assert "you asked for it" in pages.ask(path).text
    assert pages.post(path, action="explode").status == 400
    assert pages.post("/feeds/http%3A%2F%2Fnobody.test%2F", action="poll").status == 404


def test_options_of_a_feed_are_edited_and_bad_ones_refused(pages: Pages, web_app: App) -> None:
    path = feed_page(web_app)
    assert pages.post(path, action="edit", category="Coast").status == 303
    assert 'value="Coast"' in pages.ask(path).text
    bad = pages.post(path, action="edit", interval="soon")
    assert bad.status == 400
    assert "interval" in bad.text


@pytest.mark.long
def test_selectors_are_tried_on_a_kept_page_and_nothing_is_saved(
    pages: Pages, web_app: App
) -> None:
    path = feed_page(web_app)
    article = with_kept_page(web_app)
    place = pages.post(
        path,
        action="try",
        article=article.id,
        body_selector="h1",
        category="",
        proxy="http://somebody:password@192.0.2.1:8080",
    )
    assert place.status == 303
    address = place.headers["location"]
    query = parse_qs(urlsplit(address).query, keep_blank_values=True)
    assert query == {
        "feed": [unquote(path.removeprefix("/feeds/"))],
        "article": [article.id],
        "body_selector": ["h1"],
    }, "what is as it was is not named, and no password"
    tried = pages.ask(address)
    assert tried.status == 200
    assert "Before and after" in tried.text
    assert "<dt>body selector</dt><dd><code>h1</code></dd>" in tried.text
    rows = dict(
        re.findall(r'<tr><th scope="row">(Title|Words|Text from)</th>(.*?)</tr>', tried.text)
    )
    assert set(rows) >= {"Title", "Words"}, tried.text[tried.text.index("Before and after") :]
    before, after = re.findall(r"<td[^>]*>([^<]*)</td>", rows["Words"])
    assert int(before) > int(after) > 0
    assert article.title in unescape(rows["Title"])
    assert "<del>" in tried.text
    assert 'value="h1"' not in pages.ask(path).text


def test_a_publisher_is_followed_under_the_terms_that_were_shown(
    pages: Pages, web_app: App
) -> None:
    page = pages.ask("/publishers/courier.test").text
    terms = unescape(re.search(r'name="terms" value="([^"]+)"', page)[1])  # type: ignore[index]
    before = web_app.last_event_number()
    other = pages.post("/publishers/courier.test", action="follow", terms='"other terms"')
    assert other.status == 412
    assert "changed since you read it" in other.text
    assert list(web_app.events(after=before)) == []
    answer = pages.post("/publishers/courier.test", action="follow", terms=terms)
    assert (answer.status, answer.headers["location"]) == (303, "/publishers/courier.test")


def test_a_list_is_uploaded_from_the_list_of_publishers(pages: Pages) -> None:
    page = pages.ask("/publishers").text
    form = re.search(
        r'<form method="post" action="/"[^>]*enctype="multipart/form-data">.*?</form>', page
    )
    assert form is not None
    assert 'type="file" name="file"' in form[0]


def test_an_article_leaves_its_cluster_and_is_reported(pages: Pages, web_app: App) -> None:
    article = next(web_app.articles())
    path = f"/articles/{article.id}"
    assert pages.post(path, action="uncluster").headers["location"] == f"{path}?done=unclustered"
    wrong = pages.post(path, action="report", wrong="The last paragraph is missing.")
    assert wrong.headers["location"] == f"{path}?done=reported"
    assert "A case file was written" in pages.ask(f"{path}?done=reported").text
    assert pages.post(path, action="report", wrong="x" * 5_001).status == 400


@pytest.mark.long
def test_an_article_is_read_anew_from_its_kept_page(pages: Pages, web_app: App) -> None:
    article = with_kept_page(web_app)
    answer = pages.post(f"/articles/{article.id}", action="read")
    assert answer.headers["location"].endswith("?done=same")


def test_a_list_is_followed_row_by_row(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    rows = b"\xef\xbb\xbfURL,note\nphare.test,Le Phare\n,\nnot an address,\nphare.test,again\n"
    status, place = upload(pages, "papers.csv", rows)
    assert status == 303, place
    assert place.startswith("/lists/")
    seen = list(changes(pages, f"/live{place}?after={before}"))
    assert seen[-1].kind == "last"
    page = pages.ask(place).text
    assert page.count("<tr id=") == 3
    assert "added" in page
    assert "invalid" in page
    assert "same" in page


def test_a_list_with_columns_of_its_own_is_taken_and_they_are_named(pages: Pages) -> None:
    status, place = upload(pages, "papers.csv", b"url,circulation\nnot an address,12000\n")
    assert status == 303, place
    assert "columns that are not used: circulation." in pages.ask(place).text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("papers.xls", b"url\nphare.test\n"),
        ("papers.csv", b""),
        ("papers.csv", b"x" * (MAX_UPLOAD + 1)),
    ],
)
def test_a_list_that_cannot_be_read_is_refused(pages: Pages, name: str, body: bytes) -> None:
    status, _ = upload(pages, name, body)
    assert status == 400


def test_nothing_typed_is_refused(pages: Pages) -> None:
    assert pages.post("/", address="  ").status == 400


def test_a_run_is_started_and_stopped(web_app: App) -> None:
    with serving(web_app, can_run=True) as pages:
        assert pages.post("/run", action="start").status == 303
        page = pages.ask("/run").text
        assert "Stop" in page
        assert pages.post("/run", action="stop").status == 303


def test_without_serve_run_the_button_is_refused(pages: Pages) -> None:
    assert pages.post("/run", action="start").status == 409
    assert "wireroom serve --run" in pages.ask("/run").text


@pytest.mark.parametrize("form", ["html", "json", "md"])
def test_a_card_is_downloaded(pages: Pages, form: str) -> None:
    answer = pages.ask(f"/publishers/courier.test/card.{form}")
    assert answer.status == 200
    assert f'filename="courier-test.{form}"' in answer.headers["content-disposition"]
    assert pages.ask(f"/publishers/nobody.test/card.{form}").status == 404


def test_the_original_is_harmless(pages: Pages, web_app: App) -> None:
    article = with_kept_page(web_app)
    page = pages.ask(f"/articles/{article.id}").text
    assert f'src="/articles/{article.id}/original" sandbox' in page
    original = pages.ask(f"/articles/{article.id}/original")
    policy = original.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "x-frame-options" not in original.headers
    assert "<script" not in original.text
    assert 'class="kept"' in original.text


@pytest.mark.parametrize("path", ["/articles/nothing", "/articles/ffffffffffff", "/articles/00"])
def test_an_article_that_is_not_held(pages: Pages, path: str) -> None:
    assert pages.ask(path).status == 404


def test_versions_and_copies_of_an_article_are_compared_on_its_page(
    pages: Pages, web_app: App
) -> None:
    first, second, *_ = web_app.articles("publisher:courier.test")
    edited = replace(first, text=f"{first.text}\n\nA last word.", text_hash="edited")
    web_app.store.save_readings([reading(edited)], now=web_app.clock())
    cluster = Cluster(
        id="two",
        members=(first.id, second.id),
        canonicals={"en": first.id},
        made_at=web_app.clock(),
    )
    web_app.store.save_clusters([cluster])
    page = pages.ask(f"/articles/{first.id}").text
    assert f"Version {first.version} to {first.version + 1}" in page
    assert re.search(r"<ins>[^<]*last word\.[^<]*</ins>", page)
    copies = page.partition("<h2>Copies</h2>")[2].partition("</section>")[0]
    assert copies.count('class="panel copy"') == 2
    assert copies.count("<details") == 1, "one of them is that with which the other is compared"
    first_one = copies.split('class="panel copy"')[1]
    assert "<b>first</b>" in first_one, "who was first stands first"
    assert "<b>chosen</b>" in copies
    assert re.search(r"\+\d+ −\d+ words", copies)


def test_the_page_of_a_run_has_rates_problems_and_the_size_of_the_store(pages: Pages) -> None:
    page = pages.ask("/run").text
    for stage in ("found", "allowed", "fetched", "read", "new"):
        assert re.search(rf"<b>\d+</b> {stage}", page)
    assert re.search(r"[\d.]+ a minute over the last hour", page)
    assert re.search(r"on disk</\w+>.*?[\d.]+ MB", page)
    assert 'id="problems"' in page


def test_health_and_metrics(pages: Pages) -> None:
    assert pages.ask("/healthz").text == "ok\n"
    assert pages.ask("/readyz").text == "ok\n"
    measures = pages.ask("/metrics").text
    assert 'wireroom_held{kind="articles"}' in measures


def test_chosen_publishers_are_scouted_again(pages: Pages, web_app: App) -> None:
    before = web_app.last_event_number()
    kind = {"Content-Type": "application/x-www-form-urlencoded", **OWN}
    body = "domain=alminaa.test&domain=phare.test"
    answer = pages.ask("/publishers", method="POST", body=body, headers=kind)
    assert (answer.status, answer.headers["location"]) == (303, "/publishers")
    for domain in ("alminaa.test", "phare.test"):
        assert list(changes(pages, f"/live/publisher/{domain}?after={before}"))[-1].kind == "last"
    assert "Le Phare" in pages.ask("/publishers").text


def test_what_changed_is_shown_with_both_lines(
    pages: Pages, web_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = RightsChange(
        at=web_app.clock(),
        kind="signal",
        url="http://courier.test/",
        family="content_signal",
        uses=("ai-train",),
        old="ai-train=yes",
        new="ai-train=no",
    )
    monkeypatch.setattr(App, "rights_history", lambda _app, _domain: (change,))
    page = pages.ask("/publishers/courier.test").text
    assert '<del dir="auto">ai-train=yes</del>' in page
    assert '<ins dir="auto">ai-train=no</ins>' in page
