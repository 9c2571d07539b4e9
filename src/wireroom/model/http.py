"""One request and one answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from wireroom.model.feed import ServerHints, Validators
from wireroom.model.literals import Priority, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One address to be asked for, why, and how much of it at most."""

    url: str
    purpose: Purpose
    method: Literal["GET", "HEAD"] = "GET"
    validators: Validators = field(default_factory=Validators)
    accept: str = ""
    max_bytes: int | None = None
    """Of the decoded body; None takes the limit for pages."""
    take_start: bool = False
    """Whether the beginning of a larger body will do; otherwise it is an error."""
    part: tuple[int, int] | None = None
    """The bytes of a large file that are wanted: from the first, up to and without the second."""
    partial: bool = False
    """Whether what came before the deadline will do; otherwise a late answer is an error."""
    deadline: timedelta | None = None
    """For the whole exchange, redirects included, waiting for a permit excluded; never more than the fetcher's own."""
    follow: bool = True
    """Whether redirects are followed; otherwise the answer says where it leads (`Response.redirect_url`)."""
    priority: Priority = Priority.MORE
    strategies: tuple[str, ...] = ()
    """Strategies to fetch it by, tried in this order; empty for the default."""
    proxy: str = ""
    scout_id: int = 0
    """The scout it belongs to, if that reads robots.txt anew: within it no older one is obeyed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server answered, bytes untouched; header names are lower case, repeats kept."""

    url: str
    final_url: str
    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    fetched_at: datetime
    elapsed: timedelta = timedelta()
    strategy: str = ""
    hops: tuple[str, ...] = ()
    """Every address asked on the way, the first included."""
    moved: bool = False
    """Whether the page has moved for good: there were redirects, and all were permanent."""
    redirect_url: str = ""
    """Where it leads, if it is a redirect that was not to be followed."""
    truncated: bool = False
    """Whether `body` is only the beginning, as `Request.take_start` or `Request.partial` allowed."""
    validators: Validators = field(default_factory=Validators)
    """To be sent back with the next request for the same address."""
    server_hints: ServerHints = field(default_factory=ServerHints)
    """When the server says it is worth asking again."""

    @property
    def content_type(self) -> str:
        """What the server calls the body, parameters included; empty when it does not say."""
        return next((value for name, value in self.headers if name == "content-type"), "")
