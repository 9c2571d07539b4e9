"""Lists: one function gives the rows; page, JSON, CSV and API are renderers of it.

`rows_of` of a list is an ordinary route function: its parameters are those of the address, and it gives `Rows`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import datetime
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response

from wireroom.export.csv_table import safe_cell
from wireroom.web.etag_route import EtagRoute

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")

PAGE_SIZE = 50
LARGEST_PAGE = 500  # rows; who wants all of it follows `next`
LONGEST_TEXT = 500  # characters of what a person may type to filter a list
LONGEST_CURSOR = 2_000  # characters

Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="Rows of one page.")]
Cursor = Annotated[
    str,
    Query(max_length=LONGEST_CURSOR, description="`next` of the page before; empty for the first."),
]
Typed = Annotated[str, Query(max_length=LONGEST_TEXT)]
"""Something that a person types."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(Generic[R]):
    """One page of a list."""

    rows: Sequence[R]
    next: str = ""
    """The cursor of the page behind it; empty for the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveFilter:
    """A filter of a list, and the address of the list without it."""

    words: str
    url: str


def api_router(tag: str) -> APIRouter:
    """The part of `/api/v1` that a page brings along; its answers have an ETag."""
    return APIRouter(tags=[tag], route_class=EtagRoute)


def add_data_routes(
    router: APIRouter, api: APIRouter, path: str, rows_of: Callable[..., Rows[Any]], row: type
) -> None:
    """Adds `PATH.json`, `PATH.csv` and `/api/v1/PATH`: what the page at `path` shows, as data."""
    given = Depends(rows_of)  # as a default: annotations are text here and know no local name

    def data(found: Rows[Any] = given) -> Rows[Any]:
        return found

    def table(request: Request, found: Rows[Any] = given) -> Response:
        answer = csv_response(row, found.rows, path.strip("/").replace("/", "-"))
        if found.next:
            url = request.url.include_query_params(cursor=found.next)
            answer.headers["Link"] = f'<{url.path}?{url.query}>; rel="next"'
        return answer

    name = path.strip("/").replace("/", "_")
    router.get(f"{path}.json", response_model=Rows[row], include_in_schema=False)(data)  # type: ignore[valid-type]
    router.get(f"{path}.csv", include_in_schema=False)(table)
    api.get(
        path,
        response_model=Rows[row],  # type: ignore[valid-type]
        name=name,
        operation_id=f"list_{name}",
        summary=(rows_of.__doc__ or "").partition("\n")[0].rstrip("."),
        description="One page of the list; hand `next` back as `cursor` for the one behind it.",
    )(data)


def csv_response(row: type[DataclassInstance], rows: Sequence[Any], name: str) -> Response:
    """Rows as a table for spreadsheets; a cell that would start a formula does not."""
    out = StringIO(newline="")
    writer = csv.writer(out)
    columns = [column.name for column in fields(row)]
    writer.writerow(columns)
    writer.writerows([cell_text(getattr(each, column)) for column in columns] for each in rows)
    return Response(
        out.getvalue().encode("utf-8"),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


def cell_text(value: object) -> str:
    """A value as one cell."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return safe_cell("; ".join(f"{key}={cell_text(part)}" for key, part in value.items()))
    if isinstance(value, tuple | list):
        return safe_cell("; ".join(map(cell_text, value)))
    if is_dataclass(value) and not isinstance(value, type):
        return cell_text(asdict(value))
    return safe_cell(str(value))
