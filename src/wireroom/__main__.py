"""`python -m wireroom` is `wireroom`. The package itself has taken the working folder off the path by now."""

import sys

from wireroom.cli import main

sys.exit(main())
