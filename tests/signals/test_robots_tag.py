"""X-Robots-Tag and meta robots: agents, values, dates with commas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireroom.parse.plain_text import clean
from wireroom.signals.robots_tag import MAX_DIRECTIVES, meta_agent, read_robots_tag


def _read(value: str, agent: str = "") -> list[tuple[str, str, str]]:
    return [
        (directive.agent, directive.name, directive.value)
        for directive in read_robots_tag(value, agent=agent)
    ]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("noindex", [("", "noindex", "")]),
        ("NoIndex, NOARCHIVE", [("", "noindex", ""), ("", "noarchive", "")]),
        ("googlebot: noindex, nofollow", [("googlebot", "noindex", ""), ("googlebot", "nofollow", "")]),
        ("noai, otherbot: noindex", [("", "noai", ""), ("otherbot", "noindex", "")]),
        ("*: noai", [("", "noai", "")]),
        ("max-snippet:0, max-image-preview: large", [("", "max-snippet", "0"), ("", "max-image-preview", "large")]),
        ("max-snippet:-1", [("", "max-snippet", "-1")]),
        (
            "unavailable_after: Sat, 25 Jul 2026 15:00:00 GMT, noindex",
            [("", "unavailable_after", "Sat, 25 Jul 2026 15:00:00 GMT"), ("", "noindex", "")],
        ),
        ("unavailable_after: 2026-07-25, noarchive", [("", "unavailable_after", "2026-07-25"), ("", "noarchive", "")]),
        ("otherbot: unavailable_after: Saturday, 25-Jul-26 15:00:00 GMT", [("otherbot", "unavailable_after", "Saturday, 25-Jul-26 15:00:00 GMT")]),
        ("", []),
        (" , ,", []),
    ],
)  # fmt: skip
def test_a_header_is_read(value: str, found: list[tuple[str, str, str]]) -> None:
    assert _read(value) == found


def test_a_meta_tag_speaks_to_whom_its_name_says() -> None:
    assert _read("noindex, noai", agent="robots") == [("", "noindex", ""), ("", "noai", "")]
    assert _read("noindex", agent="googlebot") == [("googlebot", "noindex", "")]
    (directive,) = read_robots_tag("noai", agent="robots")
    assert directive.source == "meta"
    assert directive.excerpt == '<meta name="robots" content="noai">'


@pytest.mark.parametrize(
    ("name", "content", "agent"),
    [
        ("robots", "anything", "robots"),
        (" Robots ", "noindex", "robots"),
        ("googlebot-news", "nosnippet", "googlebot-news"),
        ("baiduspider", "all", "baiduspider"),
        ("wireroom", "noai, max-snippet:0", "wireroom"),
        ("wireroom", "hello", ""),
        ("description", "noindex means nothing here", ""),
        ("rating", "all", ""),
        ("keywords", "", ""),
    ],
)
def test_which_meta_tags_speak_to_crawlers(name: str, content: str, agent: str) -> None:
    assert meta_agent(name, content) == agent


@given(st.text(max_size=300))
def test_any_header_is_read_within_bounds(value: str) -> None:
    found = read_robots_tag(value)
    assert all(
        directive.name and clean(directive.name) == directive.name and len(directive.excerpt) <= 300
        for directive in found
    )


def test_directives_are_bounded() -> None:
    assert len(read_robots_tag("noai," * 1000)) == 1
    many = ",".join(f"word-{n}" for n in range(1000))
    assert len(read_robots_tag(many)) == MAX_DIRECTIVES
    behind = read_robots_tag(f"{many},noai,none")[MAX_DIRECTIVES:]
    assert [held.name for held in behind] == ["noai", "none"], "a refusal is never cut"
