"""Publishers of the town that write in other languages than English: one declaration each.

Data only. What a field means stands in `declaration.py`.
"""

from __future__ import annotations

from datetime import timedelta

from wireroom.town.declaration import (
    Charset,
    FeedPlan,
    Pace,
    Rights,
    ServerBehaviour,
    TextFile,
    TownPublisher,
)
from wireroom.town.permissions import (
    HTML_INSTEAD_OF_ROBOTS,
    french_reservation,
    german_reservation,
)

CST = timedelta(hours=8)
JST = timedelta(hours=9)

NAGISA = TownPublisher(
    host="nagisa.test",
    name="渚日報",
    about="old regional in Shift_JIS: feed only behind an anchor, HEAD 405, robots.txt is HTML",
    language="ja",
    layout="tables",
    metadata=(),
    addresses="number",
    pace=Pace(kind="office", every=timedelta(days=1), batch=5),
    feeds=(
        FeedPlan(
            path="/rss/index.rdf",
            kind="rdf",
            announced="anchor",
            items=15,
            media_type="text/xml",
            follow=True,
        ),
    ),
    rights=Rights(robots=HTML_INSTEAD_OF_ROBOTS, robots_type="text/html; charset=utf-8"),
    charset=Charset(encoding="cp932", header="", meta="Shift_JIS"),
    behaviour=ServerBehaviour(head_allowed=False, headers=(("Server", "Apache/1.3.41"),)),
    utc_offset=JST,
)


YUNJIANG = TownPublisher(
    host="yunjiang.test",
    name="云江晚报",
    about="old regional in GBK: gz sitemap index with the news child last, feeds on an index page",
    language="zh",
    layout="tables",
    metadata=("open_graph",),
    addresses="query",
    pace=Pace(every=timedelta(hours=4)),
    feeds=(
        FeedPlan(path="/rss/all.xml", kind="rss", announced="index_page", follow=True),
        FeedPlan(
            path="/sitemap_index.xml.gz",
            kind="sitemap_index",
            announced="robots",
            gzipped=True,
            children=(
                *(f"/sitemaps/part-{part}.xml.gz" for part in range(1, 13)),
                "/sitemaps/news.xml.gz",
            ),
        ),
        *(
            FeedPlan(
                path=f"/sitemaps/part-{part}.xml.gz",
                kind="sitemap",
                announced="index",
                gzipped=True,
            )
            for part in range(1, 13)
        ),
        FeedPlan(
            path="/sitemaps/news.xml.gz",
            kind="news_sitemap",
            announced="index",
            gzipped=True,
            items=1000,
        ),
    ),
    rights=Rights(
        robots="User-agent: *\r\nDisallow: /admin/\r\nSitemap: /sitemap_index.xml.gz\r\n",
        robots_type="text/plain",
    ),
    charset=Charset(encoding="gbk", header="gb2312", meta=""),
    behaviour=ServerBehaviour(head_allowed=False, headers=(("Server", "nginx/0.8.54"),)),
    utc_offset=CST,
)


TIKHOBEREG = TownPublisher(
    host="tikhobereg.test",
    name="Тихобережный вестник",
    about="old regional in windows-1251, undeclared: its feed is announced nowhere, HEAD 405",
    language="ru",
    layout="tables",
    metadata=(),
    addresses="section",
    pace=Pace(every=timedelta(hours=6)),
    feeds=(
        FeedPlan(
            path="/rss.xml", kind="rss", announced="nowhere", quirk="leading_space", follow=True
        ),
    ),
    rights=Rights(
        robots="\ufeffUser-agent: *\nDisallow: /cgi-bin/\n",
        robots_type="text/plain",
    ),
    charset=Charset(encoding="cp1251", header="", meta=""),
    behaviour=ServerBehaviour(head_allowed=False, headers=(("Server", "Apache"),)),
    utc_offset=timedelta(hours=3),
)


ALMINAA = TownPublisher(
    host="alminaa.test",
    name="صحيفة المرفأ",
    about="right-to-left paper in Arabic with an Atom feed and addresses in its own script",
    language="ar",
    layout="micro",
    metadata=("open_graph",),
    addresses="unicode",
    pace=Pace(every=timedelta(hours=5)),
    feeds=(
        FeedPlan(
            path="/feed.atom", kind="atom", whole_text=True, quirk="relative_links", follow=True
        ),
    ),
    rights=Rights(robots="User-agent: *\nAllow: /\nContent-Signal: search=yes, ai-train=no\n"),
    utc_offset=timedelta(hours=3),
)


