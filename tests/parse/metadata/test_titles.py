"""Titles: the vote of the places, and the publisher's name taken off."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.parse.metadata.pages import article, meta, read, typed
from wireroom.model import Hints, Item

SITE = meta(og__site_name="The Harbour Courier")
ITEM = Item(feed_url="https://www.courier.test/feed", guid="1", title="As the feed has it")
LONG = f"{'The ferry returns to the old port and ' * 3}nobody waits there"

TABLE: list[tuple[str, str, str, str, str]] = [
    ("title alone", "<title>Ferry returns</title>", "", "Ferry returns", "title"),
    ("h1 alone", "", "<h1>Ferry <em>returns</em></h1>", "Ferry returns", "h1"),
    ("site behind a bar", f"{SITE}<title>Ferry returns | The Harbour Courier</title>", "", "Ferry returns", "title"),
    ("site behind a dash", f"{SITE}<title>Ferry returns - The Harbour Courier</title>", "", "Ferry returns", "title"),
    ("site in front", f"{SITE}<title>The Harbour Courier: news » Ferry returns</title>", "", "Ferry returns", "title"),
    ("site by host", "<title>Ferry returns — Courier</title>", "", "Ferry returns", "title"),
    ("section and site", f"{SITE}<title>Ferry returns | Harbour | The Harbour Courier</title>", "<h1>Ferry returns</h1>", "Ferry returns", "h1"),
    ("dash inside stays", "<title>Ferry - the return</title>", "<h1>Ferry - the return</h1>", "Ferry - the return", "h1"),
    ("headline agrees with og", meta(og__title="Ferry returns") + article(headline="Ferry returns"), "<h1>Our menu</h1>", "Ferry returns", "json-ld headline"),
    ("seo copies do not outvote the headline", meta(og__title="10 ferry tips", twitter__title="10 ferry tips") + "<title>10 ferry tips</title>", "<h1>Ferry returns</h1>", "Ferry returns", "h1"),
    ("a logo in an h1 is no title", f"{SITE}{meta(og__title='Ferry returns')}", "<h1>The Harbour Courier</h1><h1>Ferry returns</h1>", "Ferry returns", "h1"),
    ("a blog copies its title for search engines", meta(og__title="10 ferry tips") + typed("BlogPosting", headline="10 ferry tips"), "<h1>Ferry returns</h1>", "Ferry returns", "h1"),
    ("a blog's own headline", meta(og__title="Ferry returns") + typed("BlogPosting", headline="Ferry returns"), "<p>Text.</p>", "Ferry returns", "json-ld headline"),
    ("linked data is cut at 110 characters", meta(og__title=LONG) + article(headline=LONG[:110]), "", LONG, "json-ld headline"),
    ("an ellipsis in one place", meta(og__title="Ferry returns to …") + "<title>Ferry returns to the port</title>", "", "Ferry returns to the port", "og:title"),
    ("questions that people have", meta(og__title="Ferry returns") + typed("FAQPage", mainEntity=[{"@type": "Question", "name": name} for name in ("When?", "Who?")]), "<h2>When?</h2>", "Ferry returns", "og:title"),
    ("the question of a forum", typed("QAPage", mainEntity={"@type": "Question", "name": "When does it sail?", "datePublished": "2026-05-04"}), "", "When does it sail?", "json-ld headline"),
    ("a product that is called after its maker", f"{SITE}<title>The Harbour Courier mug | Blue, for tea</title>", "", "The Harbour Courier mug", "title"),
    ("site by the end of its host", "<title>Ferry returns | Rier</title>", "", "Ferry returns", "title"),
    ("site's name in the headline", f"{SITE}{meta(og__title='Ferry returns')}", "<h1>Ferry returns | The Harbour Courier</h1>", "Ferry returns", "h1"),
    ("the masthead below a title", "<title>Electrical - Overview | Harbour Office of Safety and Health</title>", "<h2>Harbour Office of Safety and Health</h2><p>Text.</p>", "Electrical - Overview", "title"),
    ("entities and blanks", "<title>  Ferry\n &amp; port </title>", "", "Ferry & port", "title"),
    ("title of a drawing", "", "<svg><title>Icon</title></svg><h1>Ferry</h1>", "Ferry", "h1"),
    ("no title", "", "<p>Text.</p>", "", ""),
    ("nothing but a bar", "<title>Ferry returns to port | Unknown Name</title>", "", "Ferry returns to port", "title"),
    ("old page", "<title>Ferry returns | Old Paper</title>", "<font size=5><b>Ferry returns</b></font>", "Ferry returns", "title"),
    ("control characters", "<title>Ferry\x01 returns</title>", "", "Ferry returns", "title"),
    ("logo at the end of the title", "<title>Ferry returns after ten years - Port &amp; Tide</title>", "<h1>Port &amp; Tide</h1><p>Text.</p>", "Ferry returns after ten years", "title"),
    ("logo that leads home", "<title>Ferry returns - The Tide and Harbour News</title>", '<h1><a href="/">The Tide and Harbour News</a></h1><p>Text.</p>', "Ferry returns", "title"),
    ("logo, and the headline below", "<title>Ferry back - Tide and Harbour</title>", "<h1>Tide and Harbour</h1><h2>Ferry back</h2>", "Ferry back", "title"),
    ("a headline behind the site's name", "<title>Tide - Ferry returns after ten years</title>", "<h1>Ferry returns after ten years</h1>", "Ferry returns after ten years", "h1"),
    ("a section in the headline", meta(og__title="Storm closes port"), "<h1><span>Weather</span><span>Storm closes port</span></h1>", "Storm closes port", "h1"),
    ("a kicker that nobody confirms", "", '<h1><span class="kicker">Weather</span><span>Storm closes port</span></h1>', "Storm closes port", "h1"),
    ("spans that nobody explains stay apart", "", "<h1><span>Weather</span><span>Storm closes port</span></h1>", "Weather Storm closes port", "h1"),
    ("an initial is glued to its word", "", "<h1><span>S</span><span>torm closes port</span></h1>", "Storm closes port", "h1"),
    ("part of a word in a span", "", "<h1>Brex<span>it</span> talks</h1>", "Brexit talks", "h1"),
    ("a headline that nobody closed", "", f"<h1>Ferry returns<p>{'It sails at noon. ' * 20}</p>", "Ferry returns", "h1"),
    ("a subtitle in the headline", meta(og__title="Storm closes port"), "<h1><span>Storm closes port</span><small>Ten hurt</small></h1>", "Storm closes port", "h1"),
    ("a subtitle in an h1", meta(og__title="Storm closes port") + "<title>Storm closes port</title>", "<h1>Ten hurt as gale hits</h1>", "Storm closes port", "og:title"),
    ("a subtitle below the headline", meta(og__title="Storm closes port"), "<p class=headline>Storm closes port</p><h1>Ten hurt in the port</h1>", "Storm closes port", "heading"),
    ("an h1 called a subtitle", meta(og__title="Storm closes port") + "<title>Storm closes port</title>", '<h1 class="article-subtitle">Ten hurt in port</h1>', "Storm closes port", "og:title"),
    ("soft hyphens and zero width", "<title>Hafen\u00adbehörde\u200b tagt</title>", "", "Hafenbehörde tagt", "title"),
    ("microdata", "", '<div itemscope itemtype="https://schema.org/Article"><b itemprop="headline">Ferry</b></div>', "Ferry", "microdata headline"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body", "title", "source"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_title(head: str, body: str, title: str, source: str) -> None:
    found = read(head, body).title
    assert (found.value, found.source) == (title, source)


def test_every_claim_can_be_seen() -> None:
    found = read(meta(og__title="Ferry") + "<title>Boat</title>", "<h1>Ship</h1>").title
    assert {claim.value for claim in found.claims} == {"Ferry", "Boat", "Ship"}
    assert found.claims[0].value == found.value


def test_agreement_makes_sure() -> None:
    alone = read(meta(og__title="Ferry") + "<title>Boat</title>", "<h1>Ship</h1>").title
    agreed = read(meta(og__title="Ship") + "<title>Ship</title>", "<h1>Ship</h1>").title
    assert agreed.confidence == 1.0
    assert alone.confidence < 0.6


def test_the_feed_is_believed_first_when_asked() -> None:
    assert read("", "<h1>Ship</h1>", item=ITEM).title.value == "Ship"
    found = read("", "<h1>Ship</h1>", item=ITEM, precedence="feed").title
    assert (found.value, found.source) == ("As the feed has it", "feed")
    assert read("", "<p>x</p>", item=ITEM).title.value == "As the feed has it"


def test_the_operator_is_believed_before_all() -> None:
    hints = Hints(metadata_selectors={"title": ".own"})
    found = read("", "<h1>Ship</h1><p class=own>Own title</p>", hints=hints, item=ITEM).title
    assert (found.value, found.source) == ("Own title", "selector")


def test_time_of_the_fetch_changes_no_title() -> None:
    early = read("", "<h1>Ship</h1>", fetched_at=datetime(2001, 1, 1, tzinfo=UTC))
    assert early.title == read("", "<h1>Ship</h1>").title


@pytest.mark.parametrize("shell", ["The Harbour Courier", "Loading…", "Courier App"])
def test_a_shell_that_a_script_fills_has_the_title_of_its_feed(shell: str) -> None:
    head = f"<title>{shell}</title>{meta(og__title=shell)}"
    found = read(head, "<div id=root></div>", item=ITEM).title
    assert (found.value, found.source) == ("As the feed has it", "feed")


def test_a_headline_on_the_page_is_believed_before_the_feed() -> None:
    found = read("<title>Ferry | Courier</title>", "<h1>Ferry returns</h1>", item=ITEM).title
    assert (found.value, found.source) == ("Ferry returns", "h1")


@pytest.mark.parametrize(
    "title", ["Storm hits the coast | Courier", "Storm hits the coast - Weather - Courier"]
)
def test_a_section_in_the_headline_is_no_part_of_it(title: str) -> None:
    h1 = "<h1><span>Weather</span><span>Storm hits the coast</span></h1>"
    page = f"<html><head><title>{title}</title></head><body><article>{h1}</article></body></html>"
    assert read(page).title.value == "Storm hits the coast"


def test_a_section_alone_in_the_page_title_is_not_the_headline() -> None:
    h1 = "<h1><span>Weather</span><span>Storm hits the coast</span></h1>"
    page = f"<html><head><title>Weather | Courier</title></head><body><article>{h1}</article></body></html>"
    assert read(page).title.value == "Weather Storm hits the coast"


def test_signs_that_turn_the_order_of_letters_go_from_titles() -> None:
    page = "<html><body><h1>\u202eBridge\u202c \u2066closes\u2069\u200e</h1></body></html>"
    assert read(page).title.value == "Bridge closes"
    hebrew = "<html><body><h1>\u05d2\u05e9\u05e8\u200f!</h1></body></html>"
    assert read(hebrew).title.value == "\u05d2\u05e9\u05e8\u200f!"


def test_the_sign_of_a_link_to_the_headline_is_no_part_of_it() -> None:
    h1 = "<h1>Middleware<a class=headerlink href=#middleware>¶</a></h1>"
    assert read(f"<html><body>{h1}</body></html>").title.value == "Middleware"
