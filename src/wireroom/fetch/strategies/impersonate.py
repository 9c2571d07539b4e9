"""Fetch with a browser's TLS handshake (curl_cffi), where the operator has opted in for it.

Some servers turn away every client whose handshake is no browser's. Only the handshake is the
browser's: we still give our own name and obey robots.txt by it, unless the operator sets the option
`name = "browser"`. Needs the `impersonate` extra; options are `browser` (which one, "chrome"),
`name` ("own") and `ca_file`.

libcurl hands the bytes over in callbacks, where they are counted: its streaming mode would keep a
whole bomb. It is given the checked addresses, follows no redirect and knows no proxy and no cookie.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wireroom.errors import (
    FetchError,
    RefusedError,
    SettingsError,
    TooLargeError,
    UnreachableError,
)
from wireroom.fetch.decode import (
    MAX_HEADER_BYTES,
    MAX_HEADER_FIELDS,
    Intake,
    check_headers,
    spoils,
)
from wireroom.fetch.response_errors import header, name_of, value_of
from wireroom.model import ProblemKind, Response
from wireroom.ports import Hop, StrategyPlug

if TYPE_CHECKING:
    from curl_cffi import AsyncCurl, Curl

ABORT = 0xFFFFFFFF  # what a callback of libcurl returns to end the transfer
CONDITIONS = frozenset({"If-None-Match", "If-Modified-Since"})

# libcurl's error codes: https://curl.se/libcurl/c/libcurl-errors.html
TOO_LARGE = 100  # a header line longer than libcurl takes, which is more than we do
_KINDS: dict[int, ProblemKind] = {
    6: "connect",
    7: "connect",
    28: "timeout",
    35: "tls",
    51: "tls",
    52: "connect",
    53: "tls",
    54: "tls",
    55: "connect",
    56: "connect",
    58: "tls",
    59: "tls",
    60: "tls",
    77: "tls",
    83: "tls",
}
_CURL_MESSAGE = re.compile(r"curl: \(\d+\) (.*?)(?:\. See https?:|$)", re.DOTALL)


class Impersonate:
    """One libcurl for all hops; every hop has a connection of its own."""

    name = "impersonate"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        from curl_cffi import Curl
        from curl_cffi.requests.impersonate import REAL_TARGET_MAP

        options = options or {}
        wanted = options.get("browser", "chrome")
        self._browser = REAL_TARGET_MAP.get(wanted, wanted)
        self._own_name = options.get("name", "own") != "browser"
        self._ca_file = options.get("ca_file", "")
        self._multi: AsyncCurl | None = None
        trial = Curl()
        try:
            if trial.impersonate(self._browser):
                raise SettingsError(
                    [f"The strategy 'impersonate' knows no browser {wanted!r}."],
                    hint="Such as: chrome, firefox, safari.",
                )
        finally:
            trial.close()

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, decoded and within limits."""
        started = monotonic()
        catch = _Catch(hop)
        curl = self._prepare(hop, catch)
        try:
            await self._perform(curl, hop, catch)
            _refuse_elsewhere(curl, hop)
            body = catch.whole()
        finally:
            curl.close()
        return Response(
            url=hop.url,
            final_url=hop.url,
            status=catch.status,
            headers=tuple(catch.headers),
            body=body,
            truncated=catch.truncated,
            fetched_at=datetime.now(UTC),
            elapsed=timedelta(seconds=monotonic() - started),
            strategy=self.name,
        )

    async def close(self) -> None:
        """Ends every transfer."""
        if self._multi is not None:
            await self._multi.close()  # type: ignore[no-untyped-call]  # curl_cffi types all but this
            self._multi = None

    async def _perform(self, curl: Curl, hop: Hop, catch: _Catch) -> None:
        from curl_cffi import AsyncCurl, CurlError

        multi = self._multi = self._multi or AsyncCurl()
        try:
            async with asyncio.timeout(hop.deadline.total_seconds()):
                try:
                    await multi.add_handle(curl)
                except asyncio.CancelledError:
                    multi.remove_handle(curl)
                    raise
        except TimeoutError as exc:
            raise UnreachableError(hop.url, "no answer in time", kind="timeout") from exc
        except CurlError as exc:
            if catch.truncated:
                return
            catch.error = catch.error or _translated(hop.url, exc)
            if isinstance(catch.error, UnreachableError) or spoils(catch.error, catch.status):
                raise catch.error from exc

    def _prepare(self, hop: Hop, catch: _Catch) -> Curl:
        from curl_cffi import Curl, CurlOpt

        parts = urlsplit(hop.url)
        curl = Curl(cacert=self._ca_file)
        curl.impersonate(self._browser, default_headers=not self._own_name)
        curl.setopt(CurlOpt.URL, hop.url)
        curl.setopt(CurlOpt.PROTOCOLS_STR, "http,https")
        curl.setopt(CurlOpt.FOLLOWLOCATION, 0)
        curl.setopt(CurlOpt.PROXY, "")  # nor one from the environment
        curl.setopt(CurlOpt.FORBID_REUSE, 1)
        curl.setopt(CurlOpt.NOBODY, int(hop.method == "HEAD"))
        curl.setopt(CurlOpt.HTTP_CONTENT_DECODING, 0)  # our own decoders count
        curl.setopt(CurlOpt.HTTPHEADER, [*self._sent(hop), f"Host: {parts.netloc}".encode()])
        if not _is_literal(parts.hostname or ""):
            pinned = ",".join(f"[{a}]" if ":" in a else a for a in hop.addresses)
            curl.setopt(CurlOpt.RESOLVE, [f"{parts.hostname}:{hop.port}:{pinned}"])
        curl.setopt(CurlOpt.PORT, hop.port)
        curl.setopt(CurlOpt.HEADERFUNCTION, catch.on_header)
        curl.setopt(CurlOpt.WRITEFUNCTION, catch.on_body)
        return curl

    def _sent(self, hop: Hop) -> list[bytes]:
        wanted = hop.headers
        if not self._own_name:
            wanted = tuple(pair for pair in wanted if pair[0] in CONDITIONS)
        return [f"{name}: {value}".encode() for name, value in wanted]


