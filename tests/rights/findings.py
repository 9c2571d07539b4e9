"""Findings as scouting steps save them, made in one line each."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from wireroom.model import Finding, Use, Verdict, Word
from wireroom.parse.robots import read_robots
from wireroom.rights.finding_index import RobotsFacts, RulesFacts, robots_text
from wireroom.signals import all_signals, judge
from wireroom.signals.licence import (
    LicenceFacts,
    LicenceNotice,
    LicencePage,
    LicencePlace,
    licence_code,
)
from wireroom.signals.preferences import HeaderFacts, HeaderPage
from wireroom.signals.robots_tag import RobotsTagFacts, RobotsTagPage, read_robots_tag
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice, read_rsl
from wireroom.signals.terms.terms_step import TermsFacts, TermsWord
from wireroom.signals.trust_txt import TrustFacts, read_trust_txt

HOME = "https://courier.test/"
PAGE = "https://courier.test/news/a"
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RSL_URL = "https://courier.test/rsl.xml"


def finding(step: str, facts: object) -> Finding:
    """A finding whose facts went through a database and back."""
    kept = msgspec.json.decode(msgspec.json.encode(facts))
    return Finding(step=step, outcome="yes", facts=kept, found_at=NOW)


def robots(text: str, *, url: str = HOME + "robots.txt") -> Finding:
    """A robots.txt that was found."""
    return finding("robots", RobotsFacts(url=url, text=robots_text(text.encode())))


def headers(step: str, *values: str, url: str = PAGE) -> Finding:
    """Headers of one page."""
    return finding(step, HeaderFacts(pages=(HeaderPage(url=url, values=values),)))


def robots_tag(value: str, *, url: str = PAGE) -> Finding:
    """An X-Robots-Tag of one page."""
    page = RobotsTagPage(url=url, directives=read_robots_tag(value))
    return finding("robots_tag", RobotsTagFacts(pages=(page,)))


def licence(url: str, *, page: str = PAGE, place: LicencePlace = "html_link") -> Finding:
    """A licence that one page names."""
    notice = LicenceNotice(url=url, code=licence_code(url), place=place)
    return finding("licence", LicenceFacts(pages=(LicencePage(url=page, notices=(notice,)),)))


def ai_txt(text: str) -> Finding:
    """An ai.txt."""
    return finding("ai_txt", RulesFacts(url=HOME + "ai.txt", text=text))


def trust_txt(text: str) -> Finding:
    """A trust.txt."""
    return finding(
        "trust_txt", TrustFacts(url=HOME + "trust.txt", file=read_trust_txt(text.encode()))
    )


def terms(**words: str) -> Finding:
    """Terms of service, activity by activity."""
    activities = {
        name: TermsWord(word=word, quote=f"A clause on {name}.", url=HOME + "terms")  # type: ignore[arg-type]  # words of the tests
        for name, word in words.items()
    }
    return finding("terms", TermsFacts(home_url=HOME, activities=activities))


def rsl_body(contents: str) -> bytes:
    """An RSL document around some contents."""
    return f'<rsl xmlns="https://rslstandard.org/rsl">{contents}</rsl>'.encode()


def rsl(contents: str, *, licence_url: str = RSL_URL) -> tuple[Finding, Finding]:
    """An RSL document that robots.txt names, and that robots.txt."""
    file = f"License: {licence_url}\nUser-agent: *\nAllow: /\n"
    (line,) = read_robots(file.encode()).licences("wireroom")
    notice = RslNotice(
        place="robots",
        licence_url=licence_url,
        line=line.line,
        document=read_rsl(rsl_body(contents)),
    )
    return robots(file), finding("rsl", RslFacts(notices=(notice,)))


def scouted(*findings: Finding) -> tuple[Finding, ...]:
    """These findings of a visit that could look everywhere, and found nothing else."""
    ran = {found.step for found in findings}
    steps = dict.fromkeys(step for plug in all_signals() for step in plug.steps)
    none = (Finding(step=step, outcome="no", found_at=NOW) for step in steps if step not in ran)
    return (*findings, *none)


def verdicts(*findings: Finding, url: str = PAGE) -> dict[Use, Verdict]:
    """The verdicts by use."""
    return {verdict.use: verdict for verdict in judge(findings, url)}


def words(*findings: Finding, url: str = PAGE) -> dict[Use, Word]:
    """The words by use, without those that say nothing."""
    found = verdicts(*findings, url=url)
    return {use: verdict.value for use, verdict in found.items() if verdict.value != "unknown"}
