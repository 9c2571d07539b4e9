"""`wireroom article ID|URL`: one article, what it rests on, and how it read before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wireroom.cli.article_view import (
    WITHDRAWN,
    edit_data,
    explanation_data,
    show_edits,
    show_explanation,
)
from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.page_trace import PageTrace
    from wireroom.model import Article


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
        session.show_none(f"No article {which} is held.")
    else:
        _show_missing(session, trace)
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


def _show_missing(session: Session, trace: PageTrace) -> None:
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
        show_explanation(explain_article(app, held), session.streams, session.reader_clock())
    elif not versions:
        _show_text(session, held, form)
        _note_original(session, held)
    if versions and form != "json":
        show_edits(article_edits(app, held), session.streams, session.reader_clock())


def _plain(held: Article) -> dict[str, Any]:
    from wireroom.export.article_json import to_plain

    return to_plain(held)


def _show_text(session: Session, held: Article, form: Form) -> None:
    from wireroom.app.explain import article_text
    from wireroom.display_text import visible

    if form == "md":  # breaks of ours would be no part of it: tables and code stand in lines
        session.streams.text(visible(article_text(held, markdown=True)))
        return
    if held.title:
        session.streams.heading(held.title)
    for line in _head(session, held):
        session.streams.prose(line)
    session.streams.line()
    session.streams.paragraphs(visible(article_text(replace(held, title=""))))


def _head(session: Session, held: Article) -> list[str]:
    """When, by whom, where: `2026-05-03 09:12 UTC · Ann Poe · The Courier (courier.test)`, and the address."""
    at = held.published_at
    clock = session.reader_clock()
    when = clock.named(at) if at else f"undated, read {clock.named(held.fetched_at)}"
    name = str(held.extra.get("publisher_name") or "")
    publisher = f"{name} ({held.publisher})" if name and name != held.publisher else held.publisher
    facts = " · ".join(filter(None, (when, ", ".join(held.authors), publisher)))
    return [facts, held.url, *([WITHDRAWN] if held.state == "withdrawn" else [])]


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
