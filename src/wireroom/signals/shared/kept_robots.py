"""The robots.txt that the step `robots` brought home, for the steps that need it: parsed once a visit."""

from __future__ import annotations

from wireroom.model import Evidence
from wireroom.parse.robots import Robots
from wireroom.parse.robots.robots_scan import ExtensionName
from wireroom.ports import StepContext
from wireroom.rights.finding_index import RobotsFacts, facts_of
from wireroom.signals.shared.documents import NO_ROBOTS

_WRITTEN = {
    "license": "License",
    "content-signal": "Content-Signal",
    "content-usage": "Content-Usage",
}


def kept_robots(context: StepContext) -> tuple[str, Robots]:
    """Where the robots.txt was read, and its rules; without one, rules that allow everything."""
    facts = facts_of(context.findings["robots"], RobotsFacts)
    return ("", NO_ROBOTS) if facts is None else (facts.url, facts.rules)


def robots_lines(context: StepContext, name: ExtensionName) -> tuple[Evidence, ...]:
    """Every line of this name, whomever it speaks to."""
    url, robots = kept_robots(context)
    return tuple(
        Evidence(
            url=url,
            line=extension.line,
            excerpt=" ".join(
                filter(None, (f"{_WRITTEN[name]}:", extension.pattern, extension.value))
            ),
        )
        for extension in robots.extensions
        if extension.name == name
    )
