"""One line for each finding, in plain words. Pure; a step nobody listed here gets its verdict alone.

The same texts serve the live view of a running scout and the lines of the card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wireroom.model import Finding

Facts = Mapping[str, Any]


def summary(finding: Finding) -> str:
    """What the finding comes to, for a person."""
    facts = finding.facts
    if finding.verdict == "failed":
        return f"could not look: {facts.get('error', 'no reason given')}"
    if finding.verdict == "skipped":
        return f"not looked at: {facts.get('error') or facts.get('reason') or 'skipped'}"
    tell = _TELLERS.get(finding.step)
    message = tell(facts) if tell else finding.verdict
    return _in_doubt(message) if finding.verdict == "unknown" else message


def _in_doubt(message: str) -> str:
    """Nothing found is not the same as nothing there when not everything could be looked at."""
    if message.startswith("unknown"):
        return message
    in_places = message.startswith("no ") and not message.startswith("no article")
    return f"unknown: {message}{' where we could look' if in_places else ''}"


def _homepage(facts: Facts) -> str:
    return f"answered with {facts.get('status')}: {facts.get('title') or 'no title'}"


def _robots(facts: Facts) -> str:
    state = facts.get("robots_state")
    if state == "absent":
        return "No robots.txt found: everything is allowed"
    if state != "found":
        return f"robots.txt could not be had ({facts.get('reason')}): held until it can"
    flaws = len(facts.get("lint", ()))
    message = f", {_count(flaws, 'flaw')}" if flaws else ""
    cut = " of a longer file" if facts.get("truncated") else ""
    return f"found, {facts.get('raw_length', 0):,} bytes{cut}{message}"


def _access(facts: Facts) -> str:
    if facts.get("url_allowed") is None:
        return "unknown: robots.txt could not be had"
    ours = facts.get("ours", {})
    line = f" (line {ours['line']}: {ours['rule']})" if ours.get("line") else ""
    if not facts["url_allowed"]:
        return f"URL disallowed by robots.txt{line}"
    if facts.get("robots_state") == "absent":
        return "no robots.txt: allowed"
    others = "" if facts.get("url_allowed_generic") else ", though not to everybody"
    return f"allowed to us{others}{line}"


def _waf(facts: Facts) -> str:
    if facts.get("waf_detected") is None:
        return "unknown: the server did not answer"
    cdn = f"CDN {', '.join(facts['cdn'])}" if facts.get("cdn") else "no CDN seen"
    if facts.get("challenged"):
        return f"challenged by {', '.join(facts.get('challenge_by', ()))}; {cdn}"
    managers = facts.get("bot_manager")
    return (
        f"bot manager {', '.join(managers)}; {cdn}" if managers else f"no bot manager seen; {cdn}"
    )


def _ai_bots(facts: Facts) -> str:
    if "total_count" not in facts:
        return "unknown: robots.txt could not be had"
    partly = f", {facts['partly_count']} partly" if facts.get("partly_count") else ""
    return f"{facts['blocked_count']}/{facts['total_count']} AI bots blocked{partly}"


def _feeds(facts: Facts) -> str:
    return _found(facts.get("count", 0), "feed")


def _sitemaps(facts: Facts) -> str:
    source = f" ({facts['source']})" if facts.get("source") not in {None, "none"} else ""
    return _found(facts.get("count", 0), "sitemap") + source


def _sitemap_analysis(facts: Facts) -> str:
    if facts.get("has_news_sitemap"):
        count = facts.get("measured", {}).get("news_entries", 0)
        return f"news sitemap with {count} articles"
    if facts.get("has_news_sitemap") is None:
        return "unknown: no sitemap could be read"
    return f"no news; {_count(facts.get('sitemaps_checked', 0), 'sitemap')} read"


def _frequency(facts: Facts) -> str:
    if not facts.get("frequency_label"):
        return "unknown: too few dates"
    dormant = "dormant, " if facts.get("dormant") else ""
    return f"{dormant}{facts['frequency_label']} ({facts.get('confidence')} confidence, {facts.get('source')})"


def _rsl(facts: Facts) -> str:
    if facts.get("rsl_detected"):
        return f"RSL, named in {_count(facts.get('count', 0), 'place')}"
    if not facts.get("count"):
        return "no RSL"
    problems = [one.get("problem") for one in facts.get("indicators", ()) if one.get("problem")]
    why = f": {problems[0]}" if problems else ""
    return f"potential licence lines, no RSL document{why}"


def _lines_and_pages(name: str) -> Callable[[Facts], str]:
    def tell(facts: Facts) -> str:
        lines, pages = len(facts.get("lines", ())), len(facts.get("pages", ()))
        if not lines and not pages:
            return f"no {name}" if not facts.get("error") else f"unknown: {facts['error']}"
        return f"{_count(lines, 'line')} in robots.txt, headers on {_count(pages, 'page')}"

    return tell


def _tdmrep(facts: Facts) -> str:
    file = facts.get("file")
    rules = len(file["rules"]) if file else 0
    pages = len(facts.get("pages", ()))
    if not rules and not pages:
        return "no TDMRep"
    offers = len(facts.get("policies", ()))
    return (
        f"{_count(rules, 'rule')}, {_count(pages, 'page')}, {_count(offers, 'policy', 'policies')}"
    )


def _robots_tag(facts: Facts) -> str:
    names = {one["name"] for page in facts.get("pages", ()) for one in page["directives"]}
    return ", ".join(sorted(names)) or "no directives"


def _licence(facts: Facts) -> str:
    if facts.get("codes"):
        return ", ".join(facts["codes"])
    return "fields about rights, no known licence" if facts.get("pages") else "no licence named"


def _comments(facts: Facts) -> str:
    return _found(facts.get("count", 0), "reservation")


def _terms(facts: Facts) -> str:
    if not facts.get("tos_url"):
        return "no terms of service found"
    words = [str(said.get("word")) for said in facts.get("activities", {}).values()]
    told = [
        f"{words.count(word)} {word}"
        for word in ("prohibited", "conditional", "permitted")
        if word in words
    ]
    if not words:
        return f"found, not judged{f': {reason}' if (reason := facts.get('reason')) else ''}"
    return f"found: {', '.join(told)}" if told else "found: silent about every activity"


def _file(name: str) -> Callable[[Facts], str]:
    def tell(facts: Facts) -> str:
        return f"no {name}" if facts.get("reason") else f"{name} found"

    return tell


def _trust(facts: Facts) -> str:
    if facts.get("reason"):
        return "no trust.txt"
    allowed = facts.get("data_training_allowed")
    return f"trust.txt found{f', data training allowed: {allowed}' if allowed else ''}"


def _common_crawl(facts: Facts) -> str:
    if not facts.get("available"):
        return f"unknown: {facts.get('error')}"
    if not facts.get("in_index"):
        return f"not in {facts.get('collection')}"
    latest = facts.get("measured", {}).get("latest_crawl")
    return f"in {facts.get('collection')}{f', last seen {latest}' if latest else ''}"


def _publisher_details(facts: Facts) -> str:
    organisation = facts.get("organization")
    return (
        str(organisation.get("name") or "unnamed") if organisation else "does not describe itself"
    )


def _article_data(facts: Facts) -> str:
    formats = facts.get("formats_found", ())
    return ", ".join(formats) if formats else str(facts.get("reason") or "no structured data")


def _paywall(facts: Facts) -> str:
    status = facts.get("publisher_status", "unknown")
    pages = len(facts.get("measured", {}).get("pages", ()))
    return f"{status} ({_count(pages, 'page')} looked at)"


def _google_news(facts: Facts) -> str:
    return f"Readiness: {facts.get('readiness')} ({facts.get('signal_count')}/3 signals)"


def _profile(facts: Facts) -> str:
    return str(facts.get("summary") or facts.get("reason") or "unknown")


def _found(count: int, noun: str) -> str:
    return f"Found {count} {noun}(s)" if count else f"no {noun} found"


def _count(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


_TELLERS: dict[str, Callable[[Facts], str]] = {
    "homepage": _homepage,
    "robots": _robots,
    "access": _access,
    "waf": _waf,
    "ai_bots": _ai_bots,
    "feeds": _feeds,
    "sitemaps": _sitemaps,
    "sitemap_analysis": _sitemap_analysis,
    "frequency": _frequency,
    "rsl": _rsl,
    "content_signal": _lines_and_pages("Content-Signal"),
    "content_usage": _lines_and_pages("Content-Usage"),
    "tdmrep": _tdmrep,
    "robots_tag": _robots_tag,
    "ai_txt": _file("ai.txt"),
    "llms_txt": _file("llms.txt"),
    "trust_txt": _trust,
    "licence": _licence,
    "comments": _comments,
    "terms": _terms,
    "common_crawl": _common_crawl,
    "publisher_details": _publisher_details,
    "article_data": _article_data,
    "paywall": _paywall,
    "metadata_profile": _profile,
    "google_news": _google_news,
}
