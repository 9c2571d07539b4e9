"""An article out of bytes: the door of this room.

`extract` gives an `Article`, `read_article` one with all its reasons. Inside, `read` has the order of
work: `bodies` (with `told`) chooses the text, `quality` doubts it, `extra` keeps the rest. Pure but for
the clock, which is asked when the caller does not say when the page was had.
"""

from __future__ import annotations

from wireroom.parse.article.nouns import ArticleReading, Encoding, ExtractConfig
from wireroom.parse.article.read import extract, read_article

__all__ = ["ArticleReading", "Encoding", "ExtractConfig", "extract", "read_article"]
