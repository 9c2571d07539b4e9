"""What steps save comes back the same, and a stored robots.txt reads the same."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parts import REPOSITORY
from tests.rights.findings import NOW
from wireroom.model import Finding, TypedFacts
from wireroom.parse.robots import read_robots
from wireroom.rights.finding_index import RobotsFacts, facts_of, robots_text
from wireroom.signals import all_signals
from wireroom.signals.terms.types import ACTIVITIES
from wireroom.store.cleaning import clean_text
from wireroom.store.packing import as_document

PAGE: Path = REPOSITORY / "docs" / "extend" / "signal.md"


def test_steps_may_add_keys_of_their_own() -> None:
    value = RobotsFacts(url="https://courier.test/robots.txt", text="User-agent: *")
    facts = TypedFacts(value, {"crawl_delay": 3})
    finding = Finding(step="robots", outcome="yes", facts=facts, found_at=NOW)
    assert facts_of(finding, RobotsFacts) is value
    stored = replace(finding, facts=msgspec.json.decode(as_document(facts)))
    assert facts_of(stored, RobotsFacts) == value
    assert stored == finding
    assert dict(stored.facts) == facts.plain() == {**asdict(value), "crawl_delay": 3}


def test_what_was_parsed_travels_with_the_facts_and_no_further() -> None:
    robots = read_robots(b"User-agent: *\nDisallow: /a")
    facts = TypedFacts(RobotsFacts(url="https://courier.test/robots.txt").with_rules(robots))
    assert isinstance(facts.value, RobotsFacts)
    assert facts.value.rules is robots
    copy = pickle.loads(pickle.dumps(facts))
    assert copy == facts
    assert copy.value.rules is not robots
    assert set(facts) == {"url", "asked_url", "state", "text"}


def test_the_page_about_facts_names_every_step_family_and_shape() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for plug in all_signals():
        assert f"`{plug.name}`" in page
        assert all(f"| `{step}` |" in page for step in plug.steps)
    shapes = {name for module in list(sys.modules.values()) for name in _facts_in(module)}
    assert {"RslFacts", "TermsFacts", "RobotsFacts"} <= shapes
    assert all(f"`{name}`" in page for name in shapes)
    assert all(f"`{activity}`" in page for activity in ACTIVITIES)


def _facts_in(module: ModuleType) -> Iterator[str]:
    if module.__name__.startswith("wireroom.signals"):
        yield from (
            name
            for name in vars(module)
            if name.endswith("Facts") and name not in {"Facts", "TypedFacts"}
        )


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
