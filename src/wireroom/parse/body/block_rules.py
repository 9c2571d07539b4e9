"""What no table of weights can see: threads of comments, repeats, the title again, loose ends.

Each rule takes the decisions and drops blocks, or brings one back, and names itself as the reason.
A rule never drops long prose for a class name alone unless the page has enough prose elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress
from typing import Final

from wireroom.parse.body.block_features import Measured, sum_up
from wireroom.parse.body.blocks import ALT, CAPTION, CELL, CODE, HEADING, ITEM, Columns
from wireroom.parse.body.boxes import appeals, pointers
from wireroom.parse.body.other_articles import other_articles

MIN_REPEAT: Final = 25  # characters; shorter blocks repeat for good reasons ("Yes", "Price")
MAX_TITLE: Final = 250  # characters of a title that are compared
MIN_TITLE_WORDS: Final = 3
TITLE_COVER: Final = 0.6  # share of the title's words that make a block its repeat
ENOUGH_ELSEWHERE: Final = 400  # characters of prose outside the comments that make them comments
LINE_OF_LINKS: Final = 0.8  # share of link text that makes a line a signpost
CLOSE_BY: Final = 2  # blocks between a picture and the text it belongs to
MIN_ALT_WORDS: Final = 2  # fewer are a name of a file or of nothing
MAX_KNOWN: Final = 0.6  # share of an image's words that the text may say already
MAX_LOOK: Final = 200  # characters of a block looked at by a pattern

_COMMENTS: Final = re.compile(
    r"(?:^|[^a-z])(?:comments?|commentlist|commentarea|disqus|replies|comentarios|kommentare?"
    r"|commentaires|commenti)(?:$|[^a-z])|comment-?(?:list|thread|body|content|section)"
)
_NO_THREADS: Final = frozenset(("main", "article", "p"))
_DATA: Final = re.compile(r"[\[{]\s*[\[{\"'].{0,150}[\"']\s*:", re.DOTALL)
_WORD: Final = re.compile(r"\w+")


@dataclass(slots=True)
class BlockDecisions:
    """The decisions so far, open to the rules."""

    columns: Columns
    measured: Measured
    keep: list[bool]
    reason: list[str]
    titles: tuple[str, ...] = ()
    """What the page calls itself: its title element, og:title."""
    keep_pictures: bool = True
    """Whether captions and the words of images belong to the body."""
    pointers: set[int] = field(default_factory=set)
    """Blocks that were dropped because they point to another article: pictures look past them."""

    def drop(self, block: int, reason: str) -> None:
        """Drops a block, and says which rule did."""
        self.keep[block] = False
        self._say(block, reason)

    def bring_back(self, block: int, reason: str) -> None:
        """Keeps a block after all, and says which rule did."""
        self.keep[block] = True
        self._say(block, reason)

    def _say(self, block: int, reason: str) -> None:
        self.reason[block] = reason
        self.pointers.discard(block)

    def kept(self) -> list[int]:
        """The numbers of the blocks kept so far."""
        return list(compress(range(len(self.keep)), self.keep))


def apply_rules(draft: BlockDecisions) -> None:
    """Runs every rule once, in order."""
    if not draft.keep:
        return
    for rule in _RULES:
        rule(draft)


def _unseen(draft: BlockDecisions) -> None:
    """What a page does not show is not what it says."""
    for block in draft.measured.unseen:
        if draft.keep[block]:
            draft.drop(block, "hidden from readers")


def _comment_threads(draft: BlockDecisions) -> None:
    """Readers' words are not the article, unless nearly all of the page is theirs (a forum)."""
    columns, good = draft.columns, draft.measured.good
    threads = {name for name in set(draft.measured.names) if _says_comments(name)}
    if not threads:
        return
    inside = _elements_inside(columns, draft.measured.names, threads)
    elsewhere = sum(
        length for length, home in zip(good, columns.home, strict=True) if not inside[home]
    )
    if elsewhere < ENOUGH_ELSEWHERE:
        return
    for block in draft.kept():
        if inside[columns.home[block]]:
            draft.drop(block, "comment thread")


