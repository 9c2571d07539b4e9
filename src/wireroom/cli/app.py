"""The command line as a whole: commands from the registry, options of every command, how a run ends.

A command is one module here (or an entry point in the group `wireroom.cli`) that sets
`PLUG = Command(name, run)`; `run` is a function, or a typer app for a group of commands. The module of
the command that is called is imported alone, all of them for the help: what is heavy is imported inside
the function.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import cached_property, partial
from itertools import groupby, takewhile
from typing import Annotated, Any

import typer
from typer._click.exceptions import NoArgsIsHelpError, NoSuchOption
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from wireroom.cli import exits
from wireroom.cli.console import OutputError
from wireroom.cli.plug_lists import with_plugs
from wireroom.cli.session import EVERYWHERE, Choices, Session
from wireroom.cli.streams import Streams, set_up_logs
from wireroom.errors import SettingsError, WireroomError
from wireroom.ports import Command
from wireroom.registry import plug_named, plugs, why_missing
from wireroom.version import __version__

NAME = "wireroom"
OTHERS = "Commands"
QUERIES = frozenset(
    {"query", "words"}
)  # arguments of commands in which a word may begin with a minus
# The commands of the help, by the tens of their order; what stands behind them comes under the usual name.
GROUPS = {
    1: "Look around",
    2: "What a publisher offers and permits",
    3: "Follow",
    4: "Articles",
    5: "Single pages",
    6: "Keep house",
}

_option = partial(typer.Option, rich_help_panel=EVERYWHERE)

Db = Annotated[str, _option("--db", metavar="URL|FILE", help="The database of this run.")]
Config = Annotated[str, _option("--config", metavar="FILE", help="The settings file; - is stdin.")]
Sets = Annotated[
    list[str] | None, _option("--set", metavar="NAME=VALUE", help="One setting; may be repeated.")
]
Verbose = Annotated[
    int,
    _option("--verbose", "-v", count=True, show_default=False, help="Say more; -vv everything."),
]
Quiet = Annotated[int, _option("--quiet", "-q", count=True, show_default=False, help="Say less.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        Streams().line(f"{NAME} {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
]


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; gives the exit code, and never lets an exception out."""
    _forgive_odd_characters()
    streams = Streams()
    streams.wants_json = _wants_json(arguments)
    streams.find_log_format = Session(choices=_early_choices(arguments)).early_log_format
    set_up_logs(0, style=lambda: streams.log_format)
    code = _run(arguments, streams)
    if code == exits.INTERRUPTED:
        streams.end_line()
    elif code not in {exits.OK, exits.READER_LEFT}:
        return _with_failure_as_data(code, streams)
    return code


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether errors are wanted as data: before the command line is understood, for it may be wrong."""
    options = takewhile(lambda argument: argument != "--", arguments)
    return "--json" in options


def _early_choices(arguments: Sequence[str]) -> Choices:
    """The settings that a command line names, before it is understood, for it may be wrong."""
    given: dict[str, list[str]] = {"--set": [], "--config": []}
    for place, argument in enumerate(arguments):
        name, sign, value = argument.partition("=")
        if name in given and sign:
            given[name].append(value)
        elif argument in given:
            given[argument] += arguments[place + 1 : place + 2]
    return Choices(sets=tuple(given["--set"]), config="".join(given["--config"][-1:]))


def _with_failure_as_data(code: int, streams: Streams) -> int:
    """Writes what went wrong for scripts too; a stdout that cannot be written has been told of already."""
    try:
        streams.json_failure()
        streams.flush()
    except BrokenPipeError:
        return _reader_left()
    except OutputError:
        _give_up_stdout()
    return code


def _run(arguments: Sequence[str], streams: Streams) -> int:
    """How the command line ended; everything that can be raised becomes an exit code here."""
    try:
        code = _invoke(arguments, streams)
        streams.flush()
    except OutputError as exc:
        _give_up_stdout()
        code = exits.show_error(exc, streams)
    except WireroomError as exc:
        code = exits.show_error(exc, streams)
    except typer.TyperException as exc:
        code = _usage(exc, streams)
    except typer.Abort:
        streams.note("Nothing was done.")
        code = exits.ERROR
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    except BrokenPipeError:
        code = _reader_left()
    except SystemExit as exc:  # typer ends so after completing a word for the shell, or at EPIPE
        given = exc.code if isinstance(exc.code, int) else exits.ERROR
        code = _reader_left() if isinstance(exc.__context__, BrokenPipeError) else given
    except Exception as exc:  # noqa: BLE001 - the last handler: nobody is to see a traceback unasked
        code = exits.show_surprise(exc, streams)
    return code


def _title(order: int) -> str:
    return GROUPS.get(order // 10, OTHERS)


class _Group(TyperGroup):
    """A group whose help calls its commands what everything else calls them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's own shape
        """Lists the commands in their groups, each with the first line of its help."""
        width = max(map(len, self.commands), default=0)
        room = formatter.width - 6 - width
        for title, names in self._groups():
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(room)) for name in names
            ]
            with formatter.section(title):
                formatter.write_dl(rows)

    def _groups(self) -> Iterator[tuple[str, list[str]]]:
        if not isinstance(self.commands, _OnDemand):
            yield OTHERS, list(self.commands)
            return
        orders = self.commands.orders
        for title, names in groupby(self.commands, lambda name: _title(orders[name])):
            yield title, list(names)


