"""Articles to measure with: made up, always the same, with words as frequent and rare as in print.

Words follow Zipf's law, so that some stand in every article and most in few. One in ten articles
has accents, one in ten is written without spaces. Not a bench by itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate, count, islice

from wireroom.model import Article
from wireroom.urls import article_id

TEXT_BYTES = 3_000  # of every article's text, in UTF-8: what a short news report has
PUBLISHERS = 500
AUTHORS = 2_000
TAGS = 300
FIRST_AT = datetime(2024, 1, 1, tzinfo=UTC)
_STEP = timedelta(minutes=5)  # between two articles: 200,000 of them are almost two years
_JITTER = 6 * 60  # minutes: feeds bring yesterday's articles together with today's


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, the most frequent first, and how often each is used."""

    words: tuple[str, ...]
    weights: tuple[float, ...]
    """Added up, as `random.choices` wants them."""
    blank: str
    language: str
    words_in_text: int

    def pick(self, chance: random.Random, count: int) -> list[str]:
        """So many words, by their frequency."""
        return chance.choices(self.words, cum_weights=self.weights, k=count)


def _vocabulary(words: list[str], blank: str, language: str) -> Vocabulary:
    weights = tuple(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    chance = random.Random(1)
    sample = chance.choices(words, cum_weights=weights, k=5_000)
    size = sum(len((word + blank).encode()) for word in sample) / len(sample)
    return Vocabulary(tuple(words), weights, blank, language, round(TEXT_BYTES / size))


def _latin_words(count: int, vowels: str) -> list[str]:
    """Different words of one to four syllables, the short ones first, as in every language."""
    chance = random.Random(count)
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = 1 if len(words) < 40 else 2 if len(words) < 1_000 else chance.randint(3, 4)
        pairs = (
            chance.choice("bcdfghklmnprstvw") + chance.choice(vowels) for _ in range(syllables)
        )
        words["".join(pairs)] = None
    return list(words)


@cache
def latin() -> Vocabulary:
    """A language in plain ASCII."""
    return _vocabulary(_latin_words(60_000, "aeiou"), " ", "en")


@cache
def accented() -> Vocabulary:
    """A language with accents."""
    return _vocabulary(_latin_words(60_001, "aeiouéèàô"), " ", "fr")


@cache
def han() -> Vocabulary:
    """A language written without spaces."""
    return _vocabulary([chr(0x4E00 + number) for number in range(4_000)], "", "zh")


def publisher_name(number: int) -> str:
    """The domain of a publisher of the corpus."""
    return f"paper{number}.test"


def articles(*, first: int = 0) -> Iterator[Article]:
    """Articles without end, oldest first by and large; those behind so many have other words than if all had been made."""
    return made_articles(lambda number: (han, accented, latin)[min(number % 10, 2)](), first=first)


def made_articles(kind_of: Callable[[int], Vocabulary], *, first: int = 0) -> Iterator[Article]:
    """The same, each in the vocabulary that its number has."""
    chance = random.Random(20_260_503 + first)
    for number in count(first):
        yield _article(number, kind_of(number), chance)


def batches(count: int, size: int) -> Iterator[list[Article]]:
    """So many articles, in lists of at most `size`."""
    source = islice(articles(), count)
    while batch := list(islice(source, size)):
        yield batch


def _article(number: int, kind: Vocabulary, chance: random.Random) -> Article:
    publisher = publisher_name(int(PUBLISHERS * chance.random() ** 2))
    url = f"https://{publisher}/news/{number}"
    at = FIRST_AT + number * _STEP - timedelta(minutes=chance.randrange(_JITTER))
    return Article(
        id=article_id(publisher, url),
        publisher=publisher,
        url=url,
        title=_sentence(kind, chance, 9),
        fetched_at=at + timedelta(minutes=10),
        published_at=at,
        authors=(f"Jo{chance.randrange(AUTHORS) % 40} Writer{chance.randrange(AUTHORS)}",),
        tags=tuple(sorted({f"topic{int(TAGS * chance.random() ** 2)}" for _ in range(3)})),
        language=kind.language,
        language_tag=kind.language,
        description=_sentence(kind, chance, 20),
        text=_text(kind, chance),
        text_hash=f"{number:032x}",
        word_count=kind.words_in_text,
    )


def _sentence(kind: Vocabulary, chance: random.Random, words: int) -> str:
    sentence = kind.blank.join(kind.pick(chance, words))
    return sentence[:1].upper() + sentence[1:]


def _text(kind: Vocabulary, chance: random.Random) -> str:
    words = kind.pick(chance, kind.words_in_text)
    stop = ". " if kind.blank else "。"
    sentences = (kind.blank.join(words[start : start + 15]) for start in range(0, len(words), 15))
    return stop.join(sentences)
