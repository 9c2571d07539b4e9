"""The clauses of `bench/clauses` with their known answers, and what rules say of any clause."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.parts import REPOSITORY
from wireroom.signals.terms.phrases import table_of
from wireroom.signals.terms.sentence_judging import judge_sentence, sentences_of, strictest


@dataclass(frozen=True, slots=True)
class Clause:
    """What a clause says; activities not named are silent."""

    id: str
    text: str
    expects: Mapping[str, str]

    @property
    def language(self) -> str:
        return self.id[:2]

    def words(self) -> dict[str, str]:
        """What the rules say of it."""
        table = table_of(self.language)
        assert table is not None
        sentences = sentences_of(self.text)
        found = [
            passage for each in sentences for passage in judge_sentence(each, self.text, table)
        ]
        return {activity: passage.word for activity, passage in strictest(found).items()}

    def is_right(self) -> bool:
        """Whether the rules say what is known, and permit nothing besides."""
        words = self.words()
        if not self.expects:
            return set(words.values()) == {"silent"}
        permitted = {activity for activity, word in words.items() if word == "permitted"}
        known = {activity for activity, word in self.expects.items() if word == "permitted"}
        return permitted <= known and all(
            words[activity] == word for activity, word in self.expects.items()
        )


def known_clauses() -> tuple[Clause, ...]:
    """All sixty."""
    paths = sorted((REPOSITORY / "bench" / "clauses").glob("*.json"))
    rows = [row for path in paths for row in json.loads(path.read_text(encoding="utf-8"))]
    return tuple(Clause(row["id"], row["text"], row["expects"]) for row in rows)
