"""What no table of weights can see: threads of comments, repeats, the title again, loose ends.

Each rule takes the decisions and drops blocks, or brings one back, and names itself as the reason.
A rule never drops long prose for a class name alone unless the page has enough prose elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import compress
from typing import Final

from wireroom.parse.body.author_notes import author_notes
from wireroom.parse.body.block_features import IDEOGRAPHS, LONG_TEXT, Measured
from wireroom.parse.body.blocks import CAPTION, CELL, CODE, HEADING, ITEM, PARAGRAPH, Columns
from wireroom.parse.body.boxes import announces_others, appeals, pointers
from wireroom.parse.body.captions import credit_lines, name_captions, pictures, without_credit
from wireroom.parse.body.element_names import NameTest, having
from wireroom.parse.body.notices import MAX_LINE, advertisements, bylines, is_byline, requests
from wireroom.parse.body.other_articles import headline_of, other_articles
from wireroom.parse.body.paper_notes import contents, paper_notes, repeated_quotes, wordless
from wireroom.parse.body.standfirst import standfirst

MIN_REPEAT: Final = 25  # characters; shorter blocks repeat for good reasons ("Yes", "Price")
MIN_LONG_REPEAT: Final = 80  # characters of an item, or of a line beside the first one
MAX_TITLE: Final = 250  # characters of a title that are compared
MIN_TITLE_WORDS: Final = 3
MIN_TITLE_SIGNS: Final = 6  # ideographs and kana that say as much as three words
TITLE_COVER: Final = 0.6  # share of the title's words that make a block its repeat
ENOUGH_ELSEWHERE: Final = 400  # characters of prose outside the comments that make them comments
LINE_OF_LINKS: Final = 0.8  # share of link text that makes a line a signpost
MOST_CELLS: Final = 0.5  # share of a table's cells that make it a table of the text
CLOSE_BY: Final = 2  # blocks below a list of links in which other articles are announced

_COMMENTS: Final = NameTest(
    re.compile(
        r"(?:^|[^a-z])(?:comments?|commentlist|commentarea|disqus|replies|comentarios|kommentare?"
        r"|commentaires|commenti)(?:$|[^a-z])|comment-?(?:list|thread|body|content|section)"
    )
)
_NO_THREADS: Final = frozenset(("main", "article", "p"))
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
    descriptions: Callable[[], tuple[str, ...]] = tuple
    """What the page says of itself in its head; looked up only when somebody asks."""
    is_boilerplate: Callable[[str], bool] | None = None
    """Whether a text is known to repeat across the publisher's pages, where these are known."""
    keep_pictures: bool = True
    """Whether captions and the words of images belong to the body."""
    pointers: set[int] = field(default_factory=set)
    """Blocks that were dropped because they point to another article: pictures look past them."""
    excluded: set[int] = field(default_factory=set)
    """Blocks that a rule dropped for what they are: nothing brings them back."""
    headline: int | None = None
    """The block that is the page's headline."""
    title_words: list[set[str]] = field(init=False)
    """The words of each title."""
    _kept: list[int] | None = field(default=None, init=False)
    """The kept blocks, as long as no decision has changed."""

    def __post_init__(self) -> None:
        lowered = (title[:MAX_TITLE].lower() for title in self.titles if title)
        self.title_words = [set(_WORD.findall(title)) for title in lowered]

    def drop(self, block: int, reason: str, *, for_its_place: bool = False) -> None:
        """Drops a block, and says which rule did."""
        self.keep[block] = False
        if not for_its_place:
            self.excluded.add(block)
        self._say(block, reason)

    def bring_back(self, block: int, reason: str) -> None:
        """Keeps a block after all, and says which rule did."""
        self.keep[block] = True
        self._say(block, reason)

    def _say(self, block: int, reason: str) -> None:
        self.reason[block] = reason
        self.pointers.discard(block)
        self._kept = None

    def is_title(self, text: str) -> bool:
        """Whether a text says what the page calls itself."""
        return _is_title(set(_WORD.findall(text[:MAX_TITLE].lower())), self.title_words)

    def is_open(self, block: int) -> bool:
        """Whether a block is kept, or went for its place alone: not for what it says."""
        if block in self.excluded:
            return False
        return self.is_boilerplate is None or not self.is_boilerplate(self.columns.text[block])

    def kept(self) -> list[int]:
        """The numbers of the blocks kept so far; not to be changed by who asks."""
        if self._kept is None:
            self._kept = list(compress(range(len(self.keep)), self.keep))
        return self._kept


