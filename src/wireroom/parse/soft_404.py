"""Whether an answer at a well-known address is really not there: the soft 404.

Many servers answer every address with a page and status 200. None of the files looked for here is a
page, so a page is an absent file.
"""

from __future__ import annotations

import re

from wireroom.errors import ParseError, UnknownFormatError

_BLANK = b" \t\r\n\f\v\xef\xbb\xbf\xff\xfe\x00"  # marks and zeros: a page may come as UTF-16, too


def is_absent(body: bytes, content_type: str = "") -> bool:
    """Whether nothing, or a page, came instead of a file that is no markup."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in {"text/html", "application/xhtml+xml"}:
        return True
    start = body.lstrip(_BLANK)[:1]
    return not start or start == b"<"


def check_present(body: bytes, content_type: str, name: str, words: re.Pattern[bytes]) -> None:
    """Raises UnknownFormatError where a file is absent; ParseError for a page that holds `words` of it.

    A file that is sent as a page, or wrapped in one, is there, and may refuse.
    """
    if not is_absent(body, content_type):
        return
    if words.search(body.replace(b"\x00", b"")):
        raise ParseError(f"a page with words of {name} in it, which nobody can read")
    raise UnknownFormatError(f"a page, or nothing, instead of {name}")
