"""What may be done with an article, from the specifications alone; a test compares the program with it.

RFC 9309, RSL 1.0, TDMRep, Content-Signal, AIPREF Content-Usage, X-Robots-Tag, ai.txt, trust.txt, Creative Commons.
Given what each host serves it answers "no" (every refusal, every price), "yes" or "open" for a use. An article belongs
to the host it is read from: nobody else is asked about it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

from tests.rights_formats import (
    AI,
    RSL,
    TOKEN,
    USES,
    Answer,
    Statements,
    World,
    access,
    agents_barred,
    allowed,
    fits,
    licence_lines,
    lines_for,
    read_rsl,
    robots_of,
    rsl_contents,
    stated,
    union,
    values_of,
)

TDMREP = "/.well-known/tdmrep.json"
MINING = ("ai-index", "ai-train")
TAGS = {
    "noindex": ("search",),
    "none": ("search",),
    "noarchive": ("archive",),
    "nosnippet": ("ai-input",),
    "max-snippet:0": ("ai-input",),
    "noai": ("ai-train", "ai-input"),
}
SPEAKS_OF = {
    "tdm": MINING,
    "ai.txt": ("ai-train",),
    "trust.txt": ("ai-train",),
    "terms": (*AI, "archive"),
    "front page": (*AI, "archive"),  # it says where the terms are
}
"""Of which uses a source could have spoken that could not be looked at; an RSL document of all."""
KEPT_FROM_US = {401, 403}
"""Statuses of a file that may be there: for access it is none (RFC 9309 2.3.1.3), and what it says is not seen."""
RESERVED = re.compile(r"#.*(2019/790|44b UrhG)")
NO_AI = re.compile(r"may not[^.]*(machine learning|artificial intelligence)")
NOT_THE_PAGE = re.compile(
    r"<(figure|aside|picture)\b.*?</\1>|<section class=.comments.>.*?</section>|<div class=.bildNachweis.>.*?</div>",
    re.DOTALL,
)


def judge(
    worlds: Sequence[World],
    url: str,
    use: str,
    *,
    now: datetime,
    feed_url: str = "",
    page: bool = True,
) -> str:
    """What may be done after rounds at these worlds, the last of them now; `page` off is before the page is read."""
    rounds = [
        _read_world(world, url, feed_url, now, page=page, past=worlds[:n])
        for n, world in enumerate(worlds)
    ]
    words: set[str] = set()
    for source, statements in rounds[-1].items():
        if statements is not None:
            words |= {word for about, word in statements if about == use}
            continue
        seen = [past for seen_then in rounds[:-1] if (past := seen_then.get(source)) is not None]
        if seen and (use, "no") in seen[-1]:
            words.add("no")  # what could not be fetched today leaves yesterday's refusal standing
        elif use in SPEAKS_OF.get(source, USES):
            words.add("unread")  # and never makes an allow, nor lets that of another stand
    if "no" in words:
        return "no"
    return "yes" if words == {"yes"} else "open"


def may_fetch(world: World, url: str) -> bool:
    """Whether robots.txt lets us read the page."""
    return not access(robots_of(world, urlsplit(url).netloc), urlsplit(url).path)


def _read_world(
    world: World, url: str, feed_url: str, now: datetime, *, page: bool, past: Sequence[World]
) -> dict[str, Statements | None]:
    """What each source says of the page; None where a server failed."""
    host, path = urlsplit(url).netloc, urlsplit(url).path
    own = world.get(host, {})
    robots, served = robots_of(world, host), own.get(path, Answer(404)) if page else Answer()
    rules = robots.body if robots.status == 200 else ""
    lines, html = lines_for(TOKEN, rules), NOT_THE_PAGE.sub("", served.body)
    found: dict[str, Statements | None] = {
        "robots.txt": access(robots, path),
        "what robots.txt says of rights": None if robots.status in KEPT_FROM_US else frozenset(),
        "agents": agents_barred(rules, path),
        "comments": stated(MINING if RESERVED.search(rules) else (), "no"),
        "content-signal": _signals(
            [*values_of(lines, "content-signal"), *served.named("content-signal")]
        ),
        "content-usage": _usage_lines(values_of(lines, "content-usage"), path),
        "content-usage header": _usage(served.named("content-usage")),
        "tags": _tags([*served.named("x-robots-tag"), *_meta(html, "robots")], now),
        "tdm": _tdm(_tdm_file(own, [world.get(host, {}) for world in past]), served, html, path),
        "ai.txt": _ai_txt(own.get("/ai.txt", Answer(404)), path),
        "trust.txt": _trust(own),
        "terms": _terms(own),
        "front page": None if own.get("/", Answer(404)).failed else frozenset(),
        "licences": union(_licence(href) for kind, href in _licence_links(html) if not kind),
    }
    for text in re.findall(r'<script type="application/rsl\+xml">(.*?)</script>', html, re.DOTALL):
        found["inline"] = read_rsl(text, url, scoped=True)
    links = [href for kind, href in _licence_links(html) if kind]
    links += re.findall(
        r'<([^>]+)>; rel="license"; type="application/rsl\+xml"', "".join(served.named("link"))
    )
    named = [(address, False) for address in licence_lines(rules)]
    for address, scoped in [*named, *((urljoin(url, link), True) for link in links)]:
        document = world.get(urlsplit(address).netloc, {}).get(urlsplit(address).path, Answer(404))
        text = document.body if document.status == 200 else ""
        found[f"rsl {address}"] = None if document.failed else read_rsl(text, url, scoped=scoped)
    if urlsplit(feed_url).netloc == host:
        found["feed"] = _feed(own[urlsplit(feed_url).path], url, now)
    return found


# --- preferences: Content-Signal, Content-Usage, TDMRep ------------------------------------------


def _pairs(values: Iterable[str]) -> list[tuple[str, str]]:
    parts = [part.strip().partition("=") for value in values for part in value.split(",")]
    return [(key, value) for key, _, value in parts]


def _signals(values: Iterable[str]) -> Statements:
    keys, words = {"search", "ai-input", "ai-train"}, {"yes", "no"}
    lower = [(key.lower(), value.lower()) for key, value in _pairs(values)]
    return frozenset((key, value) for key, value in lower if key in keys and value in words)


def _usage(values: Iterable[str]) -> Statements:
    uses, words = {"train-ai": "ai-train", "search": "search"}, {"y": "yes", "n": "no"}
    pairs = [(key, value) for key, value in _pairs(values) if key in uses and value in words]
    return frozenset((uses[key], words[value]) for key, value in pairs)


def _usage_lines(values: Iterable[str], path: str) -> Statements:
    """The longest path that fits has the say."""
    rules = [value.split(None, 1) if value.startswith("/") else ["/", value] for value in values]
    fitting = [(len(pattern), statements) for pattern, statements in rules if fits(pattern, path)]
    longest = max((length for length, _ in fitting), default=0)
    return _usage(statements for length, statements in fitting if length == longest)


def _tdm_file(own: Mapping[str, Answer], past: Sequence[Mapping[str, Answer]]) -> Answer:
    """The file; a page in its place is none, unless the file was there before: then nobody knows what it says now."""
    file, before = (
        own.get(TDMREP, Answer(404)),
        [world.get(TDMREP, Answer(404)) for world in past],
    )
    if not file.body.startswith("<"):
        return file
    return Answer(0) if any(known.body.startswith("[") for known in before) else Answer(404)


def _tdm(file: Answer, served: Answer, html: str, path: str) -> Statements | None:
    """The first rule of the file that fits, then the header, then the tag: the later supersedes."""
    try:
        rules = json.loads(file.body) if file.status == 200 else []
    except ValueError:  # it is there, and may say anything
        rules, file = [], Answer(0)
    statements = [str(rule["tdm-reservation"]) for rule in rules if fits(rule["location"], path)][
        :1
    ]
    statements += [*served.named("tdm-reservation"), *_meta(html, "tdm-reservation")]
    if not statements and file.failed:
        return None
    return stated(MINING, {"1": "no", "0": "yes"}[statements[-1]]) if statements else frozenset()


# --- files and pages -----------------------------------------------------------------------------


def _meta(html: str, name: str) -> list[str]:
    return re.findall(f'<meta name="{name}" content="([^"]*)"', html)


def _licence_links(html: str) -> list[tuple[str, str]]:
    """Type and address of each link."""
    return re.findall(r'<(?:a|link) rel="license"(?: type="([^"]*)")? href="([^"]*)"', html)


def _tags(values: Iterable[str], now: datetime) -> Statements:
    found: list[Statements] = []
    for value in values:
        name, _, date = value.partition(": ")
        if name == "unavailable_after" and parsedate_to_datetime(date) <= now:
            found.append(stated(("search", "archive"), "no"))
        found += [stated(TAGS.get(word.strip(), ()), "no") for word in value.split(",")]
    return union(found)


def _ai_txt(file: Answer, path: str) -> Statements | None:
    fitting = allowed(lines_for(TOKEN, file.body), path) if file.status == 200 else None
    word = None if fitting is None else "yes" if fitting else "no"
    return None if file.failed else stated(("ai-train",) if word else (), word or "")


def _trust(own: Mapping[str, Answer]) -> Statements | None:
    file = own.get("/.well-known/trust.txt") or own.get("/trust.txt", Answer(404))
    word = re.search(r"^datatrainingallowed=(yes|no)$", file.body, re.MULTILINE)
    return None if file.failed else stated(("ai-train",) if word else (), word[1] if word else "")


def _terms(own: Mapping[str, Answer]) -> Statements | None:
    """A clause against models refuses the three uses of them, wherever the front page says that terms stand.

    Terms without a word are read by nobody: a program of the page would write them.
    """
    paths = re.findall(r'href="(/terms[^"]*)"', own.get("/", Answer(404)).body)
    places = [own.get(path, Answer(404)) for path in dict.fromkeys(paths)]
    if any(NO_AI.search(terms.body) for terms in places if terms.status == 200):
        return stated(AI, "no")
    shells = [terms for terms in places if terms.status == 200 and "<p>" not in terms.body]
    return None if shells or any(terms.failed for terms in places) else frozenset()


def _licence(url: str) -> Statements:
    code = re.search(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/", url)
    settled = [
        use for use in USES if code and not ("nd" in code[1].split("-") and use == "ai-train")
    ]
    return stated(settled, "yes")


def _feed(feed: Answer, url: str, now: datetime) -> Statements:
    """What a feed says of a page of its own host; its headers refuse where it has the whole text."""
    found: list[Statements] = []
    for item in ET.fromstring(feed.body).iter("item"):
        if item.findtext("link") != url:
            continue
        found += [_licence(each.text or "") for each in item if each.tag.endswith("}license")]
        found.append(rsl_contents(item.findall(f"{RSL}content"), url, scoped=True))
        if any(each.tag.endswith("}encoded") for each in item):
            statements = [
                _tags(feed.named("x-robots-tag"), now),
                _usage(feed.named("content-usage")),
            ]
            statements.append(_tdm(Answer(404), feed, "", "") or frozenset())
            found += [frozenset(pair for pair in each if pair[1] == "no") for each in statements]
    return union(found)
