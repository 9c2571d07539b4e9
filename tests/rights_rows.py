"""The rows of `test_rights_table`: two publishers and an aggregator, each signal on each side, each outage, each order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tests.rights_formats import Answer
from tests.rights_world import AGGREGATOR, BLOG, ELSEWHERE, OPEN_ROBOTS, A, B, Site, moved_to

First = Literal["run", "rights", "refresh", "scout"]
DAY = 25.0  # hours from one look to the next: more than any answer is believed
WEEK = 169.0


@dataclass(frozen=True, kw_only=True)
class Row:
    """A scenario: what each host serves at each look."""

    name: str
    rounds: tuple[Mapping[str, Site], ...]
    followed: str = A
    """Whose feed it is."""
    judged: tuple[str, ...] = (A,)
    """Whose stories stand in it."""
    named_on: str = ""
    """The host by whose addresses the feed names them, if that is another: they lead to the judged ones."""
    hours: float = DAY
    first: First = "run"
    """What is asked for before the run of each look."""


# --- what publishers say -------------------------------------------------------------------------

CC = "https://creativecommons.org"
CC0 = f"{CC}/publicdomain/zero/1.0/"
PERMITTED = f'<link rel="license" href="{CC0}">'
"""In a story: everything is permitted, so that what refuses is seen to win."""
ALL_YES = "search=yes, ai-input=yes, ai-index=yes, ai-train=yes, archive=yes"
TDMREP = "/.well-known/tdmrep.json"
TRUST = "/.well-known/trust.txt"
GONE = Answer(404)
PAGE_INSTEAD = Answer(
    200, "<!doctype html><html><body>Not here</body></html>", (("Content-Type", "text/html"),)
)
BUSY = Answer(503)
SILENT = Answer(0)
RESERVED = (
    "# We reserve text and data mining under Article 4 of Directive (EU) 2019/790.\n" + OPEN_ROBOTS
)
TEXT_LICENCES = {
    "a link": f'<link rel="license" href="{CC0}">',
    "linked data": '<script type="application/ld+json">'
    f'{{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Quay", "license": "{CC0}"}}</script>',
    "a meta tag": f'<meta name="dcterms.license" content="{CC0}">',
}
"""In a text: the licence of whatever it is put beside."""
TERMS_LINK = '<footer><a href="/terms">Terms of use</a></footer>'
TERMS = (
    "<html lang=en><title>Terms of use</title><body><main><h1>Terms of use</h1>"
    "<p>These terms govern your use of this website and of everything that we publish on it.</p>"
    "<p>{}</p><p>You accept these terms by reading our articles.</p></main></body></html>"
)
NO_AI = TERMS.format(
    "You may not use our content to train machine learning or artificial intelligence models."
)
PLAIN_TERMS = TERMS.format("Our articles are protected by copyright.")
SHELL = (
    "<!doctype html><html lang=en><head><title>Terms of use</title></head>"
    '<body><div id="root"></div><script src="/app.js"></script></body></html>'
)
"""Terms that a program of the page would write: whoever reads the page has no word of them."""
TWO_PLACES = '<footer><a href="/terms">Terms of use</a> <a href="/terms-ai">Legal notice and conditions of use</a></footer>'


def signal(values: str) -> str:
    """A robots.txt with a Content-Signal."""
    return f"User-agent: *\nContent-Signal: {values}\nAllow: /\n"


def usage(*values: str) -> str:
    """A robots.txt with lines of Content-Usage."""
    lines = "".join(f"Content-Usage: {value}\n" for value in values)
    return f"User-agent: *\nAllow: /\n{lines}"


def tdm(reserved: int, location: str = "/*") -> str:
    """A tdmrep.json."""
    return json.dumps([{"location": location, "tdm-reservation": reserved}])


def rsl(permits: str = "", prohibits: str = "", payment: str = "", url: str = "/") -> str:
    """An RSL document."""
    elements = f'<permits type="usage">{permits}</permits>' if permits else ""
    elements += f'<prohibits type="usage">{prohibits}</prohibits>' if prohibits else ""
    elements += f'<payment type="{payment}"/>' if payment else ""
    content = f'<content url="{url}"><license>{elements}</license></content>'
    return f'<rsl xmlns="https://rslstandard.org/rsl">{content}</rsl>'


def item_rsl(permits: str, url: str = "") -> str:
    """The RSL of an item in a feed."""
    elements = f'<rsl:permits type="usage">{permits}</rsl:permits>'
    return f'<rsl:content url="{url}"><rsl:license>{elements}</rsl:license></rsl:content>'


def licensed(host: str = A, path: str = "/rsl.xml") -> str:
    """A robots.txt that names an RSL document."""
    return f"License: http://{host}{path}\n{OPEN_ROBOTS}"


def moved(host: str) -> Answer:
    """A robots.txt that stands on another host."""
    return moved_to(host, "/robots.txt")


# --- the rows ------------------------------------------------------------------------------------


def own(name: str, **site: Any) -> Row:
    """A publisher and its own feed."""
    return Row(name=name, rounds=({A: Site(**site)},))


def moved_robots(name: str, robots: Answer | str, **elsewhere: Any) -> Row:
    """A publisher whose robots.txt stands elsewhere; its stories are free otherwise."""
    sites = {
        A: Site(robots=moved(ELSEWHERE), head=PERMITTED),
        ELSEWHERE: Site(robots=robots, **elsewhere),
    }
    return Row(name=name, rounds=(sites,))


def through(
    name: str, publisher: Site, aggregator: Site | None = None, *, first: First = "run"
) -> Row:
    """Stories of both publishers, found in an aggregator's feed; A says nothing."""
    sites = {A: Site(), B: publisher, AGGREGATOR: aggregator or Site()}
    return Row(name=name, rounds=(sites,), followed=AGGREGATOR, judged=(A, B), first=first)


