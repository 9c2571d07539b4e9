"""Whether an answer at a well-known address is really not there: the soft 404.

Many servers answer every address with a page and status 200. None of the files looked for here is a
page, so a page is an absent file.
"""

from __future__ import annotations

_BLANK = b" \t\r\n\f\v\xef\xbb\xbf\xff\xfe\x00"  # marks and zeros: a page may come as UTF-16, too


def is_absent(body: bytes, content_type: str = "") -> bool:
    """Whether nothing, or a page, came instead of a file that is no markup."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in {"text/html", "application/xhtml+xml"}:
        return True
    start = body[:1024].lstrip(_BLANK)
    return not start or start.startswith(b"<")
