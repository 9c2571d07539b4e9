"""Templates: whatever a stranger wrote is text, and every time can be read by people and by machines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from wireroom.dates.reader_clock import UTC_CLOCK
from wireroom.display_text import counted, visible
from wireroom.languages import name_of
from wireroom.report import signs
from wireroom.signals import label_of
from wireroom.urls import is_web_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fastapi import Request

    from wireroom.ports import WebPage

NOW = timedelta(seconds=45)  # a moment that near is "now"
UNITS = (("day", timedelta(days=1)), ("hour", timedelta(hours=1)), ("minute", timedelta(minutes=1)))
ENOUGH = 1.5  # of a unit from which on it is counted in it: "2 hours ago" and no "111 minutes ago"
SECTIONS: Final = {
    "compare": "/publishers",
    "lists": "/publishers",
    "trial": "/feeds",
    "articles": "/search",
}
"""Under which page of the navigation others stand, by how their paths begin."""
DIGEST = 12  # digits of a file's hash in its address: browsers keep it until it changes


class Renderer:
    """Makes pages of templates."""

    def __init__(
        self, pages: Iterable[WebPage], *, clock: Callable[[], datetime], has_login: bool
    ) -> None:
        self._clock = clock
        self._environment = Environment(
            loader=PackageLoader("wireroom.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_shown,
        )
        self._environment.filters.update(
            word=word_html,
            code=_with_code,
            foreign=_foreign,
            language=name_of,
            outward=_outward,
            segment=segment,
            sign=signs.sign,
            signal=label_of,
        )
        self._environment.globals.update(
            navigation=sorted((page for page in pages if page.title), key=lambda page: page.order),
            static=static_address,
            has_login=has_login,
            counted=counted,
            section=section,
            utc=UTC_CLOCK.named,
            when=when_html,
            with_query=with_query,
        )

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """A whole page."""
        shared = {
            "here": request.url.path,
            "query": dict(request.query_params),
            "now": self._clock(),
        }
        html = self.html(template, **{**shared, **values})
        return HTMLResponse(html, status_code=status)

    def html(self, template: str, **values: object) -> str:
        """What a template makes of these values."""
        return self._environment.get_template(template).render(**values)

    def macro(self, template: str, name: str, *arguments: object) -> str:
        """What one macro of a template makes of these: a live event shows the same as the page."""
        module = self._environment.get_template(template).module
        return str(getattr(module, name)(*arguments))


def when_html(at: datetime | None, now: datetime, otherwise: str = "never") -> Markup:
    """How long ago, or how soon, with the moment itself in UTC on hover."""
    if at is None:
        return escape(otherwise)
    utc = UTC_CLOCK.named(at)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.astimezone(UTC).isoformat(timespec="seconds"), utc, relative_words(at, now)
    )


def relative_words(at: datetime, now: datetime) -> str:
    """`3 hours ago`, `in 5 minutes`, `now`: as `live.js` says it while a page is open."""
    apart = abs(now - at)
    if apart < NOW:
        return "now"
    unit, length = next((pair for pair in UNITS if apart >= ENOUGH * pair[1]), UNITS[-1])
    words = counted(max(1, int(apart / length + 0.5)), unit)
    return f"{words} ago" if at < now else f"in {words}"


def word_html(word: str) -> Markup:
    """A verdict or the like behind its sign, in its colour."""
    kind = word.replace(" ", "-")
    return Markup('<span class="word {}">{}</span>').format(kind, signs.signed(word))


def _with_code(text: str) -> Markup:
    """Text of ours in which what stands between backticks is code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 and place + 1 < len(parts) else part
        for place, part in enumerate(parts)
    )


def _shown(value: object) -> object:
    """Text without characters that steer a screen; markup is ours and was made of such text."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _foreign(text: str, language: str = "") -> Markup:
    """Text of somebody else, in its own language and direction."""
    if language:
        return Markup('<span lang="{}" dir="auto">{}</span>').format(language, visible(text))
    return Markup('<span dir="auto">{}</span>').format(visible(text))


def _outward(url: str, text: str = "") -> Markup:
    """A link to a web address that tells the other side nothing; anything else is text."""
    if not is_web_url(url):
        return escape(text or url)
    bare = Markup("") if text else Markup(' class="bare"')  # on paper it need not be said twice
    return Markup('<a href="{}" rel="noopener noreferrer nofollow"{}>{}</a>').format(
        url, bare, visible(text or url)
    )


def section(path: str) -> str:
    """Where the navigation stands on the page at this path."""
    first = path.split("/")[1]
    return SECTIONS.get(first, f"/{first}")


def segment(text: str) -> str:
    """A text as one part of a path."""
    return quote(text, safe="")


def with_query(query: Mapping[str, str], **changes: str) -> str:
    """The query of this page with some parts changed; an empty one goes."""
    merged = {**query, **changes}
    return "?" + urlencode({name: value for name, value in merged.items() if value})


@cache
def static_file(name: str) -> bytes:
    """A file that is served as it is."""
    if name == "card.css":  # that of a card in one HTML file, for what lies inside an element .card
        return b".card {%s}" % files("wireroom.report").joinpath("page.css").read_bytes()
    return files("wireroom.web").joinpath("static", name).read_bytes()


@cache
def static_address(name: str) -> str:
    """Where a file is served, with its hash: it is kept by browsers until it changes."""
    return f"/static/{name}?{sha256(static_file(name)).hexdigest()[:DIGEST]}"
