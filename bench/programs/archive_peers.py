"""Other programs that read archives, on the same file: how many pages, and what they cost.

    python archive_peers.py trafilatura|trafilatura-fast|news-please|fundus FILE PAGES PROCESSES

Prints one line of JSON. The peers want other versions of packages than ours: run it by the Python of an environment
that has them (`pip install warcio trafilatura news-please fundus`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any


def pages(file: str, most: int) -> Iterator[tuple[str, bytes]]:
    """Address and body of each page, by warcio."""
    from warcio.archiveiterator import ArchiveIterator

    with Path(file).open("rb") as stream:
        records = (each for each in ArchiveIterator(stream) if each.rec_type == "response")
        for record in islice(records, most):
            yield record.rec_headers["WARC-Target-URI"], record.content_stream().read()


def extract(page: tuple[str, bytes], *, fast: bool = False) -> int:
    """Characters of the text that trafilatura finds; fast: without other readers where its own finds little."""
    from trafilatura import bare_extraction

    found: Any = bare_extraction(page[1], url=page[0], with_metadata=True, fast=fast)
    return len(found.text or "") if found is not None else 0


def by_trafilatura(file: str, most: int, processes: int) -> Iterator[int]:
    """warcio and trafilatura, in a pool of processes."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(extract, pages(file, most), chunksize=8)


def by_fast_trafilatura(file: str, most: int, processes: int) -> Iterator[int]:
    """The same with its faster setting."""
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(extract, fast=True), pages(file, most), chunksize=8)


def by_news_please(file: str, most: int, _processes: int) -> Iterator[int]:
    """The reader of news-please, record by record."""
    from newsplease import NewsPlease
    from warcio.archiveiterator import ArchiveIterator

    with Path(file).open("rb") as stream:
        records = (each for each in ArchiveIterator(stream) if each.rec_type == "response")
        for record in islice(records, most):
            try:
                article: Any = NewsPlease.from_warc(record, fetch_images=False)
            except Exception:  # noqa: BLE001 - whatever it raises, the page gave nothing
                yield 0
            else:
                yield len(article.maintext or "")


def by_fundus(file: str, most: int, _processes: int) -> Iterator[int]:
    """The reader of Fundus up to the decoded page; it parses pages of its own publishers alone."""
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    from fundus import PublisherCollection
    from fundus.scraping.html import CCNewsSource

    class Everybody(dict[str, Any]):
        """Any host belongs to the first publisher."""

        def __contains__(self, _host: object) -> bool:
            return True

        def __missing__(self, _host: str) -> Any:
            return publisher

    class Silent(SimpleHTTPRequestHandler):
        """Says nothing."""

        def log_message(self, *_arguments: Any) -> None:
            """Nothing."""

    publisher: Any = next(iter(PublisherCollection))
    publisher.url_filter = None
    handler = partial(Silent, directory=str(Path(file).parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/{Path(file).name}"
    source = CCNewsSource(publisher, warc_path=address)
    vars(source)["_publisher_mapping"] = Everybody()
    yield from (len(page.content) for page in islice(source.fetch(), most))


PEERS = {
    "trafilatura": by_trafilatura,
    "trafilatura-fast": by_fast_trafilatura,
    "news-please": by_news_please,
    "fundus": by_fundus,
}


def main() -> None:
    """Runs one peer and says what it cost."""
    kind, file, most, processes = sys.argv[1:]
    began, before = perf_counter(), os.times()
    lengths = list(PEERS[kind](file, int(most), int(processes)))
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    found = {"pages": len(lengths), "articles": sum(length > 0 for length in lengths)}
    print(json.dumps({**found, "cpu": spent, "seconds": perf_counter() - began}))


if __name__ == "__main__":
    main()
