"""What each place and rule brings to title, authors and date: switched off one at a time.

`bench/metadata.py --rules [WORD]` prints it; WORD picks rules by a part of their names. A page is parsed once and its
evidence read once; every rule then costs no more than deciding anew. Differences are paired by page, their intervals
(95 %) come from 1,000 samples of sites, so that no publisher counts for more than one draw. Pages of all kinds take
part; the development set has no tags to judge by. Not a bench by itself.
"""

# ruff: noqa: SLF001 - what is switched off here is private to its module

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import metadata as bench
import wcxb
from wireroom.parse.html import open_page
from wireroom.parse.metadata import (
    authors,
    head,
    headlines,
    metadata_reader,
    nearby,
    person_names,
    titles,
    visible,
    when,
)
from wireroom.parse.metadata.metadata_sources import Sources
from wireroom.parse.metadata.types import Field

SAMPLES = 1_000
FIELDS: dict[str, Callable[[Sources], Field[Any]]] = {
    "title": titles.title,
    "authors": authors.authors,
    "date": when.published,
}


class Rule(NamedTuple):
    """A place or rule of one field, and how to do without it."""

    field: str
    name: str
    without: Callable[[Sources], Sources] = lambda sources: sources
    patches: tuple[tuple[ModuleType | type, str, Any], ...] = ()
    reads_anew: bool = False
    """Whether the page has to be read again, because the rule is at work while evidence is gathered."""


# --- ways to do without ---------------------------------------------------------------------------


def _metas(*names: str) -> Callable[[Sources], Sources]:
    def without(sources: Sources) -> Sources:
        kept = {name: held for name, held in sources.head.metas.items() if name not in names}
        return replace(sources, head=replace(sources.head, metas=kept))

    return without


def _keys(place: str, *keys: str) -> Callable[[Sources], Sources]:
    def without(sources: Sources) -> Sources:
        nodes = getattr(sources, place)
        kept = [{key: node[key] for key in node if key not in keys} for node in nodes]
        changed: Any = {place: kept}
        return replace(sources, **changed)

    return without


def _seen(**shown: Any) -> Callable[[Sources], Sources]:
    def without(sources: Sources) -> Sources:
        changed = copy.copy(sources.visible)
        vars(changed).update(shown)
        return replace(sources, visible=changed)

    return without


def _no_page_title(sources: Sources) -> Sources:
    return replace(sources, head=replace(sources.head, title=""))


def _no_address(sources: Sources) -> Sources:
    return replace(sources, url="")


def _none(*_: object, **__: object) -> list[Any]:
    return []


def _never(*_: object) -> bool:
    return False


class _Nothing:
    """A pattern that is never found."""

    def search(self, *_: object) -> None:
        """Nothing."""

    match = fullmatch = search

    def sub(self, _: str, text: str, **__: object) -> str:
        """The text."""
        return text

    def split(self, text: str, **__: object) -> list[str]:
        """The text."""
        return [text]


NOTHING = _Nothing()


def _off(module: ModuleType | type, **names: Any) -> tuple[tuple[ModuleType | type, str, Any], ...]:
    return tuple((module, name, value) for name, value in names.items())


def _of_title() -> Iterator[Rule]:
    yield Rule("title", "json-ld headline", _keys("nodes", "headline", "name"))
    yield Rule("title", "microdata headline", _keys("items", "headline", "name"))
    yield Rule("title", "og:title", _metas("og:title"))
    yield Rule("title", "twitter:title", _metas("twitter:title"))
    yield Rule("title", "title", _no_page_title)
    yield Rule("title", "h1", _seen(headlines=[]))
    yield Rule("title", "other headings", _seen(lesser_headings=[], called_headlines=[]))
    yield Rule("title", "elements called a headline", _seen(called_headlines=[]))
    yield Rule("title", "publisher's name taken off", patches=_off(titles, _without_names=lambda text, _: text))  # fmt: skip
    yield Rule("title", "a publisher's name that only begins alike", patches=_off(titles, _is_publisher=lambda part, names: person_names.name_key(part) in names))  # fmt: skip
    yield Rule("title", "h1 that is a logo", patches=_off(titles, _is_logo=_never))
    yield Rule("title", "h1 of several parts", patches=_off(titles, headline_parts=_none))
    yield Rule("title", "kicker by class", patches=_off(titles, without_kicker=lambda _: ""))
    yield Rule("title", "doubted h1", patches=_off(titles, _doubted=lambda votes, *_: votes))
    yield Rule("title", "h1 that is alien", patches=_off(titles, ALIEN=0.0))
    yield Rule("title", "h1 called a subtitle", patches=_off(titles, is_subtitle=_never))
    yield Rule("title", "copies count little", patches=_off(titles, COPY=1.0))
    yield Rule("title", "of several h1 one counts", patches=_off(titles, SECOND_H1=titles.H1))
    yield Rule("title", "part of the page's title", patches=_off(titles, _page_title=lambda sources, _, logos: titles._without_names(sources.head.title, sources.publisher_keys | logos)))  # fmt: skip
    yield Rule("title", "page's title alone", patches=_off(titles, _alone=lambda text, _: text))
    yield Rule("title", "a blog's copy of og:title", patches=_off(titles, _is_blog=_never))
    yield Rule("title", "questions that people have", patches=_off(titles, _is_one_of_many=_never))
    yield Rule("title", "cut titles made whole", patches=_off(titles, _whole=lambda vote, _: vote))
    yield Rule(
        "title", "a product after its maker", patches=_off(titles, _is_name=titles._is_publisher)
    )
    yield Rule("title", "signs of links", patches=_off(titles, _ANCHORS=" "))
    yield Rule("title", "words in spans", patches=_off(visible, headline_text=lambda node: head.text_below(node, 500)), reads_anew=True)  # fmt: skip
    yield Rule("title", "h1 that nobody closed", patches=_off(headlines, LONG_HEADLINE=10**6), reads_anew=True)  # fmt: skip


