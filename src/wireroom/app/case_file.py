"""A wrong text reported: a case file with all that is needed to find out why, for whoever mends the extractor.

A file of its own in a folder beside the database, which only its owner reads: it holds a publisher's page.
"""

from __future__ import annotations

import json
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wireroom.app.explain import IDS, explain_article, find_article
from wireroom.app.factories import database_file
from wireroom.errors import DeliverError, SettingsError
from wireroom.export.article_text import digest, slug
from wireroom.model import Article
from wireroom.private_files import open_new
from wireroom.version import __version__

if TYPE_CHECKING:
    from wireroom.app.application import App

FOLDER: Final = "cases"
MAX_REPORT: Final = 5_000  # characters of what the reader says is wrong
MAX_CASES: Final = 10_000  # files of one folder: a button can be pressed very often
SCHEMA: Final = "wireroom.case/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """A case that was written down."""

    path: Path
    article: Article
    has_page: bool
    """Whether the page was kept and is in it."""


def report_wrong_text(app: App, which: str, wrong: str, *, folder: Path | None = None) -> CaseFile:
    """Writes a case file about the article with this id or address; the folder is that of the settings unless it is named.

    SettingsError where there is no such article, nothing is said, or the database is not a file and no folder is named;
    DeliverError where the file cannot be written.
    """
    article = find_article(app, which)
    if article is None:
        raise SettingsError([f"no article is held under {which}"], hint=IDS)
    report = wrong.strip()
    if not report or len(report) > MAX_REPORT:
        raise SettingsError(
            [f"expected what is wrong, in at most {MAX_REPORT:,} characters"],
            hint="Say it in a sentence or two.",
        )
    place = folder or cases_folder(app)
    case = _case(app, article, report)
    body = json.dumps(case, ensure_ascii=False, indent=2, default=str).encode("utf-8", "replace")
    name = f"{slug(article.title)}-{digest(article.id, report, case['reported_at'])}.json"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sum(1 for _ in place.iterdir()) >= MAX_CASES:
            raise SettingsError(
                [f"{place} holds {MAX_CASES:,} cases already"], hint="Move them elsewhere."
            )
        with suppress(FileExistsError), open_new(place / name) as out:
            out.write(body)  # what is there is the same report of the same moment
    except OSError as exc:
        raise DeliverError(
            f"{place} cannot be written: {exc.strerror}.", hint="Name another folder."
        ) from exc
    return CaseFile(path=place / name, article=article, has_page=case["page"] is not None)


def cases_folder(app: App) -> Path:
    """Where case files go: the folder of the settings, or `cases` beside the database."""
    if app.settings.store.cases:
        return Path(app.settings.store.cases)
    file = database_file(app.settings)
    if file is None:
        raise SettingsError(
            ["case files have no place: the database is no file"],
            hint="Set store.cases to a folder.",
        )
    return file.parent / FOLDER


def _case(app: App, article: Article, report: str) -> dict[str, Any]:
    explained = explain_article(app, article)
    page = app.store.raw(article.id)
    return {
        "schema": SCHEMA,
        "program": __version__,
        "reported_at": app.clock().isoformat(),
        "wrong": report,
        "article": {
            "id": article.id,
            "url": article.url,
            "publisher": article.publisher,
            "feed_url": article.feed_url,
            "title": article.title,
            "language": article.language,
            "published_at": article.published_at,
            "fetched_at": article.fetched_at,
            "version": article.version,
            "word_count": article.word_count,
            "quality": article.quality,
            "text": article.text,
        },
        "fields": [
            {
                "field": field.field,
                "value": field.value,
                "source": field.source,
                "confidence": field.confidence,
            }
            for field in explained.fields
        ],
        "quality_reasons": list(explained.quality_reasons),
        "page": None
        if page is None
        else {
            "content_type": page.content_type,
            "body_base64": b64encode(page.body).decode("ascii"),
        },
    }
