"""Database addresses: read without ever repeating a password."""

from __future__ import annotations

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from wireroom.errors import SettingsError


def scheme_of(database_url: str) -> str:
    """What stands before `://`, empty when nothing does."""
    scheme, separator, _ = database_url.partition("://")
    return scheme.lower() if separator else ""


def read_address(database_url: str) -> URL:
    """The parts of the address."""
    try:
        return make_url(database_url)
    except (ArgumentError, ValueError):
        # The cause would repeat the address, password and all.
        raise SettingsError(
            [f"The database address {scheme_of(database_url)}://… cannot be read."],
            hint="Write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ) from None


def shown(address: URL) -> str:
    """The address as it may be shown."""
    where = f"{address.host or 'localhost'}{f':{address.port}' if address.port else ''}"
    return f"{address.drivername.partition('+')[0]}://{where}/{address.database or ''}"
