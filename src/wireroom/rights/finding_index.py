"""The findings of a publisher by step, each turned into the value its readers know at most once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2s
from typing import Any, Final, Literal, Self, TypeVar

import msgspec

from wireroom.model import Condition, Evidence, Finding, RobotsWord, Signal, TypedFacts, Use, Word
from wireroom.parse.plain_text import line
from wireroom.parse.robots import Robots, read_robots
from wireroom.parse.robots.robots_scan import (
    as_utf8,
    cut_to_size,
    split_lines,
    without_bom,
    without_nul,
)
from wireroom.parse.robots.rule_matching import escaped, path_of
from wireroom.urls import fetch_url, page_key, publisher_domain, same_site
from wireroom.version import TOKEN

T = TypeVar("T")


def facts_of(finding: Finding, kind: type[T]) -> T | None:
    """The finding's facts as this kind of value; None when nobody could look or they cannot be read."""
    if finding.outcome in {"failed", "skipped"}:
        return None
    facts = finding.facts
    if isinstance(facts, TypedFacts) and isinstance(facts.value, kind):
        return facts.value
    try:
        return msgspec.convert(dict(facts), kind)
    except msgspec.ValidationError:
        return None


MEASURED: Final = "measured"
"""The key of facts that differ each time somebody looks (a newest date, a count of entries). They are
kept, and never counted as a change of the finding."""
PAGES_AT: Final = "pages_at"
"""A measured fact: when the server last answered for each page; None where it did not, and its last word is kept."""
UNSEEN: Final = "unseen"
"""The key of a fact that says why a part of a step could not be fetched, where the step as a whole went well."""
UNSCOUTED: Final = "unscouted"
"""The key of a fact that is true where the step was never run for the host."""
LAST: Final = "last"
"""The key under which a step that could not look everywhere keeps what it found before: a list, the oldest first. It
begins with the last finding that saw everything; those after it saw a part each."""
MAX_LAST: Final = (
    8  # findings kept of one outage; more only where documents change while others fail
)


def why_unseen(finding: Finding) -> str:
    """Why the step could not look, or not everywhere; empty when it could."""
    if finding.outcome in {"failed", "skipped"}:
        return str(finding.facts.get("error") or finding.facts.get("reason") or finding.outcome)
    return str(finding.facts.get(UNSEEN) or "")


def with_last(finding: Finding, before: Finding | None) -> Finding:
    """A finding of a step that could not look everywhere, with what it knew before; any other as it is.

    What saw a part replaces nothing: the refusals of that part stand, and those of the time before it.
    """
    if before is None or not why_unseen(finding):
        return finding
    last = [*_kept_last(before), *_as_last(before)]
    if not last:
        return finding
    last = [last[0], *last[1:][1 - MAX_LAST :]]
    facts_now = finding.facts
    if isinstance(facts_now, TypedFacts):
        return replace(finding, facts=facts_now.with_notes({LAST: last}))
    return replace(finding, facts={**facts_now, LAST: last})


def _kept_last(before: Finding) -> list[Mapping[str, Any]]:
    kept = before.facts.get(LAST) if why_unseen(before) else None
    return [each for each in kept if isinstance(each, Mapping)] if isinstance(kept, list) else []


def _as_last(before: Finding) -> Iterator[Mapping[str, Any]]:
    """What is kept of a finding; nothing of one that saw nothing, or the same as the one before it."""
    if before.outcome in {"failed", "skipped"}:
        return
    facts = {name: fact for name, fact in before.facts.items() if name != LAST}
    kept = _kept_last(before)
    if not kept or _lasting(kept[-1].get("facts")) != _lasting(facts):
        yield {"outcome": before.outcome, "found_at": before.found_at, "facts": facts}


def _lasting(facts: object) -> dict[str, Any]:
    """Facts without what differs each time."""
    known = facts if isinstance(facts, Mapping) else {}
    return {str(name): fact for name, fact in known.items() if name not in {MEASURED, UNSEEN}}


def last_findings(finding: Finding) -> tuple[Finding, ...]:
    """What the step found before, where this finding did not see everything; the oldest first."""
    return tuple(filter(None, (_read_last(each, finding.step) for each in _kept_last(finding))))


