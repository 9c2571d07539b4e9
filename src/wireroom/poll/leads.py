"""What becomes of a lead after it was worked on: read, tried again, refused or failed.

Pure. What is permanent is not tried again; what is not is tried three times, each time after a longer wait,
and then set aside with its reason until somebody asks for it. A fault of ours costs a lead nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from wireroom.errors import FetchError
from wireroom.model import (
    Article,
    Hints,
    Item,
    Lead,
    LeadCause,
    LeadState,
    Problem,
    ProblemKind,
    Reading,
    Signature,
)
from wireroom.parse.plain_text import line_of_html
from wireroom.poll.reliability import (
    FORBIDDEN,
    MAX_MESSAGE,
    OURS,
    UNREADABLE,
    problem_of,
    reading_observations,
)
from wireroom.poll.schedule import RETRY_LEAST, RETRY_MOST, spread
from wireroom.urls import identity_key, same_page

MAX_ATTEMPTS: Final = 3  # then a page that fails is set aside
MAX_THROTTLED: Final = 8  # a server that asks us to wait has said nothing about the page
FIRST_WAIT: Final = timedelta(minutes=1)  # doubled with every further attempt
UNREAD_WAIT: Final = timedelta(minutes=10)  # a page without an article may still be being written
BLOCKED_WAIT: Final = timedelta(hours=8)  # then 16: three tries over a day
LONGEST_WAIT: Final = timedelta(hours=24)
OUR_WAIT: Final = timedelta(minutes=1)  # when it was us

_NOT_COUNTED: Final[frozenset[ProblemKind]] = frozenset({"our_network", "store"})
_BLOCKED: Final[frozenset[ProblemKind]] = frozenset({"blocked_waf", "challenge"})
"""403, or a challenge in its place: whoever was taken for a robot in the morning may be let in at night."""
# A server that answers so has refused this page to us; to come back does not change its mind.
_REFUSING: Final[frozenset[ProblemKind]] = frozenset(
    {"blocked_waf", "challenge", "consent_wall", "login", "payment_required", "gone"}
)


def wants_fetch(lead: Lead, hints: Hints | None = None) -> bool:
    """Whether the page has to be fetched: not when the feed's item holds the whole article.

    Selectors are about pages: an operator who gives some wants the page, whatever the feed holds. So does
    whoever asks for a page anew.
    """
    if hints is not None and (hints.body_selector or hints.metadata_selectors):
        return True
    if lead.cause is LeadCause.ASKED_ANEW or lead.attempts:
        return True
    return lead.item is None or not is_complete(lead.item)


def refuse_bad_url(lead: Lead, now: datetime) -> Reading | None:
    """The failed reading of a lead whose address is none; None for one that can be asked."""
    try:
        identity_key(lead.url)
    except ValueError as exc:
        message = f"no address that could be asked: {exc}"
        problem = Problem(
            kind="bad_response", message=message, subject_url=lead.url, at=now, permanent=True
        )
        bad = replace(lead, cause=LeadCause.BAD_ADDRESS, reason=message)
        return _ended(bad, "failed", problem, now)
    return None


def after_article(
    lead: Lead,
    article: Article,
    now: datetime,
    *,
    signature: Signature | None = None,
    blocks: tuple[str, ...] = (),
) -> Reading:
    """The reading of a lead that gave an article."""
    done = replace(lead, state="read", cause=LeadCause.NONE, reason="", read_after=None)
    return Reading(
        lead=done,
        article=article,
        signature=signature,
        blocks=blocks,
        observations=reading_observations(done, now, article=article),
    )


def after_error(
    lead: Lead,
    error: FetchError | Problem,
    now: datetime,
    jitter: float,
    *,
    our_side: bool = False,
) -> Reading:
    """The reading of a lead whose page could not be had.

    With `our_side` the caller says that nobody can be reached: the attempt does not count.
    """
    problem = error if isinstance(error, Problem) else _problem(lead, error, now, our_side=our_side)
    if problem.kind in _NOT_COUNTED:
        return _again(lead, problem, now, OUR_WAIT, jitter)
    if problem.kind in FORBIDDEN:
        return _ended(_caused(lead, problem), "refused", problem, now)
    if problem.kind == "gone":
        return _gone(_counted(lead), problem, now)
    if problem.kind in _BLOCKED:
        problem = replace(problem, permanent=False)
        return _counted_again(lead, problem, now, jitter, first=BLOCKED_WAIT, limit=MAX_ATTEMPTS)
    limit = MAX_THROTTLED if problem.kind == "throttled" else MAX_ATTEMPTS
    return _counted_again(lead, problem, now, jitter, first=FIRST_WAIT, limit=limit)


def withdraw(reading: Reading, held: Article | None) -> Reading:
    """The reading with the article that was read from its page before, when the publisher took that back."""
    if reading.lead.cause is not LeadCause.WITHDRAWN or held is None or held.state == "withdrawn":
        return reading
    return replace(reading, article=replace(held, state="withdrawn"))


def feed_text_serves(reading: Reading) -> bool:
    """Whether the text in the feed is to be the article of a lead whose page could not be fetched.

    At once where the server refuses the page, else when the page is given up. Never where we may not ask, and not
    where the publisher took the page back.
    """
    lead, problem = reading.lead, reading.problem
    if problem is None or lead.item is None or problem.kind in OURS:
        return False
    if lead.cause in {LeadCause.WITHDRAWN, LeadCause.BAD_ADDRESS}:
        return False
    is_over = lead.state == "failed" or problem.kind in _REFUSING
    return is_over and serves_alone(lead.item)


def after_unread(lead: Lead, problem: Problem, now: datetime, jitter: float) -> Reading:
    """The reading of a lead whose page was fetched and gave no article.

    A page that is nothing we know stays so. One without an article is looked at again: servers say
    "back in a minute" with status 200, and editors publish before they write.
    """
    if problem.kind == "no_article":
        problem = replace(problem, permanent=False)
        return _counted_again(lead, problem, now, jitter, first=UNREAD_WAIT, limit=MAX_ATTEMPTS)
    return _counted_again(lead, problem, now, jitter, first=FIRST_WAIT, limit=MAX_ATTEMPTS)


def _problem(lead: Lead, error: FetchError, now: datetime, *, our_side: bool) -> Problem:
    """A problem of the lead, under the lead's own address; where redirects had led is named."""
    problem = problem_of(error, now=now, our_side=our_side)
    elsewhere = "" if same_page(problem.subject_url, lead.url) else f" (at {problem.subject_url})"
    message = f"{problem.message}{elsewhere}"[:MAX_MESSAGE]
    return replace(problem, message=message, subject_url=lead.url)


