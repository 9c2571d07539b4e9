"""Who may read what: RFC 9309 as Google reads it, one line a case."""

from __future__ import annotations

import pytest

from tests.budget import cpu_within
from wireroom.parse.robots import RobotsDecision, product_token, read_robots
from wireroom.parse.robots.robots_scan import MAX_BYTES, MAX_LINE_BYTES
from wireroom.parse.robots.rule_matching import escaped, path_of

SITE = "https://courier.test"


def may(text: str | bytes, path: str, agent: str = "ravenbot") -> bool:
    body = text.encode() if isinstance(text, str) else text
    return read_robots(body).allows(agent, SITE + path)


def ruled(*rules: str) -> str:
    return "\n".join(["User-agent: ravenbot", *rules, ""])


OPEN, SHUT = True, False

# One pattern in an otherwise open file: which paths does it shut?
PATTERNS = [
    ("/", "/", SHUT),
    ("/", "/any/thing?q=1", SHUT),
    ("", "/", OPEN),
    ("/news", "/news", SHUT),
    ("/news", "/news/", SHUT),
    ("/news", "/newsroom.html", SHUT),
    ("/news", "/news?page=2", SHUT),
    ("/news", "/News", OPEN),
    ("/news", "/old/news", OPEN),
    ("/news", "/?to=/news", OPEN),
    ("/news/", "/news", OPEN),
    ("/news/", "/news/today", SHUT),
    ("/news*", "/news", SHUT),
    ("/news*", "/newsroom", SHUT),
    ("/news*", "/new", OPEN),
    ("/*.pdf", "/report.pdf", SHUT),
    ("/*.pdf", "/deep/down/report.pdf?print=1", SHUT),
    ("/*.pdf", "/report.pdf.html", SHUT),
    ("/*.pdf", "/pdf", OPEN),
    ("/*.pdf", "/REPORT.PDF", OPEN),
    ("/*.pdf$", "/report.pdf", SHUT),
    ("/*.pdf$", "/report.pdf?print=1", OPEN),
    ("/*.pdf$", "/report.pdf.pdf", SHUT),
    ("/a*b*c", "/a-b-c-d", SHUT),
    ("/a*b*c", "/a-c-b", OPEN),
    ("/a*b*c$", "/abcxc", SHUT),
    ("/a*b*c$", "/abcx", OPEN),
    ("/a*a$", "/a", OPEN),
    ("/a*a$", "/aa", SHUT),
    ("/a**b", "/a/b", SHUT),
    ("*", "/x", SHUT),
    ("*/print", "/story/print", SHUT),
    ("*/print", "/print", SHUT),
    ("*$", "/x", SHUT),
    ("$", "/", OPEN),
    ("/$", "/", SHUT),
    ("/$", "/x", OPEN),
    ("/price$list", "/price$list", SHUT),
    ("/price$list", "/price", OPEN),
    ("/a$*", "/a$b", SHUT),
    ("/a$*", "/a", OPEN),
    ("news", "/news", OPEN),
    ("?q=", "/?q=1", OPEN),
    ("/*?q=", "/find?q=1", SHUT),
    ("/;x", "/;x", SHUT),
    ("/m%c3%bc", "/m%C3%BC", SHUT),
    ("/mü", "/m%C3%BC", SHUT),
    ("/mü", "/mü", OPEN),  # addresses come escaped, as they go over the wire
    ("/%7eann", "/%7Eann", SHUT),
    ("/%7eann", "/~ann", OPEN),
    ("/a%", "/a%", SHUT),
    ("/a%zz", "/a%zz", SHUT),
    ("https://courier.test/a", "/a", OPEN),
]

