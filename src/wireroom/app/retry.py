"""Leads that were given up, opened again; or one page that is to be read anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.errors import SettingsError
from wireroom.urls import is_web_url

if TYPE_CHECKING:
    from wireroom.app.application import App


def check_page(url: str) -> None:
    """Raises SettingsError for what is no address of a page."""
    if not is_web_url(url):
        raise SettingsError([f"{url}: expected the address of a page, such as https://…"])


def retry_leads(
    app: App, *, publisher: str = "", feed_url: str = "", url: str = "", refused: bool = False
) -> int:
    """Opens the leads that failed, or with `refused` those that were forbidden; how many.

    A page that is named is opened whatever came of it.
    """
    if url:
        check_page(url)
    return app.store.retry_leads(
        now=app.clock(), publisher=publisher, feed_url=feed_url, url=url, refused=refused
    )
