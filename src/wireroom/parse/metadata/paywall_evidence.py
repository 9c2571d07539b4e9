"""Whether one may read on: free, metered, locked, registration or unknown, with the evidence.

Pure. What the page says in linked data, microdata and meta tags comes first; then elements that are
called a wall, and what they say. No sign at all is taken for free, at little confidence. A vendor's
script alone means that the page *can* be metered: it is noted and does not decide. Words are looked at last,
on pages of little text, and outside of footers and the like, half of which speak of subscriptions: a count of
free articles is a meter, and a lone "sign in to read more" makes the page unknown, for it may be one or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from wireroom.model import Claim, Paywall
from wireroom.parse.metadata.jsonld import Node
from wireroom.parse.metadata.metadata_sources import Sources
from wireroom.parse.metadata.types import Field
from wireroom.parse.metadata.vocabulary import listed
from wireroom.parse.plain_text import line

CAN_BE_METERED: Final = "can be metered: a vendor's script is on the page"
NO_SIGN: Final = "no sign of a wall"
NO_SIGN_CONFIDENCE: Final = 0.3  # the page may be walled by a script we do not know
MAX_PARTS: Final = 30  # of one article in linked data
MAX_SHOWN: Final = 100  # characters of a script's address
DECISIVE: Final = 0.6  # from here on a claim decides
CUT_SHARE: Final = 0.5  # of the words that the page promises; with fewer, something is held back
ENOUGH_TEXT: Final = 300  # words; a page that shows so many is not searched for words of a wall
ASKED_CONFIDENCE: Final = 0.3  # of a request to sign in that stands anywhere
COUNTED_CONFIDENCE: Final = 0.6  # of a count of what is left to read
FEWEST_PROMISED: Final = 150  # words; below that the share says nothing

VENDOR_HOSTS: Final = frozenset(
    listed(
        """
        tinypass.com piano.io cxense.com poool.fr zephr.com blaize.io pelcro.com memberful.com
        laterpay.net evolok.net steadyhq.com memberstack.com fewcents.co
        """
    )
)  # as of 2026-11
_VENDOR_PATHS: Final = (
    "leaky-paywall",
    "/arc/subs/",
    "swg-basic",
    "news.google.com/swg",
    "subscribe-with-google",
)
_TIERS: Final[Mapping[str, Paywall]] = {
    "free": "free",
    "public": "free",
    "metered": "metered",
    "locked": "locked",
    "premium": "locked",
    "paid": "locked",
    "subscriber": "locked",
    "subscribers": "locked",
    "subscription": "locked",
    "registered": "registration",
    "registration": "registration",
}
_TIER_METAS: Final = (
    "article:content_tier",
    "article.access",
    "article:access",
    "access",
    "content_tier",
    "article:accesstype",
)
_TIER_SOURCES: Final = frozenset(f"meta {name}" for name in _TIER_METAS)
_PREMIUM_METAS: Final = (
    "ispremium",
    "is_premium",
    "premium",
    "article:premium",
    "cxenseparse:paywall",
)
_YES: Final = frozenset({"true", "yes", "1", "on", "locked", "premium", "hard"})
_NO: Final = frozenset({"false", "no", "0", "off", "free", "none"})
_REGISTER: Final = re.compile(
    r"(?:register|sign (?:up|in)|create (?:an|your) account|log ?in|anmelden|registrieren|inscrivez|connectez|regístr|inicia sesión|accedi|registrati|会員登録|ログイン|зарегистр|войдите).{0,60}(?:free|continue|read|kostenlos|weiter|gratuit|gratis|continuar|leggere|無料|чтобы)",
    re.IGNORECASE | re.DOTALL,
)
_SUBSCRIBE: Final = re.compile(
    r"subscribe|subscriber|subscription|abonn|suscr|assinante|assine|abbonat|prenumer|подпис|購読|有料会員|订阅|訂閱|구독",
    re.IGNORECASE,
)
_GLANCE: Final = (
    "log in", "login", "sign in", "sign up", "register", "account", "free articles", "free stories",
    "articles left", "articles remaining", "limit", "anmelden", "registrieren", "inscrivez",
    "connectez", "regístr", "inicia sesión", "accedi", "registrati", "会員登録", "ログイン",
    "зарегистр", "войдите",
)  # fmt: skip
_METER: Final = re.compile(
    r"free (?:articles?|stories) (?:left|remaining|this month)|articles? (?:left|remaining)|(?:reached|hit) (?:your|the) (?:monthly )?limit|remaining (?:free )?articles?",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(f"{_METER.pattern}|{_REGISTER.pattern}", re.IGNORECASE | re.DOTALL)


def paywall(sources: Sources, *, word_count: int = 0) -> Field[Paywall]:
    """The class that the surest evidence gives; `word_count` is the body's, if it was read."""
    claims = sorted(_evidence(sources, word_count), key=lambda claim: -claim.confidence)
    notes = tuple(_vendors(sources))
    vendor = (CAN_BE_METERED, *notes) if notes else ()
    closed = [claim for claim in claims if claim.value != "free"]
    if not claims and not vendor:
        return Field(value="free", source=NO_SIGN, confidence=NO_SIGN_CONFIDENCE)
    if not claims or claims[0].confidence < DECISIVE:
        return Field(value="unknown", claims=tuple(claims), notes=vendor)
    best = claims[0]
    value: Paywall = best.value if best.value == "free" else _kind(closed)
    return Field(
        value=value,
        source=best.source,
        confidence=best.confidence,
        claims=tuple(claims),
        notes=vendor,
    )


