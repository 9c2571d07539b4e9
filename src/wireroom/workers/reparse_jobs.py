"""What workers do for `reparse`: a page that was kept is read anew, by today's extractor.

Wires the pure rooms together, in a process of its own. Nothing is fetched: headers are not kept with a page, so
the rights of an article stay those of its receipt.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wireroom.errors import ParseError
from wireroom.model import Article, Hints, Item, RawPage, Signature
from wireroom.rights.policy import Policy
from wireroom.workers.document_jobs import Unread, kind_of_error

if TYPE_CHECKING:
    from wireroom.duplicates import GroupOptions

_OF_THE_FEED = {
    "title": ("title",),
    "text": ("text", "layout", "text_hash", "word_count"),
    "authors": ("authors",),
    "tags": ("tags",),
    "description": ("description",),
    "published_at": ("published_at", "published_source"),
    "modified_at": ("modified_at",),
}
"""Field by its name in `sources` to what is held of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPage:
    """An article, the page it was read from, and what helped to read it."""

    held: Article
    page: RawPage
    item: Item | None = None
    """What the feed said of it, where that is still known."""
    hints: Hints = field(default_factory=Hints)
    boilerplate: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsed:
    """The article as it reads now, and the signature of its text."""

    article: Article
    signature: Signature | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reparsing:
    """The work itself; called in a worker with one page after another."""

    policy: Policy = field(default_factory=Policy)
    group: GroupOptions | None = None
    """How texts are signed; none leaves duplicates alone."""

    def prepare(self) -> None:
        """Loads what every page needs, so that the first one does not pay for it."""
        from wireroom.workers.document_jobs import Extraction

        Extraction().prepare()

    def outcomes(self) -> tuple[type[Reparsed], type[Unread]]:
        """The types of what comes back."""
        return Reparsed, Unread

    def __call__(self, work: KeptPage) -> Reparsed | Unread:
        """The article as it reads now, or why there is none."""
        from wireroom.rights import decide_storage
        from wireroom.rights.reducing import reduce_article

        try:
            read = _read(work)
        except ParseError as exc:
            return Unread(kind=kind_of_error(exc), message=exc.message)
        receipt = work.held.receipt
        answer = decide_storage(self.policy, receipt.verdicts if receipt is not None else ())
        kept = reduce_article(read, answer, self.policy)
        if kept is None:
            return Unread(kind="rights", message=answer.reason)
        return Reparsed(article=kept, signature=self._sign(read, work.hints))

    def _sign(self, article: Article, hints: Hints) -> Signature | None:
        if self.group is None:
            return None
        from wireroom.duplicates import sign

        return sign(
            article.id, article.text, article.language, article.fetched_at, self.group, hints=hints
        )


def _read(work: KeptPage) -> Article:
    from wireroom.parse.article import ExtractConfig, read_article

    held = work.held
    reading = read_article(
        work.page.body,
        url=held.url,
        content_type=work.page.content_type,
        fetched_at=held.fetched_at,
        config=ExtractConfig(hints=work.hints, item=work.item, boilerplate=work.boilerplate),
    )
    article = replace(
        reading.article,
        id=held.id,
        publisher=held.publisher,
        url=held.url,
        feed_url=held.feed_url,
        receipt=held.receipt,
        state=held.state,
        version=held.version,
    )
    return article if work.item is not None else _with_feed_fields(article, held)


def _with_feed_fields(article: Article, held: Article) -> Article:
    """The article with what only its feed had said, where the item is not known any more."""
    names = [name for name in _OF_THE_FEED if held.sources.get(name, "").startswith("feed")]
    if not names and "feed" not in held.extra:
        return article
    values: dict[str, Any] = {
        field: getattr(held, field) for name in names for field in _OF_THE_FEED[name]
    }
    sources = {**article.sources, **{name: held.sources[name] for name in names}}
    extra = {
        **article.extra,
        **{name: held.extra[name] for name in ("feed",) if name in held.extra},
    }
    return replace(article, sources=sources, extra=extra, **values)