def apply_rules(draft: BlockDecisions, *, any_kind: bool = False) -> None:
    """Runs every rule once, in order; of a page of `any_kind` those that do not hold for articles alone."""
    if not draft.keep:
        return
    name_captions(draft.columns, draft.measured)
    draft.headline = headline_of(draft.columns, draft.is_title)
    for rule in _RULES:
        if not any_kind or rule not in _OF_ARTICLES:
            rule(draft)


def _unseen(draft: BlockDecisions) -> None:
    """What a page does not show is not what it says."""
    for block in draft.measured.unseen:
        if draft.keep[block]:
            draft.drop(block, "hidden from readers")


def _comment_threads(draft: BlockDecisions) -> None:
    """Readers' words are not the article, unless nearly all of the page is theirs (a forum)."""
    columns, good = draft.columns, draft.measured.good
    words = _COMMENTS.among(draft.measured.words)
    if not words:
        return
    threads = having(words, draft.measured.names)
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


def _repeats(draft: BlockDecisions) -> None:
    """The same words twice are a pull quote, a phone's copy of the page, a teaser."""
    seen: dict[str, int] = {}
    for block in draft.kept():
        text = draft.columns.text[block]
        if len(text) < MIN_REPEAT or draft.columns.kind[block] in (CELL, CODE):
            continue
        if text not in seen:
            seen[text] = block
        elif not _says_it_again(draft.columns, seen[text], block):
            draft.drop(block, "repeats an earlier block")


def _says_it_again(columns: Columns, before: int, block: int) -> bool:
    """Whether a short line is repeated on purpose: an entry of another list, what somebody answers."""
    if len(columns.text[block]) >= MIN_LONG_REPEAT:
        return False
    return columns.kind[block] == ITEM or (
        columns.kind[block] == PARAGRAPH
        and columns.parent[columns.home[block]] == columns.parent[columns.home[before]]
    )


def _title_again(draft: BlockDecisions) -> None:
    """The title is a field of its own; in the body it would stand twice."""
    headline = draft.headline
    if headline is not None and draft.keep[headline] and _is_h1(draft.columns, headline):
        draft.drop(headline, "repeats the title")
    longest = max((len(title[:MAX_TITLE].lower()) for title in draft.titles), default=0)
    if not longest:
        return
    for block in draft.kept():
        text = draft.columns.text[block]
        if "\n" in text and len(text) <= longest + MAX_LINE and _is_title_and_byline(draft, text):
            draft.drop(block, "repeats the title")
        if len(text) > longest or draft.columns.kind[block] in (ITEM, CELL, CODE):
            continue
        if draft.columns.kind[block] == HEADING and not _is_h1(draft.columns, block):
            continue
        if _is_title(set(_WORD.findall(text.lower())), draft.title_words):
            draft.drop(block, "repeats the title")


def _is_title_and_byline(draft: BlockDecisions, text: str) -> bool:
    """Old pages set the title and who wrote it in one cell, with a line break between them."""
    title, *others = text.split("\n")
    return draft.is_title(title) and all(map(is_byline, others))


def _is_h1(columns: Columns, block: int) -> bool:
    return columns.tag[columns.home[block]] == "h1" and len(columns.text[block]) <= MAX_TITLE


def _is_title(words: set[str], titles: list[set[str]]) -> bool:
    return any(
        words <= title and _size(words) >= TITLE_COVER * _size(title) for title in titles
    ) and _says_enough(words)


def _size(words: set[str]) -> int:
    """How much words say: where no blanks stand between words, a clause looks like one of them."""
    together = "".join(words)
    return len(together) if IDEOGRAPHS.search(together) else len(words)


def _says_enough(words: set[str]) -> bool:
    """Whether words may be a title: three of them, or a clause in a script that puts no blanks between words."""
    if len(words) >= MIN_TITLE_WORDS:
        return True
    together = "".join(words)
    return len(together) >= MIN_TITLE_SIGNS and IDEOGRAPHS.search(together) is not None


