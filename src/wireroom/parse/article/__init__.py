"""An article out of bytes: the entry of this room.

`extract` gives an `Article`, `read_article` one with all its reasons, `extract_all` those of a page, a feed
or an API alike. Inside, `article_reader` has the order of work for a page and `item_articles` that for a feed's
item: `body_choice` (with `declared_body`) chooses the text, `article_check` and `extraction_quality` doubt it,
`assemble` (with `extra`) puts it together. Pure but for the clock, which is asked when the caller does not say
when the page was had.
"""

from __future__ import annotations

from wireroom.parse.article.all_articles import extract_all
from wireroom.parse.article.article_reader import extract, read_article
from wireroom.parse.article.item_articles import article_from_item, articles_from_feed
from wireroom.parse.article.types import ArticleReading, Encoding, ExtractConfig

__all__ = [
    "ArticleReading",
    "Encoding",
    "ExtractConfig",
    "article_from_item",
    "articles_from_feed",
    "extract",
    "extract_all",
    "read_article",
]
