"""When the article was published, and when it was last changed.

Pure, and never a guess: a page that does not say gives no date. The surest place that names a day
decides; the others may lend it the hour, the offset or the local day. A stamp in UTC that is one day off
the day in the address or on the page is reported as such. The order of places and the limits stand here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple

from wireroom.dates import Moment, read_date
from wireroom.dates.moment import ASSUMED
from wireroom.dates.prose import plain_signs
from wireroom.dates.relative import read_relative
from wireroom.dates.zones import hinted_clock
from wireroom.model import Claim
from wireroom.parse.metadata.jsonld import Node, text_of
from wireroom.parse.metadata.metadata_sources import MAX_CLAIMS, Sources
from wireroom.parse.metadata.types import Field
from wireroom.parse.metadata.visible import VisibleText, label_before
from wireroom.parse.metadata.vocabulary import (
    CHANGED_WORDS,
    DATE_METAS,
    MODIFIED_METAS,
    PUBLISHED_METAS,
    PUBLISHED_WORDS,
    listed,
)

FIRST_YEAR: Final = 1995  # hardly anybody published on the web before; such dates are misprints
FUTURE: Final = timedelta(days=1)  # a clock may be wrong, a zone misread; more is an event's day
MONTHS: Final = 12
HALF_DAY: Final = 12  # hours; before noon in UTC it may be yesterday elsewhere, after it tomorrow
MAX_DATE: Final = 160  # characters
MAX_LABEL: Final = 25  # characters of "Published on" in an element of its own
MAX_WORDS: Final = 9  # beside a date in one line
SHORT_SENTENCE: Final = 4  # words of "Published 2 hours ago."
_SENTENCE_ENDS: Final = frozenset('.!?…。！？؟।"”»')
MAX_PLAIN_DATE: Final = 40  # characters of a line that is nothing but a date

# Names of one house alone: "w-published-date", "acme:publication-time".
_PUBLISHED_META: Final = re.compile(
    r"publi(?:sh|cation).{0,6}(?:date|time)|(?:date|time).{0,3}publish"
)
_DAY_IN_URL: Final = re.compile(
    r"[/_.-]((?:19|20)\d\d)(?:([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])|(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    r"|/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}/(0?[1-9]|[12]\d|3[01]))(?![0-9])"
)
_MONTHS: Final = listed("jan feb mar apr may jun jul aug sep oct nov dec")
_PUBLISHED_NAMES: Final = re.compile(
    r"publish|pub-?date|posted|entry-?date|post-?date|article-?date|created|dateline|published",
    re.IGNORECASE,
)
_CHANGED: Final = re.compile("|".join(map(re.escape, CHANGED_WORDS)), re.IGNORECASE)
_LABEL: Final = re.compile("|".join(map(re.escape, PUBLISHED_WORDS)), re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20|25)\d\d(?!\d)|\d年|\d[./-]\d{1,2}[./-]\d\d(?!\d)")
_NOT_NEWS: Final = re.compile(
    r"©|copyright|\bjoined\b|\bsince\b|rights reserved|event|expires?|deadline|ago\b", re.IGNORECASE
)
# What stands before the day on which somebody came to a forum.
_MEMBER_SINCE: Final = re.compile(
    r"\W*(?:joined|join date|member since|registered|registration date|registriert|beigetreten|mitglied seit|dabei seit|inscrit|inscription|membre depuis"
    r"|registrado|fecha de registro|miembro desde|membro desde|cadastrado|registrato|iscritto|membro dal|geregistreerd|lid sinds|medlem sedan|reg\.datum|medlem siden"
    r"|liittynyt|dołączył|rejestracja|data rejestracji|registrován|csatlakozott|regisztrált|înregistrat|зарегистрирован|регистрация|на форуме с|реєстрація|з нами з"
    r"|μέλος από|εγγραφή|üyelik tarihi|katılım|تاريخ التسجيل|عضو منذ|הצטרף|登録日|参加日|注册时间|注册日期|註冊|加入时间|가입일|bergabung|tham gia)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_FIGURES: Final = re.compile(r"(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d(?!\d)")
_TRUSTED: Final = frozenset({"selector", "feed"})  # whoever says so knows better than the page


class _DateClaim(NamedTuple):
    """A date as a place says it."""

    text: str
    source: str
    confidence: float


class _Read(NamedTuple):
    moment: Moment
    source: str
    confidence: float
    is_spelt: bool = True
    """Whether it names its month, or begins with its year: others can be read in two ways."""


def published(sources: Sources) -> Field[Moment | None]:
    """The moment of publication, by the surest place that names one."""
    sure = list(_read_all(_sure(sources), sources))
    by_url = _by_url(sources)
    found = sure + ([by_url] if by_url else [])
    if not found:
        found = list(_read_all(_unsure(sources), sources))
    found = found or list(_read_all(_on_the_page(sources), sources))
    found = (
        found
        or _relative(sources)
        or _only_date(sources)
        or _only_change(sources)
        or _only_element(sources)
    )
    if not found:
        return Field(value=None)
    if sure and by_url is None and sure[0].source not in _TRUSTED:
        found = _shown_before(sure[0], sources) + found
    best, notes = _refined(found, by_url)
    if by_url is None and _may_slip(best.moment):
        best, notes = _by_visible_day(best, notes, sources)
    return Field(
        value=best.moment,
        source=best.source,
        confidence=round(best.confidence * best.moment.confidence, 3),
        claims=_claims([best, *found[1:]]),
        notes=notes,
    )


def modified(sources: Sources, published_at: Moment | None) -> Field[Moment | None]:
    """The moment of the last change; nothing when it is not after the publication."""
    found = [
        read
        for read in _read_all(_changed(sources), sources)
        if published_at is None or _is_after(read.moment, published_at)
    ]
    if not found:
        return Field(value=None)
    best = found[0]
    return Field(
        value=best.moment, source=best.source, confidence=best.confidence, claims=_claims(found)
    )


def _is_after(moment: Moment, other: Moment) -> bool:
    """Later, as far as both are known; systems write the same stamp twice when nothing changed."""
    if "day" in (moment.precision, other.precision):
        return moment.local_day > other.local_day
    return moment.at > other.at


def _claims(found: list[_Read]) -> tuple[Claim, ...]:
    return tuple(
        Claim(value=read.moment, source=read.source, confidence=read.confidence)
        for read in found[:MAX_CLAIMS]
    )


# --- the places, surest first ---------------------------------------------------------------------


def _sure(sources: Sources) -> Iterator[_DateClaim]:
    yield from (_DateClaim(text, "selector", 1.0) for text in sources.picked("published", "date"))
    if sources.precedence == "feed":
        yield from _feed(sources)
    yield from _of_nodes(sources.articles[:2], "datePublished", "json-ld", 0.95)
    for name, value in sources.head.every(*PUBLISHED_METAS):
        yield _DateClaim(value, f"meta {name}", 0.93)
    for name in sources.head.metas:
        if "publi" in name and name not in PUBLISHED_METAS and _PUBLISHED_META.search(name):
            yield _DateClaim(sources.head.first(name), f"meta {name}", 0.9)
    yield from _of_nodes(sources.items[:2], "datePublished", "microdata", 0.9)
    if sources.precedence == "page":
        yield from _feed(sources)


def _unsure(sources: Sources) -> Iterator[_DateClaim]:
    for seen in sources.visible.times:
        if not seen.apart and _PUBLISHED_NAMES.search(seen.names) and not _is_changed(seen):
            yield _DateClaim(seen.stamp or seen.text, "time", 0.8)
            break
    yield from _of_nodes(sources.articles[:2], "dateCreated", "json-ld", 0.75)
    yield from _of_nodes(sources.nodes[:4], "datePublished", "json-ld page", 0.75)
    for name, value in sources.head.every(*DATE_METAS):
        yield _DateClaim(value, f"meta {name}", 0.7)
    yield from _of_nodes(sources.items[:2], "dateCreated", "microdata", 0.7)


def _of_nodes(nodes: list[Node], key: str, source: str, confidence: float) -> Iterator[_DateClaim]:
    for node in nodes:
        if key in node:
            yield _DateClaim(text_of(node[key], MAX_DATE), f"{source} {key}", confidence)


def _feed(sources: Sources) -> Iterator[_DateClaim]:
    item = sources.item
    if item is not None and item.published_at is not None:
        zone = str(item.extra.get("published_zone", ""))
        yield _DateClaim(_as_written(item.published_at, zone, sources), "feed", 0.9)


def _as_written(at: datetime, zone_from: str, sources: Sources) -> str:
    """A feed's moment as it stood there: without an offset, where it had none."""
    if zone_from not in ("hint", "assumed"):
        return at.isoformat()
    clock = hinted_clock(sources.hints.zone) if sources.hints.zone else ASSUMED
    zone = clock.zone if isinstance(clock.zone, tzinfo) else timezone(clock.zone or timedelta())
    return at.astimezone(zone).replace(tzinfo=None).isoformat()


