"""`python -m wireroom` is `wireroom`."""

from __future__ import annotations

import sys

from wireroom.cli import main

sys.exit(main())