# --- one step ------------------------------------------------------------------------------------


def _counted(lead: Lead) -> Lead:
    return replace(lead, attempts=lead.attempts + 1)


def _gone(lead: Lead, problem: Problem, now: datetime) -> Reading:
    """404 may be a slip and deletes nothing; 410 and 451 are meant. None of them is tried again."""
    cause = LeadCause.WITHDRAWN if problem.permanent else LeadCause.GONE
    gone = replace(lead, cause=cause, reason=f"{cause}: {problem.message}")
    return _ended(gone, "failed", replace(problem, permanent=True), now)


def _counted_again(
    lead: Lead, problem: Problem, now: datetime, jitter: float, *, first: timedelta, limit: int
) -> Reading:
    """One attempt more: the next one after a longer wait, or the end of it."""
    lead = _counted(lead)
    if problem.permanent or lead.attempts >= limit:
        return _ended(_caused(lead, problem), "failed", problem, now)
    wait = first * (1 << min(lead.attempts - 1, 16))
    return _again(lead, problem, now, min(wait, LONGEST_WAIT), jitter)


def _again(lead: Lead, problem: Problem, now: datetime, wait: timedelta, jitter: float) -> Reading:
    wait = spread(wait, jitter)
    if problem.retry_after is not None:
        wait = max(wait, min(max(problem.retry_after, RETRY_LEAST), RETRY_MOST))
    waiting = replace(_caused(lead, problem), state="retry", read_after=now + wait)
    observed = reading_observations(waiting, now, problem=problem)
    return Reading(lead=waiting, problem=problem, observations=observed)


