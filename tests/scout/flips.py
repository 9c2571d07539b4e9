"""A publisher that changes its mind: every signal as a permission and as a refusal, with what is said of a use.

`word` is the verdict on the page while the permission stands, `refused` while the refusal does. A signal that can only
refuse leaves the use unknown before; one that can only permit leaves it unknown after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wireroom.model import Use, Word
from wireroom.rights.agents import agent_table

PAGE = "/news/a-story-about-the-harbour"
ROBOTS = "User-agent: *\nAllow: /\n"
HOME = "<html lang=en><head><title>The Courier</title>{head}</head><body><h1>The Courier</h1>{body}"
TERMS = "<html lang=en><title>Terms of use</title><h1>Terms of use</h1><p>{text}</p>"
RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    '<{word} type="usage">{usage}</{word}></license></content></rsl>'
)
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"


@dataclass(frozen=True, slots=True)
class Doc:
    """What is served at a path."""

    body: str
    kind: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


Docs = Mapping[str, Doc]


@dataclass(frozen=True, slots=True)
class Flip:
    """One signal, before and after the publisher changed its mind."""

    name: str
    yes: Docs
    no: Docs
    word: Word = "allow"
    refused: Word = "deny"
    use: Use = "ai-train"

    def served(self, *, refusing: bool) -> dict[str, Doc]:
        """All that the publisher serves."""
        return {**_always(), **(self.no if refusing else self.yes)}

    def expected(self, *, refusing: bool) -> Word:
        return self.refused if refusing else self.word


def page(head: str = "", body: str = "", **headers: str) -> Doc:
    return Doc(HOME.format(head=head, body=body), "text/html", headers)


def _always() -> dict[str, Doc]:
    return {"/robots.txt": Doc(ROBOTS), "/": page(), PAGE: page()}


def _robots(line: str) -> Docs:
    return {"/robots.txt": Doc(ROBOTS + line)}


def _pages(head: str = "", **headers: str) -> Docs:
    return {"/": page(head, **headers), PAGE: page(head, **headers)}


def _terms(text: str) -> Docs:
    link = page(body='<footer><a href="/terms">Terms of use</a></footer>')
    return {"/": link, "/terms": Doc(TERMS.format(text=text), "text/html")}


def _rsl(word: str, *, named: Docs) -> Docs:
    return {**named, "/rsl.xml": Doc(RSL.format(word=word, usage="all"), "application/rsl+xml")}


def _tdm_file(value: int) -> Docs:
    rules = f'[{{"location": "/*", "tdm-reservation": {value}}}]'
    return {"/.well-known/tdmrep.json": Doc(rules, "application/json")}


def _tdm_policy(duty: str) -> Docs:
    """A reservation whose policy offers mining, or does not."""
    rules = '[{"location": "/*", "tdm-reservation": 1, "tdm-policy": "/policy.json"}]'
    terms = f'{{"type": "Offer", "permission": [{{"action": "tdm:mine", "duty": [{duty}]}}]}}'
    return {
        "/.well-known/tdmrep.json": Doc(rules, "application/json"),
        "/policy.json": Doc(terms, "application/json"),
    }


_BARRED = "".join(
    f"User-agent: {agent.name}\n" for agent in agent_table().agents if agent.well_known
)
_LINK = _pages('<link rel="license" type="application/rsl+xml" href="/rsl.xml">')
_CONSENT = '{"action": "obtainConsent"}'

FLIPS = (
    Flip(
        "Content-Signal in robots.txt",
        _robots("Content-Signal: ai-train=yes\n"),
        _robots("Content-Signal: ai-train=no\n"),
    ),
    Flip(
        "Content-Usage in robots.txt",
        _robots("Content-Usage: train-ai=y\n"),
        _robots("Content-Usage: train-ai=n\n"),
    ),
    Flip("License line in robots.txt", _robots(f"License: {CC0}\n"), {}, refused="unknown"),
    Flip("AI agents in robots.txt", {}, _robots(f"\n{_BARRED}Disallow: /\n"), word="unknown"),
    Flip(
        "comment in robots.txt",
        {},
        _robots("# We reserve all rights under Article 4 of Directive 2019/790: no AI training.\n"),
        word="unknown",
    ),
    Flip(
        "RSL document named in robots.txt",
        _rsl("permits", named=_robots("License: /rsl.xml\n")),
        _rsl("prohibits", named=_robots("License: /rsl.xml\n")),
    ),
    Flip(
        "RSL document named on the page",
        _rsl("permits", named=_LINK),
        _rsl("prohibits", named=_LINK),
    ),
    Flip("RSL link on the page", _rsl("permits", named=_LINK), {}, refused="unknown"),
    Flip("tdmrep.json", _tdm_file(0), _tdm_file(1)),
    Flip("TDM policy", _tdm_policy(_CONSENT), _tdm_policy(""), word="paid"),
    Flip("TDM header", _pages(tdm_reservation="0"), _pages(tdm_reservation="1")),
    Flip(
        "TDM meta tag",
        _pages('<meta name="tdm-reservation" content="0">'),
        _pages('<meta name="tdm-reservation" content="1">'),
    ),
    Flip("X-Robots-Tag", {}, _pages(x_robots_tag="noai"), word="unknown"),
    Flip("meta noai", {}, _pages('<meta name="robots" content="noai">'), word="unknown"),
    Flip(
        "Content-Signal header",
        _pages(content_signal="ai-train=yes"),
        _pages(content_signal="ai-train=no"),
    ),
    Flip(
        "Content-Usage header",
        _pages(content_usage="train-ai=y"),
        _pages(content_usage="train-ai=n"),
    ),
    Flip(
        "ai.txt",
        {"/ai.txt": Doc("User-Agent: *\nAllow: /\n")},
        {"/ai.txt": Doc("User-Agent: *\nDisallow: /\n")},
    ),
    Flip(
        "trust.txt",
        {"/.well-known/trust.txt": Doc("datatrainingallowed=yes\n")},
        {"/.well-known/trust.txt": Doc("datatrainingallowed=no\n")},
    ),
    Flip(
        "terms",
        _terms("You may use our articles to train artificial intelligence models."),
        _terms("You may not use our articles to train artificial intelligence models."),
    ),
    Flip(
        "licence on the page",
        _pages(f'<link rel="license" href="{CC0}">'),
        {},
        refused="unknown",
    ),
)
