"""What every store promises about queries: every field, every way to join them, and the same answers everywhere."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.holding import save_feeds
from tests.store.reference import (
    FEEDS,
    FIRST_DAY,
    QUALITIES,
    WORDS_OF_RIGHTS,
    holds,
    whole_query_samples,
)
from tests.store.samples import COURIER, DAY, HOUR, NOW, article, feed, receipt, save
from wireroom.errors import QueryError
from wireroom.model import USES, Article, Cluster, Receipt, Verdict
from wireroom.ports import Store
from wireroom.query import read_query

TEXTS = (
    "storm surge",
    "Storm's café",
    "東京都の5月",
    "서울에서 산",
    "don't la",
    "U.S. cafe 5",
    "Ёлка हिन्दी",
    "ภาษาไทย",
    "",
)


def found(store: Store, query: str) -> list[str]:
    return [article.title for article in store.search(query, limit=100).articles]


def _verdicts(chance: random.Random) -> Receipt | None:
    words = {use: chance.choice(WORDS_OF_RIGHTS) for use in USES if chance.random() < 0.5}
    verdicts = tuple(Verdict(use=use, value=word) for use, word in words.items())  # type: ignore[arg-type] # words of rights
    return Receipt(verdicts=verdicts, robots="allowed", checked_at=FIRST_DAY) if words else None


def _corpus() -> list[Article]:
    """Articles of every kind that the generated queries ask for, always the same."""
    chance = random.Random(16)
    corpus = []
    for number in range(24):
        at = FIRST_DAY + timedelta(hours=chance.randrange(96))
        tag = chance.choice(["", "en", "zh", "zh-Hant"])
        corpus.append(
            article(
                number,
                chance.choice(["a.test", "b.test"]),
                title=f"{chance.choice(TEXTS)} {number}",
                text=f"{chance.choice(TEXTS)} {chance.choice(TEXTS)}",
                description="",
                authors=tuple(chance.sample(["Jane Doe", "Doe-Ott", "la"], 2)),
                tags=tuple(chance.sample(["storm", "東京", "서울"], chance.randrange(3))),
                language=tag[:2],
                language_tag=tag,
                published_at=chance.choice([None, at - DAY, at]),
                fetched_at=at,
                feed_url=chance.choice(["", *FEEDS]),
                quality=chance.choice(QUALITIES),
                paywall=chance.choice(["free", "locked", "unknown"]),
                state=chance.choice(["held", "held", "withdrawn"]),
                receipt=_verdicts(chance),
            )
        )
    return corpus


CORPUS = _corpus()


@pytest.mark.long
def test_every_store_finds_what_the_reference_finds(store: Store) -> None:
    save(store, *CORPUS)
    answers = set()

    @given(whole_query_samples())
    @settings(
        max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    @example("storm OR quality:>0.5")
    @example("-(storm OR quality:>0.5) lang:zh")
    @example("(after:2026-05-03 OR paywall:free) -sto*")
    @example("東京 OR 서울 arrived:2026-05-02")
    @example("rights:search=allow OR (title:storm -before:2026-05-02)")
    def ask(text: str) -> None:
        try:
            query = read_query(text)
        except QueryError:
            return
        expected = {held.id for held in CORPUS if holds(query.root, held)}
        pages = [page.id for page in store.articles(query)]
        assert len(pages) == len(set(pages))
        assert set(pages) == expected, text
        best = store.search(query, order="best", limit=100).articles
        assert {held.id for held in best} == expected, text
        assert {changed.article.id for changed in store.changed_articles(query)} == expected, text
        answers.add(len(expected))

    ask()
    assert len(answers) > 5, "queries of all kinds, not all of them empty"


def test_words_are_joined_by_or_brackets_and_minus(store: Store) -> None:
    titles = ("harbour news", "port news", "port sport", "sport", "seaport harbours")
    save(
        store,
        *(
            article(number, title=title, text="", description="", tags=())
            for number, title in enumerate(titles)
        ),
    )
    assert set(found(store, "harbour OR port")) == {"harbour news", "port news", "port sport"}
    assert found(store, "(harbour OR port) -sport news -harbour") == ["port news"]
    assert set(found(store, "news OR (port sport)")) == {"harbour news", "port news", "port sport"}
    assert set(found(store, "harbour*")) == {"harbour news", "seaport harbours"}
    assert found(store, '"port spo*"') == ["port sport"]
    assert found(store, "title:seaport") == ["seaport harbours"]
    assert found(store, "-(news OR sport)") == ["seaport harbours"]


@pytest.mark.parametrize("beginning", ["st*", "pa*", "ri*", "an*", "15*", "10*", "fe*"])
def test_the_beginning_of_a_word_is_never_that_of_a_facet_or_a_page(
    store: Store, beginning: str
) -> None:
    text = " ".join(["la"] * 2000 + ["end"])  # several pages, spelt apart on PostgreSQL
    save(store, article(1, title="x", text=text, description="", tags=(), authors=()))
    assert found(store, beginning) == []
    assert found(store, "en*") == ["x"]


def test_a_feed_is_named_by_its_name_title_or_any_address(store: Store) -> None:
    save_feeds(store, [feed(FEEDS[0], name="World", title="Courier: World")], now=NOW)
    save(
        store,
        article(1, title="world", feed_url=FEEDS[0]),
        article(2, title="other", feed_url=FEEDS[1]),
    )
    for name in ("World", "world", '"courier: world"', f'"{FEEDS[0]}"'):
        assert found(store, f"feed:{name}") == ["world"], name
    assert found(store, f'feed:"{FEEDS[1]}"') == ["other"]
    assert found(store, "feed:nobody") == []
    assert len(found(store, "-feed:nobody")) == 2


def test_near_duplicates_are_apart_from_canonical_articles(store: Store) -> None:
    first, second, alone = (article(number, title=f"t{number}") for number in range(3))
    save(store, first, second, alone)
    members, canonicals = (first.id, second.id), {first.language: first.id}
    store.save_clusters([Cluster(id="c", members=members, canonicals=canonicals, made_at=NOW)])
    assert set(found(store, "is:canonical")) == {"t0", "t2"}
    assert found(store, "is:near-duplicate") == ["t1"]
    assert found(store, "harbour -is:canonical") == ["t1"]


def test_what_an_article_is_now_counts(store: Store) -> None:
    allowed = replace(receipt(), verdicts=(Verdict(use="search", value="allow"),))
    save(store, article(1, title="x", receipt=allowed, paywall="free"))
    assert found(store, "rights:search=allow paywall:free state:held rights:archive=unknown") == [
        "x"
    ]
    denied = replace(
        allowed, verdicts=(Verdict(use="search", value="deny"),), checked_at=NOW + HOUR
    )
    save(store, article(1, title="x", receipt=denied, paywall="locked", fetched_at=NOW + HOUR))
    assert found(store, "rights:search=allow") == found(store, "paywall:free") == []
    assert found(store, "rights:search=deny paywall:locked") == ["x"]


def test_an_article_arrives_once(store: Store) -> None:
    save(
        store,
        article(1, title="old", fetched_at=NOW),
        article(2, title="new", fetched_at=NOW + DAY),
    )
    save(store, article(1, title="old", text="edited", fetched_at=NOW + 2 * DAY))
    held = store.article(article(1).id)
    assert held is not None
    assert (held.arrived_at, held.fetched_at) == (NOW, NOW + 2 * DAY)
    assert found(store, "arrived:2026-11-16") == ["new"]
    assert found(store, "-arrived:2026-11-16") == ["old"]
    now = NOW + DAY + HOUR
    assert [found.title for found in store.search(read_query("arrived:2h", now=now)).articles] == [
        "new"
    ]
    assert NOW.tzinfo is UTC


@pytest.mark.long
def test_phrases_are_found_whenever_their_words_became_frequent(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL pairs of frequent words are lexemes, of words that are learnt from time to time."""
    for module in ("frequent_words", "tsvectors"):
        monkeypatch.setattr(f"wireroom.store.search.{module}.LEARNT_FROM", 4)
    monkeypatch.setattr("wireroom.store.search.frequent_words.MOST_WORDS", 5)
    monkeypatch.setattr("wireroom.store.search.tsvectors.FEW", 1)
    monkeypatch.setattr("wireroom.store.search.tsvectors.RECENT", 1)
    chance = random.Random(55)
    letters = [letter * 2 for letter in "abcdefg"]
    texts = [" ".join(chance.choices(letters[: 2 + n // 6], k=9)) for n in range(30)]
    texts += ["la " * 2000 + "aa bb cc"]
    held = [
        article(n, title="x", text=text, description="", tags=(), authors=())
        for n, text in enumerate(texts)
    ]
    for start in range(0, len(held), 5):
        save(store, *held[start : start + 5])
    words = [chance.choices(letters, k=chance.choice((2, 2, 3))) for _ in range(60)]
    queries = [f'"{" ".join(each)}"' for each in words] + [
        '"aa bb*" -"bb aa"',
        '("aa bb" OR "cc aa") "bb bb"',
    ]
    answers = set()
    for text in queries:
        query = read_query(text)
        expected = {each.id for each in held if holds(query.root, each)}
        assert {each.id for each in store.articles(query)} == expected, text
        answers.add(len(expected))
    assert len(answers) > 5


def test_what_counts_from_now_needs_a_clock(store: Store) -> None:
    with pytest.raises(QueryError, match="needs a date, not 1d"):
        store.search("after:1d")


def test_more_than_the_recent_articles_are_looked_through(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL windows of the newest, then the index; elsewhere the same answer."""
    monkeypatch.setattr("wireroom.store.search.tsvectors.FEW", 2)
    monkeypatch.setattr("wireroom.store.search.tsvectors.RECENT", 5)
    monkeypatch.setattr("wireroom.store.search.tsvectors.WINDOWS", (7, 11))
    words = ["the of" if number % 13 == 0 else "of x the" for number in range(60)]
    save(
        store,
        *(
            article(n, COURIER, title=f"t{n}", text=word, description="")
            for n, word in enumerate(words)
        ),
    )
    assert [held.title for held in store.search("the", limit=100).articles] == [
        held.title for held in store.articles()
    ], "of what is frequent, window by window to the end"
    expected = [held.title for held in store.articles() if "the of" in held.text]
    assert len(expected) == 5
    for limit in (1, 2, 3, 100):
        titles, cursor = [], ""
        while True:
            page = store.search('"the of" quality:>=0', limit=limit, cursor=cursor)
            titles += [held.title for held in page.articles]
            cursor = page.cursor
            if not cursor:
                break
        assert titles == expected, limit
