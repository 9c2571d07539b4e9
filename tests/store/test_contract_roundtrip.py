"""Whatever a noun holds comes back equal, from every store; only what cannot be stored is cleaned."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.holding import find_lead, save_feeds, save_problems
from tests.store.samples import COURIER, NOW
from wireroom.model import (
    Article,
    Dossier,
    Event,
    Evidence,
    Feed,
    FeedHints,
    Finding,
    Hints,
    Item,
    Lead,
    PollHistory,
    Problem,
    Publisher,
    RawPage,
    Reading,
    Receipt,
    Rhythm,
    Signal,
    Validators,
    Verdict,
)
from wireroom.ports import Store
from wireroom.store.cleaning import clean
from wireroom.urls import article_id

fresh_numbers = count()  # examples of one test share a store and must not meet in it
same_store = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

words = st.text(max_size=40) | st.sampled_from(
    [
        "",
        "'; DROP TABLE article; --",
        '"',
        "\\",
        "%s",
        "\ud800",
        "a\x00b",
        "🚢",
        "\u202eabc",
        "\r\n",
    ]
)
EARLIEST = datetime.fromisoformat("0001-01-03")
LATEST = datetime.fromisoformat("9999-12-29")
times = st.datetimes(min_value=EARLIEST, max_value=LATEST, timezones=st.just(UTC))
spans = st.timedeltas(min_value=timedelta(-10_000), max_value=timedelta(10_000))
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(min_value=0, max_value=2**31 - 1)
facts = st.dictionaries(
    words,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | words,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
addresses = st.just("") | st.from_regex(
    r"https?://[a-z]{1,9}\.test/[a-z?&=#%é-]{0,9}", fullmatch=True
)
many_words = st.lists(words, max_size=3).map(tuple)
evidence = st.builds(
    Evidence,
    url=addresses,
    line=st.none() | counts,
    excerpt=words,
    status=st.none() | counts,
)
signals = st.builds(Signal, family=words, scope=words, evidence=evidence)
verdicts = st.builds(Verdict, because=st.lists(signals, max_size=2).map(tuple))
receipts = st.builds(
    Receipt,
    verdicts=st.lists(verdicts, max_size=2).map(tuple),
    licence_url=addresses,
    checked_at=times,
)
rhythms = st.builds(
    Rhythm,
    per_day=numbers,
    low=numbers,
    high=numbers,
    sample_size=counts,
    span=spans,
    source=words,
    weekday=st.just((0, 1, 2, 3, 4, 5, 6)),
    newest_at=st.none() | times,
)
hints = st.builds(
    Hints,
    body_selector=words,
    metadata_selectors=st.dictionaries(words, words, max_size=2),
    language=words,
    zone=words,
    field_map=st.dictionaries(words, words, max_size=2),
)
histories = st.builds(
    PollHistory,
    polled_at=st.none() | times,
    new_at=st.none() | times,
    because=words,
    reason=words,
    hints=st.builds(
        FeedHints, ttl=st.none() | spans, skip_hours=st.just((1, 2)), skip_days=many_words
    ),
    moved_url=addresses,
    moved_times=counts,
    mirror=words,
)
feeds = st.builds(
    Feed,
    url=st.just("https://courier.test/rss"),
    publisher=st.just(COURIER),
    name=words,
    title=words,
    hints=hints,
    interval=st.none() | spans,
    mirrors=st.lists(addresses.filter(bool), max_size=3).map(tuple),
    proxy=words,
    region=words,
    category=words,
    role=st.sampled_from(["primary", "secondary", "fallback"]),
    validators=st.builds(Validators, etag=words, last_modified=words),
    rhythm=st.none() | rhythms,
    reliability=numbers,
    failures=counts,
    poll_after=st.none() | times,
    standing=histories,
)
items = st.builds(
    Item,
    feed_url=st.just("https://courier.test/rss"),
    guid=words,
    url=words,
    title=words,
    summary=words,
    content_html=words,
    authors=many_words,
    tags=many_words,
    published_at=st.none() | times,
    updated_at=st.none() | times,
    extra=facts,
)
articles = st.builds(
    Article,
    id=st.just(""),
    publisher=st.just(COURIER),
    url=st.just("https://courier.test/story"),
    title=words,
    fetched_at=times,
    feed_url=addresses,
    canonical_url=addresses,
    authors=many_words,
    published_at=st.none() | times,
    published_source=words,
    modified_at=st.none() | times,
    language=words,
    language_tag=words,
    tags=many_words,
    description=words,
    image_url=addresses,
    text=words,
    layout=words,
    text_hash=words,
    word_count=counts,
    quality=numbers,
    sources=st.dictionaries(words, words, max_size=2),
    extra=facts,
    receipt=st.none() | receipts,
    cluster_id=words,
    version=st.integers(min_value=1, max_value=9),
    raw=st.none() | st.builds(RawPage, body=st.binary(max_size=50), content_type=words),
)
findings = st.builds(
    Finding,
    step=words,
    facts=facts,
    evidence=st.lists(evidence, max_size=2).map(tuple),
    found_at=times,
    took=spans,
)


@pytest.mark.long
@same_store
@given(held=feeds)
def test_feeds_come_back_equal(store: Store, held: Feed) -> None:
    save_feeds(store, [held], now=NOW)
    assert store.feed(held.url) == clean(held)


@same_store
@given(held=items)
def test_items_come_back_equal(store: Store, held: Item) -> None:
    number = next(fresh_numbers)
    fresh = replace(held, guid=f"{held.guid}{number}")
    lead = Lead(url=f"https://courier.test/{number}", publisher=COURIER, item=fresh)
    store.save_leads([lead], now=NOW)
    assert find_lead(store, COURIER, lead.url) == clean(lead)


@same_store
@given(held=articles)
def test_articles_come_back_equal(store: Store, held: Article) -> None:
    url = f"https://courier.test/{next(fresh_numbers)}"
    canonical = f"{url}{held.canonical_url and '-canonical'}"  # of its own: names make articles one
    own = replace(held, id=article_id(COURIER, url), url=url, canonical_url=canonical)
    store.save_readings(
        [Reading(lead=Lead(url=url, publisher=COURIER, state="read"), article=own)], now=NOW
    )
    assert store.article(own.id) == replace(clean(own), raw=None)
    kept = store.raw(own.id)
    assert kept == (clean(own.raw) if own.raw else None)


@pytest.mark.long
@same_store
@given(
    found=st.lists(findings, max_size=3),
    offered=st.lists(feeds, max_size=2),
    rights=st.lists(verdicts, max_size=2),
    name=words,
    scout_after=st.none() | times,
)
def test_dossiers_come_back_equal(
    store: Store,
    found: list[Finding],
    offered: list[Feed],
    rights: list[Verdict],
    name: str,
    scout_after: datetime | None,
) -> None:
    domain = f"p{next(fresh_numbers)}.test"
    held = Dossier(
        publisher=Publisher(domain=domain, name=name, added_at=NOW, scout_after=scout_after),
        findings=tuple(found),
        feeds=tuple(replace(feed, validators=Validators()) for feed in offered),
        rights=tuple(rights),
        scouted_at=NOW,
    )
    store.save_dossier(held)
    assert store.dossier(domain) == clean(held)


@same_store
@given(
    problem=st.builds(
        Problem,
        message=words,
        subject_url=words | addresses,
        at=st.just(NOW),
        retry_after=st.none() | spans,
    ),
    event=st.builds(Event, kind=words, subject=words, at=times, data=facts, seq=st.just(0)),
)
def test_problems_and_events_come_back_equal(store: Store, problem: Problem, event: Event) -> None:
    save_problems(store, [problem])
    assert store.problems(limit=1) == (clean(problem),)
    seq = store.emit([event])
    assert store.events(after=seq - 1) == (replace(clean(event), seq=seq),)


@pytest.mark.parametrize("query", ["", "harbour"])
def test_an_article_of_every_script_is_held(store: Store, query: str) -> None:
    text = "harbour ናይ ميناء нова 港口 항구 ท่าเรือ λιμάνι बंदरगाह 🚢 \u0301 𐍈"
    url = "https://courier.test/scripts"
    held = Article(
        id=article_id(COURIER, url),
        publisher=COURIER,
        url=url,
        title=text,
        text=text,
        fetched_at=NOW,
    )
    store.save_readings([Reading(lead=Lead(url=url, publisher=COURIER), article=held)], now=NOW)
    assert store.search(query).articles == (held,)
