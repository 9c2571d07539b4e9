"""X-Robots-Tag and meta robots: what one page forbids; nothing here is ever a permission.

Only words to everyone or to us count: what Googlebot is told is between the publisher and Google. The
stricter of two words on one page holds.
"""

from __future__ import annotations

from typing import Final

from wireroom.model import Signal, Use
from wireroom.parse.signals.robots_tag import Directive
from wireroom.rights.facts import RobotsTagFacts
from wireroom.rights.family import Family, Heard, page_scope, same_page, say
from wireroom.version import TOKEN

NAME: Final = "robots_tag"
_USES: Final[dict[str, tuple[Use, ...]]] = {
    "noindex": ("search",),
    "none": ("search",),
    "noarchive": ("archive",),
    "nosnippet": ("ai-input",),
    "noai": ("ai-train", "ai-input"),
}


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return tuple(
        signal
        for facts in heard.of(NAME, RobotsTagFacts)
        for page in facts.pages
        if same_page(page.url, url)
        for directive in page.directives
        if directive.agent in {"", TOKEN}
        for signal in say(
            NAME,
            _uses(directive),
            "deny",
            url=page.url,
            excerpt=directive.excerpt or directive.name,
            scope=page_scope(page.url),
        )
    )


def _uses(directive: Directive) -> tuple[Use, ...]:
    if directive.name == "max-snippet":
        return ("ai-input",) if directive.value == "0" else ()
    return _USES.get(directive.name, ())


FAMILY: Final = Family(
    name=NAME, title="X-Robots-Tag and meta robots", steps=("robots_tag",), speak=_speak
)
