"""Logs on stderr: one line an event, for people or as JSON. The library itself never sets this up."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from wireroom.cli.console import clean

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_LEVELS = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


def set_up_logs(verbosity: int, *, level: str = "warning", style: str = "text") -> None:
    """Sends wireroom's logs to stderr; each -v shows more than `level`, each -q less."""
    log = logging.getLogger("wireroom")
    for handler in [each for each in log.handlers if isinstance(each, _Handler)]:
        log.removeHandler(handler)
    handler = _Handler(sys.stderr)
    handler.setFormatter(_JsonLine() if style == "json" else _Line())
    log.addHandler(handler)
    log.setLevel(_level(verbosity, level))
    log.propagate = False


def _level(verbosity: int, level: str) -> int:
    place = _LEVELS.index(logging.getLevelNamesMapping()[level.upper()]) + verbosity
    return _LEVELS[max(0, min(place, len(_LEVELS) - 1))]


class _Handler(logging.StreamHandler[Any]):
    """Ours, so that setting up twice replaces it."""


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """`level: message name=value …`, with nothing in it that a terminal would obey."""
        pairs = [f"{name}={value}" for name, value in _extra(record).items()]
        return clean(" ".join([f"{record.levelname.lower()}:", record.getMessage(), *pairs]))


class _JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """One JSON object; the time is UTC."""
        row: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "message": clean(record.getMessage()),
        }
        extra = {name: clean(value) for name, value in _extra(record).items()}
        return json.dumps(row | extra, ensure_ascii=False)


def _extra(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}
