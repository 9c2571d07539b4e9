"""Writes articles: a language, a seed and a number give the same text every time.

Pure. Knows nothing of publishers' pages, dates or addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from wireroom.town.stories.story_language import StoryLanguage, Subject
from wireroom.town.truth import StoryBlock

OWN_SENTENCES = (
    4  # of the subject; with general ones mixed in, two stories stay far from near-duplicates
)
GENERAL_SENTENCES = 6
SENTENCES_PER_PARAGRAPH = 2
POINTS = 3
FIGURES = 3

CODE = "for bell in range({number}):\n    ring(bell)\n    wait(minutes=5)"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryDraft:
    """An article before it is published."""

    title: str
    authors: tuple[str, ...]
    subject: Subject
    description: str
    blocks: tuple[StoryBlock, ...]


class _Pen:
    """Fills the slots of sentences; the same people and places come back within one article."""

    def __init__(self, language: StoryLanguage, chance: Random) -> None:
        self.language = language
        self.chance = chance
        self.place, self.other = chance.sample(language.places, 2)
        self.office = chance.choice(language.offices)
        self.people = [self._name() for _ in range(3)]
        self.figure = self._figure()

    def fill(self, sentence: str, *, figure: int | None = None) -> str:
        """The sentence with every slot filled; the number by this figure, if one is given."""
        if "{" not in sentence:
            return sentence
        chance = self.chance
        filled = sentence.format(
            place=self.place,
            other=self.other,
            office=self.office,
            person=chance.choice(self.people),
            number=figure or self._figure(),
            share=chance.randint(5, 19),
        )
        return filled[:1].upper() + filled[1:]

    def some(self, sentences: Sequence[str], count: int) -> list[str]:
        """Some of the sentences, filled, none twice."""
        return [
            self.fill(sentence)
            for sentence in self.chance.sample(sentences, min(count, len(sentences)))
        ]

    def choose(self, sentences: Sequence[str]) -> str:
        """One of the sentences, filled."""
        return self.fill(self.chance.choice(sentences))

    def top(self, sentences: Sequence[str]) -> str:
        """One of the titles or leads, filled; they agree on the figure that makes the news."""
        return self.fill(self.chance.choice(sentences), figure=self.figure)

    def authors(self) -> tuple[str, ...]:
        """One author as a rule, two now and then."""
        return tuple(self._name() for _ in range(2 if self.chance.random() < 0.2 else 1))

    def count(self) -> str:
        """A number of two digits, for a table."""
        return str(self.chance.randint(10, 99))

    def _figure(self) -> int:
        return 5 * self.chance.randint(3, 19)

    def _name(self) -> str:
        language = self.language
        return language.name_order.format(
            given=self.chance.choice(language.given), family=self.chance.choice(language.family)
        )


def write_draft(language: StoryLanguage, seed: str, *, long: bool = False) -> StoryDraft:
    """The article that belongs to this seed; a long one tells of everything else as well."""
    # The town wants variety that can be had again, not secrecy.
    chance = Random(seed)  # noqa: S311
    pen = _Pen(language, chance)
    subject = chance.choice(language.subjects)
    lead = pen.top(subject.leads)
    return StoryDraft(
        title=pen.top(subject.titles),
        authors=pen.authors(),
        subject=subject,
        description=lead,
        blocks=(StoryBlock("paragraph", lead), *_body(pen, subject, long=long)),
    )


def _body(pen: _Pen, subject: Subject, *, long: bool) -> list[StoryBlock]:
    blocks = _paragraphs(pen, subject, long=long)
    blocks.insert(1, StoryBlock("quote", pen.choose(pen.language.quotes)))
    blocks.insert(3, StoryBlock("heading", pen.choose(pen.language.headings)))
    chance = pen.chance
    if chance.random() < 0.7:
        blocks.insert(0, StoryBlock("caption", pen.choose(pen.language.captions)))
    if chance.random() < 0.4:
        blocks[-1:-1] = [StoryBlock("item", text) for text in pen.some(pen.language.points, POINTS)]
    if chance.random() < 0.25:
        blocks[-1:-1] = _table(pen)
    if chance.random() < 0.08:
        blocks.insert(-1, StoryBlock("code", CODE.format(number=chance.randint(3, 9))))
    return blocks


def _paragraphs(pen: _Pen, subject: Subject, *, long: bool) -> list[StoryBlock]:
    sentences = pen.some(subject.sentences, OWN_SENTENCES)
    sentences += pen.some(pen.language.general, GENERAL_SENTENCES)
    if long:
        others = [other for other in pen.language.subjects if other is not subject]
        sentences += [text for other in others for text in pen.some(other.sentences, OWN_SENTENCES)]
    pen.chance.shuffle(sentences)
    starts = range(0, len(sentences), SENTENCES_PER_PARAGRAPH)
    return [
        StoryBlock(
            "paragraph", pen.language.joint.join(sentences[at : at + SENTENCES_PER_PARAGRAPH])
        )
        for at in starts
    ]


def _table(pen: _Pen) -> list[StoryBlock]:
    labels = pen.chance.sample(pen.language.figures, min(FIGURES, len(pen.language.figures)))
    rows = [("", pen.place, pen.other), *((label, pen.count(), pen.count()) for label in labels)]
    return [StoryBlock("row", "\t".join(row).strip(), cells=row) for row in rows]


# --- edits: each gives a new draft, the old one stays as it was ---------------------------------


def corrected(draft: StoryDraft, language: StoryLanguage) -> StoryDraft:
    """The draft with another figure in its last paragraph and a note under it."""
    last = max(at for at, block in enumerate(draft.blocks) if block.kind == "paragraph")
    repaired = StoryBlock("paragraph", draft.blocks[last].text.translate(_NEXT_DIGIT))
    note = StoryBlock("paragraph", language.words.correction)
    blocks = (*draft.blocks[:last], repaired, *draft.blocks[last + 1 :], note)
    return replace(draft, blocks=blocks)


def updated(draft: StoryDraft, language: StoryLanguage, seed: str) -> StoryDraft:
    """The draft with one more paragraph under its lead."""
    pen = _Pen(language, Random(seed))  # noqa: S311 - as above
    addition = StoryBlock("paragraph", pen.fill(language.words.addition))
    return replace(draft, blocks=(draft.blocks[0], addition, *draft.blocks[1:]))


def reprinted(draft: StoryDraft, language: StoryLanguage, *, publisher: str) -> StoryDraft:
    """The draft as a syndicator prints it: one paragraph shorter, with a word on its origin."""
    last = max(at for at, block in enumerate(draft.blocks) if block.kind == "paragraph")
    note = StoryBlock("paragraph", language.words.reprint.format(publisher=publisher))
    return replace(draft, blocks=(*draft.blocks[:last], *draft.blocks[last + 1 :], note))


_NEXT_DIGIT = str.maketrans("123456789", "234567891")
