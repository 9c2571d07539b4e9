"""`wireroom rights URL`: what may be done with one page, and who says so.

`wireroom rights changes` tells which articles are held under verdicts that no longer stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK, REFUSED
from wireroom.cli.session import Json, Session
from wireroom.cli.tables import TableColumn
from wireroom.errors import SettingsError
from wireroom.model import Use
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.application import App
    from wireroom.app.page_rights import PageRights, Review, RightsChanges


Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="URL | changes [PUBLISHER]...",
        help="A page, or a publisher's homepage; or the word changes.",
    ),
]
For = Annotated[
    Use | None, typer.Option("--for", help="The use in question; exit code 4 when it is refused.")
]
CHANGES = "changes"  # no address of anything: it has no dot
Explain = Annotated[bool, typer.Option("--explain", help="Show who says what, and where.")]
Fresh = Annotated[
    str,
    typer.Option(
        "--fresh",
        metavar="DURATION",
        help="With changes: scout again the publishers whose rights are older, such as 1h.",
    ),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again whatever is known.")]


def rights(
    session: Session,
    targets: Targets,
    use: For = None,
    json: Json = False,
    explain: Explain = False,
    refresh: Refresh = False,
    fresh: Fresh = "",
) -> int:
    """What may be done with a page, use by use.

    The publisher is scouted first unless that was done within a day. With --for the exit code is 0 when
    the policy of the settings hands the page on for that use (by default on "allow" alone), else 4.

    `rights changes` lists what is held under verdicts that the publisher has changed since, for all
    publishers or those named, and what the policy leaves of it; `purge --rights-changed` carries it out.
    It goes by the last scouts; with --fresh 1h publishers that gave their answers earlier are scouted first.
    """
    if targets[0] == CHANGES:
        return show_changes(session, targets[1:], json=json, fresh=fresh)
    if fresh:
        raise SettingsError(["--fresh is for changes"], hint="Give --refresh to ask again.")
    if len(targets) > 1:
        raise SettingsError(
            [f"{targets[1]!r} is one address too many"], hint="Ask for one page at a time."
        )
    return _of_page(session, targets[0], use, json=json, explain=explain, refresh=refresh)


def _of_page(
    session: Session, url: str, use: Use | None, *, json: bool, explain: bool, refresh: bool
) -> int:
    from wireroom.app.page_rights import page_rights
    from wireroom.app.scout import read_address
    from wireroom.cli.scout.scout_view import show_scout

    address = read_address(url)
    with session.app() as app:
        dossier = show_scout(session, app, address, refresh=refresh, offline=None)
        found = page_rights(app, dossier, use, asked=address)
    if json:
        session.streams.json(_data(found, use))
    else:
        _show(session, found, explain=explain)
    if not found.permitted:
        hint = "" if explain else " Who says so, and where: --explain"
        session.streams.error(f"refused for {found.reason}.{hint}")
    return OK if found.permitted else REFUSED


def _show(session: Session, found: PageRights, *, explain: bool) -> None:
    from wireroom.report.terminal_view import show_rights

    streams = session.streams
    streams.heading(found.card.url)
    if found.asked_url:
        streams.line(f"asked about {found.asked_url}, which leads to this page")
    streams.line(f"robots.txt: {found.receipt.robots}")
    show_rights(found.card, streams, explain=explain)


def _data(found: PageRights, use: Use | None) -> dict[str, Any]:
    from wireroom.report import to_plain

    card, receipt, plain = found.card, found.receipt, to_plain(found.card)
    data: dict[str, Any] = {
        "url": card.url,
        "asked_url": found.asked_url or card.url,
        "publisher": card.domain,
        "robots": receipt.robots,
        "checked_at": receipt.checked_at,
        "rights": plain["rights"],
    }
    if use is None:
        return data
    return data | {"for": use, "permitted": found.permitted, "reason": found.reason}


PLUG = Command("rights", rights, order=21)


# `wireroom rights changes`: what is held under verdicts that no longer stand.

SHOWN = 200  # rows of the table; --json has all
COLUMNS = (
    TableColumn(head="article"),
    TableColumn(head="publisher", spare=1),
    TableColumn(head="changed", narrowest=24, folds=True),
    TableColumn(head="may be kept", spare=2),
    TableColumn(head="title", narrowest=12, spare=3),
)


def show_changes(
    session: Session, publishers: Sequence[str], *, json: bool, fresh: str = ""
) -> int:
    """Lists the articles; exit code 3 when there are none, or a publisher that nobody knows is named."""
    from wireroom.app.scout import read_address

    domains = [read_address(publisher).domain for publisher in publishers]
    found = _changes(session, domains, fresh)
    reviews, unknown = found.reviews, list(found.unknown)
    if json:
        session.streams.json(
            {
                "articles": [_change_data(review) for review in reviews],
                "unknown": unknown,
                "as_of": found.as_of,
                "oldest": found.oldest,
            }
        )
    elif reviews:
        _show_changes(session, reviews)
    elif not unknown or len(unknown) < len(domains):
        session.tell_none("Every article is held under the verdicts that stand now.")
    if found.as_of is not None and not json:
        when = f"{found.as_of:%d %B %Y, %H:%M} UTC"
        session.streams.note(f"As of {when}, when {found.oldest} answered. Newer: --fresh 1h")
    for domain in unknown:
        session.tell_unknown(domain)
    return OK if reviews and not unknown else NOTHING_FOUND


def _changes(session: Session, domains: Sequence[str], fresh: str) -> RightsChanges:
    from wireroom.app.page_rights import RightsChanges, rights_changes

    if not session.has_database():
        return RightsChanges()
    with session.app() as app:
        if fresh:
            scout_stale(session, app, domains, fresh)
        return rights_changes(app, domains)


def scout_stale(session: Session, app: App, domains: Sequence[str], fresh: str) -> None:
    """Scouts the publishers whose rights are older than that; who cannot be asked keeps what is known."""
    from wireroom.app.page_rights import stale_publishers
    from wireroom.app.scout import ScoutResult, scout_many
    from wireroom.cli.batch import show_results
    from wireroom.dates.durations import read_duration

    try:
        fresh_for = read_duration(fresh)
    except ValueError as exc:
        raise SettingsError([f"--fresh {fresh}: {exc}"]) from exc
    stale = stale_publishers(app, domains, fresh_for=fresh_for)

    def show(result: ScoutResult) -> None:
        if result.error is not None:
            session.streams.note(f"{result.address.domain}: not scouted: {result.error.reason}")

    if stale:
        results = scout_many(app, stale, refresh=True)
        show_results(session.streams, "Scouting", results, show, total=len(stale))


def _show_changes(session: Session, reviews: Sequence[Review]) -> None:
    streams = session.streams
    rows = [
        (review.article_id, review.publisher, _changed(review), _left(review), review.title)
        for review in reviews
    ]
    streams.fitted_table(rows[:SHOWN], columns=COLUMNS)
    if len(rows) > SHOWN:
        streams.note(f"{len(rows) - SHOWN:,} more: --json shows all of them.")
    if any(review.storage.kept != "text" for review in reviews):
        streams.note("Carry it out: wireroom purge --rights-changed --dry-run")


def _changed(review: Review) -> str:
    changes = [f"{use}: {old} → {new}" for use, (old, new) in review.changes.items()]
    if review.robots_before != review.receipt.robots:
        changes.append(f"robots.txt: {review.robots_before} → {review.receipt.robots}")
    return ", ".join(changes)


def _left(review: Review) -> str:
    return {"text": "all of it", "excerpt": "an excerpt", "metadata": "no text"}.get(
        review.storage.kept, "nothing"
    )


def _change_data(review: Review) -> dict[str, Any]:
    return {
        "id": review.article_id,
        "publisher": review.publisher,
        "url": review.url,
        "title": review.title,
        "changes": {use: list(words) for use, words in review.changes.items()},
        "robots": review.receipt.robots,
        "robots_before": review.robots_before,
        "kept": review.storage.kept,
        "reason": review.storage.reason,
    }
