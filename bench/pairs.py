"""Pairs of texts that are known to be the same article or not, to measure the finding of duplicates with.

The same are made as newsrooms make them: a reprint of the town's syndicator, or a real page edited by
hand of a seeded chance. Not the same are what is easily taken for it: two days of one series, two articles
of one publisher or on one topic, two texts in the same boilerplate. Every source is in one part alone, `dev`
to choose thresholds by or `held-out` to report: no text, no template and no town is in both. The real pages
stay outside the repository; without them the rest is measured. Not a bench by itself.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from series import SERIES, issue
from wcxb import samples
from wireroom.town import Story, Town, build_town
from wireroom.town.stories import LANGUAGES
from wireroom.town.writing import corrected, reprinted, write_draft

Part = Literal["dev", "held-out"]
NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
FEWEST_WORDS = 120  # of a real page to be edited: below, 60 % of it is no article
MOST_WORDS = 3_000
ISSUES = 12  # of each series; 66 pairs of them
TOWN_LANGUAGES = ("en", "de", "fr", "es", "ja", "zh", "ru", "ar")
TOWNS = 8  # whose syndicators are asked
ABROAD = 20  # reprints in each language
STORIES = 40  # of a publisher of the town, for pairs of different stories
NEAREST = 2  # other articles closest in topic, for each real page
COPIED = 0.5  # of the shorter text's phrases in the longer: a pair of pages with more is left out


class Pair(NamedTuple):
    """Two texts, whether they are the same article, and how the second was made."""

    text: str
    other: str
    same: bool
    kind: str
    language: str


def labelled_pairs(part: Part, *, every: int = 1, towns: int = TOWNS) -> list[Pair]:
    """All pairs of a part, or those of every so-manieth real page and of fewer towns."""
    texts = real_texts(part)[::every]
    made = [
        *_reprints(part, towns),
        *_reprints_abroad(part),
        *_town_strangers(part),
        *_issues(part),
    ]
    return [*made, *_edited(texts), *_neighbours(texts), *_with_boilerplate(texts)]


# --- the town ----------------------------------------------------------------------------------


@cache
def _town(part: Part, number: int) -> Town:
    return build_town(seed=number + (1 if part == "dev" else 101), now=NOW)


def _reprints(part: Part, towns: int) -> Iterator[Pair]:
    """What the syndicator prints beside what it was taken from, as that reads after its own edits."""
    for number in range(towns):
        town = _town(part, number)
        for story in town.stories("digest.test"):
            original = town.story(story.reprint_of)
            if original is not None:
                yield Pair(story.text, original.text, True, "town: reprint", story.language)


def _reprints_abroad(part: Part) -> Iterator[Pair]:
    """The same in other languages: the town's own edits, on stories it never had reprinted."""
    for language in TOWN_LANGUAGES[1:]:
        for number in range(ABROAD):
            draft = write_draft(LANGUAGES[language], f"{part} {number}")
            taken = corrected(draft, LANGUAGES[language]) if number % 2 else draft
            other = reprinted(taken, LANGUAGES[language], publisher="Merrow Press")
            first, second = (
                "\n\n".join(block.text for block in it.blocks) for it in (draft, other)
            )
            yield Pair(first, second, True, "town: reprint abroad", language)


def _town_strangers(part: Part) -> Iterator[Pair]:
    """Two stories of one publisher; the town's writers share their stock of sentences."""
    for language in TOWN_LANGUAGES:
        stories = _stories_in(part, language)
        for story, other in list(combinations(stories, 2))[::5]:
            kind = (
                "town: same subject" if story.subject == other.subject else "town: same publisher"
            )
            yield Pair(story.text, other.text, False, kind, language)


def _stories_in(part: Part, language: str) -> list[Story]:
    town = _town(part, 0)
    hosts = [
        publisher.host for publisher in town.publishers.values() if publisher.language == language
    ]
    stories = [story for host in hosts for story in town.stories(host, limit=STORIES)]
    return [story for story in stories if not story.reprint_of][:STORIES]


