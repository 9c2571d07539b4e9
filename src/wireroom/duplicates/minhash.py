"""Signing a text: a few hundred bytes by which its near-duplicates are found and compared.

Pure, and the same on every machine, Python and release: signatures lie in stores for weeks, so nothing
here is left to a library that may hash otherwise tomorrow. Two texts agree in a value of their
signatures with a chance that is their likeness: shared shingles by all shingles (Jaccard, MinHash).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from wireroom.duplicates.cluster_options import ClusterOptions
from wireroom.languages import SAMPLE_LENGTH, letters_of, main_script
from wireroom.model import Hints, Signature
from wireroom.parse.plain_text import normal_form, text_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


BYTES_PER_VALUE = 2  # unlike texts agree in a value once in 65,536 times: nothing to the estimate
_EXACT_DIGITS = (
    15  # hex digits of the text's hash in its first band: 60 bits, below what a column holds
)
_AT_ONCE = 2_048  # shingles that are permuted at a time: a megabyte for 128 permutations
_SPREAD = 0x9E3779B97F4A7C15  # odd, as in Fibonacci hashing
_MIX = (
    0xFF51AFD7ED558CCD,
    0xC4CEB9FE1A85EC53,
)  # odd constants under which every bit stirs every other


def sign(
    article_id: str,
    text: str,
    language: str,
    seen_at: datetime,
    options: ClusterOptions,
    *,
    hints: Hints | None = None,
) -> Signature | None:
    """The signature of an article's text; None for a text without words.

    `hints` are those of its feed: where that has rules of its own about near-duplicates, the signature carries them.

    Place 0 of the bands is the hash of all its words, so that the very same text is found whatever its
    length. A text that is too short to be compared in parts has that band alone.
    """
    normal = normal_form(text)
    whole = text_hash(text)
    if not whole:
        return None
    bands: tuple[int, ...] = (int(whole[:_EXACT_DIGITS], 16),)
    minhash = b""
    tokens = tokens_in(normal, options)
    if tokens.shingles >= options.fewest:
        values = _least_values(tokens, options)
        bands += bands_of(values, options)
        minhash = values.astype("<u2").tobytes()  # the low half: the high one is mostly zeros
    return Signature(
        article_id=article_id,
        bands=bands,
        minhash=minhash,
        language=language,
        seen_at=seen_at,
        threshold=hints.cluster_threshold if hints is not None else None,
        window=hints.cluster_window if hints is not None else None,
    )


def _least_values(tokens: Tokens, options: ClusterOptions) -> NDArray[np.uint32]:
    """Under each permutation the least value of all shingles."""
    import numpy as np

    hashes = _shingle_hashes(tokens)
    factors, shifts = _permutations(options.permutations, options.words, options.characters)
    least = np.full(options.permutations, 2**32 - 1, dtype=np.uint32)
    for start in range(0, len(hashes), _AT_ONCE):
        part = hashes[start : start + _AT_ONCE] * factors
        part += shifts
        np.minimum(least, part.min(axis=1), out=least)
    return least


def _shingle_hashes(tokens: Tokens) -> NDArray[np.uint32]:
    """A number for each shingle, rolled from those of its tokens, in order."""
    import numpy as np

    if tokens.blank:
        words = tokens.text.encode("utf-8", "replace").split(b" ")
        numbers = np.fromiter(map(crc32, words), dtype=np.uint64, count=len(words))
    else:
        signs = tokens.text.encode("utf-32-le", "replace")
        numbers = np.frombuffer(signs, dtype="<u4").astype(np.uint64)
    count = tokens.shingles
    rolled = np.zeros(count, dtype=np.uint64)
    for place in range(tokens.size):
        rolled *= np.uint64(_SPREAD)
        rolled ^= rolled >> np.uint64(29)
        rolled += numbers[place : place + count]
    for factor in _MIX:
        rolled ^= rolled >> np.uint64(33)
        rolled *= np.uint64(factor)
    return (rolled >> np.uint64(32)).astype(np.uint32)


@lru_cache(maxsize=4)
def _permutations(count: int, *sizes: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Factors and shifts of x → ax + b; others for other sizes of shingles, so that those never meet."""
    import numpy as np

    named = [f"wireroom {' '.join(map(str, sizes))} {number}" for number in range(count)]
    digests = b"".join(blake2b(name.encode(), digest_size=8).digest() for name in named)
    pairs = np.frombuffer(digests, dtype="<u4").astype(np.uint32).reshape(count, 2)
    return pairs[:, :1] | np.uint32(1), pairs[:, 1:]


