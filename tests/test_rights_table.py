"""Rights over whole runs: what `rights` says, what the card says, what is fetched, what is kept and what is exported.

Each row is a world of two publishers and an aggregator, or several worlds one after another, a day apart. All five
answers must be the word of `rights_oracle`, which is written from the specifications and knows nothing of the program.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.inline import use_inline_engine
from tests.rights_formats import USES, World
from tests.rights_oracle import judge, may_fetch
from tests.rights_rows import FREE, PERMITTED, RESERVED, ROWS, SHORT, Row, item_rsl, rsl, signal
from tests.rights_world import (
    HOSTS,
    OPEN_ROBOTS,
    A,
    ServedWorlds,
    Site,
    feed_url,
    served_worlds,
    story_url,
)
from wireroom.app import App, open_app
from wireroom.app.add import AddRequest, add_many
from wireroom.app.page_rights import page_rights
from wireroom.app.scout import read_address, report_card, scout_address
from wireroom.errors import FetchError
from wireroom.model import Article, Receipt, Use
from wireroom.parse.page_tags import MAX_VALUE
from wireroom.parse.robots.robots_scan import MAX_LINE_BYTES
from wireroom.parse.structured_fields import MAX_DICTIONARY
from wireroom.settings import Settings

WORDS: Final = {"no": {"deny", "paid"}, "yes": {"allow"}, "open": {"unknown"}}
STRICT_USE: Final[Use] = "ai-train"


_NAMED_BY_PAGE: Final = (
    "a run does not fetch the RSL document that a page names: its word is unknown, rights knows it"
)
KNOWN: Final[tuple[tuple[str, str], ...]] = (
    ("tdm header lifts tdmrep", "the receipt permits, the export asks the file alone"),
    ("CC0 while robots.txt is 429", "a server that is busy is waited for, as with 5xx: deny"),
    ("RSL by header", _NAMED_BY_PAGE),
    ("RSL by link", _NAMED_BY_PAGE),
    ("whole feed, the page names RSL in its headers", _NAMED_BY_PAGE),
)
"""Rows that do not hold yet, each with the reason; the test fails when one of them holds."""


# --- the runs ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served() -> Iterator[ServedWorlds]:
    with pytest.MonkeyPatch.context() as patch, served_worlds() as serving:
        use_inline_engine(patch)
        yield serving


@dataclass
class Scenario:
    """A row while it is run: the database, the time, and what has gone wrong."""

    row: Row
    served: ServedWorlds
    database: str
    later: timedelta = timedelta()
    worlds: list[World] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.later

    def run(self) -> list[str]:
        """What differs from the oracle, round by round."""
        for number in range(1, len(self.row.rounds) + 1):
            with self._app() as app:
                self._begin(app, number)
                self._round(app, number)
        with self._app(strict=True) as app:
            self._begin(app, len(self.row.rounds) + 1)
            self._round_strictly(app, len(self.row.rounds) + 1)
        return self.wrong

    def _app(self, *, strict: bool = False) -> App:
        rights = {
            "uses": [STRICT_USE],
            "fetch_on": ["allow", "unknown"],
            "store_on_deny": "nothing",
        }
        settings = Settings.model_validate(
            {
                "database_url": self.database,
                "hosts": self.served.hosts,
                "fetch": {"delay": "0 s", "timeout": "30 s"},
                "scout": {"offline": True, "rest": "0 s"},
                "run": {"scout_every": "1 day", "learn": False},
                "cluster": {"enabled": False},
                "store": {"raw_kept_for": 0},
                "rights": rights if strict else {},
            }
        )
        return open_app(settings, clock=self.now)

    def _begin(self, app: App, number: int) -> None:
        """Time passes, and each judged host has one more story."""
        if number > 1:
            self.later += timedelta(hours=self.row.hours)
            self._age_robots(app)
        sites = self.row.rounds[min(number, len(self.row.rounds)) - 1]
        links = [
            story_url(self.row.named_on or host, n)
            for host in self.row.judged
            for n in range(1, number + 1)
        ]
        world = {
            host: site.serve(host, number, links if host == self.row.followed else None)
            for host, site in sites.items()
        }
        self.served.world = world
        self.worlds.append(world)
        self.served.asked.clear()

    def _age_robots(self, app: App) -> None:
        """robots.txt files are believed for a day by the machine's own clock: theirs is put back instead."""
        held = [app.store.robots_file(f"http://{host}") for host in HOSTS]
        hours = timedelta(hours=self.row.hours)
        app.store.save_robots_files(
            [replace(file, asked_at=file.asked_at - hours) for file in held if file]
        )

    def _round(self, app: App, number: int) -> None:
        if number > 1 or self.row.first == "rights":
            self._ask_first(app, number)
        if number == 1:
            _follow(app, feed_url(self.row.followed))
        app.run_once()
        for host in self.row.judged:
            self._check_fetched(app, host, number)
        self._check_exports(app, number, "export")
        for host in self.row.judged:
            self._check_rights(app, host, number)
        self._check_exports(app, number, "export after rights")

    def _ask_first(self, app: App, number: int) -> None:
        for host in self.row.judged:
            if self.row.first in {"rights", "refresh"}:
                _rights(app, story_url(host, number), refresh=self.row.first == "refresh")
            elif self.row.first == "scout":
                _rights(app, f"http://{host}/", refresh=True)

    def _round_strictly(self, app: App, number: int) -> None:
        """Under a policy against one use, what refuses it is not fetched and not kept."""
        app.run_once()
        for host in self.row.judged:
            url, held = story_url(host, number), _held(app, story_url(host, number))
            word, before = self._oracle(url, STRICT_USE), self._oracle(url, STRICT_USE, page=False)
            if (
                host != self.row.followed
            ):  # not known before it was scouted itself, and kept as unknown
                is_allowed = held is not None and _allows(held.receipt, STRICT_USE)
                if is_allowed and word != "yes":
                    self._note(number, url, f"held as {STRICT_USE} allowed, the oracle says {word}")
                continue
            if before == "no" and self._is_asked(url):
                self._note(number, url, f"fetched although {STRICT_USE} is refused")
            if word == "no" and held is not None:
                self._note(number, url, f"kept although {STRICT_USE} is refused")
            refused = {before, word, self._oracle(url, "archive")}
            if "no" not in refused and held is None:
                self._note(number, url, "not kept although nothing is refused")

    def _check_fetched(self, app: App, host: str, number: int) -> None:
        """What robots.txt bars is not asked for; what is read is held under the right words."""
        url, held = story_url(host, number), _held(app, story_url(host, number))
        may = may_fetch(self.worlds[-1], url)
        if self._is_asked(url) and not may:
            self._note(number, url, "fetched although robots.txt bars it")
        if held is None:
            if may:
                self._note(number, url, "not read although robots.txt allows it")
            return
        if held.receipt is None:
            self._note(number, url, "held without a receipt")
            return
        # Who is found through somebody else may be unknown until it was scouted itself.
        careful = host != self.row.followed
        for use, word in _words(held.receipt).items():
            self._compare(number, url, use, word, "the receipt", careful=careful)

    def _check_rights(self, app: App, host: str, number: int) -> None:
        url = story_url(host, number)
        answers = _rights(app, url)
        if answers is None:
            if any(self._oracle(url, use) == "yes" for use in USES):
                self._note(number, url, "rights has no answer although the oracle has one")
            return
        for use, (word, on_card, permitted) in answers.items():
            self._compare(number, url, use, word, "rights")
            if word != on_card and not (word == "deny" and on_card != "allow"):
                self._note(number, url, f"{use}: rights says {word}, the card {on_card}")
            if permitted != (word == "allow"):
                self._note(number, url, f"{use}: rights says {word}, and its exit code {permitted}")

    def _check_exports(self, app: App, number: int, what: str) -> None:
        for use in USES:
            exported = _exported(app, use)
            for host in self.row.judged:
                for url in (story_url(host, n) for n in range(1, number + 1)):
                    word = self._oracle(url, use)
                    if url in exported and word != "yes":
                        self._note(
                            number, url, f"{use}: {what} hands it on, the oracle says {word}"
                        )
                    is_new = url == story_url(host, number) and host == self.row.followed
                    if is_new and url not in exported and word == "yes":
                        self._note(number, url, f"{use}: {what} leaves it out, the oracle says yes")

    def _compare(
        self, number: int, url: str, use: str, word: str, who: str, *, careful: bool = False
    ) -> None:
        oracle = self._oracle(url, use)
        fitting = set(WORDS[oracle])
        if careful:
            fitting.add("unknown")
        if (
            who == "rights"
        ):  # of the page alone, whatever its feed says; but never against the whole
            alone = WORDS[self._oracle(url, use, feed=False)]
            fitting |= alone - {"allow"} if oracle == "no" else alone
        if oracle == "open" and self._was_refused(url, use):
            fitting.add("deny")  # a refusal that stands, where what was said in its place is gone
        if word not in fitting:
            self._note(number, url, f"{use}: {who} says {word}, the oracle {oracle}")

    def _was_refused(self, url: str, use: str) -> bool:
        """Whether the publisher said no in any round before."""
        rounds = range(1, len(self.worlds))
        return any(judge(self.worlds[:n], url, use, now=self.now()) == "no" for n in rounds)

    def _oracle(self, url: str, use: str, *, page: bool = True, feed: bool = True) -> str:
        where = feed_url(self.row.followed) if feed else ""
        return judge(self.worlds, url, use, feed_url=where, now=self.now(), page=page)

    def _is_asked(self, url: str) -> bool:
        host, path = url.removeprefix("http://").split("/", 1)
        return (host, f"/{path}") in self.served.asked

    def _note(self, number: int, url: str, what: str) -> None:
        self.wrong.append(f"round {number}, {url.removeprefix('http://')}: {what}")


