"""Names of files made from titles and ids: slugs, never paths, whatever the title says."""

from __future__ import annotations

import re
from hashlib import blake2b
from unicodedata import normalize

from wireroom.model import Article
from wireroom.settings.secrets import redact

SLUG_BYTES = 120  # of a name that come from a title; file systems take 255 for the whole
_ID = re.compile(r"[0-9a-z]{8,64}")
_DIGEST_BYTES = 5


def slug(title: str) -> str:
    """Letters and digits of any script, joined by hyphens; never empty, never a path, never a token."""
    words = re.sub(r"[\W_]+", "-", normalize("NFKC", redact(title)).lower())
    cut = words.encode("utf-8", "ignore")[:SLUG_BYTES].decode("utf-8", "ignore")
    return cut.strip("-") or "article"


def digest(*parts: str) -> str:
    """A short name for these texts together."""
    joined = "\0".join(parts).encode("utf-8", "replace")
    return blake2b(joined, digest_size=_DIGEST_BYTES).hexdigest()


def dated_name(article: Article) -> str:
    """`2026-05-03-the-harbour-master-resigns-ID`; an id that is none of ours is hashed."""
    at = article.published_at or article.fetched_at
    own = article.id if _ID.fullmatch(article.id) else digest(article.id)
    return f"{at:%Y-%m-%d}-{slug(article.title)}-{own}"
