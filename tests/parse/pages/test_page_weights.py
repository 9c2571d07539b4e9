"""The shipped weights fit the measures, the kinds and the script that makes them."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, get_args

import pytest

from tests.parts import REPOSITORY
from wireroom.parse.pages import READABLE, PageKind
from wireroom.parse.pages.declared_type import TYPE_FAMILIES
from wireroom.parse.pages.page_features import FEATURES, MEASURES
from wireroom.parse.pages.page_weights import KINDS, VERSION, page_weights, page_weights_from
from wireroom.parse.pages.url_shape import PATH_KINDS

MAX_BYTES = 60_000  # of the file; it is read by eye


def _shipped() -> dict[str, Any]:
    text = files("wireroom.parse.pages").joinpath("weights.json").read_text("utf-8")
    assert len(text) < MAX_BYTES
    data: dict[str, Any] = json.loads(text)
    return data


def test_shipped_weights_were_made_for_these_measures() -> None:
    data = _shipped()
    assert data["version"] == VERSION
    assert tuple(data["features"]) == FEATURES
    assert tuple(data["kinds"]) == KINDS
    assert set(data["tables"]) <= set(FEATURES)


def test_tables_are_whole() -> None:
    for table in page_weights().tables:
        assert list(table.cuts) == sorted(set(table.cuts))
        assert len(table.rows) == len(table.cuts) + 1
        assert {len(row) for row in table.rows} == {len(KINDS)}


def test_every_kind_that_is_learned_can_be_named() -> None:
    assert set(KINDS) <= set(get_args(PageKind))
    assert set(READABLE) <= set(KINDS)


def test_every_word_of_an_address_and_family_of_types_is_measured() -> None:
    assert {f"path_{kind}" for kind in PATH_KINDS} <= set(MEASURES)
    assert {f"type_{name}" for name in TYPE_FAMILIES} <= set(MEASURES)


@pytest.mark.parametrize("wrong", [{"version": 0}, {"kinds": ["article"]}, {"features": ["words"]}])
def test_weights_for_something_else_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="weights of pages"):
        page_weights_from(_shipped() | wrong)


def test_figures_are_kept_and_meet_the_aim() -> None:
    rows = json.loads((REPOSITORY / "bench/results/pages_train.json").read_text("utf-8"))
    figures = {row["metric"]: row["ours"] for row in rows}
    assert {row["bench"] for row in rows} == {"pages_train"}
    assert figures["service, product, collection and listing: refused or doubted"] >= 0.8
    assert figures["article: refused or doubted"] <= 0.03
