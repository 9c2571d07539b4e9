"""How alike two signatures are, whether that makes them near-duplicates, and how to tell a person why.

Pure. It goes both ways and depends on nothing but the two of them: the same articles are near-duplicates
in whatever order, and in however many batches, they are compared.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from wireroom.duplicates.cluster_options import ClusterOptions
from wireroom.duplicates.minhash import phrases, tokens_of
from wireroom.model import Signature

Rule = Literal[
    "same words",  # near-duplicates: the whole text is the same, but for case and punctuation
    "alike",  # near-duplicates: found by a band, and the estimate reaches the threshold
    "too unlike",
    "not found",  # no band in common, whatever the estimate says
    "other language",
    "too far apart",  # in time
]
NEAR_DUPLICATES: frozenset[Rule] = frozenset({"same words", "alike"})
SHOWN_PHRASES = 5  # shared phrases in an explanation: enough to see what kind of text they share


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Why two articles are near-duplicates, or why not."""

    rule: Rule
    estimated: float
    """Of all shingles of both, the share that both have, as far as the signatures tell."""
    true: float | None = None
    """The same, counted; only when both texts were given."""
    shared_bands: int = 0
    shared: tuple[str, ...] = ()
    """The longest phrases that stand in both, in their normal form."""

    @property
    def near_duplicates(self) -> bool:
        """Whether the two are taken for the same article."""
        return self.rule in NEAR_DUPLICATES


def likeness_of(signature: Signature, other: Signature) -> float:
    """The estimated likeness, 0 to 1; signatures that cannot be compared are alike only when exact."""
    if _same_words(signature, other):
        return 1.0
    values, others = array("H", signature.minhash), array("H", other.minhash)
    if not values or len(values) != len(others):
        return 0.0
    return sum(map(int.__eq__, values, others)) / len(values)


def are_near_duplicates(signature: Signature, other: Signature, options: ClusterOptions) -> bool:
    """Whether the two are taken for the same article."""
    return rule_of(signature, other, options) in NEAR_DUPLICATES


def rule_of(signature: Signature, other: Signature, options: ClusterOptions) -> Rule:
    """What decides about the two: the first of these that holds."""
    if signature.language and other.language and signature.language != other.language:
        return "other language"
    if abs(signature.seen_at - other.seen_at) > _window(signature, other, options):
        return "too far apart"
    if _same_words(signature, other):
        return "same words"
    if not shared_bands(signature, other):
        return "not found"
    return (
        "alike"
        if likeness_of(signature, other) >= _threshold(signature, other, options)
        else "too unlike"
    )


def _window(signature: Signature, other: Signature, options: ClusterOptions) -> timedelta:
    """That of the later one, for it is who looks back; of two at the same moment the longer one."""
    latest = max(signature.seen_at, other.seen_at)
    return max(
        options.window if each.window is None else each.window
        for each in (signature, other)
        if each.seen_at == latest
    )


def _threshold(signature: Signature, other: Signature, options: ClusterOptions) -> float:
    """The higher one of those that have their own, else everybody's."""
    own = [each.threshold for each in (signature, other) if each.threshold is not None]
    return max(own, default=options.threshold)


def shared_bands(signature: Signature, other: Signature) -> int:
    """In how many places the bands agree."""
    return sum(map(int.__eq__, signature.bands, other.bands))


def explain(
    signature: Signature,
    other: Signature,
    options: ClusterOptions,
    *,
    texts: tuple[str, str] | None = None,
) -> Likeness:
    """Why the two are near-duplicates or not; with their texts, also how alike they are and what they share."""
    likeness = Likeness(
        rule=rule_of(signature, other, options),
        estimated=likeness_of(signature, other),
        shared_bands=shared_bands(signature, other),
    )
    return likeness if texts is None else _with_texts(likeness, texts, options)


def _with_texts(likeness: Likeness, texts: tuple[str, str], options: ClusterOptions) -> Likeness:
    tokens, other_tokens = (tokens_of(text, options) for text in texts)
    shingles, others = (frozenset(token.all_shingles()) for token in (tokens, other_tokens))
    both = shingles & others
    every = len(shingles | others)
    return Likeness(
        rule=likeness.rule,
        estimated=likeness.estimated,
        true=len(both) / every if every else float(likeness.rule == "same words"),
        shared_bands=likeness.shared_bands,
        shared=phrases(tokens, both, limit=SHOWN_PHRASES),
    )


def _same_words(signature: Signature, other: Signature) -> bool:
    """Whether the first band, the hash of the whole text, is the same."""
    return bool(signature.bands and other.bands) and signature.bands[0] == other.bands[0]
