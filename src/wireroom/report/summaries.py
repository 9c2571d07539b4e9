"""One line for each finding, in plain words. Pure: each step brings its own summary.

The same texts serve the live view of a running scout and the lines of the card.
"""

from __future__ import annotations

from wireroom.model import Finding
from wireroom.signals import all_steps


def summary(finding: Finding) -> str:
    """What the finding comes to, for a person; a step without a summary gets its outcome alone."""
    facts = finding.facts
    if finding.outcome == "failed":
        return f"could not look: {facts.get('error', 'no reason given')}"
    if finding.outcome == "skipped":
        return f"not looked at: {facts.get('error') or facts.get('reason') or 'skipped'}"
    step = all_steps().get(finding.step)
    message = finding.outcome if step is None or step.summary is None else step.summary(facts)
    return _in_doubt(message) if finding.outcome == "unknown" else message


def _in_doubt(message: str) -> str:
    """Nothing found is not the same as nothing there when not everything could be looked at."""
    if message.startswith("unknown"):
        return message
    in_places = message.startswith("no ") and not message.startswith("no article")
    return f"unknown: {message}{' where we could look' if in_places else ''}"
