"""From a page to its body: lay out, measure, decide, apply the rules, and say how sure we are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import compress
from operator import mul, not_
from typing import Final

from wireroom.parse.body.block_features import (
    FEATURES,
    MOSTLY_LINKS,
    SENTENCE_ENDS,
    Measured,
    measure,
)
from wireroom.parse.body.block_rules import BlockDecisions, apply_rules
from wireroom.parse.body.block_weights import Weights, shipped_weights
from wireroom.parse.body.blocks import ALT, CAPTION, CELL, HEADING, Columns
from wireroom.parse.body.images import article_images
from wireroom.parse.body.place import Decision, place_blocks
from wireroom.parse.body.render import to_text
from wireroom.parse.body.repair import lay_out_repaired
from wireroom.parse.body.types import Body, Mode, PageOutline
from wireroom.parse.html import Page
from wireroom.parse.plain_text import WORD_BYTES

THRESHOLDS: Final[dict[Mode, float]] = {"precision": 0.65, "balanced": 0.5, "recall": 0.3}
"""The probability from which on a block is kept."""
THRESHOLDS_ANY: Final[dict[Mode, float]] = {"precision": 0.5, "balanced": 0.35, "recall": 0.2}
"""The same on a page that is no article: what it says stands in labels, names and links as well."""

LITTLE_TEXT: Final = 100  # words; less is a stub, a gallery or a failure
LOW_AGREEMENT: Final = 0.6  # below it the two candidates see different pages
UNSURE: Final = 0.75  # mean probability of the kept text below which the weights were in doubt
MIN_ANCHOR: Final = 200  # characters of an anchor that can tell what belongs to the body
MAX_ANCHOR: Final = 500_000  # characters of an anchor that are read
IN_ANCHOR: Final = 0.98  # probability of a block whose words stand in an anchor
_PICTURES: Final = frozenset((ALT, CAPTION))
_NOT_A_WORD: Final = re.compile(r"\W+")
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_ASCII: Final = bytes(range(128))
_WORD_MARKS: Final = bytes(32 if c < 128 and chr(c).isspace() else 120 for c in range(256))
"""For `bytes.translate` of UTF-8: a blank for each blank of ASCII, an x for all other bytes."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """One layout of a page with everything decided about it."""

    columns: Columns
    measured: Measured
    probabilities: list[float]
    draft: BlockDecisions
    agreement: float

    def kept_text(self) -> list[int]:
        """The blocks that were kept, those of pictures left out."""
        kind = self.columns.kind
        return [block for block in self.draft.kept() if kind[block] not in _PICTURES]


def read_body(
    page: Page,
    *,
    mode: Mode = "balanced",
    any_kind: bool = False,
    shift: float = 0.0,
    titles: Sequence[str] = (),
    known_boilerplate: frozenset[str] = frozenset(),
    anchors: Sequence[str] = (),
    captions: bool = False,
    images: bool = False,
    rich: bool = False,
    explain: bool = False,
    weights: Weights | None = None,
) -> Body:
    """The body of a page; a page without any gives an empty one.

    `any_kind` is for pages known to be no articles (forum, documentation, listing, product): these have
    weights of their own, and the rules that hold for articles alone are left out. `shift` is added to the
    probability from which on a block is kept.
    `titles` are names of the page already known; its own title element is always one of them.
    `known_boilerplate` holds the `block_hash` of blocks that repeat across a publisher's pages.
    `anchors` are texts said to be the article by another source (JSON-LD, the feed): blocks whose
    words stand in one are kept. With `captions` these stand in the text, too; with `images` the
    addresses of the article's images come with it. With `rich` the blocks carry their links and emphases, for Markdown
    and HTML; with `explain` the dropped blocks come back as well.
    """
    weights = weights or shipped_weights(any_kind=any_kind)
    known = (*titles, *_own_titles(page))
    descriptions = partial(_own_descriptions, page)
    columns = lay_out_repaired(page.tree.body, marks=rich)
    judge = partial(
        _judge,
        weights=weights,
        threshold=(THRESHOLDS_ANY if any_kind else THRESHOLDS)[mode] + shift,
        keep_pictures=mode != "precision",
        any_kind=any_kind,
        titles=known,
        descriptions=descriptions,
        known_boilerplate=known_boilerplate,
        anchors=anchors,
    )
    judged = judge(columns)
    doubts = []
    if not judged.draft.kept() and not judged.columns.cut and _has_parts_apart(page):
        everything = lay_out_repaired(page.tree.body, everything=True, marks=rich)
        judged = judge(everything)
        doubts.append("nothing found outside navigation and footer")
    body = _body(judged, page, doubts, captions=captions, rich=rich, explain=explain)
    if not images:
        return body
    numbers = range(len(judged.draft.keep)) if explain else judged.draft.kept()
    found = article_images(judged.columns, numbers, judged.draft.keep, page.url)
    return replace(body, images=found)


def _has_parts_apart(page: Page) -> bool:
    """Whether a second look would see more than the first."""
    return page.tree.css_first("nav, footer") is not None


def block_hash(text: str) -> str:
    """What two blocks of the same words have in common, whatever their plain punctuation and case."""
    words = text.casefold().encode("utf-8", "replace").translate(WORD_BYTES).split()
    return blake2b(b" ".join(words), digest_size=8).hexdigest()


def _own_titles(page: Page) -> tuple[str, ...]:
    title = page.tree.css_first("title")
    og_title = page.tree.css_first('meta[property="og:title"]')
    return (
        title.text() if title else "",
        (og_title.attributes.get("content") or "") if og_title else "",
    )


def _own_descriptions(page: Page) -> tuple[str, ...]:
    head = page.tree.head
    return tuple(
        node.attributes.get("content") or "" for node in (head.css(_DESCRIPTIONS) if head else ())
    )


_DESCRIPTIONS: Final = 'meta[name="description" i],meta[property="og:description" i]'


def _judge(
    columns: Columns,
    *,
    weights: Weights,
    threshold: float,
    keep_pictures: bool,
    any_kind: bool,
    titles: tuple[str, ...],
    descriptions: Callable[[], tuple[str, ...]],
    known_boilerplate: frozenset[str],
    anchors: Sequence[str],
) -> _Judged:
    measured = measure(columns, weights.score)
    probabilities = weights.probabilities(measured.numbers)
    if anchors:
        probabilities = _anchored(columns, probabilities, anchors)
    keep = [probability >= threshold for probability in probabilities]
    draft = BlockDecisions(
        columns,
        measured,
        keep,
        ["weights"] * len(keep),
        titles,
        descriptions,
        partial(_is_known, known_boilerplate) if known_boilerplate else None,
        keep_pictures,
    )
    if known_boilerplate:
        for block in draft.kept():
            if not draft.is_open(block):
                draft.drop(block, "known boilerplate of the publisher")
    apply_rules(draft, any_kind=any_kind)
    agreement = _agreement(columns, measured, draft.keep)
    return _Judged(columns, measured, probabilities, draft, agreement)


def _is_known(known_boilerplate: frozenset[str], text: str) -> bool:
    return block_hash(text) in known_boilerplate


def _anchored(columns: Columns, probabilities: list[float], anchors: Sequence[str]) -> list[float]:
    """The probabilities once another source has said what the article is."""
    message = " ".join(
        f" {_NOT_A_WORD.sub(' ', anchor[:MAX_ANCHOR]).casefold()} "
        for anchor in anchors
        if len(anchor) >= MIN_ANCHOR
    )
    if not message:
        return probabilities
    return [
        max(probability, IN_ANCHOR) if _stands_in(text, message) else probability
        for text, probability in zip(columns.text, probabilities, strict=True)
    ]


def _stands_in(text: str, message: str) -> bool:
    words = _NOT_A_WORD.sub(" ", text).strip().casefold()
    return len(words) > 1 and f" {words} " in message


def _agreement(columns: Columns, measured: Measured, keep: list[bool]) -> float:
    """How much the kept text and the container's text have in common, 0 to 1."""
    ours = theirs = both = 0
    is_above = measured.numbers[_STEPS_UP]
    for text, kind, above, linked, chars, kept in zip(
        columns.text, columns.kind, is_above, columns.linked, columns.chars, keep, strict=True
    ):
        held = not above and linked <= MOSTLY_LINKS * chars
        if (kept or held) and kind not in _PICTURES:
            length = len(text)
            ours += length * kept
            theirs += length * held
            both += length * (kept and held)
    return 2 * both / (ours + theirs) if ours + theirs else 0.0


