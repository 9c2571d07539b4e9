"""Scouting step: whether the publisher is in Common Crawl's index, and since when it was last there.

Asks a list of the operator's, if there is one; else the index, not the publisher, unless nobody else may be asked.
The index bars crawlers in its own robots.txt: then nothing is asked, and the finding says which other ways there are.
The list of collections is kept in the finding and believed for a day. Counts are estimates and said to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from wireroom.errors import FetchError, GoneError, ParseError, RefusedError
from wireroom.model import Evidence, Facts, Finding
from wireroom.ports import CrawlList, Step, StepContext
from wireroom.rights.finding_index import MEASURED
from wireroom.signals.documents import ask
from wireroom.signals.shared import finding
from wireroom.urls import host_of, is_web_url

COLLECTIONS_URL: Final = "https://index.commoncrawl.org/collinfo.json"
LINES_A_BLOCK: Final = 3_000  # of the index: what makes the number of blocks an estimate of pages
BELIEVED_FOR: Final = timedelta(days=1)  # a collection comes out every month
MAX_BYTES: Final = 1_000_000
OTHER_WAYS: Final = "Name a file of its domain lists in scout.common_crawl_list, or {host} in fetch.agreed if you have agreed terms with it"


async def run(context: StepContext) -> Finding:
    """In the index or not, by a list or the newest collection; whatever goes wrong leaves it unknown."""
    if context.crawl_list is not None:
        return await _by_list(context, context.crawl_list)
    if context.offline:
        return finding(context, "common_crawl", "skipped", {"available": None, "reason": "offline"})
    return await _by_index(context)


async def _by_list(context: StepContext, crawl_list: CrawlList) -> Finding:
    """What the operator's list says; nobody is asked."""
    try:
        found = await crawl_list.find(context.publisher.domain)
    except ParseError as error:
        return _unknown(context, crawl_list.name, str(error))
    measured = (
        {} if found is None else {"pages_estimated": found.pages, "latest_crawl": found.latest}
    )
    facts: dict[str, Any] = {
        "available": True,
        "in_index": found is not None,
        "collection": crawl_list.name,
        "error": None,
        MEASURED: measured,
    }
    note = Evidence(url=crawl_list.name, excerpt="not in the list")
    if found is not None:
        note = Evidence(url=crawl_list.name, line=found.line, excerpt=found.text)
    return finding(context, "common_crawl", "yes" if found else "no", facts, note)


def _unknown(context: StepContext, url: str, error: str) -> Finding:
    facts: dict[str, Any] = {"available": False, "in_index": None, "error": error}
    return finding(context, "common_crawl", "unknown", facts, Evidence(url=url, excerpt=error))


def _barred(context: StepContext, error: RefusedError) -> Finding:
    """The index does not let us ask it: nothing is known, and nothing went wrong."""
    host = host_of(error.url)
    message = f"{host} bars crawlers in its robots.txt. {OTHER_WAYS.format(host=host)}"
    facts: dict[str, Any] = {
        "available": None,
        "in_index": None,
        "reason": "robots",
        "error": message,
    }
    note = Evidence(url=error.url, excerpt=error.reason)
    return finding(context, "common_crawl", "skipped", facts, note)


async def _by_index(context: StepContext) -> Finding:
    try:
        collection = await _newest_collection(context)
        blocks = await _blocks(context, collection)
        latest = await _latest(context, collection) if blocks else None
    except (FetchError, ParseError) as error:
        if isinstance(error, RefusedError) and error.kind == "robots" and error.permanent:
            return _barred(context, error)
        return _unknown(context, COLLECTIONS_URL, str(error))
    facts: dict[str, Any] = {
        "available": True,
        "in_index": blocks > 0,
        "collection": collection["id"],
        "error": None,
        MEASURED: {
            "pages_estimated": blocks * LINES_A_BLOCK,
            "page_count": blocks,
            "latest_crawl": latest,
            "cdx_api": collection["cdx-api"],
            "asked_at": context.now.isoformat(),
        },
    }
    note = Evidence(url=collection["cdx-api"], excerpt=f"{collection['id']}: {blocks} blocks")
    return finding(context, "common_crawl", "yes" if blocks else "no", facts, note)


