"""`wireroom town`: what it refuses before it builds anything. Serving is tested with the demo."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Ran
from wireroom import town
from wireroom.cli.town import MAX_ARTICLES
from wireroom.town.loopback import MAX_PUBLISHERS

Run = Callable[..., Ran]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--publishers", "300000"),
        ("--publishers", str(MAX_PUBLISHERS)),
        ("--publishers", "-1"),
        ("--articles", str(MAX_ARTICLES + 1)),
        ("--latency", "soon"),
    ],
)
def test_a_town_without_end_is_refused_before_it_is_built(
    wireroom: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, str]
) -> None:
    def no_crowd(*, publishers: int = 0, **_: object) -> town.Town:
        assert publishers == 0, "built before it was refused"
        return build()

    build = town.build_town
    monkeypatch.setattr(town, "build_town", no_crowd)
    ran = wireroom("town", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert arguments[0] in ran.err


@pytest.mark.parametrize("seed", range(4))
def test_the_oldest_of_the_most_articles_can_be_read(seed: int) -> None:
    made = town.build_town(seed=seed, publishers=12, articles=MAX_ARTICLES)
    for host in made.publishers:
        if host.startswith("paper-"):
            oldest = made.numbered(host, 1)
            assert made.story(oldest.url) == oldest
