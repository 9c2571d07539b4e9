"""What we do about verdicts: at fetching, at storing and at handing on. The operator decides.

Pure. `Policy` is this room's part of the settings; by default we fetch what robots.txt allows, keep the
text, and export for a use only what is allowed. Every answer gives its reason and names who said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from wireroom.model import USES, Article, Receipt, RobotsWord, Use, Verdict, Word

Kept = Literal["text", "excerpt", "metadata", "nothing"]
KEPT: Final[tuple[Kept, ...]] = ("text", "excerpt", "metadata", "nothing")
"""How much of an article is kept, most first."""

_ONLY_ALLOW: Final[Mapping[Use, tuple[Word, ...]]] = MappingProxyType(
    dict.fromkeys(USES, ("allow",))
)
_EVERYTHING: Final[Mapping[Word, Kept]] = MappingProxyType(
    {"allow": "text", "deny": "text", "paid": "text", "unknown": "text"}
)


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
    for verdict in _about(policy.uses, verdicts):
        if verdict.value not in policy.fetch_on:
            return FetchAnswer(False, _reason(verdict))
    return FetchAnswer(True)


def decide_storage(policy: Policy, verdicts: Iterable[Verdict]) -> StorageAnswer:
    """How much of an article is kept: the least that any verdict leaves."""
    uses = tuple(dict.fromkeys(("archive", *policy.uses)))
    least = StorageAnswer("text")
    for verdict in _about(uses, verdicts):
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
    verdict = next(iter(_about((use,), verdicts)))
    if verdict.value in policy.export_on.get(use, ("allow",)):
        return True, ""
    return False, _reason(verdict)


def _about(uses: Iterable[Use], verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts about these uses; one that was never given is unknown."""
    known = {verdict.use: verdict for verdict in verdicts}
    return tuple(known.get(use, Verdict(use=use, value="unknown")) for use in uses)


def _reason(verdict: Verdict) -> str:
    """`ai-train: deny by rsl (https://…/rsl.xml line 12: prohibits usage: ai-train)`."""
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


# How an article is cut down to what may be kept of it.
#
# Pure. The hash of the whole text stays, so that a page that has not changed is known again; what it said
# does not.

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