def _elements_inside(columns: Columns, names: list[str], threads: set[str]) -> list[bool]:
    """Which elements stand in one that bears such a name; the article's own box may say anything."""
    inside = [False]
    for outer, tag, name in zip(columns.parent[1:], columns.tag[1:], names[1:], strict=True):
        inside.append(inside[outer] or (name in threads and tag not in _NO_THREADS))
    return inside


@lru_cache(maxsize=8192)  # pages of one publisher share their names
def _says_comments(names: str) -> bool:
    """Whether a class or id speaks of comments; the quick look spares the pattern most names."""
    names = names[:MAX_LOOK].lower()
    hinted = "comment" in names or "disqus" in names or "replies" in names or "komment" in names
    return (hinted or "comentario" in names) and _COMMENTS.search(names) is not None


def _repeats(draft: BlockDecisions) -> None:
    """The same words twice are a pull quote, a phone's copy of the page, a teaser."""
    seen: set[str] = set()
    for block in draft.kept():
        text = draft.columns.text[block]
        if len(text) < MIN_REPEAT or draft.columns.kind[block] in (CELL, CODE):
            continue
        if text in seen:
            draft.drop(block, "repeats an earlier block")
        seen.add(text)


def _title_again(draft: BlockDecisions) -> None:
    """The title is a field of its own; in the body it would stand twice."""
    lowered = [title[:MAX_TITLE].lower() for title in draft.titles if title]
    if not lowered:
        return
    titles = [set(_WORD.findall(title)) for title in lowered]
    longest = max(map(len, lowered))
    for block in draft.kept():
        text = draft.columns.text[block]
        if len(text) > longest or draft.columns.kind[block] in (ITEM, CELL, CODE):
            continue
        heading = draft.columns.kind[block] == HEADING
        if heading and draft.columns.tag[draft.columns.home[block]] != "h1":
            continue
        if _is_title(set(_WORD.findall(text.lower())), titles):
            draft.drop(block, "repeats the title")


def _is_title(words: set[str], titles: list[set[str]]) -> bool:
    return len(words) >= MIN_TITLE_WORDS and any(
        words <= title and len(words) >= TITLE_COVER * len(title) for title in titles
    )


def _other_articles(draft: BlockDecisions) -> None:
    """The page is about one article, whatever it puts below it."""
    titles = [
        words for title in draft.titles if (words := set(_WORD.findall(title[:MAX_TITLE].lower())))
    ]

    def is_title(text: str) -> bool:
        return _is_title(set(_WORD.findall(text[:MAX_TITLE].lower())), titles)

    columns = draft.columns
    boxes = other_articles(columns, draft.measured.names, draft.keep, is_title)
    if not boxes:
        return
    inside = [False]
    for element, outer in enumerate(columns.parent[1:], 1):
        inside.append(inside[outer] or element in boxes)
    for block in draft.kept():
        if inside[columns.home[block]]:
            draft.drop(block, "another article")


def _data(draft: BlockDecisions) -> None:
    """Some pages leave the settings of a widget in plain sight."""
    for block in draft.kept():
        text = draft.columns.text[block]
        if text[0] in "[{" and draft.columns.kind[block] != CODE and _DATA.match(text[:MAX_LOOK]):
            draft.drop(block, "data, not text")


def _pointers(draft: BlockDecisions) -> None:
    """A link to another article between two paragraphs is no word of this one."""
    for block in pointers(draft.columns, draft.measured, draft.kept()):
        draft.drop(block, "points to another article")
        draft.pointers.add(block)


def _appeals(draft: BlockDecisions) -> None:
    """Where the free part ends, a box asks to subscribe."""
    for block in appeals(draft.columns, draft.measured, draft.kept()):
        draft.drop(block, "appeal to subscribe")


