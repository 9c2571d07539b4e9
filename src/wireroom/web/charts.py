"""Charts as SVG, made here: nothing is loaded, nothing moves, and each says in words what it shows. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

BAR = 4  # units of one bar, and one between two
HEIGHT = 24
WIDE, TALL = 600, 120
ABOVE, BELOW = 24, 24  # for numbers and days, also where a phone draws them larger
LABELS = 6  # days that are named under a chart


@dataclass(frozen=True, slots=True)
class Bar:
    """One day: what there was, and between which numbers that was to be expected."""

    label: str
    count: int
    low: int | None = None
    high: int | None = None
    url: str = ""
    """What a click on it leads to."""


def sparkline(bars: Sequence[Bar], words: str) -> Markup:
    """Small bars before a band of what was to be expected; `words` say the same."""
    step = BAR + 1
    most = _most(bars)
    parts = [
        f'<svg class="spark" viewBox="0 0 {step * len(bars)} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(words)}">'
    ]
    for place, bar in enumerate(bars):
        x = place * step
        if bar.high is not None:
            top, bottom = _height(bar.high, most, HEIGHT), _height(bar.low or 0, most, HEIGHT)
            parts.append(_rect("band", x, HEIGHT - top, step, max(1.0, top - bottom)))
        size = _height(bar.count, most, HEIGHT)
        parts.append(_rect("bar", x, HEIGHT - size, BAR, size, title=_day_words(bar)))
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers and escaped words


def linked_bars(bars: Sequence[Bar]) -> Markup:
    """Small bars, each a link. For whoever points at them; a table beside it has the same links for everybody."""
    step = BAR + 1
    most = _most(bars)
    parts = [
        f'<svg class="spark linked" viewBox="0 0 {step * len(bars)} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true">'
    ]
    for place, bar in enumerate(bars):
        size = _height(bar.count, most, HEIGHT)
        drawn = _rect("hit", place * step, 0, step, HEIGHT, title=_day_words(bar))
        drawn += _rect("bar", place * step, HEIGHT - size, BAR, size)
        if bar.url:
            drawn = f'<a href="{escape(bar.url)}" tabindex="-1">{drawn}</a>'
        parts.append(drawn)
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers and escaped words


def bar_chart(bars: Sequence[Bar], words: str) -> Markup:
    """Bars with days beneath, and a line at the highest count with its number."""
    if not bars:
        return Markup("")
    most = _most(bars)
    step = WIDE / len(bars)
    parts = [
        f'<svg class="chart" viewBox="0 -{ABOVE} {WIDE} {ABOVE + TALL + BELOW}" role="img" aria-label="{escape(words)}">',
        f'<line class="axis" x1="0" x2="{WIDE}" y1="{TALL}" y2="{TALL}"/>',
        f'<line class="axis" x1="0" x2="{WIDE}" y1="0" y2="0"/>',
        f'<text x="0" y="-6">{most:,}</text>',
    ]
    for place, bar in enumerate(bars):
        x = place * step
        if bar.high is not None:
            top, bottom = _height(bar.high, most, TALL), _height(bar.low or 0, most, TALL)
            parts.append(_rect("band", x, TALL - top, step, max(1.0, top - bottom)))
        size = _height(bar.count, most, TALL)
        parts.append(
            _rect("bar", x + step * 0.1, TALL - size, step * 0.8, size, title=_day_words(bar))
        )
    parts.extend(_labels(bars, step))
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers and escaped words


def _labels(bars: Sequence[Bar], step: float) -> Iterator[str]:
    every = max(1, len(bars) // LABELS)
    for place in range(0, len(bars), every):
        yield f'<text x="{place * step:.1f}" y="{TALL + 18}">{escape(bars[place].label)}</text>'


def _most(bars: Sequence[Bar]) -> int:
    return max((max(bar.count, bar.high or 0) for bar in bars), default=0) or 1


def _height(count: int, most: int, tall: int) -> float:
    return tall * count / most


def _rect(kind: str, x: float, y: float, width: float, height: float, *, title: str = "") -> str:
    inside = f"<title>{escape(title)}</title>" if title else ""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}">{inside}</rect>'


def _day_words(bar: Bar) -> str:
    expected = f" (expected {bar.low or 0} to {bar.high})" if bar.high is not None else ""
    return f"{bar.label}: {bar.count:,}{expected}"