class _Command(TyperCommand):
    """A command whose help names the plugs and fields there are, once somebody reads it."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments and options; a list of plugs is written `{formats}` in their help."""
        for param in self.params:
            if isinstance(param, TyperOption | TyperArgument) and param.help:
                param.help = with_plugs(param.help)
        super().format_options(ctx, formatter)


class _OnDemand(MutableMapping[str, Any]):
    """The commands by name, in their order: one that is asked for is loaded alone, to list them loads all."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            command = plug_named("cli", Command, name)
            if command is None:
                if why := why_missing("cli", name, Command):
                    raise SettingsError(
                        [f"There is no command {name}: {why}."],
                        hint="Update or remove the package that it comes from.",
                    )
                raise KeyError(name)
            self._made[name] = _made(command)
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError("a command is taken away by taking its module away")

    def __iter__(self) -> Iterator[str]:
        return iter(self.orders)

    def __len__(self) -> int:
        return len(self.orders)

    @cached_property
    def orders(self) -> dict[str, int]:
        """Where each command stands, in this order."""
        commands = sorted(plugs("cli", Command).values(), key=lambda each: (each.order, each.name))
        return {command.name: command.order for command in commands}


def make_command() -> TyperGroup:
    """The whole command line."""
    command = _group_of(_empty_app())
    command.commands = _OnDemand()
    return command


def _empty_app() -> typer.Typer:
    app = typer.Typer(
        name=NAME,
        cls=_Group,
        help="What a publisher offers and permits, and its articles, clean, with their rights.",
        no_args_is_help=True,
        subcommand_metavar="COMMAND [ARGS]...",
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # drawing boxes around the help would take longer than all the rest
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    return app


def _group_of(app: typer.Typer) -> TyperGroup:
    command = get_command(app)
    assert isinstance(command, TyperGroup)  # noqa: S101 - an app with a callback of its own is one
    return command


def _made(command: Command) -> Any:
    """The plug as a command of typer; of the app it is made in nothing else is used."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.callback()(lambda: None)
    _add(app, command)
    return _group_of(app).commands[command.name]


def _invoke(arguments: Sequence[str], streams: Streams) -> int:
    result = make_command().main(
        list(arguments), prog_name=NAME, standalone_mode=False, obj=Session(streams=streams)
    )
    return result if isinstance(result, int) else exits.OK


def _root(
    ctx: typer.Context,
    db: Db = "",
    config: Config = "",
    sets: Sets = None,
    verbose: Verbose = 0,
    quiet: Quiet = 0,
    version: Version = False,  # noqa: ARG001 - its callback has ended the run
) -> None:
    session: Session = ctx.obj
    ctx.obj = session.chosen(_choices(db, config, sets, verbose, quiet))


