"""Robots.txt (RFC 9309) and RSL 1.0 as their specifications read, for `rights_oracle`; nothing here knows the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

USES = ("search", "ai-input", "ai-index", "ai-train", "archive")
AI = ("ai-input", "ai-index", "ai-train")
TOKEN = "wireroom"  # the product token of our crawler
RSL = "{https://rslstandard.org/rsl}"


@dataclass(frozen=True)
class Answer:
    """What a server says to one request; status 0 is no answer at all."""

    status: int = 200
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def failed(self) -> bool:
        return self.status == 0 or self.status >= 500

    def named(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name]


World = Mapping[str, Mapping[str, Answer]]
"""Host to path to answer; any other path is a 404."""
Statements = frozenset[tuple[str, str]]
"""Pairs of a use and "no", "yes" or, where something that was named could not be read, "unread"."""


def stated(uses: Iterable[str], word: str) -> Statements:
    return frozenset((use, word) for use in uses)


def union(parts: Iterable[Statements]) -> Statements:
    return frozenset[tuple[str, str]]().union(*parts)


# --- robots.txt, RFC 9309 ------------------------------------------------------------------------


def robots_of(world: World, host: str) -> Answer:
    """The file of the host that is asked, wherever up to five redirects lead."""
    for _ in range(6):
        answer = world.get(host, {}).get("/robots.txt", Answer(404))
        if not answer.named("location"):
            return answer
        host = urlsplit(answer.named("location")[0]).netloc
    return Answer(404)


def _groups(text: str) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """Agents and lines of each group; the first is what stands outside any."""
    groups: list[tuple[list[str], list[tuple[str, str]]]] = [([], [])]
    for line in text.splitlines():
        name, _, value = line.partition("#")[0].partition(":")
        key = name.strip().lower()
        if key != "user-agent":
            groups[-1][1].append((key, value.strip()))
            continue
        if not groups[-1][0] or {"allow", "disallow"} & {known for known, _ in groups[-1][1]}:
            groups.append(([], []))
        groups[-1][0].append(value.strip().lower())
    return groups


def lines_for(agent: str, text: str) -> list[tuple[str, str]]:
    """The lines of the groups for an agent, else of those for everybody."""
    for name in (agent, "*"):
        if own := [lines for agents, lines in _groups(text) if name in agents]:
            return [line for lines in own for line in lines]
    return []


def values_of(lines: Iterable[tuple[str, str]], wanted: str) -> list[str]:
    return [value for key, value in lines if key == wanted]


def licence_lines(text: str) -> list[str]:
    """`License:` of our group, which replaces those outside any group."""
    return values_of(lines_for(TOKEN, text), "license") or values_of(_groups(text)[0][1], "license")


def fits(pattern: str, path: str) -> bool:
    regex = re.escape(pattern.removesuffix("$")).replace(r"\*", ".*")
    return re.match(regex + "$" * pattern.endswith("$"), path) is not None


def allowed(lines: Iterable[tuple[str, str]], path: str) -> bool | None:
    """What the longest rule says, Allow where two are as long; None without any."""
    rules = [(key, value) for key, value in lines if key in {"allow", "disallow"} and value]
    fitting = [(len(value), key == "allow") for key, value in rules if fits(value, path)]
    return max(fitting)[1] if fitting else None


def access(robots: Answer, path: str) -> Statements:
    """A file that cannot be had is a complete disallow (RFC 9309 2.3.1.4)."""
    barred = robots.status == 200 and allowed(lines_for(TOKEN, robots.body), path) is False
    return stated(USES if barred or robots.failed else (), "no")


def agents_barred(text: str, path: str) -> Statements:
    """Everybody barred but us: no agent of any class may read it, so it is for no model."""
    others = {agent for agents, _ in _groups(text) for agent in agents} - {"*", TOKEN}
    barred = allowed(lines_for("*", text), path) is False
    return stated(AI if barred and not others else (), "no")


# --- RSL 1.0 -------------------------------------------------------------------------------------


def read_rsl(text: str, url: str, *, scoped: bool) -> Statements:
    """No usable document is no licence, and nobody else's yes is one then."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError:
        return stated(USES, "unread")
    return rsl_contents(root.findall(f"{RSL}content"), url, scoped=scoped)


def rsl_contents(contents: Iterable[ET.Element], url: str, *, scoped: bool) -> Statements:
    """Every covering prohibition; permits and payment of the most specific content."""
    covering: list[tuple[int, ET.Element]] = []
    for content in contents:
        where = urlsplit(content.get("url", ""))
        is_ours = where.netloc in {"", urlsplit(url).netloc}
        if is_ours and (fits(where.path, urlsplit(url).path) if where.path else scoped):
            covering.append((len(where.path), content))
    closest = max((length for length, _ in covering), default=0)
    refused = [stated(_usages(content, "prohibits"), "no") for _, content in covering]
    return union(
        [*refused, *(_offer(content) for length, content in covering if length == closest)]
    )


def _offer(content: ET.Element) -> Statements:
    """The list of permissions is closed."""
    permitted = _usages(content, "permits")
    free = all(
        each.get("type") in {"free", "attribution"} for each in content.iter(f"{RSL}payment")
    )
    return stated(permitted, "yes" if free else "no") | stated(set(USES) - permitted, "no")


def _usages(content: ET.Element, name: str) -> set[str]:
    texts = [each.text or "" for each in content.iter(RSL + name) if each.get("type") == "usage"]
    tokens = set(" ".join(texts).replace(",", " ").split())
    wider = {"all": USES, "ai-all": AI}
    return {use for token in tokens for use in wider.get(token, (token,)) if use in USES}
