"""What an article that is held rests on: the source of each field, its receipt, its twins, its edits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wireroom.cli.console import shortened
from wireroom.cli.streams import Streams

if TYPE_CHECKING:
    from wireroom.app import App
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
MAX_NEAR_DUPLICATES = (
    20  # twins that are compared; a text that a hundred papers print is told by twenty
)


def explanation(app: App, article: Article) -> dict[str, Any]:
    """All of it as plain data."""
    cluster = _cluster(app, article)
    return {
        "fields": list(_fields(article)),
        "quality_reasons": list(article.extra.get("quality", ())),
        "worth": _worth(article, cluster),
        "receipt": _receipt(article.receipt),
        "cluster": cluster,
        "versions": [
            {
                "version": article_version.version,
                "fetched_at": article_version.fetched_at,
                "title": article_version.title,
            }
            for article_version in app.store.versions(article.id)
        ],
    }


def _fields(article: Article) -> Iterator[dict[str, Any]]:
    confidence = article.extra.get("confidence", {})
    for name, source in article.sources.items():
        value = getattr(article, name, article.extra.get(name))  # a section, a licence: no field
        shown = value.isoformat() if isinstance(value, datetime) else value
        sure = confidence.get(name) if isinstance(confidence, dict) else None
        yield {"field": name, "value": shown, "source": source, "confidence": sure}


def _worth(article: Article, cluster: dict[str, Any] | None) -> dict[str, Any]:
    """How much it is worth having, and what that is made of."""
    from wireroom.duplicates import content_quality

    confidence = article.extra.get("confidence", {})
    sure = confidence.get("language") if isinstance(confidence, dict) else None
    worth = content_quality(
        article,
        cluster_size=cluster["members"] if cluster is not None else 1,
        language_confidence=sure if isinstance(sure, int | float) else None,
    )
    parts = {name: round(part, 3) for name, part in worth.parts.items()}
    return {"value": worth.value, "parts": parts}


def _receipt(receipt: Receipt | None) -> dict[str, Any] | None:
    if receipt is None:
        return None
    from wireroom.export.rights_text import condition_word

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


def _cluster(app: App, article: Article) -> dict[str, Any] | None:
    cluster = app.store.cluster(article.cluster_id) if article.cluster_id else None
    if cluster is None:
        return None
    others = [member for member in cluster.members if member != article.id]
    stands = cluster.canonicals.get(article.language) or next(iter(cluster.canonicals.values()), "")
    return {
        "id": cluster.id,
        "made_at": cluster.made_at,
        "members": len(cluster.members),
        "stands_for_it": stands,
        "because": _because(app, article, stands),
        "twins": [
            _twin(article, other) for other in app.store.article_list(others[:MAX_NEAR_DUPLICATES])
        ],
    }


def _because(app: App, article: Article, stands: str) -> str:
    """By what the one that stands for the others beats the next best; empty when it would not be chosen now."""
    from wireroom.app.cluster import about
    from wireroom.duplicates import choose

    _, articles, trusts = about(app.store, {article.id: ()})
    choices = choose(articles.values(), trusts)
    return next((choice.because for choice in choices if choice.article_id == stands), "")


def _twin(article: Article, other: Article) -> dict[str, Any]:
    """Another article of the cluster, and how alike the two are."""
    from wireroom.duplicates import GroupOptions, explain, sign

    options = GroupOptions()
    one, two = (
        sign(each.id, each.text, each.language, each.fetched_at, options)
        for each in (article, other)
    )
    twin: dict[str, Any] = {
        "id": other.id,
        "publisher": other.publisher,
        "url": other.url,
        "title": other.title,
    }
    if one is None or two is None:
        return twin | {"alike": None, "why": "one of the texts is gone"}
    likeness = explain(one, two, options, texts=(article.text, other.text))
    why = "the same words" if likeness.estimated == 1 else "; ".join(likeness.shared)
    return twin | {"alike": round(likeness.true or 0.0, 3), "why": why}


# --- for people --------------------------------------------------------------------------------


def show_explanation(article: Article, said: dict[str, Any], streams: Streams) -> None:
    """Tables for one article."""
    streams.heading(article.title or "Without a title")
    streams.line(f"{article.id}  {article.url}", indent=2)
    streams.line()
    streams.table(
        [
            (one["field"], shortened(_joined(one["value"]), MAX_SHOWN), one["source"], _sure(one))
            for one in said["fields"]
        ],
        columns=("field", "value", "source", "sure"),
    )
    streams.line()
    streams.line(f"quality {article.quality:.2f}, {article.word_count:,} words", style="bold")
    for reason in said["quality_reasons"]:
        streams.prose(f"- {reason}", indent=2)
    worth = said["worth"]
    streams.line(f"worth {worth['value']:.2f}", style="bold")
    streams.prose(
        ", ".join(f"{name} {part:.2f}" for name, part in worth["parts"].items()), indent=2
    )
    _show_receipt(said["receipt"], streams)
    _show_cluster(article, said["cluster"], streams)
    streams.line()
    edits = said["versions"]
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
        reasons = [*verdict["because"], *(f"against it, {one}" for one in verdict["against"])]
        reasons += [f"on condition of {one}" for one in verdict["conditions"]]
        for each in reasons:
            streams.prose(each, indent=4)
    if receipt["licence_url"]:
        streams.line(f"licence: {receipt['licence_url']}", indent=2)


def _show_cluster(article: Article, cluster: dict[str, Any] | None, streams: Streams) -> None:
    streams.line()
    if cluster is None:
        streams.line("no other article tells the same text", style="bold")
        return
    stands = cluster["stands_for_it"]
    who = "this one stands for them" if stands == article.id else f"{stands} stands for them"
    why = BECAUSE.get(cluster["because"], "")
    who += f", because {why}" if why else ""
    streams.line(f"one of {cluster['members']} that tell the same text; {who}", style="bold")
    streams.table(
        [
            (
                one["id"],
                one["publisher"],
                "" if one["alike"] is None else f"{one['alike']:.0%}",
                shortened(one["why"], MAX_SHOWN),
            )
            for one in cluster["twins"]
        ],
        columns=("id", "publisher", "alike", "both say"),
        indent=2,
    )


def _sure(one: dict[str, Any]) -> str:
    sure = one["confidence"]
    return f"{sure:.2f}" if isinstance(sure, int | float) else ""


def _joined(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
