"""The language model kept unpacked: the same answers, whatever became of the folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import py3langid.langid
import py3langid.modelio
import pytest

from wireroom.parse.languagemodel import open_model

TEXTS = (
    "Die Fähre ist nach zehn Jahren auf den Fluss zurückgekehrt, und alle sahen ihr zu. " * 5,
    "Le bac est revenu sur le fleuve après dix ans, et quatre cents personnes l'attendaient.",
    "渡し船が十年ぶりに川へ戻り、桟橋には四百人が集まって最初の便を見送った。",
    "Паром вернулся на реку после десяти лет, и на пристани его ждали четыреста человек.",
    "OK 12 345",
    "",
)
PACKED = py3langid.langid.MODEL_DIR / py3langid.langid.MODEL_FILE
BOTH_AT_ONCE = """
import sys
from pathlib import Path
from wireroom.parse.languagemodel import open_model
sys.stdin.readline()
print(open_model(Path(sys.argv[1])).classify("The ferry has returned to the river after ten years."))
"""


@pytest.fixture(scope="module")
def parts() -> Any:
    return py3langid.modelio.load_model(PACKED)


@pytest.fixture
def unpacked(parts: Any, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every unpacking, which is not done anew: it takes most of a second."""
    asked: list[Path] = []

    def load(path: Path) -> Any:
        asked.append(path)
        return parts

    monkeypatch.setattr(py3langid.modelio, "load_model", load)
    return asked


def answers(folder: Path | None) -> list[tuple[str, float]]:
    model = open_model(folder)
    return [model.classify(text) for text in TEXTS]


@pytest.mark.long
@pytest.mark.usefixtures("unpacked")
def test_without_a_folder_it_is_the_model_as_it_comes() -> None:
    as_it_comes = py3langid.langid.LanguageIdentifier.from_model_file(PACKED, norm_probs=True)
    assert answers(None) == [as_it_comes.classify(text) for text in TEXTS]


@pytest.mark.long
def test_what_is_kept_answers_the_same_and_is_not_unpacked_again(
    tmp_path: Path, unpacked: list[Path]
) -> None:
    expected = answers(None)
    unpacked.clear()
    for _ in range(2):
        assert answers(tmp_path / "made" / "for it") == expected
    assert unpacked == [PACKED]
    (kept,) = (tmp_path / "made" / "for it").iterdir()
    assert kept.name.startswith("languages-")


def _cut(kept: Path) -> None:
    with (kept / "moves.npy").open("r+b") as file:
        file.truncate(5_000)


def _empty(kept: Path) -> None:
    (kept / "names.npy").write_bytes(b"")


def _lose_one(kept: Path) -> None:
    (kept / "rows.npy").unlink()


def _scribble(kept: Path) -> None:
    (kept / "weights.npy").write_bytes(b"not an array")


@pytest.mark.long
@pytest.mark.parametrize("damage", [_cut, _empty, _lose_one, _scribble])
def test_a_damaged_copy_is_made_anew(
    tmp_path: Path, unpacked: list[Path], damage: Callable[[Path], None]
) -> None:
    expected = open_model(tmp_path).classify(TEXTS[0])
    (kept,) = tmp_path.iterdir()
    damage(kept)
    unpacked.clear()
    assert [open_model(tmp_path).classify(TEXTS[0]) for _ in range(3)] == [expected] * 3
    assert unpacked == [PACKED]
    assert list(tmp_path.iterdir()) == [kept]


@pytest.mark.long
def test_a_folder_that_cannot_be_made_harms_nothing(tmp_path: Path, unpacked: list[Path]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert answers(tmp_path / "file" / "cache") == answers(None)


@pytest.mark.long
def test_a_disk_without_room_harms_nothing_and_leaves_nothing(
    tmp_path: Path, unpacked: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.save", full)
    assert open_model(tmp_path).classify(TEXTS[0])[0] == "de"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.usefixtures("unpacked")
def test_who_keeps_it_second_leaves_the_first_copy(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as threads:
        answers = set(threads.map(lambda _: open_model(tmp_path).classify(TEXTS[0]), range(2)))
    assert len(answers) == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.long
def test_processes_that_keep_it_at_once_agree(tmp_path: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", BOTH_AT_ONCE, tmp_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("now\n")
        process.stdin.flush()
    answers = {process.communicate(timeout=60)[0] for process in started}
    assert len(answers) == 1
    assert answers.pop().startswith("('en', ")
    assert len(list(tmp_path.iterdir())) == 1
