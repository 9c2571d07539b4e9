"""Writes the examples of the API (`python scripts/api_examples.py`): every call made once, on the town's data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))  # the server is that of the tests

from scripts.screenshots import filled_app  # noqa: E402
from tests.web.api_calls import as_example, record  # noqa: E402
from tests.web.serving import serving  # noqa: E402

from wireroom.web.api_document import EXAMPLES  # noqa: E402


def main() -> None:
    """Writes the file beside the pages."""
    with filled_app() as app, serving(app, can_run=True) as pages:
        found = record(app, pages)
    examples = {
        name: {
            **{part: call[part] for part in ("parameters", "request", "status") if call.get(part)},
            "response": as_example(call["answer"]),
        }
        for name, call in sorted(found.items())
    }
    text = json.dumps(examples, ensure_ascii=False, indent=1)
    (REPOSITORY / "src" / "wireroom" / "web" / EXAMPLES).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
