"""Pages that need no weighing: empty ones, walls, errors, results of searches, home pages, tags.

Each rule looks at one page and names a kind with its reason, or says nothing. Walls and errors are short
and announce themselves in their title or in a line of their own; a page with a text of some length, or
one that declares itself a dated article, is never taken for one, whatever it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from wireroom.parse.body import Body
from wireroom.parse.html import Page
from wireroom.parse.metadata import Metadata
from wireroom.parse.pages.declared_type import DeclaredType
from wireroom.parse.pages.types import PageKind
from wireroom.parse.pages.url_shape import UrlShape
from wireroom.parse.pages.wall_phrases import (
    CONSENT_LINES,
    CONSENT_WORDS,
    ERROR_LINES,
    ERROR_WHOLE_LINES,
    LOGIN_LINES,
)

LITTLE_TEXT: Final = 120  # words; errors, logins and their excuses have fewer
NEXT_TO_NOTHING: Final = 30  # words beside a form that asks for something
SMALL_PAGE: Final = 2_000  # characters besides navigation; shops hide messages in larger ones
WALL_TEXT: Final = 250  # words; questions about cookies can be long
WORDS_A_SIGN: Final = 40  # a text about cookies names them at least once in so many words
ROOM: Final = 30  # characters that a line may have besides the phrase it is known by
MAX_LINE: Final = 120  # characters of a line that may announce something
SURE_DATE: Final = 0.8  # confidence of a date that the page declares
MANY_LINKS: Final = 15  # blocks of links that a listing has at least
HOME_LINKS: Final = 10  # and a home page, whose address says most already
MUCH_LINK_TEXT: Final = (
    0.3  # share of it on the page of a tag; a text with many references has less
)
SHORT_SLUG: Final = 3  # words that name a tag or a section; titles of articles have more

NO_TEXT: Final = "there is no text besides navigation and labels"

Sure = tuple[PageKind, str]


@dataclass(frozen=True)
class PageEvidence:
    """One page and all that was read of it."""

    page: Page
    body: Body
    metadata: Metadata
    address: UrlShape
    declared_type: DeclaredType

    @cached_property
    def declared(self) -> bool:
        """Whether the page declares itself an article, with a date."""
        dated = self.metadata.published.confidence >= SURE_DATE
        return self.declared_type.full_article or (self.declared_type.og_article and dated)

    @property
    def has_text(self) -> bool:
        """Whether there is anything that could be an article's text."""
        return self.body.word_count > 0 or self.declared_type.article_body

    @cached_property
    def titles(self) -> list[str]:
        """All that the page calls itself, ready to be compared: an error's heading may be "Sorry"."""
        title = self.metadata.title
        return _comparable([title.value, *(str(claim.value) for claim in title.claims)])

    @cached_property
    def lines(self) -> list[str]:
        """The titles and, of a small page, its short lines, ready to be compared."""
        if self.body.outline.characters > SMALL_PAGE:
            return self.titles
        return [*self.titles, *_comparable(self.body.outline.opening.splitlines())]


def _comparable(lines: Iterable[str]) -> list[str]:
    return [line.strip(" .!:…").casefold() for line in lines if 0 < len(line) <= MAX_LINE]


def sure_kind(case: PageEvidence) -> Sure | None:
    """The kind of a page that leaves no doubt, and why; None for all others."""
    for rule in _RULES:
        found = rule(case)
        if found is not None:
            return found
    return None


def _empty(case: PageEvidence) -> Sure | None:
    """A small page without text; of a large one, the weights can still tell what it is."""
    if case.has_text or case.body.outline.characters > SMALL_PAGE:
        return None
    return "empty", NO_TEXT if case.body.outline.blocks else "there is no text"


def _wall(case: PageEvidence) -> Sure | None:
    if case.declared:
        return None
    return _error(case) or _login(case) or _consent(case)


def _error(case: PageEvidence) -> Sure | None:
    if case.body.word_count > LITTLE_TEXT:
        return None
    whole = next((line for line in case.lines if line in ERROR_WHOLE_LINES), "")
    line = whole or next(_announced(case.lines, ERROR_LINES), "")
    return ("error", f"it says “{line}” and little else") if line else None


def _login(case: PageEvidence) -> Sure | None:
    words, characters = case.body.word_count, case.body.outline.characters
    if words > LITTLE_TEXT or case.page.tree.css_first("input[type=password]") is None:
        return None
    announced = next(_announced(case.titles, LOGIN_LINES), "")
    if not announced and (words > NEXT_TO_NOTHING or characters > SMALL_PAGE):
        return None
    return "login", "it asks for a password and says little else"


def _consent(case: PageEvidence) -> Sure | None:
    words = case.body.word_count
    if words > WALL_TEXT or case.metadata.published.value is not None:
        return None
    line = next(_announced(case.lines, CONSENT_LINES), "")
    if not line:
        return None
    text = case.body.text.casefold()
    signs = sum(map(text.count, CONSENT_WORDS))
    if words > NEXT_TO_NOTHING and signs * WORDS_A_SIGN < words:
        return None
    return "consent", f"it says “{line}” and little else"


def _search(case: PageEvidence) -> Sure | None:
    if not case.address.searches or case.declared or not _many_links(case):
        return None
    return "listing", "its address asks for results of a search"


def _home(case: PageEvidence) -> Sure | None:
    if not case.address.home or case.declared or case.body.outline.signposts < HOME_LINKS:
        return None
    return "listing", "it is a home page with many links"


def _tag(case: PageEvidence) -> Sure | None:
    known = case.metadata.published.value is not None or case.metadata.authors.value
    if known or case.declared or not case.address.section or not _many_links(case):
        return None
    if case.address.slug_words > SHORT_SLUG or case.body.outline.linked_share < MUCH_LINK_TEXT:
        return None
    return "listing", "its address is that of a tag or a section, and it has many links"


def _many_links(case: PageEvidence) -> bool:
    return case.body.outline.signposts >= MANY_LINKS


def _announced(lines: Iterable[str], phrases: Iterable[str]) -> Iterator[str]:
    """The lines that hold a phrase and hardly anything else."""
    for line in lines:
        for phrase in phrases:
            if phrase in line and len(line) <= len(phrase) + ROOM:
                yield line


_RULES: Final[tuple[Callable[[PageEvidence], Sure | None], ...]] = (
    _wall,
    _search,
    _home,
    _tag,
    _empty,
)
