"""A sign and a word for everything a card says: colour alone never carries a meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from wireroom.dates.reader_clock import ReaderClock
from wireroom.ports import Bots, Picture, SummaryRow, Tone

if TYPE_CHECKING:
    from wireroom.report.types import Line

ShownTime: TypeAlias = Callable[[datetime], str]
"""How a time is written: with its zone on a page that is kept, without it where that is said once."""

WORDS: Final = {
    "allow": "✓",
    "deny": "✗",
    "paid": "€",
    "unknown": "?",
    "silent": "·",
    "unseen": "!",
}
"""What is said about a use."""
LINES: Final = {
    "yes": "•",
    "no": "–",
    "unknown": "?",
    "failed": "!",
    "skipped": "»",
    "not checked": "·",
}
"""What a step found, where that is neither good news nor bad."""
TONES: Final[dict[Tone, str]] = {"good": "✓", "bad": "✗", "mixed": "~"}
"""What a line means to somebody who wants to follow and use the publisher."""
LEGEND: Final = (
    ("✓", "good to follow and use it"),
    ("✗", "against it"),
    ("~", "both, or on conditions"),
    ("•", "there"),
    ("–", "not there"),
    ("?", "not known"),
    ("!", "could not be fetched"),
    ("»", "skipped"),
)
"""What the signs before the lines mean."""
MEANINGS: Final = dict(LEGEND)
BOTS: Final = {"barred": "✗", "some": "~", "free": "✓"}
"""How many agents of a purpose are barred."""
TERMS: Final = {"permitted": "✓", "prohibited": "✗", "conditional": "~", "silent": "·"}

PURPOSES: Final = {
    "training": "Training",
    "dataset": "Data sets",
    "search": "Search",
    "user_fetch": "Fetched for a user",
    "agent": "Agents",
    "policy_token": "Policy tokens",
    "preview": "Previews",
    "unknown": "Purpose unknown",
}
ACTIVITIES: Final = {
    "scraping": "Scraping and crawling",
    "ai_ml": "AI and machine learning",
    "manual_use": "Manual use",
    "archiving": "Archiving and caching",
    "tdm": "Text and data mining",
    "api_rss": "API and RSS",
    "redistribution": "Redistribution",
    "ugc": "User content",
}
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def sign(word: str) -> str:
    """The sign of any of these words."""
    tables = (WORDS, LINES, TERMS, BOTS)
    return next((table[word] for table in tables if word in table), "")


def line_sign(word: str, tone: Tone = "plain") -> str:
    """The sign before a line: a yes that is good and one that is bad do not look alike."""
    return TONES.get(tone, "") if word in {"yes", "no"} and tone != "plain" else LINES[word]


def signed(word: str) -> str:
    """The word behind its sign."""
    return f"{sign(word)} {word}"


def row_words(row: SummaryRow, shown: ShownTime) -> str:
    """What stands beneath a line, in one line: the address first."""
    text = row_text(row, shown)
    return f"{row.url}  {text}".strip() if row.url else text


def row_text(row: SummaryRow, shown: ShownTime) -> str:
    """What is said of the address, with the time of the newest of what it names."""
    newest = f"newest {shown(row.newest_at)}" if row.newest_at else ""
    return "; ".join(filter(None, (row.text, newest)))


def line_words(line: Line, shown: ShownTime) -> str:
    """What a line says, with the time of the newest article where it tells that."""
    return f"{line.value}; newest article {shown(line.newest_at)}" if line.newest_at else line.value


def barred_words(bots: Bots) -> str:
    """How many are barred: of those that everybody knows, then of all."""
    in_all = f"{len(bots.barred)} of {bots.total}"
    if not bots.well_known:
        return in_all
    return f"{len(bots.well_known_barred)} of {len(bots.well_known)} well-known, {in_all} in all"


# When articles come out, drawn: a weekday by hour grid as SVG, and as rows of blocks for a terminal. Pure.

CELL: Final = 18  # pixels of one hour
GAP: Final = 2
LEFT: Final = 36  # for the names of the days
TOP: Final = 18  # for the hours
SHADES: Final = " ░▒▓█"


def until(picture: Picture) -> str:
    """What stands before a rate that is over; empty while it holds."""
    return f"until {picture.until}: " if picture.until else ""


def picture_words(picture: Picture) -> str:
    """The rate with its interval, how sure it is, and whose clock the hours are of."""
    return (
        f"{until(picture)}{picture.per_day:.1f} a day; in nine cases of ten the true rate is between {picture.low:.1f} and "
        f"{picture.high:.1f} ({picture.confidence} confidence). Hours: {picture.zone}"
    )


def to_svg(picture: Picture) -> str:
    """The grid; each cell has its count as a title, so that no meaning hangs on a shade."""
    most = max((count for row in picture.grid for count in row), default=0) or 1
    width, height = LEFT + 24 * (CELL + GAP), TOP + 7 * (CELL + GAP)
    described = f"Articles by weekday and hour ({picture.zone}): {picture.label}"
    parts = [
        f'<svg class="grid" viewBox="0 0 {width} {height}" role="img" aria-label="{_quoted(described)}">',
        *_hours(),
        *(part for day, row in enumerate(picture.grid) for part in _day(day, row, most)),
        "</svg>",
    ]
    return "".join(parts)


def _hours() -> Iterator[str]:
    for hour in range(0, 24, 3):
        yield f'<text x="{LEFT + hour * (CELL + GAP)}" y="{TOP - 6}">{hour:02}</text>'


def _day(day: int, row: Sequence[int], most: int) -> Iterator[str]:
    y = TOP + day * (CELL + GAP)
    yield f'<text x="0" y="{y + CELL - 5}">{WEEKDAYS[day]}</text>'
    for hour, count in enumerate(row):
        x = LEFT + hour * (CELL + GAP)
        strength = 0.0 if count == 0 else 0.25 + 0.75 * count / most
        yield (
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="3"/>'
            f'<rect class="on" x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="3" '
            f'opacity="{strength:.2f}"><title>{WEEKDAYS[day]} {hour:02}:00: {count}</title></rect>'
        )


def to_blocks(picture: Picture) -> list[str]:
    """Seven rows for a terminal, two columns an hour, and a scale beneath."""
    most = max((count for row in picture.grid for count in row), default=0) or 1
    rows = [
        f"{WEEKDAYS[day]} " + "".join(_shade(count, most) * 2 for count in row)
        for day, row in enumerate(picture.grid)
    ]
    return [*rows, "h   " + "".join(f"{hour:02}" + " " * 4 for hour in range(0, 24, 3))]


def _shade(count: int, most: int) -> str:
    if count == 0:
        return "·"
    return SHADES[max(1, round(count / most * (len(SHADES) - 1)))]


def _quoted(text: str) -> str:
    return (
        text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    )


def age(at: datetime | None, now: datetime | None) -> str:
    """How long ago something was found; empty where that is not known, or a moment."""
    if at is None or now is None or now - at < timedelta(minutes=1):
        return ""
    minutes = int((now - at).total_seconds() // 60)
    if minutes < 60:
        return f"{minutes} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"


def dated(at: datetime | None, card_at: datetime, clock: ReaderClock) -> str:
    """The date of a line on a page that is kept, where it is not that of the card."""
    if at is None or abs(at - card_at) < timedelta(minutes=1):
        return ""
    return f" (as of {clock.long(at)})"