def then(name: str, *sites: Site, first: First = "run", hours: float = DAY) -> Row:
    """A publisher that changes from one look to the next."""
    return Row(name=name, rounds=tuple({A: site} for site in sites), first=first, hours=hours)


def through_then(
    name: str, *publisher: Site, aggregator: Site | None = None, first: First = "run"
) -> Row:
    """The same, found in an aggregator's feed."""
    rounds = tuple({A: Site(), B: site, AGGREGATOR: aggregator or Site()} for site in publisher)
    return Row(name=name, rounds=rounds, followed=AGGREGATOR, judged=(A, B), first=first)


FREE = Site(head=PERMITTED)
REFUSING: Final[dict[str, Site]] = {
    "content-signal": Site(head=PERMITTED, robots=signal("ai-train=no")),
    "content-usage": Site(head=PERMITTED, robots=usage("train-ai=n")),
    "tdmrep": Site(head=PERMITTED, files={TDMREP: tdm(1)}),
    "rsl": Site(head=PERMITTED, robots=licensed(), files={"/rsl.xml": rsl("search", "ai-all")}),
    "ai.txt": Site(head=PERMITTED, files={"/ai.txt": "User-Agent: *\nDisallow: /\n"}),
    "trust.txt": Site(
        head=PERMITTED, files={TRUST: "member=https://x.test/\ndatatrainingallowed=no\n"}
    ),
    "terms": Site(head=PERMITTED, home=TERMS_LINK, files={"/terms": NO_AI}),
    "comment": Site(head=PERMITTED, robots=RESERVED),
    "robots.txt": Site(head=PERMITTED, robots="User-agent: *\nDisallow: /news/\n"),
}
"""By signal: a publisher whose stories are free but for that."""
DOCUMENTS: Final = {
    "tdmrep": TDMREP,
    "rsl": "/rsl.xml",
    "ai.txt": "/ai.txt",
    "trust.txt": TRUST,
    "terms": "/terms",
}


def with_outage(signal_name: str, answer: Answer) -> Site:
    """The publisher whose document of that signal cannot be had."""
    site = REFUSING[signal_name]
    if signal_name == "robots.txt":
        return replace(site, robots=answer)
    return replace(site, files={**site.files, DOCUMENTS[signal_name]: answer})