# --- real pages --------------------------------------------------------------------------------


@cache
def real_texts(part: Part) -> tuple[str, ...]:
    """The true texts of the articles among the real pages; every publisher is in one part alone."""
    return tuple(
        page.truth
        for page in samples()
        if page.kind == "article"
        and FEWEST_WORDS <= len(page.truth.split()) <= MOST_WORDS
        and (zlib.crc32(page.domain().encode()) % 2 == 0) == (part == "dev")
    )


def _edited(texts: Sequence[str]) -> Iterator[Pair]:
    for place, text in enumerate(texts):
        chance = random.Random(f"edit {place}")
        donor = texts[place - 1]
        for kind, edit in EDITS.items():
            changed = edit(_paragraphs(text), _paragraphs(donor), chance)
            yield Pair(text, "\n\n".join(changed), True, f"real: {kind}", "en")


def _neighbours(texts: Sequence[str]) -> Iterator[Pair]:
    """Each page and those that share most of its rarer words."""
    rare = [_rare_words(text) for text in texts]
    for place, words in enumerate(rare):
        near = sorted(range(place), key=lambda at, words=words: -_overlap(words, rare[at]))  # type: ignore[misc]  # mypy loses a lambda with defaults
        for other in near[:NEAREST]:
            if not _copied(texts[place], texts[other]):
                yield Pair(texts[place], texts[other], False, "real: same topic", "en")


def _with_boilerplate(texts: Sequence[str]) -> Iterator[Pair]:
    """Two pages whose boilerplate was taken for text: the same hundred words around both."""
    for place in range(1, len(texts)):
        chance = random.Random(f"furniture {place}")
        top, end = chance.sample(BOILERPLATE, 2)
        first, second = (f"{top}\n\n{_cut(texts[at], 350)}\n\n{end}" for at in (place, place - 1))
        if not _copied(texts[place], texts[place - 1]):
            yield Pair(first, second, False, "real: same boilerplate", "en")


def _rare_words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.lower()) if len(word) > 6)