def _caused(lead: Lead, problem: Problem) -> Lead:
    return replace(lead, cause=_cause(problem), reason=f"{problem.kind}: {problem.message}")


def _cause(problem: Problem) -> LeadCause:
    if problem.kind in FORBIDDEN:
        return LeadCause(problem.kind)
    if problem.kind in OURS:
        return LeadCause.OUR_FAULT
    return LeadCause.UNREADABLE if problem.kind in UNREADABLE else LeadCause.NOT_FETCHED


def _ended(lead: Lead, state: LeadState, problem: Problem, now: datetime) -> Reading:
    done = replace(lead, state=state, read_after=None)
    return Reading(
        lead=done, problem=problem, observations=reading_observations(done, now, problem=problem)
    )


# Whether a feed's item holds the whole article already, so that its page need not be fetched.
#
# Pure. A text is whole when it is long enough, does not end like a teaser, and was not cut at a length at
# which all texts of its feed end.

FEWEST_WORDS: Final = 150  # the longest teasers have a hundred; a shorter article costs one request
MAX_TEXT: Final = 200_000  # characters that are looked at: longer than any article
TAIL: Final = 240  # characters at the end in which a teaser says where to go on
COMPARED: Final = 4  # texts of a feed that must be there before their lengths say anything
SAME_LENGTH: Final = 0.02  # by which cut texts differ: a cut falls between two words
CUT_SHARE: Final = 0.6  # of the feed's texts, with the same length: they were cut
TIMES_SUMMARY: Final = (
    2  # the text must have so many times the words of the summary, if there is one
)

FEWEST_ALONE: Final = 50  # words of a text that is all we get; fewer are a notice or a teaser
LONGEST_TEASER: Final = 100  # words; a text of more is no teaser, whatever its summary is

FULL_TEXT: Final = "full_text"  # the note in an item's extra: true, or why it is not

_ELLIPSIS: Final = re.compile(r"(?:…|\.\.\.|\[(?:…|\.\.\.)\]|\((?:…|\.\.\.)\))\W*$")
_BRACKETED: Final = re.compile(
    r"\[\s*(?:…|\.\.\.)\s*\]|\(\s*more\s*(?:…|\.\.\.)\s*\)", re.IGNORECASE
)
# How feeds send their readers on to the page, in the languages of our publishers (November 2026).
_READ_ON: Final = re.compile(
    r"read (?:more|on|the (?:full|rest|whole|entire))|continue reading|keep reading|full (?:story|article)\b"
    r"|weiterlesen|mehr lesen|zum artikel|lesen sie (?:mehr|weiter)|lire la suite|lire plus|en savoir plus"
    r"|leer m[áa]s|seguir leyendo|sigue leyendo|leggi (?:tutto|di più|ancora)|continua a leggere"
    r"|ler mais|leia mais|continue lendo|lees (?:meer|verder)|czytaj (?:więcej|dalej)|l[äæ]s (?:mer|mere)\b"
    r"|les mer|lue lisää|číst dále|celý článek|читать (?:далее|дальше|полностью)|читати далі"
    r"|διαβάστε|devamını oku|続きを読む|阅读更多|阅读全文|閱讀更多|자세히 보기|더 보기|اقرأ المزيد|और पढ़ें",
    re.IGNORECASE,
)


# How sentences end in the scripts of our publishers, with quotes and brackets behind.
_SENTENCE_END: Final = re.compile(r"[.!?。．！？।॥։؟۔።][\s\"'”’»«“)\]）」』]*$")


