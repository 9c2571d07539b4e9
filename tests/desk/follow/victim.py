"""A run that may be killed: follows what is saved to the end, in a process of its own.

`python -m tests.desk.follow.victim DATABASE HOSTS`, where HOSTS is JSON of name to address:port. Says "begins".
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import timedelta
from random import Random

from tests.cli.inline import InlineEngine
from tests.desk.follow.world import HASTY, QUICK
from wireroom.desk import open_desk
from wireroom.desk.follow import Cycle
from wireroom.fetch import Fetcher, FetchOptions

LEASE = timedelta(seconds=2)  # what a dead process of another machine held comes back after so long


async def follow(database: str, hosts: dict[str, str]) -> None:
    """Until nothing is due."""
    options = replace(QUICK, lease=LEASE, in_hand=16)
    with open_desk(database) as desk:
        async with Fetcher(FetchOptions(hosts=hosts, manners=HASTY)) as fetch:
            cycle = Cycle(desk, fetch, InlineEngine(), options, chance=Random(7))
            sys.stdout.write("begins\n")
            sys.stdout.flush()
            await cycle.run(once=True)


if __name__ == "__main__":
    asyncio.run(follow(sys.argv[1], json.loads(sys.argv[2])))
