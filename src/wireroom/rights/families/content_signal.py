"""Content-Signal: yes and no by key, in the group of robots.txt that is for us, or as a header.

The lines of a group hold together; where they say both, or header and group differ, both are heard and
the stricter one decides. A key that is absent says nothing, and `use=` grants nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.model import Signal, Use
from wireroom.parse.signals.preferences import Preferences, read_content_signal
from wireroom.rights.facts import HeaderFacts
from wireroom.rights.family import Family, Heard, page_scope, robots_found, same_page, say
from wireroom.version import TOKEN

NAME: Final = "content_signal"
_USES: Final[dict[str, Use]] = {"search": "search", "ai-input": "ai-input", "ai-train": "ai-train"}


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return (*_from_robots(heard, url), *_from_headers(heard, url))


def _from_robots(heard: Heard, url: str) -> Iterator[Signal]:
    for robots_url, robots in robots_found(heard, url):
        for line in robots.content_signals(TOKEN):
            preferences = read_content_signal(line.value)
            yield from _signals(
                preferences, robots_url, line.line, f"Content-Signal: {line.value}", ""
            )


def _from_headers(heard: Heard, url: str) -> Iterator[Signal]:
    for facts in heard.of(NAME, HeaderFacts):
        for page in facts.pages:
            if page.values and same_page(page.url, url):
                preferences = read_content_signal(page.values)
                shown = f"Content-Signal: {', '.join(page.values)}"
                yield from _signals(preferences, page.url, None, shown, page_scope(page.url))


def _signals(
    preferences: Preferences, where: str, line: int | None, excerpt: str, scope: str
) -> Iterator[Signal]:
    for key, word in preferences.words.items():
        if word != "unknown":
            yield from say(
                NAME,
                (_USES[key],),
                "allow" if word == "yes" else "deny",
                url=where,
                line_number=line,
                excerpt=excerpt,
                scope=scope,
            )


FAMILY: Final = Family(
    name=NAME, title="Content-Signal", steps=("robots", "content_signal"), speak=_speak
)