def _read_last(last: Mapping[str, Any], step: str) -> Finding | None:
    try:
        return msgspec.convert({**last, "step": step}, Finding, strict=False)
    except msgspec.ValidationError:
        return None


LAPSED: Final = "lapsed"
"""A measured fact: what pages said that nobody has asked since, and that is too old to be believed. It still refuses."""
MAX_LAPSED: Final = 500  # pages of one step, some 100 KB; nobody asks for so many by hand
FORGOTTEN: Final = "forgotten"
"""A measured fact beside it: names of further pages that said something. What it was is not kept, and may be a refusal."""
MAX_FORGOTTEN: Final = (
    20_000  # pages of one step, some 300 KB; with more, every page counts as one of them
)
EVERY_PAGE: Final = "*"
NAME_BYTES: Final = (
    6  # of a page's short name; a thousand are told apart, in all but one case of 500 million
)
_PAGE_FACTS: Final = {"pages": "url", "notices": "page_url"}
"""Facts that hold one entry for each page, with the name of its address."""


def with_lapsed(finding: Finding, before: Finding | None) -> Finding:
    """The finding, with what was known of pages that it neither asked again nor keeps."""
    if before is None:
        return finding
    now, then = finding.found_at.isoformat(), _measured(before)
    answered = {url for url, at in _mapping(_measured(finding).get(PAGES_AT)).items() if at == now}
    lapsed: dict[str, list[Any]] = {}
    dropped = list[str]()
    for name, address in _PAGE_FACTS.items():
        known = [*_mapping(then.get(LAPSED)).get(name, ()), *_entries(before, name)]
        settled = answered | {entry[address] for entry in _entries(finding, name)}
        left = [entry for entry in known if entry[address] and entry[address] not in settled]
        if left:
            lapsed[name] = left[-MAX_LAPSED:]
            dropped += [entry[address] for entry in left[:-MAX_LAPSED]]
    forgotten = _forgotten(then, dropped, answered)
    if not lapsed and not forgotten:
        return finding
    measured = {**_measured(finding), LAPSED: lapsed, FORGOTTEN: forgotten}
    facts = finding.facts
    if isinstance(facts, TypedFacts):
        return replace(finding, facts=facts.with_notes({MEASURED: measured}))
    return replace(finding, facts={**facts, MEASURED: measured})


def _forgotten(
    then: Mapping[str, Any], dropped: Iterable[str], answered: Iterable[str]
) -> list[str]:
    """The short names of pages of which nothing is kept, without those that have answered again."""
    known = [*(then.get(FORGOTTEN) or ()), *map(page_name, dropped)]
    if EVERY_PAGE in known or len(known) > MAX_FORGOTTEN:
        return [EVERY_PAGE]
    heard = set(map(page_name, answered))
    return [name for name in dict.fromkeys(known) if name not in heard]


def is_forgotten(finding: Finding, url: str) -> bool:
    """Whether the page said something that is not kept, and may be a refusal."""
    names = _measured(finding).get(FORGOTTEN) or ()
    return bool(names) and (EVERY_PAGE in names or page_name(url) in names)


def page_name(url: str, guid: str = "") -> str:
    """A short name by which one page is known again; without an address that of its `guid`."""
    name = page_key(url) or guid
    return blake2s(name.encode("utf-8", "replace"), digest_size=NAME_BYTES).hexdigest()


def _entries(finding: Finding, name: str) -> list[dict[str, Any]]:
    """The facts of single pages, as plain data."""
    held = msgspec.to_builtins(finding.facts.get(name) or ())
    entries = held if isinstance(held, list | tuple) else ()
    address = _PAGE_FACTS[name]
    return [entry for entry in entries if isinstance(entry, dict) and address in entry]


def _lapsed_findings(finding: Finding) -> Iterator[Finding]:
    """What is kept of such pages, as a finding of its own."""
    if lapsed := _mapping(_measured(finding).get(LAPSED)):
        yield replace(finding, outcome="yes", facts=dict(lapsed), evidence=())


def lapsed_facts(finding: Finding, kind: type[T]) -> T | None:
    """The facts that a finding keeps of such pages; None without any."""
    return next((facts_of(lapsed, kind) for lapsed in _lapsed_findings(finding)), None)


def _measured(finding: Finding) -> Mapping[str, Any]:
    return _mapping(finding.facts.get(MEASURED))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


