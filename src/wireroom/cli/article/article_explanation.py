"""The explanation of an article that is held, as data and for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wireroom.cli.console import shortened
from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app.explain import ArticleExplanation, ClusterExplanation, FieldSource
    from wireroom.model import Article, Receipt, Signal

MAX_SHOWN = 60  # characters of a value in a table
BECAUSE = {
    "held": "the others were withdrawn",
    "role": "its feed has the better role",
    "reliability": "its feed is more reliable",
    "completeness": "more is known of it",
    "length": "it is longer",
    "quality": "it was read with a higher quality",
    "time": "it is the earliest",
}
"""How it is said what the choice among copies was decided by."""


def explanation_data(explained: ArticleExplanation) -> dict[str, Any]:
    """All of it as plain data."""
    return {
        "fields": [asdict(source) for source in explained.fields],
        "quality_reasons": list(explained.quality_reasons),
        "worth": {"value": explained.worth, "parts": dict(explained.worth_parts)},
        "receipt": _receipt(explained.article.receipt),
        "cluster": _cluster(explained.cluster) if explained.cluster is not None else None,
        "versions": [
            {
                "version": version.version,
                "fetched_at": version.fetched_at,
                "title": version.title,
            }
            for version in explained.versions
        ],
    }


def _receipt(receipt: Receipt | None) -> dict[str, Any] | None:
    if receipt is None:
        return None
    from wireroom.export.article_text import condition_word

    return {
        "checked_at": receipt.checked_at,
        "robots": receipt.robots,
        "licence_url": receipt.licence_url,
        "verdicts": [
            {
                "use": verdict.use,
                "value": verdict.value,
                "because": [_describe(signal) for signal in verdict.because],
                "against": [_describe(signal) for signal in verdict.conflicts],
                "conditions": [condition_word(condition) for condition in verdict.conditions],
            }
            for verdict in receipt.verdicts
        ],
    }


def _describe(signal: Signal) -> str:
    """`rsl: deny (https://…/rsl.xml line 4: …)`."""
    where = signal.evidence.url
    if signal.evidence.line is not None:
        where += f" line {signal.evidence.line}"
    excerpt = f": {signal.evidence.excerpt}" if signal.evidence.excerpt else ""
    return f"{signal.family}: {signal.value} ({where}{excerpt})"


def _cluster(cluster: ClusterExplanation) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "made_at": cluster.made_at,
        "members": cluster.members,
        "stands_for_it": cluster.canonical,
        "because": cluster.because,
        "twins": [
            {
                "id": near.article.id,
                "publisher": near.article.publisher,
                "url": near.article.url,
                "title": near.article.title,
                "alike": near.likeness,
                "why": near.shared,
            }
            for near in cluster.near_duplicates
        ],
    }


# --- for people --------------------------------------------------------------------------------


def show_explanation(explained: ArticleExplanation, streams: Streams) -> None:
    """Tables for one article."""
    article = explained.article
    streams.heading(article.title or "Without a title")
    streams.line(f"{article.id}  {article.url}", indent=2)
    streams.line()
    streams.table(
        [
            (each.field, shortened(_joined(each.value), MAX_SHOWN), each.source, _sure(each))
            for each in explained.fields
        ],
        columns=("field", "value", "source", "sure"),
    )
    streams.line()
    streams.line(f"quality {article.quality:.2f}, {article.word_count:,} words", style="bold")
    for reason in explained.quality_reasons:
        streams.prose(f"- {reason}", indent=2)
    streams.line(f"worth {explained.worth:.2f}", style="bold")
    parts = [f"{name} {part:.2f}" for name, part in explained.worth_parts.items()]
    streams.prose(", ".join(parts), indent=2)
    _show_receipt(_receipt(article.receipt), streams)
    _show_cluster(article, explained.cluster, streams)
    streams.line()
    edits = explained.versions
    message = f"edited {len(edits)} times; --versions shows how" if edits else "never edited"
    streams.line(f"version {article.version}, {message}")


def _show_receipt(receipt: dict[str, Any] | None, streams: Streams) -> None:
    from wireroom.report.signs import signed

    streams.line()
    if receipt is None:
        streams.line("no receipt: nothing is known of its rights", style="bold")
        return
    streams.line(
        f"rights on {receipt['checked_at']:%Y-%m-%d}, robots.txt: {receipt['robots']}", style="bold"
    )
    for verdict in receipt["verdicts"]:
        streams.line(f"{verdict['use']}: {signed(verdict['value'])}", indent=2)
        reasons = [*verdict["because"], *(f"against it, {each}" for each in verdict["against"])]
        reasons += [f"on condition of {each}" for each in verdict["conditions"]]
        for reason in reasons:
            streams.prose(reason, indent=4)
    if receipt["licence_url"]:
        streams.line(f"licence: {receipt['licence_url']}", indent=2)


def _show_cluster(article: Article, cluster: ClusterExplanation | None, streams: Streams) -> None:
    streams.line()
    if cluster is None:
        streams.line("no other article tells the same text", style="bold")
        return
    is_this = cluster.canonical == article.id
    who = "this one stands for them" if is_this else f"{cluster.canonical} stands for them"
    why = BECAUSE.get(cluster.because, "")
    who += f", because {why}" if why else ""
    streams.line(f"one of {cluster.members} that tell the same text; {who}", style="bold")
    streams.table(
        [
            (
                near.article.id,
                near.article.publisher,
                "" if near.likeness is None else f"{near.likeness:.0%}",
                shortened(near.shared, MAX_SHOWN),
            )
            for near in cluster.near_duplicates
        ],
        columns=("id", "publisher", "alike", "both say"),
        indent=2,
    )


def _sure(field: FieldSource) -> str:
    sure = field.confidence
    return f"{sure:.2f}" if isinstance(sure, int | float) else ""


def _joined(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
