"""The tree of errors: one root, a line and a way out each, and the docstring draws it truly."""

from __future__ import annotations

import re
from datetime import timedelta

from wireroom import errors
from wireroom.errors import (
    BlockedError,
    ExhaustedError,
    FetchError,
    GoneError,
    MissingExtraError,
    SettingsError,
    ThrottledError,
    TooLargeError,
    UnreachableError,
    WireroomError,
)

URL = "https://courier.test/a"


def test_the_drawing_shows_every_error_below_its_parent() -> None:
    parents: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        drawn = re.match(r"^    ([│├└─ ]*)(\w+Error)\b", line)
        if drawn is None:
            continue
        depth, name = len(drawn[1]), drawn[2]
        while path and path[-1][0] >= depth:
            path.pop()
        parents[name] = path[-1][1] if path else ""
        path.append((depth, name))
    assert set(parents) == {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    for name, parent in parents.items():
        base = getattr(errors, name).__bases__[0].__name__
        assert base == (parent or "Exception"), name


def test_an_error_says_what_and_what_to_do() -> None:
    error = MissingExtraError("postgres", "postgresql://")
    assert "wireroom[postgres]" in str(error)
    assert str(WireroomError("It is broken.", hint="Mend it.")) == "It is broken. Mend it."


def test_settings_problems_are_listed_all_at_once() -> None:
    error = SettingsError(["fetch.delay = -1: expected 0 or more", "feeds[0].url is missing"])
    assert error.problems == ("fetch.delay = -1: expected 0 or more", "feeds[0].url is missing")
    assert "fetch.delay" in str(error)
    assert "feeds[0].url" in str(error)


def test_scheduling_can_read_permanent_and_retry_after() -> None:
    assert GoneError(URL, 404).permanent
    assert BlockedError(URL, 403, kind="challenge").kind == "challenge"
    throttled = ThrottledError(URL, 429, retry_after=timedelta(minutes=2))
    assert (throttled.permanent, throttled.retry_after) == (False, timedelta(minutes=2))
    assert UnreachableError(URL, "no such host", kind="dns").kind == "dns"
    assert UnreachableError.kind == "connect"


def test_too_large_names_its_limit() -> None:
    error = TooLargeError(URL, "max_page_bytes", 10_000_000)
    assert "max_page_bytes" in str(error)
    assert "10,000,000" in str(error)


def test_exhausted_lists_each_strategys_reason() -> None:
    plain = BlockedError(URL, 403, "Forbidden")
    proxy = UnreachableError(URL, "proxy does not answer")
    error = ExhaustedError(URL, {"plain": plain, "proxy": proxy})
    assert "plain: HTTP 403: Forbidden" in str(error)
    assert "proxy: proxy does not answer" in str(error)
    assert not error.permanent
    assert isinstance(error, FetchError)
