"""Signing a text: a few hundred bytes by which its near-duplicates are found and compared.

Pure, and the same on every machine, Python and release: signatures lie in stores for weeks, so nothing
here is left to a library that may hash otherwise tomorrow. Two texts agree in a value of their
signatures with a chance that is their likeness: shared shingles by all shingles (Jaccard, MinHash).
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING
from zlib import crc32

from wireroom.duplicates.duplicate_options import GroupOptions
from wireroom.duplicates.shingles import Tokens, tokens_in
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
    options: GroupOptions,
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
        threshold=hints.group_threshold if hints is not None else None,
        window=hints.group_window if hints is not None else None,
    )


def _least_values(tokens: Tokens, options: GroupOptions) -> NDArray[np.uint32]:
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


def bands_of(values: NDArray[np.uint32], options: GroupOptions) -> tuple[int, ...]:
    """The bands after the first: each stands for `rows` values, all of which two texts must share."""
    rows = values[: options.bands * options.rows].astype("<u4").tobytes()
    size = 4 * options.rows
    # 32 bits: two bands agree by chance too rarely to cost anything, and they are kept by the million.
    return tuple(crc32(rows[at : at + size]) for at in range(0, len(rows), size))
