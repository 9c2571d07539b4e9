"""How fast robots.txt files are read and asked, against protego on the same bytes.

Ours reads more (line numbers, licences, signals, reservations, flaws); protego gets the text
decoded beforehand. Real files are used when they lie beside the repository. The last figures say
in how many answers the two differ: what such differences are is told in docs/guide/robots.md.
"""

from __future__ import annotations

import tarfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from figures import Figure, main
from wireroom.parse.robots import Robots, read_robots

PEER = "protego"
REAL_FILES = Path(__file__).resolve().parents[2] / "shared" / "data" / "robots.tar.gz"
SIZE = 500_000  # bytes: about the limit of what anybody reads
AGENTS = 166  # as many as a well-known list of AI crawlers has
URL = "https://courier.test/news/2026/11/15/a-story.html?page=2"
URLS = (URL, "https://courier.test/", "https://courier.test/search?q=x")


def measure(short: bool) -> Iterator[Figure]:
    """Every figure; `short` repeats less and takes fewer files."""
    peer = _peer()
    repeat = 1 if short else 7
    for name, body in _large_files().items():
        yield _against(f"500 KB read, {name}", body, peer, repeat)
    typical = _typical_file()
    yield _agents_figure(typical, peer, repeat)
    files = _real_files(100 if short else 1_000)
    if files:
        yield _files_figure(files, peer, 1 if short else 3)
        yield from _differences(files, peer)


def _peer() -> Any:
    try:
        return import_module(PEER).Protego
    except ImportError:
        return None


def _best(work: Callable[[], object], repeat: int) -> float:
    """The least CPU time of several runs, in milliseconds: what others do meanwhile is not ours."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) * 1000


def _against(metric: str, body: bytes, peer: Any, repeat: int) -> Figure:
    text = body.decode()
    theirs = _best(lambda: peer.parse(text), repeat) if peer else None
    ours = _best(lambda: read_robots(body), repeat)
    return Figure(metric=metric, unit="ms", ours=ours, peer=theirs, peer_name=PEER, aim="under 30")


def _agents_figure(body: bytes, peer: Any, repeat: int) -> Figure:
    """Reading included: a report asks once for every agent and then lets the file go."""
    agents = [f"Crawler{n}-Bot" for n in range(AGENTS)]
    text = body.decode()

    def ask_ours() -> None:
        robots = read_robots(body)
        for agent in agents:
            robots.decide(agent, URL)

    def ask_theirs() -> None:
        robots = peer.parse(text)
        for agent in agents:
            robots.can_fetch(URL, agent)

    return Figure(
        metric=f"{AGENTS} agents, one address, a file of {len(body) / 1000:.0f} KB",
        unit="ms",
        ours=_best(ask_ours, repeat),
        peer=_best(ask_theirs, repeat) if peer else None,
        peer_name=PEER,
        aim="under 5",
    )


def _files_figure(files: list[bytes], peer: Any, repeat: int) -> Figure:
    texts = [body.decode("utf-8", "replace") for body in files]
    return Figure(
        metric=f"{len(files):,} real files read, one question each",
        unit="ms",
        ours=_best(lambda: [read_robots(body).allows("wireroom", URL) for body in files], repeat),
        peer=_best(lambda: [peer.parse(text).can_fetch(URL, "wireroom") for text in texts], repeat)
        if peer
        else None,
        peer_name=PEER,
    )


def _differences(files: list[bytes], peer: Any) -> Iterator[Figure]:
    """How often the two disagree; protego loses the first group behind a byte order mark."""
    if peer is None:
        return
    asked = marked = other = 0
    for body in files:
        ours, theirs = read_robots(body), peer.parse(body.decode("utf-8", "replace"))
        for agent in ("wireroom", "GPTBot", "Googlebot"):
            for url in (*URLS, *_own_urls(ours)):
                asked += 1
                if ours.allows(agent, url) is not theirs.can_fetch(url, agent):
                    marked += body.startswith(b"\xef\xbb\xbf")
                    other += not body.startswith(b"\xef\xbb\xbf")
    of = f"of {asked:,} answers"
    yield Figure(metric=f"differ from {PEER}, {of}: byte order mark", unit="answers", ours=marked)
    yield Figure(metric=f"differ from {PEER}, {of}: other", unit="answers", ours=other)


def _own_urls(robots: Robots) -> Iterator[str]:
    """Addresses that a file's own rules speak of."""
    for group in robots.groups[:4]:
        for rule in group.rules[:10]:
            path = rule.pattern.replace("*", "x").replace("$", "")
            yield "https://courier.test" + (path if path.startswith("/") else f"/{path}")


# --- input -------------------------------------------------------------------------------------


def _large_files() -> dict[str, bytes]:
    def filled(start: str, line: Callable[[int], str]) -> bytes:
        parts, size, n = [start], len(start), 0
        while size < SIZE:
            parts.append(line(n))
            size += len(parts[-1])
            n += 1
        return "".join(parts).encode()

    return {
        "one long group": filled("User-agent: *\n", lambda n: f"Disallow: /section/{n}/private\n"),
        "wildcards": filled("User-agent: *\n", lambda n: f"Disallow: /*/archive{n}*.html$\n"),
        "mixed groups": filled(
            "# the Courier\n",
            lambda n: (
                f"User-agent: crawler{n}\n"
                + "".join(f"Disallow: /section/{n}/{m}/\n" for m in range(12))
                + f"Allow: /section/{n}/open # but not closed\n\n"
            ),
        ),
    }


def _typical_file() -> bytes:
    named = "".join(f"User-agent: Crawler{n}-Bot\nDisallow: /\n\n" for n in range(0, 80, 2))
    rules = "".join(f"Disallow: /section{n}/*.html\n" for n in range(100))
    return f"{named}User-agent: *\n{rules}Sitemap: https://courier.test/s.xml\n".encode()


def _real_files(limit: int) -> list[bytes]:
    if not REAL_FILES.exists():
        return []
    bodies: list[bytes] = []
    with tarfile.open(REAL_FILES) as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                bodies.append(stream.read())
            if len(bodies) == limit:
                break
    return bodies


if __name__ == "__main__":
    main("robots", measure, about="How fast robots.txt files are read and asked.")
