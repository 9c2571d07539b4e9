"""A run that may be killed: follows what is saved to the end, in a process of its own.

`python -m tests.app.run.victim DATABASE HOSTS [GAP [scout]]`, where HOSTS is JSON of name to address:port, and GAP
the seconds between two requests to one host; with `scout` publishers are scouted. Says "begins".
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import timedelta
from random import Random

from tests.app.run.world import HASTY, QUICK
from tests.cli.inline import InlineEngine
from wireroom.app import open_app
from wireroom.app.factories import Network
from wireroom.app.run import RunLoop
from wireroom.app.scout import Scouting
from wireroom.fetch import Fetcher, FetchOptions

PER_HOST = 4  # leads taken at once: a host goes from one run to the other several times
LEASE = timedelta(seconds=2)  # what a dead process of another machine held comes back after so long


async def follow(database: str, hosts: dict[str, str], gap: timedelta, *, scout: bool) -> None:
    """Until nothing is due."""
    options = replace(
        QUICK, lease=LEASE, in_flight=16, gap=gap, patience=2 * gap, per_host=PER_HOST
    )
    options = replace(options, scout=scout)
    manners = replace(HASTY, gap=gap)
    with open_app(database) as app:
        async with Fetcher(FetchOptions(hosts=hosts, manners=manners)) as fetch:
            scouting = Scouting(app, fetch, offline=True, rest=timedelta(), leases=False)
            network = Network(fetch=fetch, scouting=scouting, rest_of=fetch.rest_of)
            loop = RunLoop(app, network, InlineEngine(), options, Random(7))
            sys.stdout.write("begins\n")
            sys.stdout.flush()
            await loop.run(once=True)


if __name__ == "__main__":
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    own_gap, scouts = timedelta(seconds=seconds), "scout" in sys.argv[4:]
    asyncio.run(follow(sys.argv[1], json.loads(sys.argv[2]), own_gap, scout=scouts))
