"""Dates that count from now: `2 hours ago`, `vor 2 Stunden`, `2時間前`, `yesterday`.

"Now" is an argument: the moment at which the text was had. Such a date is rounded by whoever wrote it and was right
when the page was made, which may be long before it was fetched, so it is never certain. Months and years are not read:
they name no day.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

from wireroom.dates.moment import Moment
from wireroom.dates.prose import plain_signs
from wireroom.languages import language_of

MAX_LENGTH: Final = 80  # characters; a longer text tells a story
RELATIVE: Final = 0.5  # how sure such a moment is
MOST: Final = {
    "minute": 180,
    "hour": 72,
    "day": 45,
    "week": 8,
}  # more of one unit are not counted by it

# Language, what stands before the number, what stands behind the unit, then beginnings of minute, hour, day and week.
# "/" between forms, "_" for a blank, "-" for none, "#" where the ending says it. As of 2026-11.
_TABLE: Final = """
af - gelede minu/min uur/ure/u dag/dae week/weke
ar منذ/قبل/من - دقيقة/دقائق/دقيقه ساعة/ساعات/ساعه يوم/أيام/ايام/يوما أسبوع/أسابيع
az - əvvəl/qabaq dəqiqə/dəq saat gün həftə
be - таму/назад хвілін/хв гадзін/гадз дзень/дні/дзён тыдзень/тыдні/тыдняў
bg преди - минут/мин час/ч ден/дни/дена седмиц
bn - আগে মিনিট ঘণ্টা/ঘন্টা দিন সপ্তাহ
ca fa - minut/min hor/h di setman
cs před - minut/min hodin/hod/h dnem/dny/dnů týdn/týden
cy - yn_ôl munud/mun awr/oriau diwrnod/dydd/niwrnod wythnos
da for - minut/min tim/t dag/dage/døgn uge
de vor - minut/min stund/std/h tag wochen/woche
el πριν/πριν_από/εδώ_και - λεπτ/λ ώρα/ώρες/ώ ημέρ/μέρ εβδομάδ
en - ago/earlier minute/min/m hour/hrs/hr/h day/d week/wks/wk/w
es hace - minut/min hor/h día/dia/d seman
et - tagasi minut/min tun/h päev nädal
eu duela/orain_dela - minutu/min ordu/h egun aste
fa - پیش/قبل دقیقه ساعت روز هفته
fi - sitten minuut/min tun/h päiv/vuorokau viikko/viikk
fr il_y_a - minut/min/mn heur/h jour/j semain/sem
ga - ó_shin nóiméad/nóim uair lá/laethanta seachtain
gl hai - minut/min hor/h día seman
he לפני - דקה/דקות שעה/שעות יום/ימים שבוע/שבועות
hi - पहले/पूर्व मिनट घंटे/घंटा/घण्टे/घण्टा दिन हफ्ते/हफ़्ते/सप्ताह
hr prije - minut/min sat/h dan tjedan/tjedn
hu - ezelőtt perc órá/óra nap hét/hett/héttel
hu - # perce órája napja hete
hy - առաջ րոպե ժամ օր շաբաթ
id - lalu/yang_lalu menit/mnt jam hari minggu/pekan
is fyrir - mínút/mín klukkustund/klst/tím dag/degi/dög viku/vikum
it - fa minut/min ora/ore/h giorn/gg settiman
ja - 前 分 時間 日 週間
ka - წინ წუთ საათ დღ კვირ
kk - бұрын минут/мин сағат күн апта
ko - 전 분 시간 일 주
lt prieš - minut/min valand/val dien/d savait
lv pirms - minūt/min stund/st dien nedēļ
mk пред - минут/мин час ден/дена недел/седмиц
mr - पूर्वी/आधी मिनिट/मिनिटां तास/तासां दिवस/दिवसां आठवड
ms - lalu/yang_lalu minit jam hari minggu
nl - geleden minu/min uur/uren/u dag week/weken
no for - minut/min tim/t dag/dager/døgn uke
pl - temu minut/min godzin/godz/h dzień/dni tydzień/tygodni
pt há/ha - minut/min hor/h dia seman
pt - atrás minut/min hor/h dia seman
ro acum/în_urmă_cu - minut/min oră/ore/h zile/zi săptămân
ru - назад минут/мин час/ч день/дня/дней/дн недел
sk pred - minút/minut/min hodin/hod dňom/dňami/dňa týžd
sl pred - minut/min ura/uro/ure dnem/dnev/dne tedn
sq - më_parë minut/min orë ditë javë
sr pre/prije - minut/min sat/čas/h dan nedelj/sedmic
sr пре/прије - минут/мин сат/час дан недељ/седмиц
sv för - minut/min timm/tim dag/dygn veck
sw - zilizopita/iliyopita dakika saa siku wiki
ta - முன்/முன்பு/முன்னர் நிமிட மணி_நேர/மணிநேர/மணி நாள்/நாட்க வார
th - ที่แล้ว/ก่อน/ที่ผ่านมา นาที ชั่วโมง/ชม วัน สัปดาห์
tl - ang_nakalipas/ang_nakararaan/nakaraan minuto oras araw linggo
tr - önce dakika/dk saat/sa gün hafta
uk - тому/назад хвилин/хв годин/год день/дні/днів/дня тиждень/тижні/тижнів
ur - پہلے/قبل منٹ گھنٹ دن/دنوں ہفت
uz - oldin/avval daqiqa soat kun hafta
vi - trước phút giờ/tiếng ngày tuần
zh - 前/之前/以前 分钟/分鐘/分 小时/小時/个小时/個小時 天/日 周/週/星期/个星期/個星期
"""
# What stands for the number one: "an hour ago", "vor einer Stunde".
_ONE: Final = """
a an one ein eine einem einer einen un une una uno um uma unha een en ett et én egy bir jedn[aąęouy] jed[ae]n один одну
одна година един една едно један једну μια μία ένα ένας ett אחת أحد ek một isang satu se
"""
_TWICE: Final = {  # a number of its own for two
    "دقيقتين": timedelta(minutes=2),
    "ساعتين": timedelta(hours=2),
    "يومين": timedelta(days=2),
    "أسبوعين": timedelta(weeks=2),
    "שעתיים": timedelta(hours=2),
    "יומיים": timedelta(days=2),
    "שבועיים": timedelta(weeks=2),
}
_DAYS_AGO: Final = {
    0: """today heute aujourd'hui hoy oggi hoje vandaag idag i_dag tänään dzisiaj dziś dnes danas днес сегодня сьогодні сёння
    ma astăzi azi σήμερα bugün اليوم امروز היום आज আজ இன்று วันนี้ hari_ini hôm_nay 今日 今天 오늘 avui hoxe gaur täna šodien šiandien
    sot leo ngayon დღეს այսօր бүгін bugun danes данас денес""",
    1: """yesterday gestern hier ayer ieri ontem gisteren igår i_går eilen wczoraj včera jučer juče вчера вчора ўчора tegnap χθες
    χτες dün أمس امس ديروز دیروز אתמול গতকাল நேற்று เมื่อวาน เมื่อวานนี้ kemarin semalam hôm_qua 昨日 昨天 어제 ahir onte atzo eile
    vakar dje jana kahapon გუშინ երեկ кеше kecha včeraj јуче""",
}
_UNITS: Final = ("minute", "hour", "day", "week")
_SOLID: Final = frozenset({"ja", "ko", "th", "zh"})  # no blanks between words
_UNIT_FIRST: Final = frozenset({"sw"})  # "hours 2"
_SHORT: Final = 2  # letters; a unit cut to so few is a word by itself
_ENDING: Final = r"[^\s\d.,:;|()]{0,10}?\.?"


class _Row(NamedTuple):
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None


def read_relative(text: str, *, now: datetime, language: str = "") -> Moment | None:
    """The moment that a text counts back from now, or None; never surer than a half."""
    text = plain_signs(text[: MAX_LENGTH + 1]).casefold().replace("’", "'")
    if not text or len(text) > MAX_LENGTH:
        return None
    for name in _order(language_of(language)):
        for row in _rows()[name]:
            ago = _counted(text, row)
            if ago is not None:
                return _moment(now - ago[0], ago[1])
    days = _days().get(text.strip(" .,:|-"))
    return None if days is None else _moment(now - timedelta(days=days), "day")


def _moment(at: datetime, unit: str) -> Moment:
    at = at.astimezone(UTC).replace(second=0, microsecond=0)
    if unit in ("day", "week"):
        day = at.replace(hour=0, minute=0)
        return Moment(day, "day", day.date(), "assumed", None, RELATIVE)
    return Moment(at, "minute", at.date(), "assumed", None, RELATIVE)


def _counted(text: str, row: _Row) -> tuple[timedelta, str] | None:
    for pattern in row:
        found = pattern.search(text) if pattern is not None else None
        if found is None:
            continue
        if twice := found.groupdict().get("twice"):
            return _TWICE[twice], "day" if _TWICE[twice].days else "hour"
        unit = next(name for name in _UNITS if found[name])
        number = int(found["number"] or 1)
        if number <= MOST[unit]:
            return timedelta(**{f"{unit}s": number}), unit
    return None


def _order(language: str) -> list[str]:
    """The rows to try: those of the page's language and English, which templates speak; all where none is known."""
    return [language, "en"] if language in _rows() else list(_rows())


