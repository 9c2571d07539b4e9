"""The shape of a rights signal: everything one file in `signals/` brings along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wireroom.model import Item, Signal
from wireroom.ports.step import Step

if TYPE_CHECKING:
    from wireroom.parse.page_tags import PageTags
    from wireroom.rights.finding_index import FindingIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of one standard; `date` is that of its text where it has one, else of our look at it."""

    name: str
    source: str
    date: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalPlug:
    """One signal: where it is read, what it says of each use, and how a card shows it."""

    name: str
    title: str
    label: str = ""
    """What the row of the rights matrix is called; without one, the title."""
    order: int = 1_000
    """Its place in the rights matrix; ours count in tens."""
    signals_for: Callable[[FindingIndex, str], tuple[Signal, ...]]
    """What the findings say of the uses of the page at this address."""
    steps: tuple[str, ...]
    """The steps whose findings it reads: its silence counts only where all of them could look."""
    prose: bool = False
    """Whether it reads sentences for people rather than words for machines."""
    step: Step | None = None
    """The scouting step that finds it, with the line of the card; none where another step does."""
    read_page: Callable[[PageTags], object | None] | None = None
    """What a page says of itself, as the facts of `name`; None where it says nothing."""
    with_known: Callable[[object, FindingIndex], object] | None = None
    """Those facts, completed by what is known of the publisher, where the page only names a document."""
    read_item: Callable[[Item], object | None] | None = None
    """The same for an item of a feed."""
    read_licence: Callable[[str, str], object | None] | None = None
    """The same for the licence that an article names: the article's address, the licence's address."""
    vocabularies: tuple[Vocabulary, ...] = ()