class _ItemText(NamedTuple):
    words: int
    tail: str


def is_complete(item: Item, others: Sequence[Item] = ()) -> bool:
    """Whether the item holds the whole article; `others` are items of the same document."""
    return not why_incomplete(item, others)


def why_incomplete(item: Item, others: Sequence[Item] = ()) -> str:
    """Why the item does not hold the whole article; empty when it does."""
    # Where the policy keeps no text of items, one that held the whole article is left without.
    noted = item.extra.get(FULL_TEXT) if item.content_html or item.summary else None
    if not others and (noted is True or (isinstance(noted, str) and noted)):
        return "" if noted is True else str(noted)
    text = _item_text(item)
    lengths = sorted([text.words, *(_item_text(other).words for other in others if other != item)])
    return _why(item, text, lengths)


def serves_alone(item: Item) -> bool:
    """Whether the item's text can be the article where its page cannot be had.

    Less is asked than of a text that spares its page the fetch: it may be short, or as long as the others of its
    feed, if it is no teaser and does not break off in the middle of a sentence.
    """
    if is_complete(item):
        return True
    text = line_of_html(item.content_html[:MAX_TEXT], MAX_TEXT)
    least = min(max(FEWEST_ALONE, TIMES_SUMMARY * _words(item.summary)), LONGEST_TEASER)
    if _words(text) < least:
        return False
    tail = text[-TAIL:]
    return not _sends_on(tail) and _SENTENCE_END.search(tail) is not None


def mark_full_texts(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items of a document, each that has content with a note on whether that is the whole article.

    The note is for later: by itself an item cannot tell that all texts of its feed have its length.
    """
    texts = [_item_text(item) for item in items]
    lengths = sorted(text.words for text in texts)
    return tuple(
        replace(item, extra={**item.extra, FULL_TEXT: _why(item, text, lengths) or True})
        if item.content_html
        else item
        for item, text in zip(items, texts, strict=True)
    )


def _words(text: str) -> int:
    # It comes with the reader of pages, which a run has in its workers alone.
    from wireroom.parse.body import count_words

    return count_words(text)


def _item_text(item: Item) -> _ItemText:
    """The words of the content and its end; none where there cannot be enough of them."""
    if len(item.content_html) < FEWEST_WORDS:
        return _ItemText(0, "")
    text = line_of_html(item.content_html[:MAX_TEXT], MAX_TEXT)
    return _ItemText(_words(text), text[-TAIL:])


def _why(item: Item, text: _ItemText, lengths: Sequence[int]) -> str:
    if text.words < FEWEST_WORDS:
        return f"fewer than {FEWEST_WORDS} words" if item.content_html else "no content"
    if text.words < TIMES_SUMMARY * _words(item.summary):
        return "hardly longer than the summary"
    if len(item.content_html) > MAX_TEXT:
        return ""  # its end was not looked at; no teaser is so long
    if _ends_in_ellipsis(text.tail):
        return "ends in an ellipsis"
    if _READ_ON.search(text.tail):
        return "sends its readers on to the page"
    return "as long as the other texts of its feed: cut" if _was_cut(text.words, lengths) else ""


def _ends_in_ellipsis(tail: str) -> bool:
    return _ELLIPSIS.search(tail) is not None or _BRACKETED.search(tail) is not None


def _sends_on(tail: str) -> bool:
    return _ends_in_ellipsis(tail) or _READ_ON.search(tail) is not None


def _was_cut(words: int, lengths: Sequence[int]) -> bool:
    """Whether most texts among these sorted lengths have this one's."""
    known = len(lengths) - bisect_right(lengths, 0)
    if known < COMPARED:
        return False
    slack = max(1, SAME_LENGTH * words)
    alike = bisect_right(lengths, words + slack) - bisect_left(lengths, words - slack)
    return alike >= CUT_SHARE * known
