"""Where an export goes: its format, whether the output may be written, and writing it.

The output is there whole or not at all. Knows neither the store nor who permits what: it is given articles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from wireroom.errors import DeliverError, MissingExtraError, SettingsError, Wording
from wireroom.export.atomic_files import whole_file, whole_folder, write_errors
from wireroom.model import Article, Removal
from wireroom.ports import FileMetadata, Format, TableOptions
from wireroom.registry import plugs, why_missing

REPLACE = Wording("Replace it with: replace=True", terminal="Replace it with: --force")


def find_format(name: str, output: Path | BinaryIO) -> Format:
    """The format of this name, or the one that the name of the file speaks of."""
    known = plugs("export", Format)
    if name in known:
        return known[name]
    suffix = output.suffix.lower() if isinstance(output, Path) else ".jsonl"
    by_suffix = {plug.suffix: plug for plug in reversed(known.values()) if not plug.is_folder}
    if not name and suffix in by_suffix:
        return by_suffix[suffix]
    folders = [plug.name for plug in known.values() if plug.is_folder and plug.suffix == suffix]
    if not name and folders:
        raise SettingsError(
            [f"{output}: {folders[0]} writes a folder with a file for each article, not one file"],
            hint=Wording(
                f"Name a folder, with form={folders[0]!r}.",
                terminal=f"Name a folder: --format {folders[0]} -o DIR",
            ),
        )
    problem = f"there is no format {name}" if name else "the name of the output tells no format"
    if why := why_missing("export", name or suffix.removeprefix("."), Format):
        problem += f"; {why}"
    names = ", ".join(sorted(known))
    hint = Wording(f"Give form, one of: {names}.", terminal=f"Give --format, one of: {names}.")
    raise SettingsError([problem], hint=hint)


def with_table_options(plug: Format, options: TableOptions) -> Format:
    """The format as it writes a table with these options; SettingsError where it has no columns to choose."""
    write = plug.write_table
    if write is not None:
        return replace(plug, write=lambda articles, out: write(articles, out, options))
    given = (
        (Wording("columns", terminal="--columns"), options.columns),
        (Wording("byte_order_mark", terminal="--bom"), options.byte_order_mark),
    )
    for name, is_given in given:
        if is_given:
            why = f"{plug.name} is not a table to which this applies"
            problem = Wording(f"{name}: {why}", terminal=f"{name.terminal}: {why}")
            hint = Wording(
                "Leave it out, or take: form='csv'", terminal="Leave it out, or take: --format csv"
            )
            raise SettingsError([problem], hint=hint)
    return plug


def stream_formats() -> dict[str, Format]:
    """The formats that write into a stream, by name."""
    return {name: plug for name, plug in plugs("export", Format).items() if not plug.is_folder}


def write_articles(plug: Format, articles: Iterable[Article], output: Path | BinaryIO) -> int:
    """Writes articles that need not be held, such as those that were just extracted; how many."""
    return _write(plug, articles, output)


def check_places(
    plug: Format,
    output: Path | BinaryIO,
    report: Path | None,
    *,
    may_replace: bool,
    may_grow: bool,
) -> None:
    """Refuses what would destroy something, and what makes no sense; a folder that may grow need not be empty."""
    if isinstance(output, Path):
        with write_errors(output):
            _check_output(plug, output, may_replace=may_replace, may_grow=may_grow)
    elif plug.is_folder:
        raise SettingsError(
            [f"{plug.name} is a folder of files and no stream"], hint="Name a folder."
        )
    if report is not None:
        with write_errors(report):
            _check_report(report, output, may_replace=may_replace)


def _check_output(plug: Format, output: Path, *, may_replace: bool, may_grow: bool) -> None:
    if plug.is_folder:
        if output.exists() and not output.is_dir():
            raise DeliverError(f"{output} is a file.", hint="Name a folder.")
        is_taken = output.is_dir() and any(output.iterdir()) and not may_grow
    elif output.is_dir():
        raise DeliverError(f"{output} is a folder.", hint="Name the file to be written.")
    else:
        is_taken = output.is_file()
    if is_taken and not may_replace:
        _refuse_to_replace(output)


def _check_report(report: Path, output: Path | BinaryIO, *, may_replace: bool) -> None:
    """One that was named is spared like the output; the one beside the output goes by its name."""
    if report == output:
        raise DeliverError(f"{report} is the output itself.", hint="Name another file.")
    if report.is_dir():
        raise DeliverError(f"{report} is a folder.", hint="Name the file to be written.")
    if report.is_file() and not may_replace:
        _refuse_to_replace(report)


def _refuse_to_replace(path: Path) -> None:
    raise DeliverError(f"{path} is there already.", hint=REPLACE)


def write_all(
    plug: Format,
    articles: Iterable[Article],
    removals: Iterable[Removal] | None,
    output: Path | BinaryIO,
    metadata: FileMetadata,
) -> int:
    """Writes what there is, removals where the format can say them; nothing when there is nothing. How many articles."""
    articles = iter(articles)
    first = next(articles, None)
    found = chain(() if first is None else (first,), articles)
    gone = iter(() if removals is None else removals)
    first_gone = next(gone, None)
    also = chain(() if first_gone is None else (first_gone,), gone)
    if plug.write_removals is not None and removals is not None:
        write = _with_removals(plug.write_removals, also)
        plug = replace(plug, write=write, write_described=None)
        is_empty = first is None and first_gone is None
    else:
        deque(also, maxlen=0)  # they are listed and counted, and go into the report
        is_empty = first is None
    return 0 if is_empty else _write(plug, found, output, metadata)


def _with_removals(
    write: Callable[[Iterable[Article], Iterable[Removal], BinaryIO], int],
    removals: Iterable[Removal],
) -> Callable[[Iterable[Article], BinaryIO], int]:
    return lambda articles, out: write(articles, removals, out)


def _write(
    plug: Format,
    articles: Iterable[Article],
    output: Path | BinaryIO,
    metadata: FileMetadata | None = None,
) -> int:
    with _extra_named(plug):
        if plug.write_folder is not None and isinstance(output, Path):
            with whole_folder(output) as folder:
                return plug.write_folder(articles, folder)
        write = _stream_writer(plug, metadata or FileMetadata())
        if write is None:
            raise DeliverError(
                f"The format {plug.name} has no way to write.",
                hint="Update the package that it comes from.",
            )
        if isinstance(output, Path):
            with whole_file(output) as out:
                return write(articles, out)
        return _write_stream(write, articles, output)


def _stream_writer(
    plug: Format, metadata: FileMetadata
) -> Callable[[Iterable[Article], BinaryIO], int] | None:
    """How the format writes into a stream; with metadata where its files have a place for it."""
    described = plug.write_described
    if described is None:
        return plug.write
    return lambda articles, out: described(articles, out, metadata)


def _write_stream(
    write: Callable[[Iterable[Article], BinaryIO], int], articles: Iterable[Article], out: BinaryIO
) -> int:
    try:
        count = write(articles, out)
        out.flush()
    except BrokenPipeError:
        raise  # the reader has gone: nothing to be told
    except OSError as exc:
        raise DeliverError(
            f"The output cannot be written: {exc.strerror}.",
            hint="Make room, or send it somewhere else.",
        ) from exc
    return count


@contextmanager
def _extra_named(plug: Format) -> Iterator[None]:
    try:
        yield
    except ImportError as exc:
        if not plug.extra:
            raise
        raise MissingExtraError(plug.extra, f"The format {plug.name}") from exc
