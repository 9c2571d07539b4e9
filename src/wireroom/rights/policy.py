"""What we do about verdicts: at fetching, at saving and at export. The operator decides.

Pure. `Policy` is this room's part of the settings; by default we fetch what robots.txt allows, keep the
text, and export for a use only what is allowed. Every answer gives its reason and names who said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from wireroom.display_text import enumerated
from wireroom.errors import SettingsError
from wireroom.model import (
    USES,
    Article,
    Item,
    Original,
    Receipt,
    RobotsWord,
    Signal,
    Use,
    Verdict,
    Word,
)
from wireroom.urls import is_web_url

Kept = Literal["text", "excerpt", "metadata", "nothing"]
Reprints = Literal["own", "strictest"]
KEPT: Final[tuple[Kept, ...]] = ("text", "excerpt", "metadata", "nothing")
"""How much of an article is kept, most first."""

_ONLY_ALLOW: Final[Mapping[Use, tuple[Word, ...]]] = MappingProxyType(
    dict.fromkeys(USES, ("allow",))
)
_EVERYTHING: Final[Mapping[Word, Kept]] = MappingProxyType(
    {"allow": "text", "deny": "text", "paid": "text", "unknown": "text"}
)


def check_use(use: str) -> None:
    """Raises SettingsError for what is no use: a word that nobody knows must not come to mean one of them."""
    if use not in USES:
        raise SettingsError([f"there is no use {use!r}"], hint=f"One of: {', '.join(USES)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's choices."""

    uses: tuple[Use, ...] = ()
    """What articles are taken for; fetching is judged by these. None: every use is left to the export."""
    fetch_on: tuple[Word, ...] = ("allow", "unknown", "paid", "deny")
    """The verdicts about these uses under which a page is fetched."""
    store_on: Mapping[Word, Kept] = field(default_factory=lambda: dict(_EVERYTHING))
    """How much is kept, by the verdict about archiving and about these uses."""
    excerpt_words: int = 50
    """How long an excerpt is."""
    export_on: Mapping[Use, tuple[Word, ...]] = field(default_factory=lambda: dict(_ONLY_ALLOW))
    """The verdicts under which an article is exported, use by use."""
    certain: bool = True
    """Whether an allow counts only while everybody who might refuse can be read."""
    reprints: Reprints = "own"
    """Whose rights count when a reprint is exported: its own, or the strictest of its own and its original's."""


class FetchAnswer(NamedTuple):
    """Whether a page may be fetched, and why not."""

    ok: bool
    reason: str = ""


class StorageAnswer(NamedTuple):
    """How much of an article is kept, and why not all of it."""

    kept: Kept
    reason: str = ""


def decide_fetch(
    policy: Policy, verdicts: Iterable[Verdict], *, robots_word: RobotsWord = "unknown"
) -> FetchAnswer:
    """Whether a page may be fetched; robots.txt is asked first, and no policy overrules it."""
    if robots_word == "disallowed":
        return FetchAnswer(False, "robots.txt does not let us read it")
    for verdict in _about(policy, policy.uses, verdicts):
        if verdict.value not in policy.fetch_on:
            return FetchAnswer(False, _reason(verdict))
    return FetchAnswer(True)


def decide_storage(policy: Policy, verdicts: Iterable[Verdict]) -> StorageAnswer:
    """How much of an article is kept: the least that any verdict leaves."""
    uses = tuple(dict.fromkeys(("archive", *policy.uses)))
    least = StorageAnswer("text")
    for verdict in _about(policy, uses, verdicts):
        kept = policy.store_on.get(verdict.value, "text")
        if KEPT.index(kept) > KEPT.index(least.kept):
            least = StorageAnswer(kept, _reason(verdict))
    return least


def decide_export(policy: Policy, use: Use | None, receipt: Receipt | None) -> tuple[bool, str]:
    """Whether an article may be exported for the use, and the reason why not.

    Without a use it is the operator's own business. Without a receipt nothing is known.
    """
    if use is None:
        return True, ""
    if receipt is not None and receipt.robots == "disallowed":
        return False, f"{use}: robots.txt does not let us read the page, so there is no use of it"
    verdicts = receipt.verdicts if receipt is not None else ()
    verdict = next(iter(_about(policy, (use,), verdicts)))
    if verdict.value in policy.export_on.get(use, ("allow",)):
        return True, ""
    return False, _reason(verdict)


_VERBS: Final[Mapping[Word, str]] = MappingProxyType({"paid": "sells", "deny": "refuses"})
_KEPT_WORDS: Final[Mapping[Kept, str]] = MappingProxyType(
    {
        "text": "Full texts are kept all the same",
        "excerpt": "Only excerpts are kept",
        "metadata": "No texts are kept, only what is known about them",
        "nothing": "Nothing of it is kept",
    }
)


def refusal_words(verdicts: Sequence[Verdict]) -> str:
    """`sells search and refuses archive`; empty where a publisher does neither."""
    uses = [(word, [each.use for each in verdicts if each.value == word]) for word in _VERBS]
    phrases = [f"{_VERBS[word]} {enumerated(names)}" for word, names in uses if names]
    return enumerated(phrases)


