"""JSON as it stands in pages: wrapped in comments, with commas too many, with raw line breaks.

Pure. What is strictly JSON is decoded at once; the rest is repaired step by step, and what cannot be
repaired gives nothing. Lengths, depth and digits are bounded, NaN and infinity become null, and no
text leaves with control characters or halves of characters. What the values mean is for others.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, Final

import msgspec

from wireroom.parse.plain_text import clean

MAX_SCRIPT_LENGTH: Final = 1_000_000  # characters; long live blogs reach 400,000
MAX_VALUES: Final = 50  # objects in one script, one after the other; real ones hold up to three
MAX_DEPTH: Final = 60  # of nesting that is kept; real ones reach 12
MAX_DIGITS: Final = 18  # of a whole number: what every database can hold

_WRAPPING: Final = re.compile(r"<!--|-->|/\*\s*<!\[CDATA\[\s*\*/|/\*\s*\]\]>\s*\*/|//\s*<!\[CDATA\[|//\s*\]\]>|<!\[CDATA\[|\]\]>")  # fmt: skip
# Ends are optional and runs are taken whole: what is never closed must not be tried again and again.
_STRING_OR_NOISE: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|(,[\s,]*+)|;', re.DOTALL
)
_BAD_ESCAPE: Final = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|)')
_BETWEEN: Final = re.compile(r"[\s,;]*+")
# What a text or number must be looked at for: controls, surrogates, noncharacters, many digits.
_ESCAPES: Final = re.compile(r"\\u(?:00[0189]|d[89a-f]|f[df])", re.IGNORECASE)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_DIGITS: Final = bytes(48 if 48 <= c <= 57 else 32 for c in range(256))
"""For `bytes.translate`: a nought for each digit, a blank for all else."""
_MANY_DIGITS: Final = b"0" * (MAX_DIGITS + 1)


def read_values(text: str) -> list[Any]:
    """The values a script holds, in order; none when it cannot be read or is too long."""
    if len(text) > MAX_SCRIPT_LENGTH:
        return []
    values = _strict(text)
    if values is None:
        values = _repaired(text)
    if not values:
        return []
    return [_cleaned(value, 0) for value in values] if _needs_care(text) else values


def _needs_care(text: str) -> bool:
    """Nesting is bounded by its brackets: fewer than the limit cannot be too deep."""
    if "\\u" in text and _ESCAPES.search(text) is not None:
        return True
    if not text.isprintable() and _CONTROLS.search(text) is not None:
        return True
    # Not one pattern: without a fixed beginning it is tried at each character, at seven times the price.
    if _MANY_DIGITS in text.encode("utf-8", "replace").translate(_DIGITS):
        return True
    return text.count("{") + text.count("[") > MAX_DEPTH


def _strict(text: str) -> list[Any] | None:
    try:
        return [msgspec.json.decode(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _repaired(text: str) -> list[Any]:
    if "<!" in text or "]]>" in text or "-->" in text:
        text = _WRAPPING.sub(" ", text)
    values = _one_after_another(text)
    if values:
        return values
    if '"' not in text and "&quot;" in text:
        text = unescape(text)
    return _one_after_another(_STRING_OR_NOISE.sub(_kept, text))


def _kept(match: re.Match[str]) -> str:
    """Strings stay, with escapes that JSON does not know taken for what they escape.

    Of commas one stays, and none before a closing bracket.
    """
    string = match[1]
    if match[2] is not None:
        return "" if match.string[match.end() : match.end() + 1] in ("}", "]") else ","
    if string is None:
        return ""
    return (
        _BAD_ESCAPE.sub(lambda match: match[0] if match[1] else "", string)
        if "\\" in string
        else string
    )


def _one_after_another(text: str) -> list[Any]:
    """All values up to the first place that cannot be read; none if that is the beginning."""
    values: list[Any] = []
    place = _start(text, 0)
    while place < len(text) and len(values) < MAX_VALUES:
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        values.append(value)
        place = _start(text, place)
    return values


def _start(text: str, place: int) -> int:
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


def _whole_number(digits: str) -> int | None:
    return int(digits) if len(digits.lstrip("-")) <= MAX_DIGITS else None


def _fraction(digits: str) -> float | None:
    number = float(digits)
    return number if abs(number) != float("inf") else None


_DECODER: Final = json.JSONDecoder(
    strict=False,  # line breaks and tabs inside strings are taken as they are
    parse_int=_whole_number,
    parse_float=_fraction,
    parse_constant=lambda _: None,
)


def _cleaned(value: Any, depth: int) -> Any:
    """The value without control characters, huge numbers and whatever is nested too deep."""
    if isinstance(value, str):
        return clean(value)
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {clean(key): _cleaned(held, depth + 1) for key, held in value.items()}
    if isinstance(value, list):
        return [_cleaned(held, depth + 1) for held in value]
    if isinstance(value, int) and not -(10**MAX_DIGITS) < value < 10**MAX_DIGITS:
        return None
    return value
