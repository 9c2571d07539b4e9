"""Signs that a scout went wrong, for `doctor` and `status`: what a dossier says that can hardly be so.

The signs are pure functions of a dossier and of its history. A sign is no error: somebody should look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from wireroom.model import Dossier, Finding

if TYPE_CHECKING:
    from wireroom.app.application import App

SLOW_STEP: Final = timedelta(seconds=15)  # of a scout; most take one
JUMP: Final = (
    3  # times as many articles a day as the scout before found, or as few: one of them was wrong
)
_RATE: Final = "frequency"  # the step that measures it
FEW: Final = 5  # publishers; that none of fewer has a news sitemap says nothing


class WarningSign(StrEnum):
    """What is doubtful about a publisher's scout."""

    NO_SAMPLE = "no_sample"
    """It has feeds, and its rate rests on no date."""
    NO_NEWS_SITEMAP = "no_news_sitemap"
    """It says that it is a news site, and no news sitemap was found."""
    SLOW_STEP = "slow_step"
    RATE_JUMPED = "rate_jumped"


WORDS: Final[dict[WarningSign, str]] = {
    WarningSign.NO_SAMPLE: "no dates to measure a rate on, though there are feeds",
    WarningSign.NO_NEWS_SITEMAP: "news sites without a news sitemap",
    WarningSign.SLOW_STEP: f"a step of the last scout took longer than {SLOW_STEP.seconds} s",
    WarningSign.RATE_JUMPED: f"the rate is {JUMP} times what it was, or 1/{JUMP} of it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoutWarning:
    """A sign, and the publishers that show it."""

    sign: WarningSign
    publishers: tuple[str, ...]

    @property
    def words(self) -> str:
        """The sign for people."""
        return WORDS[self.sign]


def scout_warnings(app: App) -> tuple[ScoutWarning, ...]:
    """The signs that followed publishers show, each with these; two queries, for a scout has noted its own."""
    scouts = app.store.overview.scout_signs()
    found = {
        sign: [each.publisher for each in scouts.rows if sign.value in each.signs]
        for sign in WarningSign
    }
    # Where nobody says what it is, one without proves nothing, and all of them without is a sign.
    if len(scouts.rows) >= FEW and not scouts.has_news_sitemap:
        found[WarningSign.NO_NEWS_SITEMAP] = [each.publisher for each in scouts.rows]
    return tuple(
        ScoutWarning(sign=sign, publishers=tuple(found[sign]))
        for sign in WarningSign
        if found[sign]
    )


def signs_of(dossier: Dossier, history: Iterable[Finding]) -> tuple[WarningSign, ...]:
    """What is doubtful about a scout; `history` is of the findings before it that changed, oldest first."""
    found = [sign for sign, shows in _SIGNS.items() if shows(dossier)]
    latest = next((finding for finding in dossier.findings if finding.step == _RATE), None)
    if latest is not None and jumped([*_rates_before(latest, history), latest]):
        found.append(WarningSign.RATE_JUMPED)
    return tuple(found)


def _rates_before(latest: Finding, history: Iterable[Finding]) -> list[Finding]:
    """What was measured before; not the same once more, as a scout notes it on the way."""
    own = (latest.found_at, _per_day(latest))
    return [
        finding
        for finding in history
        if finding.step == _RATE and (finding.found_at, _per_day(finding)) != own
    ]


def was_slow(dossier: Dossier) -> bool:
    """Whether a step was at work, or had an answer in flight, for longer than is usual."""
    return any(finding.took > SLOW_STEP for finding in dossier.findings)


def lacks_news_sitemap(dossier: Dossier) -> bool:
    """Whether it says that it is a news site, sitemaps were looked at, and none was one of news."""
    for finding in dossier.findings:
        signals = finding.facts.get("signals")
        if finding.step == "google_news" and isinstance(signals, Mapping):
            says_news = signals.get("news_article_schema") or signals.get("news_media_organization")
            return bool(says_news) and signals.get("news_sitemap") is False
    return False


def jumped(history: Sequence[Finding]) -> bool:
    """Whether the last two rates that were measured are too far apart to be both true."""
    rates = [rate for finding in history if (rate := _per_day(finding))][-2:]
    return len(rates) == 2 and max(rates) >= JUMP * min(rates)


def _per_day(finding: Finding) -> float:
    measured = finding.facts.get("measured")
    if not isinstance(measured, Mapping) or not measured.get("sample_size"):
        return 0.0
    return float(measured.get("per_day") or 0.0)


def without_sample(dossier: Dossier | None) -> bool:
    """Whether scouting found feeds and measured their rate on nothing; False when it did not look."""
    if dossier is None or not dossier.feeds:
        return False
    for finding in dossier.findings:
        measured = finding.facts.get("measured")
        if finding.step == "frequency" and isinstance(measured, Mapping):
            return not measured.get("sample_size")
    return False


_SIGNS: Final[dict[WarningSign, Callable[[Dossier], bool]]] = {
    WarningSign.NO_SAMPLE: without_sample,
    WarningSign.NO_NEWS_SITEMAP: lacks_news_sitemap,
    WarningSign.SLOW_STEP: was_slow,
}
