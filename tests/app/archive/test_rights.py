"""Rights of archived pages: as the crawl saw them, as the publisher says today, and what a use leaves of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.app.archive.conftest import NOW, Read, rows
from tests.warcs import answer, page, record, write_warc
from wireroom.app import App
from wireroom.app.archive import PageFilter
from wireroom.app.archive.crawl_rights import CrawlRights
from wireroom.model import Dossier, Finding, Publisher, TypedFacts
from wireroom.parse.warc import HttpAnswer
from wireroom.rights.finding_index import RobotsFacts
from wireroom.signals import all_signals
from wireroom.signals.trust_txt import TrustFacts, read_trust_txt

TRAIN = "User-agent: *\nAllow: /\nContent-Signal: ai-train=no, search=yes\n"
ALLOW = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes\n"
CLOSED = "User-agent: *\nDisallow: /private\n"


def robots(host: str, text: str, *, status: int = 200) -> bytes:
    url = f"https://{host}/robots.txt"
    return record(url, answer(text.encode(), kind="text/plain", status=status))


def story(host: str, town: str, **options: Any) -> bytes:
    return record(f"https://{host}/{town.lower()}", answer(page(town), **options))


def by_town(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["title"].split()[0]: row for row in rows(folder)}


def scouted(app: App, domain: str, text: str, *, others: bool = True, trust: bytes = b"") -> None:
    """A dossier with these files; all other steps looked and found nothing, or never looked."""
    url = f"https://{domain}/robots.txt"
    found = [
        Finding(
            step="robots",
            outcome="yes",
            facts=TypedFacts(RobotsFacts(url=url, text=text)),
            found_at=NOW,
        )
    ]
    steps = {step for plug in all_signals() for step in plug.steps} - {"robots"}
    if others:
        found += [Finding(step=step, outcome="no", facts={}, found_at=NOW) for step in steps]
    if trust:
        facts = TrustFacts(url=f"https://{domain}/trust.txt", file=read_trust_txt(trust))
        found = [each for each in found if each.step != "trust_txt"]
        found.append(
            Finding(step="trust_txt", outcome="yes", facts=TypedFacts(facts), found_at=NOW)
        )
    publisher = Publisher(domain=domain, home_url=f"https://{domain}/", added_at=NOW)
    app.store.save_publisher(publisher)
    dossier = Dossier(publisher=publisher, findings=tuple(found), scouted_at=NOW)
    app.store.save_dossier(dossier)


def test_nobody_looked_is_unknown_in_both_columns(read: Read, tmp_path: Path) -> None:
    read(write_warc(tmp_path / "a.warc.gz", [story("a.example", "Aldersea")]))
    row = by_town(tmp_path / "out")["Aldersea"]
    words = {row[name] for name in row if name.startswith(("rights_ai", "rights_today_ai"))}
    assert words == {"unknown"}
    assert (row["robots"], row["robots_today"]) == ("unknown", "unknown")
    assert row["rights_today_as_of"] is None


@pytest.mark.parametrize("is_late", [False, True])
def test_robots_txt_of_the_same_archive_counts_wherever_it_stands(
    read: Read, tmp_path: Path, is_late: bool
) -> None:
    pages = [story("a.example", "Aldersea"), story("b.example", "Brightwell")]
    files = [robots("www.a.example", TRAIN)]
    read(write_warc(tmp_path / "a.warc.gz", [*pages, *files] if is_late else [*files, *pages]))
    found = by_town(tmp_path / "out")
    assert found["Aldersea"]["rights_ai_train"] == "deny"
    assert "robots.txt" in str(found["Aldersea"]["rights_evidence"])
    assert found["Aldersea"]["robots"] == "allowed"
    assert found["Aldersea"]["rights_search"] == "unknown"  # others might have refused
    assert found["Brightwell"]["rights_ai_train"] == "unknown"


def test_headers_and_tags_of_the_page_count(read: Read, tmp_path: Path) -> None:
    tag = '<meta name="robots" content="noai, noarchive">'
    records = [
        story("a.example", "Aldersea", headers=["X-Robots-Tag: noai"]),
        record("https://b.example/x", answer(page("Brightwell", head=tag))),
    ]
    read(write_warc(tmp_path / "a.warc.gz", records))
    found = by_town(tmp_path / "out")
    assert found["Aldersea"]["rights_ai_train"] == "deny"
    assert found["Brightwell"]["rights_archive"] == "deny"


def test_a_robots_txt_that_failed_is_no_permission(read: Read, tmp_path: Path) -> None:
    records = [
        robots("a.example", "", status=503),
        story("a.example", "Aldersea"),
        robots("b.example", "", status=404),
        story("b.example", "Brightwell"),
        robots("c.example", CLOSED),
        story("c.example", "Private"),
    ]
    read(write_warc(tmp_path / "a.warc.gz", records))
    found = by_town(tmp_path / "out")
    assert [found[town]["robots"] for town in ("Aldersea", "Brightwell", "Private")] == [
        "disallowed",
        "allowed",
        "disallowed",
    ]


def test_today_stands_beside_what_the_crawl_saw(read: Read, app: App, tmp_path: Path) -> None:
    scouted(app, "a.example", ALLOW)
    scouted(app, "example.org", ALLOW, trust=b"datatrainingallowed=no\n")
    records = [
        robots("a.example", TRAIN),
        story("a.example", "Aldersea"),
        story("news.example.org", "Brightwell"),
    ]
    read(write_warc(tmp_path / "a.warc.gz", records))
    found = by_town(tmp_path / "out")
    words = [found["Aldersea"][f"rights_{when}ai_train"] for when in ("", "today_")]
    assert words == ["deny", "allow"]
    assert found["Aldersea"]["rights_today_as_of"] == NOW
    assert found["Aldersea"]["robots_today"] == "allowed"
    assert found["Brightwell"]["rights_today_ai_train"] == "deny"  # refused for the whole site


def test_a_use_is_filtered_on_both(read: Read, app: App, tmp_path: Path) -> None:
    for domain, text in {
        "yes.example": ALLOW,
        "was-no.example": ALLOW,
        "is-no.example": TRAIN,
    }.items():
        scouted(app, domain, text)
    scouted(app, "half.example", ALLOW, others=False)
    records = [
        story("yes.example", "Aldersea"),
        robots("was-no.example", TRAIN),
        story("was-no.example", "Brightwell"),
        story("is-no.example", "Caldmouth"),
        story("nobody.example", "Dunhaven"),
        story("half.example", "Elmstead"),
    ]
    summary = read(write_warc(tmp_path / "a.warc.gz", records), use="ai-train")
    assert list(by_town(tmp_path / "out")) == ["Aldersea"]
    assert summary.report is not None
    assert (summary.report.handed_on, summary.report.left_out) == (1, 4)
    report = json.loads((tmp_path / "out.report.json").read_text())
    reasons = {
        (row["refused_by"], row["word"]): row["articles"] for row in report["rights"]["reasons"]
    }
    assert reasons == {
        ("receipt", "deny"): 1,
        ("publisher", "deny"): 1,
        ("publisher", "unknown"): 2,
    }
    again = read(tmp_path / "a.warc.gz", use="ai-train")
    assert again.report == summary.report


@pytest.mark.parametrize("limit", [None, 1])
def test_a_late_refusal_is_not_written_for_a_use(
    read: Read, app: App, tmp_path: Path, limit: int | None
) -> None:
    """Nor where a limit would end the reading before it."""
    scouted(app, "a.example", ALLOW)
    records = [story("a.example", "Aldersea"), robots("a.example", TRAIN)]
    summary = read(write_warc(tmp_path / "a.warc.gz", records), use="ai-train", limit=limit)
    assert summary.articles == 0
    assert rows(tmp_path / "out") == []


def test_more_files_than_are_kept_are_no_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    monkeypatch.setattr("wireroom.app.archive.crawl_rights.MAX_ALL", 100)
    rights = CrawlRights(lambda _domain, _now: None, NOW)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(3):
        url = f"https://host{number}.example/robots.txt"
        rights.add_robots(url, HttpAnswer(200, (), b""), TRAIN.encode(), at)
    kept = [pickle.loads(rights.of(f"https://host{n}.example/x")).robots[0] for n in range(3)]
    assert [each.status for each in kept] == [200, 0, 0]


def test_what_publishers_say_today_stands_beside_saved_pages_too(
    read: Read, app: App, tmp_path: Path
) -> None:
    scouted(app, "yes.example", ALLOW)
    scouted(app, "no.example", TRAIN)
    folder = tmp_path / "saved"
    folder.mkdir()
    for town, host in {"Aldersea": "yes", "Brightwell": "no", "Caldmouth": "nobody"}.items():
        named = f'<link rel=canonical href="https://{host}.example/{town.lower()}">'
        (folder / f"{town}.html").write_bytes(page(town, head=named))
    (folder / "Dunhaven.html").write_bytes(page("Dunhaven"))
    read(folder)
    found = {town: row["rights_today_ai_train"] for town, row in by_town(tmp_path / "out").items()}
    assert found == {
        "Aldersea": "allow",
        "Brightwell": "deny",
        "Caldmouth": "unknown",
        "Dunhaven": "unknown",
    }
    summary = read(folder, use="ai-train", output=tmp_path / "for")
    assert list(by_town(tmp_path / "for")) == ["Aldersea"]
    assert summary.unscouted == ("nobody.example",)


def test_who_hands_on_pages_of_others_permits_nothing_for_them(
    read: Read, app: App, tmp_path: Path
) -> None:
    """Items of a feed stand on other hosts than the feed: its robots.txt and its publisher say nothing of them."""
    scouted(app, "gathers.example", ALLOW)
    items = "".join(
        f"<item><title>{town} rebuilds its wall</title><link>https://{host}.example/{town}</link>"
        f"<description>The council of {town} voted to rebuild it.</description></item>"
        for town, host in (("Aldersea", "gathers"), ("Brightwell", "wrote"))
    )
    feed = f'<rss version="2.0"><channel><title>All</title>{items}</channel></rss>'.encode()
    records = [
        robots("gathers.example", ALLOW),
        record("https://gathers.example/feed", answer(feed, kind="application/rss+xml")),
    ]
    archive = write_warc(tmp_path / "a.warc.gz", records)
    read(archive, wanted=PageFilter(kinds=("feed",)))
    found = by_town(tmp_path / "out")
    words = {
        town: (row["robots"], row["robots_today"], row["rights_today_ai_train"])
        for town, row in found.items()
    }
    assert words == {
        "Aldersea": ("allowed", "allowed", "allow"),
        "Brightwell": ("unknown", "unknown", "unknown"),
    }
    everything = [value for name, value in found["Brightwell"].items() if "rights" in name]
    assert "allow" not in everything
