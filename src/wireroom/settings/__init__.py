"""One frozen `Settings`: defaults < `wireroom.toml` < environment (`WIREROOM_*`) < flags.

Nobody else reads the file or the environment. The names below are loaded when they are first asked
for: hiding a secret in a log line must not cost the loading of pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireroom.settings.feed_settings import FeedSettings
    from wireroom.settings.kinds import SettingsSection
    from wireroom.settings.loading import (
        Loaded,
        Row,
        SettingRow,
        json_schema,
        load_settings,
        setting_rows,
    )
    from wireroom.settings.secrets import redact, redact_address
    from wireroom.settings.sections import Settings
    from wireroom.settings.setting_sources import FILE_NAME, Flag, setting_names

__all__ = [
    "FILE_NAME",
    "FeedSettings",
    "Flag",
    "Loaded",
    "Row",
    "SettingRow",
    "Settings",
    "SettingsSection",
    "json_schema",
    "load_settings",
    "redact",
    "redact_address",
    "setting_names",
    "setting_rows",
]

_HOMES = {
    "feed_settings": ("FeedSettings",),
    "loading": ("Loaded", "Row", "SettingRow", "json_schema", "load_settings", "setting_rows"),
    "kinds": ("SettingsSection",),
    "secrets": ("redact", "redact_address"),
    "sections": ("Settings",),
    "setting_sources": ("FILE_NAME", "Flag", "setting_names"),
}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module when it is first asked for."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
