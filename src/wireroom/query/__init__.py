"""The query language: what a person may type to find articles, as a tree, and said back in words.

Pure: knows neither databases nor the clock. `query_reader` reads a text, `query_fields` knows each field, `query_tree` is
what comes of it, `query_words` says it back; `word_split` and `spelling` say what a word is. What a tree means to a
database stands in `store/search`.
"""

from __future__ import annotations

from wireroom.query.query_reader import read_query
from wireroom.query.query_tree import Query
from wireroom.query.word_split import Phrase

__all__ = ["Phrase", "Query", "read_query"]
