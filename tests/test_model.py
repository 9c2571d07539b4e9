"""The types: frozen, slotted, keyword-only, and fit to be handed to another process."""

from __future__ import annotations

import dataclasses
import pickle
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from wireroom import model

MODEL_TYPES = [
    model_type
    for name in model.__all__
    if isinstance(model_type := getattr(model, name), type) and dataclasses.is_dataclass(model_type)
]
AT = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def _smallest(model_type: type[Any]) -> Any:
    """The type with nothing but its required fields."""
    required = {
        "domain": "courier.test",
        "url": "https://courier.test/a",
        "final_url": "https://courier.test/a",
        "added_at": AT,
        "found_at": AT,
        "checked_at": AT,
        "scouted_at": AT,
        "fetched_at": AT,
        "seen_at": AT,
        "made_at": AT,
        "learnt_at": AT,
        "at": AT,
        "step": "robots",
        "outcome": "yes",
        "family": "rsl",
        "use": "search",
        "value": "allow",
        "kind": "rss",
        "publisher": "courier.test",
        "per_day": 1.0,
        "low": 0.5,
        "high": 2.0,
        "confidence": "low",
        "sample_size": 3,
        "span": timedelta(days=1),
        "source": "rss",
        "feed_url": "https://courier.test/feed",
        "guid": "1",
        "result": "items",
        "purpose": "poll",
        "status": 200,
        "id": "a1",
        "article_id": "a1",
        "title": "T",
        "text": "",
        "text_hash": "",
        "version": 1,
        "body": b"x",
        "bands": (1, 2),
        "minhash": b"m",
        "members": ("a1",),
        "message": "m",
        "subject": "s",
        "cause": "rights",
        "removed_at": AT,
        "left_at": AT,
    }
    given: dict[str, Any] = {}
    for field in dataclasses.fields(model_type):
        if field.default is not dataclasses.MISSING:
            continue
        if field.default_factory is not dataclasses.MISSING:
            continue
        given[field.name] = required.get(field.name)
    match model_type.__name__:
        case "Dossier":
            given["publisher"] = _smallest(model.Publisher)
        case "Signal":
            given["evidence"] = _smallest(model.Evidence)
        case "Reading":
            given["lead"] = _smallest(model.Lead)
        case "Condition":
            given["kind"] = "attribution"
        case "Problem":
            given["kind"] = "dns"
        case "Observation":
            given |= {"about": "quality", "value": 1.0}
    return model_type(**given)


@pytest.mark.parametrize("model_type", MODEL_TYPES, ids=lambda model_type: model_type.__name__)
def test_a_type_cannot_be_changed_or_extended(model_type: type[Any]) -> None:
    made = _smallest(model_type)
    first = dataclasses.fields(model_type)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(made, first, None)
    assert not hasattr(made, "__dict__")


@pytest.mark.parametrize("model_type", MODEL_TYPES, ids=lambda model_type: model_type.__name__)
def test_a_type_is_made_by_keyword_only(model_type: type[Any]) -> None:
    values = [
        getattr(_smallest(model_type), field.name) for field in dataclasses.fields(model_type)
    ]
    with pytest.raises(TypeError):
        model_type(*values)


@pytest.mark.parametrize("model_type", MODEL_TYPES, ids=lambda model_type: model_type.__name__)
def test_a_type_survives_json_and_another_process(model_type: type[Any]) -> None:
    made = _smallest(model_type)
    assert msgspec.json.decode(msgspec.json.encode(made), type=model_type) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_all_names_every_type_of_the_module() -> None:
    defined = {
        name
        for name, value in vars(model).items()
        if isinstance(value, type) and value.__module__ == model.__name__
    }
    assert defined <= set(model.__all__)


def test_times_follow_the_names() -> None:
    for model_type in MODEL_TYPES:
        for field in dataclasses.fields(model_type):
            if field.name.endswith("_at") or field.name in {"at", "poll_after", "scout_after"}:
                assert "datetime" in str(field.type), f"{model_type.__name__}.{field.name}"
            if field.name in {"span", "interval", "elapsed", "took"}:
                assert "timedelta" in str(field.type), f"{model_type.__name__}.{field.name}"


def test_a_response_says_what_its_body_is() -> None:
    response = _smallest(model.Response)
    assert response.content_type == ""
    headers = (("server", "x"), ("content-type", "text/html; charset=utf-8"), ("content-type", "y"))
    response = dataclasses.replace(response, headers=headers)
    assert response.content_type == "text/html; charset=utf-8"
