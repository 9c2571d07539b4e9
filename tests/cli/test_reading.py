"""Reading what is held: that a list is not all there is, and prose that breaks between words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.towns import Run
from tests.deliver.holding import hold
from tests.deliver.samples import NOW, article
from wireroom.desk import Desk, open_desk

TEXT = " ".join(f"In word {number} of the harbour report the quay is named." for number in range(9))


@pytest.fixture
def desk() -> Iterator[Desk]:
    with open_desk("sqlite:///wireroom.db", clock=lambda: NOW) as opened:
        hold(opened, [article(number, text=TEXT) for number in range(1, 4)])
        yield opened


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("verb", [("articles",), ("articles", "quay"), ("search", "quay")])
def test_a_list_that_is_cut_says_so_on_stderr(wireroom: Run, verb: tuple[str, ...]) -> None:
    assert wireroom(*verb, "--limit", "2").err == "2 shown; more with: --limit 10\n"
    assert wireroom(*verb, "--limit", "2", "--order", "best").err.startswith("2 shown")
    assert wireroom(*verb, "--limit", "3").err == ""
    for quiet in ("-q", "--json", "--jsonl"):
        assert wireroom(*verb, "--limit", "2", quiet).err == ""
