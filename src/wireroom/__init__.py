"""wireroom: what a publisher offers and permits, and its articles, clean, with their rights.

The public names are listed in `__all__`; importing this package loads nothing heavy.
"""

import sys

# `python -m wireroom` puts the working folder before everything else, and a `typing.py` that lies there would be
# loaded in place of Python's own. `__future__` is a module too, so that this file does without it.
_named = any(each == "wireroom" or each.endswith("mwireroom") for each in sys.orig_argv)
if _named and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    del sys.path[0]

from wireroom.version import __version__  # noqa: E402 - from the path that is left

# `typing` itself would be most of what a start loads before the command line can catch a Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from wireroom.app import App, open_app
    from wireroom.app.library import (
        ArticleReading,
        ExtractConfig,
        articles_from_feed,
        extract,
        extract_all,
        read_article,
    )
    from wireroom.app.scout import scout_publisher, scout_publisher_async
    from wireroom.errors import NoArticleError, WireroomError

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
    "ArticleReading": "wireroom.app.library",
    "App": "wireroom.app",
    "ExtractConfig": "wireroom.app.library",
    "NoArticleError": "wireroom.errors",
    "WireroomError": "wireroom.errors",
    "articles_from_feed": "wireroom.app.library",
    "extract": "wireroom.app.library",
    "extract_all": "wireroom.app.library",
    "open_app": "wireroom.app",
    "read_article": "wireroom.app.library",
    "scout_publisher": "wireroom.app.scout",
    "scout_publisher_async": "wireroom.app.scout",
}


def __getattr__(name: str) -> "Any":
    """A public name, loaded from its room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'wireroom' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
