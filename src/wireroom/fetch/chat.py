"""Ask a language model by the protocol that most of them speak (OpenAI's chat completions).

The operator names the service: its address, a model, a key if it wants one. `address` (as `host:port`)
reaches a model of one's own at a private place, as `hosts` does for publishers. The service is asked like
any server: its address passes the guard, its answer the limits. Nothing here judges what it says.
"""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import msgspec

from wireroom.errors import FetchError
from wireroom.fetch.guard import PORTS, Checked, judge_answer, judge_form
from wireroom.fetch.names import Names
from wireroom.fetch.plain import Plain
from wireroom.model import ProblemKind
from wireroom.ports import Hop

__all__ = ["Chat"]

MAX_ANSWER = 500_000  # bytes; an answer of eight quotes has some 5,000
DEADLINE = timedelta(seconds=25)  # a step has 30 s, and the page has to be read before


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _Answer(msgspec.Struct):
    """What a service answers; other fields are passed over."""

    choices: list[_Choice]


class Chat:
    """Calls to one model; an `Advise`. Close it when nobody asks any more."""

    def __init__(
        self,
        url: str,
        *,
        model: str,
        api_key: str = "",
        address: str = "",
        deadline: timedelta = DEADLINE,
    ) -> None:
        self._url, self._model, self._address = url, model, address
        self._deadline = deadline
        self._headers = (
            *((("Authorization", f"Bearer {api_key}"),) if api_key else ()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip"),
        )
        self._names = Names()
        self._plain = Plain()

    async def __call__(self, prompt: str, /) -> str:
        """The model's words; raises FetchError."""
        checked = await self._check()
        called = await self._plain.hop(self._call(prompt, checked))
        if called.status != 200:
            raise _refusal(self._url, called.status)
        try:
            answer = msgspec.json.decode(called.body, type=_Answer)
        except (msgspec.DecodeError, RecursionError) as exc:
            told = "the model's service answered in another form than expected"
            raise FetchError(self._url, told, kind="bad_response") from exc
        if not answer.choices:
            raise FetchError(self._url, "the model said nothing", kind="bad_response")
        return answer.choices[0].message.content

    async def close(self) -> None:
        """Closes every connection to the service."""
        await self._names.close()
        await self._plain.close()

    async def _check(self) -> Checked:
        """Where the service is; the guard judges it like any other address."""
        parts = urlsplit(self._url)
        hosts = {parts.hostname or "": self._address} if self._address else None
        form = judge_form(self._url, hosts=hosts, ports=(*PORTS, *filter(None, [parts.port])))
        addresses = form.addresses or await self._names.resolve(
            form.host, url=self._url, deadline=self._deadline.total_seconds()
        )
        return judge_answer(form, addresses)

    def _call(self, prompt: str, checked: Checked) -> Hop:
        wanted = {
            "model": self._model,
            "temperature": 0,  # the same document should get the same answer
            "messages": [{"role": "user", "content": prompt}],
        }
        return Hop(
            url=self._url,
            method="POST",
            headers=self._headers,
            addresses=checked.addresses,
            port=checked.port,
            max_bytes=MAX_ANSWER,
            deadline=self._deadline,
            content=msgspec.json.encode(wanted),
        )


def _refusal(url: str, status: int) -> FetchError:
    kind: ProblemKind = "server_error" if status >= 500 else "bad_response"
    told = f"the model's service answers {status}"
    return FetchError(url, told, kind="throttled" if status == 429 else kind)
