"""The model that the settings name, asked about the terms of a publisher of the town."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fetch.test_chat import KEY, says
from tests.fetch.test_chat import running as running_model
from wireroom.app import open_app
from wireroom.app.factories import open_scouting
from wireroom.app.scout import scout_publisher_async
from wireroom.errors import SettingsError
from wireroom.model import Dossier
from wireroom.scout.address import read_address
from wireroom.settings import Settings
from wireroom.town import build_town, running_town

NOWHERE = "127.0.0.1:9"  # Common Crawl is a third party, and nobody may be asked out there


def settings_of(hosts: dict[str, str], *, offline: bool = False, model: str = "small") -> Settings:
    return Settings.model_validate(
        {
            "hosts": hosts | {"index.commoncrawl.org": NOWHERE},
            "fetch": {"delay": "0 s"},
            "scout": {
                "model_url": "http://model.test/v1/chat/completions",
                "model": model,
                "model_key": KEY,
                "offline": offline,
            },
        }
    )


def archiving_verdict(dossier: Dossier) -> tuple[str, str]:
    terms = next(finding for finding in dossier.findings if finding.step == "terms")
    word = terms.facts["activities"]["archiving"]
    return word["word"], word["method"]


def forbids(prompt: str) -> str:
    """A model that quotes the first sentence of the terms against archiving."""
    sentence = prompt.partition("TERMS:\n")[2].split(". ")[0].strip()
    return json.dumps({"archiving": {"word": "prohibited", "quote": sentence}})


@pytest.mark.parametrize("offline", [False, True])
async def test_the_model_of_the_settings_is_asked_about_terms(
    tmp_path: Path, *, offline: bool
) -> None:
    async with running_model(lambda prompt: says(forbids(prompt))) as model:
        with running_town(build_town()) as town, open_app(f"sqlite:///{tmp_path}/w.db") as app:
            settings = settings_of(dict(town.hosts) | {"model.test": model.place}, offline=offline)
            async with open_scouting(app, settings) as scouting:
                dossier = await scouting.dossier(read_address("lantern.test"))
    assert [key for key, _ in model.seen] == ([] if offline else [f"Bearer {KEY}"])
    if not offline:
        assert archiving_verdict(dossier) == ("prohibited", "model")


async def test_a_model_without_a_name_stops_before_anybody_is_asked() -> None:
    wrong = settings_of({}, model="")
    with pytest.raises(SettingsError, match="model is not set"):
        await scout_publisher_async("courier.test", settings=wrong, database="sqlite:///:memory:")
