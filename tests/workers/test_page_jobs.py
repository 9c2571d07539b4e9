"""What a run makes of a text that stands in a feed: by whose rights it is kept."""

from __future__ import annotations

import pytest

from tests.rights.findings import NOW, robots
from wireroom.model import Finding, Hints, Item, Lead, Receipt
from wireroom.workers.page_jobs import ItemText, PageWords, RunJob, pack_context

FEED = "https://gather.test/feed.xml"
CLICKED = "https://gather.test/go/1"
STORY = "https://gazette.test/story"
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
LINKED_DATA = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",'
    f' "license": "{CC0}"}}</script>'
)
TEXT = "".join(
    f"<p>The harbour board met on day {n} to write_settings the dredging of the northern channel, and heard the crews.</p>"
    for n in range(12)
)
YES = "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nAllow: /\n"
NO = "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"


def receipt_of(
    *found: Finding, url: str = STORY, more: str = "", page: PageWords | None
) -> tuple[str, Receipt]:
    """Address and receipt of the article that is read from an item."""
    item = Item(feed_url=FEED, guid="1", url=url, title="The harbour", content_html=TEXT + more)
    lead = Lead(publisher="gather.test", url=url, item=item)
    work = ItemText(lead=lead, hints=Hints(), context=pack_context(found, ()), at=NOW, page=page)
    article = RunJob()(work).article
    assert article is not None
    assert article.receipt is not None
    return article.url, article.receipt


def words(receipt: Receipt) -> dict[str, str]:
    return {verdict.use: verdict.value for verdict in receipt.verdicts}


@pytest.mark.parametrize(
    "licence",
    [
        f'<link rel="license" href="{CC0}">',
        f'<a rel="license" href="{CC0}">CC0</a>',
        f'<meta name="dcterms.license" content="{CC0}">',
        LINKED_DATA,
    ],
    ids=["link", "anchor", "meta", "linked data"],
)
def test_a_licence_inside_a_text_licenses_nothing(licence: str) -> None:
    _, receipt = receipt_of(more=licence, page=PageWords())
    assert set(words(receipt).values()) == {"unknown"}
    assert receipt.licence_url == ""


def test_nothing_is_allowed_while_nobody_asked_the_page() -> None:
    allowing = robots(YES, url="https://gazette.test/robots.txt")
    _, asked = receipt_of(allowing, page=PageWords())
    assert words(asked)["ai-train"] == "allow"
    _, receipt = receipt_of(allowing, page=None)
    assert words(receipt)["ai-train"] == "unknown"


def test_a_text_whose_link_leads_to_another_host_is_judged_there() -> None:
    refusing = robots(NO, url="https://gazette.test/robots.txt")
    page = PageWords(headers=(("x-robots-tag", "noai"),), url=STORY)
    url, receipt = receipt_of(refusing, url=CLICKED, page=page)
    assert url == STORY
    (verdict,) = (verdict for verdict in receipt.verdicts if verdict.use == "ai-train")
    assert verdict.value == "deny"
    sources = {signal.evidence.url for signal in verdict.because}
    assert sources == {STORY, "https://gazette.test/robots.txt"}
