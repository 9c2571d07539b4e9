"""What every store promises about kept pages that were read anew: an edit of what is held, and no more."""

from __future__ import annotations

from dataclasses import replace

from tests.store.samples import DAY, NOW, article, lead, reading, receipt, save
from wireroom.model import Article, RawPage
from wireroom.ports import Store


def reparsed(store: Store, *articles: Article) -> list[str]:
    readings = [reading(held) for held in articles]
    return [done.outcome for done in store.save_readings(readings, now=NOW + DAY, reparsed=True)]


def held(store: Store, number: int = 1) -> Article:
    found = store.article(article(number).id)
    assert found is not None
    return found


def test_a_text_that_reads_differently_is_an_edit(store: Store) -> None:
    save(store, article(raw=RawPage(body=b"<p>page")))
    before = held(store)
    assert reparsed(store, replace(before, text="Read anew.", text_hash="new")) == ["changed"]
    after = held(store)
    assert (after.text, after.version) == ("Read anew.", before.version + 1)
    assert (after.receipt, after.fetched_at) == (before.receipt, before.fetched_at)
    assert [version.text for version in store.versions(after.id)] == [before.text]
    assert store.raw(after.id) == RawPage(body=b"<p>page"), "the page stays"
    assert [found.id for found in store.search("anew").articles] == [after.id]


def test_other_fields_are_replaced_without_a_version(store: Store) -> None:
    save(store, article())
    assert reparsed(store, replace(held(store), authors=("Ida Bek",))) == ["same"]
    assert held(store).authors == ("Ida Bek",)
    assert held(store).version == article().version


def test_leads_stay_as_they_are(store: Store) -> None:
    save(store, article())
    waiting = lead(state="retry", attempts=2, read_after=NOW + 3 * DAY)
    store.save_leads([waiting], now=NOW)
    before = store.leads()
    reparsed(store, replace(held(store), text="Read anew.", text_hash="new"))
    assert store.leads() == before


def test_an_article_that_is_gone_is_not_brought_back(store: Store) -> None:
    save(store, article(1), article(2))
    first, second = held(store, 1), held(store, 2)
    store.remove_articles([first.id], reason="you asked for it", now=NOW)
    anew = [replace(each, text="Read anew.", text_hash="new") for each in (first, second)]
    assert reparsed(store, *anew) == ["none", "changed"]
    assert store.article(first.id) is None


def test_what_was_changed_meanwhile_stays(store: Store) -> None:
    save(store, article())
    before = held(store)
    anew = replace(before, text="Read anew.", text_hash="new")
    fetched = replace(
        before, text="Edited.", text_hash="edited", fetched_at=before.fetched_at + DAY
    )
    save(store, fetched)
    assert reparsed(store, anew) == ["none"]
    assert held(store).text == "Edited."


def test_what_was_reduced_meanwhile_is_not_filled_again(store: Store) -> None:
    save(store, article())
    before = held(store)
    less = replace(before, text="", receipt=receipt(checked_at=NOW + DAY))
    store.reduce_articles([less], now=NOW + DAY)
    assert reparsed(store, replace(before, text="Read anew.", text_hash="new")) == ["none"]
    assert held(store).text == ""