def bands_of(values: NDArray[np.uint32], options: ClusterOptions) -> tuple[int, ...]:
    """The bands after the first: each stands for `rows` values, all of which two texts must share."""
    rows = values[: options.bands * options.rows].astype("<u4").tobytes()
    size = 4 * options.rows
    # 32 bits: two bands agree by chance too rarely to cost anything, and they are kept by the million.
    return tuple(crc32(rows[at : at + size]) for at in range(0, len(rows), size))


# The pieces of a text by which it is compared: runs of words, or of characters where none stand apart.
#
# Pure. Two texts with the same words give the same shingles, whatever their case and punctuation.

MAX_TOKENS = 20_000  # of one text: more than the longest report has, and 7 ms to sign
# Korean is not among them: it sets words apart.
_SPACELESS = frozenset({"Hani", "Hira", "Jpan", "Kana", "Khmr", "Laoo", "Mymr", "Thai", "Tibt"})
_LETTERS_OF_SPACELESS = letters_of(_SPACELESS)


class Tokens:
    """What a text consists of: words with a blank between them, or characters with none."""

    __slots__ = ("blank", "size", "text")

    def __init__(self, text: str, *, size: int, blank: str) -> None:
        self.text = text
        self.size = size
        self.blank = blank

    @property
    def parts(self) -> Sequence[str]:
        """The words, or the characters."""
        return self.text.split(self.blank) if self.blank else self.text

    @property
    def shingles(self) -> int:
        """How many shingles there are, repeated ones counted again."""
        count = self.text.count(self.blank) + 1 if self.blank else len(self.text)
        return max(0, count - self.size + 1)

    def all_shingles(self) -> list[str]:
        """The shingles in order, as text, for showing and for counting exactly."""
        parts = self.parts
        return [self.blank.join(parts[at : at + self.size]) for at in range(self.shingles)]


def tokens_of(text: str, options: ClusterOptions) -> Tokens:
    """The words of a text, or its characters."""
    return tokens_in(normal_form(text), options)


def tokens_in(normal: str, options: ClusterOptions) -> Tokens:
    """The same of a normal form; by its script alone, for languages are often guessed."""
    has_some = _LETTERS_OF_SPACELESS.search(
        normal, 0, SAMPLE_LENGTH
    )  # most have none: told at once
    if has_some and main_script(normal) in _SPACELESS:
        return Tokens(normal.replace(" ", "")[:MAX_TOKENS], size=options.characters, blank="")
    if normal.count(" ") >= MAX_TOKENS:
        normal = " ".join(normal.split(" ", MAX_TOKENS)[:MAX_TOKENS])
    return Tokens(normal, size=options.words, blank=" ")


def phrases(tokens: Tokens, shared: frozenset[str], *, limit: int) -> tuple[str, ...]:
    """The longest stretches of a text that consist of shared shingles, longest first."""
    places = [at for at, shingle in enumerate(tokens.all_shingles()) if shingle in shared]
    if not places:
        return ()
    breaks = [
        at for at, (place, next_place) in enumerate(pairwise(places), 1) if next_place > place + 1
    ]
    parts = tokens.parts
    runs = {
        tokens.blank.join(parts[places[start] : places[end - 1] + tokens.size])
        for start, end in pairwise([0, *breaks, len(places)])
    }
    return tuple(sorted(runs, key=lambda run: (-len(run), run))[:limit])
