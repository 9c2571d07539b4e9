"""The command line: one module per command, found by the registry; `app` holds them together."""

from __future__ import annotations

TYPE_CHECKING = False  # as in the package itself: nothing is loaded before `main` catches Ctrl-C
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `wireroom` and gives its exit code; the arguments are those of the process by default."""
    import os
    import sys

    # Pydantic looks through all that is installed for plugins of its own, at 40 ms a start: none is wanted.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from wireroom.cli.app import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # while loading, or while an error was being shown
        return 130
