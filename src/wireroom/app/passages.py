"""Where in an article the words of a query stand, and the passage around them. Pure.

What a word is, is asked of the index: whole words, with accents and cases folded as in the search, and pairs of
characters in scripts without blanks. So what is marked is what was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice, takewhile
from typing import Final
from unicodedata import category

from wireroom.model import Article
from wireroom.query import Phrase as Phrase
from wireroom.query import Query, query_tree
from wireroom.query.spelling import is_spaceless
from wireroom.query.word_split import plain_words, split_words

BEFORE: Final = 60  # characters of the text shown before the first word that was found
AFTER: Final = 180  # and behind its beginning
LONGEST_WORD: Final = (
    40  # characters; without a blank in them the script has none, and is cut anywhere
)
_PIECE = re.compile(r"\S+")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A part of an article, with the places of the words that were asked for."""

    text: str = ""
    marks: tuple[Span, ...] = ()
    """Where each word begins and ends, in characters of the text."""
    field: str = "text"
    """Where in the article this is: its text, description, title, authors or tags."""


@dataclass(frozen=True, slots=True)
class _IndexWord:
    """A word as the index spells it, and where it stands."""

    word: str
    start: int
    end: int


def wanted_phrases(query: Query) -> tuple[Phrase, ...]:
    """What a query asks for anywhere in an article."""
    return tuple(term.phrase for term in query_tree.wanted_terms(query) if not term.column)


def find_passage(article: Article, phrases: Sequence[Phrase]) -> FoundPassage:
    """The part in which most of the words stand, the first of those; where there is none, the beginning.

    Words that only the title has stand above it anyway.
    """
    for field, text in (("text", article.text), ("description", article.description)):
        if found := _found(text, phrases):
            return replace(_around(text, found, phrases), field=field)
    if not word_marks(article.title, phrases):
        for field, values in (("tags", article.tags), ("authors", article.authors)):
            if marks := word_marks(", ".join(values), phrases):
                return FoundPassage(", ".join(values), marks, field)
    return _around(article.text or article.description, [], phrases)


def word_marks(text: str, phrases: Sequence[Phrase]) -> tuple[Span, ...]:
    """Where the words that are asked for stand in a text, without overlaps."""
    merged: list[Span] = []
    for start, end, _ in _found(text, phrases):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _around(
    text: str, found: Sequence[tuple[int, int, Phrase]], phrases: Sequence[Phrase]
) -> FoundPassage:
    first = _best_start(found)
    start = text.rfind(" ", 0, max(0, first - BEFORE)) + 1 if first > BEFORE else 0
    start = start if first - start <= BEFORE + LONGEST_WORD else first - BEFORE
    end = _end_of_word(text, first + AFTER)
    cut = " ".join(text[start:end].split())
    shown = f"{'… ' if start else ''}{cut}{' …' if end < len(text) else ''}"
    return FoundPassage(shown, word_marks(shown, phrases))


def _best_start(found: Sequence[tuple[int, int, Phrase]]) -> int:
    """Where the passage with most different phrases has its first one."""
    best, most = 0, 0
    for place, (start, _, _) in enumerate(found):
        near = takewhile(partial(_ends_by, start + AFTER), islice(found, place, None))
        within = {phrase for _, _, phrase in near}
        if len(within) > most:
            best, most = start, len(within)
    return best


def _ends_by(end: int, found: tuple[int, int, Phrase]) -> bool:
    return found[1] <= end


def _end_of_word(text: str, end: int) -> int:
    """Where to stop: before a word that would be cut, where words are parted by blanks at all."""
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - LONGEST_WORD, end + 1)
    return blank if blank > 0 else end


def _found(text: str, phrases: Sequence[Phrase]) -> list[tuple[int, int, Phrase]]:
    """Every place where one of the phrases stands: its beginning, its end, and which it is."""
    if not phrases:
        return []
    if (plain := plain_words(text)) is not None:
        places_of = partial(_plain_places, f" {plain} ")
        found = {place for phrase in phrases for place in places_of(phrase)}
        return sorted(found, key=lambda each: each[:2])
    words = list(_index_words(text, {word for phrase in phrases for word in phrase.words}))
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word.word, []).append(place)
    found = {
        (words[place].start, words[place + len(phrase.words) - 1].end, phrase)
        for phrase in phrases
        for place in _first_places(phrase, words, places)
        if _stands_at(phrase, words, place)
    }
    return sorted(found, key=lambda each: each[:2])


def _plain_places(padded: str, phrase: Phrase) -> Iterator[tuple[int, int, Phrase]]:
    """Where a phrase stands in plain words, with a blank before and behind them: most texts, and many times as fast."""
    words = " +".join(map(re.escape, phrase.words))
    pattern = re.compile(f" {words}{'[^ ]*' if phrase.is_open else ''}(?= )")
    at = 0
    while found := pattern.search(padded, at):
        at = found.start() + 1  # what is found may overlap
        yield found.start(), found.end() - 1, phrase


def _first_places(
    phrase: Phrase, words: Sequence[_IndexWord], places: dict[str, list[int]]
) -> Sequence[int]:
    if phrase.is_open and len(phrase.words) == 1:
        return range(len(words))
    return places.get(phrase.words[0], [])


def _stands_at(phrase: Phrase, words: Sequence[_IndexWord], place: int) -> bool:
    here = [each.word for each in words[place : place + len(phrase.words)]]
    if not phrase.is_open:
        return tuple(here) == phrase.words
    *whole, last = phrase.words
    return len(here) == len(phrase.words) and here[:-1] == whole and here[-1].startswith(last)


def _index_words(text: str, wanted: set[str]) -> Iterator[_IndexWord]:
    """The words of a text; exactly where they stand is looked up for those that may be wanted."""
    begins = {word[:1] for word in wanted}
    for piece in _PIECE.finditer(text):
        words = split_words(piece[0])
        if any(word[:1] in begins for word in words):
            yield from _exact(piece[0], piece.start())
        else:
            yield from (_IndexWord(word, piece.start(), piece.end()) for word in words)


def _exact(piece: str, offset: int) -> Iterator[_IndexWord]:
    at = offset
    for kind, characters in groupby(piece, _kind):
        part = "".join(characters)
        words = split_words(part)
        # A run without blanks is pairs, then its last character: one word for each character.
        each_its_own = kind == "spaceless" and len(words) == len(part)
        for place, word in enumerate(words):
            end = min(at + place + 2, at + len(part)) if each_its_own else at + len(part)
            yield _IndexWord(word, at + place if each_its_own else at, end)
        at += len(part)


def _kind(character: str) -> str:
    """What a character is to the index: a mark goes with the letter before it, which may be of either kind."""
    if is_spaceless(character):
        return "spaceless"
    return "word" if category(character)[0] in "LMN" or category(character) == "Cf" else "between"