# Whole groups for ravenbot: which line has the say?
PRECEDENCE = [
    (["Disallow: /", "Allow: /news"], "/news/a", OPEN, 3),
    (["Allow: /news", "Disallow: /"], "/news/a", OPEN, 2),
    (["Allow: /news", "Disallow: /"], "/sport", SHUT, 3),
    (["Disallow: /news", "Allow: /news"], "/news", OPEN, 3),
    (["Allow: /news", "Disallow: /news/private"], "/news/private/a", SHUT, 3),
    (["Allow: /page", "Disallow: /*.html"], "/page.html", SHUT, 3),
    (["Allow: /page.ht", "Disallow: /*.html"], "/page.html", OPEN, 2),
    (["Allow: /$", "Disallow: /"], "/", OPEN, 2),
    (["Allow: /$", "Disallow: /"], "/a", SHUT, 3),
    (["Disallow: /a*", "Allow: /ab"], "/abc", OPEN, 3),
    (["Disallow: /ab*", "Allow: /ab"], "/abc", SHUT, 2),
    (["Disallow: /x", "Disallow: /x"], "/x", SHUT, 2),
    (["Disallow:"], "/x", OPEN, 2),
    (["Disallow:", "Allow:"], "/x", OPEN, 2),
    (["Disallow:", "Disallow: /x"], "/x", SHUT, 3),
    (["Allow: /x"], "/y", OPEN, None),
    (["Allow: /a/index.html", "Disallow: /"], "/a/", OPEN, 2),
    (["Allow: /a/index.htm", "Disallow: /"], "/a/", OPEN, 2),
    (["Allow: /a/index.html", "Disallow: /"], "/a/index.htm", SHUT, 3),
    (["Allow: /a/index.html", "Disallow: /"], "/a/b", SHUT, 3),
    (["Allow: /*/index.html", "Disallow: /"], "/a/b/", OPEN, 2),
    (["Disallow: /a/index.html"], "/a/", OPEN, None),
]

# Which group is for whom.
CHOICE = [
    ("User-agent: *\nDisallow: /a\nUser-agent: ravenbot\nDisallow: /b", "/a", OPEN),
    ("User-agent: *\nDisallow: /a\nUser-agent: ravenbot\nDisallow: /b", "/b", SHUT),
    ("User-agent: *\nDisallow: /\nUser-agent: ravenbot\nDisallow:", "/a", OPEN),
    ("User-agent: *\nDisallow: /\nUser-agent: ravenbot", "/a", OPEN),
    ("User-agent: RAVENBOT\nDisallow: /", "/a", SHUT),
    ("User-agent: raven\nDisallow: /", "/a", OPEN),
    ("User-agent: ravenbot-news\nDisallow: /", "/a", OPEN),
    ("User-agent: ravenbot2\nDisallow: /", "/a", OPEN),
    ("User-agent: ravenbot/2.1\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot news\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot*\nDisallow: /", "/a", SHUT),
    ("User-agent: * everyone\nDisallow: /", "/a", SHUT),
    ("User-agent: *bot\nDisallow: /", "/a", OPEN),
    ("User-agent:\nDisallow: /", "/a", OPEN),
    ("User-agent: ravenbot\nUser-agent: owlbot\nDisallow: /", "/a", SHUT),
    ("User-agent: owlbot\nUser-agent: ravenbot\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot\n\n\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot\nDisallow: /a\n\nUser-agent: ravenbot\nDisallow: /b", "/a", SHUT),
    ("User-agent: ravenbot\nDisallow: /a\n\nUser-agent: ravenbot\nDisallow: /b", "/b", SHUT),
    ("User-agent: *\nUser-agent: ravenbot\nDisallow: /a\nUser-agent: *\nDisallow: /b", "/b", OPEN),
    ("Disallow: /\nUser-agent: ravenbot\nDisallow: /b", "/a", OPEN),
    ("User-agent: ravenbot\nSitemap: /s.xml\nUser-agent: owlbot\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot\nCrawl-delay: 5\nUser-agent: owlbot\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot\nMood: fair\nUser-agent: owlbot\nDisallow: /", "/a", SHUT),
    ("User-agent: ravenbot\nDisallow:\nUser-agent: owlbot\nDisallow: /", "/a", OPEN),
    ("User-agent: owlbot\nDisallow: /\nUser-agent: ???\nDisallow: /x", "/x", OPEN),
]

