"""What an article that is held rests on, and what its edits changed: as data and for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from wireroom.cli.console import shortened
from wireroom.cli.streams import Streams
from wireroom.display_text import counted

if TYPE_CHECKING:
    from wireroom.app.explain import ArticleExplanation, ClusterExplanation, Edit, FieldSource
    from wireroom.dates.reader_clock import ReaderClock
    from wireroom.model import Article, Original, Receipt, Signal, Verdict

WITHDRAWN = "withdrawn by its publisher"
MAX_SHOWN = 60  # characters of a value in a table


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


def _named(signal: Signal, page_url: str) -> str:
    """The same under the name that people read on cards, not that of programs."""
    from wireroom.signals import label_of

    return _describe(signal, page_url, name=label_of(signal.family))


def _describe(signal: Signal, page_url: str = "", *, name: str = "") -> str:
    """`rsl: deny (https://…/rsl.xml line 4: …)`; the page itself, where it is named, is "this page"."""
    where = "this page" if signal.evidence.url == page_url else signal.evidence.url
    if signal.evidence.line is not None:
        where += f" line {signal.evidence.line}"
    excerpt = f": {signal.evidence.excerpt}" if signal.evidence.excerpt else ""
    return f"{name or signal.family}: {signal.value} ({where}{excerpt})"


def _cluster(cluster: ClusterExplanation) -> dict[str, Any]:
    return {
        "id": cluster.id,
        "made_at": cluster.made_at,
        "members": cluster.members,
        "stands_for_it": cluster.canonical,
        "because": cluster.because,
        "chosen_now": cluster.rival or cluster.canonical,
        "chosen_now_because": cluster.rival_because or cluster.because,
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


def show_explanation(explained: ArticleExplanation, streams: Streams, clock: ReaderClock) -> None:
    """Tables for one article; what stands in its head, or once in a list, is not said again."""
    article = explained.article
    streams.heading(article.title or "Without a title")
    streams.line(f"{article.id}  {article.url}", indent=2)
    if article.state == "withdrawn":
        streams.line(WITHDRAWN, indent=2)
    streams.line()
    rows = [
        (each.field, shortened(_value(each, article), MAX_SHOWN), each.source, _sure(each))
        for each in explained.fields
    ]
    streams.table(rows, columns=("field", "value", "source", "sure"))
    streams.line()
    streams.line(f"quality {article.quality:.2f}, {article.word_count:,} words", style="bold")
    for reason in explained.quality_reasons:
        streams.prose(f"- {reason}", indent=2)
    streams.line(f"worth {explained.worth:.2f}", style="bold")
    parts = [f"{name} {part:.2f}" for name, part in explained.worth_parts.items()]
    streams.prose(", ".join(parts), indent=2)
    _show_receipt(article.receipt, article.url, streams, clock)
    if article.original is not None:
        _show_original(article, article.original, streams, clock)
    _show_cluster(article, explained.cluster, streams)
    streams.line()
    edits = len(explained.versions)
    message = f"edited {counted(edits, 'time')}; --versions shows how" if edits else "never edited"
    streams.line(f"version {article.version}, {message}")


def _value(field: FieldSource, article: Article) -> str:
    """What the field holds, where that was not said above."""
    if field.field in {"title", "text"}:
        return ""
    shown = _joined(field.value)
    return "the same address" if shown == article.url else shown


def _show_original(
    article: Article, original: Original, streams: Streams, clock: ReaderClock
) -> None:
    streams.line()
    streams.line(f"a reprint of {original.id}  {original.url}", style="bold")
    mine, theirs = article.receipt, original.receipt
    if mine is not None and theirs is not None and mine.verdicts == theirs.verdicts:
        streams.line("under the same rights", indent=2)
    else:
        _show_receipt(theirs, original.url, streams, clock)


def _show_receipt(receipt: Receipt | None, url: str, streams: Streams, clock: ReaderClock) -> None:
    """The verdicts, a line each with the numbers of what decided them, then each signal once."""
    from wireroom.report.signs import signed

    streams.line()
    if receipt is None:
        streams.line("no receipt: nothing is known of its rights", style="bold")
        return
    streams.line(
        f"rights on {clock.day(receipt.checked_at)}, robots.txt: {receipt.robots}", style="bold"
    )
    numbers = {
        words: number
        for number, words in enumerate(dict.fromkeys(_reasons(receipt.verdicts, url)), 1)
    }
    for verdict in receipt.verdicts:
        parts = [f"{verdict.use}: {signed(verdict.value)}", *_numbered(verdict, url, numbers)]
        streams.prose(" ".join(parts), indent=2)
    for words, number in numbers.items():
        streams.prose(f"({number}) {words}", indent=4)
    if receipt.licence_url:
        streams.line(f"licence: {receipt.licence_url}", indent=2)


def _reasons(verdicts: Sequence[Verdict], url: str) -> Iterator[str]:
    for verdict in verdicts:
        for signal in (*verdict.because, *verdict.conflicts):
            yield _named(signal, url)


def _numbered(verdict: Verdict, url: str, numbers: Mapping[str, int]) -> Iterator[str]:
    """`(1, 2), against it (3), on condition: pay for it (5 EUR)`."""
    from wireroom.report.condition_words import asked_for

    parts = []
    for signals, what in ((verdict.because, ""), (verdict.conflicts, "against it ")):
        known = sorted({numbers[_named(signal, url)] for signal in signals})
        if known:
            parts.append(f"{what}({', '.join(map(str, known))})")
    conditions = asked_for((each.kind, each.detail) for each in verdict.conditions)
    parts += [f"on condition: {each}" for each in conditions]
    if parts:
        yield ", ".join(parts)


def _show_cluster(article: Article, cluster: ClusterExplanation | None, streams: Streams) -> None:
    streams.line()
    if cluster is None:
        streams.line("it has no near-duplicates", style="bold")
        return
    is_this = cluster.canonical == article.id
    who = "this one is canonical" if is_this else f"{cluster.canonical} is canonical"
    who += f", because {cluster.why}" if cluster.why else ""
    streams.line(f"in a cluster of {cluster.members}; {who}", style="bold")
    if cluster.rival:
        rival = "this one" if cluster.rival == article.id else cluster.rival
        streams.prose(
            "chosen when the cluster was made or last changed; "
            f"now it would be {rival}{f', because {cluster.rival_why}' if cluster.rival_why else ''}",
            indent=2,
        )
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
    sure = None if field.field == "text" else field.confidence  # that of the text is the quality
    return f"{sure:.2f}" if isinstance(sure, int | float) else ""


def _joined(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


# What each edit of an article changed, as data and for people.

STYLES = {"+": "green", "-": "red"}


def edit_data(edit: Edit) -> dict[str, Any]:
    """An edit as plain data."""
    return {
        "from": edit.old_version,
        "to": edit.new_version,
        "at": edit.at,
        "diff": list(edit.diff),
    }


def show_edits(edits: Sequence[Edit], streams: Streams, clock: ReaderClock) -> None:
    """The changes, as `diff` writes them."""
    if not edits:
        streams.note("It was never edited.")
    for edit in edits:
        versions = f"version {edit.old_version} to {edit.new_version}"
        streams.heading(f"{versions}, read on {clock.named(edit.at)}")
        for line in edit.diff:
            if not line.startswith("@@"):
                streams.line(line, style=STYLES.get(line[:1], ""))
        streams.line()
