"""Content-Usage and Content-Signal: yes and no by key."""

from __future__ import annotations

from tests.rights.findings import PAGE, robots
from wireroom.signals import judge
from wireroom.signals.content_signal import read_content_signal
from wireroom.signals.content_usage import read_content_usage


def test_tokens_of_content_usage_are_y_and_n() -> None:
    assert read_content_usage("train-ai=n, search=y").words == {"train-ai": "no", "search": "yes"}


def test_case_counts_in_content_usage() -> None:
    assert read_content_usage("train-ai=N").words == {"train-ai": "unknown"}
    assert read_content_usage("Train-AI=n").problem


def test_other_values_are_unknown() -> None:
    preferences = read_content_usage('train-ai="n", search=1')
    assert preferences.words == {"train-ai": "unknown", "search": "unknown"}
    assert read_content_usage("train-ai").words == {"train-ai": "unknown"}


def test_of_a_repeated_key_the_last_counts() -> None:
    assert read_content_usage("train-ai=y, train-ai=n").words == {"train-ai": "no"}
    assert read_content_usage("train-ai=n, train-ai=1").words == {"train-ai": "unknown"}


def test_labels_of_earlier_drafts_are_kept_apart() -> None:
    preferences = read_content_usage("genai=n, tdm=y, search=y")
    assert preferences.words == {"search": "yes"}
    assert preferences.others == {"genai": "n", "tdm": "y"}


def test_several_headers_are_one_dictionary() -> None:
    assert read_content_usage(("train-ai=n", "search=y")).words == {
        "train-ai": "no",
        "search": "yes",
    }


def test_a_broken_dictionary_says_nothing() -> None:
    preferences = read_content_usage("train-ai=n,, search=y")
    assert preferences.words == {}
    assert "comma" in preferences.problem or "key" in preferences.problem


def test_content_signal_is_read_as_it_is_written() -> None:
    preferences = read_content_signal(" Search = YES , ai-input=no,ai-train=No, use=reference ")
    assert preferences.words == {"search": "yes", "ai-input": "no", "ai-train": "no"}
    assert preferences.others == {"use": "reference"}


def test_where_content_signals_differ_no_stands() -> None:
    assert read_content_signal("ai-train=yes, ai-train=no").words == {"ai-train": "no"}
    assert read_content_signal(("ai-train=no", "ai-train=yes")).words == {"ai-train": "no"}
    assert read_content_signal("ai-train=maybe, ai-train=yes").words == {"ai-train": "yes"}
    assert read_content_signal("ai-train=maybe").words == {"ai-train": "unknown"}


def test_a_content_signal_without_keys_has_a_problem() -> None:
    assert read_content_signal("hello").problem
    assert read_content_signal("=yes").problem
    assert len(read_content_signal(",".join(f"k{n}=yes" for n in range(500))).others) <= 64


def test_a_statement_repeated_in_many_lines_counts_once() -> None:
    lines = (f"Content-Signal: ai-train=no, x{number}=1" for number in range(2_000))
    text = "\n".join(("User-agent: *", "Content-Signal: ai-train=yes", *lines))
    (verdict,) = judge([robots(text)], PAGE, uses=("ai-train",))
    assert verdict.value == "deny"
    found = [
        (signal.value, signal.evidence.line) for signal in (*verdict.because, *verdict.conflicts)
    ]
    assert sorted(found) == [("allow", 2), ("deny", 3)]