def _other_articles(draft: BlockDecisions) -> None:
    """The page is about one article, whatever it puts below it."""
    columns = draft.columns
    if draft.headline is None:
        return
    boxes = other_articles(columns, draft.measured.names, draft.keep, draft.headline)
    if not boxes:
        return
    inside = [False]
    for element, outer in enumerate(columns.parent[1:], 1):
        inside.append(inside[outer] or element in boxes)
    for block in draft.kept():
        if inside[columns.home[block]]:
            draft.drop(block, "another article")


def _contents(draft: BlockDecisions) -> None:
    """A table of contents says each heading once more, and before it: the heading would be the repeat."""
    for block in contents(draft.columns, draft.kept()):
        draft.drop(block, "table of contents")


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
    beside = _beside(draft.kept())
    alone = []
    for block in headings:
        box = columns.parent[columns.home[block]]
        if box <= 0 or any(_is_inside(columns, other, box) for other in beside[block]):
            continue
        if _is_inside(columns, block - 1, box) or _is_inside(columns, block + 1, box):
            alone.append(block)
    for block in alone:
        draft.drop(block, "heading of a dropped box", for_its_place=True)


def _beside(kept: list[int]) -> dict[int, tuple[int, int]]:
    """For each kept block the one before it and the one after it, or -1."""
    return dict(zip(kept, zip([-1, *kept[:-1]], [*kept[1:], -1], strict=True), strict=True))


def _is_inside(columns: Columns, block: int, box: int) -> bool:
    """Whether there is such a block, in this element or in one inside: those stand in a row."""
    if not 0 <= block < len(columns.home):
        return False
    element = columns.home[block]
    while element > box:
        element = columns.parent[element]
    return element == box


def _tail(draft: BlockDecisions) -> None:
    """An article does not end on headings and signposts.

    A list of links with a line of its own above stays where other articles are announced below it: that line ends the
    article, and the list is its last part.
    """
    columns = draft.columns
    tail: list[int] = []
    for block in reversed(draft.kept()):
        is_end = columns.kind[block] == HEADING or _is_signpost(columns, block)
        if not is_end and not announces_others(columns, block):
            break
        tail.append(block)
    for block in tail[: _listed_above(draft, tail)]:
        draft.drop(block, "tail of headings and links", for_its_place=True)


def _is_signpost(columns: Columns, block: int) -> bool:
    return columns.linked[block] >= LINE_OF_LINKS * columns.chars[block]


def _listed_above(draft: BlockDecisions, tail: list[int]) -> int:
    """Up to where a tail, the last block first, is one: below a list that other articles are announced after."""
    columns = draft.columns
    announced = False
    has_label: bool | None = (
        None  # of the list that is gone through: looked up once, not for each item
    )
    for place, block in enumerate(tail):
        below = range(block + 1, min(block + 1 + CLOSE_BY, len(columns.text)))
        announced = announced or any(announces_others(columns, other) for other in below)
        if columns.kind[block] != ITEM:
            has_label = None
        elif announced and has_label is None:
            has_label = _has_label(draft, block)
        if has_label:
            return place
    return len(tail)


def _has_label(draft: BlockDecisions, item: int) -> bool:
    """Whether the list of an item has a line above it that says what is listed, and announces no other articles."""
    columns, kept = draft.columns, draft.kept()
    at = bisect(kept, item) - 1
    while at >= 0 and columns.kind[kept[at]] == ITEM:
        at -= 1
    label = kept[at] if at >= 0 else -1
    return (
        label >= 0
        and (columns.kind[label] == HEADING or columns.text[label][-1] in ":：")
        and not announces_others(columns, label)
    )


def _whole_tables(draft: BlockDecisions) -> None:
    """A table is read whole or not at all: where most of its cells are kept, the others are as well."""
    if CELL not in draft.columns.kind:
        return
    for cells in _tables(draft.columns).values():
        kept = sum(map(draft.keep.__getitem__, cells))
        if MOST_CELLS * len(cells) <= kept < len(cells):
            for cell in cells:
                if not draft.keep[cell] and draft.is_open(cell):
                    draft.bring_back(cell, "table of the text")


def _tables(columns: Columns) -> dict[int, list[int]]:
    """The cells of each table."""
    tables: defaultdict[int, list[int]] = defaultdict(list)
    for block, kind in enumerate(columns.kind):
        if kind == CELL:
            element = columns.home[block]
            while element > 0 and columns.tag[element] != "table":
                element = columns.parent[element]
            tables[element].append(block)
    return tables


