"""Where in a page a link stands: what it speaks of, and whether that is the small print."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborNode

MAX_STEPS: Final = 12  # from a link upwards
MAX_NAME: Final = 100  # characters of an id or a class

_WHOLE_PAGE: Final = frozenset(("head", "html", "body"))
# Elements around a link that only make it look like something.
_DRESS: Final = frozenset(
    (
        "p",
        "span",
        "a",
        "small",
        "b",
        "i",
        "em",
        "strong",
        "cite",
        "li",
        "ul",
        "ol",
        "footer",
        "header",
    )
)
_FOOTER_NAMES: Final = ("footer", "fuss", "pied", "bottom", "colophon", "legal")


def scope_of(node: LexborNode) -> str:
    """The element a licence speaks of, as a selector; empty for the whole page."""
    parent = node.parent
    for _ in range(MAX_STEPS):
        if parent is None or parent.tag in _WHOLE_PAGE:
            return ""
        if parent.tag not in _DRESS:
            return _selector(parent)
        parent = parent.parent
    return ""


def _selector(node: LexborNode) -> str:
    attributes = node.attributes
    name = (attributes.get("id") or "").split()[:1]
    if name:
        return f"{node.tag}#{name[0][:MAX_NAME]}"
    classes = (attributes.get("class") or "").split()[:1]
    return f"{node.tag}.{classes[0][:MAX_NAME]}" if classes else str(node.tag)


def in_footer(node: LexborNode) -> bool:
    """Whether a link stands in a footer, by element, role, class or id."""
    parent = node.parent
    for _ in range(MAX_STEPS):
        if parent is None or parent.tag in _WHOLE_PAGE:
            return False
        attributes = parent.attributes
        if parent.tag == "footer" or attributes.get("role") == "contentinfo":
            return True
        names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"[
            : 4 * MAX_NAME
        ].lower()
        if any(name in names for name in _FOOTER_NAMES):
            return True
        parent = parent.parent
    return False
