"""What every store promises about the history of findings: news is kept, noise is not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.store.samples import COURIER, NOW, finding, publisher
from wireroom.model import Dossier
from wireroom.ports import Store

FACTS = {
    "count": 2,
    "page_url": "https://courier.test/",
    "heard": ["https://courier.test/"],
    "measured": {"newest_at": "2026-05-03", "entries": 16},
}


def save(store: Store, day: int, facts: dict[str, Any]) -> None:
    at = NOW + timedelta(days=day)
    found = finding("rsl", facts=facts, found_at=at)
    store.save_dossier(Dossier(publisher=publisher(), findings=(found,), scouted_at=at))


@pytest.mark.parametrize(
    "other",
    [
        {"measured": {"newest_at": "2026-05-04", "entries": 17}},
        {"page_url": "https://courier.test/story"},
        {"heard": ["https://courier.test/", "https://courier.test/story"]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_is_measured_and_which_page_was_looked_at_is_no_change(
    other: dict[str, Any], store: Store
) -> None:
    save(store, 0, FACTS)
    save(store, 1, FACTS | other)
    assert len(store.history(COURIER)) == 1
    held = store.dossier(COURIER)
    assert held is not None
    assert held.findings[0].facts == FACTS | other, "the dossier itself has the latest"


def test_a_change_beside_them_is_kept_with_all_its_facts(store: Store) -> None:
    save(store, 0, FACTS)
    save(store, 1, FACTS | {"count": 3, "measured": {}})
    history = store.history(COURIER)
    assert [finding.facts["count"] for finding in history] == [2, 3]
    assert history[1].facts["measured"] == {}
