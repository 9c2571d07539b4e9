"""What a page of the press carries besides its text: menus, teasers, styles, scripts.

Pure. The pages of the town are light, which is good for reading them and wrong for measuring with them; a
publisher of real weight wears this. Half of 199 real article pages (the development set, every fourth) have
127 KB, 801 elements, 126 links, 24 metas and 12 scripts or more: a dressed page, and the long
article on it, stay below each of these.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import NamedTuple

from wireroom.town.furniture import Furniture, Link

__all__ = ["UNDRESSED", "Dressing", "dress"]

STYLE_RULES = 160  # some 20 KB
SCRIPTS = 8  # some 3 KB each
SCRIPT_ENTRIES = 24
WIDTHS = (320, 480, 640, 960, 1280)  # of a teaser's image, all offered


class Dressing(NamedTuple):
    """What is put into the parts of a page."""

    head: str = ""
    top: str = ""
    side: str = ""
    foot: str = ""


UNDRESSED = Dressing()


def dress(host: str, around: Furniture) -> Dressing:
    """The dress of a page with this furniture."""
    return Dressing(
        head=_head(host),
        top=f'<div class="c-mega" id="mega-menu" aria-hidden="true">{_columns(around.menu)}</div>\n',
        side=f'<section class="c-grid c-grid--4" data-module="river">{_cards(around.teasers)}</section>\n',
        foot=f'<div class="c-footer__index">{_columns(around.index)}</div>',
    )


@lru_cache(maxsize=512)
def _head(host: str) -> str:
    return _styles() + "".join(_script(host, number) for number in range(SCRIPTS))


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


def _columns(links: tuple[Link, ...], *, height: int = 8) -> str:
    return "".join(
        f'<ul class="c-menu__list c-menu__list--{at // height}">{_entries(links[at : at + height])}</ul>'
        for at in range(0, len(links), height)
    )


def _entries(links: tuple[Link, ...]) -> str:
    return "".join(
        f'<li class="c-menu__item"><a class="c-menu__link u-reset" href="{escape(link.href)}" '
        f'data-track="menu|{at}">{escape(link.label, quote=False)}</a></li>'
        for at, link in enumerate(links)
    )


def _cards(links: tuple[Link, ...]) -> str:
    return "\n".join(_card(link, at) for at, link in enumerate(links))


def _card(link: Link, at: int) -> str:
    """A teaser: a picture in five sizes, a headline, icons."""
    image = f"/images/teaser-{at}"
    sizes = ", ".join(f"{image}-{width}.webp?quality=75&amp;fit=crop {width}w" for width in WIDTHS)
    return (
        f'<div class="c-card c-card--{at % 3} js-card" data-id="{at}" data-position="river-{at}">'
        f'<div class="c-card__media"><picture><source type="image/webp" srcset="{sizes}">'
        f'<img class="c-card__img lazyload" loading="lazy" width="640" height="360" alt="" '
        f'src="{image}-640.jpg" srcset="{sizes}"></picture></div>'
        f'<div class="c-card__body"><h3 class="c-card__title"><a class="c-card__link" '
        f'href="{escape(link.href)}">{escape(link.label, quote=False)}</a></h3>'
        f'<div class="c-card__tools"><span class="c-icon c-icon--share"></span>'
        f'<span class="c-icon c-icon--save"></span></div></div></div>'
    )