@cache
def _rows() -> dict[str, list[_Row]]:
    rows: dict[str, list[_Row]] = {}
    for line in _TABLE.strip().splitlines():
        name, before, after, *units = line.split(" ")
        rows.setdefault(name, []).append(_row(name, before, after, units))
    return rows


def _row(name: str, before: str, after: str, units: list[str]) -> _Row:
    named = zip(_UNITS, units, strict=True)
    unit = f"(?:{'|'.join(f'(?P<{unit}>{_stems(stems, name)})' for unit, stems in named)})"
    if before != "-":
        return _Row(_after_marker(_either(before), unit), None)
    marker = "" if after == "#" else rf"\s*(?:{_either(after)})"
    end = "" if name in _SOLID else r"(?!\w)"
    if name in _SOLID:
        count = r"(?<!\d)(?P<number>\d{1,3})\s*"
    elif name in _UNIT_FIRST:
        return _Row(None, re.compile(rf"{unit}\s+(?P<number>\d{{1,3}}){marker}{end}"))
    else:
        single = "|".join(_ONE.split())
        count = rf"(?:(?<!\d)(?P<number>\d{{1,3}})\s*|^|[|,:;>]\s*|(?<!\w)(?:{single})\s+)"
    return _Row(None, re.compile(f"{count}{unit}{marker}{end}"))