def _follow(app: App, url: str) -> None:
    """As `add` does it; where that is refused, as `add --no-scout` does, so that a run meets what is there."""

    async def add(*, scout: bool) -> bool:
        results = [result async for result in add_many(app, [(url, AddRequest())], scout=scout)]
        return any(
            result.added is not None and result.added.outcome == "added" for result in results
        )

    assert asyncio.run(add(scout=True)) or asyncio.run(add(scout=False))


def _rights(
    app: App, url: str, *, refresh: bool = False
) -> dict[Use, tuple[str, str, bool]] | None:
    """Use to what `rights` says, what the card says, and whether its exit code permits; None when nobody answers."""
    try:
        dossier = asyncio.run(scout_address(app, read_address(url), refresh=refresh))
    except FetchError:
        return None
    on_card = {row.use: row.word for row in report_card(app, dossier).rights}
    words = _words(page_rights(app, dossier).receipt)
    return {
        use: (words[use], on_card[use], page_rights(app, dossier, use).permitted) for use in words
    }


def _words(receipt: Receipt) -> dict[Use, str]:
    """What the receipt says of each use; a page that robots.txt bars has no use."""
    barred = receipt.robots == "disallowed"
    return {verdict.use: "deny" if barred else verdict.value for verdict in receipt.verdicts}


