"""From the text of a document to one word for every activity, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from wireroom.parse.detect import detect_language
from wireroom.parse.html import Page
from wireroom.signals.terms.phrases import LANGUAGES, Table, table_of
from wireroom.signals.terms.sentence_judging import (
    Sentence,
    conflicts_of,
    folded,
    judge_sentence,
    sentences_of,
    strictest,
)
from wireroom.signals.terms.types import DocumentType, TermsReading

MAX_CLAUSES: Final = 5  # sentences about places and about arbitration that are kept
MAX_CLAUSE: Final = 500  # characters of one
FEW_WORDS: Final = 100  # below that it may be a summary, or a page that builds itself later
OPENING: Final = 300  # characters that say what kind of document it is

BY_RULES: Final = 0.9  # rules read what is written; what it means is for courts
IN_CONFLICT: Final = 0.2  # taken off where sentences contradict each other
CUT: Final = 0.2  # taken off for a document that was not read to its end
SHORT: Final = 0.2  # taken off for one of few words


def read_terms(
    text: str, *, title: str = "", language: str = "", truncated: bool = False
) -> TermsReading:
    """What the document says; `language` is the page's own word for it and is checked."""
    from wireroom.parse.body import count_words

    truncated = truncated or len(text) > MAX_TEXT
    text = text[:MAX_TEXT]
    words = count_words(text)
    if not words:
        return TermsReading(state="empty", activities=strictest(()), truncated=truncated)
    claim = detect_language(text, declared=language)
    spoken = str(claim.value) if claim is not None else language
    table = table_of(spoken)
    if table is None:
        return TermsReading(
            state="language",
            activities=strictest(()),
            language=spoken,
            document_type=document_type(title),
            truncated=truncated,
            words=words,
        )
    cut: list[str] = []
    sentences = list(sentences_of(text, cut))
    truncated = truncated or bool(cut)
    passages = [passage for each in sentences for passage in judge_sentence(each, text, table)]
    conflicts = conflicts_of(passages)
    doubt = IN_CONFLICT * bool(conflicts) + CUT * truncated + SHORT * (words < FEW_WORDS)
    trust = claim.confidence if claim is not None else 0.5
    return TermsReading(
        state="judged",
        activities=strictest(passages),
        language=spoken,
        document_type=document_type(title or text[:OPENING], spoken),
        territorial_exceptions=_naming(sentences, table, "territory"),
        arbitration_clauses=_naming(sentences, table, "arbitration"),
        confidence=round(max(0.0, BY_RULES - doubt) * trust, 3),
        conflicts=conflicts,
        truncated=truncated,
        words=words,
    )


def document_type(title: str, language: str = "") -> DocumentType:
    """What a document calls itself, by the words of its language, or of any."""
    words = folded(title)
    for code in [language] if language in LANGUAGES else list(LANGUAGES):
        table = table_of(code)
        for kind, pattern in table.titles.items() if table is not None else ():
            if pattern.search(words):
                return kind
    return "unknown"


def _naming(sentences: Iterable[Sentence], table: Table, what: str) -> tuple[str, ...]:
    pattern = table.territory if what == "territory" else table.arbitration
    found = (each.text[:MAX_CLAUSE] for each in sentences if pattern.search(folded(each.text)))
    return tuple(text for _, text in zip(range(MAX_CLAUSES), found, strict=False))


# The text of a page of terms, list items and headings on lines of their own.
#
# Losing a clause is worse here than keeping a teaser: where the body reader drops much, all that is
# visible is taken.

MAX_TEXT: Final = 200_000  # characters; the longest terms of use known have half of that
MOST: Final = 0.6  # of the visible words, which the body must hold to be taken for all of them


@dataclass(frozen=True, slots=True)
class TermsText:
    """What is read, the page's own names for it, and whether a limit cut it."""

    text: str
    title: str = ""
    truncated: bool = False


def text_of_page(page: Page) -> TermsText:
    """The body as the reader sees it when it would rather keep too much, or all visible text."""
    from wireroom.parse.body import count_words, read_body, to_text

    body = read_body(page, mode="recall", explain=True)
    everything = to_text(structs.replace(block, kept=True) for block in body.blocks)
    kept = to_text(body.blocks)
    text = kept if count_words(kept) >= MOST * count_words(everything) else everything
    return TermsText(text[:MAX_TEXT], _title(page), len(text) > MAX_TEXT or bool(page.cut))


def _title(page: Page) -> str:
    named = [node.text(deep=True) for node in page.tree.css("title, h1")[:3]]
    return " | ".join(" ".join(name.split())[:200] for name in named)
