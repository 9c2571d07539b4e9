"""Plain text out of what feeds call text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom.parse.plain_text import clean, has_markup, line, line_of_html, normal_form


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain words", "plain words"),
        ("<p>One</p><p>Two</p>", "One Two"),
        ("bro<b>ken</b> word", "broken word"),
        ("a<br/>b", "a b"),
        ("x <script>if (a < b) {}</script> y", "x y"),
        ("x <style>p { }</style><!-- note --> y", "x y"),
        ("x <script>never closed", "x"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("fish &amp; chips&nbsp;&#8364;5 &#146;", "fish & chips €5 ’"),
        ("&lt;b&gt; is a tag", "<b> is a tag"),
    ],
)
def test_html_becomes_one_line(markup: str, text: str) -> None:
    assert line_of_html(markup, 100) == text


def test_lines_are_cut_at_their_limit() -> None:
    assert line("word " * 100, 9) == "word word"
    assert len(line_of_html("<p>" + "x" * 5000, 50)) == 50


@given(st.text(alphabet="ab\u00e9 \n\t\u3000", max_size=200))
def test_a_line_holds_the_first_words_of_four_times_its_length(text: str) -> None:
    assert line(text, 20) == " ".join(text[:80].split())[:20]


def test_tags_within_a_word_join_it_and_others_part_it_whatever_their_case() -> None:
    assert line_of_html("a<B>b</B><P>c</P>d<unheard-of>e<i>f</i>", 100) == "ab c d ef"


def test_control_characters_and_halves_go_and_misread_quotes_come_back() -> None:
    assert clean("a\x00b\x1f\x7f\ud800\ufffe\tc\n") == "ab\tc\n"
    assert clean("\x93quoted\x94 \x96 dash") == "“quoted” – dash"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Hafen\u00adbehörde", "Hafenbehörde"),
        ("\ufeffFer\u200bry \u200b returns\u2060", "Ferry returns"),
        ("Fer\u200cry", "Ferry"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian writes it so
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d🚒 saves cat", "👩\u200d🚒 saves cat"),
    ],
)
def test_what_cannot_be_seen_goes_where_it_spells_nothing(text: str, seen: str) -> None:
    assert line(text, 100) == seen


def test_markup_is_seen() -> None:
    assert has_markup("a <b>c")
    assert not has_markup("a < b and c > d")


@pytest.mark.parametrize("piece", ["<", "<a ", "<!--", "<script", "&", "&#", "</", "<a>", " "])
def test_hostile_markup_costs_little(piece: str) -> None:
    with cpu_within(2):
        line_of_html(piece * 1_000_000, 1000)


@given(st.text(max_size=300))
def test_a_line_is_a_line(text: str) -> None:
    found = line_of_html(text, 50)
    assert len(found) <= 50
    assert "\n" not in found
    assert found == clean(found)
    found.encode()


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("“Café”, said Zoë…", "café said zoë"),
        ("half \ud83d a\udc4d sign", "half a sign"),
        ("हिन्दी — भाषा।", "हिन्दी भाषा"),
        ("日本、東京", "日本 東京"),
    ],
)
def test_signs_beyond_ascii_are_no_part_of_what_is_compared(text: str, normal: str) -> None:
    assert normal_form(text) == normal
