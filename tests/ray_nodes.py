"""A Ray cluster of several nodes on this machine, for tests and benches: `ray.cluster_utils.Cluster` in a process of its own.

    with running_nodes(3) as nodes:
        nodes.address, nodes.environ      # for whoever joins it
        nodes.kill()                      # the node that was added last, with all that runs on it
        nodes.add()

Ray keeps its state in its process and warns of what is no concern of ours. Whoever joins needs the token of `environ`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.parts import REPOSITORY
from wireroom.workers.ray_cluster import FIRST_WITHOUT

OBJECT_STORE = 100 * 2**20  # bytes; Ray wants 75 MB at least
TRIES = 3  # for a node to start
needs_ray = pytest.mark.skipif(
    sys.version_info >= FIRST_WITHOUT, reason="there is no Ray for this Python yet"
)
PARSER = "ray::Parser"  # as Ray titles its process
SHORT_PLACE = "/tmp"  # sockets lie in it, and the names of sockets are short


class RayNodes:
    """The cluster, as seen from outside."""

    def __init__(self, process: subprocess.Popen[str], environ: dict[str, str]) -> None:
        self.process = process
        self.environ = environ
        """What a process needs that joins."""
        self.address = self._answer()

    def add(self) -> None:
        """One node more."""
        self._ask("add")

    def kill(self) -> None:
        """The node that was added last is gone, as when a machine loses its power."""
        self._ask("kill")

    def parsers(self) -> set[int]:
        """The parsers on its nodes, by the numbers of their processes."""
        return {pid for pid in family(self.process.pid) if _title(pid).startswith(PARSER)}

    def close(self) -> None:
        """Ends all of it."""
        self.process.communicate(timeout=60)  # it ends when its stdin does

    def _ask(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        assert self._answer() == "ok"

    def _answer(self) -> str:
        assert self.process.stdout is not None
        lines: list[str] = []
        while line := self.process.stdout.readline():
            if line.startswith("> "):  # Ray prints, too
                return line.removeprefix("> ").strip()
            lines.append(line)
        raise AssertionError(f"the cluster has ended: {''.join(lines)}")


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace")
    except OSError:  # it has just ended
        return ""


def family(pid: int) -> Iterator[int]:
    """A process and all that it or they have started, by their numbers."""
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield from family(int(child))


@contextmanager
def running_nodes(
    count: int, *, cpus: int = 1, more: Mapping[str, str] | None = None
) -> Iterator[RayNodes]:
    """So many nodes, each with so many processors to give away; all that runs there finds `more` in its environment."""
    folder = tempfile.mkdtemp(prefix="wrt-", dir=SHORT_PLACE)
    environ = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": folder,
        "PYTHONPATH": os.pathsep.join((str(REPOSITORY), str(REPOSITORY / "src"))),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ray_nodes", str(count), str(cpus)],
        cwd=REPOSITORY,
        env={**os.environ, **environ, **(more or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        nodes = RayNodes(process, environ)
        try:
            yield nodes
        finally:
            nodes.close()
    finally:
        process.kill()
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)


def main(count: int, cpus: int) -> None:
    """The cluster itself: does what its stdin says, and ends with it."""
    from ray.cluster_utils import Cluster

    options: dict[str, Any] = {
        "num_cpus": cpus,
        "object_store_memory": OBJECT_STORE,
        "include_dashboard": False,
    }
    cluster = _patiently(lambda: Cluster(initialize_head=True, head_node_args=options))

    def add() -> Any:
        return _patiently(lambda: cluster.add_node(**options))

    added = [add() for _ in range(count - 1)]
    _say(cluster.address)
    for word in sys.stdin:
        if word.strip() == "add":
            added.append(add())
        else:
            cluster.remove_node(added.pop(), allow_graceful=False)
        _say("ok")
    cluster.shutdown()


def _patiently(make: Callable[[], Any]) -> Any:
    """What is made: Ray gives a node 30 seconds to start, and a busy machine may need longer."""
    for _ in range(TRIES - 1):
        try:
            return make()
        except Exception:  # noqa: BLE001 - of no class of its own
            continue
    return make()


def _say(answer: str) -> None:
    sys.stdout.write(f"> {answer}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
