"""The fields of a query: what each takes, and the term it gives.

Pure. A new field is a function here and a row of `FIELDS`; reader, messages and reference follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, get_args

from wireroom.dates.typed_moments import EXAMPLES as MOMENTS
from wireroom.dates.typed_moments import TypedMoment, read_moment
from wireroom.errors import QueryError
from wireroom.languages import ENGLISH_NAMES
from wireroom.model import USES
from wireroom.model.literals import ArticleState, Paywall, Word
from wireroom.query.query_tokens import Token, Typed, shown
from wireroom.query.query_tree import (
    CanonicalTerm,
    Comparison,
    FacetField,
    FacetTerm,
    QualityTerm,
    QueryTerm,
    TimeField,
    TimeTerm,
    WordColumn,
    WordTerm,
)
from wireroom.query.word_split import phrase

MIN_PREFIX: Final = 2  # letters before a *: one letter begins a tenth of all words

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_QUALITY = re.compile(r"(>=|<=|>|<)?([01](?:\.\d{1,6})?|\.\d{1,6})", re.ASCII)
_PAYWALLS, _STATES, _WORDS = get_args(Paywall), get_args(ArticleState), get_args(Word)
_INSTANT = timedelta(microseconds=1)
_IS = {"canonical": True, "near-duplicate": False}


@dataclass(frozen=True, slots=True)
class FieldContext:
    """What reading a field may ask for: the text around it, the time, and the reader's zone."""

    typed: Typed
    now: datetime | None = None
    zone: tzinfo = UTC


def read_words(token: Token, context: FieldContext, column: WordColumn = "") -> WordTerm | None:
    """The words of a token; None where it has none."""
    found = phrase(token.value, is_prefix=token.is_prefix)
    if not found.words:
        return None
    if token.is_prefix and found.is_open and found.words[-1].isascii():
        _check_prefix(token, context, found.words[-1])
    return WordTerm(found, column, token.value)


def _check_prefix(token: Token, context: FieldContext, beginning: str) -> None:
    if len(beginning) < MIN_PREFIX:
        raise context.typed.error(
            token.place,
            f"The word before the * at character {token.place} is too short.",
            f"Write at least {MIN_PREFIX} letters before it, as in storm*",
        )


def read_field(token: Token, context: FieldContext) -> QueryTerm:
    """The term of a field with its value; raises QueryError with the place and a hint."""
    if not token.value.strip():
        raise _no_value(token, context)
    return FIELDS[token.field].read(token, context)


def _read_column(column: WordColumn) -> Callable[[Token, FieldContext], QueryTerm]:
    def read(token: Token, context: FieldContext) -> QueryTerm:
        term = read_words(token, context, column)
        if term is None:
            raise _no_value(token, context)
        return term

    return read


def _read_publisher(token: Token, context: FieldContext) -> QueryTerm:
    domain = token.value.strip()
    if not phrase(domain).words:
        raise _no_value(token, context)
    if len(domain.split()) > 1:
        hint = "Write it without blanks, as in publisher:courier.test"
        raise _bad_value(token, context, "a domain", hint)
    return FacetTerm("publisher", domain)


def _read_language(token: Token, context: FieldContext) -> QueryTerm:
    tag = token.value.strip()
    if not _LANGUAGE.fullmatch(tag):
        hint = "Write it like lang:en, lang:zh or lang:pt-BR"
        raise _bad_value(token, context, "a language code", hint)
    return FacetTerm("lang", tag.lower().replace("_", "-"))


def _read_feed(token: Token, _: FieldContext) -> QueryTerm:
    return FacetTerm("feed", token.value.strip())


def _read_choice(
    name: FacetField, choices: tuple[str, ...]
) -> Callable[[Token, FieldContext], QueryTerm]:
    def read(token: Token, context: FieldContext) -> QueryTerm:
        value = token.value.strip().lower()
        if value not in choices:
            raise _bad_value(token, context, f"one of {', '.join(choices)}", _as_in(token.field))
        return FacetTerm(name, value)

    return read


def _read_rights(token: Token, context: FieldContext) -> QueryTerm:
    use, _, word = token.value.strip().lower().partition("=")
    if use not in USES or word not in _WORDS:
        hint = f"Uses are {', '.join(USES)}; words are {', '.join(_WORDS)}. {_as_in('rights')}"
        raise _bad_value(token, context, "a use and a word", hint)
    return FacetTerm("rights", f"{use}={word}")


def _read_is(token: Token, context: FieldContext) -> QueryTerm:
    value = token.value.strip().lower()
    if value not in _IS:
        raise _bad_value(token, context, f"one of {', '.join(_IS)}", _as_in("is"))
    return CanonicalTerm(is_canonical=_IS[value])


