"""How an article is cut down to what may be kept of it.

Pure. The hash of the whole text stays, so that a page that has not changed is known again; what it said
does not.
"""

from __future__ import annotations

from dataclasses import replace

from wireroom.model import Article
from wireroom.rights.policy import Policy, StorageAnswer

_MARK = "…"
REPEATS_THE_TEXT = frozenset({"json_ld", "selectors", "feed"})
"""Extras in which the whole text may stand once more."""


def reduce_article(article: Article, answer: StorageAnswer, policy: Policy) -> Article | None:
    """What may be kept of the article, with the reason in its extras; None when nothing may."""
    if answer.kept == "text":
        return article
    if answer.kept == "nothing":
        return None
    text = excerpt(article.text, policy.excerpt_words) if answer.kept == "excerpt" else ""
    others = {name: value for name, value in article.extra.items() if name not in REPEATS_THE_TEXT}
    extra = {**others, "kept": answer.kept, "kept_because": answer.reason}
    layout = article.layout if text == article.text else ""
    return replace(article, text=text, layout=layout, extra=extra, raw=None)


def excerpt(text: str, words: int) -> str:
    """The first words of a text; a script without blanks is cut by characters, some three to a word."""
    parts = text.split()
    if len(parts) > words:
        return " ".join(parts[:words]) + _MARK
    longest = words * 8  # characters; what so many words have at most in a script with blanks
    return text if len(text) <= longest else text[: words * 3].rstrip() + _MARK
