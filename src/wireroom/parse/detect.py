"""In which language a text is, by statistics over its beginning.

Pure. The model (py3langid, which brings numpy) takes 0.6 to 0.8 s to load, 120 MB while that lasts and 90 MB
from then on, so it is loaded with the first text that is asked about and kept; a program of several processes
names a folder for it beforehand (see `languagemodel`). What a page *says* of its language is weighed by
`parse.metadata`; here is only what its text looks like.
"""

from __future__ import annotations

from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Final

from wireroom.languages import guess_by_script, language_of
from wireroom.model import Claim
from wireroom.parse.languagemodel import open_model
from wireroom.parse.metadata.vocabulary import listed

if TYPE_CHECKING:
    from pathlib import Path

    from py3langid.langid import LanguageIdentifier

MAX_LOOK: Final = 1_000  # characters; more changes no answer and costs 0.7 µs each
FIRST_LOOK: Final = 100  # characters that are enough when the text is what the page says it is
LETTERS_LOOK: Final = 160  # characters in which there must be some letters
FEWEST_LETTERS: Final = 40  # below that the statistics guess; the script alone may still tell
UNLIKELY: Final = 0.5  # what the model must claim to be heard at all
BY_WORDS: Final = 0.95  # a text in whose beginning many of its common words stand
MANY_WORDS: Final = 6  # of those below, different ones; any other language has fewer of them
MANY_UNTOLD: Final = 7  # the same on a page that names no language
FEW_WORDS: Final = 2  # that such a text may have of another of these languages
BY_SCRIPT: Final = 0.6  # a script that one language writes is a hint, no more
AT_ONCE: Final = 0.8  # what the first look must claim to spare the second
AT_ONCE_OF_RELATIVES: Final = 0.95  # the same for a language that others are close to
CONFUSABLE: Final = 0.8  # of two close relatives the page knows better: under what overrules it

SOURCE: Final = "text"
SCRIPT_SOURCE: Final = "script of the text"

# Languages that the model takes for one another, by our codes: measured on none, known to all.
_RELATIVES: Final = (
    frozenset({"bs", "hr", "sr"}),
    frozenset({"no", "nn", "da"}),
    frozenset({"id", "ms"}),
    frozenset({"gl", "pt"}),
    frozenset({"af", "nl"}),
    frozenset({"ca", "oc"}),
    frozenset({"fa", "tg"}),
)

_AT_ONCE: Final = dict.fromkeys(chain(*_RELATIVES), AT_ONCE_OF_RELATIVES)

# Words that every text of a language is full of, and that few others have; for languages without close relatives.
_COMMON: Final = {
    language: frozenset(listed(words))
    for language, words in {
        "en": "the of and to that with this from have are for by which their been",
        "de": "der die das und wird nicht von mit ein eine auf für dem sich auch",
        "fr": "le les des et est une dans pour qui sur pas du au avec ont",
        "es": "el los las y una del al con más pero por también está sus entre",
        "it": "il di che della per è con sono gli nel alla anche non delle dei",
    }.items()
}

_LOADING: Final = Lock()  # threads that ask at once must not load 120 MB each
_DETECTOR: Final[list[LanguageIdentifier]] = []  # the one, once it is loaded


def detect_language(text: str, *, declared: str = "") -> Claim | None:
    """The language of a text with the model's confidence, or None when it shows none.

    `declared` is the tag the page itself names: a text that plainly agrees is looked at only briefly, and a close
    relative of it (Croatian for Bosnian) is not claimed with confidence. A text full of the common words of that
    language, or of one language where the page names none, needs no model.
    """
    start = text[:MAX_LOOK]
    if sum(map(str.isalpha, start[:LETTERS_LOOK])) < FEWEST_LETTERS:
        return _by_script(start)
    expected = language_of(declared) if declared else ""
    if by_words := _by_words(start, expected):
        return Claim(value=by_words, source=SOURCE, confidence=BY_WORDS)
    code, confidence = _classified(start[:FIRST_LOOK]) if expected else ("", 0.0)
    if code != expected or confidence < _AT_ONCE.get(expected, AT_ONCE):
        code, confidence = _classified(start)
    if not code or confidence < UNLIKELY:
        return _by_script(start)
    if code != expected and _are_relatives(code, expected):
        confidence = min(confidence, CONFUSABLE)
    return Claim(value=code, source=SOURCE, confidence=round(confidence, 3))


def load_detector(folder: Path | None = None) -> None:
    """Loads the model now, for programs that would rather wait at their start.

    With a folder it is kept there unpacked: 68 MB that spare other processes the time and the memory.
    """
    with _LOADING:
        if not _DETECTOR:
            _DETECTOR.append(open_model(folder))


def _by_words(start: str, expected: str) -> str:
    """The language whose common words the text is full of, if it is the expected one or none is; else empty."""
    if expected and expected not in _COMMON:
        return ""
    words = start.lower().split()
    if expected:
        return expected if len(_COMMON[expected].intersection(words)) >= MANY_WORDS else ""
    counts = {language: len(common.intersection(words)) for language, common in _COMMON.items()}
    best = max(counts, key=counts.__getitem__)
    most = counts.pop(best)
    return best if most >= MANY_UNTOLD and max(counts.values()) <= FEW_WORDS else ""


def _detector() -> LanguageIdentifier:
    if not _DETECTOR:
        load_detector()
    return _DETECTOR[0]


def _classified(start: str) -> tuple[str, float]:
    code, confidence = _detector().classify(start)
    return language_of(code), float(confidence)


def _by_script(start: str) -> Claim | None:
    code = guess_by_script(start)
    return Claim(value=code, source=SCRIPT_SOURCE, confidence=BY_SCRIPT) if code else None


def _are_relatives(code: str, other: str) -> bool:
    return any(code in family and other in family for family in _RELATIVES)
