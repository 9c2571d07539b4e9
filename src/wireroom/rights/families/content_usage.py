"""Content-Usage (IETF AIPREF): preferences by label, by path in robots.txt, or as a header.

In robots.txt the longest path that fits has the say, and lines of one path that differ come to a no; there
is no preference for what may not be read. Between header and file any no stands before any yes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.model import Signal, Use, Word
from wireroom.parse.signals.preferences import Preference, Preferences, read_content_usage
from wireroom.rights.facts import HeaderFacts
from wireroom.rights.family import Family, Heard, page_scope, path_in, robots_found, same_page, say
from wireroom.version import TOKEN

NAME: Final = "content_usage"
_USES: Final[dict[str, Use]] = {"train-ai": "ai-train", "search": "search"}
_VALUES: Final[dict[Preference, Word]] = {"yes": "allow", "no": "deny", "unknown": "unknown"}


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return (*_from_robots(heard, url), *_from_headers(heard, url))


def _from_robots(heard: Heard, url: str) -> Iterator[Signal]:
    for robots_url, robots in robots_found(heard, url):
        for line in robots.content_usages(TOKEN, path_in(url)):
            preferences = read_content_usage(line.value)
            shown = " ".join(filter(None, ("Content-Usage:", line.pattern, line.value)))
            yield from _signals(preferences, robots_url, line.line, shown, line.pattern)


def _from_headers(heard: Heard, url: str) -> Iterator[Signal]:
    for facts in heard.of(NAME, HeaderFacts):
        for page in facts.pages:
            if page.values and same_page(page.url, url):
                preferences = read_content_usage(page.values)
                shown = f"Content-Usage: {', '.join(page.values)}"
                yield from _signals(preferences, page.url, None, shown, page_scope(page.url))


def _signals(
    preferences: Preferences, where: str, line: int | None, excerpt: str, scope: str
) -> Iterator[Signal]:
    for label, word in preferences.words.items():
        yield from say(
            NAME,
            (_USES[label],),
            _VALUES[word],
            url=where,
            line_number=line,
            excerpt=excerpt,
            scope=scope,
        )


FAMILY: Final = Family(
    name=NAME, title="Content-Usage (AIPREF)", steps=("robots", "content_usage"), speak=_speak
)
