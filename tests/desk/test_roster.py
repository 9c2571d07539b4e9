"""What the desk says of one feed after it was followed on the town."""

from __future__ import annotations

import pytest

from tests.desk.follow.world import rss, run_once, save
from wireroom.desk import Desk
from wireroom.desk.roster import LAST, Roster
from wireroom.town import Running


@pytest.mark.long
async def test_pages_that_cost_money_are_the_feeds_problems_and_count(
    town: Running, desk: Desk
) -> None:
    save(desk, [rss("toll.test")])
    tally = await run_once(desk, town)
    assert tally.problems["payment_required"] == 20
    (feed,) = desk.store.feeds()
    view = Roster(desk).view(feed)
    assert [one.kind for one in view.problems] == ["payment_required"] * LAST
    assert {one.subject_url for one in view.problems} < {one.url for one in desk.store.leads()}
    assert view.parts.availability < 0.1
    assert view.reliability == view.parts.total < feed.reliability