def _kind(closed: list[Claim]) -> Paywall:
    """Of a page that is not free: its own word for it, else the most telling of the walls.

    "Locked" is what is said for want of another word: a wall that asks to register tells more.
    """
    kinds = {claim.value for claim in closed}
    tiers = [claim.value for claim in closed if claim.source in _TIER_SOURCES]
    if "metered" in tiers or ("metered" in kinds and not tiers):
        return "metered"
    return "registration" if "registration" in kinds else "locked"


def _evidence(sources: Sources, word_count: int) -> Iterator[Claim]:
    declared: list[Claim] = []
    for nodes, name in ((sources.nodes, "json-ld"), (sources.items, "microdata")):
        declared += _schema(nodes, name)
    declared += _metas(sources)
    yield from declared
    # A page that calls itself free need not be searched for walls; a closed one may say which kind.
    if not any(claim.value == "free" for claim in declared):
        walls = list(_walls(sources))
        yield from walls
        if not walls and not declared and word_count < ENOUGH_TEXT:
            yield from _words(sources)
    promised = _promised_words(sources.articles)
    if word_count and promised >= FEWEST_PROMISED and word_count < CUT_SHARE * promised:
        shown = f"{word_count} of {promised} words shown"
        yield Claim(value="locked", source=shown, confidence=0.4)


def accessible_for_free(node: Node) -> bool | None:
    """What a node or one of its parts says about being free; None when neither says anything."""
    parts = node.get("hasPart")
    declared = [_truth(node.get("isAccessibleForFree"))]
    declared += (
        _truth(part.get("isAccessibleForFree"))
        for part in (parts if isinstance(parts, list) else [parts])[:MAX_PARTS]
        if isinstance(part, dict)
    )
    if False in declared:
        return False
    return True if declared[0] else None


def _schema(nodes: Iterable[Node], name: str) -> Iterator[Claim]:
    for node in nodes:
        free = accessible_for_free(node)
        if free is not None:
            source = f"{name} isAccessibleForFree"
            yield Claim(value="free" if free else "locked", source=source, confidence=0.95)
            return


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = value.rpartition("/")[2].strip().lower() if isinstance(value, str) else ""
    return True if word in ("true", "yes", "1") else False if word in ("false", "no", "0") else None


def _metas(sources: Sources) -> Iterator[Claim]:
    for name, value in sources.head.every(*_TIER_METAS):
        kind = _TIERS.get(value.strip().lower())
        if kind:
            yield Claim(value=kind, source=f"meta {name}", confidence=0.93)
    for name, value in sources.head.every(*_PREMIUM_METAS):
        word = value.strip().lower()
        if word in _YES or word in _NO:
            yield Claim(
                value="locked" if word in _YES else "free", source=f"meta {name}", confidence=0.8
            )
    for name in sources.head.metas:
        if name.startswith("cxenseparse:") and "paywall" in name and name not in _PREMIUM_METAS:
            word = sources.head.first(name).strip().lower()
            if word in _YES:
                yield Claim(value="locked", source=f"meta {name}", confidence=0.7)


def _walls(sources: Sources) -> Iterator[Claim]:
    """An element called a wall is a hint; one that asks for something is evidence."""
    for seen in sources.visible.walls:
        names = seen.names.lower()
        source = f"element {names.split()[0]}" if names.split() else "element"
        if "regwall" in names or _REGISTER.search(seen.text):
            yield Claim(value="registration", source=source, confidence=0.65 if seen.text else 0.4)
        elif "meter-" in names or _METER.search(seen.text):
            yield Claim(value="metered", source=source, confidence=0.65 if seen.text else 0.4)
        elif _SUBSCRIBE.search(seen.text):
            yield Claim(value="locked", source=source, confidence=0.65)
        else:
            yield Claim(value="locked", source=source, confidence=0.3)


def _words(sources: Sources) -> Iterator[Claim]:
    """What the page itself says outside of anything called a wall."""
    text = sources.visible.asking(_GLANCE, _ASKED)
    if not text:
        return
    source = f"words: {line(text, MAX_SHOWN)}"
    if _METER.search(text):
        yield Claim(value="metered", source=source, confidence=COUNTED_CONFIDENCE)
    else:
        yield Claim(value="registration", source=source, confidence=ASKED_CONFIDENCE)


def _promised_words(articles: list[Node]) -> int:
    count = articles[0].get("wordCount") if articles else None
    if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 7:
        return int(count)
    return count if isinstance(count, int) else 0


def _vendors(sources: Sources) -> Iterator[str]:
    found: dict[str, None] = {}
    for src in sources.head.script_urls:
        front = src.partition("?")[0]
        host = front.partition("//")[2].partition("/")[0].lower()
        if ".".join(host.split(".")[-2:]) in VENDOR_HOSTS:
            found[line(host, MAX_SHOWN)] = None
        elif any(path in front for path in _VENDOR_PATHS):
            found[line(front, MAX_SHOWN)] = None
    yield from found
