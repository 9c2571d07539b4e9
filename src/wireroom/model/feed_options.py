"""What an operator may say of a feed: one field an option, and beside it all that anybody has to know of it.

The settings file, the flags of `add` and `test-feed`, the columns of a CSV, the attributes of OPML, what `sync`
compares, what `feed` and `feeds` show and what the store keeps are made from these fields: a new option is a
field here, and a place that uses it. What polling learns of a feed is no option; it stands in `Feed` itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from datetime import timedelta
from typing import Any, Final, Literal, ParamSpec, TypeVar, get_args

from wireroom.model.literals import FeedRole, Undated

P = ParamSpec("P")

OptionKind = Literal[
    "name",  # one line that is not blank
    "words",  # one line
    "css",  # a selector of elements
    "selectors",  # a table: a name of the operator's = CSS, or css@attribute
    "item_fields",  # a table: a field of an item, or one of the operator's = where it stands in a record
    "switch",  # true or false
    "language",  # a tag of BCP 47
    "zone",  # the name of a time zone
    "share",  # above 0, to 1
    "span",  # a duration
    "urls",  # web addresses
    "proxy",  # scheme://user:password@host:port
    "choice",  # one of `choices`
]
"""How an option is checked; `wireroom.settings.feed_settings` has a type for each."""
MIN_INTERVAL: Final = timedelta(minutes=1)  # nobody's news is younger; more often is only a burden


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionInfo:
    """All that is to be known of an option beside its name and its default."""

    kind: OptionKind
    help: str
    """As the reference of the settings says it."""
    flag: str = ""
    """Its flag, where that is not its name with hyphens."""
    flag_help: str = ""
    """As `--help` says it, where there is less room; else `help`."""
    metavar: str = "TEXT"
    """What stands behind the flag."""
    choices: tuple[str, ...] = ()
    least: timedelta | None = None
    """Of a span: the shortest."""
    examples: tuple[Any, ...] = ()
    """As they would stand in the settings file."""
    label: str = ""
    """How `feed` calls it, where that is not its name with blanks; of a table, each of its names stands behind it."""
    shown: str = "{}"
    """How `feed` shows a value that is not the default."""
    column: int | None = None
    """Of an option with a column in `feeds`: the higher, the sooner a narrow terminal goes without it."""
    secret: bool = False
    """Whether it is an address that may hold a password: its user info is never shown or handed out."""


def _as_metadata(make: Callable[P, OptionInfo]) -> Callable[P, dict[str, OptionInfo]]:
    def metadata(*args: P.args, **kwargs: P.kwargs) -> dict[str, OptionInfo]:
        return {"option": make(*args, **kwargs)}

    return metadata


option = _as_metadata(OptionInfo)
"""The metadata of a field that is an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the operator knows about a feed that its pages do not say: all of its options that reading them takes."""

    body_selector: str = field(
        default="",
        metadata=option(
            kind="css",
            help="CSS of the elements that hold an article's text; empty lets wireroom find it.",
            flag_help="Where the text of its articles is.",
            metavar="CSS",
            examples=("article .story p",),
        ),
    )
    metadata_selectors: Mapping[str, str] = field(
        default_factory=dict,
        metadata=option(
            kind="selectors",
            help="Further fields by name, each as CSS, or css@attribute.",
            flag="--metadata-selector",
            flag_help="A field more, as CSS or css@attribute.",
            metavar="NAME=CSS",
            examples=({"section": "nav .here", "image": "meta[property='og:image']@content"},),
            label="selector",
        ),
    )
    json_ld: bool = field(
        default=True,
        metadata=option(
            kind="switch",
            help="Whether the JSON-LD of its pages is read.",
            flag="--no-json-ld",
            flag_help="Do not read its pages' JSON-LD.",
            label="JSON-LD",
            shown="not read",
        ),
    )
    captions: bool = field(
        default=False,
        metadata=option(
            kind="switch",
            help="Whether the text of its articles holds captions; they are kept beside it anyway.",
            flag_help="Keep captions in the text.",
            shown="in the text",
        ),
    )
    images: bool = field(
        default=False,
        metadata=option(
            kind="switch",
            help="Whether the addresses of its articles' images are kept, for Markdown and HTML; "
            "no image is fetched.",
            flag_help="Keep the addresses of images.",
            shown="addresses kept",
        ),
    )
    language: str = field(
        default="",
        metadata=option(
            kind="language",
            help="The language of its articles where the pages do not say.",
            flag_help="Where pages say none.",
            metavar="TAG",
            examples=("de",),
        ),
    )
    zone: str = field(
        default="",
        metadata=option(
            kind="zone",
            help="The time zone of dates that name none.",
            flag_help="Of dates that name none.",
            metavar="ZONE",
            examples=("Europe/Vienna",),
        ),
    )
    undated: Undated = field(
        default="unknown",
        metadata=option(
            kind="choice",
            choices=get_args(Undated),
            help="fetched: an article that names no date gets the time of its fetch, marked as such.",
            flag_help="fetched: take the time of the fetch for articles without a date.",
            shown="dated by {}",
        ),
    )
    field_map: Mapping[str, str] = field(
        default_factory=dict,
        metadata=option(
            kind="item_fields",
            help="For JSON APIs: our field = where it stands in a record; records = where their list is. "
            "Other names go to the item's extra.",
            flag_help="Of an API: where a field stands.",
            metavar="OURS=THEIRS",
            examples=({"records": "data.items", "title": "headline", "url": "links.web"},),
            label="field",
        ),
    )
    cluster_threshold: float | None = field(
        default=None,
        metadata=option(
            kind="share",
            help="How alike near-duplicates of its articles must be; unset as [cluster] says.",
            flag_help="How alike near-duplicates must be, 0 to 1.",
            metavar="SHARE",
            examples=(0.7,),
            label="near-duplicates",
            shown="{:.0%} alike",
        ),
    )
    cluster_window: timedelta | None = field(
        default=None,
        metadata=option(
            kind="span",
            help="How far back near-duplicates of its articles are looked for; unset as [cluster] says.",
            flag_help="How far back they are looked for.",
            metavar="SPAN",
            examples=("30 days",),
            label="near-duplicates within",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOptions:
    """Everything an operator may say of a feed; at its default, an option was left to us."""

    name: str = field(
        default="",
        metadata=option(
            kind="name",
            help="How you call it; marks it as kept in step by `sync`.",
            flag_help="How you call the feed.",
            metavar="NAME",
        ),
    )
    hints: Hints = field(default_factory=Hints)
    interval: timedelta | None = field(
        default=None,
        metadata=option(
            kind="span",
            help="How often to poll; unset follows the feed's own rhythm.",
            flag_help="How often to poll, such as 15min.",
            metavar="SPAN",
            least=MIN_INTERVAL,
            examples=("15 min",),
        ),
    )
    mirrors: tuple[str, ...] = field(
        default=(),
        metadata=option(
            kind="urls",
            help="Other addresses of the same feed, tried in order when it fails.",
            flag="--mirror",
            flag_help="Where else it is, when it fails.",
            metavar="URL",
        ),
    )
    proxy: str = field(
        default="",
        metadata=option(
            kind="proxy",
            help="The proxy to ask through; its user info is never shown.",
            flag_help="Ask through this proxy.",
            metavar="URL",
            secret=True,
        ),
    )
    region: str = field(
        default="",
        metadata=option(
            kind="words",
            help="A region, or several with commas between them, in your own words.",
            flag_help="In your own words.",
            metavar="WORDS",
            column=10,
        ),
    )
    category: str = field(
        default="",
        metadata=option(
            kind="words",
            help="A category, or several, in your own words.",
            flag_help="In your own words.",
            metavar="WORDS",
        ),
    )
    role: FeedRole = field(
        default="primary",
        metadata=option(
            kind="choice",
            choices=get_args(FeedRole),
            help="secondary: stands back behind a primary one that has the same story; fallback: asked only "
            "while no other feed of its region answers, or of its publisher when it has no region.",
            flag_help="fallback: polled only while no other of its region answers.",
            column=11,
        ),
    )
    note: str = field(
        default="",
        metadata=option(
            kind="words",
            help="What colleagues should know about it; shown by `wireroom feed`.",
            flag_help="What colleagues should know about it.",
            metavar="WORDS",
        ),
    )

    def options_by_field(self) -> dict[str, Any]:
        """Its fields by their names; of what is more than options, these alone."""
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS: Final = tuple(each.name for each in fields(FeedOptions))


Opted = TypeVar("Opted", bound=FeedOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOption:
    """One option of `FeedOptions`: its name, its default, what is to be known of it, and where its value lies."""

    name: str
    default: Any
    info: OptionInfo
    is_hint: bool

    def of(self, options: FeedOptions) -> Any:
        """Its value."""
        return getattr(options.hints if self.is_hint else options, self.name)

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return self.info.flag or f"--{self.name.replace('_', '-')}"

    @property
    def label(self) -> str:
        """How people are shown it."""
        return self.info.label or self.name.replace("_", " ")


def _options() -> Iterator[FeedOption]:
    for place in fields(FeedOptions):
        is_hint = place.name == "hints"
        for each in fields(Hints) if is_hint else (place,):
            yield FeedOption(
                name=each.name,
                default=_default(each),
                info=each.metadata["option"],
                is_hint=is_hint,
            )


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


OPTIONS: Final[Mapping[str, FeedOption]] = {each.name: each for each in _options()}
"""Every option by its name, in the order in which options are listed anywhere."""


def with_options(held: Opted, options: Mapping[str, Any]) -> Opted:
    """What is said, over what is held; an option that is not said stays as it is."""
    hints = {name: value for name, value in options.items() if OPTIONS[name].is_hint}
    own = {name: value for name, value in options.items() if name not in hints}
    return replace(held, hints=replace(held.hints, **hints), **own)


# Categories within categories, as folders of OPML are: `Coast/Harbour`.

_BETWEEN: Final = re.compile(r"(?<!\\)/")


def nested_category(outer: str, name: str) -> str:
    """The category within another, as one text; a slash in its name has a backslash before it."""
    written = name.replace("/", "\\/")
    return f"{outer}/{written}" if outer and written else outer or written


def category_path(category: str) -> tuple[str, ...]:
    """The names of the categories, the outermost first; one name where an empty one would be among them."""
    names = tuple(name.strip().replace("\\/", "/") for name in _BETWEEN.split(category))
    return names if all(names) else (category,)


def comma_words(text: str) -> tuple[str, ...]:
    """What stands between commas, in lower case and each once: a feed may be of several regions."""
    words = (word.strip().casefold() for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))
