"""What `extract` was given: files, folders, patterns, addresses and stdin, each told apart.

Opens nothing but stdin; whether a file can be read is found out by the worker that reads it.
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wireroom.app.extract import MAX_BYTES, Document, ExtractInputs
from wireroom.app.fetch import check_scheme
from wireroom.errors import SettingsError

SUFFIXES = (".html", ".htm", ".xhtml", ".xml", ".rss", ".atom", ".rdf", ".json")
"""Of files that are taken from a folder, `.gz` behind them or not; a file that is named is taken anyway."""


def gather(inputs: list[str], *, url: str, content_type: str) -> ExtractInputs:
    """Tells the inputs apart; raises SettingsError for those that make no sense together."""
    if not inputs:
        raise SettingsError(
            ["There is nothing to extract from."], hint="Try: wireroom extract FILE"
        )
    if inputs.count("-") > 1:
        raise SettingsError(["-: stdin can be read once"], hint="Name it once.")
    documents, addresses, missing = [], [], []
    for place, (name, path) in enumerate(_named(inputs)):
        document = Document(name=name, place=place, path=path, url=url, content_type=content_type)
        if "://" in name:
            check_scheme(name)
            addresses.append(replace(document, url=name, path=""))
        elif name == "-":
            documents.append(replace(document, path="", body=_stdin()))
        elif path:
            documents.append(document)
        else:
            missing.append((document, _why_missing(name)))
    gathered = ExtractInputs(
        documents=tuple(documents), addresses=tuple(addresses), missing=tuple(missing)
    )
    if url and (len(gathered) > 1 or addresses):
        raise SettingsError(
            ["--url: one file has one address, but more than one file was given"],
            hint="Give the files one after the other.",
        )
    return gathered


def _named(inputs: list[str]) -> Iterator[tuple[str, str]]:
    """Each name with the file it stands for, if it does."""
    for each in inputs:
        if each == "-" or "://" in each:
            yield each, ""
            continue
        files = list(_files(each))
        yield from ((file, file) for file in files)
        if not files:
            yield each, ""


def _files(name: str) -> Iterator[str]:
    """The files that a name stands for: itself, those in the folder, those that fit the pattern."""
    path = Path(name)
    if path.is_dir():
        yield from _inside(path)
    elif path.exists():
        yield name
    elif glob.has_magic(name):
        for each in sorted(glob.iglob(name, recursive=True)):  # noqa: PTH207 - a Path takes no absolute pattern
            yield from _files(each) if Path(each).exists() else ()


def _inside(folder: Path) -> Iterator[str]:
    """Files that may be documents, by their names; links to folders are not followed."""
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().removesuffix(".gz").endswith(SUFFIXES):
                yield str(Path(at) / name)


def _why_missing(name: str) -> str:
    if Path(name).is_dir():
        return f"the folder holds no {', '.join(SUFFIXES)}"
    if glob.has_magic(name):
        return "no file fits the pattern"
    if "." in name.partition("/")[0] and not Path(name).suffix.lower().endswith(SUFFIXES):
        return f"no such file; an address is written https://{name}"
    return "no such file"


def _stdin() -> bytes:
    """One document; a byte more than may be read tells that there is more."""
    return sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin is not None else b""
