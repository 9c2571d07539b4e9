"""Scouting step: which structured data an article carries: eleven fields in four formats, each for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wireroom.model import Facts, Finding, FindingOutcome, Priority
from wireroom.parse.metadata import FORMATS, KEY_FIELDS
from wireroom.ports import CardDetails, CardSample, Step, StepContext, Summary, SummaryRow
from wireroom.rights.finding_index import MEASURED
from wireroom.scout.sample import NEEDS, Sample, sample_page
from wireroom.signals.shared import finding


async def run(context: StepContext) -> Finding:
    """The table of fields and formats; unknown when no article is known to look at."""
    sample = await sample_page(context)
    if sample is None:
        return finding(
            context,
            "article_data",
            "unknown",
            {"page_url": context.url, "reason": "no article known"},
        )
    formats = sample.marks.formats
    table = {name: {key: formats.get(name, {}).get(key) for key in KEY_FIELDS} for name in FORMATS}
    present = {
        name: [key for key, value in row.items() if value is not None]
        for name, row in table.items()
    }
    facts: dict[str, Any] = {
        "page_url": context.url,
        "formats_found": [name for name in FORMATS if name in formats],
        "fields": present,
        "types": _types(sample),
        MEASURED: {"sample_url": sample.page.url, "chosen": sample.chosen, "values": table},
    }
    outcome: FindingOutcome = "yes" if facts["formats_found"] else "no"
    return finding(
        context,
        "article_data",
        outcome,
        facts,
        sample.page.evidence(sample.marks.title),
    )


def _types(sample: Sample) -> dict[str, Any]:
    formats = sample.marks.formats
    return {
        name: {"type": row.get("@type"), "publisher": row.get("publisher")}
        for name, row in formats.items()
    }


_NAMES = {"json-ld": "JSON-LD", "opengraph": "OpenGraph", "twitter": "Twitter cards"}


def summary(facts: Facts) -> Summary:
    """The formats that are there, and the article that was read for it."""
    formats = [_NAMES.get(name, name) for name in facts.get("formats_found", ())]
    text = ", ".join(formats) or str(facts.get("reason") or "no structured data")
    sample = str(facts.get(MEASURED, {}).get("sample_url") or "")
    rows = (SummaryRow(url=sample, text="read as a sample"),) if sample else ()
    return Summary(text=text, tone="good" if formats else "plain", rows=rows)


def details(facts: Facts) -> CardDetails:
    """Each of the key fields, with the formats in which it stands."""
    rows = facts.get("fields")
    if not isinstance(rows, Mapping):
        return CardDetails()
    measured = facts.get(MEASURED, {})
    sample = CardSample(
        url=str(measured.get("sample_url") or ""),
        chosen=str(measured.get("chosen") or ""),
        formats=tuple(map(str, facts.get("formats_found", ()))),
    )
    return CardDetails(
        sample=sample if sample.url else None,
        fields=tuple(
            (key, tuple(name for name, present in rows.items() if key in present))
            for key in KEY_FIELDS
        ),
    )


PLUG = Step(
    "article_data",
    "Structured data of an article",
    run,
    NEEDS,
    about="page",
    asks=(Priority.ARTICLE,),
    section="metadata",
    label="Formats",
    order=20,
    summary=summary,
    compared=("formats_found",),
    details=details,
)
