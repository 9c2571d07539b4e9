"""A reprint does not launder a text: the rights of its original are beside its own, and count where the policy says so."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.export.holding import ALLOW, DENY, hold, save_robots
from tests.export.samples import COURIER, NOW, article, receipt
from tests.store.postgres_server import running_server
from wireroom.app import App, open_app
from wireroom.app.cluster_round import forget_original
from wireroom.app.explain import with_original
from wireroom.app.purge import plan_purge, purge_articles
from wireroom.duplicates import earliest
from wireroom.export.article_json import from_line
from wireroom.model import Cluster, Receipt, Word
from wireroom.rights import Policy
from wireroom.settings.sections import RightsSettings

WEEKLY = "weekly.example"
STRICTEST = Policy(reprints="strictest")
ORIGINAL = article(1, published_at=NOW - timedelta(days=2))
REPRINT = article(2, WEEKLY, published_at=NOW - timedelta(days=1))
ALONE = article(3, WEEKLY, published_at=NOW)


def held(app: App, original: Receipt | None, rules: str = ALLOW) -> None:
    """An article of the Courier with these rights, its reprint in the Weekly, which permits everything, and another."""
    hold(app, [replace(ORIGINAL, receipt=original), REPRINT, ALONE])
    members = (REPRINT.id, ORIGINAL.id)
    cluster = Cluster(id="c", members=members, canonicals={"en": REPRINT.id}, made_at=NOW)
    app.store.save_clusters([cluster])
    save_robots(app, COURIER, rules)
    save_robots(app, WEEKLY, ALLOW)


@pytest.fixture
def app() -> Iterator[App]:
    with open_app("sqlite://", clock=lambda: NOW) as opened:
        yield opened


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def either_app(request: pytest.FixtureRequest) -> Iterator[App]:
    """An app on each database."""
    with ExitStack() as stack:
        url = "sqlite://"
        if request.param == "postgres":
            url = stack.enter_context(running_server()).new_database()
        yield stack.enter_context(open_app(url, clock=lambda: NOW))


def exported(app: App, folder: Path, policy: Policy, **how: Any) -> tuple[set[str], dict[str, Any]]:
    """The ids that were exported for training, and the report on rights."""
    path = folder / "out.jsonl"
    app.export(path, use="ai-train", policy=policy, replace=True, **how)
    found = [from_line(line).id for line in path.read_bytes().splitlines()]
    report = json.loads(path.with_name("out.jsonl.report.json").read_text())
    return set(found), report["rights"]


def test_the_original_is_the_one_that_was_there_first() -> None:
    undated = replace(article(9), published_at=None, fetched_at=NOW - timedelta(days=9))
    assert earliest([REPRINT, ORIGINAL, ALONE]) == ORIGINAL
    assert earliest([REPRINT, ORIGINAL, undated]) == undated
    assert earliest([]) is None


def test_a_reprint_counts_as_its_own_by_default(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    assert RightsSettings().policy().reprints == "own"
    assert exported(app, tmp_path, Policy())[0] == {REPRINT.id, ALONE.id}


@pytest.mark.parametrize("word", ["deny", "paid", "unknown"])
def test_with_strictest_the_receipt_of_the_original_has_to_permit_it(
    app: App, tmp_path: Path, word: Word
) -> None:
    held(app, receipt(ai_train=word))
    ids, rights = exported(app, tmp_path, STRICTEST)
    assert ids == {ALONE.id}
    counts = {row["refused_by"]: (row["word"], row["articles"]) for row in rights["reasons"]}
    assert counts == {"receipt": (word, 1), "original": (word, 1)}
    (example,) = (row for row in rights["examples"] if row["refused_by"] == "original")
    assert example["id"] == REPRINT.id
    named = f"its original in {COURIER} ({ORIGINAL.url}) does not permit it: ai-train: {word}"
    assert example["reason"].startswith(named)


def test_with_strictest_the_publisher_of_the_original_has_to_permit_it_now(
    app: App, tmp_path: Path
) -> None:
    held(app, receipt(), DENY)
    ids, rights = exported(app, tmp_path, STRICTEST)
    assert ids == {ALONE.id}
    assert {row["refused_by"] for row in rights["reasons"]} == {"publisher", "original"}


def test_of_a_cluster_an_article_that_is_permitted_stands_in_for_one_that_is_not(
    app: App, tmp_path: Path
) -> None:
    held(app, receipt())
    save_robots(app, WEEKLY, DENY)  # whose reprint is canonical
    ids, rights = exported(app, tmp_path, Policy(), unique=True)
    assert ids == {ORIGINAL.id}
    assert rights["left_out"] == 2
    report = json.loads((tmp_path / "out.jsonl.report.json").read_text())
    assert (report["copies"], report["stand_ins"]) == (0, 1)
    again = app.export(tmp_path / "all.jsonl", unique=True)  # without a use nobody stands in
    assert (again.count, again.near_duplicates, again.stand_ins) == (2, 1, 0)


def test_no_reprint_of_a_refused_original_stands_in(app: App, tmp_path: Path) -> None:
    second = article(4, "second.example", published_at=NOW)
    hold(app, [replace(ORIGINAL, receipt=receipt(ai_train="deny")), REPRINT, second, ALONE])
    members = (ORIGINAL.id, REPRINT.id, second.id)
    cluster = Cluster(id="c", members=members, canonicals={"en": ORIGINAL.id}, made_at=NOW)
    app.store.save_clusters([cluster])
    for domain in (COURIER, WEEKLY, "second.example"):
        save_robots(app, domain, ALLOW)
    # Each of the reprints is permitted for itself, and without --unique both are exported.
    assert exported(app, tmp_path, Policy())[0] == {REPRINT.id, second.id, ALONE.id}
    assert exported(app, tmp_path, Policy(), unique=True)[0] == {ALONE.id}


def test_a_canonical_article_that_is_permitted_has_nobody_stand_in(
    app: App, tmp_path: Path
) -> None:
    held(app, receipt())
    ids, _ = exported(app, tmp_path, Policy(), unique=True)
    assert ids == {REPRINT.id, ALONE.id}


def test_what_its_publisher_withdrew_stands_in_for_nobody(app: App, tmp_path: Path) -> None:
    held(app, receipt())
    save_robots(app, WEEKLY, DENY)
    hold(app, [replace(ORIGINAL, state="withdrawn")])
    result = app.export(tmp_path / "none.jsonl", use="ai-train", unique=True)
    assert (result.count, result.near_duplicates, result.stand_ins) == (0, 1, 0)


def test_with_strictest_what_both_permit_is_exported(app: App, tmp_path: Path) -> None:
    held(app, receipt())
    ids, rights = exported(app, tmp_path, STRICTEST)
    assert ids == {ORIGINAL.id, REPRINT.id, ALONE.id}
    assert rights["left_out"] == 0


def test_an_original_that_refuses_later_takes_its_reprints_along(app: App, tmp_path: Path) -> None:
    held(app, receipt())
    how: dict[str, Any] = {"use": "ai-train", "cursor": tmp_path / "cursor", "policy": STRICTEST}
    assert app.export(tmp_path / "1.jsonl", **how).count == 3
    save_robots(app, COURIER, DENY)
    removals = {removal.id: removal for removal in app.export(tmp_path / "2.jsonl", **how).removals}
    assert set(removals) == {ORIGINAL.id, REPRINT.id}
    assert removals[REPRINT.id].reason.startswith(f"its original in {COURIER}")
    assert removals[REPRINT.id].evidence[0].url == f"https://{COURIER}/robots.txt"


def test_both_rights_stand_in_one_row(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    app.export(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    row = rows[REPRINT.id]
    assert (row["rights_ai_train"], row["original_rights_ai_train"]) == ("allow", "deny")
    assert (row["original_id"], row["original_publisher"]) == (ORIGINAL.id, COURIER)
    assert row["original_url"] == ORIGINAL.url
    for article_id in (ORIGINAL.id, ALONE.id):
        assert {rows[article_id][name] for name in row if name.startswith("original_")} == {""}


def test_the_original_comes_with_a_line_and_can_be_read_back(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    app.export(tmp_path / "out.jsonl")
    lines = map(from_line, (tmp_path / "out.jsonl").read_bytes().splitlines())
    found = {line.id: line.original for line in lines}
    original = found[REPRINT.id]
    assert original is not None
    assert (original.id, original.published_at) == (ORIGINAL.id, ORIGINAL.published_at)
    assert original.receipt == receipt(ai_train="deny")
    assert found[ORIGINAL.id] is found[ALONE.id] is None


def test_what_is_held_says_nothing_of_an_original(app: App) -> None:
    """It is looked up: the cluster may be another one tomorrow."""
    held(app, receipt())
    reprint = app.store.article(REPRINT.id)
    assert reprint is not None
    assert reprint.original is None
    assert with_original(app, reprint).original is not None


def purge(app: App, domain: str) -> None:
    purge_articles(app, plan_purge(app, publisher=domain))


def test_a_purge_of_the_original_sets_no_reprint_free(either_app: App, tmp_path: Path) -> None:
    app = either_app
    held(app, receipt(ai_train="deny"))
    purge(app, COURIER)
    assert app.store.article(ORIGINAL.id) is None
    ids, rights = exported(app, tmp_path, STRICTEST)
    assert ids == {ALONE.id}
    (example,) = rights["examples"]
    assert example["refused_by"] == "original"
    assert ORIGINAL.url in example["reason"]
    reprint = app.store.article(REPRINT.id)
    assert reprint is not None
    original = with_original(app, reprint).original
    assert original is not None
    assert (original.id, original.receipt) == (ORIGINAL.id, receipt(ai_train="deny"))


def test_the_publisher_of_a_purged_original_is_asked_as_it_speaks_today(
    app: App, tmp_path: Path
) -> None:
    held(app, receipt())
    purge(app, COURIER)
    assert exported(app, tmp_path, STRICTEST)[0] == {REPRINT.id, ALONE.id}
    save_robots(app, COURIER, DENY)
    assert exported(app, tmp_path, STRICTEST)[0] == {ALONE.id}


def test_a_later_reprint_has_the_purged_original_of_its_cluster(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    purge(app, COURIER)
    app.store.save_clusters([Cluster(id="d", members=(ALONE.id, REPRINT.id), made_at=NOW)])
    done = app.export(tmp_path / "out.jsonl", use="ai-train", policy=STRICTEST)
    assert (done.count, done.looked_at) == (0, 2)


def test_an_original_that_was_cut_down_is_the_original_still(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    app.store.reduce_articles(
        [replace(ORIGINAL, text="", receipt=receipt(ai_train="deny"))], now=NOW
    )
    assert exported(app, tmp_path, STRICTEST)[0] == {ALONE.id}


def test_a_cursor_with_a_limit_moves_no_further_than_what_was_given(
    app: App, tmp_path: Path
) -> None:
    held(app, receipt())
    purge(app, COURIER)
    how: dict[str, Any] = {"use": "ai-train", "cursor": tmp_path / "cursor", "limit": 1}
    given = [app.export(tmp_path / f"{n}.jsonl", policy=STRICTEST, **how).count for n in range(3)]
    assert given == [1, 1, 0]


def test_who_says_that_it_is_no_reprint_is_believed(app: App, tmp_path: Path) -> None:
    held(app, receipt(ai_train="deny"))
    purge(app, COURIER)
    reprint = app.store.article(REPRINT.id)
    assert reprint is not None
    original = forget_original(app, reprint)
    assert original is not None
    assert original.id == ORIGINAL.id
    assert forget_original(app, reprint) is None
    assert exported(app, tmp_path, STRICTEST)[0] == {REPRINT.id, ALONE.id}
