"""What one content of an RSL document offers for one use: its licences are alternatives.

A free licence comes before a paid one, a paid one before none. Without a list of permitted usages a licence
says nothing, unless it has a price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from wireroom.model import Condition, Use, Word
from wireroom.signals.rsl.rsl_types import USERS, RslContent, RslLicence, RslPayment

FREE: Final = frozenset({"free", "attribution"})  # every other way of paying is paying
_TOKENS: Final[dict[Use, frozenset[str]]] = {
    "search": frozenset({"search", "all"}),
    "ai-input": frozenset({"ai-input", "ai-all", "all"}),
    "ai-index": frozenset({"ai-index", "ai-all", "all"}),
    "ai-train": frozenset({"ai-train", "ai-all", "all"}),
    "archive": frozenset({"all"}),  # keeping a text has no word of its own
}
_BEST: Final[tuple[Word, ...]] = ("allow", "paid", "unknown", "deny")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A word about one use, with what it depends on and how the licence puts it."""

    word: Word
    excerpt: str = ""
    conditions: tuple[Condition, ...] = ()


def covers_use(tokens: Iterable[str], use: Use) -> bool:
    """Whether a list of usages has the use in it, by its own name or a wider one."""
    return not _TOKENS[use].isdisjoint(tokens)


def offer_of(content: RslContent, use: Use) -> Offer:
    """The best that any licence of the content offers for the use."""
    if not content.licences:
        return Offer(word="unknown", excerpt="a content without a licence")
    offers = [_offer(licence, use) for licence in content.licences]
    # Of equal offers the one that asks for least; the first of those, so that order decides nothing else.
    return min(offers, key=lambda offer: (_BEST.index(offer.word), len(offer.conditions)))


def _offer(licence: RslLicence, use: Use) -> Offer:
    price = _price(licence)
    excerpt = _excerpt(licence, price)
    conditions = tuple(_conditions(licence, price))
    if licence.permits_usage is None:
        word: Word = "paid" if price.type not in FREE else "unknown"
        return Offer(word=word, excerpt=excerpt, conditions=conditions)
    if not covers_use(licence.permits_usage, use):
        return Offer(word="deny", excerpt=f"{excerpt}: {use} is not on the list")
    word = "allow" if price.type in FREE else "paid"
    return Offer(word=word, excerpt=excerpt, conditions=conditions)


def _price(licence: RslLicence) -> RslPayment:
    """The way to pay; of several the first that costs nothing, for they are alternatives."""
    if not licence.payments:
        return RslPayment()
    free = (payment for payment in licence.payments if payment.type in FREE)
    return next(free, licence.payments[0])


def _excerpt(licence: RslLicence, price: RslPayment) -> str:
    permitted = licence.permits_usage
    usage = "no list of usages" if permitted is None else f"permits usage: {' '.join(permitted)}"
    return f"{usage}; payment: {price.type}"


def _conditions(licence: RslLicence, price: RslPayment) -> Iterator[Condition]:
    if price.type == "attribution":
        yield Condition(kind="attribution", detail=", ".join(price.standard_urls))
    elif price.type not in FREE:
        yield Condition(kind="payment", detail=_price_tag(price))
    yield from _users(licence)
    if licence.permits_geo is not None:
        yield Condition(kind="territory", detail=" ".join(licence.permits_geo))
    if licence.prohibits_geo:
        yield Condition(kind="territory", detail=f"not {' '.join(licence.prohibits_geo)}")


def _users(licence: RslLicence) -> Iterator[Condition]:
    """Who may: without the commercial it is a condition of its own kind."""
    permitted = USERS if licence.permits_user is None else licence.permits_user
    left = [user for user in permitted if user not in licence.prohibits_user]
    if set(USERS) <= set(left):
        return
    if "commercial" not in left:
        yield Condition(kind="non-commercial", detail=" ".join(left))
    elif set(left) != {"commercial", "non-commercial"}:
        yield Condition(kind="users", detail=" ".join(left))


def _price_tag(price: RslPayment) -> str:
    where = price.custom_url or next(iter(price.standard_urls), "")
    amount = f"{price.amount} {price.currency}".strip()
    return ", ".join(filter(None, (price.type, amount, where)))
