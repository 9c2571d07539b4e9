"""ai.txt: rules in the form of robots.txt about training alone.

Rules name kinds of files as often as paths (`Disallow: *.html`), and articles rarely have an ending in
their address; so an address without one is also asked about as the page of text that it is.
"""

from __future__ import annotations

from typing import Final

from wireroom.model import Signal
from wireroom.parse.robots import Robots, RobotsDecision
from wireroom.rights.facts import TextFacts
from wireroom.rights.family import Family, Heard, path_in, read_text, same_publisher, say
from wireroom.version import TOKEN

NAME: Final = "ai_txt"


def _speak(heard: Heard, url: str) -> tuple[Signal, ...]:
    return tuple(
        signal
        for facts in heard.of(NAME, TextFacts)
        if same_publisher(facts.url, url)
        for signal in _of_file(facts.url, read_text(facts.text), path_in(url))
    )


def _of_file(file_url: str, rules: Robots, path: str) -> tuple[Signal, ...]:
    decision = _decision(rules, path)
    if decision is None:
        return ()
    return say(
        NAME,
        ("ai-train",),
        "allow" if decision.allowed else "deny",
        url=file_url,
        line_number=decision.line,
        excerpt=decision.rule,
        scope=decision.rule.partition(": ")[2],
    )


def _decision(rules: Robots, path: str) -> RobotsDecision | None:
    """The rule that speaks of the page, a refusal first; None when none does."""
    asked = (rules.decide(TOKEN, fromkey) for fromkey in dict.fromkeys((path, _as_text(path))))
    said = [decision for decision in asked if decision.line is not None]
    return min(said, key=lambda decision: decision.allowed, default=None)


def _as_text(path: str) -> str:
    """The path as the name of a page of text, where it does not have an ending already."""
    plain = path.partition("?")[0]
    if "." in plain.rpartition("/")[2]:
        return path
    return plain + ("index.html" if plain.endswith("/") else ".html")


FAMILY: Final = Family(name=NAME, title="ai.txt", steps=("ai_txt",), speak=_speak)
