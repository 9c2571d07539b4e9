"""In which language the page is: what it says, and what a detector made of its text.

Pure; the detector's opinion comes as an argument. The page is believed unless the detector is sure of
another language: templates say "en" on pages of every language. The operator's hint counts where the page says
nothing, and no more than the page would. A tag as full as any that agrees is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.languages import language_of, normal_tag
from wireroom.model import Claim
from wireroom.parse.metadata.jsonld import text_of
from wireroom.parse.metadata.metadata_sources import Sources
from wireroom.parse.metadata.types import Field
from wireroom.urls import page_key

SURE: Final = 0.9  # from here on the detector is believed against the page
AGREED: Final = 0.99  # page and detector say the same
MAX_TAG: Final = 40  # characters
MAX_ALTERNATES: Final = 100  # links to other languages that are looked through


def language(sources: Sources, detected: Claim | None = None) -> tuple[Field[str], Field[str]]:
    """The ISO 639-1 code, and the full tag, with their sources; `detected` is the text's language."""
    claims = [claim for claim in _declared(sources) if claim.value]
    if detected is not None and language_of(detected.value):
        claims.append(detected)
    best = _weighed(claims, detected)
    if best is None:
        return Field(value=""), Field(value="")
    code = language_of(best.value)
    notes = _notes(claims, code)
    tag = _fullest(claims, code, best)
    kept = (best, *(claim for claim in claims if claim is not best))
    return (
        Field(value=code, source=best.source, confidence=best.confidence, claims=kept, notes=notes),
        Field(
            value=tag.value, source=tag.source, confidence=best.confidence, claims=kept, notes=notes
        ),
    )


def _weighed(claims: list[Claim], detected: Claim | None) -> Claim | None:
    if not claims:
        return None
    first = claims[0]
    if detected is None or first is detected:
        return first
    if language_of(first.value) == language_of(detected.value):
        return Claim(value=first.value, source=first.source, confidence=AGREED)
    return detected if detected.confidence >= SURE else first


def _fullest(claims: list[Claim], code: str, best: Claim) -> Claim:
    """The longest tag of the same language: `zh-Hant-TW` says more than `zh`."""
    same = [best, *(claim for claim in claims if language_of(claim.value) == code)]
    return max(same, key=lambda claim: str(claim.value).count("-"))


def _notes(claims: list[Claim], code: str) -> tuple[str, ...]:
    others = [claim for claim in claims if language_of(claim.value) != code]
    return tuple(f"{claim.source} says {claim.value}" for claim in others)


def _declared(sources: Sources) -> Iterator[Claim]:
    head = sources.head
    candidates = [(head.language, "html lang", 0.9)]
    candidates += (
        (text_of(node.get("inLanguage"), MAX_TAG), "inLanguage", 0.85)
        for node in (*sources.articles[:1], *sources.items[:1])
    )
    candidates += [(tag, "link hreflang", 0.85) for tag in _own_hreflang(sources)]
    for name in (
        "og:locale",
        "content-language",
        "language",
        "dc.language",
        "dcterms.language",
        "citation_language",
    ):
        candidates.append((head.first(name), f"meta {name}", 0.75))
    candidates.append((sources.hints.language, "hint", 0.7))
    for text, source, confidence in candidates:
        tag = normal_tag(text) if text else ""
        if tag and language_of(tag):
            yield Claim(value=tag, source=source, confidence=confidence)


def _own_hreflang(sources: Sources) -> Iterator[str]:
    """What the list of other languages says of this very page."""
    links = [link for link in sources.head.links.get("alternate", ()) if link.hreflang]
    if len(links) < 2:  # one alone is another form of the page, not a list of languages
        return
    here = page_key(sources.url)
    for link in links[:MAX_ALTERNATES]:
        if (
            link.hreflang.lower() != "x-default"
            and here
            and page_key(sources.address(link.href)) == here
        ):
            yield link.hreflang
            return
