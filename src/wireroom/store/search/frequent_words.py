"""The frequent words of a PostgreSQL store: learnt from its articles, so that pairs of them can be kept.

Two words that most articles have stand together in few. The index of PostgreSQL does not know where words stand, and
would give nearly every article for them; so two frequent words next to each other get a lexeme of their own. Which words
are frequent is learnt: no list would fit every language. The list only grows, by generations; an article says which one it
was indexed by, so that none has to be indexed anew.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

from wireroom.store.search.word_places import FrequentWords

LEARNT_FROM = 300  # newest articles; some 20 ms
SHARE = 0.15  # of them have the word: beside a rarer one, a phrase leaves few enough articles to look at
MOST_WORDS = 36 * 36  # that have a sign of two characters
MOST_GENERATIONS = 12  # each makes a phrase a little longer to ask for

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ALL = text("SELECT word, number, generation FROM article_words_frequent")
_ENOUGH = text("SELECT count(*) FROM (SELECT 1 FROM article_words LIMIT :least) AS held")
_TURN = text(
    "SELECT pg_try_advisory_xact_lock(hashtext('wireroom'), hashtext('article_words_frequent'))"
)
_NEWEST = f"SELECT words FROM article_words ORDER BY position DESC LIMIT {LEARNT_FROM}"  # noqa: S608 - a number of our own
_LEARN = text(
    "INSERT INTO article_words_frequent (word, number, generation)"  # noqa: S608 - names of our own
    " SELECT word, :held + row_number() OVER (ORDER BY ndoc DESC, word) - 1, :generation"
    f" FROM ts_stat('{_NEWEST}') AS seen"
    " WHERE ndoc >= :least AND left(word, 1) <> ':'"
    " AND NOT EXISTS (SELECT 1 FROM article_words_frequent AS held WHERE held.word = seen.word)"
    " ORDER BY ndoc DESC, word LIMIT :room"
)


def read_frequent_words(conn: Connection) -> FrequentWords:
    """The list as it is now."""
    rows = conn.execute(_ALL).all()
    return FrequentWords(
        codes={row.word: _DIGITS[row.number // 36] + _DIGITS[row.number % 36] for row in rows},
        since={row.word: row.generation for row in rows},
        generation=max((row.generation for row in rows), default=0),
    )


def learn_frequent_words(conn: Connection) -> None:
    """Adds to the list what is frequent in the newest articles, as soon as there are enough of them.

    One at a time, until the end of its transaction: a generation is never added to. Whoever comes meanwhile leaves it.
    """
    if conn.execute(_ENOUGH, {"least": LEARNT_FROM}).scalar_one() < LEARNT_FROM:
        return
    if not conn.execute(_TURN).scalar_one():
        return
    held = read_frequent_words(conn)
    room = MOST_WORDS - len(held.codes)
    if room <= 0 or held.generation >= MOST_GENERATIONS:
        return
    new = {"held": len(held.codes), "generation": held.generation + 1, "room": room}
    conn.execute(_LEARN, {**new, "least": SHARE * LEARNT_FROM})
