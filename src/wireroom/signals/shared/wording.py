"""Counts in the words of a card's line."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 page`, `3 pages`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def found(count: int, noun: str) -> str:
    """`Found 3 feed(s)`, `no feed found`."""
    return f"Found {count} {noun}(s)" if count else f"no {noun} found"
