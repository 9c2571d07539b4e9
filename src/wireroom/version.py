"""Our version and the name we go by."""

__version__ = "0.1.0"

TOKEN = "wireroom"  # noqa: S105 - a product token, the name robots.txt files call us by