def _allows(receipt: Receipt | None, use: Use) -> bool:
    return receipt is not None and _words(receipt).get(use) == "allow"


def _held(app: App, url: str) -> Article | None:
    return next(
        (article for article in app.articles() if article.url == url and article.text), None
    )


def _exported(app: App, use: Any) -> set[str]:
    out = io.BytesIO()
    app.export(out, form="jsonl", use=use)
    return {json.loads(line)["url"] for line in out.getvalue().splitlines()}


def _permits_too_much(wrong: str) -> bool:
    """Whether an answer is on the other side of the careful one."""
    return any(
        words in wrong for words in ("says allow", "hands it on", "held as", "fetched although")
    )


# --- the tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=() if row.name in SHORT else pytest.mark.long)
        for row in ROWS
    ],
)
def test_every_answer_is_the_word_of_the_specifications(
    row: Row, served: ServedWorlds, tmp_path: Path
) -> None:
    wrong = Scenario(row, served, f"sqlite:///{tmp_path}/w.db").run()
    if row.name in dict(KNOWN):
        assert wrong, "it holds now: take it out of KNOWN"
        assert not [each for each in wrong if _permits_too_much(each)], "\n".join(wrong)
    else:
        assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.long
def test_a_sister_host_is_scouted_and_its_stories_are_exported(
    served: ServedWorlds, tmp_path: Path
) -> None:
    row = next(row for row in ROWS if row.name == "feed of a sister host")
    scenario = Scenario(row, served, f"sqlite:///{tmp_path}/w.db")
    exported = set[str]()
    for number in (1, 2):
        with scenario._app() as app:
            scenario._begin(app, number)
            if number == 1:
                _follow(app, feed_url(row.followed))
            app.run_once()
            exported = _exported(app, "ai-train")
    assert {story_url(row.judged[0], number) for number in (1, 2)} <= exported


