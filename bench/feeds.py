"""Feeds and sitemaps: how fast they are read, and whether dates and links are those others find.

Feeds are the real ones in the folder of shared data when it is beside the repository, else feeds made
up here. Peers: feedparser and fastfeedparser on the same bytes, as if they came from one address. Every
entry on which we differ from a peer is listed on the way and counted by class, with who is right.
"""

from __future__ import annotations

import calendar
import gzip
import io
import json
import runpy
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from figures import Figure, main

REPOSITORY = Path(__file__).resolve().parent.parent
FEEDS = REPOSITORY.parent / "shared" / "data" / "feeds"
SENTENCES = REPOSITORY / "tests" / "parse" / "sentences.py"
ROUNDS = 3  # each body is read so often, and its best time counts: others use the machine too
SHORT_FEEDS = 15
CAME_FROM = (
    "https://feeds.test/feed"  # for links that are relative; the feeds were kept without theirs
)
SAME_MOMENT = timedelta(seconds=1)
SITEMAP_URLS = 50_000
FIRST_YEAR = 1970  # no feed tells of anything earlier; what a peer dates before is no date


class Entry(NamedTuple):
    """What is compared of one item."""

    url: str
    at: datetime | None


def real_feeds(short: bool) -> dict[str, bytes]:
    """The feeds to read, by name."""
    files = sorted(FEEDS.glob("*.gz")) if FEEDS.is_dir() else []
    found = {file.stem: gzip.decompress(file.read_bytes()) for file in files}
    found = found or {f"made-up-{n}": _made_up(n) for n in range(40)}
    return dict(list(found.items())[:SHORT_FEEDS]) if short else found


def _made_up(number: int) -> bytes:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    items = "".join(
        f"<item><title>Report {n} of {number}</title><link>https://courier.test/{number}/{n}</link>"
        f"<pubDate>{at - timedelta(hours=n):%a, %d %b %Y %H:%M:%S} GMT</pubDate>"
        f"<description>&lt;p&gt;{'The council met again. ' * 40}&lt;/p&gt;</description></item>"
        for n in range(50)
    )
    return f"<rss version='2.0'><channel><title>{number}</title>{items}</channel></rss>".encode()


# --- readers, each giving the same little table ---------------------------------------------------


def ours(body: bytes) -> list[Entry]:
    """By wireroom."""
    from wireroom.parse.feed import read_feed

    items = read_feed(body, base_url=CAME_FROM).items
    return [Entry(item.url, item.published_at or item.updated_at) for item in items]


def by_feedparser(body: bytes) -> list[Entry]:
    """By feedparser: bytes in a file, for it would open a string that looks like an address."""
    import feedparser

    found = feedparser.parse(io.BytesIO(body), response_headers={"content-location": CAME_FROM})
    return [Entry(entry.get("link") or "", _moment(entry)) for entry in found.entries]


def _moment(entry: Any) -> datetime | None:
    parts = entry.get("published_parsed") or entry.get("updated_parsed")
    return datetime.fromtimestamp(calendar.timegm(parts), UTC) if parts else None


def by_fastfeedparser(body: bytes) -> list[Entry]:
    """By fastfeedparser."""
    import fastfeedparser

    found = fastfeedparser.parse(body)
    return [
        Entry(entry.get("link") or "", _iso(entry.get("published") or entry.get("updated")))
        for entry in found.entries
    ]


