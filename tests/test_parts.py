"""A missing part leaves its tests out and says so; in CI it is a failure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import parts
from tests.conftest import pytest_runtest_setup, pytest_terminal_summary

REASON = "Chromium is not installed"


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> pytest.Item:
    """A test that needs the browser, on a machine without one."""
    monkeypatch.setitem(parts.MISSING, "browser", lambda: REASON)
    marked = SimpleNamespace(get_closest_marker=lambda name: name if name == "browser" else None)
    return cast("pytest.Item", marked)


def test_without_the_part_a_test_is_skipped_with_the_reason(
    no_browser: pytest.Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=REASON):
        pytest_runtest_setup(no_browser)


def test_in_ci_a_missing_part_is_a_failure(
    no_browser: pytest.Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=REASON):
        pytest_runtest_setup(no_browser)


def test_the_real_pages_may_be_missing_in_ci_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setitem(parts.MISSING, "shared_data", lambda: "not beside us")
    wants = SimpleNamespace(get_closest_marker=lambda name: name if name == "shared_data" else None)
    with pytest.raises(pytest.skip.Exception, match="not beside us"):
        pytest_runtest_setup(cast("pytest.Item", wants))


def test_the_closing_summary_counts_what_was_left_out(
    no_browser: pytest.Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    skipped = [SimpleNamespace(longrepr=("file", 1, f"Skipped: {REASON}"))] * 3
    skipped += [SimpleNamespace(longrepr=("file", 1, "Skipped: something else"))]
    reporter: Any = SimpleNamespace(
        stats={"skipped": skipped}, section=shown.append, line=shown.append
    )
    pytest_terminal_summary(reporter)
    assert shown == ["left out", f"3 tests: {REASON}"]
