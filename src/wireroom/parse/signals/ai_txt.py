"""ai.txt of Spawning: rules in the form of robots.txt that speak of training alone.

Pure. The same name is used for unrelated proposals in prose and Markdown; only a file with a
`User-Agent:` line is one of these.
"""

from __future__ import annotations

import re
from typing import Final

from wireroom.errors import UnknownFormatError
from wireroom.parse.robots import Robots, read_robots
from wireroom.parse.robots.robots_lines import MAX_BYTES
from wireroom.parse.signals.absent import is_absent

_AGENT_LINE: Final = re.compile(
    rb"^[ \t\xef\xbb\xbf]*user-?agent[ \t]*:", re.IGNORECASE | re.MULTILINE
)


def read_ai_txt(body: bytes, *, content_type: str = "") -> Robots:
    """The rules in these bytes; raises UnknownFormatError for anything without an agent line."""
    if is_absent(body, content_type):
        raise UnknownFormatError("a page, or nothing, instead of ai.txt")
    head = body[:MAX_BYTES].replace(b"\r", b"\n")
    if _AGENT_LINE.search(head) is None:
        raise UnknownFormatError("a text of that name without a User-Agent line")
    return read_robots(body)
