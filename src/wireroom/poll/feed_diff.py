"""How the feeds of the settings file differ from those in the database.

Pure: two lists in, one difference out. A feed with a name stands, or once stood, in the file;
scouting finds feeds without one, and those are left alone. For a feed in the file the file is the
truth about what the operator decides (its options, its address, paused or not); its kind and publisher only where the file names them. What polling has
learnt (validators, rhythm, failures, reliability, when to ask again) is never touched, but for an
address that has changed: what one server said means nothing to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from wireroom.dates.durations import format_duration
from wireroom.model import OPTIONS, Feed, FeedState, Validators, with_options
from wireroom.settings.secrets import redact, redact_address
from wireroom.urls import address_key

if TYPE_CHECKING:
    from wireroom.settings import FeedSettings

# What the file decides, in the order in which a change is shown.
_DECIDED = tuple(dict.fromkeys(("name", "url", "publisher", "kind", *OPTIONS, "state")))

_SECRET = frozenset(name for name, option in OPTIONS.items() if option.info.secret)

CHANGED = "(changed)"  # behind a value that differs in nothing but its hidden part


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One field, before and after, as it may be shown: user info, keys and tokens are hidden."""

    field: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFeed:
    """A feed that is held otherwise than the file wants it."""

    held: Feed
    wanted: Feed
    changes: tuple[FieldChange, ...]

    @property
    def moved(self) -> bool:
        """Whether it has another address now."""
        return self.held.url != self.wanted.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What would have to be done so that the database follows the file."""

    added: tuple[Feed, ...] = ()
    changed: tuple[ChangedFeed, ...] = ()
    unlisted: tuple[Feed, ...] = ()
    """Named feeds that no longer stand in the file: told, and left as they are."""
    unchanged: tuple[Feed, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be done."""
        return not self.added and not self.changed


def compare(wanted: Sequence[FeedSettings], held: Sequence[Feed]) -> Difference:
    """The difference between the file's feeds and those held."""
    partners = _partners(wanted, held)
    added: list[Feed] = []
    changed: list[ChangedFeed] = []
    unchanged: list[Feed] = []
    for entry in wanted:
        before = partners.get(entry.url)
        after = wanted_feed(entry, before)
        if before is None:
            added.append(after)
        elif differing := tuple(changes(before, after)):
            changed.append(ChangedFeed(held=before, wanted=after, changes=differing))
        else:
            unchanged.append(before)
    found = {feed.url for feed in partners.values()}
    return Difference(
        added=tuple(added),
        changed=tuple(changed),
        unlisted=tuple(feed for feed in held if feed.name and feed.url not in found),
        unchanged=tuple(unchanged),
    )


def wanted_feed(entry: FeedSettings, held: Feed | None) -> Feed:
    """The feed as the file wants it, with what polling has learnt about the one held."""
    base = held or Feed(url=entry.url, publisher=entry.publisher_name(), kind="rss")
    if base.url != entry.url:
        base = replace(base, validators=Validators(), failures=0, poll_after=None, state="live")
    return replace(
        with_options(base, entry.values()),
        url=entry.url,
        publisher=entry.publisher or base.publisher,
        kind=entry.kind or base.kind,
        state=_state(base.state, enabled=entry.enabled),
    )


def _state(state: FeedState, *, enabled: bool) -> FeedState:
    """Only the operator pauses and wakes; resting, silent and gone are what polling found."""
    if not enabled:
        return "paused"
    return "live" if state == "paused" else state


def _partners(wanted: Sequence[FeedSettings], held: Sequence[Feed]) -> dict[str, Feed]:
    """The feed held for each address in the file: the same address, else the same page, else name.

    One pass for each, so that two feeds which swap their names are not taken for one another.
    """
    partners: dict[str, Feed] = {}
    left = {feed.url: feed for feed in held}
    for wanted_by, held_by in _WAYS:
        open_entries = {wanted_by(entry): entry for entry in wanted if entry.url not in partners}
        for feed in list(left.values()):
            entry = open_entries.pop(held_by(feed), None)
            if entry is not None:
                partners[entry.url] = left.pop(feed.url)
    return partners


_WAYS: tuple[tuple[Callable[[FeedSettings], str], Callable[[Feed], str]], ...] = (
    (lambda entry: entry.url, lambda feed: feed.url),
    (lambda entry: address_key(entry.url), lambda feed: address_key(feed.url)),
    (lambda entry: entry.name, lambda feed: feed.name),
)


def changes(before: Feed, after: Feed) -> Iterator[FieldChange]:
    """What the operator has decided otherwise, field by field, as it may be shown."""
    for name in _DECIDED:
        yield from _change(name, _value(name, before), _value(name, after))


def _value(name: str, feed: Feed) -> Any:
    return OPTIONS[name].of(feed) if name in OPTIONS else getattr(feed, name)


def _change(name: str, old: Any, new: Any) -> Iterator[FieldChange]:
    if isinstance(old, Mapping):
        old, new = dict(old), dict(new)
    if old != new:
        shown = _shown(name, old)
        yield FieldChange(field=name, old=shown, new=_shown_new(old, new, shown, _shown(name, new)))


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return redact_address(value) if name in _SECRET else redact(value)
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, dict):
        return {key: _shown(name, inner) for key, inner in value.items()}
    return [_shown(name, inner) for inner in value] if isinstance(value, tuple) else value


def _shown_new(old: Any, new: Any, old_shown: Any, new_shown: Any) -> Any:
    """The new value as it may be shown; where only a hidden part differs, that is said."""
    if isinstance(new, tuple) and isinstance(old, tuple):
        before = [*zip(old, old_shown, strict=True), *[(None, None)] * len(new)]
        return [
            _shown_new(was, now, was_shown, shown)
            for now, shown, (was, was_shown) in zip(new, new_shown, before, strict=False)
        ]
    if isinstance(new, dict) and isinstance(old, dict):
        return {
            key: _shown_new(old.get(key), new[key], old_shown.get(key), shown)
            for key, shown in new_shown.items()
        }
    return f"{new_shown} {CHANGED}" if old != new and old_shown == new_shown else new_shown
