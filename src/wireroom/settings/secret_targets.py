"""A file of the working folder sends no secret of the operator anywhere, and lifts no robots.txt.

Pure. Whoever unpacks an archive or clones a repository stands in a folder that others have filled, and a
`wireroom.toml` there is read. So a secret of the environment, or of a flag, goes only to an address that the
operator gave as well: in the environment, by a flag, or in a file that is the operator's own. What the operator
has agreed with others is taken from there alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from wireroom.errors import Wording
from wireroom.settings.problems import Path, describe_problem, redacted
from wireroom.settings.setting_sources import Layer
from wireroom.urls import host_of

MODEL_KEY, MODEL_URL = ("scout", "model_key"), ("scout", "model_url")
OPTIONS = ("fetch", "strategy_options")
STRATEGIES = ("fetch", "strategies")
DATABASE = ("database_url",)
# libpq sends these to whichever server the address names, when the address has no password.
PASSWORD_VARIABLES = ("PGPASSWORD", "PGPASSFILE")
AGREED = ("fetch", "agreed")
# Who may come in where, and by what token, is for the operator to say.
WEB = tuple(("web", name) for name in ("host", "token", "names", "proxies"))
# Whoever runs a cluster runs code in whatever joins it, and is told the settings.
CLUSTER = ("run", "address")


def _found_hint(named: str, otherwise: str) -> str:
    """What to do about a file that was found in the working folder."""
    yours = f"If it is yours, name it with {named} or in WIREROOM_CONFIG"
    return f"The file was found in the working folder. {yours}; else {otherwise}."


_ELSE = "remove the setting, or set it where the secret is set"
_ELSE_OWN = "remove the setting"
HINT = Wording(_found_hint("config=…", _ELSE), terminal=_found_hint("--config", _ELSE))
_ANYBODYS = "The settings file was found in this folder, so anybody may have written it. If it is yours, say so:"
TRAFFIC_HINT = Wording(
    f"{_ANYBODYS} config=…; else use a database inside this folder.",
    terminal=f"{_ANYBODYS} --config wireroom.toml; else use a database inside this folder: --db news.db",
)
OWN_HINT = Wording(_found_hint("config=…", _ELSE_OWN), terminal=_found_hint("--config", _ELSE_OWN))


def not_its_own(layers: Sequence[Layer]) -> list[str]:
    """A line for what a foreign file claims that only the operator can say."""
    own = "expected in the environment, a flag or a file of your own"
    reasons = {AGREED: "only you have agreed terms"}
    reasons[CLUSTER] = "only you say which machines you trust"
    reasons |= dict.fromkeys(WEB, "only you say who may come in")
    found = []
    for path, reason in reasons.items():
        layer, value = _given(layers, path)
        if layer is not None and not layer.is_own and value:
            found.append(describe_problem(path, value, _origin(layer, path), f"{own}: {reason}"))
    return found


def misdirected(
    layers: Sequence[Layer], *, environ: Mapping[str, str], has_password_file: bool
) -> list[str]:
    """A line for each setting of a foreign file that decides where a secret of the operator goes."""
    if all(layer.is_own for layer in layers):
        return []
    found = [*_model(layers), *_strategies(layers)]
    if has_password_file or any(environ.get(name) for name in PASSWORD_VARIABLES):
        found += _database(layers)
    return found


def _model(layers: Sequence[Layer]) -> Iterator[str]:
    key, _ = _given(layers, MODEL_KEY)
    _, url = _given(layers, MODEL_URL)
    if key is None or not key.is_own:
        return
    host = _host(url)
    pins = [("hosts", name) for name in _names(layers, ("hosts",)) if name.strip().lower() == host]
    for path in (MODEL_URL, *pins):
        layer, value = _given(layers, path)
        if layer is not None and not layer.is_own:
            yield _problem(layer, path, value, key.origins.get(MODEL_KEY, ""))


def _strategies(layers: Sequence[Layer]) -> Iterator[str]:
    """The options of one strategy come all from the operator or all from the folder, if one is a secret."""
    for name in _names(layers, OPTIONS):
        paths = [(*OPTIONS, name, option) for option in _names(layers, (*OPTIONS, name))]
        given = [(path, *_given(layers, path)) for path in paths]
        secrets = [
            layer.origins.get(path, "")
            for path, layer, value in given
            if layer is not None and layer.is_own and redacted(path, value) != value
        ]
        for path, layer, value in given:
            if secrets and layer is not None and not layer.is_own:
                yield _problem(layer, path, value, secrets[0])


def misled(layers: Sequence[Layer]) -> list[str]:
    """A line for each setting of a foreign file that would lead the requests of the operator's own database.

    Where they go is not for the folder to say: the addresses of its feeds may hold tokens, and a pinned host or a
    proxy would get them.
    """
    owner, url = _given(layers, DATABASE)
    if owner is None or not owner.is_own or _is_in_folder(url):
        return []
    whose = owner.origins.get(DATABASE, "yours")
    expected = (
        f"it would decide where requests go, but the database ({whose}) is not of this folder"
    )
    options = [
        (*OPTIONS, name, option)
        for name in _names(layers, OPTIONS)
        for option in _names(layers, (*OPTIONS, name))
    ]
    given = [(path, *_given(layers, path)) for path in (("hosts",), STRATEGIES, *options)]
    return [
        describe_problem(path, value, _origin(layer, path), expected)
        for path, layer, value in given
        if layer is not None and not layer.is_own
    ]


def _is_in_folder(url: Any) -> bool:
    """Whether the database is a file of the working folder itself."""
    file = str(url).partition("sqlite:///")[2]
    return bool(file) and not file.startswith(("/", "..", "~"))


def _database(layers: Sequence[Layer]) -> Iterator[str]:
    layer, url = _given(layers, DATABASE)
    if layer is not None and not layer.is_own and _wants_password(url):
        expected = "expected a password in it: that of your environment is not sent to this server"
        yield describe_problem(DATABASE, url, _origin(layer, DATABASE), expected)


def _wants_password(url: Any) -> bool:
    """Whether the address leads off this machine, or may, and brings no password of its own."""
    if not isinstance(url, str) or url.lower().startswith("sqlite"):
        return False
    try:
        parts = urlsplit(url)
        host, password = parts.hostname or "", parts.password
    except ValueError:
        return False  # no address; that is told elsewhere
    return not password and (bool(parts.query) or not _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return not host or host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _problem(layer: Layer, path: Path, value: Any, secret: str) -> str:
    expected = f"expected no address of the folder beside a secret of {secret or 'yours'}"
    return describe_problem(path, value, _origin(layer, path), expected)


def _origin(layer: Layer, path: Path) -> str:
    ends = range(len(path), 0, -1)
    known = (layer.origins[path[:end]] for end in ends if path[:end] in layer.origins)
    return next(known, "file")


def _given(layers: Sequence[Layer], path: Path) -> tuple[Layer | None, Any]:
    """Who gives this setting, and as what: the last layer that names it."""
    for layer in reversed(layers):
        value: Any = layer.values
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is not None and value != "":
            return layer, value
    return None, None


def _names(layers: Sequence[Layer], path: Path) -> Collection[str]:
    """The names in a table, over all layers."""
    names: dict[str, None] = {}
    for layer in layers:
        value: Any = layer.values
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        names |= dict.fromkeys(value if isinstance(value, Mapping) else ())
    return names


def _host(url: Any) -> str:
    try:
        return host_of(url).partition(":")[0] if isinstance(url, str) else ""
    except ValueError:
        return ""
