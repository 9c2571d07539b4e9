"""`wireroom demo`: wireroom at work on the town, an invented press world on loopback.

Nothing outside this machine is asked, and nothing of yours is touched: settings and database live
in a folder of their own that goes when the demo ends.
"""

from __future__ import annotations

from typing import Annotated

import typer

from wireroom.cli.session import Session
from wireroom.ports import Command

NoServe = Annotated[bool, typer.Option("--no-serve", help="End after the last step.")]
Seed = Annotated[
    int | None, typer.Option("--seed", help="Another town: the same number gives the same one.")
]


def demo(session: Session, no_serve: NoServe = False, seed: Seed = None) -> int:
    """See wireroom alive, on invented publishers.

    Starts the town on loopback and works on it step by step, then keeps serving it until Ctrl-C.
    With --db the database stays.
    """
    from wireroom.cli.demo.demo_steps import run_demo

    return run_demo(session, seed=seed, serve=not no_serve)


PLUG = Command("demo", demo, order=10)
