"""Articles are the same for the same seed, and far from one another otherwise."""

from __future__ import annotations

import pytest

from wireroom.town.press import PUBLISHERS
from wireroom.town.stories import LANGUAGES
from wireroom.town.truth import Story, StoryBlock
from wireroom.town.world import Town
from wireroom.town.writing import corrected, reprinted, updated, write_draft

CODES = sorted(LANGUAGES)
WRITERS = [publisher.host for publisher in PUBLISHERS if publisher.articles]


def _shingles(text: str, size: int = 4) -> set[tuple[str, ...]]:
    # Words where they are written apart, characters where they are not.
    units = text.split() if text.count(" ") > len(text) / 20 else list(text)
    return {tuple(units[at : at + size]) for at in range(len(units) - size + 1)}


def _likeness(story: Story, other: Story) -> float:
    ours, theirs = _shingles(story.text), _shingles(other.text)
    return len(ours & theirs) / len(ours | theirs)


def test_at_least_eight_languages_are_written() -> None:
    assert len(CODES) >= 8
    assert {"en", "de", "fr", "es", "ru", "ja", "zh", "ar"} <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_same_seed_gives_the_same_article(code: str) -> None:
    assert write_draft(LANGUAGES[code], "seed") == write_draft(LANGUAGES[code], "seed")
    assert write_draft(LANGUAGES[code], "seed") != write_draft(LANGUAGES[code], "other")


@pytest.mark.parametrize("code", CODES)
def test_every_slot_of_every_sentence_is_filled(code: str) -> None:
    for number in range(150):
        draft = write_draft(LANGUAGES[code], f"{code}:{number}")
        texts = [draft.title, draft.description, *(block.text for block in draft.blocks)]
        assert all(text.strip() for text in texts)
        assert not any("{" in text or "}" in text for text in texts)


@pytest.mark.parametrize("code", CODES)
def test_every_kind_of_block_comes_up(code: str) -> None:
    kinds = {
        block.kind
        for number in range(150)
        for block in write_draft(LANGUAGES[code], f"{code}:{number}").blocks
    }
    assert kinds == {"paragraph", "heading", "quote", "item", "row", "code", "caption"}


@pytest.mark.parametrize("host", WRITERS)
def test_different_articles_are_no_near_duplicates(still_town: Town, host: str) -> None:
    stories = still_town.stories(host, limit=20)
    worst = max(
        _likeness(story, other) for at, story in enumerate(stories) for other in stories[at + 1 :]
    )
    assert worst < 0.5


def test_reprints_are_near_duplicates_of_what_they_reprint(still_town: Town) -> None:
    for reprint in still_town.stories("digest.test"):
        original = still_town.story(reprint.reprint_of)
        assert original is not None
        assert _likeness(reprint, original) > 0.6
        assert reprint.text != original.text


def test_correction_changes_the_text_and_says_so() -> None:
    language = LANGUAGES["en"]
    draft = write_draft(language, "a")
    after = corrected(draft, language)
    assert after.blocks[-1] == StoryBlock("paragraph", language.words.correction)
    assert len(after.blocks) == len(draft.blocks) + 1


def test_update_adds_a_paragraph_under_the_lead() -> None:
    language = LANGUAGES["de"]
    draft = write_draft(language, "a")
    after = updated(draft, language, "b")
    assert after.blocks[0] == draft.blocks[0]
    assert after.blocks[2:] == draft.blocks[1:]
    assert after.blocks[1].kind == "paragraph"


def test_reprint_names_its_origin() -> None:
    language = LANGUAGES["en"]
    draft = write_draft(language, "a")
    after = reprinted(draft, language, publisher="The Saltmarsh Courier")
    assert "The Saltmarsh Courier" in after.blocks[-1].text
    assert len(after.blocks) == len(draft.blocks)