def _changed(sources: Sources) -> Iterator[_DateClaim]:
    yield from (_DateClaim(text, "selector", 1.0) for text in sources.picked("modified", "updated"))
    yield from _of_nodes(sources.articles[:2], "dateModified", "json-ld", 0.95)
    for name, value in sources.head.every(*MODIFIED_METAS):
        yield _DateClaim(value, f"meta {name}", 0.9)
    yield from _of_nodes(sources.items[:2], "dateModified", "microdata", 0.85)
    yield from _of_nodes(sources.nodes[:4], "dateModified", "json-ld page", 0.7)
    for seen in sources.visible.times:
        if not seen.apart and _is_changed(seen):
            yield _DateClaim(seen.stamp or seen.text, "time", 0.7)
    if sources.item is not None and sources.item.updated_at is not None:
        zone = str(sources.item.extra.get("updated_zone", ""))
        yield _DateClaim(_as_written(sources.item.updated_at, zone, sources), "feed", 0.7)


def _is_changed(seen: VisibleText) -> bool:
    """Whether its text or its names speak of a change; "entry-date published updated" does not."""
    if change := _CHANGED.search(seen.text):
        return not _is_dated(seen.text[: change.start()])
    return "published" not in seen.names and _CHANGED.search(seen.names) is not None