PHARE = TownPublisher(
    host="phare.test",
    name="Le Phare de Valombre",
    about="French paper whose only reservation is a comment in robots.txt (Article 4, 2019/790)",
    language="fr",
    layout="press",
    metadata=("json_ld_graph", "open_graph"),
    pace=Pace(every=timedelta(hours=2)),
    edits=True,
    feeds=(
        FeedPlan(path="/feed/", kind="rss", title="Le Phare", whole_text=True, follow=True),
        FeedPlan(path="/sitemap.xml", kind="sitemap", announced="robots"),
    ),
    rights=french_reservation("phare.test"),
    generator="WordPress 6.8",
    utc_offset=timedelta(hours=1),
)


ANZEIGER = TownPublisher(
    host="anzeiger.test",
    name="Tannfelder Anzeiger",
    about="German paper that reserves text and data mining in a comment (section 44b) and by header",
    language="de",
    layout="soup",
    metadata=("json_ld", "open_graph", "twitter"),
    addresses="section",
    pace=Pace(kind="office", every=timedelta(days=1), batch=8),
    feeds=(
        FeedPlan(path="/rss.xml", kind="rss", title="Nachrichten", follow=True),
        FeedPlan(path="/sitemap.xml", kind="sitemap", announced="robots"),
    ),
    rights=german_reservation("anzeiger.test"),
    generator="Drupal 11",
    utc_offset=timedelta(hours=1),
)


FARO = TownPublisher(
    host="faro.test",
    name="El Faro de Montalba",
    about="Spanish paper with dates in words in its feed and a batch of five every morning",
    language="es",
    layout="classic",
    metadata=("json_ld", "open_graph"),
    pace=Pace(kind="batch", every=timedelta(days=1), batch=5),
    feeds=(
        FeedPlan(
            path="/arc/outboundfeeds/rss/",
            kind="rss",
            announced="nowhere",
            quirk="local_dates",
            follow=True,
        ),
        FeedPlan(path="/arc/outboundfeeds/news-sitemap/", kind="news_sitemap", announced="robots"),
    ),
    rights=Rights(
        robots="User-agent: *\nDisallow: /pf/\n"
        "Sitemap: http://faro.test/arc/outboundfeeds/news-sitemap/\n"
    ),
)


HANEUL = TownPublisher(
    host="haneul.test",
    name="하늘포구신문",
    about="Korean paper with a JSON Feed served as plain JSON",
    language="ko",
    layout="soup",
    metadata=("open_graph", "parsely"),
    addresses="number",
    pace=Pace(every=timedelta(hours=8)),
    feeds=(
        FeedPlan(
            path="/feed.json",
            kind="json",
            whole_text=True,
            media_type="application/json",
            follow=True,
        ),
    ),
    rights=Rights(
        robots="User-agent: *\nAllow: /\n",
        files={"/ai.txt": TextFile("# AI at this paper\n\nWe like machines that read slowly.\n")},
    ),
    utc_offset=JST,
)


AKTI = TownPublisher(
    host="akti.test",
    name="Η Νέα Ακτή",
    about="Greek paper whose Atom entries carry only an updated date",
    language="el",
    layout="micro",
    metadata=("open_graph",),
    pace=Pace(every=timedelta(hours=7)),
    feeds=(FeedPlan(path="/feeds/posts/default", kind="atom", quirk="only_updated", follow=True),),
    rights=Rights(robots="User-agent: *\nAllow: /\n"),
    generator="blogger",
    utc_offset=timedelta(hours=2),
)


NADI = TownPublisher(
    host="nadi.test",
    name="नदीपुर समाचार",
    about="Hindi paper whose RSS comes as text/plain",
    language="hi",
    layout="press",
    metadata=("json_ld", "open_graph"),
    addresses="unicode",
    pace=Pace(every=timedelta(hours=9)),
    feeds=(FeedPlan(path="/feed/", kind="rss", quirk="plain_type", follow=True),),
    rights=Rights(robots="User-agent: *\nAllow: /\n"),
    utc_offset=timedelta(hours=5, minutes=30),
)


LATARNIA = TownPublisher(
    host="latarnia.test",
    name="Latarnia",
    about="Polish letter with a dozen articles, one a week",
    language="pl",
    layout="weekly",
    metadata=("json_ld_after_broken", "open_graph"),
    addresses="section",
    pace=Pace(every=timedelta(days=7)),
    articles=12,
    feeds=(FeedPlan(path="/feed", kind="rss", whole_text=True, follow=True),),
    rights=Rights(robots=None),
    generator="Substack",
)


OLD_REGIONALS = (NAGISA, YUNJIANG, TIKHOBEREG)
OTHER_LANGUAGES = (ALMINAA, PHARE, ANZEIGER, FARO, HANEUL, AKTI, NADI, LATARNIA)