def _body(
    judged: _Judged, page: Page, doubts: list[str], *, captions: bool, rich: bool, explain: bool
) -> Body:
    draft = judged.draft
    shown = range(len(draft.keep)) if explain else draft.kept()
    decisions: list[tuple[int, Decision]] = [
        (block, (draft.keep[block], judged.probabilities[block], draft.reason[block]))
        for block in shown
    ]
    base_url = page.url if rich else None
    blocks = place_blocks(judged.columns, decisions, base_url=base_url, paths=explain)
    text = to_text(blocks, captions=captions)
    words = count_words(text)
    confidence = _confidence(page, judged, words, doubts)
    return Body(
        text=text,
        blocks=blocks,
        word_count=words,
        confidence=round(confidence, 3),
        doubts=tuple(doubts),
        agreement=round(judged.agreement, 3),
        outline=outline_of(judged.columns, judged.measured, judged.probabilities),
        with_captions=captions,
    )


def count_words(text: str) -> int:
    """Words of the text; in scripts without blanks every ideograph is one."""
    encoded = text.encode("utf-8", "surrogatepass")
    if not text.isascii():
        beyond = encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        ideographs = len(_IDEOGRAPH.findall(beyond))
        if ideographs:
            return ideographs + len(_IDEOGRAPH.sub(" ", text).split())
        if beyond.split() != [beyond]:  # blanks that are no ASCII
            return len(text.split())
    marks = encoded.translate(
        _WORD_MARKS
    )  # a third of the time that the words themselves would take
    return marks.count(b"x ") + marks.endswith(b"x")