def _iso(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None


def _read(reader: Callable[[bytes], list[Entry]], body: bytes) -> list[Entry] | None:
    try:
        return reader(body)
    except Exception as exc:  # noqa: BLE001 - a peer may fail in any way; that is part of the result
        print(f"{reader.__name__}: {type(exc).__name__}", file=sys.stderr)
        return None


# --- agreement --------------------------------------------------------------------------------


class Difference(NamedTuple):
    """One entry that we read in another way than a peer."""

    feed: str
    peer: str
    place: int
    field: str
    ours: str
    theirs: str


def differences(
    feeds: dict[str, bytes], peer: Callable[[bytes], list[Entry]]
) -> tuple[int, list[Difference]]:
    """How many entries both have, and on which we differ."""
    compared, found = 0, []
    for name, body in feeds.items():
        mine, theirs = _read(ours, body) or [], _read(peer, body) or []
        if len(mine) != len(theirs):
            found.append(
                Difference(name, peer.__name__, -1, "count", str(len(mine)), str(len(theirs)))
            )
            continue
        compared += len(mine)
        for place, (left, right) in enumerate(zip(mine, theirs, strict=True)):
            found += _differing(name, peer.__name__, place, left, right)
    return compared, found


def _differing(feed: str, peer: str, place: int, left: Entry, right: Entry) -> Iterator[Difference]:
    if not _same_text(left.url, right.url):
        yield Difference(feed, peer, place, "link", left.url, right.url)
    if (left.at is None) != (right.at is None) or (
        left.at and right.at and abs(left.at - right.at) >= SAME_MOMENT
    ):
        yield Difference(feed, peer, place, "date", str(left.at), str(right.at))


def _same_text(left: str, right: str) -> bool:
    return left == right or left.rstrip("/") == right.rstrip("/")


EMPTY_FEED = "a feed in which the peer finds nothing (ours right)"
EMPTY_DATE = "year 1, a database's empty date, taken for a date (ours right)"
RELATIVE_LINK = "a relative link that the peer leaves as it is (ours right)"
UNEXPLAINED = "unexplained"


def class_of(difference: Difference) -> str:
    """Why we differ, and who is right."""
    if difference.field == "count" and difference.theirs == "0":
        return EMPTY_FEED
    if (
        difference.field == "date"
        and difference.ours == "None"
        and difference.theirs.startswith("0001-")
    ):
        return EMPTY_DATE
    if difference.field == "link" and not difference.theirs.startswith(("http://", "https://")):
        return RELATIVE_LINK
    return UNEXPLAINED


# --- speed ------------------------------------------------------------------------------------


def seconds(read: Callable[[bytes], object], bodies: Iterable[bytes], rounds: int) -> float:
    """CPU seconds for all bodies, the best of so many rounds for each."""
    return seconds_of_each([read], bodies, rounds)[0]


def seconds_of_each(
    readers: Sequence[Callable[[bytes], object]], bodies: Iterable[bytes], rounds: int
) -> list[float]:
    """The same for several readers in turn, body by body: what disturbs one disturbs the others."""
    totals = [0.0] * len(readers)
    for body in bodies:
        for place, read in enumerate(readers):
            totals[place] += min(_lap(read, body) for _ in range(rounds))
    return totals


def _lap(read: Callable[[bytes], object], body: bytes) -> float:
    started = time.process_time()
    read(body)
    return time.process_time() - started


# --- sitemaps and encodings -----------------------------------------------------------------------


_LASTMOD = "    <lastmod>2026-11-{1:02}T{2:02}:00:00+00:00</lastmod>\n"
_HINTS = "    <changefreq>daily</changefreq>\n    <priority>0.5</priority>\n"
_PICTURE = (
    "    <image:image><image:loc>https://www.courier.test/p/{0}.jpg?w=1&amp;h=2</image:loc></image:image>\n"
    '    <xhtml:link rel="alternate" hreflang="de" href="https://www.courier.test/de/{0}.html"/>\n'
)
SITEMAPS = {
    "urls": _LASTMOD + _HINTS,
    "urls without hints": _LASTMOD,
    "urls with pictures and languages": _LASTMOD + _HINTS + _PICTURE,
    "urls in CDATA, which the parser alone reads": _LASTMOD + _HINTS,
}
"""Sitemaps as publishers write them: what an entry holds besides its address."""


def sitemap(count: int, form: str = "urls") -> bytes:
    """A sitemap of that form."""
    address = "https://www.courier.test/2026/11/{1:02}/harbour/headline-of-story-{0}.html"
    address = f"<![CDATA[{address}]]>" if "CDATA" in form else address
    entry = f"  <url>\n    <loc>{address}</loc>\n{SITEMAPS[form]}  </url>\n"
    entries = "".join(entry.format(n, n % 28 + 1, n % 24) for n in range(count))
    spaces = (
        'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    )
    return f'<?xml version="1.0"?>\n<urlset {spaces}>\n{entries}</urlset>\n'.encode()


def by_wireroom(body: bytes) -> int:
    """How many entries wireroom finds."""
    from wireroom.parse.sitemap import read_sitemap

    return len(read_sitemap(body).entries)


def by_elementtree(body: bytes) -> int:
    """How many a whole tree of the standard library has; nothing is checked or kept."""
    from xml.etree import ElementTree as ET

    return len(ET.fromstring(body))


_MEMORY = """
import sys
sys.path.insert(0, {bench!r})
from feeds import {reader}
def peak():
    rows = open("/proc/self/status").read().splitlines()
    return next(int(row.split()[1]) / 1024 for row in rows if row.startswith("VmHWM:"))
{reader}(b"<urlset/>")
body = open({file!r}, "rb").read()
before = peak()
{reader}(body)
print(peak() - before)
"""


def megabytes(reader: Callable[[bytes], int], body: bytes, folder: Path) -> float:
    """How far memory grows above interpreter, modules and the body itself, in a fresh process."""
    file = folder / "sitemap.xml"
    file.write_bytes(body)
    script = _MEMORY.format(bench=str(REPOSITORY / "bench"), file=str(file), reader=reader.__name__)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def encodings_right(text_of: Callable[[bytes], str]) -> float:
    """The share of undeclared pages in many encodings whose text comes out right."""
    table = runpy.run_path(str(SENTENCES))
    right = 0
    for language, codec, _ in table["PRINTED_IN"]:
        page = table["PAGE"].format(meta="", text=table["SENTENCES"][language])
        right += text_of(page.encode(codec)) == page
    return 100 * right / len(table["PRINTED_IN"])


def _detected(body: bytes) -> str:
    import cchardet

    found = cchardet.detect(body)["encoding"] or "ascii"
    try:
        return body.decode(found)
    except (UnicodeDecodeError, LookupError):
        return ""


def _ours_decoded(body: bytes) -> str:
    from wireroom.parse.encoding import decode

    return decode(body).text


def languages_right() -> tuple[float, int]:
    """The share of the town's own texts whose language is found, and how many texts that were."""
    from wireroom.languages import language_of
    from wireroom.parse.detect import detect_language

    right = count = 0
    for language, text in _texts_by_language():
        claim = detect_language(text)
        count += 1
        right += claim is not None and language_of(str(claim.value)) == language_of(language)
    return 100 * right / max(1, count), count


def _texts_by_language() -> Iterator[tuple[str, str]]:
    table = runpy.run_path(str(SENTENCES))
    yield from ((language, text) for language, text in table["SENTENCES"].items())


# --- the bench ------------------------------------------------------------------------------------


def measure(short: bool) -> Iterator[Figure]:
    """Speed, agreement, sitemaps, encodings."""
    feeds = real_feeds(short)
    rounds = 2 if short else ROUNDS
    megabyte = sum(map(len, feeds.values())) / 1e6
    peers = (
        (by_feedparser, "feedparser", ">= 50 times"),
        (by_fastfeedparser, "fastfeedparser", ""),
    )
    readers: list[Callable[[bytes], object]] = [ours]
    readers += [partial(_read, peer) for peer, _, _ in peers]
    mine, *others = seconds_of_each(readers, feeds.values(), rounds)
    for (peer, name, aim), theirs in zip(peers, others, strict=True):
        yield Figure(metric=f"feeds read, against {name}", unit="MB/s", ours=megabyte / mine, peer=megabyte / theirs, peer_name=name, aim=aim)  # fmt: skip
        yield from _agreement(feeds, peer, name)
    yield from _sitemap_figures(5_000 if short else SITEMAP_URLS, rounds)
    share, texts = languages_right()
    yield Figure(metric=f"language of {texts} short texts found", unit="%", ours=share, aim=">= 99")
    yield Figure(metric="undeclared encodings read right", unit="%", ours=encodings_right(_ours_decoded), peer=encodings_right(_detected), peer_name="faust-cchardet alone", aim=">= 99")  # fmt: skip


def _agreement(
    feeds: dict[str, bytes], peer: Callable[[bytes], list[Entry]], name: str
) -> Iterator[Figure]:
    compared, found = differences(feeds, peer)
    classes = Counter({UNEXPLAINED: 0})
    aimed = ">= 99.5" if peer is by_feedparser else ""
    for difference in found:
        why = class_of(difference)
        classes[why] += 1
        print(
            json.dumps({**difference._asdict(), "class": why}, ensure_ascii=False), file=sys.stderr
        )
    for field in ("link", "date"):
        differing = [difference for difference in found if difference.field == field]
        plausible = [difference for difference in differing if not _is_no_date(difference)]
        unexplained = [
            difference for difference in differing if class_of(difference) == UNEXPLAINED
        ]
        left_out = len(differing) - len(plausible)
        rows = [
            ("equal", differing, compared, "" if left_out else aimed),
            ("equal or ours right", unexplained, compared, ""),
        ]
        if left_out:
            what = (
                f"equal without {left_out} of {compared:,} that the peer sets before {FIRST_YEAR}"
            )
            rows.insert(1, (what, plausible, compared - left_out, aimed))
        for label, counted, of, aim in rows:
            share = 100 * (1 - len(counted) / max(1, of))
            yield Figure(metric=f"{field}s {label}, against {name}", unit="%", ours=share, peer=100.0, peer_name=name, aim=aim)  # fmt: skip
    for why, count in sorted(classes.items()):
        yield Figure(metric=f"differs from {name}: {why}", unit=f"of {compared:,}", ours=count)


def _is_no_date(difference: Difference) -> bool:
    """Whether the peer gives a date that cannot be one."""
    return (
        difference.field == "date"
        and difference.theirs[:4].isdecimal()
        and int(difference.theirs[:4]) < FIRST_YEAR
    )


def _sitemap_figures(count: int, rounds: int) -> Iterator[Figure]:
    from tempfile import TemporaryDirectory

    name = "ElementTree, whole tree"
    for form in SITEMAPS:
        body = sitemap(count, form)
        aim = "< 0.3" if form == "urls" else ""
        peer = seconds(by_elementtree, [body], rounds)
        yield Figure(metric=f"{count:,} {form}", unit="s", ours=seconds(by_wireroom, [body], rounds), peer=peer, peer_name=name, aim=aim)  # fmt: skip
    body = sitemap(count)
    packed = gzip.compress(body)
    yield Figure(metric=f"{count:,} urls packed", unit="s", ours=seconds(by_wireroom, [packed], rounds), aim="< 0.3")  # fmt: skip
    with TemporaryDirectory() as folder:
        mine = megabytes(by_wireroom, body, Path(folder))
        theirs = megabytes(by_elementtree, body, Path(folder))
    yield Figure(metric=f"memory for {count:,} urls", unit="MB", ours=mine, peer=theirs, peer_name=name, aim="< 45")  # fmt: skip


if __name__ == "__main__":
    main("feeds", measure, about="How fast and how rightly feeds and sitemaps are read.")
