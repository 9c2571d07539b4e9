"""Lines of later standards in the robots.txt that the step `robots` brought home, as evidence."""

from __future__ import annotations

from wireroom.model import Evidence
from wireroom.parse.robots import Robots, read_robots
from wireroom.parse.robots.robots_scan import ExtensionName
from wireroom.ports import StepContext

_WRITTEN = {
    "license": "License",
    "content-signal": "Content-Signal",
    "content-usage": "Content-Usage",
}


def kept_robots(case: StepContext) -> tuple[str, Robots]:
    """Where the kept robots.txt was read, and its rules; without one, rules that allow everything."""
    facts = case.findings["robots"].facts
    return str(facts.get("url", "")), read_robots(str(facts.get("text", "")).encode())


def robots_lines(case: StepContext, name: ExtensionName) -> tuple[Evidence, ...]:
    """Every line of this name, whomever it speaks to."""
    url, robots = kept_robots(case)
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
