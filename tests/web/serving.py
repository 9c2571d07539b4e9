"""A real server on loopback for tests of pages, and a plain HTTP client that asks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from wireroom.app import App
from wireroom.web.guards import known_names
from wireroom.web.web_server import ServerOptions, serving_pages

TOKEN = "a-token-that-nobody-guesses"
OWN: Mapping[str, str] = {"Sec-Fetch-Site": "same-origin"}
"""What a browser sends with a form of our own pages."""


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Pages:
    """A server that runs."""

    url: str

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request, without following redirects."""
        place = urlsplit(self.url)
        connection = HTTPConnection(place.hostname or "", place.port or 0, timeout=60)
        try:
            connection.request(method, path, body=body, headers=dict(headers or {}))
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def post(self, path: str, headers: Mapping[str, str] = OWN, **form: str) -> Answer:
        """A form, as a browser sends it from our own page."""
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask(path, method="POST", body=urlencode(form), headers={**kind, **headers})


@contextmanager
def serving(app: App, *, token: str = "", can_run: bool = False) -> Iterator[Pages]:
    """The pages of this app on a free port."""
    options = ServerOptions(token=token, names=known_names("127.0.0.1", ()), can_run=can_run)
    with serving_pages(app, options) as address:
        yield Pages(address.rstrip("/"))
