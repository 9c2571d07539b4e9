"""Which addresses are kept: those of the web, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.holding import save_feeds, save_polled, save_problems
from tests.store.samples import (
    COURIER,
    NOW,
    article,
    feed,
    finding,
    item,
    lead,
    polled,
    publisher,
    reading,
    receipt,
    save,
)
from wireroom.model import Dossier, Evidence, Problem
from wireroom.ports import Store
from wireroom.store.cleaning import kept_address, kept_addresses, kept_subject
from wireroom.urls import MAX_URL_LENGTH, is_web_url

UNFIT = [
    "javascript:alert(1)",
    "java\x00script:alert(1)",
    "data:text/html,<script>",
    "ftp://courier.test/a",
    "file:///etc/passwd",
    "https://ada:secret@courier.test/",
    "https://",
    "//courier.test/a",
    "/a",
    "courier.test",
    f"https://courier.test/{'a' * MAX_URL_LENGTH}",
]


@pytest.mark.parametrize("unfit", UNFIT)
def test_no_store_keeps_an_address_that_is_not_of_the_web(store: Store, unfit: str) -> None:
    store.save_publisher(publisher(home_url=unfit))
    evidence = (Evidence(url=unfit, line=3),)
    found = Dossier(publisher=publisher(), findings=(finding(evidence=evidence),), scouted_at=NOW)
    store.save_dossier(replace(found, publisher=publisher(home_url=unfit)))
    mirror = "https://mirror.test/rss"
    save_feeds(store, [feed(mirrors=(unfit, mirror))], now=NOW)
    save_polled(store, feed(mirrors=(unfit, mirror)), polled([item(1, url=unfit)]), now=NOW)
    store.save_leads([lead(2, item=item(2, url=unfit))], now=NOW)
    addresses = dict.fromkeys(("canonical_url", "feed_url", "image_url"), unfit)
    save(store, article(1, receipt=receipt(licence_url=unfit), **addresses))

    held = store.publisher(COURIER)
    assert held is not None
    assert held.home_url == ""
    assert [finding.evidence[0].url for finding in store.history(COURIER)] == [""]
    assert [feed.mirrors for feed in store.feeds()] == [(mirror,)]
    assert {lead.item.url for lead in store.leads() if lead.item} == {""}
    kept = store.article(article(1).id)
    assert kept == article(1, receipt=receipt(licence_url=""))


def test_an_article_without_an_address_of_the_web_is_kept_without_one(store: Store) -> None:
    own = reading(article(1))
    unfit = replace(article(1), url="javascript:alert(1)")
    store.save_readings([replace(own, article=unfit)], now=NOW)
    assert store.article(unfit.id) == replace(unfit, url="")


@pytest.mark.parametrize(
    ("subject", "kept"),
    [
        ("https://courier.test/a", "https://courier.test/a"),
        ("courier.test", "courier.test"),
        ("courier.test:8080", "courier.test:8080"),
        ("wireroom.toml", "wireroom.toml"),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("/etc/passwd", ""),
    ],
)
def test_a_problem_is_about_an_address_of_the_web_or_a_bare_name(
    store: Store, subject: str, kept: str
) -> None:
    save_problems(store, [Problem(kind="dns", message="no", subject_url=subject, at=NOW)])
    assert [problem.subject_url for problem in store.problems()] == [kept]
    assert kept_subject(subject) == kept


LIKELY = st.from_regex(
    r"https?://[a-z0-9.-]{1,12}(xn--|\.)?[a-z0-9]{1,4}(/[!-~]{0,9})?", fullmatch=True
)
UNLIKELY = st.from_regex(r"[a-zHT]{2,5}:/{0,3}[\w.:@\[\]%-]{0,12}/?.{0,5}")


@given(LIKELY | UNLIKELY | st.text())
@example("https://" + "a" * 64 + ".test/")
@example("https://" + "a." * 130 + "test/")
@example("https://courier.test/" + "a" * MAX_URL_LENGTH)
def test_what_is_kept_is_what_passes_the_full_check(address: str) -> None:
    assert kept_address(address) == (address if is_web_url(address) else "")
    assert kept_addresses((address, "https://a.test/"))[-1] == "https://a.test/"
