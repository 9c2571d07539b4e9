"""A refusal that is badly written, hidden or behind a limit: whatever becomes of it, the use is not allowed.

The page has a licence that permits everything, so that the use would be allowed once the refusal is lost. The oracle is
the case itself: each serves exactly one refusal of training. Some are read and refuse, of others it is known that they
could not be read; both will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, served
from tests.scout.flips import CC0
from tests.scout.sites import STEPS, STORY
from wireroom.errors import StatusError
from wireroom.model import Dossier, Finding, Response, Use
from wireroom.parse.article import read_article
from wireroom.parse.html import MAX_ATTRIBUTES, MAX_TAGS
from wireroom.parse.page_tags import MAX_VALUE
from wireroom.parse.robots.prose_comments import MAX_COMMENT_BYTES
from wireroom.parse.robots.robots_scan import MAX_BYTES, MAX_LINE_BYTES
from wireroom.parse.structured_fields import MAX_DICTIONARY
from wireroom.rights.agents import agent_table
from wireroom.rights.finding_index import FindingIndex
from wireroom.scout.address import read_address
from wireroom.scout.visit import scout_site
from wireroom.signals import all_steps, judge, make_receipt, page_findings
from wireroom.signals.rsl.rsl_document import MAX_TEXT, MAX_TOKENS
from wireroom.signals.terms.sentence_judging import MAX_ITEMS, MAX_SENTENCES
from wireroom.store.packing import as_document, from_document

BASE: Final = HOME.rstrip("/")
PATH: Final = STORY.removeprefix(BASE)
ROBOTS: Final = "User-agent: *\nAllow: /\n"
TEXT: Final = "".join(
    f"<p>The harbour board met on day {day} to decide on the dredging of the northern channel. Its chair told the "
    "members that the silt had risen by two metres since spring and that the crews had waited for years.</p>"
    for day in range(4)
)
LICENCE: Final = f'<link rel="license" href="{CC0}">'


def page(head: str = LICENCE, body: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>Quay</title>{head}</head>"
        f"<body><article><h1>Quay</h1>{TEXT}{body}</article></body></html>"
    )


def doc(
    body: str | bytes, kind: str = "text/plain", headers: Iterable[tuple[str, str]] = ()
) -> Response:
    answer = served("", body, kind=kind)
    own = tuple((name.lower(), value) for name, value in headers)
    return replace(answer, headers=(*answer.headers, *own))


def html(head: str = "", body: str = "", headers: Iterable[tuple[str, str]] = ()) -> Response:
    return doc(page(LICENCE + head, body), "text/html; charset=utf-8", headers)


Answers = Mapping[str, Answer]


def site(answers: Answers) -> dict[str, Answer]:
    return {"/robots.txt": doc(ROBOTS), "/": doc(page(""), "text/html"), PATH: html(), **answers}


async def scout(
    answers: Answers,
    url: str = STORY,
    *,
    last: Dossier | None = None,
    steps: Mapping[str, Any] = STEPS,
    later: timedelta = timedelta(),
) -> Dossier:
    """What a scout of the page finds, as the store gives it back."""
    table = Table({BASE + path: answer for path, answer in site(answers).items()})
    reports = scout_site(
        read_address(url),
        table,
        now=NOW + later,
        last=last,
        fresh_for=timedelta(),
        steps=steps,
        offline=True,
    )
    dossier = [report async for report in reports][-1]
    assert isinstance(dossier, Dossier)
    return replace(
        dossier, findings=from_document(as_document(dossier.findings), tuple[Finding, ...])
    )


def rights_word(dossier: Dossier, use: Use = "ai-train") -> str:
    """What `rights` says of the page."""
    words = judge(dossier.findings, STORY, now=dossier.scouted_at)
    return next(verdict.value for verdict in words if verdict.use == use)


def receipt_word(story: Response, known: Dossier, use: Use = "ai-train") -> str:
    """What a run writes into the receipt of the page."""
    index = FindingIndex(known.findings)
    reading = read_article(
        story.body,
        url=STORY,
        content_type=story.content_type,
        fetched_at=NOW,
        headers=story.headers,
    )
    assert reading.page_tags is not None
    found = FindingIndex(page_findings(reading.page_tags, now=NOW, known=index), parent=index)
    receipt = make_receipt(found, STORY, robots_word="allowed", now=NOW, page_read=True)
    return next(verdict.value for verdict in receipt.verdicts if verdict.use == use)


async def wrong(answers: Answers, *, use: Use = "ai-train") -> list[str]:
    """Who allows the use: `rights` for the page, the receipt of a run."""
    served_site = site(answers)
    words = {"rights": rights_word(await scout(answers), use)}
    story = served_site[PATH]
    if isinstance(story, Response):
        words["run"] = receipt_word(story, await scout(answers, HOME), use)
    return [who for who, word in words.items() if word == "allow"]


async def test_without_a_refusal_everybody_allows() -> None:
    assert await wrong({}) == ["rights", "run"]
    assert await wrong({}, use="search") == ["rights", "run"]


# --- behind a limit ------------------------------------------------------------------------------

RESERVED: Final = "# We reserve text and data mining under Article 4 of Directive (EU) 2019/790.\n"
TERMS: Final = (
    "<html lang=en><head><title>Terms of use</title></head><body><main><h1>Terms of use</h1>\n"
    "<p>These terms govern your use of this website and of everything that we publish on it.</p>\n{}"
    "<p>You accept these terms by reading our articles.</p></main></body></html>"
)
NO_AI: Final = "<p>You may not use our content to train machine learning or artificial intelligence models.</p>\n"
TERMS_LINKED: Final = doc(
    page("", '<footer><a href="/terms">Terms of use</a></footer>'), "text/html"
)
NOAI: Final = '<meta name="robots" content="noai">'


def rsl(inner: str, *, address: str = "/") -> Response:
    text = (
        f'<rsl xmlns="https://rslstandard.org/rsl"><content url="{address}"><license>{inner}'
        "</license></content></rsl>"
    )
    return doc(text, "application/rsl+xml")


def named_rsl(document: Response) -> Answers:
    return {"/robots.txt": doc(f"License: /rsl.xml\n{ROBOTS}"), "/rsl.xml": document}


def robots_with(lines: str) -> Answers:
    return {"/robots.txt": doc(f"User-agent: *\n{lines}\nAllow: /\n")}


def story(head: str = "", body: str = "", *headers: tuple[str, str]) -> Answers:
    return {PATH: html(head, body, headers)}


def terms(*parts: str) -> Answers:
    return {"/": TERMS_LINKED, "/terms": doc(TERMS.format("".join(parts)), "text/html")}


def at_limit(words: str, limit: int) -> str:
    """The words again and again, so that what follows stands behind the limit."""
    return words * (limit // len(words) + 1)


LIMITS: Final[dict[str, Answers]] = {
    "a meta tag": story(f'<meta name="robots" content="{at_limit("all,", MAX_VALUE)}noai">'),
    "a meta tag for us": story(
        f'<meta name="wireroom" content="{at_limit("nofollow,", MAX_VALUE)}noai">'
    ),
    "a header": story("", "", ("X-Robots-Tag", f"{at_limit('all,', MAX_VALUE)}noai")),
    "Content-Signal of a page": story(
        "", "", ("Content-Signal", f"{at_limit('a=b, ', MAX_DICTIONARY)}ai-train=no")
    ),
    "Content-Signal of a page, in several": story(
        "", "", *[("Content-Signal", f"a{n}={'b' * 900}") for n in range(10)], ("Content-Signal", "ai-train=no")
    ),
    "Content-Signal of robots.txt": robots_with(
        f"Content-Signal: {at_limit('a=b, ', MAX_DICTIONARY)}ai-train=no"
    ),
    "Content-Usage of a page": story(
        "", "", ("Content-Usage", f"{at_limit('a=b, ', MAX_DICTIONARY)}train-ai=n")
    ),
    "Content-Usage of robots.txt": robots_with(
        f"Content-Usage: {at_limit('a=b, ', MAX_DICTIONARY)}train-ai=n"
    ),
    "a line of robots.txt": robots_with(f"{at_limit('# and so on ', MAX_LINE_BYTES)}. {RESERVED}"),
    "a NUL in robots.txt": robots_with(f"# The Courier\0 {RESERVED}"),
    "the comments of robots.txt": {
        "/robots.txt": doc(ROBOTS + at_limit("# and so on\n\n", 2 * MAX_COMMENT_BYTES) + RESERVED)
    },
    "a sentence of a comment": robots_with(f"# {'and so on ' * 95}{RESERVED[2:]}"),
    "attributes": story(
        "<meta " + " ".join(f"a{n}={'y' * 300}" for n in range(MAX_ATTRIBUTES)) + " " + NOAI[6:]
    ),
    "tags": story("", "<b></b>" * (MAX_TAGS // 2) + NOAI),
    "a noscript": story(f"<noscript>{'<p>x</p>' * 9_000}{NOAI}</noscript>"),
    "the bytes of a page": {PATH: replace(html(), truncated=True)},
    "the bytes of the front page": {"/": replace(doc(page(""), "text/html"), truncated=True)},
    "the links of the front page": {
        "/": doc(page("", f'{"<a href=/n>n</a>" * 5_000}<a href="/house-rules">Terms of use</a>'), "text/html"),
        "/house-rules": doc(TERMS.format(NO_AI), "text/html"),
    },
    "a list of RSL": named_rsl(
        rsl(f'<prohibits type="usage">{"x " * MAX_TOKENS}ai-train</prohibits>')
    ),
    "an address of RSL": named_rsl(
        rsl('<permits type="usage">all</permits>', address=f"/{'*' * MAX_TEXT}no-such-page")
    ),
    "the parameters of a Link header": story(
        "",
        "",
        ("Link", f'</rsl.xml>; {"; ".join(f"a{n}=1" for n in range(31))}; rel="license"; type="application/rsl+xml"'),
    ),
    "a rule of tdmrep.json": {
        "/.well-known/tdmrep.json": doc(
            f'[{{"location": "/{"*" * 2_048}no", "tdm-reservation": 0}}, {{"location": "/*", "tdm-reservation": 1}}]',
            "application/json",
        )
    },
    "ai.txt": {"/ai.txt": doc(f"{'#' * MAX_BYTES}\nUser-Agent: *\nDisallow: /\n")},
    "the blanks of trust.txt": {
        "/.well-known/trust.txt": doc(f"member=https://x.example/\ndatatrainingallowed{' ' * 101}=no\n")
    },
    "the sentences of terms": terms(f"<p>{'We like it. ' * MAX_SENTENCES}</p>", NO_AI),
    "the items of terms": terms(
        f"<p>You may not:</p><ul>{'<li>copy the logo;</li>' * MAX_ITEMS}",
        "<li>use our content to train artificial intelligence models;</li></ul>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
async def test_what_stands_behind_a_limit_is_never_allowed(name: str) -> None:
    # Of a page that came in part a run says so, and keeps nothing of it.
    known = {"run"} if name == "the bytes of a page" else set()
    assert set(await wrong(LIMITS[name])) <= known


# --- files ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class File:
    """A file that refuses training."""

    path: str
    text: str
    kind: str = "text/plain"
    beside: Answers = field(default_factory=dict)


_PROHIBITS: Final = rsl('<prohibits type="usage">ai-train</prohibits>')
_NAMED: Final = {"/robots.txt": doc(f"License: /rsl.xml\n{ROBOTS}")}
_BARRED: Final = "".join(
    f"User-agent: {agent.name}\n" for agent in agent_table().agents if agent.well_known
)
FILES: Final = {
    "Content-Signal": File("/robots.txt", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
    "Content-Usage": File("/robots.txt", "User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"),
    "agents": File("/robots.txt", f"{ROBOTS}\n{_BARRED}Disallow: /\n"),
    "a comment": File("/robots.txt", ROBOTS + RESERVED),
    "License": File("/robots.txt", f"License: /rsl.xml\n{ROBOTS}", beside={"/rsl.xml": _PROHIBITS}),
    "RSL": File("/rsl.xml", _PROHIBITS.body.decode(), "application/rsl+xml", _NAMED),
    "tdmrep.json": File(
        "/.well-known/tdmrep.json",
        '[{"location": "/*", "tdm-reservation": 1}]',
        "application/json",
    ),
    "ai.txt": File("/ai.txt", "User-Agent: *\nDisallow: /\n"),
    "trust.txt": File("/.well-known/trust.txt", "member=https://x/\ndatatrainingallowed=no\n"),
    "trust.txt, older place": File("/trust.txt", "member=https://x/\ndatatrainingallowed=no\n"),
    "terms": File("/terms", TERMS.format(NO_AI), "text/html", {"/": TERMS_LINKED}),
}
SPOILT: Final[dict[str, Callable[[str], bytes]]] = {
    "a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 of the other end": lambda text: ("\ufeff" + text).encode("utf-16-be"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "LFCR": lambda text: text.replace("\n", "\n\r").encode(),
    "blanks behind": lambda text: text.replace("\n", " \t \n").encode(),
    "blanks before": lambda text: f" \t{text}".replace("\n", "\n \t").encode(),
    "other blanks before": lambda text: text.replace("\n", "\n\u00a0").encode(),
    "many blank lines": lambda text: ("\n" * 20_000 + text).encode(),
    "a NUL first": lambda text: b"\x00" + text.encode(),
    "a NUL before each line": lambda text: text.replace("\n", "\n\0").encode(),
    "a NUL before each letter": lambda text: text.replace("", "\0").encode(),
    "form feeds": lambda text: text.replace("\n", "\n\f").encode(),
    "lines that end in VT": lambda text: text.replace("\n", "\v").encode(),
    "lines that end in NEL": lambda text: text.replace("\n", "\u0085").encode(),
    "lines that end in LS": lambda text: text.replace("\n", "\u2028").encode(),
    "no end of the last line": lambda text: text.rstrip("\n").encode(),
    "lower case": lambda text: text.lower().encode(),
    "a comment of HTML": lambda text: b"<!-- cached -->\n" + text.encode(),
    "a page around it": lambda text: b"<html><body><pre>\n" + text.encode() + b"</pre></body></html>",
    "a warning before it": lambda text: b"Warning: something in /var/www\n" + text.encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
async def test_a_refusal_in_a_file_is_seen_or_known_to_be_unread(name: str) -> None:
    file = FILES[name]
    answers: dict[str, Answer] = {
        how: doc(spoil(file.text), file.kind) for how, spoil in SPOILT.items()
    }
    whole = doc(file.text, file.kind)
    answers |= {
        "as a page": doc(file.text, "text/html"),
        "as bytes": doc(file.text, "application/octet-stream"),
        "on another host": replace(whole, final_url=f"https://www.elsewhere.example{file.path}"),
        "503": StatusError(BASE + file.path, 503, kind="server_error"),
    }
    words = {
        how: rights_word(await scout({**file.beside, file.path: answer}))
        for how, answer in answers.items()
    }
    assert [how for how, word in words.items() if word == "allow"] == []


# --- headers and tags ----------------------------------------------------------------------------

HEADERS: Final = {
    "Content-Signal": ("ai-train=no", "ai-train=yes"),
    "Content-Usage": ("train-ai=n", "train-ai=y"),
    "X-Robots-Tag": ("noai", "all"),
    "TDM-Reservation": ("1", "0"),
    "Link": ('</rsl.xml>; rel="license"; type="application/rsl+xml"', "</style.css>; rel=preload"),
}


def header_values(no: str, yes: str) -> dict[str, list[str]]:
    """A refusal as a server, or a proxy between, may send it."""
    return {
        "twice": [no, yes],
        "twice, the other first": [yes, no],
        "joined": [f"{no}, {yes}"],
        "joined, the other first": [f"{yes},{no}"],
        "blanks": [f" \t{no}\t "],
        "nothing before": ["", no],
        "a comma before": [f", {no}"],
        "a comma behind": [f"{no},"],
        "two commas": [f"{yes},,{no}"],
        "quotes": [f'"{no}"'],
        "a parameter": [f"{no};v=1"],
        "a semicolon": [f"{yes}; {no}"],
        "folded": [f"{yes},\r\n {no}"],
        "another alphabet": [f"é=1, {no}"],
        "a NUL": [f"\0{no}"],
        "a mark": [f"\ufeff{no}"],
        "blanks about the sign": [no.replace("=", " = ")],
        "capitals": [no.upper()],
        "behind 300 others": [*[yes] * 300, no],
    }


@pytest.mark.parametrize("name", HEADERS)
async def test_a_refusal_in_a_header_is_seen_or_known_to_be_unread(name: str) -> None:
    known = await scout({}, HOME)
    words = {
        how: receipt_word(html(headers=[(name, value) for value in values]), known)
        for how, values in header_values(*HEADERS[name]).items()
    }
    assert [how for how, word in words.items() if word == "allow"] == []


TAGS: Final = {"robots": ("noai", "all"), "tdm-reservation": ("1", "0")}


def tag_forms(name: str, no: str, yes: str) -> dict[str, str]:
    """A refusal in a tag, as pages have it."""
    tag = f'<meta name="{name}" content="{no}">'
    escaped = "".join(f"&#{ord(letter)};" for letter in no)
    return {
        "plain": tag,
        "capitals": f'<META NAME="{name.upper()}" CONTENT="{no.upper()}">',
        "single quotes": tag.replace('"', "'"),
        "no quotes": f"<meta name={name} content={no}>",
        "no quotes, closed": f"<meta name={name} content={no}/>",
        "blanks": f'<meta\n\tname = " {name} "\n content = "\n{no} ">',
        "escaped": f'<meta name="{name}" content="{escaped}">',
        "content first": f'<meta content="{no}" name="{name}">',
        "content twice": f'<meta name="{name}" content="{no}" content="{yes}">',
        "the second tag": f'<meta name="{name}" content="{yes}">{tag}',
        "the first tag": f'{tag}<meta name="{name}" content="{yes}">',
        "a list": f'<meta name="{name}" content="{yes}, {no}">',
        "behind a comment": f"<!-- x --!>{tag}<!-- y -->",
        "behind an empty comment": f"<!-->{tag}",
        "noscript": f"<noscript><img src=x>{tag}</noscript>",
        "http-equiv": f'<meta http-equiv="{"X-Robots-Tag" if name == "robots" else name}" content="{no}">',
        "property": f'<meta property="{name}" content="{no}">',
        "a NUL": f'<meta name="{name}" content="{no}\0">',
        "a hard blank": f'<meta name="{name}" content="\u00a0{no}\u00a0">',
        "behind a box": f"<div></div>{tag}",
        "in a drawing": f"<svg>{tag}</svg>",
        "behind a script": f"<script>var a = '<!--';</script>{tag}",
    }


@pytest.mark.parametrize("place", ["head", "body"])
@pytest.mark.parametrize("name", TAGS)
async def test_a_refusal_in_a_tag_is_seen_or_known_to_be_unread(name: str, place: str) -> None:
    known = await scout({}, HOME)
    words = {
        how: receipt_word(html(tag) if place == "head" else html(body=tag), known)
        for how, tag in tag_forms(name, *TAGS[name]).items()
    }
    assert [how for how, word in words.items() if word == "allow"] == []


@pytest.mark.parametrize("name", TAGS)
async def test_a_refusal_in_a_tag_that_the_page_ends_in_is_known_to_be_unread(name: str) -> None:
    """Browsers drop such a tag; an answer without a length that was cut off looks the same."""
    known = await scout({}, HOME)
    no, _ = TAGS[name]
    ends = (
        f'<meta name="{name}" content="{no}',
        f"<META name={name} content={no}",
        f'<meta name="{name}" content="{no}>',
    )
    words = [receipt_word(doc(page(LICENCE) + end, "text/html"), known) for end in ends]
    assert "allow" not in words


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "utf-16-be", "windows-1252", "shift_jis"])
async def test_a_refusal_in_a_tag_is_seen_in_every_encoding(charset: str) -> None:
    known = await scout({}, HOME)
    body = page(LICENCE + NOAI).encode(charset)
    kinds = (f"text/html; charset={charset}", "text/html", "text/html; charset=utf-8")
    assert [receipt_word(doc(body, kind), known) for kind in kinds] == ["deny"] * 3


@pytest.mark.parametrize(
    "tags",
    [
        '<meta name="wireroom" content="none">',
        '<meta name="wireroom" content="noindex, all">',
        '<meta name="robots" content="nofollow noindex">',
        '<meta name="robots" content="nofollow;noindex">',
    ],
)
async def test_a_page_may_speak_to_us_by_name_and_without_commas(tags: str) -> None:
    assert await wrong(story(tags), use="search") == []


@pytest.mark.parametrize(
    "answers",
    [
        robots_with('Content-Signal: ai-train="no"'),
        robots_with("Content-Signal: search=yes ai-train=no"),
        robots_with("Content-Signal: / ai-train=no"),
        robots_with("Content-Signal: ai-train: no"),
        robots_with("Content-Signal: ai-training=no"),
        robots_with("Content-Usage: genai=n"),
        robots_with("Content-Usage: Train-AI=n"),
        {"/.well-known/trust.txt": doc("member=https://x/\ndatatrainingallowed=no # never\n")},
        {"/.well-known/trust.txt": doc("member=https://x/\ndatatrainingallowed=false\n")},
        {
            "/.well-known/trust.txt": doc("member=https://x/\n"),
            "/trust.txt": doc("datatrainingallowed=no\n"),
        },
        {
            "/.well-known/trust.txt": doc("member=https://x/\n"),
            "/trust.txt": StatusError(BASE, 503, kind="server_error"),
        },
        {"/.well-known/tdmrep.json": doc(f"[] {FILES['tdmrep.json'].text}", "application/json")},
        story('<link rel="license" type="application/rsl+xml" href="http://[">'),
        story('<link rel="license" type="text/rsl+xml" href="/rsl.xml">'),
        story("", "", ("Link", '<http://[>; rel="license"; type="application/rsl+xml"')),
    ],
)
async def test_words_that_are_no_standard_s_are_known_to_be_unread(answers: Answers) -> None:
    assert await wrong(answers) == []


# --- pages and feeds that came whole before ------------------------------------------------------


async def test_a_page_that_is_cut_keeps_what_it_refused_before() -> None:
    before = await scout(story(NOAI))
    after = await scout(
        {PATH: replace(html(), truncated=True)}, last=before, later=timedelta(hours=30)
    )
    assert (rights_word(before), rights_word(after)) == ("deny", "deny")
    whole = await scout({}, last=after, later=timedelta(hours=60))
    assert rights_word(whole) == "allow"


_SITE_STEPS: Final = {**STEPS, **{name: all_steps()[name] for name in ("feeds", "rsl", "terms")}}
_REFUSED: Final = '<rsl:content url="/"><rsl:license><rsl:prohibits type="usage">all</rsl:prohibits></rsl:license></rsl:content>'


def fed(item: str, *, before: str = "", truncated: bool = False) -> Answers:
    """A site with a feed that has the page in it."""
    text = (
        '<rss version="2.0" xmlns:rsl="https://rslstandard.org/rsl"><channel><title>News</title>'
        f"{before}{item}</channel></rss>"
    )
    link = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    feed = replace(doc(text, "application/rss+xml"), truncated=truncated)
    return {"/": doc(page(link), "text/html"), "/feed.xml": feed}


def item(inside: str = "", url: str = STORY) -> str:
    return f"<item><title>Quay</title><link>{url}</link><guid>{url}</guid>{inside}</item>"


OTHER: Final = item(url=f"{BASE}/news/another-story-about-the-quay")


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        (fed(item(_REFUSED)), "deny"),
        (fed(item() + item(_REFUSED)), "deny"),
        (fed(item("<x/>" * 500 + _REFUSED)), "unknown"),
        (fed(OTHER, truncated=True), "unknown"),
        (fed(OTHER), "allow"),
    ],
    ids=["its item", "its second item", "behind 500 elements", "behind the end", "no word of it"],
)
async def test_terms_in_a_feed_are_seen_or_known_to_be_unread(answers: Answers, word: str) -> None:
    assert rights_word(await scout(answers, steps=_SITE_STEPS)) == word


@pytest.mark.parametrize(
    ("after", "word"),
    [
        ({**fed(""), "/feed.xml": StatusError(BASE, 503, kind="server_error")}, "deny"),
        (fed(OTHER), "deny"),
        (fed(item()), "allow"),
    ],
    ids=["503", "the item is gone", "the item has none"],
)
async def test_a_feed_that_refused_a_page_does_so_until_its_item_says_otherwise(
    after: Answers, word: str
) -> None:
    before = await scout(fed(item(_REFUSED)), steps=_SITE_STEPS)
    assert rights_word(before) == "deny"
    other = await scout(after, HOME, last=before, steps=_SITE_STEPS, later=timedelta(hours=30))
    again = await scout(after, last=other, steps=_SITE_STEPS, later=timedelta(hours=60))
    assert rights_word(again) == word
