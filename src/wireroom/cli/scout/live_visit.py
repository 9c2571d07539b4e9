"""One visit of a publisher, its steps shown while they run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from wireroom.cli.scout.live import Steps
from wireroom.cli.session import Session

if TYPE_CHECKING:
    from wireroom.app import App
    from wireroom.app.scout import Address
    from wireroom.model import Dossier


def visit(
    session: Session, app: App, address: Address, *, refresh: bool, offline: bool | None
) -> Dossier:
    """The dossier of one publisher; where no steps are drawn it is said who is asked."""
    from wireroom.app.scout import scout_address

    note_visit(session, app, address, refresh=refresh)
    with session.streams.live() as show:
        steps = Steps(session.streams, show)
        return asyncio.run(
            scout_address(app, address, refresh=refresh, offline=offline, progress=steps.add)
        )


def note_visit(session: Session, app: App, address: Address, *, refresh: bool = False) -> None:
    """Says at once who is about to be asked, where no steps are drawn: an answer may take its time."""
    from wireroom.app.scout import needs_visit

    if not session.streams.redraws and needs_visit(app, address, refresh=refresh):
        session.streams.note(f"Asking {address.domain} …")
        session.streams.flush()
