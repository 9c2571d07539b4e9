"""ai.txt, llms.txt, trust.txt and the guard against pages that stand in their place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.signals.outcomes import outcome
from wireroom.errors import UnknownFormatError
from wireroom.parse.robots import read_robots
from wireroom.parse.soft_404 import is_absent
from wireroom.scout.steps.llms_txt import MAX_LINKS, read_llms_txt
from wireroom.signals.ai_txt import read_ai_txt
from wireroom.signals.trust_txt import MAX_ENTRIES, read_trust_txt

Reader = Callable[..., object]
READERS: tuple[Reader, ...] = (read_ai_txt, read_llms_txt, read_trust_txt)
PAGE = b"\n<!DOCTYPE html><html><body># Title\nUser-agent: *\nmember=x</body></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "absent"),
    [
        (b"User-agent: *", "text/plain", False),
        (b"User-agent: *", "text/html; charset=utf-8", True),
        (PAGE, "text/plain", True),
        (b"\xef\xbb\xbf <p>no</p>", "", True),
        ("<html>".encode("utf-16"), "", True),
        (b"", "text/plain", True),
        (b" \n ", "", True),
        (b"[]", "application/json", False),
    ],
)
def test_a_page_is_an_absent_file(body: bytes, content_type: str, absent: bool) -> None:
    assert is_absent(body, content_type) is absent


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("body", [PAGE, b"", b"Not found"])
def test_soft_404_is_no_file(reader: Reader, body: bytes) -> None:
    with pytest.raises(UnknownFormatError):
        reader(body)


@pytest.mark.parametrize("reader", READERS)
@given(body=st.binary(max_size=500))
def test_any_bytes_are_a_file_or_an_error(reader: Reader, body: bytes) -> None:
    assert outcome(lambda: reader(body))


def test_ai_txt_needs_an_agent_line() -> None:
    file = read_ai_txt(b"# Spawning\rUser-Agent: *\rDisallow: /\r")
    rules = read_robots(file.text.encode())
    assert not rules.allows("wireroom", "/a")
    with pytest.raises(UnknownFormatError, match="User-Agent"):
        read_ai_txt(b"# AI policy\n\nWe like robots. Disallow: nothing.\n")


def test_trust_txt_is_read_line_by_line() -> None:
    body = (
        b"# a comment = none\r\nMember = https://a.test/\r\n\r\ndatatrainingallowed=no\r\nodd=1\r\n"
    )
    trust = read_trust_txt(body)
    assert [
        (trust_entry.key, trust_entry.value, trust_entry.line) for trust_entry in trust.entries
    ] == [
        ("member", "https://a.test/", 2),
        ("datatrainingallowed", "no", 4),
        ("odd", "1", 5),
    ]
    assert trust.values("member") == ("https://a.test/",)
    assert not trust.truncated


def test_trust_txt_is_bounded() -> None:
    trust = read_trust_txt(b"member=https://a.test/\n" * (MAX_ENTRIES + 5))
    assert len(trust.entries) == MAX_ENTRIES
    assert trust.truncated


LLMS = """# The Courier

> A daily
> of the coast.

Some prose.

- [Loose](/loose)

## Sections

- [Harbour](/harbour/): ships and tides
* [Mail](mailto:desk@courier.test)
- no link

## Optional
- [Terms](https://courier.test/terms "the terms"): what you may do
"""


def test_llms_txt_is_an_outline() -> None:
    guide = read_llms_txt(LLMS.encode(), base_url="https://courier.test/llms.txt")
    assert guide.title == "The Courier"
    assert guide.summary == "A daily of the coast."
    assert [section.title for section in guide.sections] == ["", "Sections", "Optional"]
    assert guide.sections[1].links[0].url == "https://courier.test/harbour/"
    assert guide.sections[1].links[0].note == "ships and tides"
    assert len(guide.sections[1].links) == 1
    assert guide.sections[2].optional
    assert guide.sections[2].links[0].name == "Terms"


def test_llms_txt_is_bounded() -> None:
    guide = read_llms_txt(b"# A\n" + b"- [a](https://a.test/)\n" * (MAX_LINKS + 3))
    assert sum(len(section.links) for section in guide.sections) == MAX_LINKS
    assert guide.truncated