def refusal_notice(policy: Policy, verdicts: Sequence[Verdict]) -> str:
    """What a publisher refuses or sells, and what is done about it; empty where it does neither."""
    refusal = refusal_words(verdicts)
    if not refusal:
        return ""
    uses = dict.fromkeys(("archive", *policy.uses))
    words = {verdict.value for verdict in _about(policy, uses, verdicts)} & set(_VERBS)
    settings = enumerated([f"rights.store_on_{word}" for word in sorted(words)])
    kept = _KEPT_WORDS[decide_storage(policy, verdicts).kept]
    keeping = f"{kept} ({settings}); an" if settings else "An"
    return f"It {refusal}. {keeping} export for a use leaves out what is not permitted."


def original_that_counts(policy: Policy, article: Article) -> Original | None:
    """The original whose rights count as well when the article is exported; none for most."""
    return article.original if policy.reprints == "strictest" else None


def reason_of_original(original: Original, reason: str) -> str:
    """`its original in courier.test (https://…) does not permit it: ai-train: deny by rsl (…)`."""
    return f"its original in {original.publisher} ({original.url}) does not permit it: {reason}"


def _about(policy: Policy, uses: Iterable[Use], verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts about these uses; one that was never given is unknown."""
    known = {verdict.use: verdict for verdict in verdicts}
    found = (known.get(use, Verdict(use=use, value="unknown")) for use in uses)
    return tuple(verdict if policy.certain else _without_unseen(verdict) for verdict in found)


def _without_unseen(verdict: Verdict) -> Verdict:
    """What those who could be read say, where the operator takes that."""
    if not verdict.unseen:
        return verdict
    allowing = tuple(signal for signal in verdict.conflicts if signal.value == "allow")
    return replace(verdict, value="allow", because=allowing, conflicts=(), unseen=())


def _reason(verdict: Verdict) -> str:
    """`ai-train: deny by rsl (https://…/rsl.xml line 12: prohibits usage: ai-train)`."""
    if verdict.unseen:
        return f"{verdict.use}: unknown, {_unseen(verdict.unseen)}"
    if not verdict.because:
        return f"{verdict.use}: {verdict.value}, nothing that was seen speaks of it"
    signal = verdict.because[0]
    where = signal.evidence.url
    if signal.evidence.line is not None:
        where += f" line {signal.evidence.line}"
    message = f"{where}: {signal.evidence.excerpt}" if signal.evidence.excerpt else where
    more = len({signal.family for signal in verdict.because}) - 1
    others = f" and {more} more" if more > 0 else ""
    return f"{verdict.use}: {verdict.value} by {signal.family}{others} ({message})"


def _unseen(signals: tuple[Signal, ...]) -> str:
    """`terms and 2 more could not be read (https://…/terms: status 503)`."""
    families = list(dict.fromkeys(signal.family for signal in signals))
    more = f" and {len(families) - 1} more" if len(families) > 1 else ""
    evidence = signals[0].evidence
    return f"{families[0]}{more} could not be read ({evidence.url}: {evidence.excerpt})"


# How an article is cut down to what may be kept of it.
#
# Pure. The hash of the whole text stays, so that a page that has not changed is known again; what it said
# does not.

_MARK = "…"
REPEATS_THE_TEXT = frozenset({"json_ld", "selectors", "feed", "images"})
"""Extras in which the whole text, or what images say, may stand once more."""


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
    return replace(article, text=text, layout=layout, captions=(), extra=extra, raw=None)


def keeps_everything(policy: Policy) -> bool:
    """Whether all texts are kept, whatever the verdicts."""
    return all(kept == "text" for kept in policy.store_on.values())


def reduce_item(item: Item, answer: StorageAnswer) -> Item:
    """What may be kept of a feed's item: its text goes where that of its page would not be kept whole."""
    if answer.kept == "text":
        return item
    return replace(item, content_html="", summary="", extra=without_texts(item.extra))


LONGEST_WORD_OF_EXTRAS = 200  # characters; a longer string of an item's extras is a text
TERMS_EXTRA = "rsl"
"""The extra of an item that holds the terms its feed states for it: a list."""
RIGHTS_EXTRAS = (TERMS_EXTRA, "licence_url", "feed_headers")
"""Extras of an item from which rights are read: they stay, however long they are."""


def without_texts(extra: Mapping[str, Any]) -> dict[str, Any]:
    """An item's extras without what may be its text once more, such as a description of a medium."""
    return {
        name: value if name in RIGHTS_EXTRAS else short
        for name, value in extra.items()
        if (short := _short(value)) is not None or name in RIGHTS_EXTRAS
    }


def _short(value: Any) -> Any:
    """The value without long strings; None for one that is a long string itself."""
    if isinstance(value, str):
        is_text = len(value) > LONGEST_WORD_OF_EXTRAS and not is_web_url(value)
        return None if is_text else value
    if isinstance(value, Mapping):
        shorts = ((name, _short(held)) for name, held in value.items())
        return {name: short for name, short in shorts if short is not None}
    if isinstance(value, list | tuple):
        return [short for held in value if (short := _short(held)) is not None]
    return value


def excerpt(text: str, words: int) -> str:
    """The first words of a text; a script without blanks is cut by characters, some three to a word."""
    parts = text.split()
    if len(parts) > words:
        return " ".join(parts[:words]) + _MARK
    longest = words * 8  # characters; what so many words have at most in a script with blanks
    return text if len(text) <= longest else text[: words * 3].rstrip() + _MARK


def word_about(receipt: Receipt | None, use: Use) -> Word:
    """The verdict about one use; unknown where none was given."""
    verdicts = receipt.verdicts if receipt is not None else ()
    return next((verdict.value for verdict in verdicts if verdict.use == use), "unknown")
