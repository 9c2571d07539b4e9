"""210 queries to measure with: always the same, of every kind people ask. Not a bench by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from corpus import AUTHORS, PUBLISHERS, TAGS, articles, han, latin, publisher_name

_FREQUENT, _MIDDLE, _RARE = range(40), range(200, 3_000), range(20_000, 60_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query in our language, and the same for a peer that takes FTS5's own language and SQL."""

    kind: str
    text: str
    match: str = ""
    """Empty when the peer cannot be asked this."""
    where: str = ""
    values: dict[str, str] = field(default_factory=dict)


def questions() -> list[Question]:
    """The mix, in an order that is fixed but mixed."""
    chance = random.Random(200)
    mix = [
        question
        for kind, (count, ask) in _KINDS.items()
        for question in islice(_asked(kind, ask, chance), count)
    ]
    chance.shuffle(mix)
    return mix


def _asked(
    kind: str, ask: Callable[[random.Random], dict[str, str]], chance: random.Random
) -> Iterator[Question]:
    while True:
        asked = ask(chance)
        known = {name: asked.pop(name, "") for name in ("text", "match", "where")}
        yield Question(kind=kind, values=asked, **known)


def _word(chance: random.Random, ranks: range) -> str:
    return latin().words[chance.choice(ranks)]


def _rare(chance: random.Random) -> dict[str, str]:
    word = _word(chance, _RARE)
    return {"text": word, "match": f'"{word}"'}


def _frequent(chance: random.Random) -> dict[str, str]:
    word = _word(chance, _FREQUENT)
    return {"text": word, "match": f'"{word}"'}


def _several(chance: random.Random) -> dict[str, str]:
    words = [_word(chance, _MIDDLE), _word(chance, _MIDDLE), _word(chance, _FREQUENT)]
    return {"text": " ".join(words), "match": " ".join(f'"{word}"' for word in words)}


def _phrase(chance: random.Random) -> dict[str, str]:
    if chance.random() < 0.5:
        words = [_word(chance, _FREQUENT), _word(chance, _FREQUENT)]
    else:
        words = chance.choice(_printed())
    return {"text": f'"{" ".join(words)}"', "match": f'"{" ".join(words)}"'}


def _rare_phrase(chance: random.Random) -> dict[str, str]:
    """Words that nearly every article has, as hardly any has them together."""
    words = " ".join(_word(chance, _FREQUENT) for _ in range(4))
    return {"text": f'"{words}"', "match": f'"{words}"'}


@cache
def _printed() -> list[list[str]]:
    """Three words as they stand in an article of the corpus."""
    early = [article for article in islice(articles(), 300) if article.language == "en"]
    return [article.text.split(". ")[1].split()[:3] for article in early]


def _by_publisher(chance: random.Random) -> dict[str, str]:
    word, publisher = _word(chance, _MIDDLE), publisher_name(chance.randrange(PUBLISHERS))
    return {
        "text": f"{word} publisher:{publisher}",
        "match": f'"{word}"',
        "where": "publisher = :publisher",
        "publisher": publisher,
    }


def _by_language(chance: random.Random) -> dict[str, str]:
    word = _word(chance, _FREQUENT)
    return {
        "text": f"{word} lang:fr",
        "match": f'"{word}"',
        "where": "language = :language",
        "language": "fr",
    }


def _by_author(chance: random.Random) -> dict[str, str]:
    name = f"Jo{chance.randrange(40)} Writer{chance.randrange(AUTHORS)}"
    return {"text": f'author:"{name}"', "match": f'authors : "{name}"'}


def _by_tag(chance: random.Random) -> dict[str, str]:
    word, tag = _word(chance, _MIDDLE), f"topic{chance.randrange(TAGS)}"
    return {"text": f"tag:{tag} {word}", "match": f'(tags : "{tag}") AND "{word}"'}


def _without(chance: random.Random) -> dict[str, str]:
    word, other = _word(chance, _MIDDLE), _word(chance, _FREQUENT)
    return {"text": f"{word} -{other}", "match": f'"{word}" NOT "{other}"'}


def _only_without(chance: random.Random) -> dict[str, str]:
    return {"text": f"-{_word(chance, _FREQUENT)}"}


def _between(chance: random.Random) -> dict[str, str]:
    word, month = _word(chance, _FREQUENT), chance.randint(1, 8)
    since, until = f"2024-{month:02}-01", f"2024-{month + 1:02}-15"
    return {
        "text": f"{word} after:{since} before:{until}",
        "match": f'"{word}"',
        "where": "published_at >= :since AND published_at < :until",
        "since": since,
        "until": until,
    }


def _unspaced(chance: random.Random) -> dict[str, str]:
    word = "".join(chance.choice(han().words[:200]) for _ in range(chance.choice((1, 2, 2, 3))))
    return {"text": word, "match": f'"{word}"'}


_KINDS: dict[str, tuple[int, Callable[[random.Random], dict[str, str]]]] = {
    "rare word": (30, _rare),
    "frequent word": (30, _frequent),
    "three words": (20, _several),
    "phrase": (30, _phrase),
    "rare phrase of frequent words": (10, _rare_phrase),
    "publisher": (20, _by_publisher),
    "language": (10, _by_language),
    "author": (10, _by_author),
    "tag": (10, _by_tag),
    "without a word": (10, _without),
    "only without": (5, _only_without),
    "dates": (10, _between),
    "no spaces": (15, _unspaced),
}
