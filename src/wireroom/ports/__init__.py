"""The shapes rooms ask for: Fetch, Step, SignalPlug, Strategy, Store, Format, Engine.

A room names here the smallest thing it needs, and is given it. A plug (a step, a signal, a strategy, a
store, a format, an engine, a command) is one module that sets `PLUG` to one of the frozen values
below; `wireroom.registry` finds it, and the command line, the pages, the reference docs and the
contract tests follow unasked.
"""

from __future__ import annotations

from wireroom.ports.card_details import Bots, CardDetails, Picture, TermsStatement
from wireroom.ports.plugs import (
    Advise,
    Command,
    CrawlList,
    Done,
    Engine,
    EngineOptions,
    EnginePlug,
    Fetch,
    FileMetadata,
    Format,
    Hop,
    ListedDomain,
    LossCause,
    Lost,
    Once,
    RobotsFile,
    RobotsStore,
    SignalPlug,
    Spread,
    Step,
    StepContext,
    Strategy,
    StrategyPlug,
    Summary,
    Vocabulary,
)
from wireroom.ports.store import Store, StorePlug
from wireroom.ports.store_values import (
    Changed,
    Compared,
    FeedCount,
    Order,
    PollCount,
    Removed,
    Saved,
    SearchPage,
    StoreHealth,
    StoreOptions,
    StoreState,
)

__all__ = [
    "Advise",
    "Bots",
    "CardDetails",
    "Changed",
    "Command",
    "Compared",
    "CrawlList",
    "Done",
    "Engine",
    "EngineOptions",
    "EnginePlug",
    "FeedCount",
    "Fetch",
    "FileMetadata",
    "Format",
    "Hop",
    "ListedDomain",
    "LossCause",
    "Lost",
    "Once",
    "Order",
    "Picture",
    "PollCount",
    "Removed",
    "RobotsFile",
    "RobotsStore",
    "Saved",
    "SearchPage",
    "SignalPlug",
    "Spread",
    "Step",
    "StepContext",
    "Store",
    "StoreHealth",
    "StoreOptions",
    "StorePlug",
    "StoreState",
    "Strategy",
    "StrategyPlug",
    "Summary",
    "TermsStatement",
    "Vocabulary",
]