def _read_quality(token: Token, context: FieldContext) -> QueryTerm:
    match = _QUALITY.fullmatch("".join(token.value.split()))
    sign: Comparison | None = match[1] if match else None  # type: ignore[assignment] # by the expression
    if match is None or sign is None or float(match[2]) > 1:
        hint = "Write it like quality:>0.5, quality:>=0.8 or quality:<0.3"
        raise _bad_value(token, context, "a comparison with a number from 0 to 1", hint)
    return QualityTerm(sign, float(match[2]))


def _read_time(name: TimeField, *, is_after: bool) -> Callable[[Token, FieldContext], QueryTerm]:
    def read(token: Token, context: FieldContext) -> QueryTerm:
        return _time(token, context, name, token.value, is_after=is_after)

    return read


def _read_until(token: Token, context: FieldContext) -> QueryTerm:
    """Up to the end of the day, month or year that is named: before whatever follows it."""
    moment = _moment(token, context, token.value)
    return TimeTerm("published", moment.end + _INSTANT, is_after=False, precision=moment.precision)


def _read_arrived(token: Token, context: FieldContext) -> QueryTerm:
    """`arrived:>=yesterday` or plainly `arrived:yesterday`: from then on; `arrived:<yesterday` before it."""
    value = token.value.strip()
    is_after = not value.startswith("<")
    return _time(token, context, "arrived", value.lstrip("<>="), is_after=is_after)


def _time(
    token: Token, context: FieldContext, name: TimeField, value: str, *, is_after: bool
) -> TimeTerm:
    moment = _moment(token, context, value)
    return TimeTerm(name, moment.begin, is_after, moment.precision)


def _moment(token: Token, context: FieldContext, value: str) -> TypedMoment:
    try:
        return read_moment(value, now=context.now, zone=context.zone)
    except ValueError as exc:
        raise _bad_value(token, context, "a date", f"Write it like {MOMENTS}") from exc


def _one_of(choices: tuple[str, ...]) -> str:
    return " or ".join((", ".join(choices[:-1]), choices[-1]))


@dataclass(frozen=True, slots=True)
class QueryField:
    """A field: how its value is read, and how it is used."""

    read: Callable[[Token, FieldContext], QueryTerm]
    example: str
    about: str
    """What such a filter finds."""


_after, _before = (_read_time("published", is_after=after) for after in (True, False))
FIELDS: Final[dict[str, QueryField]] = {
    "title": QueryField(_read_column("title"), 'title:"storm surge"', "words of the title"),
    "author": QueryField(_read_column("authors"), 'author:"Jane Doe"', "words of a byline"),
    "tag": QueryField(_read_column("tags"), "tag:politics", "words of a tag"),
    "publisher": QueryField(_read_publisher, "publisher:courier.test", "one domain"),
    "feed": QueryField(_read_feed, 'feed:"Courier World"', "a feed by name or address"),
    "lang": QueryField(_read_language, "lang:en", "a language by its code"),
    "paywall": QueryField(_read_choice("paywall", _PAYWALLS), "paywall:free", _one_of(_PAYWALLS)),
    "quality": QueryField(_read_quality, "quality:>0.5", "how whole the text is, 0 to 1"),
    "is": QueryField(_read_is, "is:canonical", "of copies one; or near-duplicate"),
    "state": QueryField(_read_choice("state", _STATES), "state:withdrawn", _one_of(_STATES)),
    "rights": QueryField(_read_rights, "rights:ai-input=allow", "a verdict for a use"),
    "after": QueryField(_after, "after:2026-05-03", "published then or later; also 7d"),
    "before": QueryField(_before, "before:2026-05-03", "published before"),
    "until": QueryField(_read_until, "until:2026-05-03", "published by the end of it"),
    "arrived": QueryField(_read_arrived, "arrived:1d", "first read by us since"),
}
NEAR: Final = {
    "language": "lang", "by": "author", "byline": "author", "writer": "author", "site": "publisher",
    "source": "publisher", "domain": "publisher", "since": "after", "from": "after",
    "till": "until", "topic": "tag", "category": "tag", "keyword": "tag",
    "headline": "title", "intitle": "title", "received": "arrived", "fetched": "arrived", "use": "rights",
}  # fmt: skip


def _as_in(name: str) -> str:
    return f"Write it as in {FIELDS[name].example}"


def _no_value(token: Token, context: FieldContext) -> QueryError:
    return context.typed.error(
        token.place,
        f"{token.field}: at character {token.place} has no value.",
        f"Write it without a blank, as in {FIELDS[token.field].example}",
    )


def _bad_value(token: Token, context: FieldContext, needed: str, hint: str) -> QueryError:
    message = f"{token.field}: at character {token.place} needs {needed}, not {shown(token.value)}."
    return context.typed.error(token.place, message, hint)


def language_name(tag: str) -> str:
    """A language in English, or its tag where we have no name for it."""
    language, _, variant = tag.partition("-")
    name = ENGLISH_NAMES.get(language, "")
    if not name:
        return tag
    return f"{name} ({tag})" if variant else name
