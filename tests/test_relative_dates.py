"""Dates that count back from the fetch, in every language whose months are read."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from wireroom.dates.relative import read_relative

NOW = datetime(2026, 11, 15, 12, 0, 30, tzinfo=UTC)
TWO_HOURS = [
    "2 hours ago",
    "about 2 hours ago",
    "vor 2 Stunden",
    "vor etwa 2 Stunden",
    "2時間前",
    "2小时前",
    "2 小時前",
    "2시간 전",
    "il y a 2 heures",
    "hace 2 horas",
    "2 ore fa",
    "há 2 horas",
    "2 horas atrás",
    "2 uur geleden",
    "för 2 timmar sedan",
    "for 2 timer siden",
    "2 tuntia sitten",
    "2 godziny temu",
    "před 2 hodinami",
    "pred 2 hodinami",
    "pred 2 urama",
    "prije 2 sata",
    "pre 2 sata",
    "пре 2 сата",
    "2 часа назад",
    "2 години тому",
    "2 гадзіны таму",
    "преди 2 часа",
    "пред 2 часа",
    "πριν από 2 ώρες",
    "πριν 2 ώρες",
    "לפני 2 שעות",
    "לפני שעתיים",
    "منذ 2 ساعة",
    "منذ ساعتين",
    "قبل ٢ ساعات",
    "۲ ساعت پیش",
    "2 گھنٹے پہلے",
    "2 घंटे पहले",
    "२ घंटे पहले",
    "2 तासांपूर्वी",
    "২ ঘণ্টা আগে",
    "2 மணி நேரத்திற்கு முன்பு",
    "2 ชั่วโมงที่แล้ว",
    "2 giờ trước",
    "2 jam yang lalu",
    "2 jam lalu",
    "2 oras ang nakalipas",
    "saa 2 zilizopita",
    "2 საათის წინ",
    "2 ժամ առաջ",
    "2 orë më parë",
    "fa 2 hores",
    "hai 2 horas",
    "duela 2 ordu",
    "2 uair ó shin",
    "2 awr yn ôl",
    "2 uur gelede",
    "fyrir 2 klukkustundum",
    "acum 2 ore",
    "2 órája",
    "2 órával ezelőtt",
    "2 tundi tagasi",
    "pirms 2 stundām",
    "prieš 2 valandas",
    "2 saat önce",
    "2 saat əvvəl",
    "2 soat oldin",
    "2 сағат бұрын",
    "2h ago",
    "2 hrs ago",
    "Published 2 hours ago",
    "2 hours ago | 5 min read",
]
ONE_HOUR = ["an hour ago", "vor einer Stunde", "il y a une heure", "منذ ساعة", "час назад", "hace una hora", "1 hour ago"]  # fmt: skip
YESTERDAY = ["yesterday", "Gestern", "昨天", "1 day ago", "vor 1 Tag", "hier", "1 день назад", "1일 전", "1日前", "أمس"]  # fmt: skip


@pytest.mark.parametrize("text", TWO_HOURS)
def test_hours_are_counted_back_and_unsure(text: str) -> None:
    moment = read_relative(text, now=NOW)
    assert moment is not None
    assert moment.at == datetime(2026, 11, 15, 10, tzinfo=UTC)
    assert (moment.precision, moment.zone_from) == ("minute", "assumed")
    assert moment.confidence <= 0.5


@pytest.mark.parametrize("text", ONE_HOUR)
def test_one_needs_no_digit(text: str) -> None:
    moment = read_relative(text, now=NOW)
    assert moment is not None
    assert moment.at.hour == 11


@pytest.mark.parametrize("text", YESTERDAY)
def test_days_are_days(text: str) -> None:
    moment = read_relative(text, now=NOW)
    assert moment is not None
    assert (moment.local_day, moment.precision) == (date(2026, 11, 14), "day")


@pytest.mark.parametrize(
    "text",
    ["", "5 minutes", "It was 2 hours from here", "3 months ago", "vor 2 Jahren", "a few hours ago", "several days ago",
     "200 years ago", "the day before", "5 min read", "Long ago", "24 hours a day", "um 10 Uhr", "vor Gericht", "2 horses ago"],
)  # fmt: skip
def test_what_names_no_day_gives_none(text: str) -> None:
    assert read_relative(text, now=NOW) is None
