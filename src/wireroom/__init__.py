"""wireroom: what a publisher offers and permits, and its articles, clean, with their rights.

The public names are listed in `__all__`; importing this package loads nothing heavy.
"""

from __future__ import annotations

from wireroom.version import __version__

# `typing` itself would be most of what a start loads before the command line can catch a Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wireroom.app import App, open_app
    from wireroom.app.factories import scout_publisher, scout_publisher_async
    from wireroom.errors import NoArticleError, WireroomError
    from wireroom.parse.article import (
        ArticleReading,
        ExtractConfig,
        articles_from_feed,
        extract,
        extract_all,
        read_article,
    )

__all__ = [
    "App",
    "ArticleReading",
    "ExtractConfig",
    "NoArticleError",
    "WireroomError",
    "__version__",
    "articles_from_feed",
    "extract",
    "extract_all",
    "open_app",
    "read_article",
    "scout_publisher",
    "scout_publisher_async",
]

_HOMES = {
    "ArticleReading": "wireroom.parse.article",
    "App": "wireroom.app",
    "ExtractConfig": "wireroom.parse.article",
    "NoArticleError": "wireroom.errors",
    "WireroomError": "wireroom.errors",
    "articles_from_feed": "wireroom.parse.article",
    "extract": "wireroom.parse.article",
    "extract_all": "wireroom.parse.article",
    "open_app": "wireroom.app",
    "read_article": "wireroom.parse.article",
    "scout_publisher": "wireroom.app.factories",
    "scout_publisher_async": "wireroom.app.factories",
}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'wireroom' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