def _confidence(page: Page, judged: _Judged, words: int, doubts: list[str]) -> float:
    """How far the body is to be trusted; every reason that lowers it is added to the doubts."""
    kept = judged.kept_text()
    if not kept:
        doubts.append("no text")
        return 0.0
    length = sum(len(judged.columns.text[block]) for block in kept) or 1
    sure = (
        sum(judged.probabilities[block] * len(judged.columns.text[block]) for block in kept)
        / length
    )
    confidence = sure * (0.6 + 0.4 * judged.agreement)
    if doubts:
        confidence *= 0.5
    if words < LITTLE_TEXT:
        confidence *= 0.5 + 0.5 * words / LITTLE_TEXT
        doubts.append("little text")
    if sure < UNSURE:
        doubts.append("many blocks could be something else")
    if judged.agreement < LOW_AGREEMENT:
        doubts.append("the best container holds other text")
    if page.cut or judged.columns.cut:
        confidence *= 0.8
        doubts.append("the page was cut")
    return min(confidence, 1.0)


# The whole page in a few numbers, taken from what reading its body has computed anyway.
#
# For whoever asks what kind of page this is. Counts only; nothing is decided, and no tree is walked.

LABEL: Final = 60  # characters up to which a block may be a price, a button or a name
ALIKE: Final = 5  # blocks of one look from which on they are a row of things
OPENING_BLOCKS: Final = 40  # a wall or an error has fewer
MAX_OPENING: Final = 2_000  # characters of the page's first words that are kept
CURRENCY_SIGNS: Final = ("$", "€", "£", "¥", "₹", "₩", "₽", "₺", "zł", "Kč", " kr", "CHF", "R$")
_STEPS_UP: Final = FEATURES.index("steps_up")
_LINKS: Final = FEATURES.index("links_own")
_LOOK_COUNT: Final = FEATURES.index("look_count")


def outline_of(columns: Columns, measured: Measured, probabilities: Sequence[float]) -> PageOutline:
    """The counts of a page, whatever of it was kept."""
    texts, kinds, tags, good = columns.text, columns.kind, columns.tag, measured.good
    numbers = measured.numbers
    lengths = list(map(len, texts))
    labels = [text for text in texts if len(text) <= LABEL]
    alike = numbers[_LOOK_COUNT]
    characters = sum(lengths)
    return PageOutline(
        blocks=len(texts),
        characters=characters,
        linked_share=_share(sum(columns.linked), sum(columns.chars)),
        signposts=sum([links > MOSTLY_LINKS for links in numbers[_LINKS]]),
        prose=sum(good),
        prose_blocks=len(good) - good.count(0),
        container_prose=sum(compress(good, map(not_, numbers[_STEPS_UP]))),
        likelihood=_share(sum(map(mul, lengths, probabilities)), characters),
        labels=len(labels),
        prices=_prices(labels),
        alike=sum([count >= ALIKE for count in alike]),
        most_alike=int(max(alike, default=0)),
        sentences=sum([text[-1:] in SENTENCE_ENDS for text in texts]),
        headings=kinds.count(HEADING),
        cells=kinds.count(CELL),
        images=kinds.count(ALT),
        articles=tags.count("article"),
        forms=tags.count("form"),
        opening="\n".join(texts[:OPENING_BLOCKS])[:MAX_OPENING],
    )


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else 0.0


def _prices(labels: list[str]) -> int:
    """How many currency signs stand in short blocks: a story names sums in sentences."""
    together = "\n".join(labels)
    return sum(map(together.count, CURRENCY_SIGNS))
