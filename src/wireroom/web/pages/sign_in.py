"""`/login`: the token is exchanged for a session."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from wireroom.ports import WebPage
from wireroom.web.login import COOKIE, SESSION_TIME, safe_next
from wireroom.web.web_context import Web, client_of

router = APIRouter()

WRONG = "That is not the token of this server."
WAIT = "Five wrong tokens within a minute: wait a minute."


@router.get("/login", response_class=HTMLResponse)
def login_page(request: Request, web: Web, next: str = "/") -> Response:  # noqa: A002 - as in the address
    """The form."""
    return web.renderer.page(request, "login.html", next=safe_next(next), problem="")


@router.post("/login", response_class=HTMLResponse)
def login(
    request: Request,
    web: Web,
    token: Annotated[str, Form(max_length=500)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "/",  # noqa: A002 - as in the form
) -> Response:
    """Opens a session."""
    address = client_of(request)
    goes_to = safe_next(next)
    if web.sessions.must_wait(address):
        return web.renderer.page(request, "login.html", next=goes_to, problem=WAIT, status=429)
    session = web.sessions.open(token, address)
    if not session:
        return web.renderer.page(request, "login.html", next=goes_to, problem=WRONG, status=401)
    answer = RedirectResponse(goes_to, status_code=303)
    answer.set_cookie(
        COOKIE,
        session,
        max_age=int(SESSION_TIME),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@router.post("/logout")
def logout(request: Request, web: Web) -> Response:
    """Ends the session."""
    web.sessions.close(request.cookies.get(COOKIE, ""))
    answer = RedirectResponse("/login", status_code=303)
    answer.delete_cookie(COOKIE)
    return answer


PLUG = WebPage(name="sign-in", router=router)
