"""robots.txt: who may read what, by which line, and what else the file says.

Pure: bytes in, a frozen value out. It fetches nothing, and does not say what a status code means:
a missing file is the caller's business. Rules follow RFC 9309 as Google reads it; the lines of
later standards (`License`, `Content-Signal`, `Content-Usage`) come back with their scope and line,
unread: what they permit is decided in `wireroom.rights`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from typing import Final, Literal
from weakref import WeakValueDictionary

from wireroom.errors import FetchError, StatusError
from wireroom.parse.robots.prose_comments import Reservation, reservations, why_unread
from wireroom.parse.robots.robots_scan import (
    EVERYONE,
    ExtensionName,
    LintCode,
    RawGroup,
    Scan,
    State,
    scan,
)
from wireroom.parse.robots.rule_matching import Deciding, Ruleset, escaped, matches, path_of

Barred = Literal["fully", "partly", "not"]
KEY_BYTES: Final = 16  # of the hash by which a file is known again


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One Allow or Disallow line, its pattern escaped as addresses are."""

    allow: bool
    pattern: str
    line: int

    def __str__(self) -> str:
        return f"{'Allow' if self.allow else 'Disallow'}: {self.pattern}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Agents that share rules; `agents` are the product tokens as written, `*` for everyone."""

    agents: tuple[str, ...]
    line: int
    rules: tuple[Rule, ...] = ()
    crawl_delay: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsDecision:
    """Whether an agent may read an address, and the line that says so."""

    allowed: bool
    line: int | None = None
    """None when no rule speaks of the address: then it is allowed."""
    rule: str = ""
    agent: str = ""
    """The name that chose the group: the agent's own, `*`, or empty when no group is for it."""
    agents: tuple[str, ...] = ()
    """Everyone the group is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapLine:
    """A sitemap as named in the file; it may be relative."""

    url: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A line of a later standard; `agents` is empty where it stands outside every group."""

    name: ExtensionName
    value: str
    line: int
    agents: tuple[str, ...] = ()
    pattern: str = ""
    """The path a `Content-Usage` line is limited to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """Something the publisher should look at; line 0 is the file as a whole."""

    code: LintCode
    line: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Robots:
    """A robots.txt, ready to be asked. Whatever is not one allows everything and is not `found`."""

    state: State
    truncated: bool
    """Whether the file is longer than `MAX_BYTES`; the rest was not read."""
    unread: str
    """Why a part of what was read of it was not looked at; empty where all of it was."""
    sitemaps: tuple[SitemapLine, ...]
    extensions: tuple[Extension, ...]
    reservations: tuple[Reservation, ...]
    lint: tuple[Lint, ...]
    _raw: tuple[RawGroup, ...] = field(repr=False)
    _delays: dict[int, timedelta] = field(repr=False)
    """Place of a group to the pause it asks for."""
    _places: dict[bytes, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """Token in lower case to the places of its groups; filled with the first question."""
    _rulesets: dict[tuple[int, ...], Ruleset] = field(default_factory=dict, repr=False)
    """Filled when asked: most agents share one choice of groups, so it is made once."""
    _scopes: dict[tuple[ExtensionName, str], tuple[Extension, ...]] = field(
        default_factory=dict, repr=False
    )
    """Name and token to the lines for them; filled when asked."""

    @property
    def found(self) -> bool:
        """Whether the bytes are a robots.txt at all; an empty one is."""
        return self.state in {"rules", "empty"}

    @property
    def groups(self) -> tuple[Group, ...]:
        """Every group in the order of the file, not merged; built when asked for."""
        return tuple(_group(raw, self._delays.get(at)) for at, raw in enumerate(self._raw))

    def allows(self, agent: str, url: str) -> bool:
        """Whether the agent may read the address (escaped, as it goes over the wire).

        What `decide` says in short, for every page that is asked for: it names no line and no agents.
        """
        places = self._choose(agent)[1]
        rule = self._ruleset(places).decide(path_of(url)) if places else None
        return rule is None or rule.allow or not rule.length

    def decide(self, agent: str, url: str) -> RobotsDecision:
        """What the file says about this agent and address (escaped, as it goes over the wire).

        The agent is a product token or a whole User-Agent header, of which the part before the
        first slash counts. It is compared whole: `Applebot` is not `Applebot-Extended`.
        """
        name, places = self._choose(agent)
        if not places:
            return RobotsDecision(allowed=True)
        agents = self._agents(places)
        rule = self._ruleset(places).decide(path_of(url))
        if rule is None:
            return RobotsDecision(allowed=True, agent=name, agents=agents)
        return RobotsDecision(
            allowed=rule.allow or not rule.length,
            line=rule.line,
            rule=_rule_text(rule),
            agent=name,
            agents=agents,
        )

    def rules_for(self, agent: str) -> tuple[str, tuple[Rule, ...]]:
        """The name that chooses the agent's groups, and the rules of those groups as they are written."""
        name, places = self._choose(agent)
        return name, tuple(rule for at in places for rule in _group(self._raw[at], None).rules)

    def barred(self, agent: str) -> Barred:
        """How much of the publisher's site the agent is kept from."""
        places = self._choose(agent)[1]
        rules = self._ruleset(places)
        if rules.bars_everything():
            return "fully"
        return "partly" if rules.bars_something() else "not"

    def crawl_delay(self, agent: str) -> timedelta | None:
        """The pause the agent is asked to make, the longest where its groups differ."""
        places = self._choose(agent)[1]
        return max((self._delays[at] for at in places if at in self._delays), default=None)

    def licences(self, agent: str) -> tuple[Extension, ...]:
        """The `License` lines for the agent: those of its groups, else those outside of groups."""
        return self._scoped("license", agent)

    def content_signals(self, agent: str) -> tuple[Extension, ...]:
        """The `Content-Signal` lines for the agent: those of its groups, else those outside."""
        return self._scoped("content-signal", agent)

    def content_usages(self, agent: str, url: str) -> tuple[Extension, ...]:
        """The `Content-Usage` lines with the longest path that fits; none where it may not read."""
        if not self.allows(agent, url):
            return ()
        path = path_of(url)
        fitting = [
            line
            for line in self._scoped("content-usage", agent)
            if matches(path, line.pattern.encode())
        ]
        longest = max((len(line.pattern) for line in fitting), default=0)
        return tuple(line for line in fitting if len(line.pattern) == longest)

    def _scoped(self, name: ExtensionName, agent: str) -> tuple[Extension, ...]:
        token = self._choose(agent)[0].lower()
        known = self._scopes.get((name, token))
        if known is None:
            lines = [line for line in self.extensions if line.name == name]
            # Lines of one group share its agents, of which there may be thousands: each group is looked at once.
            groups = {id(line.agents): line.agents for line in lines}
            ours = {key for key, agents in groups.items() if token in map(str.lower, agents)}
            own = [line for line in lines if id(line.agents) in ours]
            known = tuple(own or [line for line in lines if not line.agents])
            self._scopes[name, token] = known
        return known

    def _choose(self, agent: str) -> tuple[str, tuple[int, ...]]:
        """The name that chooses the agent's groups, and their places."""
        if self._raw and not self._places:
            self._places.update(_places_by_token(self._raw))
        token = agent.partition("/")[0].strip().lower().encode("utf-8", "surrogatepass")
        for name in (token, EVERYONE):
            places = self._places.get(name)
            if places:
                return name.decode("ascii"), places
        return "", ()

    def _agents(self, places: tuple[int, ...]) -> tuple[str, ...]:
        named = (agent for place in places for agent in self._raw[place][1])
        return _names(dict.fromkeys(named))

    def _ruleset(self, places: tuple[int, ...]) -> Ruleset:
        rules = self._rulesets.get(places)
        if rules is None:
            rules = Ruleset(rule for place in places for rule in self._raw[place][2])
            self._rulesets[places] = rules
        return rules