async def _newest_collection(context: StepContext) -> Mapping[str, str]:
    """The first of the list; the one of the last scout while it is young."""
    before = context.before
    if before is not None and before.found_at > context.now - BELIEVED_FOR:
        api = before.facts.get(MEASURED, {}).get("cdx_api")
        if before.facts.get("collection") and api:
            return {"id": str(before.facts["collection"]), "cdx-api": str(api)}
    listed = await ask(context, COLLECTIONS_URL, max_bytes=MAX_BYTES)
    return await context.read(read_collection, listed.body)


def read_collection(body: bytes) -> dict[str, str]:
    """The newest collection, which is the first of the list."""
    listed = _json(body)
    first = listed[0] if isinstance(listed, list) and listed else {}
    if not isinstance(first, dict) or not is_web_url(str(first.get("cdx-api", ""))):
        raise ParseError("the list of collections has another form than expected")
    return {"id": str(first.get("id", "")), "cdx-api": str(first["cdx-api"])}


async def _blocks(context: StepContext, collection: Mapping[str, str]) -> int:
    """How many blocks of the index speak of the domain; an index without captures answers 404."""
    query = {
        "url": context.publisher.domain,
        "matchType": "domain",
        "output": "json",
        "showNumPages": "true",
    }
    try:
        response = await ask(
            context, f"{collection['cdx-api']}?{urlencode(query)}", max_bytes=MAX_BYTES
        )
    except GoneError:
        return 0
    return await context.read(read_blocks, response.body)


def read_blocks(body: bytes) -> int:
    """How many blocks the index says there are."""
    answer = _json(body.splitlines()[0] if body else b"{}")
    blocks = answer.get("blocks", answer.get("pages")) if isinstance(answer, dict) else None
    if not isinstance(blocks, int):
        raise ParseError("the index answers in another form than expected")
    return blocks


async def _latest(context: StepContext, collection: Mapping[str, str]) -> str | None:
    """The month of the newest capture of the homepage, as YYYY-MM."""
    query = {
        "url": f"{context.publisher.domain}/",
        "output": "json",
        "fl": "timestamp",
        "sort": "reverse",
        "limit": "1",
    }
    try:
        response = await ask(
            context, f"{collection['cdx-api']}?{urlencode(query)}", max_bytes=MAX_BYTES
        )
    except GoneError:
        return None
    return await context.read(read_latest, response.body)


def read_latest(body: bytes) -> str | None:
    """The month of the newest capture in these lines."""
    stamps = [_stamp(line) for line in body.splitlines()[:1000]]
    newest = max((stamp for stamp in stamps if stamp), default="")
    return f"{newest[:4]}-{newest[4:6]}" if newest else None


def _stamp(line: bytes) -> str:
    try:
        row = _json(line)
    except ParseError:
        return ""
    stamp = str(row.get("timestamp", "")) if isinstance(row, dict) else ""
    return stamp if len(stamp) >= 6 and stamp.isdigit() else ""


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as exc:
        raise ParseError("the index did not answer in JSON") from exc


def summary(facts: Facts) -> str:
    """In which collection, and since when."""
    if not facts.get("available"):
        return str(facts.get("error"))
    if not facts.get("in_index"):
        return f"not in {facts.get('collection')}"
    latest = facts.get("measured", {}).get("latest_crawl")
    return f"in {facts.get('collection')}{f', last seen {latest}' if latest else ''}"


PLUG = Step(
    "common_crawl",
    "Common Crawl",
    run,
    section="supply",
    order=50,
    summary=summary,
    compared=("available", "in_index", "collection"),
)