# --- what a reader sees ---------------------------------------------------------------------------


def _on_the_page(sources: Sources) -> Iterator[_DateClaim]:
    """Labelled dates first, then the only time element, then dates that stand alone."""
    lines = _dated_lines(sources)
    changed = _changed_texts(sources, lines)
    for text, label in lines:
        if _LABEL.search(label) and not _is_part(text, changed):
            yield _DateClaim(text, "visible, labelled", 0.65)
    yield from _labelled_elements(sources)
    times = [time for time in sources.visible.times if not time.apart and not _is_changed(time)]
    times = [time for time in times if not _is_part(time.text, changed)]
    shown = [text for text, _ in lines if not _is_part(text, changed)]
    yield from _times_and_lines(times, shown)
    for seen in (*sources.visible.dates, *sources.visible.bylines):
        if not seen.apart and _is_dated(seen.text) and not _is_part(seen.text, changed):
            yield _DateClaim(seen.text, "date element", 0.5)
    yield from (_DateClaim(time.stamp or time.text, "first time", 0.45) for time in times[:1])


def _times_and_lines(times: list[VisibleText], lines: list[str]) -> Iterator[_DateClaim]:
    """The only time element, and lines near the headline: a time above it may be that of the page's own clock."""
    only = times[:1] if len({(time.stamp or time.text)[:10] for time in times}) == 1 else []
    claims = [_DateClaim(time.stamp or time.text, "the only time", 0.65) for time in only]
    if only and only[0].after_headline:
        yield from claims
    stamps = {time.text: time.stamp for time in times if _FIGURES.search(time.text)}
    yield from (_DateClaim(stamps.get(text) or text, "visible", 0.5) for text in lines)
    yield from claims


def _labelled_elements(sources: Sources) -> list[_DateClaim]:
    """Dates anywhere on the page, in a margin too, that "Published" stands before: of one day alone."""
    found = {
        seen.stamp or seen.text: seen
        for seen in (*sources.visible.times, *sources.visible.dates)
        if _is_dated(seen.text) and _is_published_label(label_before(seen.node))
    }
    return [_DateClaim(text, "labelled element", 0.6) for text in found] if len(found) == 1 else []


def _is_published_label(text: str) -> bool:
    """Whether it is a label of its own that speaks of the publication alone."""
    return _is_label(text) and _LABEL.search(text) is not None and not _CHANGED.search(text)


def _changed_texts(sources: Sources, lines: list[tuple[str, str]]) -> list[str]:
    """Texts near the headline that speak of a change, such as "Last updated on 5 May 2026"."""
    found = [label for _, label in lines if _CHANGED.search(label) and not _LABEL.search(label)]
    boxes = (*sources.visible.dates, *sources.visible.bylines, *sources.visible.times)
    return found + [box.text for box in boxes if not box.apart and _is_changed(box)]


def _is_part(text: str, others: list[str]) -> bool:
    return any(text in other for other in others)


def _dated_lines(sources: Sources) -> list[tuple[str, str]]:
    """Lines near the headline that hold a date and little else, each with what labels it."""
    after, before = sources.visible.lines
    return _dated(tuple(after), tuple(before))


