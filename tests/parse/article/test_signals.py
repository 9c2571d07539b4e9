"""What a page says about its use comes with the article, when the headers are there to be read."""

from __future__ import annotations

from wireroom.parse.article import read_article
from wireroom.parse.page_tags import values_of
from wireroom.signals import licence, robots_tag

PAGE = """<html lang="en"><head><title>The harbour opens again</title>
<meta name="robots" content="noai"><link rel="license" href="https://creativecommons.org/licenses/by/4.0/">
</head><body><article><h1>The harbour opens again</h1>{}</article></body></html>""".format(
    "<p>The harbour master opened the gates at noon, and the first boats came in before one.</p>"
    * 9
)
HEADERS = [("content-signal", "ai-train=no"), ("X-Robots-Tag", "noarchive")]


def test_tags_come_with_the_reading() -> None:
    reading = read_article(PAGE, url="https://courier.test/harbour", headers=HEADERS)
    tags = reading.page_tags
    assert tags is not None
    assert values_of(tags.headers, "content-signal") == ("ai-train=no",)
    directives = robots_tag.page_of(tags).directives
    assert {directive.name for directive in directives} == {"noai", "noarchive"}
    assert [notice.url for notice in licence.page_of(tags).notices] == [
        "https://creativecommons.org/licenses/by/4.0/"
    ]


def test_without_headers_nobody_asks() -> None:
    assert read_article(PAGE, url="https://courier.test/harbour").page_tags is None
