"""A fake paid fetch service on loopback: speaks the protocol, fetches from the town."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web


@dataclass
class Service:
    """The service as its operator sees it; `answer` replaces the next answers."""

    hosts: dict[str, str]
    key: str
    place: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    answer: web.Response | None = None

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        wanted = json.loads(await request.read())
        self.calls.append(wanted)
        login = base64.b64encode(f"{self.key}:".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {login}":
            fault = {"title": "Authentication Key Not Found", "detail": "Who are you?"}
            return web.json_response(fault, status=401)
        if self.answer is not None:
            return web.Response(
                status=self.answer.status, body=self.answer.body, headers=self.answer.headers
            )
        return web.json_response(await self._fetched(wanted))

    async def _fetched(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Resolves the name by itself, as such services do."""
        parts = urlsplit(wanted["url"])
        place = f"http://{self.hosts[parts.hostname or '']}{parts.path}"
        sent = {each["name"]: each["value"] for each in wanted["customHttpRequestHeaders"]}
        async with aiohttp.ClientSession() as session:
            got = await session.get(
                f"{place}?{parts.query}",
                headers={**sent, "Host": parts.netloc},
                allow_redirects=wanted["followRedirect"],
            )
            body = await got.read()
        return {
            "url": wanted["url"],
            "statusCode": got.status,
            "httpResponseBody": base64.b64encode(body).decode(),
            "httpResponseHeaders": [{"name": n, "value": v} for n, v in got.headers.items()],
        }


@asynccontextmanager
async def serving(hosts: dict[str, str], key: str) -> AsyncIterator[Service]:
    """The service, at `service.place` (address:port)."""
    service = Service(hosts, key)
    runner = web.ServerRunner(web.Server(service.serve))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    service.place = f"127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield service
    finally:
        await runner.cleanup()
