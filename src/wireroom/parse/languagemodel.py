"""The statistics by which a language is told, as quickly to hand as can be.

They come packed with py3langid, and unpacking takes every process 0.7 s of CPU and 90 MB of its own. So the
first one may keep them unpacked in a folder that its caller names; those after it map the files, which takes
some 15 ms, and share the memory. Answers are the same either way, and without a folder, or with one
that cannot be written, everything works as before. Knows nothing of texts.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

log = logging.getLogger(__name__)

# As py3langid's reader gives them: weights of features, of languages, their names, then its automaton.
_PARTS = ("weights", "languages", "names", "moves", "rows", "features")


def open_model(folder: Path | None = None) -> LanguageIdentifier:
    """The detector, with confidences that add up to 1."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE
    from py3langid.modelio import load_model

    packed = MODEL_DIR / MODEL_FILE
    if folder is None:
        return _detector(*load_model(packed))
    home = folder / _name(packed)
    kept = _read(home)
    if kept is not None:
        return _detector(*kept)
    parts = load_model(packed)
    _keep(parts, home)
    return _detector(*parts)


def _detector(*parts: Any) -> LanguageIdentifier:
    from py3langid.langid import LanguageIdentifier

    weights, languages, names, moves, rows, features = parts
    return LanguageIdentifier(
        weights, languages, names, moves, features, norm_probs=True, tk_row=rows
    )


def _name(packed: Path) -> str:
    """Another model, as a newer py3langid brings it, is another folder."""
    stat = packed.stat()
    return f"languages-{stat.st_size:x}-{stat.st_mtime_ns:x}-{sys.byteorder}"


def _read(home: Path) -> tuple[Any, ...] | None:
    """What is kept there, mapped rather than read; None where nothing sound is."""
    import numpy as np

    if not home.is_dir():
        return None
    parts: list[Any]
    try:
        parts = [np.asarray(np.load(home / f"{part}.npy", mmap_mode="r")) for part in _PARTS]
    except (OSError, ValueError, EOFError) as exc:
        log.info("the kept language model cannot be read", extra={"reason": repr(exc)})
        shutil.rmtree(home, ignore_errors=True)
        return None
    weights, languages, names, moves, rows, features = parts
    # Python walks the automaton number by number, which numpy is slow at and a memoryview is not.
    return (
        weights,
        languages,
        names.tolist(),
        memoryview(moves),
        memoryview(rows),
        features.tolist(),
    )


def _keep(parts: tuple[Any, ...], home: Path) -> None:
    """Writes the parts into a folder of its own that then gets its name: nobody ever sees half of it."""
    import numpy as np

    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=".languages-", dir=home.parent))
    except OSError as exc:
        log.debug("the language model cannot be kept", extra={"reason": repr(exc)})
        return
    try:
        for name, part in zip(_PARTS, parts, strict=True):
            with (making / f"{name}.npy").open("wb") as file:
                np.save(file, np.asarray(part))
                file.flush()
                os.fsync(file.fileno())
        making.rename(home)  # fails where another process was quicker, which is as good
    except OSError as exc:
        log.debug("the language model cannot be kept", extra={"reason": repr(exc)})
    finally:
        with suppress(OSError):
            shutil.rmtree(making, ignore_errors=True)