def _overlap(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / (1 + len(words | others))


def _copied(text: str, other: str) -> bool:
    """Whether one text holds most of the other: pages of the set that are nobody's negative."""
    phrases = [
        set(zip(*(words.split()[n:] for n in range(4)), strict=False)) for words in (text, other)
    ]
    return len(phrases[0] & phrases[1]) > COPIED * (1 + min(map(len, phrases)))


def _cut(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


# --- what newsrooms do to a text ---------------------------------------------------------------

Paragraphs = list[str]
Editing = Callable[[Paragraphs, Paragraphs, random.Random], Paragraphs]

AGENCY = "DUNMERE, {day} March (Merrow Press) - "
CREDIT = (
    "(Reporting by {first}; additional reporting by {second} in Harrowgate; editing by {third})"
)
CORRECTION = (
    "Correction: an earlier version of this article gave a wrong figure in its {ordinal} paragraph. "
    "We regret the error."
)
HEADLINES = (
    "What we know so far, and what happens next",
    "The morning read: five minutes on the story of the day",
    "Analysis: why this matters more than it seems",
    "Officials face questions after new details emerge",
)
BOILERPLATE = (
    (
        "Sign up for the morning letter and have the five stories that matter in your inbox before breakfast. "
        "You can leave at any time with one click, and we never pass your address on. Readers like you pay for "
        "our work: from three crowns a month you support reporting that nobody else in the county does."
    ),
    (
        "This article is part of our series on how the region lives, works and votes. Have we got something wrong, "
        "or do you know more? Write to the desk, call the newsroom or leave a letter at the counter in Mill Street. "
        "Names are published only with consent."
    ),
    (
        "All rights reserved. This text may not be published, broadcast, rewritten or redistributed in whole or in "
        "part without written permission of the publisher. For licences and reprints turn to the rights desk, which "
        "answers within two working days."
    ),
    (
        "About the author: the writer has covered the coast, its harbours and its councils for eleven years and was "
        "named reporter of the year twice. More by this author can be found on the profile page. Follow our channel "
        "for alerts as news breaks, and download the app for offline reading."
    ),
)
NAMES = ("Ida Marsh", "Tom Ferrand", "Wilma Okoro", "Piet Aalders", "Rosa Lindqvist", "Amir Haddad")
HOUSE_STYLE = {
    "said": "says", "percent": "per cent", "which": "that", "also": "as well", "but": "yet", "is": "was",
    "more": "over", "has": "had", "while": "as", "many": "several", "such": "like", "about": "around",
}  # fmt: skip
STYLED = 0.3  # of the words of the house style are changed where they stand


def _paragraphs(text: str) -> Paragraphs:
    parts = [part.strip() for part in text.split("\n") if part.strip()]
    return parts if len(parts) > 3 else [part for part in re.split(r"(?<=[.!?]) ", text) if part]


def _headline(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    return [chance.choice(HEADLINES), *text]


def _added(text: Paragraphs, donor: Paragraphs, chance: random.Random) -> Paragraphs:
    place = chance.randrange(1, len(text))
    new = _cut(max(donor, key=len), 80)
    return [*text[:place], new, *text[place:]]


def _paragraph_cut(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    place = chance.randrange(1, len(text))
    return text[:place] + text[place + 1 :]


def _agency(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    first, second, third = chance.sample(NAMES, 3)
    start = AGENCY.format(day=chance.randint(1, 31)) + text[0]
    return [start, *text[1:], CREDIT.format(first=first, second=second, third=third)]


def _corrected(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    place = chance.randrange(len(text))
    words = text[place].split()
    words[chance.randrange(len(words))] = str(chance.randint(2, 90))
    note = CORRECTION.format(ordinal=chance.choice(("second", "third", "last")))
    return [*text[:place], " ".join(words), *text[place + 1 :], note]


def _trimmed(text: Paragraphs, _donor: Paragraphs, _chance: random.Random) -> Paragraphs:
    """The first 60 % of the words, to the end of the sentence they end in if that is near."""
    words = "\n\n".join(text).split(" ")
    kept = round(len(words) * 0.6)
    end = next((n for n in range(kept, min(kept + 12, len(words))) if words[n].endswith(".")), kept)
    return [" ".join(words[: end + 1])]


def _other_boilerplate(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    top, end = chance.sample(BOILERPLATE, 2)
    return [top, *text, end]


def _house_style(text: Paragraphs, _donor: Paragraphs, chance: random.Random) -> Paragraphs:
    def styled(match: re.Match[str]) -> str:
        return HOUSE_STYLE.get(match[0], match[0]) if chance.random() < STYLED else match[0]

    return [re.sub(r"\w+", styled, part) for part in text]


def _several(text: Paragraphs, donor: Paragraphs, chance: random.Random) -> Paragraphs:
    """Three things at once, as it is with most reprints."""
    for edit in chance.sample(
        (_headline, _added, _paragraph_cut, _agency, _corrected, _house_style), 3
    ):
        text = edit(text, donor, chance)
    return text


EDITS: dict[str, Editing] = {
    "headline changed": _headline,
    "paragraph added": _added,
    "paragraph cut": _paragraph_cut,
    "agency line": _agency,
    "correction": _corrected,
    "trimmed to 60 %": _trimmed,
    "other boilerplate": _other_boilerplate,
    "house style": _house_style,
    "several": _several,
}


# --- series ------------------------------------------------------------------------------------


def _issues(part: Part) -> Iterator[Pair]:
    """Two issues of a series: the same words every day around other facts."""
    names = sorted(SERIES)[part == "dev" :: 2]
    for name in names:
        chance = random.Random(name)
        issues = [issue(name, chance) for _ in range(ISSUES)]
        for first, other in combinations(issues, 2):
            yield Pair(first, other, False, f"series: {name}", "en")
