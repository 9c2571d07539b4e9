"""Two texts compared word by word, within limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wireroom.report.text_diff import MAX_COMPARED, MAX_PARAGRAPHS, TextDiff, diff_texts

WORDS = st.sampled_from(
    ["storm", "harbour", "the", "a", "ship", "rain", "port", "night", "\n", "\n\n"]
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join)


def sides(diff: TextDiff) -> tuple[list[str], list[str]]:
    """The words of both texts, as the comparison has them."""
    old, new = [], []
    for paragraph in diff.paragraphs:
        for part in paragraph.parts:
            if part.kind != "added":
                old += part.text.split()
            if part.kind != "removed":
                new += part.text.split()
    return old, new


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_off(before: str, after: str) -> None:
    diff = diff_texts(before, after)
    old, new = sides(diff)
    assert new == after.split()
    assert sorted(old) == sorted(before.split())
    assert diff.is_same == (
        [line.split() for line in before.split("\n") if line.strip()]
        == [line.split() for line in after.split("\n") if line.strip()]
    )
    assert (diff.kept + diff.added, diff.kept + diff.removed) == (len(new), len(old))


def test_an_edited_word_is_shown_inside_its_paragraph() -> None:
    before = "The first paragraph stays.\n\nThe harbour master resigned on Monday after a storm."
    after = "The first paragraph stays.\n\nThe harbour master resigned on Tuesday after a storm.\n\nMore soon."
    kept, edited, added = diff_texts(before, after).paragraphs
    assert (kept.kind, edited.kind, added.kind) == ("kept", "edited", "added")
    assert [(part.kind, part.text) for part in edited.parts] == [
        ("kept", "The harbour master resigned on"),
        ("removed", " Monday"),
        ("added", " Tuesday"),
        ("kept", " after a storm."),
    ]


def test_two_strangers_are_no_edit_of_each_other() -> None:
    diff = diff_texts("Rain all day in the north.", "Shares fell sharply on Friday morning again.")
    assert [paragraph.kind for paragraph in diff.paragraphs] == ["removed", "added"]


def test_long_texts_are_cut_and_say_so() -> None:
    many = "\n".join(f"line {number}" for number in range(MAX_PARAGRAPHS + 5))
    assert diff_texts(many, many).cut
    assert not diff_texts(many, many).is_same


def test_long_paragraphs_are_not_compared_word_by_word() -> None:
    long = diff_texts("a b " * 40_000, "b a " * 40_000)
    assert [paragraph.kind for paragraph in long.paragraphs] == ["removed", "added"]
    rolled = [" ".join(str((n * 7 + k) % 997) for n in range(900)) for k in range(60)]
    many = diff_texts("\n".join(rolled), "\n".join(f"x {line}" for line in rolled))
    kinds = [paragraph.kind for paragraph in many.paragraphs]
    assert 0 < kinds.count("edited") * 1_801 <= MAX_COMPARED
    assert kinds.count("removed") == 60 - kinds.count("edited"), "the rest is shown whole"
