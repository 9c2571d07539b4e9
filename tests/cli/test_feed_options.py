"""Every option of a feed, wherever one can be said or seen: a new field of FeedOptions is tested by being there."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ran
from tests.parts import REPOSITORY
from wireroom import open_app
from wireroom.model import OPTIONS, Feed, FeedOptions, Hints, with_options
from wireroom.model.feed_options import FeedOption, OptionInfo, OptionKind
from wireroom.settings.feed_settings import option_text, shown_option

Run = Callable[..., Ran]

URL = "https://courier.test/rss.xml"
SAMPLES: Mapping[OptionKind, Any] = {
    "name": "The Courier",
    "words": "north, coast",
    "css": "article > p",
    "selectors": {"section": "nav .here", "image": "meta[name='i']@content"},
    "item_fields": {"title": "headline", "url": "links.web"},
    "switch": False,
    "language": "pl",
    "zone": "Europe/Warsaw",
    "share": 0.7,
    "span": "1 day 2 h",
    "urls": ["https://a.test/rss", "https://b.test/rss"],
    "proxy": "socks5://127.0.0.1:1080",
}
"""A value of each kind as it stands in the settings file."""


def sample(option: FeedOption) -> Any:
    if option.info.choices:
        return next(word for word in option.info.choices if word != option.default)
    return not option.default if option.info.kind == "switch" else SAMPLES[option.info.kind]


def value(option: FeedOption) -> Any:
    """The sample as a feed holds it."""
    given = sample(option)
    if option.info.kind == "span":
        return timedelta(days=1, hours=2)
    return tuple(given) if isinstance(given, list) else given


def plain(option: FeedOption) -> Any:
    """The sample as JSON shows it; spans among the hints are not in our own words."""
    is_raw = option.is_hint and option.info.kind == "span"
    return str(value(option)) if is_raw else sample(option)


def as_toml(given: Any) -> str:
    if isinstance(given, Mapping):
        return f"{{ {', '.join(f'{name} = {json.dumps(text)}' for name, text in given.items())} }}"
    return json.dumps(given)


WANTED = with_options(FeedOptions(), {name: value(option) for name, option in OPTIONS.items()})


def held(database: str = "wireroom.db") -> Feed:
    with open_app(f"sqlite:///{database}") as app:
        (feed,) = app.store.feeds()
    return feed


def cells() -> dict[str, str]:
    return {name: option_text(option, value(option)) for name, option in OPTIONS.items()}


def test_samples_say_something() -> None:
    assert not [name for name, option in OPTIONS.items() if option.of(WANTED) == option.default]


def test_every_option_can_be_set_in_the_file_and_shows_in_the_diff_and_in_feed(
    wireroom: Run,
) -> None:
    file = Path("wireroom.toml")
    file.write_text(f'[[feeds]]\nname = "Before"\nurl = "{URL}"\n')
    assert wireroom("sync", "--yes").code == 0
    lines = "\n".join(f"{name} = {as_toml(sample(option))}" for name, option in OPTIONS.items())
    file.write_text(f'[[feeds]]\nurl = "{URL}"\n{lines}\n')
    ran = wireroom("sync", "--yes", "--json")
    assert ran.code == 0, ran.err
    (changed,) = json.loads(ran.out)["changed"]
    assert [change["field"] for change in changed["changes"]] == list(OPTIONS)
    assert held().options == WANTED
    data = json.loads(wireroom("feed", URL, "--json").out)
    shown = {name: (data["hints"] if o.is_hint else data)[name] for name, o in OPTIONS.items()}
    assert shown == {name: plain(option) for name, option in OPTIONS.items()}
    page = wireroom("feed", URL).out
    assert not [option.label for option in OPTIONS.values() if option.label not in page]


def flags() -> list[str]:
    given: list[str] = []
    for option in OPTIONS.values():
        example = sample(option)
        if isinstance(example, Mapping):
            given += [
                part for name, css in example.items() for part in (option.flag, f"{name}={css}")
            ]
        elif isinstance(example, list):
            given += [part for url in example for part in (option.flag, url)]
        elif isinstance(example, bool):
            given.append(option.flag)
        else:
            given += [option.flag, str(example)]
    return given


def test_every_option_can_be_set_by_a_flag(wireroom: Run) -> None:
    ran = wireroom("add", URL, "--no-scout", *flags())
    assert ran.code == 0, ran.err
    assert held().options == WANTED


def test_every_option_can_be_set_in_a_csv(wireroom: Run) -> None:
    with Path("feeds.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([["url", *cells()], [URL, *cells().values()]])
    ran = wireroom("add", "feeds.csv", "--no-scout")
    assert ran.code == 0, ran.err
    assert held().options == WANTED


def test_every_option_goes_through_opml_and_back(wireroom: Run) -> None:
    assert wireroom("add", URL, "--no-scout", *flags()).code == 0
    assert wireroom("opml", "-o", "feeds.opml").code == 0
    ran = wireroom("add", "feeds.opml", "--no-scout", "--own-list", "--db", "other.db")
    assert ran.code == 0, ran.err
    assert held("other.db").options == WANTED


def test_what_is_not_given_stays_and_what_is_given_replaces_it(wireroom: Run) -> None:
    assert wireroom("add", URL, "--no-scout", *flags()).code == 0
    changed = {"role": "primary", "json_ld": "true", "region": "south"}
    Path("feeds.csv").write_text(f"url,{','.join(changed)}\n{URL},{','.join(changed.values())}\n")
    assert wireroom("add", "feeds.csv", "--no-scout").code == 0
    over = {"role": "primary", "json_ld": True, "region": "south"}
    assert held().options == with_options(WANTED, over)


def test_columns_of_feeds_are_those_of_the_options_that_have_one(wireroom: Run) -> None:
    assert wireroom("add", URL, "--no-scout").code == 0
    bare = wireroom("feeds").out.splitlines()[0].split()
    assert wireroom("add", URL, "--no-scout", *flags()).code == 0
    full = wireroom("feeds").out.splitlines()[0].split()
    named = [option.label for option in OPTIONS.values() if option.info.column is not None]
    assert [head for head in full if head not in bare] == named


@pytest.mark.parametrize("option", [each for each in OPTIONS.values() if each.info.secret])
def test_the_user_info_of_a_secret_is_never_shown(wireroom: Run, option: FeedOption) -> None:
    address = "socks5://me:hush@127.0.0.1:1080"
    assert wireroom("add", URL, "--no-scout", option.flag, address).code == 0
    assert option.of(held()) == address
    ways = (["feed", URL], ["feed", URL, "--json"], ["feeds", "--json"], ["opml"])
    assert not [way for way in ways if "hush" in wireroom(*way).out]
    assert "hush" not in shown_option(option, address) + option_text(option, address)


def test_an_option_is_listed_once_and_stands_where_it_says() -> None:
    for name, option in OPTIONS.items():
        assert option.name == name
        assert hasattr(Hints if option.is_hint else FeedOptions, name)
    assert len({option.flag for option in OPTIONS.values()}) == len(OPTIONS)


def test_the_page_that_shows_an_option_shows_it_as_it_stands() -> None:
    page = (REPOSITORY / "docs" / "extend" / "feed-option.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    source = REPOSITORY / "src" / "wireroom" / "model" / "feed_options.py"
    assert shown in source.read_text(encoding="utf-8")
    keys = re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \|", page.partition("## What the metadata")[2], re.MULTILINE
    )
    named = {name for row in keys for name in re.findall(r"\w+", row)}
    assert named == {each.name for each in fields(OptionInfo)}