def permitting(signal_name: str) -> Site:
    """The same publisher after it has changed its mind."""
    site = REFUSING[signal_name]
    changed: dict[str, Site] = {
        "tdmrep": replace(site, files={TDMREP: tdm(0)}),
        "rsl": replace(site, files={"/rsl.xml": rsl("all")}),
        "ai.txt": replace(site, files={"/ai.txt": "User-Agent: *\nAllow: /\n"}),
        "trust.txt": replace(
            site, files={TRUST: "member=https://x.test/\ndatatrainingallowed=yes\n"}
        ),
        "terms": replace(site, files={"/terms": PLAIN_TERMS}),
        "content-signal": replace(site, robots=signal("ai-train=yes")),
        "content-usage": replace(site, robots=usage("train-ai=y")),
    }
    return changed.get(signal_name, FREE)


def _of_one_publisher() -> Iterator[Row]:
    yield own("nothing is said")
    yield own("content-signal no", robots=signal("ai-train=no, search=yes"))
    yield own("content-signal yes", robots=signal(ALL_YES))
    yield own(
        "content-signal header no", head=PERMITTED, page_headers={"Content-Signal": "ai-train=no"}
    )
    yield own(
        "content-signal header yes", page_headers={"Content-Signal": "ai-train=yes, search=yes"}
    )
    yield own("content-usage no", robots=usage("train-ai=n, search=y"))
    yield own("content-usage no for a path", robots=usage("train-ai=y", "/news/ train-ai=n"))
    yield own("content-usage yes for a path", robots=usage("train-ai=n", "/news/ train-ai=y"))
    yield own("content-usage twice for a path", robots=usage("train-ai=n", "train-ai=y"))
    yield own(
        "content-usage header no", head=PERMITTED, page_headers={"Content-Usage": "train-ai=n"}
    )
    yield own("tdmrep no", files={TDMREP: tdm(1)})
    yield own("tdmrep yes", files={TDMREP: tdm(0)})
    yield own("tdmrep for other paths", head=PERMITTED, files={TDMREP: tdm(1, "/archive/*")})
    yield own(
        "tdm header over tdmrep", files={TDMREP: tdm(0)}, page_headers={"tdm-reservation": "1"}
    )
    yield own(
        "tdm meta over header",
        page_headers={"tdm-reservation": "0"},
        head='<meta name="tdm-reservation" content="1">',
    )
    yield own(
        "tdm header lifts tdmrep", files={TDMREP: tdm(1)}, page_headers={"tdm-reservation": "0"}
    )
    for tag in ("noindex", "none", "noarchive", "nosnippet", "max-snippet:0", "noai", "noimageai"):
        yield own(f"header {tag}", head=PERMITTED, page_headers={"X-Robots-Tag": tag})
    yield own("meta noai", head=PERMITTED + '<meta name="robots" content="noai, noimageai">')
    for year, name in ((2020, "past"), (2090, "future")):
        date = f"unavailable_after: Wed, 25 Mar {year} 15:00:00 GMT"
        yield own(
            f"unavailable_after in the {name}", head=PERMITTED, page_headers={"X-Robots-Tag": date}
        )
    yield own("ai.txt yes", files={"/ai.txt": "User-Agent: *\nAllow: /\n"})
    yield own("trust.txt yes", files={TRUST: "member=https://x.test/\ndatatrainingallowed=yes\n"})
    yield own(
        "trust.txt at its older place",
        head=PERMITTED,
        files={"/trust.txt": "datatrainingallowed=no\n"},
    )
    for name, site in REFUSING.items():
        yield Row(name=f"CC0 against {name}", rounds=({A: site},))
    yield from _of_licences()
    yield from _of_rsl()
    yield from _of_robots()
    yield from _of_whole_feeds()
    yield from _of_what_stands_in_its_place()
    yield from _of_two_places_of_terms()
    for name in ("tdmrep", "ai.txt", "trust.txt", "terms"):
        yield Row(name=f"CC0 while {name} is busy", rounds=({A: with_outage(name, BUSY)},))