def _of_authors() -> Iterator[Rule]:
    metas = {"AUTHOR_METAS": (), "PLAIN_AUTHOR_METAS": ()}
    yield Rule("authors", "json-ld", _keys("nodes", "author", "creator"))
    yield Rule("authors", "microdata", _keys("items", "author", "creator"))
    yield Rule("authors", "all metas", patches=_off(authors, **metas))
    yield Rule("authors", "metas of services", patches=_off(authors, AUTHOR_METAS=()))
    yield Rule("authors", "plain metas", patches=_off(authors, PLAIN_AUTHOR_METAS=()))
    yield Rule("authors", "Twitter's label", patches=_off(authors, WRITTEN_BY=frozenset()))
    yield Rule("authors", "rel=author", _seen(author_links=[]))
    yield Rule("authors", "all of what is seen", patches=_off(authors, _near_headline=_none, _elsewhere=_none))  # fmt: skip
    yield Rule("authors", "byline classes", _seen(_named=([], [])))
    yield Rule("authors", "lines near the headline", _seen(lines=([], [])))
    yield Rule("authors", "lines before the headline", patches=_off(visible, lines_before=_none), reads_anew=True)  # fmt: skip
    yield Rule("authors", "label in a line of its own", patches=_off(authors, is_label=_never))
    yield Rule("authors", "links to an author's page", _seen(linked_authors=[]))
    yield Rule("authors", "boxes about one author", patches=_off(authors, _apart=_none))
    yield Rule("authors", "publisher is no author", patches=_off(authors, _is_publisher=_never))
    yield Rule("authors", "inner box without a role", patches=_off(authors, _bare=lambda names, *_: names))  # fmt: skip
    yield Rule("authors", "organisation last", patches=_off(authors, _anybody=lambda _: None))
    yield Rule("authors", "linked data says organisation", patches=_off(authors, is_organisation=_never))  # fmt: skip
    yield Rule(
        "authors", "a sentence below an empty byline", patches=_off(authors, _is_sentence=_never)
    )
    for name, pattern in (
        ("what is noise", "_NOISE"),
        ("where a line is cut", "_CUT"),
        ("introductions", "_BY"),
        ("introductions in 45 languages", "_OPENER _LABELLED"),
        ("introductions of Chinese, Japanese, Korean", "_EASTERN_BY _EASTERN_ROLE"),
        ("roles behind a name", "_TRAILING_ROLE"),
        ("degrees", "_CREDENTIAL _DEGREE"),
        ("pictures", "_PICTURES"),
        ("weekdays", "_WEEKDAY"),
        ("what follows a digit", "_FROM_DIGIT"),
        ("mail, then name", "_MAIL_THEN_NAME"),
        ("domains are no people", "_DOMAIN"),
        ("begins with an article", "_ARTICLE_FIRST"),
        ("several names by and", "_AND _SHORT_AND"),
    ):
        yield Rule("authors", f"names: {name}", patches=_off(person_names, **dict.fromkeys(pattern.split(), NOTHING)))  # fmt: skip
    yield Rule("authors", "names: words of bodies", patches=_off(person_names, BODY_WORDS=frozenset(), BODY_SIGNS=()))  # fmt: skip
    yield Rule("authors", "names: words of boxes", patches=_off(person_names, BOX_WORDS=frozenset()))  # fmt: skip
    yield Rule("authors", "names: nobody", patches=_off(person_names, NOBODY=frozenset()))
    yield Rule("authors", "names: family name first", patches=_off(person_names, _is_given_name=_never))  # fmt: skip
    yield Rule("authors", "names: month after a name", patches=_off(person_names, read_date=lambda _: None))  # fmt: skip


