"""What the app says of one feed after it was followed on the town."""

from __future__ import annotations

import pytest

from tests.app.run.world import rss, run_once, save
from wireroom.app import App
from wireroom.app.feeds import LAST, FollowedFeeds
from wireroom.town import Running


@pytest.mark.long
async def test_pages_that_cost_money_are_the_feeds_problems_and_count(
    town: Running, app: App
) -> None:
    save(app, [rss("toll.test")])
    tally = await run_once(app, town)
    assert tally.problems["payment_required"] == 20
    (feed,) = app.store.feeds()
    view = FollowedFeeds(app).view(feed)
    assert [problem.kind for problem in view.problems] == ["payment_required"] * LAST
    assert {problem.subject_url for problem in view.problems} < {
        lead.url for lead in app.store.leads()
    }
    assert view.parts.availability < 0.1
    assert view.reliability == view.parts.total < feed.reliability
