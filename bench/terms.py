"""How many clauses of terms of service are read right, against a search for keywords.

Sixty clauses in English, German, French and Spanish with known answers (`clauses/`), written before the
tables of phrases. Those with odd numbers served to correct the tables; those with even numbers were set
aside until the end. Clauses and tables have the same author, so that both shares flatter: of harder
sentences thought up later, about a quarter to more than half were misread at first sight, and a few
prohibitions among them came out as permissions until the tables were mended. A clause is right when every
activity it speaks of gets its word and no other is permitted; one about something else must leave all silent.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, main
from wireroom.signals.terms.phrases import table_of
from wireroom.signals.terms.sentence_judging import judge_sentence, sentences_of, strictest
from wireroom.signals.terms.terms_reading import read_terms
from wireroom.signals.terms.types import ACTIVITIES

PEER = "keywords"
CLAUSES = Path(__file__).parent / "clauses"
COPIES = 20  # of all clauses of a language, for a document of some 5,000 words

Words = dict[str, str]
Reader = Callable[["Clause"], Words]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause and what it says; activities not named are silent."""

    id: str
    text: str
    expects: Mapping[str, str]

    @property
    def language(self) -> str:
        return self.id[:2]

    @property
    def is_aside(self) -> bool:
        """Whether it was set aside while the tables were written."""
        return int(self.id[3:]) % 2 == 0


def clauses() -> tuple[Clause, ...]:
    """All sixty."""
    rows = [row for path in sorted(CLAUSES.glob("*.json")) for row in json.loads(path.read_text())]
    return tuple(Clause(row["id"], row["text"], row["expects"]) for row in rows)


def by_rules(decided: Clause) -> Words:
    """What our rules say."""
    table = table_of(decided.language)
    assert table is not None
    found = [
        passage
        for sentence in sentences_of(decided.text)
        for passage in judge_sentence(sentence, decided.text, table)
    ]
    return {activity: decided.word for activity, decided in strictest(found).items()}


# What a script of an afternoon looks for: a word for the matter, a word for yes or no.
_MATTERS = {
    "scraping": r"scrap|crawl|robot|\bbots?\b|automat|spider",
    "ai_ml": r"\bai\b|\bki\b|\bia\b|artificial|künstliche|artificielle|machine learning|language model",
    "manual_use": r"personal|privat|privé|print|imprim|ausdruck",
    "archiving": r"archiv|database|datenbank|base de|bases de",  # codespell:ignore
    "tdm": r"mining|fouille|minería",
    "api_rss": r"rss|\bapi\b|feed",
    "redistribution": r"distribut|republish|reprodu|vervielfält|verbreit|diffus|distribu",
    "ugc": r"comment|kommentar",
}
_NO = r"\bnot\b|prohibit|forbid|nicht|untersagt|verboten|interdi|ne peu|prohib|no podr|no se|no est"
_YES = r"\bmay\b|permitted|allowed|dürfen|erlaubt|gestattet|pouvez|autoris|puede|permite|podrá"


def by_keywords(clause: Clause) -> Words:
    """What the presence of words says."""
    text = clause.text.lower()
    word = (
        "prohibited" if re.search(_NO, text) else "permitted" if re.search(_YES, text) else "silent"
    )
    return {
        activity: word if re.search(_MATTERS[activity], text) else "silent"
        for activity in ACTIVITIES
    }


def is_right(clause: Clause, words: Words) -> bool:
    """Whether all that was expected was said, and nothing permitted besides."""
    if not clause.expects:
        return set(words.values()) == {"silent"}
    agrees = all(words[activity] == word for activity, word in clause.expects.items())
    return agrees and not invented_permissions(clause, words)


def invented_permissions(clause: Clause, words: Words) -> list[str]:
    """Activities read as permitted that the clause does not permit."""
    return [
        activity
        for activity, word in words.items()
        if word == "permitted" and clause.expects.get(activity) != "permitted"
    ]


def misread_prohibitions(read: Reader) -> int:
    """How many prohibitions were read as permissions."""
    return sum(
        word == "prohibited" and read(clause)[activity] == "permitted"
        for clause in clauses()
        for activity, word in clause.expects.items()
    )


def share_right(read: Reader, *, aside: bool | None = None) -> float:
    """The share of clauses read right, in percent: of one half, or of all."""
    chosen = [clause for clause in clauses() if aside is None or clause.is_aside == aside]
    return 100 * sum(is_right(clause, read(clause)) for clause in chosen) / len(chosen)


def measure(short: bool) -> Iterator[Figure]:
    """Both halves, all, the error that must not happen, and the speed."""
    for name, aside in (("used for the tables", False), ("set aside", True), ("all", None)):
        yield Figure(
            metric=f"clauses read right, {name}",
            unit="%",
            ours=share_right(by_rules, aside=aside),
            peer=share_right(by_keywords, aside=aside),
            peer_name=PEER,
            aim="at least 90" if aside is None else "",
        )
    yield Figure(
        metric="prohibitions read as permissions",
        unit="clauses",
        ours=misread_prohibitions(by_rules),
        peer=misread_prohibitions(by_keywords),
        peer_name=PEER,
        aim="0",
    )
    text = "\n".join(clause.text for clause in clauses() if clause.language == "en") + "\n"
    text *= 3 if short else COPIES
    read_terms(text, language="en")  # loads the tables and the language model
    start = time.process_time()
    read_terms(text, language="en")
    took = (time.process_time() - start) * 1000
    yield Figure(metric=f"reading {len(text.split())} words", unit="ms", ours=took)


if __name__ == "__main__":
    main("terms", measure, about="How many clauses of terms of service are read right.")
