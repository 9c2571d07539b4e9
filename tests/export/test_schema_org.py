"""schema.org: the fields by their names there, and lines that may stand inside a page."""

from __future__ import annotations

import io
import json

from tests.export.samples import LICENCE, NOW, article, bare, hostile
from wireroom.export.schema_org import news_article, write
from wireroom.parse.article import read_article


def test_an_article_in_the_words_of_schema_org() -> None:
    fields = news_article(article())
    assert fields["@type"] == "NewsArticle"
    assert fields["headline"] == article().title
    assert fields["author"][1] == {"@type": "Person", "name": "Zoë 清"}
    assert fields["datePublished"] == "2026-05-03T11:59:00.250000+00:00"
    assert fields["isAccessibleForFree"] is True
    assert fields["license"] == LICENCE
    assert "ai-train: allow" in fields["usageInfo"]["text"]


def test_what_is_not_known_is_left_out() -> None:
    fields = news_article(bare())
    for name in ("author", "datePublished", "license", "isAccessibleForFree", "headline"):
        assert name not in fields
    assert fields["wordCount"] == 0


def test_a_line_may_stand_in_a_page_and_is_read_there() -> None:
    out = io.BytesIO()
    write([article(), hostile()], out)
    first, second = out.getvalue().splitlines()
    assert b"<" not in out.getvalue()
    assert "<script>" in json.loads(second)["headline"]
    words = " ".join(["He goes home after thirty years at the quay."] * 20)
    page = b'<script type="application/ld+json">%s</script><article><p>%s</p></article>'
    reading = read_article(page % (first, words.encode()), url=article().url)
    assert reading.article.title == article().title
    assert reading.article.authors == article().authors
    assert reading.article.published_at == NOW.replace(hour=11, minute=59, microsecond=0)
