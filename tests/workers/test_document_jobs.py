"""What workers do with a document: in every form, within every cap, and never an exception for a page."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from wireroom.ports import Done, EngineOptions
from wireroom.workers import document_jobs as pages
from wireroom.workers.document_jobs import Document, Extracted, Extraction, Unread
from wireroom.workers.local import LocalEngine

WORDS = (
    "The lighthouse keeper of Skerry Point has written down the weather every morning since the"
    " winter of the great storm; this week the last of forty notebooks went to the museum."
)
PAGE = f"<html lang=en><head><title>Forty notebooks</title></head><body><article><h1>Forty notebooks</h1>{''.join(f'<p>{n}. {WORDS}</p>' for n in range(6))}</article></body></html>"


def read(body: bytes | str, extraction: Extraction | None = None) -> tuple[Extracted, ...] | Unread:
    raw = body.encode() if isinstance(body, str) else body
    return (extraction or Extraction())(Document(name="x", place=0, body=raw))


def only(outcome: tuple[Extracted, ...] | Unread) -> Extracted:
    assert not isinstance(outcome, Unread), outcome
    (extracted,) = outcome
    return extracted


def test_a_page_gives_its_article_in_the_form_asked_for() -> None:
    plain = only(read(PAGE))
    assert (plain.article.title, plain.text, plain.explained) == ("Forty notebooks", "", {})
    assert only(read(PAGE, Extraction(form="text"))).text.startswith(
        "Forty notebooks\n\n0. The light"
    )
    assert only(read(PAGE, Extraction(form="md"))).text.startswith("# Forty notebooks\n\n")
    assert only(read(PAGE, Extraction(form="html"))).text.startswith("<article>\n<h1>Forty")
    assert only(read(PAGE, Extraction(explain=True))).explained["blocks"]


def test_the_items_of_a_feed_keep_their_headings_and_lists() -> None:
    content = f"<h2>Storms</h2><p>{WORDS}</p><ol><li>ink</li><li>paper</li></ol>"
    feed = (
        "<rss version='2.0'><channel><title>Skerry</title><item><title>Forty notebooks</title>"
        f"<guid>1</guid><description><![CDATA[{content}]]></description></item></channel></rss>"
    )
    markdown = only(read(feed, Extraction(form="md"))).text
    assert markdown == f"# Forty notebooks\n\n## Storms\n\n{WORDS}\n\n1. ink\n2. paper"
    assert "<ol><li>ink</li><li>paper" in only(read(feed, Extraction(form="html"))).text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "no_article"),
        (b"%PDF-1.7", "unknown_format"),
        (b"\x1f\x8bnothing", "unknown_format"),
        (b"<html><body></body></html>", "no_article"),
    ],
)
def test_what_is_no_article_is_a_value(body: bytes, kind: str) -> None:
    outcome = read(body)
    assert isinstance(outcome, Unread)
    assert outcome.kind == kind


def test_compressed_documents_are_read_up_to_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    assert only(read(gzip.compress(PAGE.encode()))).article.title == "Forty notebooks"
    monkeypatch.setattr(pages, "MAX_BYTES", 10_000)
    bomb = read(gzip.compress(b"<p>" + bytes(1_000_000)))
    assert isinstance(bomb, Unread)
    assert "MAX_BYTES = 10,000" in bomb.message


def test_a_file_is_read_by_the_worker(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    outcome = Extraction()(Document(name="x", place=0, path=str(file)))
    assert only(outcome).article.title == "Forty notebooks"
    missing = Extraction()(Document(name="x", place=0, path=str(tmp_path / "none")))
    assert missing == Unread(kind="internal", message="No such file or directory")


# Made when they are needed: every process of a test run reads this file.
HOSTILE: dict[str, Callable[[], bytes]] = {
    "nested": lambda: b"<div>" * 300_000,
    "attributes": lambda: b"<p " + b" ".join(b"a%d=1" % n for n in range(400_000)) + b">text</p>",
    "tables": lambda: b"<table>" * 100_000,
    "unclosed": lambda: b"<" * 3_000_000,
    "entities": lambda: b"&amp" * 1_000_000,
    "text": lambda: b"<p>" + b"word " * 2_000_000,
    "json": lambda: b"[" * 1_000_000,
    "feed": lambda: b"<rss><channel>" + b"<item><title>x</title></item>" * 100_000,
}


FEW = ("attributes", "json", "feed")  # one for each way to be read


@pytest.mark.long
@pytest.mark.parametrize("names", [FEW, tuple(HOSTILE)])
async def test_hostile_documents_stay_within_the_limits_of_a_worker(names: tuple[str, ...]) -> None:
    """Each ends as a value within 2 s of CPU time and 300 MB: no worker is killed for any of them."""
    work = [Document(name=name, place=n, body=HOSTILE[name]()) for n, name in enumerate(names)]
    async with LocalEngine(EngineOptions(workers=2)) as engine:
        found = [each async for each in engine.spread(work, Extraction(any_page=True))]
    assert {each.work.name: getattr(each, "cause", "") for each in found} == dict.fromkeys(
        names, ""
    )
    assert all(isinstance(each, Done) for each in found)
