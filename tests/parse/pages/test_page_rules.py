"""Sure cases: walls, errors and empty pages in several languages, and articles about the same things."""

from __future__ import annotations

import pytest

from tests.parse.pages.pages import STORY_URL, judged, links, page_of, paragraphs, story
from wireroom.parse.pages import DOUBT_BELOW, REFUSE_BELOW

PASSWORD = "<form><label>Name</label><input name=n><input type=password name=p></form>"


@pytest.mark.parametrize("markup", ["", "<html></html>", "<script>let a = 1</script>"])
def test_an_empty_page_is_empty(markup: str) -> None:
    found = judged(markup)
    assert (found.kind, found.reasons) == ("empty", ("there is no text",))
    assert found.article < REFUSE_BELOW


@pytest.mark.parametrize(
    "title",
    [
        "404 Not Found",
        "Page not found | The Courier",
        "Oops! That page can’t be found.",
        "Seite nicht gefunden",
        "Page introuvable",
        "Página no encontrada",
        "Pagina non trovata",
        "Strona nie została znaleziona",
        "Страница не найдена",
        "Sayfa bulunamadı",
        "الصفحة غير موجودة",
        "页面不存在",
        "ページが見つかりません",
        "페이지를 찾을 수 없습니다",
        "Just a moment...",
        "Access denied",
    ],
)
def test_an_error_is_known_by_its_title_or_its_heading(title: str) -> None:
    sorry = "<p>Perhaps one of these helps.</p>"
    for page in (
        page_of(f"<h1>Sorry</h1>{sorry}", title=title),
        page_of(f"<h1>{title}</h1>{sorry}", title="The Courier"),
    ):
        found = judged(page)
        assert found.kind == "error"
        assert found.article < REFUSE_BELOW


@pytest.mark.parametrize(
    "title",
    ["Log in", "Sign in to The Courier", "Anmelden", "Se connecter", "Iniciar sesión", "ログイン"],
)
def test_a_login_is_known_by_its_form_and_its_title(title: str) -> None:
    advice = (
        "<p>Members read everything. Forgotten your password? We send you a new one by mail.</p>"
    )
    found = judged(page_of(f"<h1>{title}</h1>{advice}{PASSWORD}", title=title))
    assert found.kind == "login"
    assert found.article < REFUSE_BELOW


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Before you continue", "We use cookies and data. Choose which cookies you accept."),
        ("We value your privacy", "We and our partners store cookies. You may give your consent."),
        ("Datenschutzeinstellungen", "Mit Ihrer Einwilligung nutzen wir und Partner Cookies."),
        (
            "Gestion des cookies",
            "Avec votre accord, nos partenaires et nous utilisons des cookies.",
        ),
        ("Szanujemy Twoją prywatność", "Za Twoją zgodą my i partnerzy używamy plików cookie."),
    ],
)
def test_a_question_about_cookies_is_a_wall(title: str, text: str) -> None:
    found = judged(page_of(f"<div><h2>{title}</h2><p>{text}</p><button>OK</button></div>"))
    assert found.kind == "consent"
    assert found.article < REFUSE_BELOW


@pytest.mark.parametrize(
    "title",
    [
        "404 Not Found: how the web loses its pages",
        "Why nobody likes to log in any more",
        "We value your privacy, says the ferry line",
        "Cookies: what changes in spring",
        "Access denied: harbour closes its gates",
    ],
)
def test_an_article_about_such_things_is_an_article(title: str) -> None:
    banner = "<div><p>We use cookies</p></div>"
    found = judged(story(banner + PASSWORD, title=title))
    assert found.kind == "article"
    assert found.article > 0.8


def test_a_declared_article_behind_a_login_is_not_taken_for_a_login() -> None:
    head = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Ferry returns",'
        ' "datePublished": "2026-11-03T08:00:00Z", "isAccessibleForFree": false}</script>'
    )
    stub = "<h1>Ferry returns</h1><p>The ferry left the harbour of Dunmere on Monday.</p><h2>Log in</h2>"
    found = judged(page_of(stub + PASSWORD, title="Ferry returns", head=head))
    assert found.kind != "login"
    assert found.article >= REFUSE_BELOW


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://courier.test/", "home page"),
        ("https://courier.test/de-ch/?utm_source=x", "home page"),
        ("https://courier.test/index.html", "home page"),
        ("https://courier.test/find?q=ferry", "search"),
        ("https://courier.test/?s=ferry", "search"),
        ("https://courier.test/tag/ferries/", "tag"),
        ("https://courier.test/autor/ada-lind", "tag"),
    ],
)
def test_addresses_of_listings_are_known(url: str, reason: str) -> None:
    found = judged(page_of(links(30), title="The Courier"), url)
    assert found.kind == "listing"
    assert reason in found.reasons[0]
    assert found.article < REFUSE_BELOW


def test_who_shared_an_article_does_not_make_it_a_search() -> None:
    assert judged(story(links(20)), f"{STORY_URL}?s=09").article > DOUBT_BELOW


def test_a_long_text_under_a_topic_is_no_listing() -> None:
    page = page_of(f"<h1>Forms</h1>{paragraphs(30)}{links(16)}", title="Forms")
    assert judged(page, "https://docs.ferry.test/en/topics/forms/").article > REFUSE_BELOW
