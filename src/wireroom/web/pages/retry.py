"""`/api/v1/retry`: pages that were given up, opened again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from wireroom.app.explain import page_address
from wireroom.ports import WebPage
from wireroom.web.api_requests import LONGEST_URL
from wireroom.web.web_context import Web
from wireroom.web.web_lists import api_router

router = APIRouter()
api = api_router("run")


class RetryRequest(BaseModel):
    """Which pages are meant; nothing at all: every one that failed."""

    model_config = ConfigDict(extra="forbid")

    page: str = Field(
        default="",
        max_length=LONGEST_URL,
        description="One page by its address, or that of an article by its id, whatever came of it.",
    )
    feed: str = Field(
        default="", max_length=LONGEST_URL, description="Pages that this feed led to."
    )
    publisher: str = Field(default="", max_length=253, description="Pages of this publisher.")
    refused: bool = Field(
        default=False,
        description="Pages that robots.txt or rights forbade, instead of failed ones.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryResult:
    """What was opened."""

    opened: int = 0
    waits_for: Mapping[str, int] = field(default_factory=dict)
    """How many of them wait for what; of the first thousands."""


@api.post("/retry", operation_id="retry_pages", summary="Try pages again that were given up")
def retry(web: Web, wanted: RetryRequest) -> RetryResult:
    """The next run reads them, with three attempts as if they were new; what is still forbidden is refused again. Sent twice it opens nothing more."""
    page = page_address(web.app, wanted.page.strip()) if wanted.page.strip() else ""
    done = web.app.retry(
        page,
        feed=wanted.feed.strip(),
        publisher=wanted.publisher.strip(),
        refused=wanted.refused,
    )
    counts = Counter(wait.on.value for wait in done.waits)
    return RetryResult(opened=done.opened, waits_for=counts)


PLUG = WebPage(name="retry", router=router, api=api)