class FindingIndex:
    """Findings by step. What a single page says lies on top of what its publisher says, the `parent`."""

    def __init__(self, findings: Iterable[Finding], *, parent: FindingIndex | None = None) -> None:
        self._parent = parent
        self._findings: dict[str, list[Finding]] = {}
        self._facts: dict[tuple[str, type], tuple[object, ...]] = {}
        self._last: FindingIndex | None = None
        self._last_made = False
        self.kept: dict[object, tuple[Signal, ...]] = {} if parent is None else parent.kept
        """What a signal said before and would say again; each names its own entries."""
        for finding in findings:
            self._findings.setdefault(finding.step, []).append(finding)

    def findings(self, step: str) -> tuple[Finding, ...]:
        """Every finding of the step, those of the parent first."""
        below = () if self._parent is None else self._parent.findings(step)
        return (*below, *self._findings.get(step, ()))

    def of_page(self) -> FindingIndex:
        """Those that lie on top of a parent alone: what a single page says. None where there is no parent."""
        own = self._findings if self._parent is not None else {}
        return FindingIndex(finding for found in own.values() for finding in found)

    def last_known(self) -> FindingIndex | None:
        """The same with what steps that could not look had found before, and pages said long ago; None without any."""
        if not self._last_made:
            self._last, self._last_made = self._make_last(), True
        return self._last

    def _make_last(self) -> FindingIndex | None:
        below = None if self._parent is None else self._parent.last_known()
        own = [finding for found in self._findings.values() for finding in found]
        last = [(*last_findings(finding), *_lapsed_findings(finding)) for finding in own]
        if below is None and not any(last):
            return None
        known = (found for old, now in zip(last, own, strict=True) for found in old or (now,))
        return FindingIndex(known, parent=below or self._parent)

    def of(self, step: str, kind: type[T]) -> tuple[T, ...]:
        """The facts of every finding of the step that can be read."""
        known = self._facts.get((step, kind))
        if known is None:
            below = () if self._parent is None else self._parent.of(step, kind)
            known = below
            if own := self._findings.get(step):  # a page says something in few steps
                found = (facts_of(finding, kind) for finding in own)
                known = (*below, *(facts for facts in found if facts is not None))
            self._facts[step, kind] = known
        return known  # type: ignore[return-value]  # the key holds its kind, which a dict cannot say


def as_index(findings: Iterable[Finding] | FindingIndex) -> FindingIndex:
    """The findings as an index, which they may be already."""
    return findings if isinstance(findings, FindingIndex) else FindingIndex(findings)


# What a signal needs to say something: uses, evidence, and which addresses it speaks of. Pure.

AI_USES: Final[tuple[Use, ...]] = ("ai-input", "ai-index", "ai-train")
MINING_USES: Final[tuple[Use, ...]] = ("ai-train", "ai-index")
MAX_EXCERPT: Final = 600  # characters of evidence; a clause of terms is rarely longer


def make_signals(
    family: str,
    uses: Iterable[Use],
    value: Word,
    *,
    url: str,
    line_number: int | None = None,
    excerpt: str = "",
    scope: str = "",
    conditions: tuple[Condition, ...] = (),
    holds_after: datetime | None = None,
) -> tuple[Signal, ...]:
    """The same word about several uses."""
    evidence = Evidence(url=url, line=line_number, excerpt=line(excerpt, MAX_EXCERPT))
    return tuple(
        Signal(
            family=family,
            use=use,
            value=value,
            scope=scope,
            evidence=evidence,
            conditions=conditions,
            holds_after=holds_after,
        )
        for use in uses
    )


def same_publisher(url: str, other_url: str) -> bool:
    """Whether both stand on one host, whatever scheme and port, with `www.` or without.

    robots.txt proper holds for one origin; a publisher who reserves rights on `www.` does not give them
    away without it.
    """
    try:
        return publisher_domain(url) == publisher_domain(other_url)
    except ValueError:
        return False


REFUSALS: Final[frozenset[Word]] = frozenset({"deny", "paid"})


def within_reach(signals: Iterable[Signal], *, of: str, url: str) -> tuple[Signal, ...]:
    """What the document of a publisher says of an address.

    All of it on its own host, refusals alone on other hosts of its site, and nothing of anybody else's.
    """
    if same_publisher(of, url):
        return tuple(signals)
    if same_site(of, url):
        return tuple(signal for signal in signals if signal.value in REFUSALS)
    return ()


