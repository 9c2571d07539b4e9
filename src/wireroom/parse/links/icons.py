"""Which icon of a page shows its publisher best."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from wireroom.parse.links.types import Icon

ICON_RELS: Final = (
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "icon",
    "fluid-icon",
    "mask-icon",
)
TOUCH_SIZE: Final = 180  # pixels: what a touch icon has when nobody says
DRAWING_SIZE: Final = 256  # pixels that a drawing counts for: sharp at any size, plain in most
LARGE_ENOUGH: Final = 512  # pixels; more is no better, and a megabyte
MAX_SIZES: Final = 200  # characters of a list of sizes

_SIZE: Final = re.compile(r"(\d{1,4})[xX](\d{1,4})", re.ASCII)


def icon_size(sizes: str, rel: str, kind: str, url: str) -> int:
    """The larger side in pixels, as said or as such icons are."""
    stated = [max(int(wide), int(high)) for wide, high in _SIZE.findall(sizes[:MAX_SIZES])]
    if stated:
        return max(stated)
    if "svg" in kind or url.partition("?")[0].endswith(".svg"):
        return DRAWING_SIZE
    return TOUCH_SIZE if rel.startswith("apple-touch") else 0


def best_first(icons: Iterable[Icon]) -> tuple[Icon, ...]:
    """The largest useful one first; a mask is a shape without colours and comes last."""
    return tuple(
        sorted(icons, key=lambda icon: (icon.rel == "mask-icon", -min(icon.size, LARGE_ENOUGH)))
    )
