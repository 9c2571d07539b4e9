"""An article that is held as words and markup, made of its text and the layout beside it."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING
from unicodedata import normalize

from wireroom.model import USES, Article, Condition, Evidence, Receipt
from wireroom.rights.policy import word_about
from wireroom.settings.secrets import redact

if TYPE_CHECKING:
    from wireroom.parse.body import Block as Block  # noqa: PLC0414 - whoever shows the blocks names their type


def to_text(article: Article) -> str:
    """Title and text."""
    return "\n\n".join(filter(None, (article.title, article.text)))


def to_markdown(article: Article, *, byline: bool = True) -> str:
    """Title, byline and text, with its headings, lists, tables, quotations and code where its layout is known."""
    from wireroom.parse import body
    from wireroom.parse.article.types import heading_blocks

    return body.to_markdown((*heading_blocks(article, byline=byline), *text_blocks(article)))


def text_blocks(article: Article) -> tuple[Block, ...]:
    """What the text is made of, images where they are held; paragraphs where nobody knows."""
    from wireroom.parse.body import blocks_of

    images = article.extra.get("images") or ()
    return blocks_of(article.text, article.layout, article.captions, images)


# What a receipt says, in words that fit a cell, a line or an element. Pure.


def condition_word(condition: Condition) -> str:
    """`payment 5 EUR`."""
    return f"{condition.kind} {condition.detail}".strip()


def condition_words(receipt: Receipt | None) -> tuple[str, ...]:
    """`ai-train: payment 5 EUR` and the like, for every use."""
    return tuple(
        f"{verdict.use}: {condition_word(condition)}"
        for verdict in (receipt.verdicts if receipt is not None else ())
        for condition in verdict.conditions
    )


def evidence_words(receipt: Receipt | None) -> tuple[str, ...]:
    """`ai-train: deny by rsl, https://…/rsl.xml line 12` and the like, for every signal that decided a use."""
    words = (
        f"{verdict.use}: {signal.value} by {signal.family}, {_place(signal.evidence)}"
        for verdict in (receipt.verdicts if receipt is not None else ())
        for signal in verdict.because or verdict.unseen
    )
    return tuple(dict.fromkeys(words))


def _place(evidence: Evidence) -> str:
    return evidence.url if evidence.line is None else f"{evidence.url} line {evidence.line}"


def rights_line(receipt: Receipt | None) -> str:
    """All verdicts in one sentence, with their conditions, the licence and the day."""
    if receipt is None:
        return "Rights unknown: there is no receipt."
    pieces = [", ".join(f"{use}: {word_about(receipt, use)}" for use in USES)]
    if conditions := condition_words(receipt):
        pieces.append(f"conditions: {'; '.join(conditions)}")
    if receipt.licence_url:
        pieces.append(f"licence: {receipt.licence_url}")
    return f"{'; '.join(pieces)} (as of {receipt.checked_at:%Y-%m-%d}, by wireroom)"


# Names of files made from titles and ids: slugs, never paths, whatever the title says.

SLUG_BYTES = 120  # of a name that come from a title; file systems take 255 for the whole
_ID = re.compile(r"[0-9a-z]{8,64}")
_DIGEST_BYTES = 5


def slug(title: str) -> str:
    """Letters and digits of any script, joined by hyphens; never empty, never a path, never a token."""
    words = re.sub(r"[\W_]+", "-", normalize("NFKC", redact(title)).lower())
    cut = words.encode("utf-8", "ignore")[:SLUG_BYTES].decode("utf-8", "ignore")
    return cut.strip("-") or "article"


def digest(*parts: str) -> str:
    """A short name for these texts together."""
    joined = "\0".join(parts).encode("utf-8", "replace")
    return blake2b(joined, digest_size=_DIGEST_BYTES).hexdigest()


def dated_name(article: Article) -> str:
    """`2026-05-03-the-harbour-master-resigns-ID`; an id that is none of ours is hashed."""
    at = article.published_at or article.fetched_at
    own = article.id if _ID.fullmatch(article.id) else digest(article.id)
    return f"{at:%Y-%m-%d}-{slug(article.title)}-{own}"