@lru_cache(maxsize=2)  # asked several times of one page
def _dated(after: tuple[str, ...], before: tuple[str, ...]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for lines in (after, before):
        for place, text in enumerate(lines):
            if _is_dated(text) and (len(text) <= MAX_PLAIN_DATE or _few_words(text)):
                # "Published", "|" and the day may stand in elements of their own.
                labels = [line for line in lines[max(0, place - 2) : place] if _is_label(line)]
                if place and labels and _MEMBER_SINCE.match(lines[place - 1]):
                    continue
                found.append((text, " ".join([*labels, text]) if lines is after else text))
    return found


def _is_label(text: str) -> bool:
    """Whether a line can be what introduces the next one; a dated line speaks for itself."""
    return len(text) <= MAX_LABEL and not any(map(str.isdigit, text))


def _relative(sources: Sources) -> list[_Read]:
    """What elements made for dates, or short lines near the headline, count back from the fetch: "2 hours ago"."""
    if sources.fetched_at is None:
        return []
    visible, language = sources.visible, sources.spoken
    boxes = (*visible.times, *visible.dates, *visible.bylines)
    texts = [box.text for box in boxes if not box.apart and not _is_changed(box)]
    texts += [line for line in visible.lines[0] if not _CHANGED.search(line) and _is_stamp(line)]
    for text in dict.fromkeys(texts):
        moment = read_relative(text, now=sources.fetched_at, language=language)
        if moment is not None:
            return [_Read(moment, "visible, relative", 0.4)]
    return []


def _is_stamp(text: str) -> bool:
    """Whether a line can be one for the date: "He left 2 hours ago, she said." is a sentence of the text."""
    words = len(_WORD.findall(text))
    return words <= MAX_WORDS and (words <= SHORT_SENTENCE or text[-1:] not in _SENTENCE_ENDS)


def _only_date(sources: Sources) -> list[_Read]:
    """The one day that short texts of the page name, if they name but one."""
    changed = _changed_texts(sources, _dated_lines(sources))
    texts = (text for text in sources.visible.short_texts if _is_dated(text))
    claims = (
        _DateClaim(text, "the only date", 0.4)
        for text in texts
        if not _CHANGED.search(text) and not _is_part(text, changed)
    )
    found = list(_read_all(claims, sources))
    return found[:1] if len({read.moment.local_day for read in found}) == 1 else []


def _is_dated(text: str) -> bool:
    if len(text) > MAX_DATE:
        return False
    plain = (
        text if text.isascii() else plain_signs(text)
    )  # years in the digits of Arabic, Hindi, Thai
    return _YEAR.search(plain) is not None and not _NOT_NEWS.search(text)


def _few_words(text: str) -> bool:
    """Whether a line holds little besides its date: a name, a place, "5 min read"."""
    return len(_WORD.findall(text)) <= MAX_WORDS


def _only_element(sources: Sources) -> list[_Read]:
    """The one day that elements made for dates name, in margins too: some papers put theirs there."""
    boxes = [
        time for time in (*sources.visible.times, *sources.visible.dates) if not _is_changed(time)
    ]
    if any(box.apart and not box.margin for box in boxes):
        return []
    claims = (
        _DateClaim(box.text, "the only date element", 0.35) for box in boxes if _is_dated(box.text)
    )
    found = list(_read_all(claims, sources))
    return found[:1] if len({read.moment.local_day for read in found}) == 1 else []


def _shown_before(stamped: _Read, sources: Sources) -> list[_Read]:
    """The day beside the headline, where a stamp is later: systems stamp anew what they release again."""
    lines = _dated_lines(sources)
    claims = [
        _DateClaim(text, "visible, before the stamp", 0.7)
        for text, label in lines
        if len(text) <= MAX_PLAIN_DATE or _LABEL.search(label)
    ]

    def is_earlier(shown: _Read) -> bool:
        return stamped.moment.local_day - _latest_day(shown) > FUTURE

    # Most pages show no earlier day: then it need not be known which lines speak of a change.
    if not any(map(is_earlier, _read_all(iter(claims), sources))):
        return []
    changed = _changed_texts(sources, lines)
    unchanged = (claim for claim in claims if not _is_part(claim.text, changed))
    shown = next(_read_all(unchanged, sources), None)
    return [shown] if shown is not None and is_earlier(shown) else []


def _latest_day(shown: _Read) -> date:
    """The later one of the days that figures alone may mean: 3/4 is in March or in April."""
    day = shown.moment.local_day
    if shown.is_spelt or day.day > MONTHS:
        return day
    return max(day, day.replace(month=day.day, day=day.month))


def _only_change(sources: Sources) -> list[_Read]:
    """The day of a change, where it is the only day that the article or its reader is told."""
    texts = _changed_texts(sources, _dated_lines(sources))
    texts += (text for text in sources.visible.short_texts if _CHANGED.search(text))
    claims = [*_of_nodes(sources.articles[:1], "dateModified", "json-ld", 0.3)]
    claims += (_DateClaim(text, "visible, changed", 0.3) for text in texts)
    return list(_read_all(iter(claims), sources))[:1]


# --- reading and refining -------------------------------------------------------------------------


def _read_all(claims: Iterator[_DateClaim], sources: Sources) -> Iterator[_Read]:
    latest = sources.fetched_at + FUTURE if sources.fetched_at else None
    language = sources.spoken
    seen: set[str] = set()
    for claim in claims:
        if not claim.text or claim.text in seen:
            continue
        seen.add(claim.text)
        moment = read_date(claim.text, zone=sources.hints.zone, language=language)
        if moment is not None and _is_plausible(moment, latest):
            yield _Read(moment, claim.source, claim.confidence, not _FIGURES.search(claim.text))


def _is_plausible(moment: Moment, latest: datetime | None) -> bool:
    """A day of the web's time, not after the fetch; a mere year or month is no day."""
    if moment.precision in ("year", "month") or moment.local_day.year < FIRST_YEAR:
        return False
    return latest is None or moment.at <= latest


def day_in_url(url: str) -> date | None:
    """The day that an address names, as in `/2026/02/17/` or `-20260217`."""
    match = _DAY_IN_URL.search(url.partition("?")[0].lower())
    if match is None:
        return None
    year, _, month, day, packed_month, packed_day, name, named_day = match.groups()
    number = _MONTHS.index(name) + 1 if name else int(month or packed_month)
    try:
        return date(int(year), number, int(day or packed_day or named_day))
    except ValueError:
        return None


def _by_url(sources: Sources) -> _Read | None:
    day = day_in_url(sources.url)
    if day is None:
        return None
    at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    moment = Moment(at, "day", day, "assumed", None, 1.0)
    latest = sources.fetched_at + FUTURE if sources.fetched_at else None
    return _Read(moment, "url", 0.85) if _is_plausible(moment, latest) else None


def _refined(found: list[_Read], by_url: _Read | None) -> tuple[_Read, tuple[str, ...]]:
    """The first, with what the others know better of the same moment; and what is odd about it."""
    best = found[0]
    notes: list[str] = []
    for other in found[1:]:
        better = _better(best.moment, other.moment)
        if better:
            notes.append(f"{better} from {other.source}")
            best = best._replace(moment=other.moment)
    if by_url is not None and best.source != "url":
        slip = (by_url.moment.local_day - best.moment.local_day).days
        if abs(slip) == 1 and not best.moment.offset:
            best = best._replace(moment=best.moment._replace(local_day=by_url.moment.local_day))
            notes.append("time-zone slip: the address names the day before or after the UTC day")
        elif abs(slip) > 1:
            notes.append(f"the address names {by_url.moment.local_day.isoformat()}")
    return best, tuple(notes)


def _may_slip(moment: Moment) -> bool:
    return not moment.offset and moment.precision != "day"


def _by_visible_day(
    best: _Read, notes: tuple[str, ...], sources: Sources
) -> tuple[_Read, tuple[str, ...]]:
    """A stamp in UTC whose day is not the one on the page, but the next to it: that is the local day."""
    day = best.moment.local_day
    step = timedelta(days=-1 if best.moment.at.hour < HALF_DAY else 1)
    texts = [time.text for time in sources.visible.times[:4] if not time.apart]
    texts += [text for text, _ in _dated_lines(sources)[:4]]
    language = sources.spoken
    read = (read_date(text, language=language) for text in texts if _is_dated(text))
    days = {moment.local_day for moment in read if moment is not None}
    if day in days or day + step not in days:
        return best, notes
    moment = best.moment._replace(local_day=day + step)
    note = "time-zone slip: the page shows the day next to the UTC day"
    return best._replace(moment=moment), (*notes, note)


def _better(best: Moment, other: Moment) -> str:
    """What another reading adds: the hour of a bare day, or the true offset of a stamp in UTC."""
    if best.precision == "day":
        return "the hour" if other.precision != "day" and other.local_day == best.local_day else ""
    if best.offset or other.precision == "day" or not other.offset:
        return ""
    if other.at == best.at:
        return "the offset"
    # WordPress plugins write the local time and call it UTC.
    return (
        "the true zone of a local time marked as UTC" if other.at + other.offset == best.at else ""
    )
