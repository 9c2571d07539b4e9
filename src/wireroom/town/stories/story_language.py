"""What a language brings to the town: names, places, sentences and the words around an article.

Data only. Sentences carry slots in braces: {place}, {other}, {person}, {office}, {number}, {share}.
Numbers are multiples of five from 15 to 95, which take the same plural in every language here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Something the papers write about, with sentences that belong to nothing else."""

    key: str
    """Its place in addresses, ASCII."""
    section: str
    tags: tuple[str, ...]
    titles: tuple[str, ...]
    leads: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words around an article: none of them belongs to its text, save the three notes."""

    byline: str
    home: str
    about: str
    contact: str
    terms: str
    privacy: str
    search: str
    share: str
    read_also: str
    most_read: str
    newsletter: str
    newsletter_text: str
    sign_up: str
    comments: str
    reply: str
    published: str
    updated: str
    photo: str
    biography: str
    cookies: str
    accept: str
    wall: str
    log_in: str
    subscribe: str
    rights: str
    feeds: str
    correction: str
    """A note under a corrected article; part of its text."""
    addition: str
    """A sentence that an update adds; part of its text."""
    reprint: str
    """How a syndicator names the first publisher; part of its text. Slot: {publisher}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryLanguage:
    """One language of the town."""

    code: str
    tag: str
    direction: Literal["ltr", "rtl"] = "ltr"
    name_order: str = "{given} {family}"
    joint: str = " "
    """What stands between two sentences of a paragraph."""
    between_names: str = ", "
    given: tuple[str, ...]
    family: tuple[str, ...]
    places: tuple[str, ...]
    offices: tuple[str, ...]
    words: Words
    subjects: tuple[Subject, ...]
    general: tuple[str, ...]
    """Sentences of town life that fit under any subject."""
    quotes: tuple[str, ...]
    headings: tuple[str, ...]
    points: tuple[str, ...]
    """Items of a list."""
    figures: tuple[str, ...]
    """Labels of a table's rows."""
    captions: tuple[str, ...]
    replies: tuple[str, ...]
    """What readers write in the thread under an article."""
