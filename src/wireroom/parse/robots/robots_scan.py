"""robots.txt, line by line, into raw groups: what stands where, not yet what it means.

Lines are read as Google's published parser reads them (RFC 9309 and the habits of real files).
Knows nothing of addresses, matching or rights.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Literal, NamedTuple, TypeAlias

MAX_LINTS = 100  # a report shows a handful; a hostile file could hold a hundred thousand
LONGEST_DELAY = timedelta(days=365)  # keeps timedelta from overflowing; manners clamp far below
EVERYONE = b"*"

State = Literal["rules", "empty", "html", "binary", "malformed"]
ExtensionName = Literal["license", "content-signal", "content-usage"]
LintCode = Literal[
    "ambiguous_group",
    "bad_crawl_delay",
    "binary",
    "bom",
    "empty_value",
    "html",
    "line_cut",
    "loose_licence",
    "malformed",
    "misspelt",
    "missing_colon",
    "more",
    "nul",
    "outside_group",
    "too_long",
    "unnamed_agent",
]
_Word = Literal["disallow", "allow", "agent", "sitemap", "delay", "extension", "other"]

RawRule: TypeAlias = tuple[int, bool, bytes]
"""Line, whether it allows, and the pattern as written. A tuple: a file may hold 50,000."""
RawGroup: TypeAlias = tuple[int, list[bytes], list[RawRule]]
"""First line, agents, rules. A tuple for the same reason."""


class RawLint(NamedTuple):
    """Something a publisher should look at; line 0 is the file as a whole."""

    code: LintCode
    line: int
    detail: str


class RawExtension(NamedTuple):
    """A line of a later standard; `group` is its place among the groups, -1 outside of them."""

    name: ExtensionName
    value: bytes
    line: int
    group: int


# What may stand before the colon. Google takes every word that begins with one of these.
_PREFIXES: tuple[tuple[tuple[bytes, ...], _Word], ...] = (
    ((b"user-agent", b"useragent", b"user agent"), "agent"),
    ((b"allow",), "allow"),
    ((b"disallow", b"diasllow", b"disallaw"), "disallow"),
    ((b"dissallow", b"dissalow", b"disalow"), "disallow"),  # codespell:ignore
    ((b"sitemap", b"site-map"), "sitemap"),
)
_STARTS = tuple(start for starts, _ in _PREFIXES for start in starts)
_WORDS: dict[bytes, _Word] = {
    b"crawl-delay": "delay",
    b"crawldelay": "delay",
    b"crawl delay": "delay",
    b"license": "extension",
    b"content-signal": "extension",
    b"content-usage": "extension",
    # Understood as robots.txt, used by nobody here: without them such a file would look malformed.
    b"host": "other",
    b"clean-param": "other",
    b"noindex": "other",
    b"request-rate": "other",
    b"visit-time": "other",
    b"cache-delay": "other",
}
_RIGHTLY_SPELT = {b"user-agent", b"allow", b"disallow", b"sitemap"}
# The spellings of nearly every line of nearly every file: one look-up instead of the long way.
_AGENT = 2
_COMMON = {
    b"Disallow": 0,
    b"disallow": 0,
    b"DISALLOW": 0,
    b"Allow": 1,
    b"allow": 1,
    b"ALLOW": 1,
    b"User-agent": _AGENT,
    b"User-Agent": _AGENT,
    b"user-agent": _AGENT,
    b"USER-AGENT": _AGENT,
}
_EXTENSIONS: dict[bytes, ExtensionName] = {
    b"license": "license",
    b"content-signal": "content-signal",
    b"content-usage": "content-usage",
}
# Google stops at the first byte that is no letter, "-" or "_". Real crawlers (AI2Bot, 008,
# panscient.com) have digits and dots in their names, and must be told apart by them.
_TOKEN = re.compile(rb"[A-Za-z0-9._-]+")
_TOKEN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
_NUMBER = re.compile(rb"[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12}")


class Scan:
    """One file as it was scanned; the fields are what `wireroom.parse.robots.document` builds on."""

    __slots__ = (
        "_agents",
        "_between",
        "_left_out",
        "_orphans",
        "_rules",
        "delays",
        "extensions",
        "groups",
        "known",
        "lines",
        "lints",
        "sitemaps",
        "state",
        "truncated",
        "unknown",
        "unread",
    )

    def __init__(self) -> None:
        self.state: State = "empty"
        self.groups: list[RawGroup] = []
        self.delays: dict[int, timedelta] = {}
        self.sitemaps: list[tuple[int, bytes]] = []
        self.extensions: list[RawExtension] = []
        self.lints: list[RawLint] = []
        self.lines: list[bytes] = []
        self.truncated = False
        self.unread = ""
        self.known = 0
        self.unknown = 0
        self._left_out = 0
        self._orphans: list[RawRule] = []
        self._rules = self._orphans
        self._agents: list[bytes] = []
        self._between = 0

    # --- the way through the file --------------------------------------------------------------

    def read(self, lines: list[bytes]) -> None:
        """Takes in every line; the common spellings by a short way."""
        self.lines = lines
        common = _COMMON
        for number, line in enumerate(lines, 1):
            key, _, value = line.partition(b":")
            word = common.get(key)
            if word is None or b"#" in value:
                if line:
                    self._careful(number, line)
            elif word is _AGENT:
                self._agent(number, value.strip())
            else:
                self._rules.append((number, word == 1, value.strip()))
        self._finish()

    def lint(self, code: LintCode, line: int, detail: str = "") -> None:
        """Notes a flaw, up to a limit; how many more there were is noted at the end."""
        if len(self.lints) < MAX_LINTS:
            self.lints.append(RawLint(code, line, detail))
        else:
            self._left_out += 1

    def _careful(self, number: int, line: bytes) -> None:
        text = line.partition(b"#")[0].strip()
        if not text:
            return
        key, value, colon = key_and_value(text)
        if not key:
            self.unknown += 1
            return
        word = _word(key)
        if word is None:
            self.unknown += 1
            self._between = number
            return
        if not colon:
            self.lint("missing_colon", number, _shown(text))
        self._directive(word, number, key, value)
        if word == "extension" and self.groups and not self.lines[number - 2].strip():
            self._note_loose(number, key)

    def _directive(self, word: _Word, number: int, key: bytes, value: bytes) -> None:
        if word in {"agent", "allow", "disallow", "sitemap"} and key not in _RIGHTLY_SPELT:
            self.lint("misspelt", number, _shown(key))
        if word == "agent":
            self._agent(number, value)
        elif word in {"allow", "disallow"}:
            self._rules.append((number, word == "allow", value))
        else:
            self.known += 1
            self._between = number
            self._beside_rules(word, number, key, value)

    def _beside_rules(self, word: _Word, number: int, key: bytes, value: bytes) -> None:
        if word == "delay":
            self._delay(number, value)
        elif not value:
            self.lint("empty_value", number, _shown(key))
        elif word == "sitemap":
            self.sitemaps.append((number, value))
        elif word == "extension":
            place = len(self.groups) - 1
            self.extensions.append(RawExtension(_EXTENSIONS[key], value, number, place))

    # --- single lines --------------------------------------------------------------------------

    def _agent(self, number: int, value: bytes) -> None:
        if self._rules or not self.groups:
            self._rules = []
            self._agents = []
            self.groups.append((number, self._agents, self._rules))
        elif self._between:
            self.lint("ambiguous_group", number, f"line {self._between} stands between two agents")
        self._between = 0
        if value and not value.translate(None, _TOKEN_BYTES):
            self._agents.append(value)
        elif value[:1] == EVERYONE and not value[1:2].strip():
            self._agents.append(EVERYONE)
        else:
            self._odd_agent(number, value)

    def _odd_agent(self, number: int, value: bytes) -> None:
        token = _TOKEN.match(value)
        if token:
            self._agents.append(token[0])
        else:
            self.lint("unnamed_agent", number, _shown(value))

    def _delay(self, number: int, value: bytes) -> None:
        if not self.groups:
            self.lint("outside_group", number, "Crawl-delay")
            return
        delay = _seconds(value)
        if delay is None:
            self.lint("bad_crawl_delay", number, _shown(value))
        else:
            place = len(self.groups) - 1
            self.delays[place] = max(delay, self.delays.get(place, delay))

    def _note_loose(self, number: int, key: bytes) -> None:
        if key == b"license":
            detail = "stands behind a blank line, which does not end a group"
            self.lint("loose_licence", number, detail)

    def _finish(self) -> None:
        if self._orphans:
            detail = f"{len(self._orphans)} rules before the first User-agent line"
            self.lint("outside_group", self._orphans[0][0], detail)
        if self.groups or self._orphans or self.known:
            self.state = "rules"
        elif self.unknown:
            self.state = "malformed"
            self.lint("malformed", 0, "no line of it is a robots.txt line")
        if self._left_out:
            self.lints.append(RawLint("more", 0, f"{self._left_out} more"))


def scan(body: bytes) -> Scan:
    """The file as it was scanned; what is no robots.txt comes back without lines."""
    found = Scan()
    source = as_utf8(body)
    head, found.truncated = cut_to_size(source)
    text = without_bom(head)
    if len(text) < len(head) or source is not body:
        found.lint("bom", 1, "a byte order mark stands before the first line")
    other = foreign(text)
    if other:
        found.state = other
        found.lint(other, 0, "not a robots.txt")
        return found
    if found.truncated:
        found.lint("too_long", 0, f"read up to {MAX_BYTES:,} bytes")
    found.read(_sound_lines(text, found))
    return found


def product_token(agent: str) -> str:
    """The name a crawler is asked for by: `wireroom` of `wireroom/0.1 (+https://…)`."""
    match = _TOKEN.match(agent.strip().encode("utf-8", "replace"))
    return match[0].decode("ascii") if match else ""


def _sound_lines(text: bytes, found: Scan) -> list[bytes]:
    """The lines without what stands behind a NUL or past the longest line."""
    if b"\x00" in text:
        found.unread = "what stands behind a NUL byte of a line is not read"
        found.lint("nul", 0, found.unread)
        text = without_nul(text)
    if _ODD_LINE.search(text):
        found.unread = "a line begins behind a sign that is no blank and no line end"
    lines = split_lines(text)
    if max(map(len, lines)) > MAX_LINE_BYTES:
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_LINE_BYTES:
                found.lint("line_cut", number, f"read up to {MAX_LINE_BYTES:,} bytes")
                found.unread = f"line {number} is longer than {MAX_LINE_BYTES:,} bytes"
                lines[number - 1] = line[:MAX_LINE_BYTES]
    return lines


# --- one line ----------------------------------------------------------------------------------


def _word(key: bytes) -> _Word | None:
    exact = _WORDS.get(key)
    if exact or not key.startswith(_STARTS):
        return exact
    return next(word for starts, word in _PREFIXES if key.startswith(starts))


def _seconds(value: bytes) -> timedelta | None:
    match = _NUMBER.fullmatch(value)
    if match is None:
        return None
    return timedelta(seconds=min(float(match[0]), LONGEST_DELAY.total_seconds()))


def _shown(text: bytes) -> str:
    kept = text[:80].decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in kept)


# robots.txt bytes to lines: cut to size, without a mark before them, whatever their line ends.
#
# Works on bytes and never decodes before splitting: a stray byte in a comment must not cost a rule.
# Says what is no robots.txt at all. Knows nothing of what the lines mean.

MAX_BYTES = 500 * 1024  # RFC 9309 asks for at least this much; Google stops here as well
MAX_LINE_BYTES = 2083 * 8 - 1  # Google's buffer: eight of the longest addresses of old browsers
_SAMPLE_BYTES = 8 * 1024  # enough to tell text from a picture or an archive
_CONTROL_SHARE = 20  # one control byte in 20 is no text; random bytes have one in 9

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_WIDER_BOMS = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_ODD_LINE = re.compile(
    rb"(?:[\x0b\x1c-\x1f]|\xc2[\x85\xa0]|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xe3\x80\x80|\xef\xbb\xbf)[ \t]*+"
    rb"(?:user-agent|disallow|license|content-signal|content-usage)[ \t]*+:",
    re.IGNORECASE,
)
"""A directive behind a sign that some readers take for a blank or a line end, and others do not."""
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r")) + b"\x7f"
_AFTER_NUL = re.compile(rb"\x00[^\r\n]*")
_PAGE_STARTS = (
    *(b"<!doctype", b"<html", b"<head", b"<body"),
    *(b"<meta", b"<title", b"<script", b"<?xml"),
)


def cut_to_size(body: bytes) -> tuple[bytes, bool]:
    """At most `MAX_BYTES`, and whether more was there.

    Half a line at the end could be a far wider rule than the whole one, so it goes as well.
    """
    if len(body) <= MAX_BYTES:
        return body, False
    head = body[:MAX_BYTES]
    if body[MAX_BYTES : MAX_BYTES + 1] in {b"\r", b"\n"}:
        return head, True
    end = max(head.rfind(b"\n"), head.rfind(b"\r"))
    return (head[: end + 1] if end >= 0 else head), True


def as_utf8(body: bytes) -> bytes:
    """The same bytes, or those of a file in UTF-16 or UTF-32 as the UTF-8 that it should be: its rules are meant all the same."""
    if not body.startswith(_WIDE_BOMS):
        return body
    encoding = "utf-32" if body.startswith(_WIDER_BOMS) else "utf-16"
    return body.decode(encoding, "replace").encode("utf-8", "replace")


def without_bom(body: bytes) -> bytes:
    """The bytes without a byte order mark, or the half of one that some editors leave behind."""
    for length in (3, 2, 1):
        if body.startswith(_BOM[:length]):
            return body[length:]
    return body


def foreign(text: bytes) -> Literal["html", "binary"] | None:
    """What the bytes are instead of a robots.txt, by how they begin; None for text."""
    sample = text[:_SAMPLE_BYTES]
    start = sample.lstrip()
    while start.startswith(b"<!--") and b"-->" in start:
        start = start.partition(b"-->")[2].lstrip()
    if start[:16].lower().startswith(_PAGE_STARTS):
        return "html"
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return "binary" if controls * _CONTROL_SHARE > len(sample) else None


def without_nul(text: bytes) -> bytes:
    """The text as a reader of C strings sees it: a NUL byte ends its line."""
    return _AFTER_NUL.sub(b"", text)


def split_lines(text: bytes) -> list[bytes]:
    """The lines, whichever of the three line ends they have; a mixture too."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text.split(b"\n")


def key_and_value(text: bytes) -> tuple[bytes, bytes, bool]:
    """Key in lower case, value, and whether a colon stood between them; no key when unreadable."""
    key, colon, value = text.partition(b":")
    if colon:
        return key.strip().lower(), value.strip(), True
    # People forget the colon. Two words then are key and value, three are prose.
    words = [word for word in text.replace(b"\t", b" ").split(b" ") if word]
    if len(words) != 2:
        return b"", b"", False
    return words[0].strip().lower(), words[1].strip(), False
