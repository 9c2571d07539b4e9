"""What holds for any robots.txt: it never raises, and agrees with a slow and simple reader."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parts import SHARED_DATA, examples
from wireroom.parse.robots import Group, read_robots
from wireroom.parse.robots.rule_matching import matches

# A small alphabet, so that paths and patterns meet.
PATHS = st.text("/ab*$%.?é", max_size=12).map(lambda tail: "/" + tail)
PATTERNS = st.text("/ab*$%.?é", max_size=10)
AGENTS = st.sampled_from(["*", "raven", "owl", "Raven", "owl/2", "owl bot", "", "?"])
WORDS = st.sampled_from(
    [
        "User-agent",
        "Allow",
        "Disallow",
        "Crawl-delay",
        "License",
        "Sitemap",
        "Mood",
        "Content-Usage",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " # note\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 14))):
        word = draw(WORDS)
        value = draw(AGENTS if word == "User-agent" else PATTERNS)
        lines.append(f"{word}{draw(st.sampled_from([': ', ':', ' : ']))}{value}{draw(ENDS)}")
    return "".join(lines).encode()


def slow_match(path: bytes, pattern: bytes) -> bool:
    return expression(pattern).match(path) is not None


@lru_cache(maxsize=100_000)
def expression(pattern: bytes) -> re.Pattern[bytes]:
    """The pattern as a regular expression, star by star."""
    end = pattern.endswith(b"$")
    parts = (pattern[:-1] if end else pattern).split(b"*")
    text = b".*".join(re.escape(part) for part in parts) + (b"\\Z" if end else b"")
    return re.compile(text, re.DOTALL)


def slow_escape(text: str) -> bytes:
    raw = "".join(char if char.isascii() else _percent(char) for char in text)
    return re.sub("%[0-9a-fA-F]{2}", lambda match: match[0].upper(), raw).encode()


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def slow_decide(groups: tuple[Group, ...], agent: str, path: bytes) -> bool:
    """The answer from the groups as shown: every rule tried, the longest kept."""
    named = [group for group in groups if agent in {each.lower() for each in group.agents}]
    chosen = named or [group for group in groups if "*" in group.agents]
    fitting = [
        (len(pattern), rule.allow)
        for group in chosen
        for rule in group.rules
        for pattern in _readings(rule.pattern.encode(), rule.allow)
        if pattern and slow_match(path, pattern)
    ]
    return max(fitting, default=(0, True))[1]


def _readings(pattern: bytes, allow: bool) -> Iterator[bytes]:
    yield pattern
    folder, slash, page = pattern.rpartition(b"/")
    if allow and slash and page.startswith(b"index.htm"):
        yield folder + b"/$"


@settings(deadline=None)  # a machine that is busy with something else is no failure
@given(st.binary(max_size=400), st.text(max_size=30), st.text(max_size=60))
def test_no_bytes_and_no_question_raise(body: bytes, agent: str, url: str) -> None:
    robots = read_robots(body)
    decision = robots.decide(agent, url)
    assert decision.allowed is robots.allows(agent, url)
    assert robots.found or decision.allowed
    robots.barred(agent)
    robots.content_usages(agent, url)
    assert all(lint.detail.isprintable() for lint in robots.lint)


@given(files(), st.sampled_from(["raven", "owl", "dove"]), PATHS)
@examples(200)
def test_answers_agree_with_a_slow_reader(body: bytes, agent: str, path: str) -> None:
    robots = read_robots(body)
    url = f"https://courier.test{path}"
    decision = robots.decide(agent, url)
    assert decision.allowed is slow_decide(robots.groups, agent, path.encode())
    assert robots.allows(agent, url) is decision.allowed
    if decision.line is not None:
        line = re.split(rb"\r\n|\r|\n", body)[decision.line - 1]
        assert line.lower().lstrip().startswith((b"allow", b"disallow"))
        assert decision.rule.split(":")[0].lower().encode() in line.lower()
    delay = robots.crawl_delay(agent)
    assert delay is None or timedelta() <= delay <= timedelta(days=365)


@given(PATHS, PATTERNS)
@examples(200)
def test_a_pattern_matches_as_its_regular_expression_does(path: str, pattern: str) -> None:
    assert matches(path.encode(), pattern.encode()) is slow_match(
        path.encode(), slow_escape(pattern)
    )


@settings(deadline=None)
@given(files(), st.sampled_from([b"\xef\xbb\xbf", b""]), st.sampled_from(["raven", "dove"]), PATHS)
def test_line_ends_and_a_mark_before_them_change_nothing(
    body: bytes, mark: bytes, agent: str, path: str
) -> None:
    text = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    url = f"https://courier.test{path}"
    plain = read_robots(text).decide(agent, url)
    assert read_robots(mark + text.replace(b"\n", b"\r\n")).decide(agent, url) == plain
    assert read_robots(mark + text.replace(b"\n", b"\r")).decide(agent, url) == plain


@pytest.mark.long
@pytest.mark.shared_data
def test_real_files_agree_with_a_slow_reader() -> None:
    asked = found = 0
    with tarfile.open(SHARED_DATA / "robots.tar.gz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            assert stream is not None
            robots = read_robots(stream.read())
            found += robots.found
            groups = robots.groups
            if sum(len(group.rules) for group in groups) > 200:
                continue  # the slow reader would take minutes
            for agent in ("wireroom", "gptbot", "googlebot"):
                for path in ("/", "/news/2026/11/a-story.html", "/search?q=x&page=2"):
                    asked += 1
                    url = f"https://courier.test{path}"
                    expected = slow_decide(groups, agent, path.encode())
                    assert robots.allows(agent, url) is expected, (member.name, agent, path)
    assert asked > 8_000
    assert found > 900