def wire_path(url: str) -> bytes:
    """Path and query of an address as servers see them, which is what patterns are matched against."""
    try:
        return path_of(fetch_url(url))
    except ValueError:
        return path_of(url)


def path_in(url: str) -> str:
    """The same for people."""
    return wire_path(url).decode("ascii", "replace")


def rooted(pattern: str) -> bytes:
    """A path pattern as it is matched; some publishers leave out the slash at its beginning."""
    if pattern and not pattern.startswith(("/", "*")):
        pattern = "/" + pattern
    return escaped(pattern.encode("utf-8", "replace"))


def page_scope(url: str) -> str:
    """The pattern that fits this page alone."""
    return path_in(url) + "$"


# Rules in the form of robots.txt as facts: their text is kept, and parsed once.
#
# The step that brought a file home hands its parsed rules on with the facts; from the store comes the text alone.

KEPT_FILES: Final = 16  # files kept parsed: articles come publisher by publisher

Own = TypeVar("Own", bound="RulesFacts")


@dataclass(frozen=True, kw_only=True)
class RulesFacts:
    """A file in the form of robots.txt, kept as its text.

    Without slots: the parsed rules lie beside the fields, and neither JSON nor a copy takes them along.
    """

    url: str
    """Where it was read; evidence names it."""
    asked_url: str = ""
    """Where it was asked for, if it was read elsewhere: it speaks for the host that was asked (RFC 9309, 2.3.1.2)."""
    text: str = ""

    @property
    def speaks_for(self) -> str:
        """An address of the host for which it holds."""
        return self.asked_url or self.url

    @property
    def rules(self) -> Robots:
        """The parsed rules."""
        parsed: Robots | None = vars(self).get("_parsed")
        return _read_text(self.text) if parsed is None else parsed

    def with_rules(self, robots: Robots) -> Self:
        """The same facts, with the rules that were parsed from the file itself."""
        vars(self)["_parsed"] = robots
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, kw_only=True)
class RobotsFacts(RulesFacts):
    """robots.txt of the publisher: `text` is empty unless it was found."""

    state: Literal["found", "absent", "unreachable"] = "found"


@lru_cache(maxsize=KEPT_FILES)
def _read_text(text: str) -> Robots:
    return read_robots(text.encode("utf-8", "replace"))


def robots_found(findings: FindingIndex, url: str) -> Iterator[tuple[str, Robots]]:
    """Address and rules of each robots.txt that was found and speaks for the address."""
    for facts in findings.of("robots", RobotsFacts):
        if facts.state == "found" and same_publisher(facts.speaks_for, url):
            robots = facts.rules
            if robots.found:
                yield facts.url, robots


def robots_word(
    findings: Iterable[Finding] | FindingIndex, url: str
) -> tuple[RobotsWord, Evidence | None]:
    """Whether robots.txt lets us read the address, and the line that says so.

    No robots.txt allows. One that the server does not give out disallows everything (RFC 9309, 2.3.1.4). That of
    another host says nothing.
    """
    for facts in as_index(findings).of("robots", RobotsFacts):
        if not same_publisher(facts.speaks_for, url):
            continue
        if facts.state == "unreachable":
            return "disallowed", Evidence(url=facts.url, excerpt="robots.txt could not be fetched")
        decision = facts.rules.decide(TOKEN, path_in(url))
        evidence = Evidence(url=facts.url, line=decision.line, excerpt=decision.rule)
        return ("allowed" if decision.allowed else "disallowed"), evidence
    return "unknown", None


def robots_text(body: bytes) -> str:
    """A robots.txt as text that can be stored and reads the same: every rule, every line number.

    Bytes that are no UTF-8 are escaped in rules, as addresses have them, and taken for windows-1252 in
    comments. What no reader looks at (past the limit, behind a NUL) is left out.
    """
    sound = without_nul(cut_to_size(without_bom(as_utf8(body)))[0])
    return "\n".join(map(_line_text, split_lines(sound)))


def _line_text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        rule, mark, comment = line.partition(b"#")
        shown = comment.decode("cp1252", "replace")
        return escaped(rule).decode("ascii", "replace") + mark.decode("ascii") + shown
