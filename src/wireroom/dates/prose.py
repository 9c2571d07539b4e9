"""Dates as people write them: `17. Februar 2026, 10:30 Uhr`, `2026年2月17日 下午3:05`, `3/4/26`.

A text may hold a label, a weekday and other words around its date; what is not understood is
passed over. Each part that is found (zone, time, date) is blotted out before the next is looked
for, so that no digit is read twice. Every expression runs over a text that was cut to a fixed
length and repeats nothing inside a repetition.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from wireroom.dates.moment import BY_UTC, Clock, Moment, Precision, local_time, placed
from wireroom.dates.months import FIRST_WORDS, bare, month_names
from wireroom.dates.zones import clock_by_name, clock_by_offset
from wireroom.languages import language_of, region_of

CENTURY_TURN = 69  # as POSIX has it: 69 is 1969, 68 is 2068
MAX_FILLER = 4  # letters of a word inside a date: de, of, th, gada; longer ones end it
SURE, DECLARED, UNSURE, GUESSED = (
    1.0,
    0.9,
    0.6,
    0.5,
)  # which of two numbers is the month, which the year

_MONTH_FIRST_REGIONS = frozenset({"US", "PH", "PR", "GU"})  # where 3/4 is the fourth of March
_YEAR_FIRST_LANGUAGES = frozenset({"hu", "ja", "ko", "lt", "mn", "zh"})  # where 26/2/17 is 2026
_UNITS_OF_TIME = frozenset({"min", "mins", "sec", "std", "h", "hr", "hrs", "hour", "day", "days"})
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_BUDDHIST = (range(2400, 2700), 543)  # years on Thai pages, and what they are ahead of ours

_DIGIT_ZEROS = "\u0660\u06f0\u0966\u09e6\u0ae6\u0be6\u0e50\u0ed0\u1040\u17e0"
_SIGNS = {
    **{ord(zero) + n: str(n) for zero in _DIGIT_ZEROS for n in range(10)},
    **dict.fromkeys(
        map(
            ord,
            "\u200b\u200c\u200d\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufeff",
        )
    ),
    **dict.fromkeys(map(ord, "–—−‐‑"), "-"),
    **dict.fromkeys(map(ord, "،、·•|"), ","),
    **dict.fromkeys(map(ord, "׳॰"), "."),
    ord("’"): "'",
}
_THAI = re.compile(r"[\u0e01-\u0e5b]")
_THAI_DOT = re.compile(r"(?<=[\u0e01-\u0e4e])\.")
_IANA = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?")

_BEFORE_NOON = ("上午", "午前", "오전", "凌晨", "早上", "清晨")
_AFTER_NOON = ("下午", "午後", "오후", "晚上", "傍晚", "中午", "夜")
_HALF = re.compile(
    r"\s?(?:(a\.? ?m\b\.?|π\.?μ\b\.?|öö\b|(?-i:SA\b)|ص(?!\w)|صباحا|पूर्वाह्न)"
    r"|(p\.? ?m\b\.?|μ\.?μ\b\.?|ös\b|(?-i:CH\b)|م(?!\w)|مساء|अपराह्न))",
    re.IGNORECASE,
)
_COLON_TIME = re.compile(r"(?<![\d+:])(\d\d?) ?: ?(\d\d)(?: ?: ?(\d\d)(?:[.,]\d+)?)?(?![\d:])")
_SIGNED_TIME = re.compile(
    r"(?<!\d)(\d\d?)(?: ?h(?:s\b)?(?![^\W\d_])| ?(?:時|时|點|点|시)(?![間间간])) ?(?:(\d\d?)(?!\d) ?[分분]?)?(?: ?(\d\d?) ?[秒초])?",
    re.IGNORECASE,
)
_BARE_HOUR = re.compile(r"(?<![\d.:/-])(\d\d?)(?= ?(?:uhr\b|[ap]\.?m\b))()()", re.IGNORECASE)
_DOTTED_TIME = re.compile(r"(?<![\d.])(\d\d?)\.(\d\d)(?:\.(\d\d))?(?![\d.]*\d)")
_ZONE = re.compile(
    r"(?: ?(?:uhr|hrs?|h)\b)?[ ,(\[]*(?:(Z)(?!\w)"
    r"|(?:(?:GMT|UTC) ?([+-])(\d\d?)|([+-])(\d\d))(?::?(\d\d))?(?![\d./-])|([^\W\d_]{2,5})(?!\w))",
    re.IGNORECASE,
)

_EASTERN = re.compile(
    r"(?:(令和|平成|昭和|民國|民国) ?)?(?<!\d)(\d{1,4}|元) ?[年년] ?(\d\d?) ?[月월](?: ?(\d\d?) ?[日号號일])?"
)
_VIETNAMESE = re.compile(r"(?<!\d)(\d\d?) tháng (\d\d?)(?:,? năm|,)? (\d{4})(?!\d)", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4}) ?([-/.,]) ?(\d\d?) ?\2 ?(\d\d?)(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d.])(\d\d?) ?([-/.]) ?(\d\d?) ?\2 ?(\d{4}|\d\d)(?!\d)")
_MONTH_AND_YEAR = re.compile(r"(?<![\d./-])(\d\d?)[/.](\d{4})(?![\d/-])")
_TOKEN = re.compile(r"\d+|[^\s\d.,:;/\\()\[\]{}|+'\"<>=*#@!?&%$~^`_-]+")


class _Day(NamedTuple):
    year: int
    month: int
    day: int | None
    span: tuple[int, int]
    confidence: float = SURE


class _Time(NamedTuple):
    hour: int
    minute: str
    second: str
    clock: Clock | None
    """None for a zone that cannot be."""


class _Token(NamedTuple):
    text: str
    month: int
    """0 for what names none."""
    start: int
    end: int


_NO_TOKEN = _Token("", 0, 0, 0)


def read_prose(text: str, hint: Clock, language: str, day_first: bool | None) -> Moment | None:
    """The first date in the text, with the first time in it."""
    text = plain_signs(text)
    text, clock = _named_zone(text, hint)
    text, time = _time(text, clock, (_COLON_TIME, _SIGNED_TIME, _BARE_HOUR))
    day = _day(text, language, day_first, has_time=time is not None)
    if day is None:
        return None
    if time is None:
        _, time = _time(_blotted(text, *day.span), clock, (_DOTTED_TIME,))
    elif time.clock is hint:
        time = time._replace(clock=_zone_at_the_end(_blotted(text, *day.span), hint))
    return _moment(_by_our_era(day, text, language), time, clock)


def _moment(day: _Day, time: _Time | None, clock: Clock) -> Moment | None:
    if time is None or day.day is None:
        precision: Precision = "month" if day.day is None else "day"
        return placed(
            local_time(day.year, day.month, day.day or 1), precision, clock, day.confidence
        )
    if time.clock is None:
        return None
    local = local_time(day.year, day.month, day.day, str(time.hour), time.minute, time.second)
    return placed(local, "second" if time.second else "minute", time.clock, day.confidence)


def plain_signs(text: str) -> str:
    """The text with plain digits and signs, one blank at a time, nothing invisible."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
        text = _THAI_DOT.sub("", text)
    return " ".join(text.split())


