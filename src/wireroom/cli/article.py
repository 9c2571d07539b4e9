"""`wireroom article ID|URL`: one article, what it rests on, and how it read before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wireroom.cli.console import shortened
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.cli.streams import Streams
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.explain import ArticleExplanation, ClusterExplanation, Edit, FieldSource
    from wireroom.app.page_trace import PageTrace
    from wireroom.model import Article, Receipt, Signal


Which = Annotated[
    str,
    typer.Argument(
        metavar="ID|URL", help="As `wireroom articles` shows it; the first digits will do."
    ),
]
Form = Literal["text", "md", "json"]
FormatOption = Annotated[Form, typer.Option("--format", "-f", help="How the article is written.")]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Where each field came from, its rights, its near-duplicates, its edits."
    ),
]
Uncluster = Annotated[
    bool,
    typer.Option(
        "--uncluster",
        help="It is no near-duplicate: take it out of its cluster, for as long as its text stays.",
    ),
]
Recluster = Annotated[
    bool, typer.Option("--recluster", help="Let it be found as a near-duplicate again.")
]
Versions = Annotated[bool, typer.Option("--versions", help="Show what each edit changed.")]


def article(
    session: Session,
    which: Which,
    form: FormatOption = "text",
    json: Json = False,
    explain: Explain = False,
    versions: Versions = False,
    uncluster: Uncluster = False,
    recluster: Recluster = False,
) -> int:
    """Show one article, or take it out of its cluster.

    Exit code 3 when it is not held; of a page that failed it says why, and what was tried.
    """
    from wireroom.app.explain import with_original

    if uncluster and recluster:
        raise SettingsError(
            ["--uncluster and --recluster: one undoes the other"], hint="Give one of them."
        )
    form = "json" if json else form
    if form == "md" and (explain or versions):
        raise SettingsError(
            ["--format md: there is no place for explanations in it"],
            hint="Leave --format out, or take --json.",
        )
    trace: PageTrace | None = None
    if session.has_database():
        with session.app() as app:
            found, trace = _find(app, which)
            held = found and with_original(app, found)
            if held is not None and (uncluster or recluster):
                return _change_cluster(session, app, held, apart=uncluster)
            if held is not None:
                _show(session, app, held, form, explain=explain, versions=versions)
                return OK
    if trace is None:
        session.tell_none(f"No article {which} is held.")
    else:
        _tell_missing(session, trace)
    return NOTHING_FOUND


def _find(app: App, which: str) -> tuple[Article | None, PageTrace | None]:
    """The article, or what is known of the page that is none; another address of an article will do."""
    from wireroom.app.explain import find_article
    from wireroom.app.page_trace import trace_page

    found = find_article(app, which)
    if found is not None or "://" not in which:
        return found, None
    trace = trace_page(app, which)
    return trace.article, trace


def _tell_missing(session: Session, trace: PageTrace) -> None:
    """Says why there is no article of this page, and what was tried."""
    from wireroom.app import utc_now
    from wireroom.cli.recent import ago
    from wireroom.cli.why import OUTCOMES
    from wireroom.display_text import visible_line

    now = utc_now()
    tries = [
        f"  {ago(now - each.at)}: {each.kind}, {visible_line(each.message)}" for each in trace.tries
    ]
    reason = trace.record.lead.reason if trace.record is not None else ""
    why = f"{OUTCOMES[trace.outcome]}{f' ({reason})' if reason else ''}"
    session.streams.missing(
        visible_line(f"No article {trace.url} is held: {why}."),
        f"{trace.advice} All about it: wireroom why {trace.url}".strip(),
    )
    for each in tries:
        session.streams.note(each)


def _change_cluster(session: Session, app: App, held: Article, *, apart: bool) -> int:
    from wireroom.app.cluster_round import recluster

    if apart:
        return _uncluster(session, app, held)
    if not recluster(app, held):
        session.streams.missing(f"{held.id} has no text by which near-duplicates could be found.")
        return NOTHING_FOUND
    session.streams.note(f"{held.id} is compared with others again by the next `wireroom run`.")
    return OK


def _uncluster(session: Session, app: App, held: Article) -> int:
    from wireroom.app.cluster_round import forget_original, uncluster
    from wireroom.display_text import visible_line

    cluster = uncluster(app, held)
    if cluster is not None:
        size = len(cluster.members)
        session.streams.note(f"{held.id} is no longer in its cluster, which had {size:,} articles.")
        return OK
    original = forget_original(app, held)
    if original is None:
        session.streams.missing(f"{held.id} is in no cluster; there is nothing to undo.")
        return NOTHING_FOUND
    session.streams.note(visible_line(f"{held.id} is no longer a reprint of {original.url}."))
    return OK


def _show(
    session: Session, app: App, held: Article, form: Form, *, explain: bool, versions: bool
) -> None:
    from wireroom.app.explain import article_edits, explain_article

    if form == "json":
        more: dict[str, Any] = (
            {"explained": explanation_data(explain_article(app, held))} if explain else {}
        )
        if versions:
            more["edits"] = [edit_data(edit) for edit in article_edits(app, held)]
        session.streams.json(_plain(held) | more)
    elif explain:
        show_explanation(explain_article(app, held), session.streams)
    elif not versions:
        _show_text(session, held, form)
        _note_original(session, held)
    if versions and form != "json":
        show_edits(article_edits(app, held), session.streams)


def _plain(held: Article) -> dict[str, Any]:
    from wireroom.export.article_json import to_plain

    return to_plain(held)


def _show_text(session: Session, held: Article, form: Form) -> None:
    from wireroom.app.explain import article_text
    from wireroom.display_text import visible

    # Breaks of ours would be no part of Markdown, where tables and code stand in lines.
    write = session.streams.text if form == "md" else session.streams.paragraphs
    write(visible(article_text(held, markdown=form == "md")))


def _note_original(session: Session, held: Article) -> None:
    """Says beside the text that it is a reprint, and under which rights both were taken."""
    from wireroom.display_text import visible
    from wireroom.export.article_text import rights_line

    original = held.original
    if original is not None:
        session.streams.note(visible(f"A reprint of {original.id}, {original.url}"))
        session.streams.note(visible(f"  its own rights: {rights_line(held.receipt)}"))
        session.streams.note(visible(f"  its original's: {rights_line(original.receipt)}"))


PLUG = Command("article", article, order=41)


# The explanation of an article that is held, as data and for people.

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
"""How it is said what the choice of the canonical article was decided by."""


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
    if article.original is not None:
        streams.line()
        streams.line(f"a reprint of {article.original.id}  {article.original.url}", style="bold")
        _show_receipt(_receipt(article.original.receipt), streams)
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
        streams.line("it has no near-duplicates", style="bold")
        return
    is_this = cluster.canonical == article.id
    who = "this one is canonical" if is_this else f"{cluster.canonical} is canonical"
    why = BECAUSE.get(cluster.because, "")
    who += f", because {why}" if why else ""
    streams.line(f"in a cluster of {cluster.members}; {who}", style="bold")
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


def show_edits(edits: Sequence[Edit], streams: Streams) -> None:
    """The changes, as `diff` writes them."""
    if not edits:
        streams.note("It was never edited.")
    for edit in edits:
        versions = f"version {edit.old_version} to {edit.new_version}"
        streams.heading(f"{versions}, read on {edit.at:%Y-%m-%d %H:%M} UTC")
        for line in edit.diff:
            if not line.startswith("@@"):
                streams.line(line, style=STYLES.get(line[:1], ""))
        streams.line()