_LATER_REFUSALS: Final[dict[str, dict[str, Any]]] = {
    "noai in a header": {"page_headers": {"X-Robots-Tag": "noai"}},
    "tdm in a tag": {"head": PERMITTED + '<meta name="tdm-reservation" content="1">'},
    "content-signal in a header": {"page_headers": {"Content-Signal": "ai-train=no"}},
    "RSL in the page": {
        "head": f'{PERMITTED}<script type="application/rsl+xml">{rsl("search", "ai-all")}</script>'
    },
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) for name in _LATER_REFUSALS]
)
def test_what_rights_saw_refused_on_a_page_holds_until_the_page_is_asked_again(
    name: str, served: ServedWorlds, tmp_path: Path
) -> None:
    free = {A: FREE}
    refusing = {A: replace(FREE, **_LATER_REFUSALS[name])}
    row = Row(name=name, rounds=(free, refusing, refusing, free))
    scenario = Scenario(row, served, f"sqlite:///{tmp_path}/w.db")
    story, exported = story_url(A, 1), list[bool]()
    for number in (1, 2, 3, 4):
        with scenario._app() as app:
            scenario._begin(app, number)
            if number == 1:
                _follow(app, feed_url(A))
            # The third time somebody else's page is asked for, and the day of the refusal is over.
            _rights(app, f"http://{A}/" if number == 3 else story, refresh=True)
            app.run_once()
            exported.append(story in _exported(app, "ai-train"))
    assert exported == [True, False, False, True]


@pytest.mark.long
def test_a_feed_that_refuses_later_takes_back_what_it_named(
    served: ServedWorlds, tmp_path: Path
) -> None:
    refusing = replace(FREE, item=item_rsl("search"))
    row = Row(name="RSL in the feed, later", rounds=({A: FREE}, {A: refusing}, {A: FREE}))
    scenario = Scenario(row, served, f"sqlite:///{tmp_path}/w.db")
    story, exported = story_url(A, 1), list[bool]()
    for number in (1, 2, 3):
        with scenario._app() as app:
            scenario._begin(app, number)
            if number == 1:
                _follow(app, feed_url(A))
            app.run_once()
            exported.append(story in _exported(app, "ai-train"))
    assert exported == [True, False, True]


_LONG: Final = "a=b, " * (MAX_DICTIONARY // 5 + 1)
_BEHIND_LIMITS: Final[dict[str, Site]] = {
    "a Content-Signal of robots.txt": replace(FREE, robots=signal(f"{_LONG}ai-train=no")),
    "a Content-Signal of a page": replace(
        FREE, page_headers={"Content-Signal": f"{_LONG}ai-train=no"}
    ),
    "a meta tag": replace(
        FREE,
        head=f'{PERMITTED}<meta name="robots" content="{"all," * (MAX_VALUE // 4 + 1)}noai">',
    ),
    "a header of a feed with the whole text": replace(
        FREE, whole_feed=True, feed_headers={"Content-Signal": f"{_LONG}ai-train=no"}
    ),
    "a line of robots.txt": replace(
        FREE, robots=f"{OPEN_ROBOTS}# {'and so on ' * (MAX_LINE_BYTES // 10)}. {RESERVED}"
    ),
    "a tag in a noscript": replace(
        FREE, head=f'{PERMITTED}<noscript><meta name="robots" content="noai"></noscript>'
    ),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if number else ())
        for number, name in enumerate(_BEHIND_LIMITS)
    ],
)
def test_a_refusal_behind_a_limit_is_allowed_by_nobody(
    name: str, served: ServedWorlds, tmp_path: Path
) -> None:
    row = Row(name=name, rounds=({A: FREE}, {A: _BEHIND_LIMITS[name]}))
    scenario = Scenario(row, served, f"sqlite:///{tmp_path}/w.db")
    allowed = list[set[str]]()
    for number in (1, 2):
        with scenario._app() as app:
            scenario._begin(app, number)
            if number == 1:
                _follow(app, feed_url(A))
            app.run_once()
            story = story_url(A, number)
            held = _held(app, story)
            assert held is not None
            who = {"run"} if _allows(held.receipt, "ai-train") else set()
            who |= {"export"} if story in _exported(app, "ai-train") else set()
            if "feed" not in name:  # the headers of a feed speak of the text in it
                words = _rights(app, story, refresh=True)
                assert words is not None
                rights, card, permitted = words["ai-train"]
                who |= {"rights"} if rights == "allow" or permitted else set()
                who |= {"card"} if card == "allow" else set()
                who |= {"export after"} if story in _exported(app, "ai-train") else set()
            allowed.append(who)
    assert {"run", "export"} <= allowed[0]
    assert allowed[1] == set()


def test_the_table_is_a_table() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names) >= 60
    assert len(SHORT) == 10
    assert set(names) >= {*SHORT, *dict(KNOWN)}