def read_robots(body: bytes) -> Robots:
    """The robots.txt in these bytes; never raises, whatever they are.

    A file that somebody still holds parsed is not parsed again: who fetches obeys the file that a scout reads.
    """
    key = blake2b(body, digest_size=KEY_BYTES).digest()
    robots = _held.get(key)
    if robots is None:
        robots = _held[key] = _parsed(body)
    return robots


def _parsed(body: bytes) -> Robots:
    found = scan(body)
    return Robots(
        state=found.state,
        truncated=found.truncated,
        unread=found.unread or why_unread(found.lines),
        sitemaps=tuple(SitemapLine(url=_text(url), line=line) for line, url in found.sitemaps),
        extensions=tuple(_extensions(found)),
        reservations=reservations(found.lines),
        lint=tuple(
            Lint(code=lint.code, line=lint.line, detail=lint.detail) for lint in found.lints
        ),
        _raw=tuple(found.groups),
        _delays=found.delays,
    )


_held: Final[WeakValueDictionary[bytes, Robots]] = WeakValueDictionary()
"""Files that somebody holds parsed; they go with the last who does."""


# --- from raw to what is shown -----------------------------------------------------------------


def _places_by_token(groups: tuple[RawGroup, ...]) -> dict[bytes, tuple[int, ...]]:
    places: dict[bytes, list[int]] = {}
    for place, (_, agents, _) in enumerate(groups):
        for agent in agents:
            known = places.setdefault(agent.lower(), [])
            if not known or known[-1] != place:
                known.append(place)
    return {agent: tuple(known) for agent, known in places.items()}


