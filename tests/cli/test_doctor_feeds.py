"""`wireroom doctor` on what is followed: feeds that do not do well, rates that rest on nothing."""

from __future__ import annotations

from tests.cli.following import FARO, NOW, held, open_held
from wireroom.cli.doctor import checks
from wireroom.cli.doctor.feedchecks import without_sample
from wireroom.cli.session import Session
from wireroom.model import Dossier, Feed, Finding, Publisher


def found(name: str) -> list[checks.Check]:
    return [check for check in checks.look(Session()) if check.name == name]


def dossier(sample: int | None, *, feeds: bool = True) -> Dossier:
    publisher = Publisher(domain="faro.test", added_at=NOW)
    facts = {} if sample is None else {"measured": {"sample_size": sample}}
    return Dossier(
        publisher=publisher,
        findings=(Finding(step="frequency", verdict="unknown", facts=facts, found_at=NOW),),
        feeds=(Feed(url=FARO, publisher="faro.test", kind="rss"),) if feeds else (),
        scouted_at=NOW,
    )


def test_feeds_that_rest_are_named() -> None:
    held()
    (check,) = found("feeds")
    assert (check.state, check.found) == ("warn", f"1 resting: {FARO}")
    assert check.advice == "Look at them: wireroom feeds --state resting"


def test_feeds_that_do_well_are_a_row() -> None:
    held()
    with open_held() as desk:
        desk.store.remove_feed(FARO)
    (check,) = found("feeds")
    assert (check.state, check.found) == ("ok", "2 followed, none silent or gone")


def test_publishers_whose_rate_rests_on_no_date_are_named() -> None:
    held()
    assert found("rhythm") == []
    with open_held() as desk:
        desk.store.save_dossier(dossier(0))
    (check,) = found("rhythm")
    assert check.state == "warn"
    assert "faro.test" in check.found
    assert check.advice == "Look again: wireroom scout faro.test --refresh"


def test_what_nobody_looked_at_is_no_warning() -> None:
    assert without_sample(dossier(0))
    assert not without_sample(dossier(20))
    assert not without_sample(dossier(None))
    assert not without_sample(dossier(0, feeds=False))
    assert not without_sample(None)


def test_without_a_database_there_is_nothing_to_look_at() -> None:
    assert found("feeds") == []
