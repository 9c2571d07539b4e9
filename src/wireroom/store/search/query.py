"""What a person may type to search, and what it means to each database.

Pure. Knows the query language and the two match languages, runs neither. Nothing typed ever
reaches a database as its own syntax: words come from `words`, which leaves letters and digits
alone, and stand in quotes all the same.

    storm surge            both words, anywhere in title, text, authors or tags
    "storm surge"          the words next to each other
    -storm  -"storm surge" without it
    publisher:courier.test lang:en author:"Jane Doe" tag:politics
    after:2026-05 before:2026-05-03T12:00Z

`after:` includes the moment it names, `before:` does not. Several `publisher:` or `lang:` mean any
of them, several `author:` or `tag:` all of them; every filter can be negated with `-`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Literal

from wireroom.errors import QueryError
from wireroom.store.search.index_terms import (
    EVERY_ARTICLE,
    MAX_PAGES,
    MAX_PHRASE,
    MORE_PAGES,
    Phrase,
    language_facet,
    on_page,
    phrase,
    publisher_facet,
    quoted_lexeme,
)

MAX_QUERY = 1000  # characters; a longer one was pasted by mistake
MAX_QUERY_WORDS = MAX_PHRASE  # in all; each is a look-up, and on PostgreSQL one for every page
_SHOWN = 40  # characters of the query that a message repeats

Column = Literal["", "authors", "tags"]
_WEIGHTS: dict[Column, str] = {"": "", "authors": "B", "tags": "C"}

# One piece: "-", then a filter's name, then something in quotes or something without blanks.
# A name has two letters at least and no "/" or ":" behind it: C:\, https:// and std:: are words.
_PIECE = re.compile(r'(-?)(?:([A-Za-z]{2,}):(?![/:]))?(?:"([^"]*)("?)|([^\s"]*))')
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))  # as phones and editors put them
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_CLOCK = r"[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:?\d{2})?"
_DATE = re.compile(
    rf"(\d{{4}})(?:-(\d{{2}})(?:-(\d{{2}})(?:{_CLOCK})?)?)?", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Term:
    """Words next to each other, anywhere or in one column."""

    phrase: Phrase
    column: Column = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query as it was understood."""

    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    """Groups of facets; of each group an article has at least one."""
    none_of: tuple[str, ...] = ()
    after: datetime | None = None
    """The article's time is this or later."""
    before: datetime | None = None
    """The article's time is earlier than this."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for: every article matches."""
        return self == Query()


# --- reading -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _QueryPart:
    """One piece of a query as typed, and where it stands (counted from 1)."""

    place: int
    is_wanted: bool
    filter: str
    value: str
    is_quoted: bool


@dataclass(slots=True)
class _QueryDraft:
    """What has been read so far."""

    wanted: list[Term] = field(default_factory=list)
    unwanted: list[Term] = field(default_factory=list)
    any_of: dict[str, list[str]] = field(default_factory=dict)
    none_of: list[str] = field(default_factory=list)
    after: list[datetime] = field(default_factory=list)
    before: list[datetime] = field(default_factory=list)

    def finished(self) -> Query:
        """The query; of several dates the strictest counts."""
        return Query(
            wanted=tuple(self.wanted),
            unwanted=tuple(self.unwanted),
            any_of=tuple(map(tuple, self.any_of.values())),
            none_of=tuple(self.none_of),
            after=max(self.after, default=None),
            before=min(self.before, default=None),
        )


def read_query(text: str) -> Query:
    """The query in this text; raises QueryError with the place and a hint."""
    if len(text) > MAX_QUERY:
        raise QueryError(
            f"The query has {len(text):,} characters, at most {MAX_QUERY:,} are read.",
            hint="Search for fewer words.",
        )
    draft = _QueryDraft()
    for piece in _pieces(text):
        reader = _FILTERS[piece.filter] if piece.filter else _read_words
        reader(draft, piece)
    query = draft.finished()
    _check(query, text)
    return query


def _pieces(text: str) -> Iterator[_QueryPart]:
    for match in _PIECE.finditer(text.translate(_QUOTES)):
        if match[0]:
            yield _piece(match)


def _piece(match: re.Match[str]) -> _QueryPart:
    minus, name, quoted, closing, bare = match.groups()
    if quoted is not None and not closing:
        raise QueryError(
            f"The quote at character {match.start(3)} is never closed.",
            hint='Close it with another ", or leave it out.',
        )
    piece = _QueryPart(
        place=match.start() + 1,
        is_wanted=not minus,
        filter=(name or "").lower(),
        value=bare if quoted is None else quoted,
        is_quoted=quoted is not None,
    )
    if not name or piece.filter in _FILTERS:
        return piece
    if piece.value or piece.is_quoted:
        raise _unknown_filter(piece)
    return replace(piece, filter="", value=name)  # "Breaking: storm" is prose


