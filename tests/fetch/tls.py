"""Web servers with real certificates on loopback: good, self-signed, expired, of another name."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme
from aiohttp import web

NAME = "secure.test"
EXPIRED = datetime.now(UTC) - timedelta(days=2)


class Authority:
    """A certificate authority of our own, and what it has signed."""

    def __init__(self, folder: Path) -> None:
        self._ca = trustme.CA()
        self.file = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(str(self.file))

    def good(self) -> ssl.SSLContext:
        return _serving(self._ca.issue_cert(NAME))

    def expired(self) -> ssl.SSLContext:
        return _serving(self._ca.issue_cert(NAME, not_after=EXPIRED))

    def of_another_name(self) -> ssl.SSLContext:
        return _serving(self._ca.issue_cert("other.test"))

    def unknown(self) -> ssl.SSLContext:
        """Signed by an authority nobody trusts."""
        return _serving(trustme.CA().issue_cert(NAME))


def _serving(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@asynccontextmanager
async def secure_server(
    context: ssl.SSLContext, redirects: Mapping[str, str] | None = None
) -> AsyncIterator[str]:
    """Serves a page, and redirects by path; gives `address:port`."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        target = (redirects or {}).get(request.path)
        if target is not None:
            return web.Response(status=302, headers={"Location": target})
        sent = "; ".join(f"{name}: {value}" for name, value in request.headers.items())
        return web.Response(text=f"<p>Behind TLS.</p><!-- {sent} -->", content_type="text/html")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await site.start()
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
