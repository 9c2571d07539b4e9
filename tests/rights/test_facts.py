"""What steps save comes back the same, and a stored robots.txt reads the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import REPOSITORY
from tests.rights.cases import NOW
from wireroom.model import Finding
from wireroom.parse.robots import read_robots
from wireroom.parse.terms.nouns import ACTIVITIES
from wireroom.rights import facts as shapes
from wireroom.rights.facts import RobotsFacts, facts_of, robots_text, to_facts
from wireroom.rights.families import FAMILIES
from wireroom.store.cleaning import clean_text

PAGE: Path = REPOSITORY / "docs" / "extend" / "facts.md"


def test_steps_may_add_keys_of_their_own() -> None:
    value = RobotsFacts(url="https://courier.test/robots.txt", text="User-agent: *")
    facts = to_facts(value) | {"crawl_delay": 3}
    finding = Finding(step="robots", verdict="yes", facts=facts, found_at=NOW)
    assert facts_of(finding, RobotsFacts) == value


def test_the_page_about_facts_names_every_step_family_and_shape() -> None:
    said = PAGE.read_text(encoding="utf-8")
    for family in FAMILIES:
        assert f"`{family.name}`" in said
        assert all(f"| `{step}` |" in said for step in family.steps)
    for name in vars(shapes):
        if name.endswith("Facts"):
            assert f"`{name}`" in said
    assert all(f"`{activity}`" in said for activity in ACTIVITIES)


@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: *\r\nDisallow: /ol\xe9\rAllow: /a\n",
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /\xc3\xa9 # ol\xe9\n",
        b"User-agent: *\nDisallow: /a\x00b\nDisallow: /c\n",
        b"# \xa7 44b UrhG: Nutzungsvorbehalt f\xfcr Text und Data Mining\nUser-agent: *\n",
        b"User-agent: *\n" + b"Disallow: /x\n" * 60_000,
    ],
)
def test_a_stored_robots_txt_reads_the_same(body: bytes) -> None:
    kept = read_robots(clean_text(robots_text(body)).encode())
    fresh = read_robots(body)
    assert kept.groups == fresh.groups
    assert kept.reservations == fresh.reservations


@given(
    st.lists(
        st.sampled_from([b"User-agent: *", b"Disallow: /\xff\xfe", b"Allow: /%e9", b"# \xe9", b"\r", b"x"]),
        max_size=12,
    )
)  # fmt: skip
def test_any_robots_txt_reads_the_same(lines: list[bytes]) -> None:
    body = b"\n".join(lines)
    assert read_robots(robots_text(body).encode()).groups == read_robots(body).groups


@given(st.binary(max_size=300))
def test_any_bytes_become_text(body: bytes) -> None:
    text = robots_text(body)
    assert text.encode("utf-8").decode("utf-8") == text
