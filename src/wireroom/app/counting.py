"""Counts as people say them: `1 feed`, `2 feeds`, `1,200 copies`. Pure."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """The count and its noun; the plural ends in s unless it is given."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
