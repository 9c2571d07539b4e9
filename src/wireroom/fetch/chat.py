"""Ask a language model by the protocol that most of them speak (OpenAI's chat completions).

The operator names the service: its address, a model, a key if it wants one. A model of one's own at a
private place is reached as publishers there are: by `hosts`, or listed in `allow_private`. The service is
asked like any server: its address passes the guard, its answer the limits. Nothing here judges what it
says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from wireroom.errors import FetchError, SettingsError
from wireroom.fetch.guard import PORTS, Checked, judge_answer, judge_form, judge_key
from wireroom.fetch.resolver import Resolver
from wireroom.fetch.strategies.plain import PlainHttp
from wireroom.model import ProblemKind
from wireroom.ports import Hop

if TYPE_CHECKING:
    from wireroom.settings import Settings

MAX_ANSWER = 500_000  # bytes; an answer of eight quotes has some 5,000
DEADLINE = timedelta(seconds=25)  # a step has 30 s, and the page has to be read before


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _ChatAnswer(msgspec.Struct):
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
        hosts: Mapping[str, str] | None = None,
        allow_private: Collection[str] = (),
        deadline: timedelta = DEADLINE,
    ) -> None:
        self._url, self._model = url, model
        self._hosts, self._allow_private = hosts, allow_private
        self._deadline = deadline
        self._has_key = bool(api_key)
        self._headers = (
            *((("Authorization", f"Bearer {api_key}"),) if api_key else ()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip"),
        )
        self._resolver = Resolver()
        self._plain = PlainHttp()

    async def __call__(self, prompt: str, /) -> str:
        """The model's words; raises FetchError."""
        checked = await self._check()
        called = await self._plain.hop(self._call(prompt, checked))
        if called.status != 200:
            raise _refusal(self._url, called.status)
        try:
            answer = msgspec.json.decode(called.body, type=_ChatAnswer)
        except (msgspec.DecodeError, RecursionError) as exc:
            message = "the model's service answered in another form than expected"
            raise FetchError(self._url, message, kind="bad_response") from exc
        if not answer.choices:
            raise FetchError(self._url, "the model said nothing", kind="bad_response")
        return answer.choices[0].message.content

    async def close(self) -> None:
        """Closes every connection to the service."""
        await self._resolver.close()
        await self._plain.close()

    async def _check(self) -> Checked:
        """Where the service is; the guard judges it like any other address."""
        own = filter(None, [urlsplit(self._url).port])
        form = judge_form(
            self._url,
            allow_private=self._allow_private,
            hosts=self._hosts,
            ports=(*PORTS, *own),
        )
        addresses = form.addresses or await self._resolver.resolve(
            form.host, url=self._url, deadline=self._deadline.total_seconds()
        )
        checked = judge_answer(form, addresses)
        return judge_key(checked) if self._has_key else checked

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


def chat_from(settings: Settings) -> Chat | None:
    """The model that the settings name; None when they name none."""
    scout = settings.scout
    if not scout.model_url:
        return None
    if not scout.model:
        raise SettingsError(
            ["scout.model is not set, and scout.model_url is."],
            hint="Say which model of the service to ask, or unset scout.model_url.",
        )
    return Chat(
        scout.model_url,
        model=scout.model,
        api_key=scout.model_key,
        hosts=settings.hosts,
        allow_private=settings.fetch.allow_private,
    )


def _refusal(url: str, status: int) -> FetchError:
    kind: ProblemKind = "server_error" if status >= 500 else "bad_response"
    message = f"the model's service answers {status}"
    return FetchError(url, message, kind="throttled" if status == 429 else kind)
