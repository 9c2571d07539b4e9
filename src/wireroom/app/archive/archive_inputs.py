"""Which inputs are meant: files, folders, patterns, lists of paths and addresses, each once and in order.

Looks at names, sizes and dates alone; nothing is opened here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, TypeAlias

from wireroom.errors import DeliverError, MissingExtraError, MissingFileError
from wireroom.export.article_text import slug
from wireroom.settings.secrets import redact

InputKind: TypeAlias = Literal["warc", "wacz", "pages"]

STDIN = "-"
ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".warc.zstd")
PAGES = (".html", ".htm", ".xhtml", ".html.gz")
_SUFFIXES = (*ARCHIVES, ".wacz", ".gz", ".zst")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveInput:
    """One input: what becomes one output file."""

    location: str
    """A path, an address, or `-`."""
    kind: InputKind
    name: str
    """What it is called in tables and messages."""
    size: int = 0
    """Bytes, as far as that is known; of a folder those of its pages."""
    stamp: str = ""
    """What changes when the input does: its size and date."""
    pages: tuple[str, ...] = ()
    """Of a folder: the saved pages in it, as paths from there."""

    @property
    def is_local(self) -> bool:
        """Whether it lies in a file or folder of this machine."""
        return "://" not in self.location and self.location != STDIN

    @property
    def is_remote(self) -> bool:
        """Whether it has to be fetched from a web server."""
        return self.location.startswith(("http://", "https://"))

    @property
    def key(self) -> str:
        """By what the manifest knows it: its place, or what came on stdin, which is another thing each time."""
        place = os.path.abspath(self.location) if self.is_local else self.location  # noqa: PTH100 - a link stays one
        name = f"{place}\n{self.kind}\n{self.stamp if place == STDIN else ''}".rstrip("\n")
        return blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()

    def file_name(self, suffix: str) -> str:
        """The name of its output: a slug with a hash, never a path."""
        stem = self.name.rstrip("/").rpartition("/")[2]
        for known in sorted(_SUFFIXES, key=len, reverse=True):
            stem = stem.removesuffix(known)
        return f"{slug(stem)}-{self.key}{suffix}"


def is_archive_name(name: str) -> bool:
    """Whether a file is called like a WARC."""
    return name.lower().endswith(ARCHIVES)


def find_inputs(places: Iterable[str], *, base: str = "") -> list[ArchiveInput]:
    """The inputs at these places, each once, in order; DeliverError names what is not there."""
    found: dict[str, ArchiveInput] = {}
    for place in places:
        for each in _inputs_at(_based(place, base)):
            found.setdefault(each.key, each)
    return list(found.values())


def _based(place: str, base: str) -> str:
    """A line of a list as an address, where the list was made for a server or a bucket."""
    if not base or place == STDIN or "://" in place:
        return place
    front, sign, options = base.partition("?")
    return f"{front.rstrip('/')}/{place.lstrip('/')}{sign}{options}"


def _inputs_at(place: str) -> Iterator[ArchiveInput]:
    if place == STDIN:
        yield ArchiveInput(location=STDIN, kind="warc", name="stdin")
    elif place.startswith("s3://"):
        yield from _in_bucket(place)
    elif place.startswith(("http://", "https://")):
        kind: InputKind = "wacz" if _path_of(place).endswith(".wacz") else "warc"
        yield ArchiveInput(location=place, kind=kind, name=redact(place))
    elif "://" in place:
        raise DeliverError(
            f"{redact(place)}: nothing is read from there.",
            hint="Name a file, a folder, or an address that begins with https:// or s3://.",
        )
    elif has_magic(place) and not os.path.lexists(place):
        yield from _matching(place)
    else:
        yield from _at_path(Path(place))


def _path_of(address: str) -> str:
    return address.partition("?")[0].partition("#")[0].lower()


def _matching(pattern: str) -> Iterator[ArchiveInput]:
    names = sorted(glob(pattern, recursive=True))  # noqa: PTH207 - a pattern may be absolute
    if not names:
        raise DeliverError(
            f"Nothing matches {pattern}.", hint="Check the pattern, and quote it for the shell."
        )
    for name in names:
        yield from _at_path(Path(name))


def _at_path(path: Path) -> Iterator[ArchiveInput]:
    try:
        if path.is_dir():
            yield from _in_folder(path)
        else:
            yield _file(path)
    except FileNotFoundError as exc:
        raise MissingFileError(str(path)) from exc
    except OSError as exc:
        raise DeliverError(
            f"{path} cannot be read: {exc.strerror}.", hint="Check its name."
        ) from exc


def _file(path: Path) -> ArchiveInput:
    """A file of any name is a WARC, unless it is called a WACZ or a page."""
    state = path.stat()
    stamp = f"{state.st_size} {state.st_mtime_ns}"
    lower = path.name.lower()
    if lower.endswith(PAGES):
        return ArchiveInput(
            location=str(path.parent),
            kind="pages",
            name=path.name,
            size=state.st_size,
            stamp=stamp,
            pages=(path.name,),
        )
    kind: InputKind = "wacz" if lower.endswith(".wacz") else "warc"
    return ArchiveInput(
        location=str(path), kind=kind, name=path.name, size=state.st_size, stamp=stamp
    )


def _in_folder(folder: Path) -> Iterator[ArchiveInput]:
    """The archives below a folder, each an input, and all its saved pages together as one. Links are not followed."""
    pages: list[str] = []
    size, newest = 0, 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            lower = name.lower()
            if path.is_symlink() or name.startswith("."):
                continue
            if is_archive_name(lower) or lower.endswith(".wacz"):
                yield _file(path)
            elif lower.endswith(PAGES):
                state = path.stat()
                pages.append(path.relative_to(folder).as_posix())
                size += state.st_size
                newest = max(newest, state.st_mtime_ns)
    if pages:
        yield ArchiveInput(
            location=str(folder),
            kind="pages",
            name=folder.resolve().name or "pages",
            size=size,
            stamp=f"{len(pages)} {size} {newest}",
            pages=tuple(pages),
        )


# --- S3 ---------------------------------------------------------------------------------------------


def filesystem_of(address: str) -> tuple[Any, str]:
    """The file system of an `s3://` address, and the place within it."""
    try:
        from pyarrow.fs import FileSystem
    except ImportError as exc:
        raise MissingExtraError("parquet", "Reading from s3://") from exc
    try:
        filesystem, inner = FileSystem.from_uri(address)
    except (OSError, ValueError) as exc:
        raise DeliverError(
            f"{redact(address)} cannot be opened: {exc}",
            hint="Check the address and the keys for it.",
        ) from exc
    return filesystem, inner


def _in_bucket(address: str) -> Iterator[ArchiveInput]:
    """An object, or all archives below a prefix that ends with a slash."""
    from pyarrow.fs import FileSelector, FileType

    place, sign, options = address.partition("?")
    filesystem, inner = filesystem_of(address)
    try:
        is_folder = place.endswith("/")
        selected = FileSelector(inner.rstrip("/"), recursive=True) if is_folder else [inner]
        found = sorted(filesystem.get_file_info(selected), key=lambda info: info.path)
    except OSError as exc:
        raise DeliverError(
            f"{redact(address)} cannot be read: {exc}",
            hint="Check the address and the keys for it.",
        ) from exc
    for info in found:
        lower = info.path.lower()
        if is_folder and not (is_archive_name(lower) or lower.endswith(".wacz")):
            continue
        if info.type != FileType.File:
            raise DeliverError(f"{redact(place)} is not there.", hint="Check the address.")
        yield ArchiveInput(
            location=f"s3://{info.path}{sign}{options}",
            kind="wacz" if lower.endswith(".wacz") else "warc",
            name=f"s3://{info.path}",
            size=info.size,
            stamp=f"{info.size} {info.mtime_ns}",
        )