def _of_what_stands_in_its_place() -> Iterator[Row]:
    """A document that came and is none, or says nothing to whoever reads it."""
    pages = {TDMREP: PAGE_INSTEAD}
    yield own("a page in place of tdmrep.json", head=PERMITTED, files=pages)
    yield then(
        "tdmrep refuses, a page in its place later",
        REFUSING["tdmrep"],
        replace(REFUSING["tdmrep"], files=pages),
    )
    yield own("tdmrep.json broken", head=PERMITTED, files={TDMREP: '[{"location": "/*", '})
    shell = replace(REFUSING["terms"], files={"/terms": SHELL})
    yield Row(name="terms as a script shell", rounds=({A: shell},))
    yield then("terms refuse, a script shell later", REFUSING["terms"], shell)


def _of_two_places_of_terms() -> Iterator[Row]:
    for name, first, second in (
        ("neither refuses", PLAIN_TERMS, PLAIN_TERMS),
        ("the first refuses", NO_AI, PLAIN_TERMS),
        ("the second refuses", PLAIN_TERMS, NO_AI),
        ("the second is busy", PLAIN_TERMS, BUSY),
        ("the first is busy", BUSY, PLAIN_TERMS),
        ("the second is a script shell", PLAIN_TERMS, SHELL),
        ("the second is gone", PLAIN_TERMS, GONE),
    ):
        files = {"/terms": first, "/terms-ai": second}
        yield own(f"two places of terms, {name}", head=PERMITTED, home=TWO_PLACES, files=files)
    refusing = Site(
        head=PERMITTED, home=TWO_PLACES, files={"/terms": PLAIN_TERMS, "/terms-ai": NO_AI}
    )
    busy = replace(refusing, files={"/terms": PLAIN_TERMS, "/terms-ai": BUSY})
    yield then("two places of terms, the second refuses, busy later", refusing, busy)
    alone = replace(refusing, home=TERMS_LINK)
    yield then("two places of terms, the second refuses, not linked later", refusing, alone)


def _of_licences() -> Iterator[Row]:
    anchor = f'<a rel="license" href="{CC0}">CC0</a>'
    yield own("CC0", head=PERMITTED)
    yield own(
        "CC BY in the text", body=f'<p><a rel="license" href="{CC}/licenses/by/4.0/">CC BY</a></p>'
    )
    yield own("CC BY-ND", head=f'<link rel="license" href="{CC}/licenses/by-nd/4.0/">')
    yield own(
        "CC0 of a figure",
        body=f"<figure><img src=/x.jpg><figcaption>Photo: {anchor}</figcaption></figure>",
    )
    yield own(
        "CC0 of a figure by a link",
        body=f"<figure><img src=/x.jpg>{TEXT_LICENCES['a link']}</figure>",
    )
    yield own(
        "CC0 of a picture", body=f"<picture><img src=/x.jpg><small>{anchor}</small></picture>"
    )
    yield own(
        "CC0 of a photo credit", body=f'<div class="bildNachweis"><p>Photo: {anchor}</p></div>'
    )
    yield own("CC0 of an aside", body=f"<aside><p>Our map: {anchor}</p></aside>")
    yield own(
        "CC0 of a comment",
        body=f'</article><section class="comments"><article class="comment"><p>Mine: {anchor}</p></article></section><article>',
    )
    yield own("CC0 in the feed's item", item=f"<cc:license>{CC0}</cc:license>")
    yield own(
        "CC0 in the item against content-signal",
        robots=signal("ai-train=no"),
        item=f"<cc:license>{CC0}</cc:license>",
    )


