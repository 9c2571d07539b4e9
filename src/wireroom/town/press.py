"""Who publishes in the town: one declaration each, from the open daily to the one with nothing.

Data only. What a field means stands in `declaration.py`; how a publisher looks, in `pages.py`.
"""

from __future__ import annotations

from datetime import timedelta

from wireroom.town.abroad import OLD_REGIONALS, OTHER_LANGUAGES
from wireroom.town.declaration import (
    FeedPlan,
    Pace,
    Rights,
    ServerBehaviour,
    TownPublisher,
)
from wireroom.town.permissions import (
    agents_barred,
    guarded,
    open_to_all,
    tolled,
)

TROUBLE_HOST = "trouble.test"

COURIER = TownPublisher(
    host="courier.test",
    name="The Saltmarsh Courier",
    about="open daily: every kind of feed, Creative Commons, every signal allows",
    language="en",
    layout="classic",
    metadata=("json_ld", "open_graph", "twitter"),
    pace=Pace(every=timedelta(hours=3)),
    edits=True,
    feeds=(
        FeedPlan(path="/rss.xml", kind="rss", title="All stories", whole_text=True, follow=True),
        FeedPlan(path="/atom.xml", kind="atom", title="All stories"),
        FeedPlan(path="/feed.json", kind="json", title="All stories"),
        FeedPlan(path="/comments.xml", kind="rss", title="Comments", comments=True),
        FeedPlan(path="/sitemap.xml", kind="sitemap", announced="robots"),
        FeedPlan(path="/news-sitemap.xml", kind="news_sitemap", announced="robots", items=1000),
    ),
    rights=open_to_all("courier.test"),
    behaviour=ServerBehaviour(
        headers=(("Server", "Varnish"), ("X-Served-By", "cache-mrw1234-MRW"))
    ),
)

SENTINEL = TownPublisher(
    host="sentinel.test",
    name="The Merrow Sentinel",
    about="guarded national: AI bots barred by class, RSL with payment, TDMRep, terms that forbid training",
    language="en",
    layout="soup",
    metadata=("json_ld_graph", "open_graph", "parsely"),
    addresses="section",
    pace=Pace(every=timedelta(hours=1)),
    articles=90,
    edits=True,
    feeds=(
        FeedPlan(path="/feeds/latest.rss", kind="rss", title="Latest", items=25, follow=True),
        FeedPlan(
            path="/sitemap_index.xml",
            kind="sitemap_index",
            announced="robots",
            children=("/sitemaps/archive.xml", "/sitemaps/google-news.xml"),
        ),
        FeedPlan(path="/sitemaps/archive.xml", kind="sitemap", announced="index"),
        FeedPlan(
            path="/sitemaps/google-news.xml", kind="news_sitemap", announced="index", items=1000
        ),
    ),
    rights=guarded("sentinel.test"),
    behaviour=ServerBehaviour(
        headers=(("Server", "cloudflare"), ("CF-RAY", "8f1a2b3c4d5e6f70-MRW"))
    ),
)

LANTERN = TownPublisher(
    host="lantern.test",
    name="The Lantern Weekly",
    about="metered weekly: free, metered, locked and registration-only articles, vendor script",
    language="en",
    layout="weekly",
    metadata=("json_ld", "open_graph"),
    addresses="section",
    pace=Pace(kind="batch", every=timedelta(days=7), batch=6),
    articles=24,
    metered=True,
    feeds=(
        FeedPlan(path="/rss/", kind="rss", title="The Lantern", announced="header", follow=True),
        FeedPlan(path="/sitemap-posts.xml", kind="sitemap", announced="robots"),
    ),
    rights=Rights(
        robots="User-agent: *\nDisallow: /ghost/\n\n"
        "Sitemap: http://lantern.test/sitemap-posts.xml\n\n" + agents_barred("GPTBot", "CCBot"),
        terms_path="/legal",
        terms=("Subscriptions renew every month until you tell us otherwise.",),
    ),
    generator="Ghost 5.90",
)

AGENCY = TownPublisher(
    host="agency.test",
    name="Merrow Press Agency",
    about="agency that speaks only a paged JSON API",
    language="en",
    addresses="api",
    metadata=(),
    pace=Pace(every=timedelta(minutes=40)),
    articles=120,
    edits=True,
    feeds=(
        FeedPlan(
            path="/api/v1/articles", kind="json_api", announced="anchor", items=25, follow=True
        ),
    ),
    rights=Rights(robots="User-agent: *\nAllow: /\n"),
)

GATE = TownPublisher(
    host="gate.test",
    name="The Gatehouse Post",
    about="behind a bot manager's challenge page: 403 for everything but robots.txt",
    language="en",
    rights=Rights(robots="User-agent: *\nAllow: /\n"),
    behaviour=ServerBehaviour(challenge="cloudflare"),
)

BASTION = TownPublisher(
    host="bastion.test",
    name="The Bastion Times",
    about="behind another bot manager, which bars robots.txt as well",
    language="en",
    behaviour=ServerBehaviour(challenge="akamai"),
)

DIGEST = TownPublisher(
    host="digest.test",
    name="The Reprint Digest",
    about="syndicator: reprints the Courier, the Sentinel and the agency with small edits",
    language="en",
    layout="press",
    metadata=("json_ld_after_broken", "open_graph"),
    pace=Pace(every=timedelta(hours=4)),
    articles=18,
    reprints=("courier.test", "sentinel.test", "agency.test"),
    feeds=(
        FeedPlan(path="/feed/", kind="rss", title="Reprints", whole_text=True, follow=True),
        FeedPlan(path="/comments/feed/", kind="rss", title="Comments", comments=True),
        FeedPlan(path="/wp-sitemap.xml", kind="sitemap", announced="nowhere"),
    ),
    rights=Rights(robots="User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"),
    generator="WordPress 6.8",
)

ALMANAC = TownPublisher(
    host="almanac.test",
    name="The Dunmere Almanac",
    about="silent for more than a year; its feed still answers",
    language="en",
    layout="micro",
    metadata=(),
    pace=Pace(every=timedelta(days=2), silent_for=timedelta(days=400)),
    articles=30,
    feeds=(FeedPlan(path="/index.xml", kind="rss", title="Almanac", follow=True),),
    generator="Hugo 0.80",
)

BLANK = TownPublisher(
    host="blank.test",
    name="Blank",
    about="nothing but a home page; everything else is 404, robots.txt too",
    language="en",
    articles=0,
    metadata=(),
    behaviour=ServerBehaviour(only_home=True),
)

TOLL = TownPublisher(
    host="toll.test",
    name="The Tollhouse Ledger",
    about="asks 402 and a price for every article",
    language="en",
    pace=Pace(every=timedelta(hours=12)),
    articles=20,
    feeds=(FeedPlan(path="/rss.xml", kind="rss", title="Ledger", follow=True),),
    rights=tolled("toll.test"),
    behaviour=ServerBehaviour(toll="USD 0.002"),
)

TROUBLE = TownPublisher(
    host=TROUBLE_HOST,
    name="Trouble",
    about="misbehaves by path, for tests: its home page lists how",
    language="en",
    articles=0,
    metadata=(),
)

PUBLISHERS = (
    COURIER,
    SENTINEL,
    LANTERN,
    *OLD_REGIONALS,
    AGENCY,
    GATE,
    BASTION,
    DIGEST,
    ALMANAC,
    BLANK,
    *OTHER_LANGUAGES,
    TOLL,
    TROUBLE,
)
