"""The language of a text: in every language of the town, at any length, and none where there is none."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.parse import detect
from wireroom.parse.detect import AT_ONCE, CONFUSABLE, detect_language
from wireroom.parse.metadata.page_language import SURE
from wireroom.town.press import PUBLISHERS
from wireroom.town.world import build_town

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)
WRITERS = [publisher for publisher in PUBLISHERS if publisher.articles]
GERMAN = "Die Fähre ist nach zehn Jahren auf den Fluss zurückgekehrt, und alle sahen ihr zu. " * 5
CROATIAN = (
    "Trajekt se u utorak ujutro nakon deset godina vratio na rijeku, a na pristaništu ga je dočekalo "
    "oko četiri stotine ljudi koji su željeli vidjeti njegovu prvu plovidbu prema drugoj obali. "
)


@pytest.mark.parametrize("host", [writer.host for writer in WRITERS])
def test_every_story_of_the_town_is_in_its_language(host: str) -> None:
    for story in build_town(now=NOW).stories(host, limit=8):
        for declared in ("", story.language, "en"):
            found = detect_language(story.text, declared=declared)
            assert found is not None
            assert found.value == story.language
            # Where the page says the same, a brief look is enough.
            assert found.confidence > (AT_ONCE if declared == story.language else SURE)


@pytest.mark.parametrize("text", ["", "  ", "12 345 67,8 % 2026-11-03", "OK", "—…!?", "a b c"])
def test_a_text_without_language_has_none(text: str) -> None:
    assert detect_language(text) is None


def test_a_short_text_is_recognised_by_its_script_alone() -> None:
    found = detect_language("渡し船が再開した")
    assert found is not None
    assert (found.value, found.source) == ("ja", "script of the text")
    assert found.confidence < 0.9


def test_a_foreign_beginning_does_not_overrule_the_page() -> None:
    quote = "We kept every stone that could be kept and threw nothing away, said the mason. "
    found = detect_language(quote * 2 + GERMAN * 4, declared="de")
    assert found is not None
    assert found.value == "de" or found.confidence < 0.9


def test_close_relatives_are_not_claimed_against_the_page() -> None:
    found = detect_language(CROATIAN, declared="bs")
    assert found is not None
    assert found.value == "bs" or found.confidence <= CONFUSABLE


COMMON = {
    "en": "The ferry that left this harbour ten years ago has come back from the other side of the river, and "
    "the people of both towns are waiting for it with flags that have been kept by their mayor.",
    "de": GERMAN
    + "Das ist nicht die Regel, und eine Feier mit dem Bürgermeister gibt es auch für Kinder.",
    "fr": "Le bac est de retour dans le port, et les habitants sont venus pour une fête avec le maire, qui ne sera "
    "pas le seul sur les quais au bord du fleuve.",
    "es": "El barco volvió al puerto y los vecinos de las dos orillas hicieron una fiesta con el alcalde del pueblo, "
    "pero también con sus hijos.",
    "it": "Il traghetto è tornato nel porto e gli abitanti della città sono venuti con il sindaco per la festa, che "
    "non è la sola anche alla sera.",
}


@pytest.mark.parametrize("language", COMMON)
def test_a_text_of_common_words_that_agrees_with_its_page_needs_no_model(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def classified(start: str) -> tuple[str, float]:
        asked.append(start)
        return "xx", 0.0

    monkeypatch.setattr(detect, "_classified", classified)
    found = detect_language(COMMON[language], declared=f"{language}-XX")
    assert found is not None
    assert (found.value, asked) == (language, [])
    for other in COMMON.keys() - {language}:
        detect_language(COMMON[language], declared=other)
    assert len(asked) >= len(COMMON) - 1  # no other language is believed by its words


@pytest.mark.parametrize("language", COMMON)
def test_a_text_of_many_common_words_needs_no_model_on_a_page_that_names_no_language(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def classified(start: str) -> tuple[str, float]:
        asked.append(start)
        return "xx", 0.6

    monkeypatch.setattr(detect, "_classified", classified)
    found = detect_language(COMMON[language])
    assert found is not None
    assert (found.value, asked) == (language, [])
    # Half of it in another language, or its sister's words in between: that is for the model to say.
    for other in COMMON.keys() - {language}:
        detect_language(f"{COMMON[language]} {COMMON[other]}")
    detect_language(
        "Lo vapor que torna al pòrt es una fèsta per los estatjants, e lo cònsol parla. " * 3
    )
    assert len(asked) == len(COMMON)


@given(st.text(max_size=300), st.text(max_size=10))
def test_any_text_is_borne(text: str, declared: str) -> None:
    found = detect_language(text, declared=declared)
    assert found is None or 0 < found.confidence <= 1


def test_threads_that_ask_at_once_load_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []

    class Slow:
        def classify(self, _text: str) -> tuple[str, float]:
            return "en", 0.99

    def load(_folder: object) -> Slow:
        loads.append(1)
        time.sleep(0.05)
        return Slow()

    monkeypatch.setattr(detect, "open_model", load)
    monkeypatch.setattr(detect, "_DETECTOR", [])
    with ThreadPoolExecutor(8) as threads:
        claims = list(threads.map(detect_language, ["The keys of the old lighthouse " * 9] * 8))
    assert len(loads) == 1
    assert {claim.value for claim in claims if claim} == {"en"}
