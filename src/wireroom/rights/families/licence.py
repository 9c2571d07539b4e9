"""Creative Commons: what the licence named on a page permits, and on which conditions.

CC0 permits everything; BY and SA with attribution; NC not for money; whether training makes a derivative
that ND forbids is not settled. Other licences are shown, and speak of no use. A licence in robots.txt holds
for the publisher, any other for its page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wireroom.model import USES, Condition, Signal
from wireroom.parse.signals.licences import LicenceNotice, LicencePage, creative_commons
from wireroom.rights.facts import LicenceFacts
from wireroom.rights.family import Family, Heard, page_scope, same_page, same_publisher, say

NAME: Final = "licence"


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return tuple(
        signal
        for facts in heard.of(NAME, LicenceFacts)
        for page in facts.pages
        for notice in page.notices
        if _speaks_of(notice, page, url)
        for signal in _of_notice(notice, page)
    )


def _speaks_of(notice: LicenceNotice, page: LicencePage, url: str) -> bool:
    if notice.place == "robots":
        return same_publisher(page.url, url)
    return same_page(page.url, url)


def _of_notice(notice: LicenceNotice, page: LicencePage) -> Iterator[Signal]:
    elements = creative_commons(notice.code)
    if elements is None:
        return
    conditions = []
    if elements & {"by", "sa"}:
        conditions.append(Condition(kind="attribution", detail=notice.code))
    if "nc" in elements:
        conditions.append(Condition(kind="non-commercial", detail=notice.code))
    for use in USES:
        unsettled = use == "ai-train" and "nd" in elements
        yield from say(
            NAME,
            (use,),
            "unknown" if unsettled else "allow",
            url=page.url,
            excerpt=notice.excerpt or notice.url,
            scope="" if notice.place == "robots" else page_scope(page.url),
            conditions=tuple(conditions),
        )


FAMILY: Final = Family(name=NAME, title="Creative Commons", steps=("licence",), speak=_speak)