def _read_words(draft: _QueryDraft, piece: _QueryPart) -> None:
    found = phrase(piece.value)
    if found.words:
        (draft.wanted if piece.is_wanted else draft.unwanted).append(Term(found))
    elif piece.is_quoted:
        raise QueryError(
            f"The quotes at character {piece.place} hold no word.",
            hint="Put letters or digits between them, or leave them out.",
        )
    elif not piece.is_wanted:
        raise QueryError(
            f"The - at character {piece.place} excludes nothing.",
            hint="Put a word right behind it, as in -sport, or leave it out.",
        )


def _read_column(draft: _QueryDraft, piece: _QueryPart, column: Column) -> None:
    found = phrase(piece.value)
    if not found.words:
        raise _no_value(piece)
    (draft.wanted if piece.is_wanted else draft.unwanted).append(Term(found, column))


def _read_author(draft: _QueryDraft, piece: _QueryPart) -> None:
    _read_column(draft, piece, "authors")


def _read_tag(draft: _QueryDraft, piece: _QueryPart) -> None:
    _read_column(draft, piece, "tags")


def _read_facet(draft: _QueryDraft, piece: _QueryPart, facet: str) -> None:
    if piece.is_wanted:
        draft.any_of.setdefault(piece.filter, []).append(facet)
    else:
        draft.none_of.append(facet)


def _read_publisher(draft: _QueryDraft, piece: _QueryPart) -> None:
    domain = piece.value.strip()
    if not phrase(domain).words:
        raise _no_value(piece)
    if len(domain.split()) > 1:
        raise _bad_value(piece, "a domain", "Write it without blanks, as in publisher:courier.test")
    _read_facet(draft, piece, publisher_facet(domain))


def _read_language(draft: _QueryDraft, piece: _QueryPart) -> None:
    tag = piece.value.strip()
    if not tag:
        raise _no_value(piece)
    if not _LANGUAGE.fullmatch(tag):
        raise _bad_value(piece, "a language code", "Write it like lang:en, lang:zh or lang:pt-BR")
    _read_facet(draft, piece, language_facet(tag))


def _read_date(draft: _QueryDraft, piece: _QueryPart) -> None:
    """Takes a date in; "not after" a moment is "before" it, and the other way round."""
    if not piece.value.strip():
        raise _no_value(piece)
    at = _moment(piece)
    (draft.after if (piece.filter == "after") is piece.is_wanted else draft.before).append(at)