class _Catch:
    """What one transfer brings: libcurl calls back with every header line and every piece."""

    def __init__(self, hop: Hop) -> None:
        self._hop = hop
        self._head_size = 0
        self._intake: Intake | None = None
        self.status = 0
        self.headers: list[tuple[str, str]] = []
        self.truncated = False
        self.error: FetchError | None = None
        """Why we ended the transfer."""

    def on_header(self, line: bytes) -> int:
        return self._taken(self._take_header, line)

    def on_body(self, chunk: bytes) -> int:
        return self._taken(self._take_body, chunk)

    def whole(self) -> bytes:
        """The body, or as much of it as was wanted."""
        try:
            if self.error is not None:
                raise self.error
            return self._body()
        except FetchError as error:
            if spoils(error, self.status):
                raise
            self.truncated = self._intake is not None
            return b""

    def _body(self) -> bytes:
        if self._intake is None:
            check_headers(self._hop, tuple(self.headers))
            return b""
        return self._intake.start() if self.truncated else self._intake.whole()

    def _taken(self, take: Callable[[bytes], None], data: bytes) -> int:
        """Errors cannot pass through C: they are kept, and the transfer ends."""
        try:
            take(data)
        except FetchError as error:
            self.error = error
        return ABORT if self.error or self.truncated else len(data)

    def _take_header(self, line: bytes) -> None:
        self._head_size += len(line)
        if self._head_size > MAX_HEADER_BYTES:
            raise TooLargeError(self._hop.url, "max_header_bytes", MAX_HEADER_BYTES)
        if line.startswith(b"HTTP/"):
            self.headers.clear()  # those of a "wait" before it
            number = line.split(maxsplit=2)[1:2]
            self.status = int(number[0]) if number and number[0].isdigit() else 0
            return
        name, colon, value = line.partition(b":")
        if not colon:
            return
        message = name_of(name.strip())
        self.headers.append((message, value_of(message, value.strip())))
        if len(self.headers) > MAX_HEADER_FIELDS:
            raise TooLargeError(
                self._hop.url, "max_header_fields", MAX_HEADER_FIELDS, unit="fields"
            )

    def _take_body(self, chunk: bytes) -> None:
        if self._intake is None:
            check_headers(self._hop, tuple(self.headers))
            self._intake = Intake(self._hop, header(self.headers, "content-encoding"))
        self.truncated = self._intake.take(chunk)


def _refuse_elsewhere(curl: Curl, hop: Hop) -> None:
    """The last look: an answer from anywhere but a checked address is thrown away."""
    from curl_cffi import CurlInfo

    primary_ip = curl.getinfo(CurlInfo.PRIMARY_IP)
    address = primary_ip.decode() if isinstance(primary_ip, bytes) else ""
    if address not in hop.addresses:
        raise RefusedError(hop.url, f"the answer came from {address}, which was not checked")


def _translated(url: str, error: Exception) -> FetchError:
    code = int(getattr(error, "code", 0))
    found = _CURL_MESSAGE.search(str(error))
    message = " ".join((found[1] if found else str(error)).split())[:200] or f"libcurl error {code}"
    if code == TOO_LARGE:
        return TooLargeError(url, "max_header_bytes", MAX_HEADER_BYTES)
    kind = _KINDS.get(code)
    if kind is None:
        return FetchError(url, f"not understood: {message}", kind="bad_response")
    prefix = "TLS: " if kind == "tls" else ""
    return UnreachableError(url, f"{prefix}{message}", kind=kind)


def _is_literal(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


PLUG = StrategyPlug("impersonate", open=Impersonate, extra="impersonate")
