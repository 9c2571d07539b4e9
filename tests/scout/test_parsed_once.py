"""One scout parses each file in the form of robots.txt once: for manners, steps, judging and the card together."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from weakref import WeakValueDictionary

import pytest

from wireroom.fetch import Fetcher, FetchOptions
from wireroom.fetch.fetch_options import Manners
from wireroom.model import Dossier, Finding
from wireroom.parse.robots import document, robots_scan
from wireroom.report import make_card, to_html
from wireroom.rights import finding_index, robots_word
from wireroom.scout.address import read_address
from wireroom.scout.visit import scout_site
from wireroom.signals import make_receipt
from wireroom.store.packing import as_document, from_document
from wireroom.town import Running, build_town, running_town

HASTY = Manners(gap=timedelta(), rest_after_burst=timedelta(), longest_wait=timedelta(seconds=5))


@pytest.fixture(scope="module")
def town() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """Counts what is parsed, by the file, the fetch room's own reading included."""
    counts: Counter[bytes] = Counter()
    scan = robots_scan.scan

    def counted(body: bytes) -> object:
        counts[body] += 1
        return scan(body)

    monkeypatch.setattr(document, "scan", counted)
    monkeypatch.setattr(document, "_held", WeakValueDictionary())  # other tests may hold it
    finding_index._read_text.cache_clear()
    return counts


async def scouted(town: Running, address: str, last: Dossier | None = None) -> Dossier:
    options = FetchOptions(hosts=town.hosts, manners=HASTY, deadline=timedelta(seconds=20))
    now = datetime(2026, 11, 17, tzinfo=UTC)
    async with Fetcher(options) as fetch:
        scout = scout_site(read_address(address), fetch, now=now, last=last, offline=True)
        outcomes = [outcome async for outcome in scout]
    assert isinstance(outcomes[-1], Dossier)
    return outcomes[-1]


@pytest.mark.parametrize("publisher", ["courier.test", "toll.test"])
async def test_robots_txt_is_parsed_once_a_scout(
    town: Running, parsed: Counter[bytes], publisher: str
) -> None:
    dossier = await scouted(town, publisher)
    card = make_card(dossier)
    assert to_html(card)
    word, _ = robots_word(dossier.findings, card.url)
    make_receipt(dossier.findings, card.url, robots_word=word, now=dossier.scouted_at)
    (robots,) = [found for found in dossier.findings if found.step == "robots"]
    assert robots.outcome == "yes"
    files = {body: count for body, count in parsed.items() if body}
    assert set(files.values()) == {1}, files
    assert any(robots.facts["text"].encode().strip() == body.strip() for body in files)


async def test_a_kept_robots_txt_is_parsed_once_for_another_page(
    town: Running, parsed: Counter[bytes]
) -> None:
    first = await scouted(town, "courier.test")
    kept = from_document(as_document(first.findings), tuple[Finding, ...])
    first = replace(first, findings=kept)
    parsed.clear()
    gc.collect()  # nobody holds what the first scout has parsed
    again = await scouted(town, "http://courier.test/another", first)
    make_card(again)
    assert [found.step for found in again.findings if found.facts.get("page_url")]
    assert set(parsed.values()) == {1}
    assert len(parsed) == len({body.strip() for body in parsed})
