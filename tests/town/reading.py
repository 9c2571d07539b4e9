"""Reads the town's pages with the standard library alone, so that tests can compare with the truth."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

_BLOCK = {"p", "div", "h1", "h2", "h3", "h4", "h5", "li", "td", "th", "tr", "br", "figcaption", "blockquote", "section", "article", "center", "table", "pre", "q", "cite", "button", "title", "font", "b", "i", "strong", "time", "small", "input", "footer"}  # fmt: skip


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = [""]
        self.links: list[dict[str, str]] = []
        self.hrefs: list[str] = []
        self.metas: list[dict[str, str]] = []
        self.items: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.html: dict[str, str] = {}
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _BLOCK:
            self.lines.append("")
        if tag == "html":
            self.html = given
        if tag == "link":
            self.links.append(given)
        if tag == "meta":
            self.metas.append(given)
        if tag in ("a", "img"):
            self.hrefs.append(given.get("href") or given.get("src", ""))
        if "itemprop" in given:
            self.items.append((given["itemprop"], given.get("content", "")))
        self._script = tag == "script"
        if self._script and given.get("type") == "application/ld+json":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._script = False
        if tag in _BLOCK:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if self._script:
            if self.scripts:
                self.scripts[-1] += data
        else:
            self.lines[-1] += data


class Page:
    """What stands on a page."""

    def __init__(self, html: str) -> None:
        self._reader = _Reader()
        self._reader.feed(html)
        self.lines = [flat(line) for line in self._reader.lines if line.strip()]
        self.links = self._reader.links
        self.hrefs = self._reader.hrefs
        self.html = self._reader.html
        self.items = self._reader.items

    def meta(self, name: str) -> list[str]:
        return [
            meta.get("content", "")
            for meta in self._reader.metas
            if name in (meta.get("name"), meta.get("property"))
        ]

    def json_ld(self) -> list[dict[str, Any]]:
        """Every sound JSON-LD object; broken ones are passed over, as readers must."""
        found = []
        for script in self._reader.scripts:
            try:
                found.append(json.loads(script))
            except ValueError:
                continue
        return found

    @property
    def scripts(self) -> list[str]:
        return self._reader.scripts


def flat(text: str) -> str:
    """The text with every run of white space as one blank."""
    return re.sub(r"\s+", " ", text).strip()
