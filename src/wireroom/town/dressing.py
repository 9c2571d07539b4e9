"""What a page of the press carries besides its text: menus, teasers, styles, scripts.

Pure. The pages of the town are light, which is good for reading them and wrong for measuring with them; a
publisher of real weight wears this. Half of 199 real article pages (the development set, every fourth) have
127 KB, 801 elements, 126 links, 46 paragraphs, 16 images, 24 metas and 12 scripts or more: a dressed page comes
close to each of these and exceeds none. Its article stays short: half of the real ones have 1,500 words, those
of the town up to 800, for its sentences would repeat.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from wireroom.town.page_chrome import MenuLink, PageChrome

STYLE_RULES = 260  # some 33 KB
SCRIPTS = 10  # some 4 KB each
SCRIPT_ENTRIES = 36
WIDTHS = (320, 480, 640, 960, 1280)  # of a teaser's image, all offered
PICTURES = 15  # teasers that have one
SLOTS = 14  # for advertisements
SERVICES = ("mail", "link", "print", "gift", "note", "save")  # of the bar to share an article
_PATH = "M4 12v7a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-7M16 6l-4-4-4 4M12 2v13"
_ICON = f'<svg class="c-icon__svg" viewBox="0 0 24 24" aria-hidden="true"><path d="{_PATH}"/></svg>'
_METAS = (
    ("viewport", "width=device-width, initial-scale=1"),
    ("theme-color", "#1b3a57"),
    ("referrer", "strict-origin-when-cross-origin"),
    ("format-detection", "telephone=no"),
)


class Dressing(NamedTuple):
    """What is put into the parts of a page."""

    head: str = ""
    top: str = ""
    side: str = ""
    foot: str = ""


UNDRESSED = Dressing()


def dress(host: str, around: PageChrome) -> Dressing:
    """The dress of a page with this chrome."""
    return Dressing(
        head=_head(host),
        top=f'<div class="c-mega" id="mega-menu" aria-hidden="true">{_columns(around.menu)}</div>\n',
        side=(
            f'<div class="c-share">{_services()}</div>\n'
            f'<section class="c-grid c-grid--4" data-module="river">{_cards(around.teasers)}</section>\n'
            f"{_slots()}"
        ),
        foot=f'<div class="c-footer__index">{_columns(around.index)}</div>',
    )


@lru_cache(maxsize=512)
def _head(host: str) -> str:
    metas = "".join(f'<meta name="{name}" content="{content}">\n' for name, content in _METAS)
    return metas + _styles() + "".join(_script(host, number) for number in range(SCRIPTS))


@lru_cache(maxsize=1)
def _styles() -> str:
    rules = "\n".join(
        f".c-part-{n} > .c-part__in--{n % 7}{{display:flex;margin:{n % 9}px auto;padding:{n % 5}rem;"
        f"max-width:{640 + n}px;color:#{n * 4099 % 0xFFFFFF:06x};grid-area:{n % 12}/span {n % 4 + 1}}}"
        for n in range(STYLE_RULES)
    )
    return f"<style>\n{rules}\n</style>\n"


def _script(host: str, number: int) -> str:
    """State for a script that nobody serves."""
    entries = ",".join(
        f'"unit-{number}-{n}":{{"slot":"/{host}/{n}","sizes":[[300,{100 + n}],[970,{90 + n}]],'
        f'"lazy":{str(n % 2 == 0).lower()},"bids":["a{n}","b{n * 7}"]}}'
        for n in range(SCRIPT_ENTRIES)
    )
    return f"<script>window.__units{number}={{{entries}}};</script>\n"


def _columns(links: tuple[MenuLink, ...], *, height: int = 8) -> str:
    return "".join(
        f'<ul class="c-menu__list c-menu__list--{at // height}">{_entries(links[at : at + height])}</ul>'
        for at in range(0, len(links), height)
    )


def _entries(links: tuple[MenuLink, ...]) -> str:
    return "".join(
        f'<li class="c-menu__item"><a class="c-menu__link u-reset" href="{escape(link.href)}" '
        f'data-track="menu|{at}"><span class="c-menu__label">{escape(link.label, quote=False)}</span></a></li>'
        for at, link in enumerate(links)
    )


def _cards(links: tuple[MenuLink, ...]) -> str:
    return "\n".join(_card(link, at) for at, link in enumerate(links))


def _card(link: MenuLink, at: int) -> str:
    """A teaser: a picture in five sizes, a headline, a sentence, icons."""
    return (
        f'<div class="c-card c-card--{at % 3} js-card" data-id="{at}" data-position="river-{at}">'
        f"{_picture(at) if at < PICTURES else ''}"
        f'<div class="c-card__body"><h3 class="c-card__title"><a class="c-card__link" '
        f'href="{escape(link.href)}">{escape(link.label, quote=False)}</a></h3>'
        f'<p class="c-card__text">{escape(link.note, quote=False)}</p>'
        f'<div class="c-card__tools"><span class="c-icon c-icon--share">{_ICON}</span>'
        f'<span class="c-icon c-icon--save">{_ICON}</span></div></div></div>'
    )


def _picture(at: int) -> str:
    image = f"/images/teaser-{at}"
    sizes = ", ".join(f"{image}-{width}.webp?quality=75&amp;fit=crop {width}w" for width in WIDTHS)
    sources = "".join(
        f'<source type="image/{kind}" srcset="{image}-640.{kind} 640w, {image}-1280.{kind} 1280w">'
        for kind in ("avif", "webp")
    )
    return (
        f'<div class="c-card__media"><picture>{sources}'
        f'<img class="c-card__img lazyload" loading="lazy" width="640" height="360" alt="" '
        f'src="{image}-640.jpg" srcset="{sizes}"></picture></div>'
    )


@lru_cache(maxsize=1)
def _services() -> str:
    return "".join(
        f'<button class="c-share__button" type="button" data-service="{name}">'
        f'<span class="c-icon c-icon--{name}">{_ICON}</span></button>'
        for name in SERVICES
    )


@lru_cache(maxsize=1)
def _slots() -> str:
    """Where advertisements would stand."""
    return "".join(
        f'<div class="c-slot" id="slot-{n}" data-slot="river-{n}"><div class="c-slot__in"></div></div>\n'
        for n in range(SLOTS)
    )