def _of_rsl() -> Iterator[Row]:
    files = {"/rsl.xml": rsl("ai-train search")}
    link = '<link rel="license" type="application/rsl+xml" href="/rsl.xml">'
    yield own("RSL closed list", robots=licensed(), files=files)
    yield own("RSL all", robots=licensed(), files={"/rsl.xml": rsl("all")})
    yield own("RSL paid", robots=licensed(), files={"/rsl.xml": rsl("all", payment="subscription")})
    yield own(
        "RSL for other paths",
        head=PERMITTED,
        robots=licensed(),
        files={"/rsl.xml": rsl("search", "all", url="/archive/")},
    )
    yield own(
        "RSL by header",
        page_headers={"Link": '</rsl.xml>; rel="license"; type="application/rsl+xml"'},
        files={"/rsl.xml": rsl("search", "ai-train", url="")},
    )
    yield own("RSL by link", head=link, files={"/rsl.xml": rsl("search", "ai-all", url="")})
    yield own(
        "RSL inline", head=f'<script type="application/rsl+xml">{rsl("search", url="")}</script>'
    )
    yield own("RSL in the feed's item", item=item_rsl("ai-train"))
    yield own("RSL named and gone", head=PERMITTED, robots=licensed(), files={"/rsl.xml": GONE})
    yield own("RSL named by the page and gone", head=PERMITTED + link, files={"/rsl.xml": GONE})
    yield own(
        "RSL busy",
        robots=f"License: http://{A}/rsl.xml\n{signal(ALL_YES)}",
        files={"/rsl.xml": BUSY},
    )
    yield own("RSL broken", head=PERMITTED, robots=licensed(), files={"/rsl.xml": "<rsl><content"})


def _of_robots() -> Iterator[Row]:
    yield own(
        "robots.txt bars everybody but us",
        head=PERMITTED,
        robots="User-agent: wireroom\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
    )
    yield own(
        "robots.txt bars us alone",
        head=PERMITTED,
        robots="User-agent: wireroom\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
    )
    yield own("robots.txt absent", head=PERMITTED, robots=GONE)
    yield own("robots.txt behind a wall", robots=Answer(403))
    for status in (401, 403, 429):
        yield own(f"CC0 while robots.txt is {status}", head=PERMITTED, robots=Answer(status))
    yield own("a page in place of robots.txt", head=PERMITTED, robots=PAGE_INSTEAD)
    yield own("robots.txt busy", head=PERMITTED, robots=BUSY)
    yield own("robots.txt without answer", head=PERMITTED, robots=SILENT)
    yield moved_robots("robots.txt moved, content-signal no", signal("ai-train=no"))
    yield moved_robots("robots.txt moved, content-usage no", usage("train-ai=n"))
    yield moved_robots("robots.txt moved, disallowed", "User-agent: *\nDisallow: /news/\n")
    yield moved_robots("robots.txt moved, reserved in a comment", RESERVED)
    yield moved_robots(
        "robots.txt moved, RSL", licensed(ELSEWHERE), files={"/rsl.xml": rsl("search", "ai-all")}
    )
    yield moved_robots(
        "robots.txt moved, bars everybody but us",
        "User-agent: wireroom\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
    )
    yield moved_robots("robots.txt moved, busy", BUSY)
    yield moved_robots("robots.txt moved, gone", GONE)


def _of_whole_feeds() -> Iterator[Row]:
    yield own("whole feed", whole_feed=True, item=f"<cc:license>{CC0}</cc:license>")
    free = {"whole_feed": True, "item": f"<cc:license>{CC0}</cc:license>"}
    for name, headers in {
        "noai": {"X-Robots-Tag": "noai"},
        "TDM": {"tdm-reservation": "1"},
        "content-usage": {"Content-Usage": "train-ai=n"},
    }.items():
        yield own(f"whole feed, {name} in its headers", feed_headers=headers, **free)
        yield own(f"whole feed, {name} in the page's headers", page_headers=headers, **free)
    tags = {
        "noai in a tag": '<meta name="robots" content="noai">',
        "TDM in a tag": '<meta name="tdm-reservation" content="1">',
        "RSL in it": f'<script type="application/rsl+xml">{rsl("search", "ai-all")}</script>',
    }
    for name, tag in tags.items():
        yield own(
            f"whole feed, the page has {name}", head=tag, robots=signal(ALL_YES), whole_feed=True
        )
    yield own(
        "whole feed, the page names RSL in its headers",
        page_headers={"Link": '</rsl.xml>; rel="license"; type="application/rsl+xml"'},
        robots=signal(ALL_YES),
        files={"/rsl.xml": rsl("search", "ai-all", url="")},
        whole_feed=True,
    )
    yield own(
        "whole feed, robots.txt bars the page", robots="User-agent: *\nDisallow: /news/\n", **free
    )


