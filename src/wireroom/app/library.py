"""What `import wireroom` offers of reading: plain functions, which ask nobody and keep nothing."""

from __future__ import annotations

from wireroom.parse.article import ArticleReading as ArticleReading
from wireroom.parse.article import ExtractConfig as ExtractConfig
from wireroom.parse.article import articles_from_feed as articles_from_feed
from wireroom.parse.article import extract as extract
from wireroom.parse.article import extract_all as extract_all
from wireroom.parse.article import read_article as read_article