def _code_between(draft: BlockDecisions) -> None:
    """Code with text of the article right before and after it, in the same box, belongs to it."""
    columns = draft.columns
    if CODE not in columns.kind:
        return
    kept = draft.kept()
    for block in [block for block, kind in enumerate(columns.kind) if kind == CODE]:
        if draft.keep[block] or not draft.is_open(block):
            continue
        at = bisect(kept, block)
        box = columns.parent[columns.home[block]]
        beside = kept[max(at - 1, 0) : at + 1]
        if len(beside) == 2 and all(columns.parent[columns.home[b]] == box for b in beside):
            draft.bring_back(block, "code between paragraphs")


def _sections_before(draft: BlockDecisions) -> None:
    """Before its first paragraph an article has no list or row of links: those lead to the paper's sections."""
    columns, good = draft.columns, draft.measured.good
    for block in draft.kept():
        if good[block]:
            return
        if _is_signpost(columns, block) and columns.kind[block] in (CELL, ITEM):
            draft.drop(block, "links before the text", for_its_place=True)


def _pictures(draft: BlockDecisions) -> None:
    """The words of pictures stay by the article's text, without the names of those who took them."""
    columns = draft.columns
    if draft.keep_pictures:
        skipped = draft.pointers | draft.measured.unseen
        for block, reason in pictures(columns, draft.measured, draft.keep, skipped, draft.is_title):
            draft.bring_back(block, reason)
    for block in draft.kept():
        if columns.kind[block] == CAPTION:
            columns.text[block] = without_credit(columns, block)
            if not columns.text[block]:
                draft.drop(block, "credit of a picture")


def _notices(draft: BlockDecisions) -> None:
    """What the paper says in between is no word of the article."""
    for rule, reason in _NOTICES:
        for block in rule(draft.columns, draft.measured, draft.kept()):
            draft.drop(block, reason)


_NOTICES: Final = (
    (advertisements, "advertisement"),
    (requests, "asks to subscribe, sign in or consent"),
    (bylines, "byline or date"),
    (paper_notes, "note of the paper"),
    (repeated_quotes, "quotation that the text has, too"),
    (wordless, "no word"),
)


def _author_notes(draft: BlockDecisions) -> None:
    """Who wrote it is a field of its own."""
    for block in author_notes(draft.columns, draft.measured, draft.kept()):
        draft.drop(block, "note on the author")


def _credits(draft: BlockDecisions) -> None:
    """Who took a picture is no word of the article."""
    for block in credit_lines(draft.columns, draft.measured, draft.kept()):
        draft.drop(block, "credit of a picture")


def _standfirst(draft: BlockDecisions) -> None:
    """The standfirst is the first paragraph of the text, whatever the header makes of it."""
    columns = draft.columns
    if draft.headline is None:
        return
    for block in standfirst(
        columns, draft.measured, draft.keep, draft.headline, draft.is_open, draft.descriptions
    ):
        columns.kind[block] = PARAGRAPH
        draft.bring_back(block, "standfirst")


def _lone_line(draft: BlockDecisions) -> None:
    """A page that holds a short line and no headline ("Sign in to go on") says no article.

    The weights have learned from articles, where a first line without links belongs to the text.
    """
    if draft.headline is not None or any(draft.measured.good):
        return
    texts = [draft.columns.text[block] for block in draft.kept()]
    if sum(map(len, texts)) < LONG_TEXT:
        for block in draft.kept():
            draft.drop(block, "a short line and nothing else")


_RULES: Final[tuple[Callable[[BlockDecisions], None], ...]] = (
    _unseen,
    _comment_threads,
    _other_articles,
    _contents,
    _title_again,
    _repeats,
    _pointers,
    _appeals,
    _notices,
    _author_notes,
    _credits,
    _headings_of_dropped_boxes,
    _sections_before,
    _whole_tables,
    _code_between,
    _tail,
    _pictures,
    _standfirst,
    _lone_line,
)
_OF_ARTICLES: Final = frozenset(
    (
        _comment_threads,
        _author_notes,
        _headings_of_dropped_boxes,
        _sections_before,
        _tail,
        _lone_line,
    )
)
"""A forum is made of what readers say, a listing of headings and links."""
