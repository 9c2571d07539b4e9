"""`wireroom extract`: pages, feeds and JSON to articles, on all cores, each in a worker that can be killed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wireroom.cli.session import Json, Session
from wireroom.errors import SettingsError
from wireroom.ports import Command

if TYPE_CHECKING:
    from wireroom.app.extract import Mode

DEFAULT = "default"  # without --format

Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE|URL|-...", help="Files, folders, patterns, addresses; - is stdin."
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help="{extract_forms}; default: the text of one article, a line for each of many.",
    ),
]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="One JSON object a line, as they are ready.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Say where each field came from, and why blocks went.")
]
Recall = Annotated[bool, typer.Option("--recall", help="When in doubt, keep a block.")]
Precision = Annotated[bool, typer.Option("--precision", help="When in doubt, leave it out.")]
AnyPage = Annotated[bool, typer.Option("--any", help="Read pages that look like no article, too.")]
Captions = Annotated[bool, typer.Option("--captions", help="Keep captions in the text.")]
Images = Annotated[
    bool, typer.Option("--images", help="Show images in Markdown and HTML; none is fetched.")
]
Url = Annotated[str, typer.Option("--url", metavar="URL", help="The address of the one document.")]
ContentType = Annotated[
    str, typer.Option("--content-type", metavar="TYPE", help="What a server would have said it is.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="A file per article there.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=0,
        max=1024,
        help="Processes at work; 0 is one for each core; else as run.workers says.",
    ),
]


def extract(
    session: Session,
    inputs: Inputs = None,
    form: FormatOption = "",
    json: Json = False,
    jsonl: Jsonl = False,
    explain: Explain = False,
    recall: Recall = False,
    precision: Precision = False,
    any_page: AnyPage = False,
    captions: Captions = False,
    images: Images = False,
    url: Url = "",
    content_type: ContentType = "",
    output: Output = None,
    workers: Workers = None,
) -> int:
    """Extract articles from pages, feeds and JSON.

    A document that gives no article is named on stderr and does not stop the rest. Exit code 1: some
    gave none; 3: none did.
    """
    from wireroom.app.extract import Extraction, extract_documents, make_folder
    from wireroom.cli.batch import show_results
    from wireroom.cli.extract.extract_view import ExtractView, ExtractViewOptions, plug_of
    from wireroom.cli.extract.inputs import gather

    chosen = _form(form, json=json, jsonl=jsonl)
    mode = _mode(recall=recall, precision=precision)
    gathered = gather(inputs or [], url=url, content_type=content_type)
    view = ExtractViewOptions(chosen, explain, output, len(gathered), plug_of(chosen))
    view.check(is_terminal=session.streams.is_terminal)
    if output is not None:
        make_folder(output)
    what = Extraction(
        mode=mode,
        any_page=any_page,
        form=view.rendered,
        explain=explain,
        captions=captions,
        images=images,
    )
    settings = session.load().settings
    shown = ExtractView(session, view)
    results = extract_documents(gathered, what, settings, workers=workers)
    try:
        show_results(session.streams, "Extracting", results, shown.add, total=len(gathered))
    finally:
        shown.end()
    return shown.code


def _form(form: str, *, json: bool, jsonl: bool) -> str:
    asked = [each for each in (form, json and "json", jsonl and "jsonl") if each]
    if len(set(asked)) > 1:
        raise SettingsError(
            [f"{' and '.join(asked)}: only one form at a time"], hint="Leave the others out."
        )
    return asked[0] if asked else DEFAULT


def _mode(*, recall: bool, precision: bool) -> Mode:
    if recall and precision:
        raise SettingsError(
            ["--recall and --precision: only one of them"],
            hint="Leave one out; without either both are weighed.",
        )
    return "recall" if recall else "precision" if precision else "balanced"


PLUG = Command("extract", extract, order=51)