def _of_date() -> Iterator[Rule]:
    yield Rule("date", "json-ld datePublished", _keys("nodes", "datePublished"))
    yield Rule("date", "json-ld dateCreated", _keys("nodes", "dateCreated"))  # fmt: skip
    yield Rule("date", "json-ld of the page around", patches=_off(Sources, articles=property(lambda sources: sources.nodes)))  # fmt: skip
    yield Rule("date", "microdata", _keys("items", "datePublished", "dateCreated"))
    yield Rule("date", "metas of publication", patches=_off(when, PUBLISHED_METAS=()))
    yield Rule("date", "metas by pattern", patches=_off(when, _PUBLISHED_META=NOTHING))
    yield Rule("date", "plain date metas", patches=_off(when, DATE_METAS=()))
    yield Rule("date", "day in the address", patches=_off(when, _by_url=lambda _: None))
    yield Rule("date", "time with a telling class", patches=_off(when, _PUBLISHED_NAMES=NOTHING))
    yield Rule("date", "all times", _seen(times=[]))
    yield Rule("date", "all lines near the headline", _seen(lines=([], [])))
    yield Rule("date", "lines before the headline", patches=_off(visible, lines_before=_none), reads_anew=True)  # fmt: skip
    yield Rule("date", "words of publication", patches=_off(when, _LABEL=NOTHING))
    yield Rule("date", "words of change", patches=_off(when, _CHANGED=NOTHING))
    yield Rule("date", "elements called a date", _seen(_named=([], [])))
    yield Rule("date", "relative days", patches=_off(when, _relative=_none))
    yield Rule("date", "only date of the page", patches=_off(when, _only_date=_none))
    yield Rule("date", "only change", patches=_off(when, _only_change=_none))
    yield Rule("date", "only element in a margin", patches=_off(when, _only_element=_none))
    yield Rule("date", "shown before the stamp", patches=_off(when, _shown_before=_none))
    yield Rule("date", "slip by the page", patches=_off(when, _may_slip=_never))
    yield Rule("date", "slip by the address", patches=_off(when, _refined=lambda found, _: _REFINED(found, None)))  # fmt: skip
    yield Rule("date", "labelled elements", patches=_off(when, _labelled_elements=_none))
    yield Rule("date", "figures in two ways", patches=_off(when, _FIGURES=NOTHING))
    yield Rule("date", "no member's day", patches=_off(when, _MEMBER_SINCE=NOTHING))
    yield Rule("date", "no event, no copyright", patches=_off(when, _NOT_NEWS=NOTHING))
    yield Rule("date", "no year before 1995", patches=_off(when, FIRST_YEAR=1000))


_REFINED = when._refined


def _of_all() -> Iterator[Rule]:
    for field in FIELDS:
        yield Rule(field, "boxes that stand apart, by class", patches=_off(visible, _APART=NOTHING), reads_anew=True)  # fmt: skip
        yield Rule(field, "boxes of other stories, in lines", patches=_off(nearby, _OTHER_STORIES=NOTHING), reads_anew=True)  # fmt: skip
        yield Rule(field, "headline that the head knows", patches=_off(visible, ENOUGH=10.0), reads_anew=True)  # fmt: skip
        yield Rule(field, "bold letters of old pages", patches=_off(visible, OLD_HEADINGS=0), reads_anew=True)  # fmt: skip


def rules() -> list[Rule]:
    """All of them, by field."""
    return [*_of_title(), *_of_authors(), *_of_date(), *_of_all()]


# --- measuring ------------------------------------------------------------------------------------


class Page(NamedTuple):
    """A page of any kind, and the truth about it."""

    page: bench.Page
    site: str


def pages() -> list[Page]:
    """All development pages with what is true of them."""
    sites = {sample.id: sample.domain() for sample in wcxb.samples()}
    return [Page(page, sites[page.id]) for page in bench.pages(short=False, kinds=())]


@contextmanager
def _patched(rule: Rule) -> Iterator[None]:
    kept = [(place, name, vars(place)[name]) for place, name, _ in rule.patches]
    for place, name, value in rule.patches:
        setattr(place, name, value)
    _forget(rule)
    try:
        yield
    finally:
        for place, name, value in kept:
            setattr(place, name, value)
        _forget(rule)


def _forget(rule: Rule) -> None:
    """What was read with other rules."""
    places = [place for place, _, _ in rule.patches]
    if person_names in places:
        person_names.read_names.cache_clear()
    if when in places:
        when._dated.cache_clear()


