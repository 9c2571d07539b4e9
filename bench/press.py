"""The large town, written to files once and served by nginx: a server that costs next to nothing.

The town's own server writes its pages as they are asked for, which takes longer than reading them; here
it is only the author. Every file has an ETag and a date, so that "has it changed?" can be asked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nginx import free_port, nginx_config, running_nginx
from wireroom.town import Town, build_town
from wireroom.town.answers import answer
from wireroom.town.declaration import Weight


@dataclass(frozen=True, slots=True)
class Asked:
    """One request in nginx's log."""

    host: str
    path: str
    status: int
    conditional: bool
    at: float
    """When it arrived, in seconds since 1970."""
    ended: float
    """When its answer was sent."""
    agent: str
    """The User-Agent of whoever asked."""


@dataclass(frozen=True, slots=True)
class Press:
    """A crowd of publishers, being served."""

    hosts: dict[str, str]
    feeds: dict[str, str]
    """Host to the address of its feed."""
    pages: int
    folder: Path

    def asked(self) -> list[Asked]:
        """Every request since the log was last emptied."""
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        return [_asked(line) for line in lines]

    def count(self) -> int:
        """How many requests there were since then."""
        return (self.folder / "access.log").read_bytes().count(b"\n")

    def forget(self) -> None:
        """Empties the log; nginx goes on writing at its end."""
        with (self.folder / "access.log").open("r+b") as log:
            log.truncate()


def _asked(line: str) -> Asked:
    host, path, status, tag, since, ended, took, agent = line.split("\t")
    conditional = bool(tag.strip("-") or since.strip("-"))
    began = float(ended) - float(took)
    return Asked(host, path, int(status), conditional, began, float(ended), agent)


@contextmanager
def serve_press(
    publishers: int, *, articles: int, weight: Weight = "light", slow: float = 0.0
) -> Iterator[Press]:
    """So many publishers with so many articles each, on loopback addresses of their own.

    One that is `slow` answers so many seconds after its last answer, however soon it is asked.
    """
    town = _with_whole_feeds(build_town(publishers=publishers, articles=articles, weight=weight))
    folder = Path(tempfile.mkdtemp(prefix="wireroom-press-"))
    folder.chmod(0o755)
    port = free_port()
    names = [host for host in town.publishers if host.startswith("paper-")]
    addresses = {host: f"127.71.{n // 250}.{n % 250 + 1}" for n, host in enumerate(names)}
    pages = sum(_write(town, host, folder / "www" / host) for host in names)
    (folder / "nginx.conf").write_text(
        _config(folder, list(addresses.values()), port, slow), "utf-8"
    )
    with running_nginx(folder, next(iter(addresses.values())), port):
        yield Press(
            hosts={host: f"{address}:{port}" for host, address in addresses.items()},
            feeds={host: f"http://{host}/feed.xml" for host in names},
            pages=pages,
            folder=folder,
        )


def _with_whole_feeds(town: Town) -> Town:
    """The town with feeds that name every article: what cannot be found is never asked for."""
    everyone = [
        replace(
            publisher,
            feeds=tuple(replace(feed, items=publisher.articles) for feed in publisher.feeds),
        )
        for publisher in town.publishers.values()
    ]
    return Town(publishers=everyone, clock=town.clock, seed=town.seed)


def _write(town: Town, host: str, folder: Path) -> int:
    """Writes what a follower asks for; how many articles."""
    stories = town.stories(host)
    targets = ["/robots.txt", "/feed.xml", "/news-sitemap.xml", "/"]
    for target in (*targets, *(story.url.partition(host)[2] for story in stories)):
        made = answer(town, host, target)
        path = folder / (target.strip("/") or "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(made.body)
    return len(stories)


def _config(folder: Path, addresses: list[str], port: int, slow: float) -> str:
    zone = f"limit_req_zone $host zone=slow:4m rate={round(60 / slow)}r/m;" if slow else ""
    delayed = "limit_req zone=slow burst=1000;" if slow else ""
    return nginx_config(
        folder,
        addresses,
        port,
        log="$host\\t$uri\\t$status\\t$http_if_none_match\\t$http_if_modified_since"
        "\\t$msec\\t$request_time\\t$http_user_agent",
        http=f"""types {{ application/xml xml; text/plain txt; }}
  default_type "text/html; charset=utf-8"; {zone}""",
        server=f"root {folder}/www/$host; index index.html; {delayed}",
    )
