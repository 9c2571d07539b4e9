"""The folder of Markdown files: front matter any YAML reader takes, names that are never paths."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.export.samples import NOW, article, bare, hostile
from wireroom.export.article_text import SLUG_BYTES, dated_name, slug
from wireroom.export.markdown import front_matter, write_folder
from wireroom.model import Article

TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


def read(path: Path) -> tuple[dict[str, Any], str]:
    """Front matter and body of a file."""
    start, matter, body = path.read_text("utf-8").split("---\n", 2)
    assert start == ""
    return fields_of(matter), body


def fields_of(matter: str) -> dict[str, Any]:
    """What YAML makes of the part of it that is written: times, and JSON, which is YAML.

    JSON alone is not enough: YAML breaks a line at more characters, so none of them may be there.
    """
    assert not set(matter) & {"\r", "\x85", "\u2028", "\u2029", "\ufeff"}
    fields = {}
    for line in matter.removesuffix("\n").split("\n"):
        name, _, value = line.partition(": ")
        assert name.isidentifier()
        is_time = TIME.fullmatch(value) is not None
        fields[name] = datetime.fromisoformat(value) if is_time else json.loads(value)
    return fields


def test_a_file_has_its_fields_and_its_text(tmp_path: Path) -> None:
    assert write_folder([article()], tmp_path) == 1
    (path,) = tmp_path.iterdir()
    assert path.name == f"2026-05-03-the-harbour-master-resigns-part-1-{article().id}.md"
    matter, body = read(path)
    assert matter["title"] == article().title
    assert matter["authors"] == ["Ada Quill", "Zoë 清"]
    assert matter["date"] == article().published_at
    assert matter["fetched"] == NOW
    assert matter["rights_ai_train"] == "allow"
    assert matter["licence"].startswith("https://creativecommons.org/")
    assert matter["quality"] == 0.875
    assert body.startswith("\n# The harbour master resigns, part 1\n\nAfter thirty years")


def test_a_text_has_back_what_it_was_on_its_page(tmp_path: Path) -> None:
    text = "He goes.\n\nThe ships\n\n- one\n- two\n\nMay | June\n3 | 4\n\nFarewell!\n\nA quay"
    write_folder([article(text=text, layout="p2ltqc")], tmp_path)
    (path,) = tmp_path.iterdir()
    _, body = read(path)
    assert body.split("\n\n", 1)[1] == (
        "He goes.\n\n## The ships\n\n- one\n- two\n\n| May | June |\n| --- | --- |\n| 3 | 4 |\n\n"
        "> Farewell!\n\n*A quay*\n"
    )


def test_a_layout_of_another_text_is_left_alone(tmp_path: Path) -> None:
    write_folder([article(text="He goes.\n\n- one", layout="2")], tmp_path)
    (path,) = tmp_path.iterdir()
    _, body = read(path)
    assert body.endswith("\n\nHe goes.\n\n\\- one\n")


def test_a_hostile_article_stays_in_the_folder_and_in_its_field(tmp_path: Path) -> None:
    inside = tmp_path / "out"
    inside.mkdir()
    write_folder([hostile(), bare()], inside)
    assert list(tmp_path.iterdir()) == [inside]
    names = sorted(path.name for path in inside.iterdir())
    assert len(names) == 2
    assert all("/" not in name and "\\" not in name and ".." not in name for name in names)
    (path,) = (path for path in inside.iterdir() if "script" in path.name)
    matter, body = read(path)
    assert matter["title"].startswith("../../..\\con </title>")
    assert matter["id"] == "../../etc/passwd"
    assert matter["tags"][3] == '"], "x": ["'
    assert "\\# no heading" in body
    assert "\\<b\\>" in body


@given(st.text(max_size=40), st.lists(st.text(max_size=10), max_size=3))
def test_any_text_is_read_back(title: str, tags: list[str]) -> None:
    from wireroom.parse.plain_text import clean

    matter = fields_of(front_matter(article(title=title, tags=tuple(tags))))
    assert matter.get("title", "") == clean(title)
    assert matter.get("tags", []) == [clean(tag) for tag in tags]


@given(st.text(max_size=400), st.text(max_size=80))
def test_any_title_and_id_give_one_name(title: str, own: str) -> None:
    name = dated_name(article(title=title, id=own))
    assert Path(name).name == name
    assert len(name.encode()) <= SLUG_BYTES + 80
    assert not name.startswith(".")
    assert name.isprintable()


def test_a_slug_is_never_empty() -> None:
    assert slug("") == slug("../..") == slug("\x00") == "article"
    assert slug("Ωμέγα 東京") == "ωμέγα-東京"


def test_an_article_under_a_new_title_replaces_its_file(tmp_path: Path) -> None:
    write_folder([article(1), article(2)], tmp_path)
    (tmp_path / "mine.md").write_text("not ours")
    write_folder([article(1, title="He stays")], tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 3
    assert f"2026-05-03-he-stays-{article(1).id}.md" in names
    assert "mine.md" in names


@pytest.mark.parametrize("original", [article(), bare()])
def test_no_half_file_is_left(original: Article, tmp_path: Path) -> None:
    write_folder([original], tmp_path)
    assert not list(tmp_path.glob(".*"))