def _choices(db: str, config: str, sets: list[str] | None, verbose: int, quiet: int) -> Choices:
    return Choices(db=db, config=config, sets=tuple(sets or ()), verbosity=verbose - quiet)


# --- commands -------------------------------------------------------------------------------------


def _add(app: typer.Typer, command: Command) -> None:
    if not isinstance(command.run, typer.Typer):
        app.command(command.name, cls=_Command, help=command.help or None)(
            _with_session(command.run)
        )
        return
    group = typer.Typer(
        cls=_Group, help=command.help, no_args_is_help=True, subcommand_metavar="COMMAND [ARGS]..."
    )
    for each in command.run.registered_commands:
        if each.callback is not None:
            group.command(each.name, cls=_Command, help=each.help)(_with_session(each.callback))
    app.add_typer(group, name=command.name)


def _with_session(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command as typer sees it: with the options of every command, and its session filled in."""
    own = inspect.signature(function, eval_str=True)
    wants = [each.name for each in own.parameters.values() if each.annotation is Session]
    every = inspect.signature(_every, eval_str=True)

    def call(ctx: typer.Context, **given: Any) -> Any:
        session = ctx.obj.chosen(_every(**{name: given.pop(name) for name in every.parameters}))
        return function(**dict.fromkeys(wants, session), **given)

    kept = [each for each in own.parameters.values() if each.name not in wants]
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context, *kept, *every.parameters.values()]
    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    call.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]  # PEP 362
    call.__annotations__ = {each.name: each.annotation for each in keyword}
    call.__doc__ = function.__doc__
    call.__name__ = function.__name__
    return call


def _every(
    every_db: Db = "",
    every_config: Config = "",
    every_sets: Sets = None,
    every_verbose: Verbose = 0,
    every_quiet: Quiet = 0,
) -> Choices:
    return _choices(every_db, every_config, every_sets, every_verbose, every_quiet)


# --- how it ends -------------------------------------------------------------------------------


def _usage(exc: typer.TyperException, streams: Streams) -> int:
    """A wrong command line; where there was none at all, typer's message is the whole help."""
    message = _in_our_words(exc.format_message())
    context = getattr(exc, "ctx", None)
    command = context.command_path if context is not None else NAME
    if isinstance(exc, NoArgsIsHelpError):
        streams.raw_error(message)
        return exits.USAGE
    hint = f"Try: {command} --help"
    if context is not None and _is_word_with_minus(exc, context):
        hint += f"; words with a minus stand behind --: {command} -- ferry -lang:en"
    return exits.show_usage(message, hint, streams)


def _is_word_with_minus(exc: typer.TyperException, context: typer.Context) -> bool:
    """Whether a word of a query may have been taken for an option."""
    takes_query = any(each.name in QUERIES for each in context.command.params)
    return takes_query and isinstance(exc, NoSuchOption) and not exc.option_name.startswith("--")


_OUR_WORDS = (
    (r"No such command", "There is no command"),
    (r"No such option:", "There is no option"),
    (r"^Invalid value for (.+?): (?:Value error, )?", r"\1: "),
    (r"Input should be a valid integer.*", "expected a whole number"),
    (r"Input should be a valid number.*", "expected a number"),
    (r"Input should be greater than or equal to (\S+)", r"expected \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"expected \1 or less"),
)


def _in_our_words(message: str) -> str:
    """The message of the library that reads command lines, as the rest of the program would say it."""
    for theirs, ours in _OUR_WORDS:
        message = re.sub(theirs, ours, message)
    return message


def _reader_left() -> int:
    """Whoever read our output has seen enough, as `head` has: the end, and no message."""
    _give_up_stdout()
    return exits.READER_LEFT


def _give_up_stdout() -> None:
    """Sends what is still held back nowhere: Python must not complain of it once more at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _forgive_odd_characters() -> None:
    """A character that the terminal's encoding lacks is shown as its number, not as a crash."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
