"""A folder that a stranger has filled: nothing in it is loaded, however we are started."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.cli.conftest import PATIENCE

EVIL = "import os; os.write(2, b'EVIL ' + __name__.encode() + b'\\n'); os._exit(66)\n"
PAGE = f"<title>A</title><article><h1>A harbour</h1>{'<p>Ships came in today. ' * 40}</article>"
SCRIPT = Path(sysconfig.get_path("scripts")) / "wireroom"
MODULE = [sys.executable, "-bm", "wireroom"]
SAFE = [sys.executable, "-P", "-m", "wireroom"]

pytestmark = pytest.mark.long  # each is a process of its own


def loaded_by_python_itself(folder: Path) -> set[str]:
    """What `python -m` loads before the first line of a package: no package can prevent that."""
    probe = folder / "probe"
    probe.mkdir(parents=True)
    (probe / "__init__.py").write_text("import sys; print(*sys.modules)")
    (probe / "__main__.py").touch()
    done = run([sys.executable, "-m", "probe"], folder)
    return {name.partition(".")[0] for name in done.stdout.split()}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Modules under every name that could be imported, and a package that offers a command."""
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    names = {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize"}
    names -= {*sys.builtin_module_names, *loaded_by_python_itself(tmp_path / "clean"), "wireroom"}
    for name in names:
        (hostile / f"{name}.py").write_text(EVIL)
    offered = hostile / "evil-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text("[wireroom.cli]\nevil = evil:PLUG\n")
    (hostile / "evil.py").write_text(EVIL)
    (hostile / "page.html").write_text(PAGE)
    return hostile


def with_package(folder: Path) -> None:
    package = folder / "wireroom"
    package.mkdir()
    (package / "__init__.py").write_text(EVIL)


@pytest.mark.parametrize("start", [[str(SCRIPT)], MODULE, SAFE], ids=["script", "-bm", "-P -m"])
def test_nothing_of_the_folder_is_loaded(folder: Path, start: list[str]) -> None:
    if start != MODULE:  # Python itself takes the package of the folder then
        with_package(folder)
    commands = (["--help"], ["doctor"], ["extract", "page.html", "--json"])
    results = [run([*start, *arguments], folder) for arguments in commands]
    for result in results:
        assert "EVIL" not in result.stderr, result.stderr
        assert "evil" not in result.stdout
        assert result.returncode in {0, 1}, result.stderr
    assert "A harbour" in results[-1].stdout
