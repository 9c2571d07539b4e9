"""What could not be read lifts no refusal and makes nothing allowed: one day read, the next day not.

Each case serves a refusal on the first day and something that nobody can read on the second. A licence on the page permits
everything, so that the use would be allowed once the refusal is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from tests.scout.contexts import HOME
from tests.scout.flips import CC0, PAGE, TERMS, Doc, Docs, page
from tests.scout.sites import DAY, HOUR, STORY, Site, word
from wireroom.signals import judge

ROBOTS = Doc("User-agent: *\nAllow: /\n")
FREE = page(f'<link rel="license" href="{CC0}">')
NO = "You may not use our articles to train artificial intelligence models."
SILENT = "We deliver the paper by post on working days, and by bicycle in the old town."
SHELL = "<html><title>{title}</title><body><div id=app></div><script src=app.js></script>"


def html(body: str) -> Doc:
    return Doc(body, "text/html")


def terms(text: str = NO, *, title: str = "Terms of use") -> Doc:
    return html(TERMS.replace("Terms of use", title).format(text=text))


def footer(*links: str) -> Doc:
    shown = "".join(f'<a href="/{link}">Terms of use</a>' for link in links)
    return page(body=f"<footer>{shown}</footer>")


@dataclass(frozen=True, slots=True)
class Outage:
    """A refusal, and what stands in its place the day after."""

    name: str
    before: Docs
    after: Docs
    broken: frozenset[str] = field(default_factory=frozenset)


def site_of(docs: Docs) -> Site:
    return Site({"/robots.txt": ROBOTS, "/": page(), PAGE: FREE, **docs})


LINKED = {"/": footer("terms"), "/terms": terms()}
TERMS_OUTAGES = (
    Outage(
        "503, and another place is silent",
        {"/": footer("terms", "conditions"), "/terms": terms()},
        {"/": footer("terms", "conditions"), "/terms": terms(), "/conditions": terms(SILENT)},
        frozenset({"/terms"}),
    ),
    Outage("no text", LINKED, LINKED | {"/terms": html(SHELL.format(title="Terms of use"))}),
    Outage("a PDF", LINKED, LINKED | {"/terms": Doc("%PDF-1.7\n", "application/pdf")}),
    Outage(
        "a language nobody reads here",
        LINKED,
        LINKED
        | {
            "/terms": html("<html lang=ja><title>利用規約</title><p>" + "記事は紙で届けます。" * 20)
        },
    ),
    Outage(
        "a page that says to come back",
        LINKED,
        LINKED | {"/terms": terms("We are back in a minute.", title="The Courier")},
    ),
    Outage(
        "a page that says to come back, and forbids something else",
        LINKED,
        LINKED | {"/terms": terms("You may not archive this page.", title="Back in a minute")},
    ),
    Outage(
        "a page that says to come back, where terms were guessed",
        {"/terms": terms()},
        {"/terms": terms("We are back in a minute.", title="The Courier")},
    ),
    Outage(
        "a homepage that names them no more",
        {"/": footer("house-rules"), "/house-rules": terms()},
        {"/house-rules": terms()},
    ),
)


@pytest.mark.parametrize("outage", TERMS_OUTAGES, ids=lambda outage: outage.name)
async def test_terms_that_cannot_be_read_lift_no_refusal(outage: Outage) -> None:
    await _stays_refused(outage)


def json(text: str) -> Doc:
    return Doc(text, "application/json")


RULE = '{"location": "/*", "tdm-reservation": 1}'
RESERVED = {"/.well-known/tdmrep.json": json(f"[{RULE}]")}
NO_TRAINING = {"/.well-known/trust.txt": Doc("datatrainingallowed=no\n")}
BARRED = {"/ai.txt": Doc("User-Agent: *\nDisallow: /\n")}
SIGNAL = {"/robots.txt": Doc("User-agent: *\nAllow: /\nContent-Signal: ai-train=no\n")}
PROHIBITS = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    '<prohibits type="usage">all</prohibits></license></content></rsl>'
)
RSL_FILE = Doc(PROHIBITS, "application/rsl+xml")
RSL = {"/robots.txt": Doc("License: /rsl.xml\nUser-agent: *\nAllow: /\n"), "/rsl.xml": RSL_FILE}
BUSY = html("<!doctype html><title>The Courier</title><p>Too many visitors, try again.")


def instead(docs: Docs, doc: Doc) -> Docs:
    """Something else in place of every document."""
    return dict.fromkeys(docs, doc)


FILE_OUTAGES = (
    Outage("tdmrep.json: one object", RESERVED, instead(RESERVED, json(RULE))),
    Outage("tdmrep.json: cut", RESERVED, instead(RESERVED, json(f"[{RULE[:-9]}"))),
    Outage("tdmrep.json: an error", RESERVED, instead(RESERVED, json("error: database"))),
    Outage("tdmrep.json: a page", RESERVED, instead(RESERVED, BUSY)),
    Outage("trust.txt: a page", NO_TRAINING, instead(NO_TRAINING, BUSY)),
    Outage("trust.txt: another text", NO_TRAINING, instead(NO_TRAINING, Doc("error"))),
    Outage("ai.txt: a page", BARRED, instead(BARRED, BUSY)),
    Outage("robots.txt: a page", SIGNAL, instead(SIGNAL, BUSY)),
    Outage("robots.txt: an error", SIGNAL, instead(SIGNAL, Doc("error: database"))),
    Outage("robots.txt with RSL: a page", RSL, {**RSL, "/robots.txt": BUSY}),
    Outage("RSL: a page", RSL, {**RSL, "/rsl.xml": BUSY}),
    Outage(
        "RSL: 503, and robots.txt has one line more",
        RSL,
        {**RSL, "/robots.txt": Doc("# Courier\n" + RSL["/robots.txt"].body)},
        frozenset({"/rsl.xml"}),
    ),
)


@pytest.mark.parametrize("outage", FILE_OUTAGES, ids=lambda outage: outage.name)
async def test_files_that_cannot_be_read_lift_no_refusal(outage: Outage) -> None:
    await _stays_refused(outage)


@pytest.mark.parametrize(
    "docs", [RESERVED, NO_TRAINING, BARRED, SIGNAL], ids=lambda docs: min(docs)
)
async def test_files_that_are_gone_refuse_nothing_any_more(docs: Docs) -> None:
    site = site_of(docs)
    assert word(await site.scout(STORY)) == "deny"
    site.docs = {path: doc for path, doc in site_of({}).docs.items() if path not in docs}
    site.now += DAY
    assert word(await site.scout(STORY)) == "allow"


@pytest.mark.parametrize(
    ("path", "doc"),
    [
        ("/.well-known/tdmrep.json", json(RULE)),
        ("/.well-known/tdmrep.json", json('[{"location": "/a"}, "/*"]')),
        ("/.well-known/tdmrep.json", json('[{"location": "/*", "tdm-reservation": true}]')),
    ],
    ids=["one object", "a rule that is none", "a word that is none"],
)
async def test_files_that_could_never_be_read_leave_an_allow_unknown(path: str, doc: Doc) -> None:
    assert word(await site_of({path: doc}).scout(STORY)) == "unknown"


@pytest.mark.parametrize("path", [*RESERVED, *NO_TRAINING, *BARRED, "/robots.txt"])
async def test_a_page_where_there_never_was_a_file_is_no_file(path: str) -> None:
    assert word(await site_of({path: BUSY}).scout(STORY)) == "allow"


async def test_rules_past_a_limit_may_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireroom.signals.tdmrep.tdm_documents.MAX_RULES", 2)
    monkeypatch.setattr("wireroom.signals.trust_txt.MAX_ENTRIES", 2)
    rules = json(f'[{{"location": "/a"}}, {{"location": "/b"}}, {RULE}]')
    assert word(await site_of({"/.well-known/tdmrep.json": rules}).scout(STORY)) == "unknown"
    members = Doc("member=a\nmember=b\ndatatrainingallowed=no\n")
    assert word(await site_of({"/trust.txt": members}).scout(STORY)) == "unknown"


async def _stays_refused(outage: Outage) -> None:
    site = site_of(outage.before)
    assert word(await site.scout(STORY)) == "deny"
    site.docs, site.broken = {**site_of(outage.after).docs}, set(outage.broken)
    for later, url in ((DAY, STORY), (HOUR, HOME), (timedelta(), STORY), (DAY, STORY)):
        site.now += later
        dossier = await site.scout(url)
        assert url == HOME or word(dossier) == "deny"


@pytest.mark.parametrize(
    "shown",
    [
        html(SHELL.format(title="Terms of use")),
        Doc("%PDF-1.7\n", "application/pdf"),
        terms("We are back in a minute.", title="The Courier"),
    ],
    ids=["no text", "PDF", "no terms"],
)
async def test_terms_that_could_never_be_read_leave_an_allow_unknown(shown: Doc) -> None:
    site = site_of({"/": footer("terms"), "/terms": shown})
    assert word(await site.scout(STORY)) == "unknown"


async def test_terms_that_are_cut_at_our_limit_are_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wireroom.signals.terms.terms_reading.MAX_TEXT", 1_000)
    long = {"/": footer("terms"), "/terms": terms(f"{SILENT} " * 20 + NO)}
    assert word(await site_of(long).scout(STORY)) == "unknown"
    await _stays_refused(Outage("cut", LINKED, long))


async def test_terms_that_are_read_and_silent_leave_an_allow_as_it_is() -> None:
    site = site_of({"/": footer("terms"), "/terms": terms(SILENT)})
    assert word(await site.scout(STORY)) == "allow"
    site.docs = site_of({}).docs
    site.now += DAY
    assert word(await site.scout(STORY)) == "allow", "terms that are gone refuse nothing"


async def test_a_homepage_that_fails_hides_its_terms() -> None:
    rsl = (
        '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><terms>/conditions</terms><license>'
        '<permits type="usage">all</permits></license></content></rsl>'
    )
    site = site_of(
        {
            "/robots.txt": Doc("License: /rsl.xml\nUser-agent: *\nAllow: /\n"),
            "/rsl.xml": Doc(rsl, "application/rsl+xml"),
            "/conditions": terms(SILENT),
            **LINKED,
        }
    )
    assert word(await site.scout(STORY)) == "deny"
    site.broken = {"/"}
    site.now += DAY
    assert word(await site.scout(STORY)) == "deny"


@pytest.mark.parametrize("others", [99, 100, 1_100])
async def test_lines_of_others_hide_no_document_that_is_ours(others: int) -> None:
    groups = "".join(f"User-agent: bot{n}\nLicense: /{n}.xml\nAllow: /\n\n" for n in range(others))
    robots = Doc(f"{groups}User-agent: *\nLicense: /deny.xml\nAllow: /\n")
    site = site_of({"/robots.txt": robots, "/deny.xml": RSL_FILE})
    assert word(await site.scout(STORY)) == "deny"
    link = f'<link rel="license" type="application/rsl+xml" href="/deny.xml">{FREE.body}'
    robots = Doc(f"{groups}User-agent: *\nAllow: /\n")
    site = site_of({"/robots.txt": robots, PAGE: html(link), "/deny.xml": RSL_FILE})
    assert word(await site.scout(STORY)) == "deny"


async def test_documents_of_ours_past_the_limit_may_refuse() -> None:
    lines = "".join(f"License: /{n}.xml\n" for n in range(101))
    permits = Doc(PROHIBITS.replace("prohibits", "permits"), "application/rsl+xml")
    docs = {f"/{n}.xml": permits for n in range(100)}
    robots = Doc(f"{lines}User-agent: *\nAllow: /\n")
    site = site_of({"/robots.txt": robots, **docs, "/100.xml": RSL_FILE})
    assert word(await site.scout(STORY)) == "unknown"


async def test_a_licence_line_that_is_no_address_allows_nothing() -> None:
    robots = Doc("License: http://[half\nUser-agent: *\nAllow: /\n")
    assert word(await site_of({"/robots.txt": robots}).scout(STORY)) == "unknown"


async def test_a_document_of_others_that_fails_is_none_of_ours() -> None:
    robots = Doc("User-agent: bot\nLicense: /a.xml\nAllow: /\n\nUser-agent: *\nAllow: /\n")
    site = site_of({"/robots.txt": robots, "/a.xml": RSL_FILE})
    site.broken = {"/a.xml"}
    assert word(await site.scout(STORY)) == "allow"


PAGE_REFUSALS = {
    "noai": {PAGE: page(f'<meta name="robots" content="noai">{FREE.body}')},
    "TDM": {PAGE: page(f'<meta name="tdm-reservation" content="1">{FREE.body}')},
    "header": {PAGE: page(FREE.body, content_signal="ai-train=no")},
    "RSL": {
        PAGE: page(f'<link rel="license" type="application/rsl+xml" href="/d.xml">{FREE.body}'),
        "/d.xml": RSL_FILE,
    },
}


@pytest.mark.parametrize("docs", PAGE_REFUSALS.values(), ids=PAGE_REFUSALS)
async def test_a_page_that_fails_keeps_its_refusal_until_it_answers(docs: Docs) -> None:
    await _stays_refused(Outage("503", docs, docs, frozenset({PAGE})))
    site = site_of(docs)
    await site.scout(STORY)
    site.broken = {PAGE}
    site.now += DAY
    await site.scout(STORY)
    site.docs, site.broken = site_of({}).docs, set()
    assert word(await site.scout(STORY)) == "allow"


async def test_a_page_that_fails_permits_nothing_from_before() -> None:
    site = site_of({})
    assert word(await site.scout(STORY)) == "allow"
    site.broken = {PAGE}
    for url in (STORY, HOME, STORY):
        site.now += DAY
        await site.scout(url)
        assert site.last is not None
        found = judge(site.last.findings, STORY, uses=("ai-train",), now=site.now)
        assert [verdict.value for verdict in found] == ["unknown"]


async def test_refusals_of_one_document_outlast_the_outage_of_both() -> None:
    robots = Doc("License: /a.xml\nLicense: /b.xml\nUser-agent: *\nAllow: /\n")
    site = site_of({"/robots.txt": robots, "/a.xml": RSL_FILE, "/b.xml": RSL_FILE})
    for broken in ({"/b.xml"}, {"/a.xml", "/b.xml"}, {"/a.xml", "/b.xml"}):
        site.broken = broken
        assert word(await site.scout(STORY)) == "deny"
        site.now += DAY
