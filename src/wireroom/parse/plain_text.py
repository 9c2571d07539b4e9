"""Plain text out of what feeds and sitemaps call text.

Pure. Titles, names and summaries arrive with stray markup, doubled escapes, control characters and
line breaks; they leave as one clean line of bounded length. Of whole articles it knows only the form in
which two of them are compared.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from html import unescape
from unicodedata import category, normalize

_HASH_BYTES = 16  # 32 hex digits: no two texts of all that was ever written share them
WORD_BYTES = bytes(c if c > 127 or chr(c).isalnum() else 32 for c in range(256))
"""For `bytes.translate` of UTF-8: plain punctuation becomes blanks."""
_ASCII = bytes(range(128))
MAX_SIGNS = 40  # kinds of signs in a text; a text of signs alone must not be gone through for each

MAX_LETTERS = 10_000  # that are known to be no signs; all of Unicode must not be remembered
_NO_SIGNS: set[str] = set()

MARKUP_PER_CHARACTER = 2  # how much markup is looked at for one character of the text wanted

# C0 without tab and line breaks, DEL, C1, lone surrogates and noncharacters.
_DIRT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
# Signs that say where a word may break, and nothing else. Joiners are letters' business in Arabic and Indic scripts and
# between emoji; elsewhere they are left over from some editor.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]"
    "|(?<![\u0590-\u08ff\ufb1d-\ufefc])[\u200e\u200f](?![\u0590-\u08ff\ufb1d-\ufefc])"
    "|(?<![\u0590-\u109f\u1780-\u18af\u2600-\u27bf\ufb1d-\ufefc\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
)
# C1 codes are nearly always windows-1252 that lost its name on the way.
_MEANT = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
_TAG = re.compile(r"</?([A-Za-z!?][A-Za-z0-9]*+)[^<>]*+>")
# Tags within a word or a sentence; all others stand between sentences.
_INLINE = frozenset(
    (
        "a",
        "abbr",
        "b",
        "bdi",
        "cite",
        "code",
        "em",
        "font",
        "i",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "wbr",
    )
)
_HIDDEN = (("<script", "</script>"), ("<style", "</style>"), ("<!--", "-->"))
_HIDING = ("script", "style", "!")
MAX_TAG_NAMES = 1_000  # remembered; HTML has 150, and whoever makes up more gains nothing by it


def clean(text: str) -> str:
    """The text without control characters and halves of characters."""
    return _DIRT.sub(_replaced, text) if _DIRT.search(text) else text


def line(text: str, limit: int) -> str:
    """One line of at most so many characters, white space collapsed, control and invisible characters gone."""
    if len(text) <= limit and text.isprintable() and "  " not in text:
        return text.strip(" ")  # single blanks are all its white space, as in most titles
    text = _words(text, limit)[:limit]
    return text if text.isprintable() else _visible(text)


def _visible(text: str) -> str:
    """The line without what cannot be seen; a blank on each side of it is one too many then."""
    seen = clean(_INVISIBLE.sub("", text))
    return " ".join(seen.split()) if "  " in seen or seen[:1] == " " or seen[-1:] == " " else seen


def _words(text: str, limit: int) -> str:
    """The words of a text that a line of this length may hold, one blank between them."""
    enough = limit + limit // 4  # few texts have more white space than this allows for
    words = " ".join(text[:enough].split())
    if len(words) < limit and len(text) > enough:
        return " ".join(text[: 4 * limit].split())
    return words


def has_markup(text: str) -> bool:
    """Whether there is at least one tag in it."""
    return "<" in text and _TAG.search(text) is not None


def line_of_html(markup: str, limit: int) -> str:
    """The text of a piece of HTML as one line: tags out, references resolved."""
    if "<" in markup:
        markup = _without_tags(markup[: MARKUP_PER_CHARACTER * limit])
    if "&" in markup:
        markup = unescape(markup[: MARKUP_PER_CHARACTER * limit])
    return line(markup, limit)


def line_without_tags(text: str, limit: int) -> str:
    """One line of a text whose references a parser has resolved: a second time would be once too often."""
    return line(_without_tags(text[: MARKUP_PER_CHARACTER * limit]) if "<" in text else text, limit)


@lru_cache(maxsize=2)  # an article's text is hashed, then signed
def normal_form(text: str) -> str:
    """The words alone, one blank between them, whatever their case, width and punctuation.

    For comparing and hashing; never shown, for punctuation is part of what somebody wrote.
    """
    if not text.isascii():
        text = _without_signs(text)
    text = text.lower() if text.isascii() else normalize("NFKC", text.casefold())
    return b" ".join(text.encode("utf-8", "replace").translate(WORD_BYTES).split()).decode()


def _without_signs(text: str) -> str:
    """Signs beyond ASCII become blanks; marks that are part of a letter, as in Hindi, stay."""
    signs = [c for c in set(_beyond_ascii(text)) - _NO_SIGNS if _is_sign(c)]
    if len(signs) > MAX_SIGNS:
        return text.translate(dict.fromkeys(map(ord, signs), " "))
    for sign in signs:  # a handful, nearly always: then this is four times as fast
        text = text.replace(sign, " ")
    return text


def _beyond_ascii(text: str) -> str:
    """The characters beyond ASCII alone: taken from the bytes, far quicker than from the text."""
    encoded = text.encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")


def _is_sign(c: str) -> bool:
    if not c.isalnum() and category(c)[0] != "M":
        return True
    if len(_NO_SIGNS) < MAX_LETTERS:
        _NO_SIGNS.add(c)
    return False


def text_hash(text: str) -> str:
    """What two texts of the same words have in common; empty for a text without words."""
    normal = normal_form(text)
    if not normal:
        return ""
    return blake2b(normal.encode("utf-8", "replace"), digest_size=_HASH_BYTES).hexdigest()


def _without_tags(markup: str) -> str:
    text = _joined(markup, _AT_FIRST)
    if "<" not in text:
        return text
    for start, end in _HIDDEN:
        if start in markup:
            markup = _without(markup, start, end)
    return _joined(markup, _AT_LAST)


class _Joints(dict[str, str]):
    """What stands in a text in the place of a tag, by the tag's name."""

    def __init__(self, hiding: str) -> None:
        super().__init__()
        self._hiding = hiding

    def __missing__(self, name: str) -> str:
        joint = "" if name.lower() in _INLINE else " "
        if name.startswith(_HIDING):
            joint = self._hiding
        if len(self) < MAX_TAG_NAMES:
            self[name] = joint
        return joint


_AT_FIRST = _Joints(
    "<"
)  # so that one look tells whether there is something to hide, or a bare sign
_AT_LAST = _Joints(" ")


def _joined(markup: str, joints: _Joints) -> str:
    parts = _TAG.split(markup)
    parts[1::2] = map(joints.__getitem__, parts[1::2])
    return "".join(parts)


def _without(markup: str, start: str, end: str) -> str:
    """The markup without what stands between two marks; what has no end goes to the end."""
    kept: list[str] = []
    place = 0
    while (found := markup.find(start, place)) >= 0:
        kept.append(markup[place:found])
        place = markup.find(end, found)
        if place < 0:
            return "".join(kept)
        place += len(end)
    return "".join(kept) + markup[place:]


def _replaced(match: re.Match[str]) -> str:
    return _MEANT.get(ord(match[0]), "")
