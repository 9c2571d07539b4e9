"""Pages that are refused while their text stands in the feed: the article is made from the feed, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.app.run.world import QUICK, rss, run_once, save
from tests.rights_formats import Answer
from tests.rights_world import A, ServedWorlds, Site, served_worlds
from wireroom.app import App, open_app
from wireroom.model import Hints, LeadCause
from wireroom.rights.policy import Policy

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
CHALLENGE = (("Server", "cloudflare"), ("CF-Mitigated", "challenge"))
STORIES = 5  # of one length: by themselves they do not pass for whole


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWorlds]:
    with served_worlds() as served:
        yield served


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with open_app(f"sqlite:///{tmp_path}/w.db", clock=lambda: NOW) as app:
        yield app


def refuse(served: ServedWorlds, answer: Answer, *, robots: str = "") -> None:
    """A publisher whose feed has the whole text, and whose pages all answer so."""
    site = Site(whole_feed=True) if not robots else Site(whole_feed=True, robots=robots)
    world = site.serve(A, STORIES)
    pages = {path: answer for path in world if path.startswith("/news/")}
    served.world = {A: {**world, **pages}}
    served.asked.clear()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(403), "blocked_waf"),
        (Answer(402), "payment_required"),
        (Answer(404), "gone"),
        (Answer(403, "Just a moment...", CHALLENGE), "challenge"),
    ],
    ids=["403", "402", "404", "challenge"],
)
async def test_the_article_is_made_from_the_feed(
    served: ServedWorlds, app: App, answer: Answer, kind: str
) -> None:
    refuse(served, answer)
    save(app, [rss(A, "feed.xml")])
    await run_once(app, served)
    articles = list(app.store.articles())
    assert len(articles) == STORIES
    for article in articles:
        assert article.word_count > 150
        assert article.sources["text"] == "feed content"
        assert article.extra["page_problem"] == kind
        assert any("made from the feed" in note for note in article.extra["notes"])
        assert article.receipt is not None
        assert all(verdict.value != "allow" for verdict in article.receipt.verdicts)
    assert {lead.state for lead in app.store.leads()} == {"read"}


async def test_selectors_do_not_cost_the_text_either(served: ServedWorlds, app: App) -> None:
    refuse(served, Answer(403))
    save(app, [rss(A, "feed.xml", hints=Hints(body_selector="article p"))])
    await run_once(app, served)
    assert len(list(app.store.articles())) == STORIES


async def test_a_refusal_in_the_headers_of_the_answer_holds(served: ServedWorlds, app: App) -> None:
    refuse(served, Answer(403, "", (("X-Robots-Tag", "noai"),)))
    save(app, [rss(A, "feed.xml")])
    strict = Policy(uses=("ai-train",), store_on={"unknown": "text", "deny": "nothing"})
    await run_once(app, served, replace(QUICK, policy=strict))
    assert list(app.store.articles()) == []
    assert {lead.cause for lead in app.store.leads()} == {LeadCause.RIGHTS}


async def test_a_page_that_was_taken_back_gives_no_article(served: ServedWorlds, app: App) -> None:
    refuse(served, Answer(410))
    save(app, [rss(A, "feed.xml")])
    await run_once(app, served)
    assert list(app.store.articles()) == []


async def test_a_page_that_robots_txt_bars_stays_barred(served: ServedWorlds, app: App) -> None:
    refuse(served, Answer(403), robots="User-agent: *\nDisallow: /news/\n")
    save(app, [rss(A, "feed.xml")])
    await run_once(app, served)
    assert list(app.store.articles()) == []
    assert {lead.cause for lead in app.store.leads()} == {LeadCause.ROBOTS}


NO_PAGES = """<rss version="2.0"><channel><title>Bare</title>
<item><guid isPermaLink="false">1</guid><title>A title alone</title></item>
<item><guid isPermaLink="false">2</guid><description>{words}</description></item>
<item><title>Nothing there</title><link>{home}news/null</link></item>
<item><title>Good</title><link>{home}news/0</link></item>
</channel></rss>"""


async def test_what_gives_no_article_is_counted(served: ServedWorlds, app: App) -> None:
    world = Site().serve(A, 1)
    story = next(path for path in world if path.startswith("/news/"))
    feed = NO_PAGES.format(words="The ferry returned. " * 40, home=f"http://{A}/")
    feed = feed.replace("/news/0", story)
    served.world = {
        A: {
            **world,
            "/bare.xml": Answer(200, feed, (("Content-Type", "application/rss+xml"),)),
            "/news/null": Answer(200, "null", (("Content-Type", "application/json"),)),
        }
    }
    save(app, [rss(A, "bare.xml")])
    counts = await run_once(app, served)
    assert counts.items["new"] == 4
    assert counts.articles["new"] == 1
    assert counts.as_facts()["without"] == {"page": 2, "article": 1}
