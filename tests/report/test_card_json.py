"""A card as JSON: it keeps to the schema that the documentation shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.export.schemas import problems
from tests.report.dossiers import dossier, failed, generous
from wireroom.report import SCHEMA, Card, card_schema, make_card, to_json

KEPT = Path(__file__).parents[2] / "docs" / "reference" / "card.schema.json"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


@pytest.mark.parametrize("held", [generous(), dossier(), dossier(failed("homepage"))])
def test_a_card_keeps_to_the_schema_in_the_documentation(held: Any, schema: dict[str, Any]) -> None:
    plain = json.loads(to_json(make_card(held)))
    assert list(problems(plain, schema, schema)) == []
    assert plain["schema"] == SCHEMA


def test_the_schema_notices_what_is_wrong(schema: dict[str, Any]) -> None:
    plain = json.loads(to_json(make_card(generous())))
    broken = plain | {"grade": plain["grade"] | {"letter": "Z"}, "surprise": 1}
    del broken["sentence"]
    message = " ".join(problems(broken, schema, schema))
    assert "'Z' is none of" in message
    assert "surprise is not in the schema" in message
    assert "sentence is missing" in message


def test_the_kept_schema_is_that_of_the_code(schema: dict[str, Any]) -> None:
    assert schema == json.loads(json.dumps(card_schema()))


def test_a_card_comes_back_from_its_json() -> None:
    card = make_card(generous())
    assert msgspec.json.decode(to_json(card), type=Card) == card