# One way to write "ravenbot keeps out" that is understood, and some that are not.
SPELLINGS = [
    ("user-agent: ravenbot\ndisallow: /", SHUT),
    ("USER-AGENT: ravenbot\nDISALLOW: /", SHUT),
    ("uSeR-aGeNt: ravenbot\ndIsAlLoW: /", SHUT),
    ("  User-agent :  ravenbot  \n\tDisallow\t:\t/\t", SHUT),
    ("User-agent:ravenbot\nDisallow:/", SHUT),
    ("User-agent ravenbot\nDisallow /", SHUT),
    ("User-agent\t ravenbot\nDisallow\t/", SHUT),
    ("User-agent ravenbot news\nDisallow: /", OPEN),
    ("Useragent: ravenbot\nDisallow: /", SHUT),
    ("User agent: ravenbot\nDisallow: /", SHUT),
    ("User-agents: ravenbot\nDisallow: /", SHUT),
    ("User_agent: ravenbot\nDisallow: /", OPEN),
    ("User-agent: ravenbot\nDissallow: /", SHUT),
    ("User-agent: ravenbot\nDissalow: /", SHUT),
    ("User-agent: ravenbot\nDisalow: /", SHUT),
    ("User-agent: ravenbot\nDiasllow: /", SHUT),
    ("User-agent: ravenbot\nDisallaw: /", SHUT),
    ("User-agent: ravenbot\nDisallowed: /", SHUT),
    ("User-agent: ravenbot\nDeny: /", OPEN),
    ("User-agent: ravenbot # that one\nDisallow: / # all of it", SHUT),
    ("User-agent: ravenbot\n# Disallow: /", OPEN),
    ("User-agent: ravenbot\nDisallow: /x#/y", OPEN),
    ("User-agent: ravenbot\r\nDisallow: /\r\n", SHUT),
    ("User-agent: ravenbot\rDisallow: /\r", SHUT),
    ("User-agent: ravenbot\r\n\rDisallow: /", SHUT),
    ("\ufeffUser-agent: ravenbot\nDisallow: /", SHUT),
    ("User-agent: ravenbot\n\ufeffDisallow: /", OPEN),
    (": ravenbot\nDisallow: /", OPEN),
    ("User-agent: ravenbot\nDisallow: /\x00 and more", SHUT),
]


@pytest.mark.parametrize(("pattern", "path", "allowed"), PATTERNS)
def test_a_pattern_shuts_what_it_speaks_of(pattern: str, path: str, allowed: bool) -> None:
    assert may(ruled(f"Disallow: {pattern}"), path) is allowed


@pytest.mark.parametrize(("rules", "path", "allowed", "line"), PRECEDENCE)
def test_the_longest_rule_has_the_say_and_allow_wins_a_tie(
    rules: list[str], path: str, allowed: bool, line: int | None
) -> None:
    decision = read_robots(ruled(*rules).encode()).decide("ravenbot", SITE + path)
    assert (decision.allowed, decision.line) == (allowed, line)


@pytest.mark.parametrize(("text", "path", "allowed"), CHOICE)
def test_an_agent_obeys_its_own_groups_or_those_for_everyone(
    text: str, path: str, allowed: bool
) -> None:
    assert may(text, path) is allowed


@pytest.mark.parametrize(("text", "allowed"), SPELLINGS)
def test_lines_are_understood_as_people_write_them(text: str, allowed: bool) -> None:
    assert may(text, "/a") is allowed


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_does_not_cost_the_first_group(mark: bytes) -> None:
    robots = read_robots(mark + b"User-agent: *\nDisallow: /x\n")
    assert not robots.allows("ravenbot", f"{SITE}/x")
    assert robots.lint[0].code == "bom"


