"""The flags of commands that take options of a feed, made from the fields of `FeedOptions`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Annotated, Any, Literal

import typer

from wireroom.model import OPTIONS
from wireroom.model.feed_options import FeedOption

TEXTS = "texts"


def takes_options(names: Iterable[str] = OPTIONS) -> Callable[[Callable[..., int]], Callable[..., int]]:  # fmt: skip
    """Gives a command a flag for each of these options, in place of its parameter `texts`.

    That parameter gets what was said of them: texts by the options' names, without those that were not given.
    """
    options = [OPTIONS[name] for name in names]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> int:
            texts = {option.name: _text(option, given.pop(option.name)) for option in options}
            texts = {name: text for name, text in texts.items() if text}
            return command(*args, **given, **{TEXTS: texts})

        own = inspect.signature(command, eval_str=True).parameters
        parameters: list[inspect.Parameter] = []
        for parameter in own.values():
            parameters += map(_flag, options) if parameter.name == TEXTS else [parameter]
        keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
        call.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]  # PEP 362
        return call

    return decorate


def _flag(option: FeedOption) -> inspect.Parameter:
    info, default = option.info, option.default
    shown = typer.Option(option.flag, metavar=info.metavar, help=info.flag_help or info.help)
    kind: Any = str
    if isinstance(default, bool):
        kind, shown.metavar = bool, None
    elif info.choices:
        kind, shown.metavar = Literal[info.choices] | None, None
    elif isinstance(default, (tuple, Mapping)):
        kind = list[str] | None
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default={str: "", bool: False}.get(kind),
        annotation=Annotated[kind, shown],
    )


def _text(option: FeedOption, given: Any) -> str:
    """What a flag says, as a text; empty when it was not given."""
    if not given:
        return ""
    if isinstance(option.default, bool):
        return str(not option.default).lower()  # to give it is to turn the switch
    if isinstance(option.default, Mapping):
        from wireroom.settings.feed_settings import table_text

        return table_text(given, option.flag)
    return given if isinstance(given, str) else " ".join(given)
