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
    from wireroom.app.explain import find_article

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
            held = find_article(app, which)
            if held is not None and (ungroup or regroup):
                return _change_group(session, app, held, apart=ungroup)
            if held is not None:
                _show(session, app, held, form, explain=explain, versions=versions)
                return OK
    session.tell_none(f"No article {which} is held.")
    return NOTHING_FOUND


def _change_group(session: Session, app: App, held: Article, *, apart: bool) -> int:
    from wireroom.app.cluster_round import regroup, ungroup

    if apart:
        cluster = ungroup(app, held)
        if cluster is None:
            session.streams.note(f"{held.id} is in no group; there is nothing to undo.")
            return OK
        others = len(cluster.members) - 1
        session.streams.note(f"{held.id} stands alone now; it was taken for a copy of {others:,}.")
        return OK
    if not regroup(app, held):
        session.streams.note(f"{held.id} has no text by which copies could be found.")
        return NOTHING_FOUND
    session.streams.note(f"{held.id} is compared with others again by the next `wireroom run`.")
    return OK


def _show(
    session: Session, app: App, held: Article, form: Form, *, explain: bool, versions: bool
) -> None:
    from wireroom.app.explain import article_edits, explain_article
    from wireroom.cli.article.article_explanation import explanation_data, show_explanation
    from wireroom.cli.article.edits import edit_data, show_edits

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


PLUG = Command("article", article, order=41)