@pytest.mark.parametrize(
    ("agent", "text", "allowed"),
    [
        ("AI2Bot", "User-agent: AI2Bot\nDisallow: /", SHUT),
        ("AI2Bot", "User-agent: AI\nDisallow: /", OPEN),
        ("Ai2Bot-Dolma", "User-agent: AI2Bot\nDisallow: /", OPEN),
        ("Applebot-Extended", "User-agent: Applebot\nDisallow: /", OPEN),
        ("omgili", "User-agent: omgilibot\nDisallow: /", OPEN),
        ("panscient.com", "User-agent: panscient.com\nDisallow: /", SHUT),
        ("008", "User-agent: 008\nDisallow: /", SHUT),
        ("ravenbot/1.0 (+https://raven.test)", "User-agent: ravenbot\nDisallow: /", SHUT),
        ("Raven Bot", "User-agent: Raven Bot\nDisallow: /", OPEN),
        ("Raven", "User-agent: Raven Bot\nDisallow: /", SHUT),
        ("*", "User-agent: *\nDisallow: /", SHUT),
        ("", "User-agent: ravenbot\nDisallow: /", OPEN),
        ("", "User-agent:\nDisallow: /", OPEN),
        ("räven", "User-agent: räven\nDisallow: /", OPEN),
        ("\ud800", "User-agent: *\nDisallow: /", SHUT),
    ],
)
def test_agents_are_compared_whole(agent: str, text: str, allowed: bool) -> None:
    assert may(text, "/a", agent) is allowed


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("wireroom/0.1 (+https://wireroom.example)", "wireroom"),
        ("Raven Bot", "Raven"),
        ("iaskspider/2.0", "iaskspider"),
        ("AI2Bot", "AI2Bot"),
        ("  owl-bot_7 ", "owl-bot_7"),
        ("", ""),
        ("(none)", ""),
    ],
)
def test_the_product_token_is_what_stands_before_anything_odd(agent: str, token: str) -> None:
    assert product_token(agent) == token


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("", b"/"),
        ("https://courier.test", b"/"),
        ("https://courier.test/", b"/"),
        ("https://courier.test/a/b", b"/a/b"),
        ("https://courier.test/a?b=https://owl.test/c", b"/a?b=https://owl.test/c"),
        ("https://courier.test/a#b", b"/a"),
        ("https://courier.test#/a", b"/"),
        ("https://courier.test?a", b"/?a"),
        ("https://courier.test;a", b"/;a"),
        ("courier.test/a", b"/a"),
        ("courier.test", b"/"),
        ("//courier.test/a/b", b"/a/b"),
        ("/a", b"/a"),
        ("a/b", b"/b"),
        ("/a?u=x://y", b"/a?u=x://y"),
    ],
)
def test_rules_are_compared_with_path_and_query(url: str, path: bytes) -> None:
    assert path_of(url) == path


def test_patterns_are_escaped_as_addresses_are() -> None:
    assert escaped("/ü%c3%zz".encode()) == b"/%C3%BC%C3%zz"
    assert escaped(b"/a\xff") == b"/a%FF"


def test_a_decision_names_its_line_rule_and_group() -> None:
    robots = read_robots(b"User-agent: Owl\nUser-agent: *\nAllow: /a\nDisallow: /a/b\xc3\xbc\n")
    assert robots.decide("owl", f"{SITE}/a/b%C3%BC") == RobotsDecision(
        allowed=False, line=4, rule="Disallow: /a/b%C3%BC", agent="owl", agents=("Owl", "*")
    )
    assert robots.decide("raven", f"{SITE}/z") == RobotsDecision(
        allowed=True, agent="*", agents=("Owl", "*")
    )
    assert read_robots(b"").decide("raven", SITE) == RobotsDecision(allowed=True)


