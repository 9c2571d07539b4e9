"""llms.txt: a guide to a publisher's pages for language models, in Markdown.

A heading, a quoted summary, sections of links. It is an offer, not a permission: no signal reads it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from wireroom.errors import UnknownFormatError
from wireroom.model import Facts, Finding, Priority
from wireroom.parse.encoding import decode
from wireroom.parse.plain_text import line
from wireroom.parse.soft_404 import is_absent
from wireroom.ports import Step, StepContext, Summary
from wireroom.signals.shared import finding, has_file, nothing, well_known
from wireroom.urls import web_link

MAX_BYTES: Final = 2_000_000  # llms-full.txt holds whole manuals; their outline stands in front
MAX_SECTIONS: Final = 200
MAX_LINKS: Final = 5_000  # of the whole file
MAX_LINE: Final = 2_000  # characters

_LINK: Final = re.compile(
    r"\s{0,20}[-*+]\s{1,10}\[([^\[\]]{0,500})\]\(\s*([^()\s]{1,2000})[^()]{0,500}\)\s{0,10}:?(.*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmsLink:
    """One page that is offered."""

    name: str
    url: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmsSection:
    """Links under one heading; `optional` ones may be left out where space is short."""

    title: str
    links: tuple[LlmsLink, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmsTxt:
    """The file."""

    title: str
    summary: str = ""
    sections: tuple[LlmsSection, ...] = ()
    truncated: bool = False


def read_llms_txt(body: bytes, *, base_url: str = "", content_type: str = "") -> LlmsTxt:
    """The guide in these bytes; raises UnknownFormatError for a page or a text without a heading."""
    if is_absent(body, content_type):
        raise UnknownFormatError("a page, or nothing, instead of llms.txt")
    text = decode(body[:MAX_BYTES], content_type=content_type, kind="text").text
    reading = _Outline(base_url)
    for written in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        reading.take(written[:MAX_LINE])
    if not reading.title:
        raise UnknownFormatError("a text without the heading that llms.txt begins with")
    return LlmsTxt(
        title=reading.title,
        summary=line(" ".join(reading.summary), MAX_LINE),
        sections=tuple(
            LlmsSection(title=title, links=tuple(links), optional=title.lower() == "optional")
            for title, links in reading.sections
        ),
        truncated=len(body) > MAX_BYTES or reading.left_out,
    )


class _Outline:
    """The file line by line: what is open at the moment takes what comes."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.title = ""
        self.summary: list[str] = []
        self.sections: list[tuple[str, list[LlmsLink]]] = []
        self.links = 0
        self.left_out = False

    def take(self, written: str) -> None:
        """Adds one line to where it belongs."""
        if written.startswith("# "):
            self.title = self.title or line(written[2:], MAX_LINE)
        elif written.startswith("## "):
            self._open_section(written[3:])
        elif written.startswith(">") and not self.sections:
            self.summary.append(written.lstrip("> "))
        elif match := _LINK.match(written):
            self._add_link(match)

    def _open_section(self, heading: str) -> None:
        if len(self.sections) >= MAX_SECTIONS:
            self.left_out = True
            return
        self.sections.append((line(heading, MAX_LINE), []))

    def _add_link(self, match: re.Match[str]) -> None:
        if self.links >= MAX_LINKS:
            self.left_out = True
            return
        url = web_link(self.base_url, match[2])
        if not url:
            return
        if not self.sections:
            self.sections.append(("", []))
        note = line(match[3], MAX_LINE)
        self.sections[-1][1].append(LlmsLink(name=line(match[1], MAX_LINE), url=url, note=note))
        self.links += 1


async def run(context: StepContext) -> Finding:
    """What the guide offers, section by section."""
    answered = await well_known(context, "/llms.txt", read_file, priority=Priority.MORE)
    guide = answered.file
    if guide is None:
        nothing = {"url": answered.url, "reason": answered.why}
        return finding(context, "llms_txt", "no", nothing, answered.evidence())
    links = [link for section in guide.sections for link in section.links]
    facts: dict[str, Any] = {
        "url": answered.url,
        "title": guide.title,
        "summary": guide.summary,
        "sections": [
            {"title": section.title, "links": len(section.links), "optional": section.optional}
            for section in guide.sections
        ],
        "links": len(links),
        "names_full_text": any(link.url.endswith("/llms-full.txt") for link in links),
        "truncated": guide.truncated or answered.truncated,
    }
    return finding(context, "llms_txt", "yes", facts, answered.evidence(guide.title))


def read_file(body: bytes, url: str, media_type: str) -> LlmsTxt:
    """The file at its address."""
    return read_llms_txt(body, base_url=url, content_type=media_type)


def summary(facts: Facts) -> Summary:
    """Whether there is one."""
    return Summary(text="llms.txt found") if has_file(facts) else nothing("no llms.txt")


PLUG = Step(
    "llms_txt", "llms.txt", run, section="rights", order=100, summary=summary, compared=has_file
)