def _group(raw: RawGroup, delay: timedelta | None) -> Group:
    first, agents, rules = raw
    return Group(
        agents=_names(agents),
        line=first,
        rules=tuple(
            Rule(allow=allow, pattern=_pattern(written), line=line)
            for line, allow, written in rules
        ),
        crawl_delay=delay,
    )


def _names(agents: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(agent.decode("ascii") for agent in agents)


def _extensions(found: Scan) -> Iterator[Extension]:
    named: dict[int, tuple[str, ...]] = {-1: ()}
    for raw in found.extensions:
        agents = named.get(raw.group)
        if agents is None:
            agents = named[raw.group] = _names(found.groups[raw.group][1])
        path, value = (
            _path_and_value(raw.value) if raw.name == "content-usage" else (b"", raw.value)
        )
        yield Extension(
            name=raw.name,
            value=_text(value),
            line=raw.line,
            agents=agents,
            pattern=_pattern(path),
        )


def _path_and_value(value: bytes) -> tuple[bytes, bytes]:
    """`Content-Usage: /path train-ai=n`: what starts with a slash is a path."""
    if not value.startswith(b"/"):
        return b"", value
    path, *rest = value.split(None, 1)
    return path, rest[0] if rest else b""


def _rule_text(rule: Deciding) -> str:
    return str(Rule(allow=rule.allow, pattern=_pattern(rule.pattern), line=rule.line))


def _pattern(written: bytes) -> str:
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F else f"%{byte:02X}" for byte in escaped(written)
    )


def _text(value: bytes) -> str:
    """Readable text without control characters; bytes that are no UTF-8 are escaped."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text = escaped(value).decode("ascii")
    if text.isprintable():
        return text
    return "".join(char for char in text if char.isprintable())


def opens_host(error: FetchError) -> bool:
    """Whether the answer in place of a robots.txt leaves the host open: RFC 9309 counts every 4xx but 429 as "no rules"."""
    # A form in its place, or a ring of redirects, is no robots.txt either (2.3.1.2).
    if error.kind in {"redirect_loop", "consent_wall", "login"}:
        return True
    return isinstance(error, StatusError) and 300 <= error.status < 500 and error.status != 429
