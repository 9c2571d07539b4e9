"""One file a page: its routes, and `PLUG = WebPage(...)`."""
