"""Fetch through an upstream proxy (HTTP or SOCKS), where the operator has set one for a feed.

The proxy is asked for a tunnel to the checked address, never for a name: it cannot be talked into
resolving one for us. Needs the `socks` extra; options are `url` (the proxy for requests that name
none) and `ca_file`. A proxy's address may hold a password, so it is in no message and no log.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

import aiohttp

from wireroom.errors import FetchError, UnreachableError
from wireroom.fetch.resolver import Resolver
from wireroom.fetch.strategies.plain import KEEP_ALIVE, PlainHttp
from wireroom.model import Response
from wireroom.ports import Hop, StrategyPlug

TUNNEL_WAIT = 15.0  # seconds for the proxy to open its tunnel


class Proxy:
    """One pool of connections per proxy."""

    name = "proxy"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        import python_socks  # noqa: F401 - missing is told now, not at the first request

        self._options = options or {}
        self._resolver = Resolver()
        self._tunnels: dict[str, _Tunnelled] = {}

    async def hop(self, hop: Hop) -> Response:
        """The server's answer, by way of the request's proxy or the default one."""
        upstream = hop.proxy or self._options.get("url", "")
        if not upstream:
            message = "no proxy is set for this request"
            raise FetchError(hop.url, message, kind="connect", permanent=True)
        if upstream not in self._tunnels:
            self._tunnels[upstream] = _Tunnelled(
                _Upstream(hop.url, upstream, self._resolver), self._options
            )
        return await self._tunnels[upstream].hop(hop)

    async def close(self) -> None:
        """Closes every connection."""
        await self._resolver.close()
        for tunnelled in self._tunnels.values():
            await tunnelled.close()
        self._tunnels.clear()


class _Upstream:
    """A proxy that opens tunnels."""

    def __init__(self, url: str, upstream: str, resolver: Resolver) -> None:
        self._resolver = resolver
        parsed = _parsed(upstream)
        if parsed is None:
            message = "the address of its proxy is not socks5://, socks4:// or http://host:port"
            raise FetchError(url, message, kind="connect", permanent=True)
        self._kind, self._host, self._port, self._user, self._password = parsed

    async def tunnel(self, url: str, address: str, port: int) -> socket.socket:
        """A socket that leads to the address by way of the proxy; raises UnreachableError."""
        from python_socks import ProxyError
        from python_socks.async_.asyncio import Proxy as Dialler

        where = await self._where(url)
        dialler = Dialler(self._kind, where, self._port, self._user, self._password, rdns=False)
        try:
            return await dialler.connect(address, port, timeout=TUNNEL_WAIT)
        except ProxyError as exc:
            message = f"the proxy opened no tunnel: {_describe(exc)}"
            raise UnreachableError(url, message, kind="connect") from exc
        except OSError as exc:  # the proxy's own fault, which is not held against the host
            message = f"no connection to its proxy: {_describe(exc)}"
            raise FetchError(url, message, kind="connect") from exc

    async def _where(self, url: str) -> str:
        """The proxy's own address; it is the operator's choice, so the guard has no say in it."""
        try:
            return str(ip_address(self._host))
        except ValueError:
            found = await self._resolver.resolve(self._host, url=url, deadline=TUNNEL_WAIT)
            return found[0]


class _Tunnelled(PlainHttp):
    """Plain HTTP over tunnels of one proxy."""

    name = "proxy"

    def __init__(self, upstream: _Upstream, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._upstream = upstream

    def _connector(self) -> aiohttp.TCPConnector:
        return _TunnelConnector(
            self._upstream,
            resolver=self._pins,
            use_dns_cache=False,
            limit=0,
            keepalive_timeout=KEEP_ALIVE,
            ssl=self._trust,
        )


class _TunnelConnector(aiohttp.TCPConnector):
    """Gets its sockets from a proxy instead of connecting by itself."""

    def __init__(self, upstream: _Upstream, **options: Any) -> None:
        super().__init__(**options)
        self._upstream = upstream

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: Any, req: Any, **kwargs: Any
    ) -> Any:
        url = str(req.url)
        address, port = addr_infos[0][4][:2]
        sock = await self._upstream.tunnel(url, address, port)
        wanted = {key: kwargs[key] for key in ("ssl", "server_hostname") if key in kwargs}
        try:
            return await self._loop.create_connection(*args, **wanted, sock=sock)
        except ssl.SSLError as exc:
            sock.close()
            raise UnreachableError(url, f"TLS: {_describe(exc)}", kind="tls") from exc
        except OSError as exc:
            sock.close()
            raise UnreachableError(
                url, f"the tunnel broke: {_describe(exc)}", kind="connect"
            ) from exc


def _parsed(upstream: str) -> tuple[Any, str, int, str | None, str | None] | None:
    """Kind, host, port, user and password; None, and no foreign message that repeats them."""
    from python_socks import parse_proxy_url

    try:
        return parse_proxy_url(upstream.replace("socks5h://", "socks5://", 1))
    except ValueError:
        return None


def _describe(exc: Exception) -> str:
    return " ".join(str(exc).split())[:100] or type(exc).__name__


PLUG = StrategyPlug("proxy", open=Proxy, extra="socks", proxied=True)
