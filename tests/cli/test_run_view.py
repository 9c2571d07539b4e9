"""What a run looks like, and what it tells Prometheus."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from wireroom.app import App, open_app
from wireroom.app.run import RunCounts
from wireroom.cli.recent import run_words
from wireroom.cli.run.metrics import Place, metrics_text, serve_metrics, store_text
from wireroom.cli.run.run_view import Funnel, LiveRun, funnel, summary
from wireroom.errors import WireroomError
from wireroom.model import Event

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
_LINE = re.compile(r'wireroom_[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\.)*"\})? [0-9.e+-]+')


def run_counts(**more: Any) -> RunCounts:
    made = RunCounts(
        polls=Counter(items=3, same=2, failed=1),
        items=Counter(new=30, changed=2, known=10),
        leads=Counter(read=25, refused=2, retry=1, failed=2),
        articles=Counter(new=24, same=1),
        problems=Counter(timeout=1, payment_required=2),
        clusters=Counter(made=1),
        requests=33,
        received=2_500_000,
    )
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_each_stage_has_a_line() -> None:
    lines = [text for text, _ in funnel(run_counts(), None, NOW).lines]
    assert lines[0] == "feeds           6  3 with news · 2 as before · 1 failed"
    assert lines[1] == "items          42  30 new · 2 changed"
    assert lines[2] == "requests       33  2.5 MB"
    assert lines[3].startswith("articles       25  24 new · 1 as before")
    assert lines[4] == "left            5  2 refused · 1 to be tried again · 2 failed"
    assert lines[5] == "problems  payment_required 2 · timeout 1"
    spared = run_counts(polls=Counter(items=1, spared=2))
    assert funnel(spared, None, NOW).lines[0][0] == "feeds           3  1 with news · 2 in reserve"


def test_what_gave_no_article_is_counted_and_shown() -> None:
    counts = run_counts(without=Counter(page=3, article=1))
    line = "without         4  3 items name no page · 1 page without an article"
    assert line in [text for text, _ in funnel(counts, None, NOW).lines]
    assert line in list(summary(counts))
    assert counts.as_facts()["without"] == {"page": 3, "article": 1}
    ended = Event(kind="run_ended", subject="desk", at=NOW, data=counts.as_facts())
    assert run_words(ended, NOW) == (
        "ended now: 6 polls, 24 new articles, 3 items name no page, 1 page without an article, 3 problems"
    )


def test_that_publishers_are_scouted_first_is_shown() -> None:
    busy = run_counts(hosts=Counter({"slow.test": 4}), waiting=Counter(scout=1))
    assert ", 4 in flight, scouting 1 publisher" in funnel(busy, None, NOW).one_line


def test_a_log_gets_a_line_when_something_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    live: Any = LiveRun.__new__(LiveRun)
    live._session = SimpleNamespace(streams=SimpleNamespace(note=notes.append))
    counts = [run_counts(requests=number) for number in range(5)]  # asking alone is no news
    counts[3] = run_counts(articles=Counter(new=25))
    counts[4] = run_counts(articles=Counter(new=25))
    drawn = iter([funnel(each, None, NOW) for each in counts])

    def next_drawn(_run_loop: object) -> Funnel:
        found = next(drawn, None)
        if found is None:
            raise asyncio.CancelledError
        return found

    live._drawn = next_drawn
    monkeypatch.setattr("wireroom.cli.run.run_view.NOTED_EVERY", 0)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(live._note_news(None))
    assert len(notes) == 1
    assert "25 new articles" in notes[0]


def test_what_holds_it_up_is_shown() -> None:
    drawn = funnel(run_counts(paused="The disk is full."), None, NOW)
    assert ("paused    The disk is full.", "bold red") in drawn.lines
    assert "nothing can be saved: The disk is full." in drawn.one_line


def test_a_log_names_the_hosts_that_keep_a_run_waiting() -> None:
    few = Counter({"slow.test": 4, "courier.test": 1})
    assert funnel(run_counts(hosts=few), None, NOW).one_line.endswith(
        "5 in flight at slow.test 4 · courier.test 1"
    )
    why = {"slow.test": "Crawl-delay of 10 s in its robots.txt"}
    message = funnel(run_counts(hosts=few), None, NOW, pace=lambda host: why.get(host, "")).one_line
    assert message.endswith(
        "at slow.test 4 (Crawl-delay of 10 s in its robots.txt) · courier.test 1"
    )
    many = few + Counter({"a.test": 2, "b.test": 3})
    assert funnel(run_counts(hosts=many), None, NOW).one_line.endswith(
        "10 in flight at slow.test 4 · b.test 3 · a.test 2 · 1 more"
    )


def test_a_terminal_names_who_is_slow_and_why() -> None:
    hosts = Counter({"slow.test": 4, "courier.test": 1})
    why = {"slow.test": "Crawl-delay of 10 s in its robots.txt"}
    drawn = funnel(run_counts(hosts=hosts), None, NOW, pace=lambda host: why.get(host, ""))
    lines = [text for text, _ in drawn.lines]
    assert lines[-2:] == [
        "hosts     slow.test 4 · courier.test 1",
        "slow      slow.test: Crawl-delay of 10 s in its robots.txt",
    ]


def test_when_it_goes_on_is_shown() -> None:
    assert funnel(run_counts(), NOW + timedelta(minutes=12, seconds=5), NOW).doing.endswith(
        "next in 12 min 5 s"
    )
    assert funnel(run_counts(hosts=Counter({"courier.test": 2})), None, NOW).doing.endswith(
        "2 in flight"
    )
    assert funnel(run_counts(), None, NOW).doing.endswith("nothing is due")
    late = funnel(run_counts(), NOW - timedelta(hours=1), NOW)
    assert late.doing.endswith("next in 0 s")


def test_many_hosts_fit_into_a_line() -> None:
    hosts = Counter({f"paper-{n}.test": 1 for n in range(40)})
    lines = [text for text, _ in funnel(run_counts(hosts=hosts), None, NOW).lines]
    assert lines[-1].endswith("34 more")


@pytest.mark.parametrize(
    ("clusters", "ending"),
    [
        (Counter(), "articles a second"),
        (Counter(made=3), "articles a second, 3 new clusters of near-duplicates"),
        (Counter(made=1), "articles a second, 1 new cluster of near-duplicates"),
        (Counter(made=0, changed=1), "articles a second, 1 change to clusters"),
        (
            Counter(made=2, changed=4),
            "articles a second, 2 new clusters of near-duplicates, 4 changes to clusters",
        ),
    ],
)
def test_the_summary_ends_with_the_rate_and_what_this_run_clustered(
    clusters: Counter[str], ending: str
) -> None:
    assert [*summary(run_counts(clusters=clusters))][-1].endswith(ending)


def test_a_run_without_articles_tells_no_rate() -> None:
    *stages, last = summary(run_counts(articles=Counter(), clusters=Counter()))
    assert "articles        0" in stages
    assert last == "0 s"


def test_counts_agree_with_their_nouns() -> None:
    polls = Counter(items=1)
    line = funnel(
        run_counts(polls=polls, items=Counter(new=1), leads=Counter(read=1)), None, NOW
    ).one_line
    assert line.startswith("1 feed, 1 new item, 1 page, 24 new articles, 0 changed, 3 problems; ")


def test_counts_are_what_prometheus_reads() -> None:
    text = metrics_text(run_counts(problems=Counter({'od"d\\kind\n': 1}))) + store_text(
        {"articles": 5}, {"live": 2}
    )
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(_LINE.fullmatch(line) for line in samples)
    assert 'wireroom_problems_total{kind="od\\"d\\\\kind\\n"} 1' in samples
    assert 'wireroom_held{kind="articles"} 5' in samples
    named = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert {line.split("{")[0].split()[0] for line in samples} == named
    assert text.endswith("\n")
    assert "wireroom_received_bytes_total 123456789" in metrics_text(run_counts(received=123456789))


async def _ask(place: Place, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(place.host, place.port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    return answer


def _free() -> Place:
    import socket

    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return Place("127.0.0.1", held.getsockname()[1])


async def test_the_server_hands_them_out_and_nothing_else() -> None:
    place = _free()
    run_loop = cast(Any, SimpleNamespace(counts=run_counts()))
    with open_app("sqlite:///:memory:") as app:
        async with serve_metrics(place, run_loop, app):
            found = await _ask(place, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            other = await _ask(place, b"GET /secret HTTP/1.1\r\n\r\n")
            flood = await _ask(place, b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'wireroom_articles_total{kind="new"} 24' in found
    assert b'wireroom_held{kind="articles"} 0' in found
    assert other.startswith(b"HTTP/1.1 404")
    assert flood == b""


async def test_a_port_that_is_taken_is_reported() -> None:
    place = _free()
    server = await asyncio.start_server(lambda _r, _w: None, place.host, place.port)
    run_loop, app = cast(Any, SimpleNamespace(counts=run_counts())), cast(App, None)
    async with server:
        with pytest.raises(WireroomError, match="cannot be served"):
            async with serve_metrics(place, run_loop, app):
                pass