def _headings_of_dropped_boxes(draft: BlockDecisions) -> None:
    """A heading goes with its box: the box of a newsletter has nothing else that was kept."""
    columns = draft.columns
    headings = [block for block in draft.kept() if columns.kind[block] == HEADING]
    if not headings:
        return
    kept, total = [0] * len(columns.parent), [0] * len(columns.parent)
    for home, keep in zip(columns.home, draft.keep, strict=True):
        total[home] += 1
        kept[home] += keep
    sum_up(columns.parent, kept)
    sum_up(columns.parent, total)
    for block in headings:
        box = columns.parent[columns.home[block]]
        if box > 0 and kept[box] == 1 < total[box]:
            draft.drop(block, "heading of a dropped box")


def _tail(draft: BlockDecisions) -> None:
    """An article does not end on headings and signposts."""
    columns = draft.columns
    for block in reversed(draft.kept()):
        signpost = columns.linked[block] >= LINE_OF_LINKS * columns.chars[block]
        if columns.kind[block] != HEADING and not signpost:
            return
        draft.drop(block, "tail of headings and links")


def _pictures(draft: BlockDecisions) -> None:
    """Captions, and what images say of themselves, stay where they stand between kept blocks.

    The weights cannot tell: few of the texts they learned from hold captions. An image's own words
    stay when it is the only one, or when they say something that the text does not.
    """
    if not draft.keep_pictures:
        return
    columns = draft.columns
    alts = []
    for block in _pictures_in_between(draft):
        if columns.kind[block] == CAPTION:
            draft.bring_back(block, "caption between kept blocks")
        elif not _has_caption(columns, block):
            alts.append(block)
    spoken = _spoken(draft) if len(alts) > 1 else ""
    for block in alts:
        if len(alts) == 1 or _says_something_new(columns.text[block], spoken):
            draft.bring_back(block, "image between kept blocks")


def _spoken(draft: BlockDecisions) -> str:
    return " ".join(draft.columns.text[block] for block in draft.kept()).lower()


def _pictures_in_between(draft: BlockDecisions) -> list[int]:
    """Captions and images in the container that have a kept block close by on either side."""
    columns, keep = draft.columns, draft.keep
    if CAPTION not in columns.kind and ALT not in columns.kind:
        return []
    inside = elements_within(columns, draft.measured.container)
    around = [block for block in range(len(keep)) if block not in draft.pointers]
    near = [keep[place] for place in around]
    seen: set[str] = set()
    found = []
    for place, block in enumerate(around):
        kind = columns.kind[block]
        if kind not in (CAPTION, ALT) or keep[block] or not inside[columns.home[block]]:
            continue
        signpost = columns.linked[block] > columns.chars[block] / 2
        between = any(near[max(place - CLOSE_BY, 0) : place]) and any(
            near[place + 1 : place + 1 + CLOSE_BY]
        )
        if between and not signpost and columns.text[block] not in seen:
            seen.add(columns.text[block])
            found.append(block)
    return found


def elements_within(columns: Columns, container: int) -> list[bool]:
    """Which elements are the container or stand in it."""
    inside = [container == 0]
    for element, outer in enumerate(columns.parent[1:], 1):
        inside.append(inside[outer] or element == container)
    return inside


def _has_caption(columns: Columns, block: int) -> bool:
    return CAPTION in columns.kind[block + 1 : block + 1 + CLOSE_BY]


def _says_something_new(text: str, spoken: str) -> bool:
    words = _WORD.findall(text.lower())
    known = sum(_stands_in(word, spoken) for word in words)
    return len(words) >= MIN_ALT_WORDS and known <= MAX_KNOWN * len(words)


def _stands_in(word: str, text: str) -> bool:
    """Whether a text holds a word as such, not as part of another."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_is_of_a_word(text[start - 1 : start]) or _is_of_a_word(text[end : end + 1])):
            return True
        start = text.find(word, end)
    return False


def _is_of_a_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


_RULES: Final[tuple[Callable[[BlockDecisions], None], ...]] = (
    _unseen,
    _comment_threads,
    _other_articles,
    _data,
    _title_again,
    _repeats,
    _pointers,
    _appeals,
    _headings_of_dropped_boxes,
    _tail,
    _pictures,
)
