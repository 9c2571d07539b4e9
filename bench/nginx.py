"""A local nginx with a page on many loopback addresses, and its log: the server's own word."""

from __future__ import annotations

import gzip
import shutil
import socket
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PACKED = 6  # level of gzip: what servers use
START_WAIT = 10.0  # seconds for nginx to answer


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request in nginx's log."""

    host: str
    path: str
    ended: float
    took: float

    @property
    def started(self) -> float:
        """When it arrived."""
        return self.ended - self.took


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running server."""

    hosts: dict[str, str]
    folder: Path

    def requests(self) -> dict[str, list[LoggedRequest]]:
        """Requests by host, in the order of their arrival."""
        by_host: dict[str, list[LoggedRequest]] = defaultdict(list)
        for line in (self.folder / "access.log").read_text("utf-8").splitlines():
            host, path, ended, took = line.split()
            by_host[host].append(LoggedRequest(host, path, float(ended), float(took)))
        return {host: sorted(each, key=lambda v: v.started) for host, each in by_host.items()}


@contextmanager
def serve(hosts: int, *, page: bytes, packed: bool = False) -> Iterator[Nginx]:
    """nginx on so many addresses, the same page everywhere under any path; ends with the block.

    `packed` sends it as gzip, packed once and for all, to whoever takes gzip.
    """
    folder = Path(tempfile.mkdtemp(prefix="wireroom-nginx-"))
    folder.chmod(0o755)
    port = free_port()
    addresses = [f"127.70.{n // 250}.{n % 250 + 1}" for n in range(hosts)]
    names = {f"h{n:04d}.test": f"{address}:{port}" for n, address in enumerate(addresses)}
    (folder / "page.html").write_bytes(page)
    if packed:
        (folder / "page.html.gz").write_bytes(gzip.compress(page, PACKED))
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n", "utf-8")
    (folder / "nginx.conf").write_text(_config(folder, addresses, port, packed=packed), "utf-8")
    with running_nginx(folder, addresses[-1], port):
        yield Nginx(names, folder)


def _config(folder: Path, addresses: list[str], port: int, *, packed: bool) -> str:
    return nginx_config(
        folder,
        addresses,
        port,
        log="$host $uri $msec $request_time",
        http=f"default_type text/html; gzip_static {'on' if packed else 'off'};",
        server=f"""root {folder};
      location = /robots.txt {{ default_type text/plain; }}
      location / {{ try_files /page.html =404; }}""",
    )


def nginx_config(
    folder: Path, addresses: list[str], port: int, *, log: str, http: str, server: str
) -> str:
    """A server on these addresses that writes into its folder alone; what it serves is told by the caller."""
    listens = "\n".join(f"      listen {address}:{port};" for address in addresses)
    return f"""
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 4096; }}
http {{
  log_format requests "{log}";
  access_log {folder}/access.log requests;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {http}
  sendfile on; tcp_nopush on; keepalive_requests 100000;
  server {{
{listens}
      {server}
  }}
}}
"""


@contextmanager
def running_nginx(folder: Path, address: str, port: int) -> Iterator[None]:
    """nginx with the nginx.conf of the folder; it and the folder end with the block."""
    server = subprocess.Popen([_program(), "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        _await(address, port)
        yield
    finally:
        server.terminate()
        server.wait(timeout=10)
        shutil.rmtree(folder, ignore_errors=True)


def _program() -> str:
    """Where nginx is; the script ends without it."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        raise SystemExit("nginx is not installed. On Debian: apt-get install nginx-light")
    return program


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _await(address: str, port: int) -> None:
    until = time.monotonic() + START_WAIT
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("nginx did not start")