def _moment(piece: _QueryPart) -> datetime:
    match = _DATE.fullmatch(piece.value.strip())
    if match is None:
        raise _bad_date(piece)
    year, month, day, clock, zone = match.groups()
    written = f"{year}-{month or '01'}-{day or '01'}T{clock or '00:00'}{zone or 'Z'}"
    try:
        return datetime.fromisoformat(written.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as exc:  # 2026-02-30; the year 0; 0001-01-01 east of UTC
        raise _bad_date(piece) from exc


_FILTERS: dict[str, Callable[[_QueryDraft, _QueryPart], None]] = {
    "publisher": _read_publisher,
    "lang": _read_language,
    "author": _read_author,
    "tag": _read_tag,
    "after": _read_date,
    "before": _read_date,
}
_EXAMPLES = {
    "publisher": "publisher:courier.test",
    "lang": "lang:en",
    "author": 'author:"Jane Doe"',
    "tag": "tag:politics",
    "after": "after:2026-05-03",
    "before": "before:2026-05-03",
}


def _check(query: Query, text: str) -> None:
    """Refuses what was read well but cannot be meant."""
    if query.is_empty and text.strip():
        raise QueryError(
            f"There is no word in {_shown(text)}, only signs.", hint="Type letters or digits."
        )
    if query.after and query.before and query.after >= query.before:
        raise QueryError(
            f"Nothing can be after {query.after:%Y-%m-%d %H:%M} and before {query.before:%Y-%m-%d %H:%M}.",
            hint="Exchange the two dates, or leave one out.",
        )
    terms = sum(len(term.phrase.words) for term in query.wanted + query.unwanted)
    words = terms + sum(map(len, query.any_of)) + len(query.none_of)
    if words > MAX_QUERY_WORDS:
        raise QueryError(
            f"The query has {words} words, at most {MAX_QUERY_WORDS} are looked for.",
            hint="Leave some out; each pair of Chinese, Japanese, Korean or Thai signs is a word.",
        )


def _unknown_filter(piece: _QueryPart) -> QueryError:
    near = get_close_matches(piece.filter, [*_FILTERS, *_NEAR], n=1, cutoff=0.6)
    meant = f"Did you mean {_NEAR.get(near[0], near[0])}:? " if near else ""
    known = ", ".join(f"{name}:" for name in _FILTERS)
    return QueryError(
        f"There is no filter {_shown(piece.filter)}: (at character {piece.place}).",
        hint=f'{meant}Filters are {known}. To look for the words, put them in "quotes".',
    )


_NEAR = {
    "language": "lang", "by": "author", "byline": "author", "writer": "author", "site": "publisher",
    "source": "publisher", "domain": "publisher", "since": "after", "from": "after",
    "until": "before", "till": "before", "topic": "tag", "category": "tag", "keyword": "tag",
}  # fmt: skip


def _no_value(piece: _QueryPart) -> QueryError:
    return QueryError(
        f"{piece.filter}: at character {piece.place} has no value.",
        hint=f"Write it without a blank, as in {_EXAMPLES[piece.filter]}",
    )


def _bad_value(piece: _QueryPart, needed: str, hint: str) -> QueryError:
    return QueryError(
        f"{piece.filter}: at character {piece.place} needs {needed}, not {_shown(piece.value)}.",
        hint=hint,
    )


def _bad_date(piece: _QueryPart) -> QueryError:
    forms = "2026, 2026-05, 2026-05-03 or 2026-05-03T14:30Z"
    return _bad_value(piece, "a date", f"Write it like {forms}")


def _shown(text: str) -> str:
    """Part of the query for a message: one line, not long, nothing a terminal could act on."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(sign if sign.isprintable() else "?" for sign in cut)


# --- telling the databases ---------------------------------------------------------------------


def fts5_match(query: Query) -> str:
    """The query for SQLite's MATCH; empty when it asks for no words and no facets."""
    wanted = [_fts5_term(term) for term in query.wanted]
    wanted += [_fts5_any(map(_fts5_quoted, group)) for group in query.any_of]
    unwanted = [_fts5_term(term) for term in query.unwanted]
    unwanted += map(_fts5_quoted, query.none_of)
    if not unwanted:
        return " AND ".join(wanted)
    match = " AND ".join(wanted) or _fts5_quoted(EVERY_ARTICLE)
    return f"({match}) NOT {_fts5_any(unwanted)}"


def _fts5_term(term: Term) -> str:
    column = f"{term.column} : " if term.column else ""
    beginning = " *" if term.phrase.is_open else ""
    return f"{column}{_fts5_quoted(' '.join(term.phrase.words))}{beginning}"


def _fts5_any(matches: Iterable[str]) -> str:
    return f"({' OR '.join(matches)})"


def _fts5_quoted(words: str) -> str:
    return '"' + words.replace('"', '""') + '"'


def tsquery(query: Query) -> str:
    """The query for PostgreSQL's `::tsquery`; empty when it asks for no words and no facets."""
    wanted = [_ts_term(term) for term in query.wanted]
    wanted += [_ts_any(map(quoted_lexeme, group)) for group in query.any_of]
    unwanted = [_ts_term(term) for term in query.unwanted]
    unwanted += map(quoted_lexeme, query.none_of)
    if unwanted and not wanted:
        wanted = [quoted_lexeme(EVERY_ARTICLE)]
    return " & ".join(wanted + [f"!{match}" for match in unwanted])


def _ts_term(term: Term) -> str:
    """A word alone is plain on every page; one with neighbours or a column is sought page by page."""
    if len(term.phrase.words) == 1 and not term.column:
        return _ts_on_page(term, 0)
    later = _ts_any(_ts_on_page(term, page) for page in range(1, MAX_PAGES))
    return _ts_any((_ts_on_page(term, 0), f"({quoted_lexeme(MORE_PAGES)} & {later})"))


def _ts_on_page(term: Term, page: int) -> str:
    weight = _WEIGHTS[term.column]
    lexemes = [quoted_lexeme(on_page(word, page)) for word in term.phrase.words]
    if weight:
        lexemes = [f"{lexeme}:{weight}" for lexeme in lexemes]
    if term.phrase.is_open:
        lexemes[-1] += "*" if weight else ":*"
    return f"({' <-> '.join(lexemes)})"


def _ts_any(matches: Iterable[str]) -> str:
    return f"({' | '.join(matches)})"
