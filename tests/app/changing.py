"""Publishers on one loopback port whose documents a test changes while they are looked at."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.scout.flips import Doc


@dataclass
class Changing:
    """What every host serves, and who was asked for what; a host that is not named has nothing."""

    port: int = 0
    docs: dict[str, Mapping[str, Doc]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def hosts(self, *names: str) -> dict[str, str]:
        return dict.fromkeys(names, f"127.0.0.1:{self.port}")

    def requests_to(self, host: str) -> list[str]:
        return [path for name, path in self.asked if name == host]


class _Handler(BaseHTTPRequestHandler):
    served: Changing

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").partition(":")[0]
        self.served.asked.append((host, self.path))
        doc = self.served.docs.get(host, {}).get(self.path)
        data = (doc.body if doc else "no such page").encode()
        self.send_response(200 if doc else 404)
        self.send_header("Content-Type", doc.kind if doc else "text/html")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (doc.headers if doc else {}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_args: object) -> None:
        """Says nothing."""


@contextmanager
def changing_publishers() -> Iterator[Changing]:
    """Serves them in a thread."""

    class Handler(_Handler):
        pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = (
            128  # with the 5 of the library a client that waits tries again after a second
        )

    server = Server(("127.0.0.1", 0), Handler)
    Handler.served = Changing(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield Handler.served
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
