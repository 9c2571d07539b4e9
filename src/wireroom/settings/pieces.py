"""What the sections of the settings are made of: kinds of values, each checked as it is read."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    WithJsonSchema,
)

from wireroom.settings import kinds
from wireroom.settings.durations import EXAMPLES, format_duration

MIN_TIMEOUT = timedelta(milliseconds=100)  # less and no server on earth is reached
LONGEST_DELAY = timedelta(hours=1)  # between two requests; who wants more wants no traffic
LONGEST_WAIT = timedelta(minutes=10)  # for another writer; who waits longer has a stuck process


TABLE = WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}})
TABLES = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
    }
)

LISTS = WithJsonSchema(
    {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    }
)


def at_least(low: timedelta) -> AfterValidator:
    """A time span of no less."""

    def check(span: timedelta) -> timedelta:
        if span < low:
            raise ValueError(f"expected at least {format_duration(low)}")
        return span

    return AfterValidator(check)


def at_most(high: timedelta) -> AfterValidator:
    """A time span of no more."""

    def check(span: timedelta) -> timedelta:
        if span > high:
            raise ValueError(f"expected at most {format_duration(high)}")
        return span

    return AfterValidator(check)


Words = Annotated[str, AfterValidator(kinds.read_words)]
Name = Annotated[str, AfterValidator(kinds.read_name)]
WebUrl = Annotated[str, AfterValidator(kinds.read_web_url)]
Endpoint = Annotated[str, AfterValidator(kinds.read_endpoint)]
HostName = Annotated[str, AfterValidator(kinds.read_host_name)]
Pinned = Annotated[str, AfterValidator(kinds.read_pinned)]
Selector = Annotated[str, AfterValidator(kinds.read_selector)]
Span = Annotated[
    timedelta,
    BeforeValidator(kinds.read_time_span),
    PlainSerializer(format_duration),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"const": 0}], "description": EXAMPLES}),
]


class SettingsSection(BaseModel):
    """A part of the settings: frozen, and unknown names are problems."""

    # Built with the whole that it is part of: most sections are never read alone, and every start pays.
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )
