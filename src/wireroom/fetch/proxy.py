"""Fetch through an upstream proxy (HTTP or SOCKS), where the operator has set one for a feed.

The proxy is asked for a tunnel to the checked address, never for a name: it cannot be talked into
resolving one for us. Needs the `socks` extra.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp

from wireroom.errors import FetchError, UnreachableError
from wireroom.fetch.plain import KEEP_ALIVE, Pins, Plain
from wireroom.model import Response
from wireroom.ports import Hop, StrategyPlug

__all__ = ["PLUG", "Proxy"]

CONNECT_WAIT = 15.0  # seconds for the proxy to open its tunnel


class Proxy:
    """One pool of connections per proxy."""

    name = "proxy"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        import python_socks  # noqa: F401 - missing is told now, not at the first request

        self._default = (options or {}).get("url", "")
        self._ways: dict[str, _Tunnelled] = {}

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, by way of the request's proxy or the default one."""
        upstream = hop.proxy or self._default
        if not upstream:
            raise FetchError(
                hop.url, "no proxy is set for this request", kind="connect", permanent=True
            )
        if upstream not in self._ways:
            self._ways[upstream] = _Tunnelled(upstream)
        return await self._ways[upstream].hop(hop)

    async def close(self) -> None:
        """Closes every connection."""
        for way in self._ways.values():
            await way.close()
        self._ways.clear()


class _Tunnelled(Plain):
    """Plain HTTP over tunnels of one proxy."""

    name = "proxy"

    def __init__(self, upstream: str) -> None:
        super().__init__()
        self._upstream = upstream

    def _connector(self) -> aiohttp.TCPConnector:
        return _TunnelConnector(self._upstream, self._pins)


class _TunnelConnector(aiohttp.TCPConnector):
    """Gets its sockets from a proxy instead of connecting by itself."""

    def __init__(self, upstream: str, pins: Pins) -> None:
        super().__init__(resolver=pins, use_dns_cache=False, limit=0, keepalive_timeout=KEEP_ALIVE)
        self._upstream = upstream

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: Any, req: Any, **kwargs: Any
    ) -> Any:
        from python_socks import ProxyError, ProxyTimeoutError
        from python_socks.async_.asyncio import Proxy as Upstream

        address, port = addr_infos[0][4][:2]
        url = str(req.url)
        try:
            tunnel = Upstream.from_url(self._upstream, rdns=False)
            sock = await tunnel.connect(dest_host=address, dest_port=port, timeout=CONNECT_WAIT)
        except (ProxyError, ProxyTimeoutError, OSError, asyncio.IncompleteReadError) as exc:
            told = " ".join(str(exc).split())[
                :100
            ]  # never the proxy's address: it may hold a password
            raise UnreachableError(
                url, f"the proxy opened no tunnel: {told}", kind="connect"
            ) from exc
        try:
            wanted = {key: kwargs[key] for key in ("ssl", "server_hostname") if key in kwargs}
            return await self._loop.create_connection(*args, **wanted, sock=sock)
        except OSError as exc:
            sock.close()
            raise UnreachableError(url, "TLS through the proxy failed", kind="tls") from exc


PLUG = StrategyPlug("proxy", open=Proxy, extra="socks", proxied=True)
