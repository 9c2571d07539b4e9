"""Addresses as signals write them: whole, relative, or nothing of the web at all."""

from __future__ import annotations

from wireroom.urls import is_web_url, resolve


def web_address(href: object, base_url: str) -> str:
    """The address of the web that is meant, resolved where a base is known; empty for any other."""
    if not isinstance(href, str):
        return ""
    try:
        url = resolve(base_url, href) if base_url else href.strip()
    except ValueError:
        return ""
    return url if is_web_url(url) else ""
