"""Pages as their servers give them, with all manners: what `wireroom fetch` does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, closing, nullcontext
from functools import partial
from hashlib import blake2b
from pathlib import Path
from re import sub
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard

from wireroom.errors import SettingsError
from wireroom.export.atomic_files import whole_file
from wireroom.model import Problem, Purpose, Request, Response
from wireroom.settings.secrets import redact

if TYPE_CHECKING:
    from wireroom.settings import Settings

FetchOutcome: TypeAlias = Response | Problem

MAX_SLUG = 60  # characters of a file name that come from the address; the hash makes it unique
SILENT = frozenset({"connect", "tls"})
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/json": ".json",
    "application/feed+json": ".json",
    "text/plain": ".txt",
}


async def fetch_pages(
    settings: Settings,
    addresses: Sequence[str],
    *,
    head: bool = False,
    purpose: Purpose = "read",
    warc: Path | None = None,
) -> AsyncGenerator[FetchOutcome, None]:
    """What comes of each address, as it is known; with `warc` everything is archived there as well.

    An address without a scheme is asked by https, and by http where https is not spoken.
    """
    from wireroom.fetch.client import Fetcher
    from wireroom.fetch.fetch_options import options_from
    from wireroom.fetch.many import fetch_all
    from wireroom.fetch.warc import Archive

    bare = {f"https://{text}": f"http://{text}" for text in addresses if "://" not in text}
    first = [text if "://" in text else f"https://{text}" for text in addresses]
    failed: dict[str, Problem] = {}
    ask = partial(_requests, head=head, purpose=purpose)
    with closing(Archive(warc)) if warc else nullcontext() as archive:
        async with Fetcher(options_from(settings), archive=archive) as fetcher:
            async with aclosing(fetch_all(ask(first), fetch=fetcher)) as outcomes:
                async for outcome in outcomes:
                    if _is_silent(outcome) and outcome.subject_url in bare:
                        failed[bare[outcome.subject_url]] = outcome
                    else:
                        yield outcome
            async with aclosing(fetch_all(ask(failed), fetch=fetcher)) as outcomes:
                async for outcome in outcomes:
                    yield failed[outcome.subject_url] if _is_silent(outcome) else outcome


def check_scheme(url: str) -> None:
    """Raises SettingsError for an address by which nothing can be fetched; one without a scheme is meant as https."""
    scheme, mark, _ = url.partition("://")
    if mark and scheme.lower() not in {"http", "https"}:
        raise SettingsError(
            [f"{redact(url)[:200]}: the scheme {scheme[:20]!r} is not supported"],
            hint="Use http or https.",
        )


def _requests(addresses: Iterable[str], *, head: bool, purpose: Purpose) -> Iterator[Request]:
    method: Literal["GET", "HEAD"] = "HEAD" if head else "GET"
    for url in addresses:
        yield Request(url=url, purpose=purpose, method=method)


def _is_silent(outcome: FetchOutcome) -> TypeGuard[Problem]:
    """Whether nobody answered by this scheme, so that the other one is worth a try."""
    return isinstance(outcome, Problem) and outcome.kind in SILENT


def media_type(response: Response) -> str:
    """What the body is by its server, without parameters: `text/html`."""
    return response.content_type.partition(";")[0].strip().lower()


def save_body(folder: Path, response: Response) -> str:
    """Writes a body under a name that is a slug with a hash, whatever the address says; the path."""
    kind = media_type(response)
    shown = redact(response.url).split("://", 1)[-1].lower()
    slug = sub(r"[^a-z0-9]+", "-", shown).strip("-")[:MAX_SLUG]
    digest = blake2b(response.url.encode("utf-8", "replace"), digest_size=5).hexdigest()
    suffix = SUFFIXES.get(kind) or (".xml" if kind.endswith("xml") else ".bin")
    path = folder / f"{slug}-{digest}{suffix}"
    with whole_file(path, sync=False) as out:
        out.write(response.body)
    return str(path)