def _after_marker(marker: str, unit: str) -> re.Pattern[str]:
    """`vor 2 Stunden`, `vor etwa 2 Stunden`, `vor einer Stunde`, `منذ ساعتين`."""
    single, twice = "|".join(_ONE.split()), "|".join(_TWICE)
    about = r"(?:[^\s\d]{2,10}\s+){0,2}"
    number = rf"(?:{about}(?P<number>\d{{1,3}})\s*|(?:{single})\s+)?"
    return re.compile(
        rf"(?<!\w)(?:{marker})\s+(?:(?P<twice>{twice})|{number}{unit})(?=[\s.,:;|()·]|$)"
    )


def _stems(stems: str, name: str) -> str:
    """The forms of a unit: a beginning and any ending, but nothing behind one that is cut short."""
    words = sorted(stems.casefold().split("/"), key=len, reverse=True)
    return "|".join(
        re.escape(word.replace("_", " "))
        + ("" if name in _SOLID else r"(?![^\W\d_])\.?" if len(word) <= _SHORT else _ENDING)
        for word in words
    )


def _either(words: str) -> str:
    forms = sorted(words.casefold().split("/"), key=len, reverse=True)
    return "|".join(re.escape(form.replace("_", " ")) for form in forms)


@cache
def _days() -> dict[str, int]:
    return {
        word.replace("_", " "): days for days, words in _DAYS_AGO.items() for word in words.split()
    }
