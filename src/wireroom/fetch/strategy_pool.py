"""Which strategies there are, in which order they are tried, and which one worked last where."""

from __future__ import annotations

from wireroom.errors import MissingExtraError, SettingsError, WireroomError
from wireroom.fetch.fetch_options import FetchOptions
from wireroom.lru import LruCache
from wireroom.model import Request
from wireroom.ports import Strategy, StrategyPlug
from wireroom.registry import plugs
from wireroom.urls import publisher_domain

PROXY = "proxy"  # the strategy for requests that name a proxy and nothing else
MAX_REMEMBERED = 20_000  # publishers whose working strategy is remembered


class StrategyPool:
    """The strategies of one process, opened when they are first needed."""

    def __init__(self, options: FetchOptions) -> None:
        self._options = options
        self._plugs = plugs("fetch.strategies", StrategyPlug)
        self._open: dict[str, Strategy] = {}
        self._worked: LruCache[str, str] = LruCache(MAX_REMEMBERED)

    def order(self, request: Request) -> tuple[str, ...]:
        """The strategies to try, the one that worked for this publisher first."""
        order = self._wanted(request)
        if len(order) == 1 or not self._worked:
            return order
        worked = self._worked.get(_publisher(request.url))
        if worked is None or worked not in order:
            return order
        return (worked, *(name for name in order if name != worked))

    def remember(self, request: Request, name: str) -> None:
        """This one worked."""
        usual = name == self._wanted(request)[0]
        if usual and not self._worked:
            return
        publisher = _publisher(request.url)
        if usual:
            self._worked.pop(publisher)
            return
        self._worked[publisher] = name

    def _wanted(self, request: Request) -> tuple[str, ...]:
        order = request.strategies or self._options.strategies
        if not request.proxy:
            return order
        # Whoever sets a proxy does not want the address asked without it.
        return tuple(name for name in order if self.plug(name).proxied) or (PROXY,)

    def plug(self, name: str) -> StrategyPlug:
        """What is known of the strategy before it is opened."""
        if name not in self._plugs:
            raise self._unknown(name)
        return self._plugs[name]

    def _unknown(self, name: str) -> WireroomError:
        """Says where the strategy that does not exist was asked for, and which there are."""
        known = f"Known: {', '.join(sorted(self._plugs))}."
        if name not in self._options.strategies:
            message = f"Request.strategies asks for {name!r}, which is no fetch strategy."
            return WireroomError(message, hint=known)
        place = self._options.strategies.index(name)
        message = f"fetch.strategies[{place}] = {name!r}: there is no such fetch strategy."
        return SettingsError([message], hint=known)

    def strategy(self, name: str) -> Strategy:
        """The strategy, open."""
        if name not in self._open:
            plug = self.plug(name)
            try:
                self._open[name] = plug.open(self._options.strategy_options.get(name, {}))
            except ImportError as exc:
                raise MissingExtraError(plug.extra or name, f"The strategy {name!r}") from exc
        return self._open[name]

    async def close(self) -> None:
        """Closes what was opened."""
        for strategy in self._open.values():
            await strategy.close()
        self._open.clear()


def _publisher(url: str) -> str:
    try:
        return publisher_domain(url)
    except ValueError:
        return ""