def _through_an_aggregator() -> Iterator[Row]:
    free_item = f"<cc:license>{CC0}</cc:license>"
    for name in REFUSING:
        site = replace(REFUSING[name], robots=licensed(B)) if name == "rsl" else REFUSING[name]
        yield through(f"aggregator, {name} of B refuses", site, Site(item=free_item))
    yield through(
        "aggregator, rights of B asked first",
        REFUSING["content-signal"],
        Site(item=free_item),
        first="rights",
    )
    yield through("aggregator, B is free", FREE)
    yield through("aggregator, B is free, asked first", FREE, first="rights")
    yield through("aggregator refuses, B is free", FREE, REFUSING["content-signal"])
    claims = {
        "CC0 in the item": Site(item=free_item),
        "RSL in the item": Site(item=item_rsl("all")),
        "RSL for B's address": Site(item=item_rsl("all", f"http://{B}/")),
        "trust.txt": Site(files={TRUST: "member=https://x.test/\ndatatrainingallowed=yes\n"}),
        "ai.txt": Site(files={"/ai.txt": "User-Agent: *\nAllow: /\n"}),
        "tdmrep": Site(files={TDMREP: tdm(0)}),
        "content-signal": Site(robots=signal(ALL_YES)),
        "RSL of its robots.txt": Site(robots=licensed(AGGREGATOR), files={"/rsl.xml": rsl("all")}),
        "RSL of its robots.txt for B": Site(
            robots=licensed(AGGREGATOR), files={"/rsl.xml": rsl("all", url=f"http://{B}/")}
        ),
    }
    for name, claim in claims.items():
        yield through(f"aggregator claims {name}", Site(), claim)
    for name, licence in TEXT_LICENCES.items():
        yield through(
            f"aggregator has the whole text of B with a licence in {name}",
            Site(),
            Site(whole_feed=True, in_text=licence),
        )
    yield through(
        "aggregator has the whole text of B",
        Site(robots=signal("ai-train=no")),
        Site(item=free_item, whole_feed=True),
    )
    yield through(
        "aggregator, robots.txt of B busy", with_outage("robots.txt", BUSY), Site(item=free_item)
    )
    yield through_then("aggregator, B refuses later", FREE, REFUSING["content-signal"])
    yield through_then(
        "aggregator, tdmrep of B busy later", REFUSING["tdmrep"], with_outage("tdmrep", BUSY)
    )


def blog(name: str, rounds: int = 1, www: Site | None = None, **site: Any) -> Row:
    """A blog whose front page leads to the publisher's other host."""
    sites = {BLOG: Site(front_on=A, **site), A: www or Site()}
    return Row(name=name, rounds=(sites,) * rounds, followed=BLOG, judged=(BLOG,))


def _over_hosts() -> Iterator[Row]:
    """A word counts for the host that says it."""
    for name in ("content-signal", "tdmrep", "ai.txt"):
        refusing = REFUSING[name]
        yield blog(
            f"front page on another host, {name} refuses",
            rounds=2 if name == "content-signal" else 1,
            www=Site(robots=signal(ALL_YES)),
            head=PERMITTED,
            robots=refusing.robots,
            files=refusing.files,
        )
    for name, refusing in {
        "content-signal": Site(robots=signal("ai-train=no")),
        "noai in the page's headers": Site(page_headers={"X-Robots-Tag": "noai"}),
    }.items():
        sites = {
            B: refusing,
            AGGREGATOR: Site(robots=signal(ALL_YES), whole_feed=True, stories_on=B),
        }
        yield Row(
            name=f"whole text whose link leads to B, {name} of B refuses",
            rounds=(sites,),
            followed=AGGREGATOR,
            named_on=AGGREGATOR,
            judged=(B,),
            first="rights",
        )
    yield Row(
        name="feed of a sister host",
        rounds=({BLOG: Site(), A: FREE},) * 2,
        followed=BLOG,
        judged=(A,),
    )
    yield blog(
        "front page on another host that refuses",
        www=REFUSING["content-signal"],
        head=PERMITTED,
    )


