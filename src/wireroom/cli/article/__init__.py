"""`wireroom article ID|URL`: one article, what it rests on, and how it read before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK
from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.model import Article

FEWEST_DIGITS = 4  # of an id: what fewer would find is chance
SHOWN_IDS = 5  # of those that begin alike

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
    typer.Option("--explain", help="Where each field came from, its rights, its twins, its edits."),
]
Ungroup = Annotated[
    bool,
    typer.Option(
        "--ungroup", help="It is no copy: take it out of its group, for as long as its text stays."
    ),
]
Regroup = Annotated[bool, typer.Option("--regroup", help="Let it be found as a copy again.")]
Versions = Annotated[bool, typer.Option("--versions", help="Show what each edit changed.")]


def article(
    session: Session,
    which: Which,
    form: FormatOption = "text",
    json: Json = False,
    explain: Explain = False,
    versions: Versions = False,
    ungroup: Ungroup = False,
    regroup: Regroup = False,
) -> int:
    """Show one article, or undo that it was taken for a copy.

    Exit code 3 when it is not held.
    """
    if ungroup and regroup:
        raise SettingsError(
            ["--ungroup and --regroup: one undoes the other"], hint="Give one of them."
        )
    form = "json" if json else form
    if form == "md" and (explain or versions):
        raise SettingsError(
            ["--format md: there is no place for explanations in it"],
            hint="Leave --format out, or take --json.",
        )
    if session.has_database():
        with session.app() as app:
            held = _find(app, which)
            if held is not None and (ungroup or regroup):
                return _change_group(session, app, held, apart=ungroup)
            if held is not None:
                _show(session, app, held, form, explain=explain, versions=versions)
                return OK
    session.tell_none(f"No article {which} is held.")
    return NOTHING_FOUND


def _change_group(session: Session, app: App, held: Article, *, apart: bool) -> int:
    from wireroom.app.regroup import stand_apart, stand_together
    from wireroom.app.run.run_options import run_options
    from wireroom.duplicates import GroupOptions

    if apart:
        grouped = held.id in app.store.clusters_of([held.id])
        cluster = stand_apart(app, held) if grouped else None
        if cluster is None:
            session.streams.note(f"{held.id} is in no group; there is nothing to undo.")
            return OK
        others = len(cluster.members) - 1
        session.streams.note(f"{held.id} stands alone now; it was taken for a copy of {others:,}.")
        return OK
    options = run_options(session.load().settings).group or GroupOptions()
    if not stand_together(app, held, options):
        session.streams.note(f"{held.id} has no text by which copies could be found.")
        return NOTHING_FOUND
    session.streams.note(f"{held.id} is compared with others again by the next `wireroom run`.")
    return OK


def _find(app: App, which: str) -> Article | None:
    """The article of this id, or the one that any publisher has at this address."""
    from wireroom.urls import article_id, publisher_domain

    if "://" not in which:
        return _by_id(app, which.strip().lower())
    try:
        first = publisher_domain(which)
        domains = dict.fromkeys(
            [first, *(publisher.domain for publisher in app.store.publishers())]
        )
        ids = [article_id(domain, which) for domain in domains]
    except ValueError as exc:
        raise SettingsError(
            [f"{which}: {exc}"], hint="`wireroom articles` lists addresses and ids."
        ) from exc
    return next(iter(app.store.article_list(ids)), None)


def _by_id(app: App, digits: str) -> Article | None:
    """The article of this id, or the only one whose id begins so."""
    held = app.store.article(digits)
    if held is not None:
        return held
    if len(digits) < FEWEST_DIGITS:
        raise SettingsError(
            [f"{digits!r}: the first {FEWEST_DIGITS} digits of an id are needed"],
            hint="`wireroom articles` lists ids.",
        )
    found = app.store.ids_beginning(digits, limit=SHOWN_IDS + 1)
    if len(found) > 1:
        named = ", ".join(found[:SHOWN_IDS]) + (", …" if len(found) > SHOWN_IDS else "")
        raise SettingsError(
            [f"{digits}: several articles begin so: {named}"], hint="Give more of its digits."
        )
    return app.store.article(found[0]) if found else None


def _show(
    session: Session, app: App, held: Article, form: Form, *, explain: bool, versions: bool
) -> None:
    from wireroom.cli.article.edits import edits, show_edits
    from wireroom.cli.article.explain import explanation, show_explanation

    if form == "json":
        more: dict[str, Any] = {"explained": explanation(app, held)} if explain else {}
        if versions:
            more["edits"] = edits(app, held)
        session.streams.json(_plain(held) | more)
    elif explain:
        show_explanation(held, explanation(app, held), session.streams)
    elif not versions:
        _show_text(session, held, form)
    if versions and form != "json":
        show_edits(edits(app, held), session.streams)


def _plain(held: Article) -> dict[str, Any]:
    from wireroom.export.article_json import to_plain

    return to_plain(held)


def _show_text(session: Session, held: Article, form: Form) -> None:
    from wireroom.export.article_text import to_markdown, to_text
    from wireroom.parse.plain_text import clean

    streams = session.streams
    # Breaks of ours would be no part of Markdown, where tables and code stand in lines.
    text, write = (to_markdown, streams.text) if form == "md" else (to_text, streams.paragraphs)
    write(clean(text(held)).replace("\r", "\n"))


PLUG = Command("article", article, order=41)
