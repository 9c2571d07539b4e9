"""Time zones by name: IANA names, and the abbreviations that people write after a time.

The rules of IANA zones come from the machine's or Python's own data; nothing is fetched.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wireroom.dates.moment import ASSUMED, BY_UTC, Clock

MAX_OFFSET = timedelta(hours=14)  # Kiritimati; whatever is further off is a misprint
ZONES_KEPT = 256  # of about 600; names that are none are kept too, so that they are tried once
UNSURE_OF_NAME = 0.7  # of an abbreviation that several zones share

# As of 2026-11. "?" marks names that several zones share; the row is the one met most in news.
_TABLE = """
-10:00 hst      -09:00 akst     -08:00 akdt pst?   -07:00 mst? pdt   -06:00 cst? mdt
-05:00 est cdt? pet cot ect?    -04:00 edt ast? bot vet clt          -03:00 adt brt art clst uyt pyt
-03:30 nst      -02:30 ndt
+00:00 utc gmt ut wet           +01:00 cet met mez wat west bst?     +02:00 cest mest mesz eet cat sast
+03:00 eest msk мск eat trt idt +03:30 irst     +04:00 gst? samt get azt amt?     +04:30 aft
+05:00 pkt uzt yekt almt        +05:30 ist?     +05:45 npt           +06:00 bdt omst
+06:30 mmt      +07:00 wib ict krat novt        +08:00 hkt sgt pht myt wita awst irkt 北京时间 北京時間
+09:00 jst kst wit yakt         +09:30 acst     +10:00 aest vlat     +10:30 acdt
+11:00 aedt magt                +12:00 nzst pett                     +13:00 nzdt
"""
# Names that say nothing about summer time mean the zone, whatever the season.
_SEASONLESS = {
    "et": "America/New_York",
    "ct": "America/Chicago",
    "mt": "America/Denver",
    "pt": "America/Los_Angeles",
}
_UTC_NAMES = frozenset({"utc", "gmt", "ut"})  # as exact as an offset
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)", re.ASCII)


@lru_cache(maxsize=ZONES_KEPT)
def clock_by_offset(sign: str, hours: str, minutes: str | None) -> Clock | None:
    """The clock that `+02:00` speaks of, or None for an offset that no clock has."""
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > MAX_OFFSET or int(minutes or 0) > 59:
        return None
    return Clock(-offset if sign == "-" else offset, "offset")


def _read_table() -> tuple[dict[str, timezone], frozenset[str]]:
    zones: dict[str, timezone] = {}
    shared: set[str] = set()
    zone = UTC
    for word in _TABLE.split():
        name = word.rstrip("?")
        if match := _OFFSET.fullmatch(word):
            offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
            zone = timezone(-offset if match[1] == "-" else offset)
            continue
        zones[name] = zone
        if name != word:
            shared.add(name)
    return zones, frozenset(shared)


ABBREVIATIONS, AMBIGUOUS = _read_table()


def clock_by_name(name: str, hint: Clock = ASSUMED) -> Clock | None:
    """The clock an IANA name or an abbreviation stands for.

    Where several zones share an abbreviation, the hinted zone is taken if it goes by that name.
    """
    short = name.lower()
    if "/" in name or short in _SEASONLESS:
        zone = _iana(_SEASONLESS.get(short, name))
        return Clock(zone, "name") if zone else None
    if short in _UTC_NAMES:
        return BY_UTC
    if short not in ABBREVIATIONS:
        return None
    if short not in AMBIGUOUS:
        return Clock(ABBREVIATIONS[short], "name")
    if isinstance(hint.zone, tzinfo) and (own := _zone_calling_itself(hint.zone, short)):
        return Clock(own, "name")
    return Clock(ABBREVIATIONS[short], "name", UNSURE_OF_NAME)


@lru_cache(maxsize=ZONES_KEPT)
def hinted_clock(name: str) -> Clock:
    """The clock for an IANA name, an offset or an abbreviation; the assumed one for none of these."""
    if match := _OFFSET.fullmatch(name):
        clock = clock_by_offset(match[1], match[2], match[3])
        return clock._replace(source="hint") if clock else ASSUMED
    zone = ABBREVIATIONS.get(name.lower()) or _iana(name)
    return Clock(zone, "hint") if zone else ASSUMED


@lru_cache(maxsize=ZONES_KEPT)
def _iana(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None  # no such zone, a path instead of a name, or a folder of zones


@lru_cache(maxsize=ZONES_KEPT)
def _zone_calling_itself(zone: tzinfo, name: str) -> timezone | None:
    """The offset at which the zone goes by this name, in winter or in summer."""
    for month in (1, 7):
        day = datetime(2026, month, 1)  # noqa: DTZ001 - a local time, asked of the zone
        if (zone.tzname(day) or "").lower() == name:
            return timezone(zone.utcoffset(day) or timedelta())
    return None


# The clock of most newsrooms under a country's domain; countries with many zones are left out.
_NEWSROOMS = {
    "at": "Europe/Vienna", "be": "Europe/Brussels", "ch": "Europe/Zurich", "cn": "Asia/Shanghai",
    "cz": "Europe/Prague", "de": "Europe/Berlin", "dk": "Europe/Copenhagen", "es": "Europe/Madrid",
    "fi": "Europe/Helsinki", "fr": "Europe/Paris", "gr": "Europe/Athens", "hu": "Europe/Budapest",
    "ie": "Europe/Dublin", "il": "Asia/Jerusalem", "in": "Asia/Kolkata", "it": "Europe/Rome",
    "jp": "Asia/Tokyo", "kr": "Asia/Seoul", "nl": "Europe/Amsterdam", "no": "Europe/Oslo",
    "pl": "Europe/Warsaw", "pt": "Europe/Lisbon", "ro": "Europe/Bucharest", "se": "Europe/Stockholm",
    "tr": "Europe/Istanbul", "tw": "Asia/Taipei", "ua": "Europe/Kyiv", "uk": "Europe/London",
}  # fmt: skip


def newsroom_zone(domain: str) -> tuple[tzinfo, str]:
    """The zone of most newsrooms under the domain's country, and its name; UTC and "assumed" where there are many."""
    name = _NEWSROOMS.get(domain.rpartition(".")[2])
    zone = _iana(name) if name else None
    return (UTC, "assumed") if name is None or zone is None else (zone, name)
