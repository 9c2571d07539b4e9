"""Following, wired: what is due is taken, fetched, read, grouped and kept, through crashes.

`open_following` is the door, `Cycle` the loop. Each feed and each lead goes on an errand of its own
(`errands`), hands bytes to workers (`readers`) and its outcome to the one writer (`saving`, by way of the
`clerk`). What is done with an outcome is decided in the rooms: poll, rights, group.
"""

from __future__ import annotations

from wireroom.app.follow.cycle import Cycle
from wireroom.app.follow.doors import open_following
from wireroom.app.follow.options import FollowOptions
from wireroom.app.follow.tally import Tally

__all__ = ["Cycle", "FollowOptions", "Tally", "open_following"]
