"""Ray, as far as we know it: joined where a cluster is named, started where none is, and left again.

Loaded by those who chose it alone: importing Ray takes a second. What we start ourselves is ended by us; it lies in a
folder of its own, asks for a token that nobody else has, and sends no statistics of use to anybody.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wireroom.errors import MissingExtraError, SettingsError, WireroomError
from wireroom.workers.local import own_cores

OBJECT_STORE = (
    256 * 2**20
)  # bytes for pages on their way; readers hold back what is more than 64 MB
LONGEST_FOLDER = 40  # characters: the name of a socket has 107 at most, and Ray adds some 60
FIRST_WITHOUT = (3, 14)  # the version of Python for which there is no Ray yet
NAMESPACE = "wireroom"
CLIENT = "ray://"  # the way into a cluster from outside, which has no asynchronous calls
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1"}


def require_ray() -> None:
    """Raises where Ray is not installed; loads nothing."""
    if find_spec("ray") is not None:
        return
    if sys.version_info >= FIRST_WITHOUT:
        version = ".".join(map(str, FIRST_WITHOUT))
        raise WireroomError(
            f"The engine ray needs Ray, which there is not for Python {version} yet.",
            hint="Run wireroom with Python 3.11, 3.12 or 3.13, and pip install 'wireroom[ray]'",
        )
    raise MissingExtraError("ray", "The engine ray")


def load_ray() -> Any:
    """The module, which has hardly any types of its own; sends no statistics from here on."""
    require_ray()
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    return ray


class _Connection:
    """The connection of this process: Ray knows one, however many need it."""

    def __init__(self) -> None:
        self._users = 0
        self._opened = ExitStack()

    def enter(self, address: str) -> None:
        """Joins, unless somebody has already: another user, or Ray itself in its own processes."""
        if not _is_connected():
            self._opened.enter_context(_joined(address) if address else _started())
        self._users += 1

    def leave(self) -> None:
        """The last one to leave closes the connection, if it was opened here."""
        self._users -= 1
        if not self._users:
            self._opened.close()


_connection = _Connection()


def _is_connected() -> bool:
    """Loads nothing: what Ray finds in the environment when it is loaded stays so for the process."""
    return "ray" in sys.modules and bool(load_ray().is_initialized())


@contextmanager
def connected(address: str = "") -> Iterator[None]:
    """Connected to the cluster at this address while it lasts; without one, to one of our own on this machine."""
    _connection.enter(address)
    try:
        yield
    finally:
        _connection.leave()


@contextmanager
def _joined(address: str) -> Iterator[None]:
    if address.startswith(CLIENT):
        raise SettingsError(
            [f"run.address {address}: expected a node of the cluster, such as 10.0.0.1:6379"],
            hint="Run wireroom on a machine of the cluster: reading needs calls that Ray's client has not.",
        )
    hint = "Is a node of it running on this machine? Start one with the command of Ray: ray start"
    with tempfile.TemporaryDirectory(prefix="wireroom-") as folder:
        _init(Path(folder), f"The Ray cluster at {address}", hint, address=address)
    try:
        yield
    finally:
        load_ray().shutdown()


@contextmanager
def _started() -> Iterator[None]:
    """A Ray of our own: one node, which listens to nobody without the token of this process."""
    _guard()
    with _private_folder() as folder:
        hint = "Is there enough memory, and room in the folder for temporary files?"
        _init(
            folder,
            "A Ray of our own",
            hint,
            address="local",
            include_dashboard=False,
            num_cpus=own_cores(),
            object_store_memory=OBJECT_STORE,
            _temp_dir=str(folder / "ray"),
        )
        try:
            yield
        finally:
            load_ray().shutdown()


def _init(folder: Path, what: str, hint: str, **options: Any) -> None:
    """Calls Ray's `init`, which puts the working folder on the path of its workers: it may be a stranger's."""
    try:
        with chdir(folder):
            load_ray().init(
                **options,
                namespace=NAMESPACE,
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
            )
        _keep_stdout_for_data()
    except (
        Exception
    ) as exc:  # Ray raises whatever comes, also Exception itself where a node starts slowly
        reason = next(iter(str(exc).strip().splitlines()), type(exc).__name__)
        raise WireroomError(f"{what} cannot be used: {reason}", hint=hint) from exc


def _keep_stdout_for_data() -> None:
    """Ray prints on stdout that a node was lost, whatever its options say; a summary in JSON must stay one.

    Readers and nodes that are lost are reported by ourselves.
    """
    vars(import_module("ray._private.worker"))["_worker_logs_enabled"] = False


def _guard() -> None:
    """Ray listens on every address of the machine; with a token it does nothing for strangers.

    Where somebody has loaded Ray already, it has made up its mind: by itself it makes a token of the user's.
    """
    if "ray" not in sys.modules:
        token = os.environ.get("RAY_AUTH_TOKEN") or secrets.token_hex(32)
        os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token})


@contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder that only its owner can enter: Ray opens its own to everybody."""
    usual = tempfile.gettempdir()
    place = usual if len(usual) <= LONGEST_FOLDER - len("/wr-12345678") else "/tmp"  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="wr-", dir=place))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def node_cores() -> dict[str, int]:
    """The nodes that work can be given to, by their ids, and their processors: one without any is kept free of it."""
    return {
        node["NodeID"]: max(1, int(cores))
        for node in load_ray().nodes()
        if node["Alive"] and (cores := node["Resources"].get("CPU", 0)) > 0
    }


def cluster_cores() -> int:
    """Pieces that the cluster can work on at once, as it stands now; one at least."""
    return max(1, sum(node_cores().values()))


def alive_nodes() -> list[str]:
    """The nodes that work can be given to, by their ids."""
    return list(node_cores())


def on_node(node: str) -> Any:
    """Where an actor is to be: on this node or nowhere."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node, soft=False)


def as_task(do: Callable[..., Any], *, retries: int) -> Any:
    """The function as a task that takes one processor; tried again so often when its node or process is lost."""
    return load_ray().remote(num_cpus=1, max_retries=retries)(do)
