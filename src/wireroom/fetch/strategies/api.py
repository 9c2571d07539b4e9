"""Fetch by a paid service that fetches for us and hands the answer back (of the Zyte kind).

The operator opts in with the options `url` (where the service is) and `api_key`, and lists every host it
may be used for in `fetch.unpinned`: the service resolves names by itself, so nothing can be pinned.
`address` (as `host:port`) reaches a service of one's own at a private place, as `hosts` does for
publishers.

The service is asked like any server: its address passes the guard, its answer the same limits.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from wireroom.errors import BlockedError, FetchError, SettingsError, TooLargeError
from wireroom.fetch.fetch_options import MAX_PAGE, clamp_retry_after
from wireroom.fetch.guard import PORTS, Checked, judge_answer, judge_form, judge_key
from wireroom.fetch.resolver import Resolver
from wireroom.fetch.response_errors import retry_after
from wireroom.fetch.strategies.plain import PlainHttp
from wireroom.model import Response
from wireroom.ports import Hop, StrategyPlug

WRAPPING = 262_144  # bytes of the service's JSON that are not the page: headers, ids, errors
MAX_MESSAGE = 200  # characters of the service's own words that an error repeats

# What concerns the page itself; who the service says it is, is its own affair.
SENT_ON = frozenset({"Accept", "If-None-Match", "If-Modified-Since"})

# How a service says that the publisher's server turned it away, as against a fault of its own.
BANNED = frozenset({520, 521})


class _Header(msgspec.Struct):
    name: str
    value: str


class _ServiceAnswer(msgspec.Struct):
    """What the service hands back; other fields are passed over."""

    status: Annotated[int, msgspec.Meta(ge=100, le=599)] = msgspec.field(name="statusCode")
    body: str = msgspec.field(name="httpResponseBody", default="")
    headers: list[_Header] = msgspec.field(name="httpResponseHeaders", default_factory=list)


class _Fault(msgspec.Struct):
    title: str = ""
    detail: str = ""


class Api:
    """Calls to one service."""

    name = "api"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        options = options or {}
        missing = [name for name in ("url", "api_key") if not options.get(name)]
        if missing:
            raise SettingsError(
                [f"fetch.strategy_options.api.{name} is not set." for name in missing],
                hint="The strategy 'api' needs the service's address and your key.",
            )
        self._url, self._address = options["url"], options.get("address", "")
        user = base64.b64encode(f"{options['api_key']}:".encode()).decode()
        self._headers = (
            ("Authorization", f"Basic {user}"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip"),
        )
        self._resolver = Resolver()
        self._plain = PlainHttp()

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, as the service reports it: its status, its headers, its bytes."""
        try:
            checked = await self._check(hop)
            called = await self._plain.hop(self._call(hop, checked))
        except TooLargeError as error:
            raise TooLargeError(hop.url, "max_bytes", hop.max_bytes) from error
        except FetchError as error:
            message = f"the fetch service: {error.reason}"
            raise FetchError(hop.url, message, kind="connect", permanent=error.permanent) from error
        if called.status != 200:
            raise _fault(hop, called)
        return self._unwrapped(hop, called)

    async def close(self) -> None:
        """Closes every connection to the service."""
        await self._resolver.close()
        await self._plain.close()

    async def _check(self, hop: Hop) -> Checked:
        """Where the service is; the guard judges it like any other address."""
        parts = urlsplit(self._url)
        hosts = {parts.hostname or "": self._address} if self._address else None
        form = judge_form(self._url, hosts=hosts, ports=(*PORTS, *filter(None, [parts.port])))
        addresses = form.addresses or await self._resolver.resolve(
            form.host, url=self._url, deadline=hop.deadline.total_seconds()
        )
        return judge_key(judge_answer(form, addresses))

    def _call(self, hop: Hop, checked: Checked) -> Hop:
        wanted = {
            "url": hop.url,
            "httpRequestMethod": hop.method,
            "httpResponseBody": True,
            "httpResponseHeaders": True,
            "followRedirect": False,  # every redirect is ours to judge
            "customHttpRequestHeaders": [
                {"name": name, "value": value} for name, value in hop.headers if name in SENT_ON
            ],
        }
        # A service sends all of a page, even where its beginning would do.
        largest = max(hop.max_bytes, MAX_PAGE) if hop.take_start else hop.max_bytes
        return replace(
            hop,
            url=self._url,
            method="POST",
            headers=self._headers,
            addresses=checked.addresses,
            port=checked.port,
            max_bytes=largest * 4 // 3 + WRAPPING,  # base64 writes three bytes as four characters
            take_start=False,
            proxy="",
            content=msgspec.json.encode(wanted),
        )

    def _unwrapped(self, hop: Hop, called: Response) -> Response:
        try:
            answer = msgspec.json.decode(called.body, type=_ServiceAnswer)
            body = base64.b64decode(answer.body, validate=True)
        except (msgspec.DecodeError, binascii.Error, ValueError, RecursionError) as exc:
            message = "the fetch service answered something else than a page"
            raise FetchError(hop.url, message, kind="bad_response") from exc
        if len(body) > hop.max_bytes and not hop.take_start:
            raise TooLargeError(hop.url, "max_bytes (decoded)", hop.max_bytes)
        return Response(
            url=hop.url,
            final_url=hop.url,
            status=answer.status,
            headers=tuple((each.name.lower(), each.value) for each in answer.headers),
            body=b"" if hop.method == "HEAD" else body[: hop.max_bytes],
            truncated=len(body) > hop.max_bytes,
            fetched_at=datetime.now(UTC),
            elapsed=called.elapsed,
            strategy=self.name,
        )


def _fault(hop: Hop, called: Response) -> FetchError:
    """Why the service brought nothing; its own faults are not held against the publisher."""
    message = f"the fetch service answers {called.status}{_describe(called.body)}"
    if called.status in BANNED:
        return BlockedError(hop.url, called.status, message, kind="blocked_waf")
    if called.status in {429, 503}:
        asked = retry_after(called.headers, now=datetime.now(UTC))
        wait = None if asked is None else clamp_retry_after(asked)
        return FetchError(hop.url, message, kind="throttled", retry_after=wait)
    return FetchError(hop.url, message, kind="connect", permanent=called.status in {400, 401, 403})


def _describe(body: bytes) -> str:
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except (msgspec.DecodeError, RecursionError):
        return ""
    message = " ".join(f"{fault.title} {fault.detail}".split())[:MAX_MESSAGE]
    return f": {message}" if message else ""


PLUG = StrategyPlug("api", open=Api, pins=False)
