"""`wireroom rights URL`: what may be done with a page or with many, and who says so.

`wireroom rights changes` tells which articles are held under verdicts that no longer stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wireroom.cli.exits import NOTHING_FOUND, OK, REFUSED
from wireroom.cli.session import Json, ScoutTime, Session
from wireroom.cli.tables import TableColumn
from wireroom.errors import SettingsError
from wireroom.model import Use
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.page_rights import PageRights, Review, RightsChanges
    from wireroom.cli.rights.rights_rows import RightsForm, RightsViewOptions
    from wireroom.cli.scout.scout_rows import ScoutRow
    from wireroom.report.types import Line


Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="URL... | changes [PUBLISHER]...",
        help="Pages, or publishers' homepages; - reads a list. Or the word changes.",
    ),
]
Input = Annotated[
    str,
    typer.Option(
        "--input", "-i", metavar="FILE", help="A list, or a CSV with a column URL; - is stdin."
    ),
]
All = Annotated[
    bool, typer.Option("--all", help="Every publisher in the database, from what is known.")
]
Csv = Annotated[bool, typer.Option("--csv", help="A row an address, as CSV on stdout.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, as they are ready.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="A row an address, as a page.")
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
    targets: Targets = None,
    source: Input = "",
    every: All = False,
    use: For = None,
    json: Json = False,
    jsonl: Jsonl = False,
    csv: Csv = False,
    html: Html = None,
    explain: Explain = False,
    refresh: Refresh = False,
    fresh: Fresh = "",
    time: ScoutTime = "",
) -> int:
    """What may be done with pages, use by use.

    The publisher is scouted first unless that was done within a day. With --for the exit code is 0 when
    the policy of the settings lets the page be exported for that use (by default on "allow" alone), else 4. Of many
    addresses each is a row; one that fails stops no other, and one that is refused is enough for exit code 4.
    --all asks nobody unless --refresh is given.

    `rights changes` lists what is held under verdicts that the publisher has changed since, for all
    publishers or those named, and what the policy leaves of it; `purge --rights-changed` carries it out.
    It goes by the last scouts; with --fresh 1h publishers that gave their answers earlier are scouted first.
    """
    session = session.given("--time", "scout.time", time)
    typed = targets or []
    in_rows = {"--input": source, "--all": every, "--jsonl": jsonl, "--csv": csv, "--html": html}
    given = [name for name, value in in_rows.items() if value]
    if typed[:1] == [CHANGES]:
        _refuse_with(CHANGES, given)
        return show_changes(session, typed[1:], json=json, fresh=fresh)
    if fresh:
        raise SettingsError(["--fresh is for changes"], hint="Give --refresh to ask again.")
    if len(typed) == 1 and typed[0] != "-" and not given:
        return _of_page(session, typed[0], use, json=json, explain=explain, refresh=refresh)
    from wireroom.cli.rights.rights_rows import RightsViewOptions
    from wireroom.cli.scout.scout_rows import gather

    if explain:
        raise SettingsError(["--explain: many addresses are rows"], hint="Ask for one page alone.")
    view = RightsViewOptions(form=_form(json=json, jsonl=jsonl, csv=csv), html=html, use=use)
    if not every:
        return _of_many(session, gather(typed, source), view, refresh=refresh)
    if typed or source:
        raise SettingsError(["--all: an address besides"], hint="Leave one of them out.")
    return _of_all(session, view, refresh=refresh)


def _refuse_with(word: str, given: Sequence[str]) -> None:
    if given:
        raise SettingsError([f"{word}: {given[0]} is for addresses"], hint="Leave one of them out.")


def _form(*, json: bool, jsonl: bool, csv: bool) -> RightsForm:
    forms: dict[RightsForm, bool] = {"json": json, "jsonl": jsonl, "csv": csv}
    given = [form for form, is_given in forms.items() if is_given]
    if len(given) > 1:
        both = " and ".join(f"--{form}" for form in given)
        raise SettingsError([f"{both}: only one form at a time"], hint="Leave one out.")
    return given[0] if given else "table"


def _of_many(
    session: Session, rows: Sequence[ScoutRow], view: RightsViewOptions, *, refresh: bool
) -> int:
    """Judges all of them, and scouts side by side those of which too little is known."""
    from wireroom.app.page_rights import rights_of_many
    from wireroom.cli.batch import show_results
    from wireroom.cli.rights.rights_rows import RightsView, outcome_of_row, set_aside_row
    from wireroom.cli.scout.scout_rows import count_rows

    if not rows:
        raise SettingsError(["URL is required."], hint="Try: wireroom rights courier.example")
    session.streams.note(count_rows(rows))
    shown = RightsView(session.streams, view, _data, session.reader_clock())
    queued = {
        row.address: (place, row)
        for place, row in enumerate(rows)
        if row.address and row.outcome == "queued"
    }
    for place, row in enumerate(rows):
        if row.outcome != "queued":
            shown.add(set_aside_row(place, row))
    with session.app() as app:
        results = rights_of_many(app, queued, view.use, refresh=refresh)
        show_results(
            session.streams,
            "Asking",
            results,
            lambda result: shown.add(outcome_of_row(*queued[result.address], result)),
            total=len(queued),
        )
        return shown.end(app.clock())


def _of_all(session: Session, view: RightsViewOptions, *, refresh: bool) -> int:
    """Every publisher that is known; exit code 3 when there is none."""
    from wireroom.app.page_rights import known_rights, publisher_homes
    from wireroom.cli.rights.rights_rows import RightsView, judged
    from wireroom.cli.scout.scout_rows import gather

    homes: tuple[str, ...] = ()
    if session.has_database():
        with session.app() as app:
            homes = publisher_homes(app)
    if not homes:
        session.show_none("No publisher is known. Try: wireroom scout courier.example")
        return NOTHING_FOUND
    if refresh:
        return _of_many(session, gather(list(homes), ""), view, refresh=True)
    shown = RightsView(session.streams, view, _data, session.reader_clock())
    with session.app() as app:
        for line, found in enumerate(known_rights(app, view.use), 1):
            shown.add(judged(line, line, found.card.url, found))
        return shown.end(app.clock())


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
        session.streams.error(f"refused for {found.shown_reason}.{hint}")
    return OK if found.permitted else REFUSED


def _show(session: Session, found: PageRights, *, explain: bool) -> None:
    from wireroom.report.terminal_view import show_rights

    streams = session.streams
    streams.heading(found.card.url)
    if found.asked_url:
        streams.line(f"asked about {found.asked_url}, which leads to this page")
    for note in found.card.notes:
        streams.line(note)
    streams.line(_robots(found))
    homepage = _line(found, "homepage")
    if homepage is not None and homepage.word == "failed":
        streams.prose(f"its homepage {homepage.value}")
    show_rights(found.card, streams, explain=explain, meanings=True)


def _robots(found: PageRights) -> str:
    """What robots.txt says of the page and in which line, or that nobody could read it."""
    access = _line(found, "access")
    word = found.receipt.robots
    if access is None or access.word in {"failed", "skipped", "not checked"}:
        return f"robots.txt: {word}"
    if access.word == "unknown":
        return f"robots.txt could not be fetched: {word} until it can be"
    return access.value if "robots.txt" in access.value else f"robots.txt: {access.value}"


def _line(found: PageRights, key: str) -> Line | None:
    lines = (line for section in found.card.sections for line in section.lines)
    return next((line for line in lines if line.key == key), None)


def _data(found: PageRights, use: Use | None) -> dict[str, Any]:
    from wireroom.report import to_plain

    card, receipt, plain = found.card, found.receipt, to_plain(found.card)
    data: dict[str, Any] = {
        "url": card.url,
        "asked_url": found.asked_url or card.url,
        "publisher": card.domain,
        "robots": receipt.robots,
        "checked_at": receipt.checked_at,
        "as_of": found.as_of,
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
        session.show_none("Every article is held under the verdicts that stand now.")
    if found.as_of is not None and not json:
        when = session.reader_clock().long(found.as_of)
        session.streams.note(f"As of {when}, when {found.oldest} answered. Newer: --fresh 1h")
    for domain in unknown:
        session.show_unknown(domain)
    return OK if reviews and not unknown else NOTHING_FOUND


def _changes(session: Session, domains: Sequence[str], fresh: str) -> RightsChanges:
    from wireroom.app.page_rights import RightsChanges, rights_changes, scout_stale
    from wireroom.cli.batch import read_span, show_stale_scouts

    if not session.has_database():
        return RightsChanges()
    with session.app() as app:
        if fresh:
            scouts = scout_stale(app, domains or None, fresh_for=read_span("--fresh", fresh))
            show_stale_scouts(session.streams, scouts)
        return rights_changes(app, domains)


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
