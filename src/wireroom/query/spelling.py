"""How words are spelt in the index: one spelling for all the ways a word can be typed.

Pure. Knows characters, not articles and not databases; `words` cuts texts and calls `spell` for
every piece that is not plain ASCII. What is written and what is asked for go the same way, so the
rules only have to be the same on both sides:

* compatibility forms are unfolded (`ﬁ` is `fi`, full-width `Ａ` is `a`), case is folded;
* Latin and Greek letters lose their marks (`café` is `cafe`), stroked and joined letters become
  plain ones (`ø` is `o`, `ß` is `ss`, `æ` is `ae`);
* Cyrillic keeps its letters (`й` is not `и`), but `ё` is `е` and stress marks go;
* Arabic harakat, Hebrew points and tatweel go, the forms of alef, yeh and kaf become one;
* marks that are letters stay: Indic vowel signs, Thai vowels, Japanese dakuten;
* digits of every script become 0-9;
* whatever is neither letter, mark nor number separates words, and so do apostrophes and hyphens;
* scripts written without spaces become overlapping pairs of characters, then the last one alone.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from operator import add
from unicodedata import category, decimal, name, normalize

MAX_WORD = 64  # characters; longer ones are addresses or noise, and PostgreSQL takes 2 KB at most
_REMEMBERED_PIECES = 50_000  # about 8 MB; the words that newspapers use day by day
_LONG_RUN = 24  # characters; from here on numbers are laid out faster than strings are joined
_PLACE_OF_SPACED = "\0"  # of a word that is spelt apart; no letter
_REMEMBERED_LENGTH = 32  # characters; a longer piece is a sentence without spaces, not seen twice

# Han, kana, bopomofo, Hangul, Thai, Lao, Khmer, Myanmar; their own digits are left out. Hangul has
# spaces, but particles cling to its words: pairs find 서울 in 서울에서.
_SPACELESS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099\u309a"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003fffd"
    "\u1100-\u11ff\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"
    "\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f"
)
_MARKS = ("Mn", "Mc", "Me")
_LAST_MIXED = 0x1FFFF  # beyond it stand only Han and things that are no letters

# Invisible: joiners, direction marks, soft hyphens, variation selectors. They part no word.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
# Unfolded they would grow onto the word before them: "Acme™" is not "acmetm".
_BADGES = re.compile("[\u2120\u2122]")
# Letters by name, apostrophes by use: O'ahu and Oʻahu, м'ясо and мʼясо are the same.
_APOSTROPHES = "\u02b9-\u02bf"

# Marks that only help the reader; after composition they stand alone.
_DROPPED_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
    "\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0730-\u074a\u08ca-\u08ff]"
)
_PLAIN_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n", "þ": "th",
    "æ": "ae", "œ": "oe",
    "ё": "е", "ѐ": "е", "ѝ": "и",
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك",
}  # fmt: skip
_EUROPEAN = range(0x00C0, 0x0530)  # Latin with marks, Greek, Cyrillic
_UNMARKED_SCRIPTS = ("LATIN ", "GREEK ")


def spell(pieces: Iterable[str]) -> list[str]:
    """The words in pieces of text, as the index knows them.

    The pieces come in lower case, without white space and without punctuation of ASCII: a piece of
    ASCII alone is a word already.
    """
    return spell_joined(pieces).split()


def spell_joined(pieces: Iterable[str]) -> str:
    """The same words in one text, one or more blanks between each two."""
    return " ".join(map(_SPELT.__getitem__, pieces))


def spell_unspaced(text: str) -> str:
    """The words in a whole text, with blanks between them: sooner than its pieces where these are long, and none comes again.

    The text is in lower case.
    """
    runs = " ".join(_runs().findall(_normal(text)))
    spaced = _spaced().findall(runs)
    pairs = _pairs_of_runs(_spaced().sub(_PLACE_OF_SPACED, runs)).split(_PLACE_OF_SPACED)
    return "".join(chain.from_iterable(zip(pairs, (*map(_folded, spaced), ""), strict=True)))


def is_spaceless(word: str) -> bool:
    """Whether a word of the index was cut from a script that is written without spaces."""
    return not word.isascii() and _spaceless().match(word) is not None


class _Spelt(dict[str, str]):
    """Pieces and the words in them, remembered because most of them come again within minutes."""

    def __missing__(self, piece: str) -> str:
        words = piece[:MAX_WORD] if piece.isascii() else _spelt(piece)
        if len(piece) <= _REMEMBERED_LENGTH:
            if len(self) >= _REMEMBERED_PIECES:
                self.clear()
            self[piece] = words
        return words


_SPELT = _Spelt()


def _spelt(piece: str) -> str:
    if _small_letters().fullmatch(piece):  # most words; nothing to unfold or to cut
        return piece.translate(_FOLDING)[:MAX_WORD]
    return " ".join(_words_in(piece))


def _words_in(piece: str) -> Iterator[str]:
    for run in _runs().findall(_normal(piece)):
        if is_spaceless(run):
            yield _pairs(run)
            yield run[-1]
        else:
            yield _folded(run)


def _folded(run: str) -> str:
    return run.translate(_FOLDING)[:MAX_WORD]


def _pairs(run: str) -> str:
    """Every two neighbours, with blanks between: 東京都 gives 東京 京都."""
    if len(run) < _LONG_RUN:
        return " ".join(map(add, run, run[1:]))
    letters = array("I", run.encode("utf-32-le"))
    laid_out = array("I", " ".encode("utf-32-le")) * (3 * (len(letters) - 1))
    laid_out[0::3] = letters[:-1]
    laid_out[1::3] = letters[1:]
    return laid_out.tobytes().decode("utf-32-le")


def _pairs_of_runs(runs: str) -> str:
    """The pairs and last characters of runs that have a blank between each two."""
    letters = array("I", f"{runs} ".encode("utf-32-le"))
    laid_out = array("I", " ".encode("utf-32-le")) * (3 * (len(letters) - 1))
    laid_out[0::3] = letters[:-1]
    laid_out[1::3] = letters[1:]
    # A blank was paired too: 東京 大阪 is "東京 京   大 大阪 阪  ", and what stands behind three blanks is no pair.
    first, *others = laid_out.tobytes().decode("utf-32-le").split("   ")
    return " ".join([first, *(run[2:] for run in others)])


def _normal(piece: str) -> str:
    piece = _BADGES.sub(" ", _INVISIBLE.sub("", piece))
    folded = normalize("NFKC", piece).casefold()
    return normalize("NFKC", folded)


class _Folding(dict[int, str]):
    """A table for `str.translate` that is worked out letter by letter, when one is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


