"""The table of AI agents, and what a robots.txt says to each."""

from __future__ import annotations

import re

from tests.budget import cpu_within
from wireroom.parse.robots import read_robots
from wireroom.rights.agents import (
    PURPOSES,
    Agent,
    AgentView,
    agent_table,
    agents_key,
    view_agents,
    view_classes,
)

PAGE = "https://courier.test/news/a?x=1"
THIRTEEN = (
    "GPTBot ChatGPT-User Google-Extended anthropic-ai ClaudeBot CCBot Bytespider Amazonbot "
    "FacebookBot Meta-ExternalAgent cohere-ai PerplexityBot Applebot-Extended"
)


def _views(text: str, url: str = PAGE) -> dict[str, AgentView]:
    return {view.agent.name: view for view in view_agents(read_robots(text.encode()), url)}


def test_the_table_is_whole_and_dated() -> None:
    table = agent_table()
    names = [agent.name for agent in table.agents]
    assert len(names) == len(set(names)) == 166
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.date)
    assert table.source
    assert set(THIRTEEN.split()) <= set(names)
    assert {agent.purpose for agent in table.agents} == set(PURPOSES)
    for purpose in PURPOSES[:6]:
        assert any(agent.well_known for agent in table.agents if agent.purpose == purpose)


def test_named_by_name_or_by_everyone_or_by_nobody() -> None:
    views = _views("User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n")
    assert views["GPTBot"].via == "name"
    assert views["CCBot"].via == "everyone"
    assert _views("User-agent: GPTBot\nDisallow: /\n")["CCBot"].via == "nobody"


def test_fully_partly_or_not_with_the_deciding_line() -> None:
    views = _views(
        "User-agent: GPTBot\nDisallow: /\nAllow: /$\n\n"
        "User-agent: CCBot\nDisallow: /news\n\n"
        "User-agent: *\nAllow: /\n"
    )
    gpt, ccbot, other = views["GPTBot"], views["CCBot"], views["ClaudeBot"]
    assert (gpt.site, gpt.front_allowed, gpt.path_allowed) == ("fully", True, False)
    assert (gpt.path_line, gpt.rule) == (2, "Disallow: /")
    assert (ccbot.site, ccbot.front_allowed, ccbot.path_allowed) == ("partly", True, False)
    assert (ccbot.front_line, ccbot.path_line) == (None, 6)
    assert (other.site, other.path_allowed, other.path_line) == ("not", True, 9)


def test_names_are_compared_whole_and_case_does_not_count() -> None:
    views = _views("User-agent: applebot\nDisallow: /\n")
    assert not views["Applebot"].path_allowed
    assert views["Applebot-Extended"].path_allowed


def test_a_name_with_a_blank_is_found_by_what_files_are_read_by() -> None:
    assert not _views("User-agent: Kangaroo Bot\nDisallow: /\n")["Kangaroo Bot"].path_allowed
    assert not _views("User-agent: iaskspider/2.0\nDisallow: /\n")["iaskspider/2.0"].path_allowed


def test_agents_of_different_groups_keep_their_own_rules() -> None:
    text = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /news\n"
    views = _views(text)
    assert not views["GPTBot"].path_allowed
    assert views["CCBot"].path_allowed


def test_one_word_per_class() -> None:
    def word(text: str, agents: list[Agent]) -> str:
        (view,) = view_classes(view_agents(read_robots(text.encode()), PAGE, agents))
        return view.word

    known = Agent(name="Known", purpose="training", well_known=True)
    other = Agent(name="Other", purpose="training")
    assert word("User-agent: Known\nDisallow: /\n", [known, other]) == "barred"
    assert word("User-agent: Other\nDisallow: /\n", [known, other]) == "some"
    assert word("User-agent: Third\nDisallow: /\n", [known, other]) == "free"
    assert word("User-agent: Other\nDisallow: /\n", [other]) == "barred"


def test_an_empty_file_bars_nobody() -> None:
    assert all(view.word == "free" for view in view_classes(_views("").values()))


def test_all_agents_are_asked_in_time() -> None:
    names = "".join(f"User-agent: {agent.name}\n" for agent in agent_table().agents[::2])
    text = names + "".join(f"Disallow: /section{n}/*.html\n" for n in range(120))
    body = text.encode()
    with cpu_within(0.2):
        for _ in range(10):
            view_classes(view_agents(read_robots(body), PAGE))


def test_a_group_of_thousands_of_agents_and_rules_is_asked_in_time() -> None:
    agents = "".join(f"User-agent: a{number}\n" for number in range(10_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(15_000))
    robots = read_robots(f"{agents}User-agent: GPTBot\n{rules}Disallow: /\n".encode())
    with cpu_within(0.5):
        views = {view.agent.name: view for view in view_agents(robots, PAGE)}
        agents_key(robots, PAGE)
    assert views["GPTBot"].site == "fully"
    assert views["CCBot"].site == "not"
