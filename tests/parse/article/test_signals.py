"""What a page says about its use comes with the article, when the headers are there to be read."""

from __future__ import annotations

from wireroom.parse.article import read_article

PAGE = """<html lang="en"><head><title>The harbour opens again</title>
<meta name="robots" content="noai"><link rel="license" href="https://creativecommons.org/licenses/by/4.0/">
</head><body><article><h1>The harbour opens again</h1>{}</article></body></html>""".format(
    "<p>The harbour master opened the gates at noon, and the first boats came in before one.</p>"
    * 9
)
HEADERS = [("content-signal", "ai-train=no"), ("X-Robots-Tag", "noarchive")]


def test_signals_come_with_the_reading() -> None:
    reading = read_article(PAGE, url="https://courier.test/harbour", headers=HEADERS)
    signals = reading.signals
    assert signals is not None
    assert signals.content_signal.values == ("ai-train=no",)
    assert {directive.name for directive in signals.robots_tag.directives} == {"noai", "noarchive"}
    assert [notice.url for notice in signals.licence.notices] == [
        "https://creativecommons.org/licenses/by/4.0/"
    ]


def test_without_headers_nobody_asks() -> None:
    assert read_article(PAGE, url="https://courier.test/harbour").signals is None
