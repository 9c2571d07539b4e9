"""Scouting step: what the metadata of this publisher is like, in two to four plain sentences. Asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wireroom.model import Facts, Finding
from wireroom.parse.metadata import KEY_FIELDS
from wireroom.ports import Step, StepContext
from wireroom.signals.shared import finding

_FORMATS = {
    "json-ld": "JSON-LD",
    "opengraph": "OpenGraph",
    "microdata": "microdata",
    "twitter": "Twitter cards",
}
_FIELDS = {
    "headline": "headline",
    "author": "author",
    "datePublished": "publication date",
    "dateModified": "date of change",
    "image": "image",
    "description": "description",
    "isAccessibleForFree": "access",
    "wordCount": "word count",
    "articleSection": "section",
    "inLanguage": "language",
    "keywords": "keywords",
}
RICH = 8  # of the eleven fields: little is left to guess
POOR = 3  # of them: nearly all has to be guessed


async def run(context: StepContext) -> Finding:
    """The sentences, always the same for the same findings."""
    data = context.findings["article_data"]
    if data.outcome not in {"yes", "no"}:
        facts = {"page_url": context.url, "summary": "", "reason": "no article could be fetched"}
        return finding(context, "metadata_profile", "unknown", facts)
    fields: Mapping[str, Sequence[str]] = data.facts.get("fields", {})
    formats, organisation = data.facts.get("formats_found", ()), _organisation(context)
    profile: dict[str, Any] = {
        "page_url": context.url,
        "summary": " ".join(_sentences(formats, fields, organisation)),
        "method": "template",
        "formats_found": list(formats),
        "fields_found": sorted({key for row in fields.values() for key in row}),
        "organization": organisation,
    }
    return finding(context, "metadata_profile", "yes", profile, *data.evidence)


def _sentences(
    formats: Sequence[str], fields: Mapping[str, Sequence[str]], organisation: str
) -> list[str]:
    if not formats:
        first = "The article carries no structured data: title, author and date have to be read off the page."
        return [first, _publisher(organisation)]
    known = {key for row in fields.values() for key in row}
    named = _listed([_FORMATS.get(name, name) for name in formats])
    word = "rich" if len(known) >= RICH else "poor" if len(known) <= POOR else "fair"
    sentences = [
        f"The article describes itself in {named}; of eleven key fields {len(known)} are there, which is {word}."
    ]
    missing = [_FIELDS[key] for key in KEY_FIELDS if key not in known and key in _FIELDS]
    if missing:
        sentences.append(f"Missing: {_listed(missing)}.")
    else:
        sentences.append("Nothing is missing.")
    return [*sentences, _publisher(organisation)]


def _publisher(name: str) -> str:
    return (
        f"The publisher describes itself as {name}."
        if name
        else "The publisher does not describe itself."
    )


def _organisation(context: StepContext) -> str:
    described: Any = context.findings["publisher_details"].facts.get("organization")
    return str(described.get("name") or "") if isinstance(described, Mapping) else ""


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def summary(facts: Facts) -> str:
    """The sentences."""
    return str(facts.get("summary") or facts.get("reason") or "nothing is known of it")


PLUG = Step(
    "metadata_profile",
    "Metadata profile",
    run,
    ("article_data", "publisher_details"),
    about="page",
    section="metadata",
    label="Profile",
    order=30,
    summary=summary,
    compared=("formats_found", "fields_found", "organization"),
)