def _sources(page: bench.Page, body: bytes) -> Sources:
    opened = open_page(body, url=page.url)
    return metadata_reader._gather(
        opened.tree, opened.elements, page.url, bench.FETCHED_AT, metadata_reader._NO_HINTS, None, "page"
    )[0]  # fmt: skip


def _answer(field: str, sources: Sources) -> bench.Answer:
    value = FIELDS[field](sources).value
    if field == "title":
        return bench.Answer(title=value)
    if field == "authors":
        return bench.Answer(authors=value)
    return bench.Answer(day=value.local_day.isoformat() if value else "")


Row = tuple[float, ...]
"""Title known, exact, loose; shared, all names; day known, right; no author known, none said; no date known, none said."""


def row_of(page: bench.Page, answer: bench.Answer) -> Row:
    """What an answer is worth."""
    names = bench.people(answer.authors or ())
    exact = bench.plain(page.title) == bench.plain(answer.title or "")
    return (
        *(float(bool(page.title)), float(exact), float(bench.is_alike(page.title, answer.title or ""))),
        *(2.0 * len(page.authors & names), float(len(page.authors) + len(names))),
        *(float(bool(page.day)), float(bool(page.day) and page.day == (answer.day or "")[: len(page.day)])),
        *(float(not page.authors), float(not page.authors and not names)),
        *(float(not page.day), float(not page.day and not answer.day)),
    )  # fmt: skip


COLUMNS = {
    "title": (("exact", 1, 0), ("loose", 2, 0)),
    "authors": (("authors F1", 3, 4), ("none said", 8, 7)),
    "date": (("day right", 6, 5), ("none said", 10, 9)),
}


def measured(wanted: list[Rule], known: list[Page]) -> dict[str, list[Row]]:
    """The worth of every answer: by rule that is switched off, and by field with all rules."""
    found: dict[str, list[Row]] = {}
    for page, _ in known:
        body = page.body()
        sources = _sources(page, body)
        answers = {field: _answer(field, sources) for field in {rule.field for rule in wanted}}
        for field, answer in answers.items():
            found.setdefault(field, []).append(row_of(page, answer))
        for rule in wanted:
            with _patched(rule):
                changed = _sources(page, body) if rule.reads_anew else rule.without(sources)
                answer = _answer(rule.field, changed)
            is_same = answer == answers[rule.field]
            worth = found[rule.field][-1] if is_same else row_of(page, answer)
            found.setdefault(f"{rule.field}: {rule.name}", []).append(worth)
    return found


def difference(with_all: list[Row], without: list[Row], sites: list[str], over: int, under: int) -> tuple[float, float, float]:  # fmt: skip
    """What is lost in points without a rule, and the interval by sites."""
    names = {site: place for place, site in enumerate(dict.fromkeys(sites))}
    sums = np.zeros((4, len(names)))
    for site, all_rules, fewer in zip(sites, with_all, without, strict=True):
        sums[:, names[site]] += (fewer[over], fewer[under], all_rules[over], all_rules[under])
    chance = np.random.default_rng(1)
    weights = chance.multinomial(len(names), np.full(len(names), 1 / len(names)), size=SAMPLES)

    def points(drawn: Any) -> Any:
        fewer, under_fewer, all_rules, under_all = drawn
        return 100 * (fewer / under_fewer - all_rules / under_all)

    drawn = sums @ weights.T
    low, high = np.percentile(points(drawn[:, drawn[1:4:2].all(axis=0)]), (2.5, 97.5))
    return float(points(sums.sum(axis=1))), float(low), float(high)


def report(word: str = "") -> None:
    """Prints the table."""
    known = pages()
    groups = {
        "articles": [place for place, (page, _) in enumerate(known) if page.kind == "article"],
        "all kinds": list(range(len(known))),
    }
    wanted = [rule for rule in rules() if word in f"{rule.field}: {rule.name}"]
    found = measured(wanted, known)
    for rule in wanted:
        rows, fewer = found[rule.field], found[f"{rule.field}: {rule.name}"]
        cells = []
        for places in groups.values():
            sites = [known[place].site for place in places]
            picked = [rows[place] for place in places], [fewer[place] for place in places]
            for _, over, under in COLUMNS[rule.field]:
                cells.append("{:+.2f} ({:+.2f} to {:+.2f})".format(*difference(*picked, sites, over, under)))  # fmt: skip
        changed = sum(before != after for before, after in zip(rows, fewer, strict=True))
        print(" | ".join(["", rule.field, rule.name, *cells, str(changed), ""]).strip())
    for field in {rule.field for rule in wanted}:
        for name, places in groups.items():
            for column, over, under in COLUMNS[field]:
                share = sum(found[field][place][over] for place in places) / sum(found[field][place][under] for place in places)  # fmt: skip
                print(f"{field}, {name}, {column}: {100 * share:.2f}", file=sys.stderr)