_FOLDING = _Folding()


def _fold(letter: str) -> str:
    if letter in _PLAIN_LETTERS:
        return _PLAIN_LETTERS[letter]
    digit = decimal(letter, None)
    if digit is not None:
        return str(digit)
    if name(letter, "").startswith(_UNMARKED_SCRIPTS):
        letter = normalize("NFD", letter)
    bare = _DROPPED_MARKS.sub("", letter)
    return "".join(_PLAIN_LETTERS.get(part, part) for part in bare)


@cache
def _small_letters() -> re.Pattern[str]:
    """Small letters of European scripts that are what they unfold to; ß and ς are not."""
    letters = (chr(code) for code in _EUROPEAN)
    plain = (letter for letter in letters if category(letter) == "Ll" and _normal(letter) == letter)
    return re.compile(f"[a-z0-9{''.join(plain)}]+")


@cache
def _spaceless() -> re.Pattern[str]:
    return re.compile(f"[{_SPACELESS}]")


@cache
def _spaced() -> re.Pattern[str]:
    """A run of spaced words, among runs with a blank between each two."""
    return re.compile(f"[^ {_SPACELESS}]+")


@cache
def _runs() -> re.Pattern[str]:
    """Runs of one kind: characters without spaces between words, or those of spaced words.

    Worked out from Unicode's tables when it is first needed; plain ASCII text never does.
    """
    letters = f"[^\\W_{_APOSTROPHES}{_SPACELESS}]+"
    return re.compile(f"[{_SPACELESS}]+|(?:{letters}|[{_spaced_marks()}]+)+")


def _spaced_marks() -> str:
    """Marks of scripts with spaces, as ranges: single ones beyond 0xFFFF would be tried one by one."""
    ranges: list[str] = []
    for observation in map(chr, range(_LAST_MIXED + 1)):
        if category(observation) not in _MARKS or is_spaceless(observation):
            continue
        if ranges and ord(ranges[-1][-1]) == ord(observation) - 1:
            ranges[-1] = f"{ranges[-1][0]}-{observation}"
        else:
            ranges.append(observation)
    return "".join(ranges)
