"""What a receipt says, in words that fit a cell, a line or an element. Pure."""

from __future__ import annotations

from wireroom.model import USES, Condition, Receipt, Use, Word


def word_about(receipt: Receipt | None, use: Use) -> Word:
    """The verdict about one use; unknown where none was given."""
    verdicts = receipt.verdicts if receipt is not None else ()
    return next((verdict.value for verdict in verdicts if verdict.use == use), "unknown")


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
