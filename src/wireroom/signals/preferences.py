"""Yes and no by key, in lines of robots.txt and in a header of the same name.

What `content_signal` and `content_usage` have in common: the type, the facts, what they say of uses, the scouting step, the card's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from wireroom.display_text import counted
from wireroom.model import Evidence, Facts, Finding, Signal, TypedFacts, Use, Word
from wireroom.parse.page_tags import PageTags, values_of
from wireroom.parse.robots.document import Extension, Robots
from wireroom.parse.robots.robots_scan import ExtensionName
from wireroom.ports import Step, StepContext, Summary
from wireroom.rights.finding_index import FindingIndex, make_signals, page_scope, robots_found
from wireroom.signals.shared import (
    about_this_page,
    finding,
    known_before,
    laid_over,
    nothing,
    outcome_of,
    robots_lines,
    scouted_pages,
)
from wireroom.urls import same_page

Preference = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What is said by key; a key that says neither yes nor no is `unknown`."""

    words: Mapping[str, Preference] = field(default_factory=dict)
    """Defined keys only."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Keys that are not defined (any more, or yet), with their values as written."""
    problem: str = ""
    """Why nothing, or not everything, could be read."""
    unread: frozenset[str] = frozenset()
    """Defined keys that may say no where something could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPage:
    """The headers of one name on one page."""

    url: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """The headers of one name on the pages that were read."""

    pages: tuple[HeaderPage, ...] = ()


def header_reader(header: str) -> Callable[[PageTags], HeaderFacts | None]:
    """What a page says in the header of this name."""

    def read_page(tags: PageTags) -> HeaderFacts | None:
        page = _header_page(tags, header)
        return HeaderFacts(pages=(page,)) if page.values else None

    return read_page


def headers_about(findings: FindingIndex, step: str, url: str) -> Iterator[HeaderPage]:
    """The pages that are the one at this address, with their headers."""
    for facts in findings.of(step, HeaderFacts):
        for page in facts.pages:
            if page.values and same_page(page.url, url):
                yield page


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceSource:
    """What robots.txt and the page's header say of uses; a preference that has no value says nothing."""

    name: str
    header: str
    uses: Mapping[str, Use]
    values: Mapping[Preference, Word]
    read: Callable[[str | Iterable[str]], Preferences]
    lines: Callable[[Robots, str], Iterable[Extension]]
    """Those of a robots.txt that hold for an address."""

    def signals_for(self, findings: FindingIndex, url: str) -> tuple[Signal, ...]:
        """What is said of the address, in robots.txt and in its headers."""
        return (*self._from_robots(findings, url), *self._from_headers(findings, url))

    def unseen(self, findings: FindingIndex, url: str) -> tuple[Signal, ...]:
        """Uses that may be refused where a line or a header could not be read whole."""
        found = {
            signal
            for evidence, value in self._written(findings, url)
            for signal in self._unread(self.read(value), evidence)
        }
        return tuple(found)

    def _unread(self, preferences: Preferences, evidence: Evidence) -> tuple[Signal, ...]:
        return make_signals(
            self.name,
            [self.uses[key] for key in sorted(preferences.unread)],
            "unknown",
            url=evidence.url,
            line_number=evidence.line,
            excerpt=f"{self.header}: {preferences.problem}",
        )

    def _written(
        self, findings: FindingIndex, url: str
    ) -> Iterator[tuple[Evidence, str | tuple[str, ...]]]:
        """Every line and every page's headers, each once: a file may say the same in thousands of lines."""
        for robots_url, robots in robots_found(findings, url):
            first = {line.value: line for line in reversed(tuple(self.lines(robots, url)))}
            for value, line in first.items():
                yield Evidence(url=robots_url, line=line.line), value
        for page in headers_about(findings, self.name, url):
            yield Evidence(url=page.url), page.values

    def _from_robots(self, findings: FindingIndex, url: str) -> Iterator[Signal]:
        for robots_url, robots in robots_found(findings, url):
            seen = set[tuple[str, Preference]]()
            for line in self.lines(robots, url):
                # The first that says a thing will do: a file may say the same in thousands of lines.
                new = set(self.read(line.value).words.items()) - seen
                seen |= new
                shown = " ".join(filter(None, (f"{self.header}:", line.pattern, line.value)))
                evidence = Evidence(url=robots_url, line=line.line, excerpt=shown)
                yield from self._signals(sorted(new), evidence, line.pattern)

    def _from_headers(self, findings: FindingIndex, url: str) -> Iterator[Signal]:
        for page in headers_about(findings, self.name, url):
            shown = f"{self.header}: {', '.join(page.values)}"
            evidence = Evidence(url=page.url, excerpt=shown)
            words = self.read(page.values).words.items()
            yield from self._signals(words, evidence, page_scope(page.url))

    def _signals(
        self, words: Iterable[tuple[str, Preference]], evidence: Evidence, scope: str
    ) -> Iterator[Signal]:
        for key, preference in words:
            if preference in self.values:
                yield from make_signals(
                    self.name,
                    (self.uses[key],),
                    self.values[preference],
                    url=evidence.url,
                    line_number=evidence.line,
                    excerpt=evidence.excerpt,
                    scope=scope,
                )


def preference_step(
    name: str, title: str, *, header: ExtensionName, label: str, order: int
) -> Step:
    """A step that reads the lines and the header of one name."""

    async def run(context: StepContext) -> Finding:
        """What robots.txt and the pages' headers say; one of the two is enough to read."""
        scouted, failure, failed = await scouted_pages(context)
        known = known_before(context, HeaderFacts, failed)
        lines = robots_lines(context, header)
        if failure is not None and not (scouted or known or lines):
            raise failure
        now = [_header_page(tags, header) for tags in scouted]
        pages = laid_over(known.pages if known else (), now, _is_empty, failed)
        notes = about_this_page(context, scouted, failure, failed)
        notes["lines"] = [
            {"line": evidence.line, "excerpt": evidence.excerpt} for evidence in lines
        ]
        shown = [Evidence(url=page.url, excerpt=value) for page in pages for value in page.values]
        facts = TypedFacts(HeaderFacts(pages=pages), notes)
        return finding(context, name, outcome_of(lines or pages, failure), facts, *lines, *shown)

    def summary(facts: Facts) -> str | Summary:
        lines, pages = len(facts.get("lines", ())), len(facts.get("pages", ()))
        if not lines and not pages:
            return str(facts["error"]) if facts.get("error") else nothing(f"no {label}")
        places = [
            f"{counted(lines, 'line')} in robots.txt" if lines else "",
            f"headers on {counted(pages, 'page')}" if pages else "",
        ]
        return ", ".join(filter(None, places))

    def compared(facts: Facts) -> object:
        """On how many pages a header stands depends on how many were looked at."""
        return len(facts.get("lines", ())), bool(facts.get("pages"))

    return Step(
        name,
        title,
        run,
        ("robots",),
        about="page",
        section="rights",
        label=label,
        order=order,
        summary=summary,
        compared=compared,
    )


def _header_page(tags: PageTags, header: str) -> HeaderPage:
    return HeaderPage(url=tags.url, values=values_of(tags.headers, header))


def _is_empty(page: HeaderPage) -> bool:
    return not page.values