@pytest.mark.parametrize(
    ("rules", "barred"),
    [
        (["Disallow: /"], "fully"),
        (["Disallow: /*"], "fully"),
        (["Disallow: *"], "fully"),
        (["Disallow: /", "Allow: /$"], "fully"),
        (["Disallow: /", "Allow: /robots.txt"], "fully"),
        (["Disallow: /", "Disallow: /a"], "fully"),
        (["Disallow: /", "Allow: /"], "not"),
        (["Disallow: /", "Allow: /*"], "not"),
        (["Disallow: /a", "Allow: /"], "partly"),
        (["Disallow: /", "Allow: /news"], "partly"),
        (["Disallow: /news"], "partly"),
        (["Disallow:"], "not"),
        (["Allow: /"], "not"),
        ([], "not"),
    ],
)
def test_how_much_an_agent_is_kept_from(rules: list[str], barred: str) -> None:
    robots = read_robots(ruled(*rules).encode())
    assert robots.barred("ravenbot") == barred
    assert robots.barred("owlbot") == "not"


def test_groups_come_back_as_they_stand() -> None:
    text = (
        b"User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 2\n\nUser-agent: *\nAllow: /\n"
    )
    first, second = read_robots(text).groups
    assert (first.agents, first.line, second.agents, second.line) == (("a", "b"), 1, ("*",), 6)
    assert [str(rule) for rule in first.rules + second.rules] == ["Disallow: /x", "Allow: /"]
    assert [rule.line for rule in first.rules + second.rules] == [3, 7]
    assert first.crawl_delay is not None
    assert second.crawl_delay is None


def test_a_line_is_read_up_to_its_limit() -> None:
    long = "/" + "a" * (MAX_LINE_BYTES - len("Disallow: ") - 1)
    robots = read_robots(ruled(f"Disallow: {long}/never-read").encode())
    assert not robots.allows("ravenbot", f"{SITE}{long}/other")
    assert robots.allows("ravenbot", f"{SITE}{long[:-1]}")
    assert [lint.code for lint in robots.lint] == ["line_cut"]


def test_a_file_is_read_up_to_its_limit_and_says_so() -> None:
    start = b"User-agent: *\nDisallow: /first\n"
    filler = b"# " + b"x" * 97 + b"\n"
    body = start + filler * (MAX_BYTES // len(filler))
    body = body[: MAX_BYTES - len(b"Disallow: /")] + b"Disallow: /last\n"
    robots = read_robots(body)
    assert robots.truncated
    assert not robots.allows("ravenbot", f"{SITE}/first")
    # Cut in the middle it would read "Disallow: /" and shut the whole site.
    assert robots.allows("ravenbot", f"{SITE}/news")
    assert "too_long" in {lint.code for lint in robots.lint}


def test_a_file_of_exactly_the_limit_is_whole() -> None:
    end = b"\nUser-agent: *\nDisallow: /x"
    body = b"#" * (MAX_BYTES - len(end)) + end
    assert not read_robots(body).truncated
    assert not read_robots(body).allows("ravenbot", f"{SITE}/x")
    assert not read_robots(body + b"\nDisallow: /y").allows("ravenbot", f"{SITE}/x")


@pytest.mark.parametrize(
    "line",
    [
        b"Disallow: /section/private\n",
        b"Disallow: /" + b"*a" * 40 + b"$\n",
        b"User-agent: x\nDisallow: /\n",
        b"#########\n",
        b"a:\n",
        b"x",
        b"\r",
        b"# no ai training, ever. ",
    ],
)
def test_ten_megabytes_of_anything_stay_quick(line: bytes) -> None:
    body = b"User-agent: *\n" + line * (10_000_000 // len(line))
    with cpu_within(2):  # the budget of any document
        robots = read_robots(body)
        robots.allows("ravenbot", f"{SITE}/" + "a/" * 900 + "b")
        assert robots.truncated


def test_many_stars_take_one_walk_along_the_path() -> None:
    robots = read_robots(ruled("Disallow: /" + "a*" * 5_000 + "b$").encode())
    with cpu_within(2):
        assert robots.allows("ravenbot", f"{SITE}/" + "a" * 20_000)
