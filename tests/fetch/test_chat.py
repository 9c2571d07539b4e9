"""A language model on loopback: asked through the guard, within limits, its key told to it alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web

from tests.scout.contexts import HOME, context_of
from tests.signals.terms.test_terms_step import CLAUSES, LINKED, TERMS
from wireroom.errors import FetchError, RefusedError, SettingsError
from wireroom.fetch.chat import MAX_ANSWER, Chat, chat_from
from wireroom.settings import Settings
from wireroom.signals.terms import terms_step as terms

KEY = "hush-hush"
URL = "http://model.test/v1/chat/completions"


@dataclass
class Model:
    """The service as its operator sees it."""

    answer: Callable[[str], web.Response]
    place: str = ""
    seen: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        asked = json.loads(await request.read())
        self.seen.append((request.headers.get("Authorization", ""), asked))
        return self.answer(asked["messages"][0]["content"])


@asynccontextmanager
async def running(answer: Callable[[str], web.Response]) -> AsyncIterator[Model]:
    model = Model(answer)
    runner = web.ServerRunner(web.Server(model.serve))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    model.place = f"{host}:{port}"
    try:
        yield model
    finally:
        await runner.cleanup()


@asynccontextmanager
async def chatting(model: Model, **more: Any) -> AsyncIterator[Chat]:
    chat = Chat(URL, model="small", api_key=KEY, hosts={"model.test": model.place}, **more)
    try:
        yield chat
    finally:
        await chat.close()


def says(words: str) -> web.Response:
    return web.json_response({"id": "1", "choices": [{"message": {"role": "a", "content": words}}]})


async def test_a_prompt_is_answered() -> None:
    async with running(lambda prompt: says(prompt.upper())) as model, chatting(model) as chat:
        assert await chat("what now?") == "WHAT NOW?"
    key, asked = model.seen[0]
    assert key == f"Bearer {KEY}"
    assert (asked["model"], asked["temperature"]) == ("small", 0)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (web.Response(status=429), "throttled"),
        (web.Response(status=500, body=b"<html>"), "server_error"),
        (web.Response(status=401), "bad_response"),
        (web.Response(status=302, headers={"Location": "http://10.0.0.1/"}), "bad_response"),
        (web.Response(body=b"<html>"), "bad_response"),
        (web.Response(body=b"[" * 100_000), "bad_response"),
        (web.Response(body=b'{"choices": []}'), "bad_response"),
        (web.Response(body=b'{"choices": [{"message": {"content": null}}]}'), "bad_response"),
        (web.Response(body=b" " * (MAX_ANSWER + 1)), "too_large"),
    ],
)
async def test_every_fault_of_the_service_has_its_word(answer: web.Response, kind: str) -> None:
    async with running(lambda _: answer) as model, chatting(model) as chat:
        with pytest.raises(FetchError) as caught:
            await chat("what now?")
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)


async def test_a_service_that_is_down_is_reported() -> None:
    async with running(lambda _: says("x")) as model:
        pass
    async with chatting(model, deadline=timedelta(seconds=2)) as chat:
        with pytest.raises(FetchError):
            await chat("what now?")


@pytest.mark.parametrize("url", ["http://127.0.0.1/v1", "http://localhost/v1", "ftp://model.test/"])
async def test_the_services_address_passes_the_guard(url: str) -> None:
    chat = Chat(url, model="small")
    try:
        with pytest.raises(RefusedError):
            await chat("what now?")
    finally:
        await chat.close()


async def test_terms_are_tightened_over_the_wire() -> None:
    quote = "You may read and print articles for your personal use."
    message = json.dumps({"archiving": {"word": "explicitly_prohibited", "quote": quote}})
    async with running(lambda _: says(f"Sure! {message}")) as model, chatting(model) as chat:
        found = await terms.run(replace(context_of({HOME: LINKED, TERMS: CLAUSES}), advise=chat))
    archiving = found.facts["activities"]["archiving"]
    assert (archiving["word"], archiving["quote"], archiving["method"]) == (
        "prohibited",
        quote,
        "model",
    )
    assert "archiving" in model.seen[0][1]["messages"][0]["content"]


def settings_for(place: str, *, model: str = "small") -> Settings:
    named = {"model_url": URL, "model": model, "model_key": KEY}
    return Settings.model_validate({"hosts": {"model.test": place}, "scout": named})


async def test_the_settings_name_the_model() -> None:
    async with running(lambda prompt: says(prompt.upper())) as model:
        chat = chat_from(settings_for(model.place))
        assert chat is not None
        try:
            assert await chat("what now?") == "WHAT NOW?"
        finally:
            await chat.close()
    assert model.seen[0][0] == f"Bearer {KEY}"
    assert chat_from(Settings()) is None


async def test_a_model_at_a_private_place_may_be_listed() -> None:
    async with running(lambda _: says("yes")) as model:
        chat = Chat(f"http://{model.place}/v1", model="small", allow_private=[model.place])
        try:
            assert await chat("may I?") == "yes"
        finally:
            await chat.close()


def test_a_service_without_a_model_is_a_problem_of_the_settings() -> None:
    with pytest.raises(SettingsError, match=r"scout\.model is not set"):
        chat_from(settings_for("127.0.0.1:9", model=""))


async def test_a_key_is_not_sent_over_plain_http_to_another_machine() -> None:
    for hosts, allowed in (({"model.test": "192.0.2.7:80"}, ()), ({}, ("192.0.2.7:80",))):
        url = URL if hosts else "http://192.0.2.7/v1"
        chat = Chat(url, model="small", api_key=KEY, hosts=hosts, allow_private=allowed)
        try:
            with pytest.raises(RefusedError, match="a key is not sent over plain http"):
                await chat("what now?")
        finally:
            await chat.close()