def _blotted(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


# --- zone and time -------------------------------------------------------------------------------


def _named_zone(text: str, hint: Clock) -> tuple[str, Clock]:
    match = _IANA.search(text) if "/" in text else None
    clock = clock_by_name(match[0]) if match else None
    if match is None or clock is None:
        return text, hint
    return _blotted(text, *match.span()), clock


def _time(text: str, clock: Clock, forms: tuple[re.Pattern[str], ...]) -> tuple[str, _Time | None]:
    """The text without its time, and the time with its zone."""
    match = next((found for form in forms if (found := form.search(text))), None)
    if match is None:
        return text, None
    start, end = match.span()
    hour = int(match[1])
    half = _HALF.match(text, end)
    end = half.end() if half else end
    before = text[:start].rstrip()
    if (half and half[2]) or before.endswith(_AFTER_NOON):
        hour = hour + 12 if hour < 12 else hour
    elif (half and half[1]) or before.endswith(_BEFORE_NOON):
        hour = 0 if hour == 12 else hour
    end, clock_or_none = _zone_after(text, end, clock)
    time = _Time(hour, match[2] or "0", match[3] or "", clock_or_none)
    return _blotted(text, start, end), time


def _zone_after(text: str, end: int, clock: Clock) -> tuple[int, Clock | None]:
    """Where the zone behind a time ends, and the clock it means: the one given if there is none."""
    match = _ZONE.match(text, end)
    if match is None:
        return end, clock
    utc, sign, hours, plain_sign, plain_hours, minutes, name = match.groups("")
    if utc:
        return match.end(), BY_UTC
    if hours or plain_hours:
        offset = clock_by_offset(sign or plain_sign, hours or plain_hours, minutes)
        return match.end(), offset
    # "est" is a French word, "EST" is a zone.
    named = clock_by_name(name, clock) if name.isupper() or not name.isascii() else None
    return (match.end(), named) if named else (end, clock)


def _zone_at_the_end(text: str, hint: Clock) -> Clock:
    """The zone that closes the text: `10:00, 17 February 2026 CET`."""
    name = text.rstrip(" .)]").rpartition(" ")[2].lstrip("([")
    if len(name) < 3 or not (name.isupper() or not name.isascii()):
        return hint
    return clock_by_name(name, hint) or hint


# --- day -----------------------------------------------------------------------------------------


def _day(text: str, language: str, day_first: bool | None, *, has_time: bool) -> _Day | None:
    return (
        _eastern_day(text)
        or _vietnamese_day(text)
        or _day_by_month_name(text, language, has_time=has_time)
        or _numeric_day(text, language, day_first)
    )


def _by_our_era(day: _Day, text: str, language: str) -> _Day:
    years, ahead = _BUDDHIST
    if day.year not in years or not (language_of(language) == "th" or _THAI.search(text)):
        return day
    return day._replace(year=day.year - ahead)


def _eastern_day(text: str) -> _Day | None:
    match = _EASTERN.search(text) if "月" in text or "월" in text else None
    if match is None:
        return None
    era, year, month, day = match.groups()
    number = 1 if year == "元" else int(year)
    since = _ERAS[era] if era else 2000 if number < 100 else 0
    confidence = SURE if era or number > 100 else UNSURE
    return _Day(since + number, int(month), int(day) if day else None, match.span(), confidence)


def _vietnamese_day(text: str) -> _Day | None:
    match = _VIETNAMESE.search(text) if "tháng" in text.lower() else None
    if match is None:
        return None
    return _Day(int(match[3]), int(match[2]), int(match[1]), match.span())


def _numeric_day(text: str, language: str, day_first: bool | None) -> _Day | None:
    if match := _YEAR_FIRST.search(text):
        return _Day(int(match[1]), int(match[3]), int(match[4]), match.span())
    if match := _YEAR_LAST.search(text):
        return _ordered_day(match, language, day_first)
    if match := _MONTH_AND_YEAR.search(text):
        return _Day(int(match[2]), int(match[1]), None, match.span(), DECLARED)
    return None


def _ordered_day(match: re.Match[str], language: str, day_first: bool | None) -> _Day:
    """Which number is the day: what the numbers prove, then what we are told, then day first."""
    first, sign, second, year = int(match[1]), match[2], int(match[3]), match[4]
    if len(year) == 2 and language_of(language) in _YEAR_FIRST_LANGUAGES:
        return _Day(_full_year(match[1]), second, int(year), match.span(), UNSURE)
    region = region_of(language) if language else ""
    declared = day_first is not None or sign == "." or region != ""
    if day_first is None:
        day_first = sign == "." or region not in _MONTH_FIRST_REGIONS
    if first > 12 or second > 12:
        day_first, confidence = first > 12, SURE
    else:
        confidence = SURE if first == second else DECLARED if declared else UNSURE
    if len(year) == 2:
        confidence = _sureness_of_short_year(first, sign, second)
    day, month = (first, second) if day_first else (second, first)
    return _Day(_full_year(year), month, day, match.span(), confidence)


def _sureness_of_short_year(first: int, sign: str, second: int) -> float:
    """26/2/17 may begin or end with its year, 26.2.17 ends with it, and so does 2/17/26."""
    if second > 12 or (first > 12 and sign == "."):
        return DECLARED
    return UNSURE if first > 12 else GUESSED


def _full_year(text: str) -> int:
    if len(text) > 2:
        return int(text)
    return int(text) + (1900 if int(text) >= CENTURY_TURN else 2000)


# --- day by the name of its month ----------------------------------------------------------------


def _day_by_month_name(text: str, language: str, *, has_time: bool) -> _Day | None:
    tokens = _tokens(text, month_names(language))
    for place, token in enumerate(tokens):
        if token.month:
            day = _day_around(tokens, place, text, has_time=has_time)
            if day is not None:
                return day
    return None


def _tokens(text: str, months: dict[str, int]) -> list[_Token]:
    """Numbers and words; of two words that name one month ("شباط/فبراير") only the first."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word.isdigit():
            tokens.append(_Token(word, 0, *match.span()))
            continue
        plain = bare(word)
        month = months.get(plain, 0)
        last = tokens[-1] if tokens else _NO_TOKEN
        if not month and last.text in FIRST_WORDS:
            month = months.get(f"{last.text} {plain}", 0)
            last = last._replace(month=month)
        if month and last.month == month:
            tokens[-1] = last._replace(end=match.end())
        else:
            tokens.append(_Token(plain, month, *match.span()))
    return tokens


def _day_around(tokens: list[_Token], place: int, text: str, *, has_time: bool) -> _Day | None:
    """The day and year next to a month: on both sides, both after it, or both before it."""
    before, after = _number(tokens, place, -1), _number(tokens, place, +1)
    further = _number(tokens, after, +1) if after is not None else None
    earlier = _number(tokens, before, -1) if before is not None else None
    for day, year in ((before, after), (after, before), (after, further), (before, earlier)):
        if day is None or year is None or not _is_day(tokens[day]):
            continue
        short = year == after and (has_time or text[tokens[year].start - 1] in "-'")
        if _is_year(tokens[year]) or (short and len(tokens[year].text) == 2):
            return _assembled(tokens, place, day, year)
    for year in (after, before):
        if year is not None and _is_year(tokens[year]):
            return _assembled(tokens, place, None, year)
    return None


def _number(tokens: list[_Token], place: int, step: int) -> int | None:
    """The place of the next number that way, past at most two short words ("17th of February")."""
    for skipped in range(1, 4):
        at = place + step * skipped
        if not 0 <= at < len(tokens) or tokens[at].month:
            return None
        text = tokens[at].text
        if text.isdigit():
            return at
        if len(text) > MAX_FILLER or text in _UNITS_OF_TIME:
            return None
    return None


def _is_day(token: _Token) -> bool:
    return len(token.text) <= 2 and 1 <= int(token.text) <= 31


def _is_year(token: _Token) -> bool:
    return len(token.text) == 4


def _assembled(tokens: list[_Token], month: int, day: int | None, year: int) -> _Day:
    places = [place for place in (month, day, year) if place is not None]
    span = tokens[min(places)].start, tokens[max(places)].end
    number = None if day is None else int(tokens[day].text)
    confidence = SURE if _is_year(tokens[year]) else DECLARED
    return _Day(_full_year(tokens[year].text), tokens[month].month, number, span, confidence)
