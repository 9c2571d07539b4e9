"""How good a reading is, 0 to 1, and why it is not better.

Pure arithmetic over what the parts said of themselves; nothing is looked up again.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from wireroom.parse.article.body_choice import ChosenBody
from wireroom.parse.html import Page
from wireroom.parse.metadata import Metadata
from wireroom.parse.pages import DOUBT_BELOW, PageJudgement

NO_TITLE: Final = 0.7  # an article without a title is rarely one
LOST_LETTERS: Final = 0.85  # bytes that could not be read stand in the text as marks
GUESSED_ENCODING: Final = 0.9  # neither the server nor the page nor the bytes said which it is
DISAGREEMENT: Final = 0.8  # of another source that tells the same article
DOUBTFUL: Final = 0.49  # the most that a page which looks like something else can have
GUESSES: Final = frozenset({"statistics", "default"})


class Quality(NamedTuple):
    """A number and the reasons that lowered it."""

    value: float
    reasons: tuple[str, ...]


def quality_of(
    page: Page, chosen: ChosenBody, metadata: Metadata, judged: PageJudgement
) -> Quality:
    """The body's own confidence, lowered by every doubt about the rest."""
    value = chosen.body.confidence
    reasons = [*chosen.body.doubts, *chosen.doubts]
    if chosen.doubts:
        value *= DISAGREEMENT
    if judged.article < DOUBT_BELOW:
        value = min(value, DOUBTFUL * judged.article / DOUBT_BELOW)
        reasons.append(f"looks like {judged.kind}: {'; '.join(judged.reasons)}")
    if not metadata.title.value:
        value *= NO_TITLE
        reasons.append("no title")
    if page.lossy:
        value *= LOST_LETTERS
        reasons.append("some bytes could not be read")
    elif page.encoding_source in GUESSES:
        value *= GUESSED_ENCODING
        reasons.append("the encoding was guessed")
    return Quality(max(0.0, min(value, 1.0)), tuple(reasons))
