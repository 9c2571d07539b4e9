"""Which addresses are kept: those of the web, and no other.

Pure. What a page calls its image or its licence may be `javascript:` or a file; kept, it would be a
link sooner or later. It is applied by `SqlStore`, with the cleaning of texts.
"""

from __future__ import annotations

import re

from wireroom.urls import MAX_URL_LENGTH, is_web_url

# Nearly all addresses; the full check takes ten times as long, and an article has half a dozen.
_PLAINLY_WEB = re.compile(
    r"https?://(?=[^/]{1,253}(?:/|\Z))(?![^/]*xn--)"
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?:/[!-~]*)?"
)
_WEB = ("http://", "https://")
_HOST_AND_PORT = re.compile(r"[^:/]+(?::[0-9]{1,5})?")


def kept_address(address: str) -> str:
    """The address if it is one of the web, else nothing."""
    if not address:
        return address
    if len(address) <= MAX_URL_LENGTH and _PLAINLY_WEB.fullmatch(address):
        return address
    return address if is_web_url(address) else ""


def kept_addresses(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the web; the very same tuple when all are."""
    kept = tuple(address for address in addresses if kept_address(address))
    return addresses if len(kept) == len(addresses) else kept


def kept_subject(subject: str) -> str:
    """What a problem is about: an address of the web, or a bare name, which nobody can follow.

    A host, with its port or without, a publisher, a file without its folders: all are bare names.
    An address that is too long or otherwise wrong may be just what the problem is.
    """
    if subject.startswith(_WEB) or _HOST_AND_PORT.fullmatch(subject):
        return subject
    return kept_address(subject)