def _of_documents_that_pages_name() -> Iterator[Row]:
    """A page has its own licence, and names an RSL document that says otherwise, or comes to."""
    link = '<link rel="license" type="application/rsl+xml" href="/rsl.xml">'
    refusing = Site(head=PERMITTED + link, files={"/rsl.xml": rsl("search", "ai-all", url="")})
    everywhere = replace(refusing, home=link)
    permits = {"/rsl.xml": rsl("all", url="")}
    yield own("RSL named by every page", head=link, home=link, files=permits)
    yield then(
        "RSL named by every page, refuses later", replace(everywhere, files=permits), everywhere
    )
    yield Row(
        name="pages of a sister host name RSL that refuses",
        rounds=({BLOG: Site(), A: refusing},) * 2,
        followed=BLOG,
        judged=(A,),
    )
    yield Row(
        name="links lead to pages of B that name RSL that refuses",
        rounds=({B: refusing, AGGREGATOR: Site(stories_on=B)},) * 2,
        followed=AGGREGATOR,
        named_on=AGGREGATOR,
        judged=(B,),
    )
    many = "".join(link.replace("/rsl.xml", f"/rsl-{n}.xml") for n in range(60))
    yield Row(
        name="pages of a sister host name more RSL than is looked at",
        rounds=({BLOG: Site(), A: Site(head=PERMITTED + many)},) * 2,
        followed=BLOG,
        judged=(A,),
    )


def _over_time() -> Iterator[Row]:
    for name in REFUSING:
        yield then(f"{name} refuses later", permitting(name), REFUSING[name])
        yield then(f"{name} permits later", REFUSING[name], permitting(name))
    for name in ("content-signal", "tdmrep", "rsl", "terms"):
        for first in ("rights", "refresh", "scout"):
            yield then(
                f"{name} refuses later, seen by {first}",
                permitting(name),
                REFUSING[name],
                first=first,
            )
    for name in (*DOCUMENTS, "robots.txt"):
        yield then(f"{name} refuses, busy later", REFUSING[name], with_outage(name, BUSY))
    for name in ("tdmrep", "robots.txt"):
        yield then(f"{name} refuses, no answer later", REFUSING[name], with_outage(name, SILENT))
    for name in ("tdmrep", "rsl", "ai.txt", "trust.txt"):
        allowed = replace(permitting(name), head="")
        yield then(
            f"{name} alone permits, busy later", allowed, replace(with_outage(name, BUSY), head="")
        )
    yield then("robots.txt busy later", FREE, replace(FREE, robots=BUSY))
    yield then("RSL gone later", permitting("rsl"), with_outage("rsl", GONE))
    yield then("RSL refuses, gone later", REFUSING["rsl"], with_outage("rsl", GONE))
    yield then(
        "robots.txt busy, then refuses", replace(FREE, robots=BUSY), REFUSING["content-signal"]
    )
    yield then(
        "tdmrep refuses, busy for a week",
        REFUSING["tdmrep"],
        with_outage("tdmrep", BUSY),
        hours=WEEK,
    )
    yield then("there and back", FREE, REFUSING["content-signal"], FREE)
    yield then(
        "front page busy, terms refuse",
        REFUSING["terms"],
        replace(REFUSING["terms"], home_status=503),
    )


ROWS: Final = (
    *_of_one_publisher(),
    *_through_an_aggregator(),
    *_over_hosts(),
    *_of_documents_that_pages_name(),
    *_over_time(),
)
SHORT: Final = frozenset(
    {
        "nothing is said",
        "content-signal no",
        "CC0 against tdmrep",
        "CC0",
        "CC0 of a figure",
        "RSL closed list",
        "robots.txt busy",
        "aggregator, content-signal of B refuses",
        "content-signal refuses later",
        "robots.txt moved, content-signal no",
    }
)
