"""Installs a package of somebody else for one test: one file of code and its entry points.

The folder goes on `sys.path` with the metadata that pip would write, so a plug is found as that of any
installed package. Example:

    install(tmp_path, monkeypatch, "haiku", source, {"wireroom.export": "haiku = haiku:PLUG"})
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def install(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    source: str,
    groups: Mapping[str, str],
) -> None:
    """Puts `module` with this source on the path; `groups` maps each entry point group to its lines."""
    folder = folder / f"{module}-installed"
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    sections = (f"[{group}]\n{lines.strip()}\n" for group, lines in groups.items())
    (information / "entry_points.txt").write_text("\n".join(sections))
    monkeypatch.syspath_prepend(str(folder))
    # The module leaves with the test: what monkeypatch found missing it takes away again.
    monkeypatch.setitem(sys.modules, module, sys)
    del sys.modules[module]
