"""Terms of service: found in many ways, read where they can be, and never guessed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.scout.contexts import HOME, NOW, Answer, Table, context_of, served
from wireroom.errors import FetchError, RefusedError, StatusError, UnreachableError
from wireroom.model import Finding, TypedFacts
from wireroom.ports import StepContext
from wireroom.rights.finding_index import facts_of
from wireroom.signals import judge
from wireroom.signals.rsl.rsl_document import RslContent, RslDocument, RslFacts, RslNotice
from wireroom.signals.terms import terms_step as terms
from wireroom.signals.terms.terms_step import TermsFacts
from wireroom.signals.terms.types import ACTIVITIES
from wireroom.town.declaration import Rights
from wireroom.town.permissions import french_reservation, german_reservation, guarded, open_to_all

TERMS = f"{HOME}terms-of-use"
CLAUSES = (
    "<html lang=en><title>Terms of use</title><body><main><h1>Terms of use</h1>"
    "<p>You may not scrape our pages by automated means without our prior written permission.</p>"
    "<p>You must not use our articles to train artificial intelligence.</p>"
    "<p>You may read and print articles for your personal use.</p>"
    "<p>Disputes are settled by arbitration in Port Merrow.</p></main></body></html>"
)


def home(footer: str, head: str = "", language: str = "en") -> str:
    return f"<html lang={language}><head>{head}</head><body><h1>The Courier</h1><footer>{footer}</footer></body></html>"


LINKED = home('<a href="/privacy">Privacy</a> <a href="/terms-of-use">Terms of use</a>')


async def run(answers: dict[str, Answer], **more: Finding) -> Finding:
    return await terms.run(context_of(answers, findings=more))


async def test_linked_terms_are_read_and_quoted() -> None:
    found = await run({HOME: LINKED, TERMS: CLAUSES})
    facts = found.facts
    assert (found.outcome, facts["tos_url"], facts["source"]) == ("yes", TERMS, "footer")
    assert facts["confidence"] > 0.9
    assert set(facts["activities"]) == set(ACTIVITIES)
    assert facts["activities"]["scraping"]["by_permission"] is True
    assert facts["activities"]["ai_ml"]["quote"].startswith("You must not use our articles")
    assert facts["activities"]["manual_use"]["word"] == "permitted"
    assert facts["activities"]["tdm"] | {"offset": 0} == {
        "word": "silent",
        "quote": "",
        "url": "",
        "conditions": (),
        "offset": 0,
        "by_permission": False,
        "because": "",
        "method": "rules",
    }
    assert facts["arbitration_clauses"] == ["Disputes are settled by arbitration in Port Merrow."]
    assert (facts["document_type"], facts["language"]) == ("terms_of_use", "en")
    assert 0 < facts["confidence_score"] < 1
    assert any("ai_ml: prohibited" in note.excerpt for note in found.evidence)
    assert json.dumps(dict(facts))


async def test_rights_listen_to_what_was_found() -> None:
    found = await run({HOME: LINKED, TERMS: CLAUSES})
    known = facts_of(found, TermsFacts)
    assert known is not None
    assert known.activities["ai_ml"].word == "prohibited"
    verdicts = {verdict.use: verdict.value for verdict in judge([found], f"{HOME}a-story")}
    assert verdicts["ai-train"] == "deny"
    assert verdicts["search"] == "unknown"


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("Terms and conditions", "/t1"),
        ("Nutzungsbedingungen", "/t2"),
        ("Conditions générales d’utilisation", "/t3"),
        ("Términos y condiciones", "/t4"),
        ("Termini e condizioni", "/t5"),
        ("Termos de uso", "/t6"),
        ("Algemene voorwaarden", "/t7"),
        ("Regulamin", "/t8"),
        ("Användarvillkor", "/t9"),
        ("Пользовательское соглашение", "/t10"),
        ("利用規約", "/t11"),
        ("使用条款", "/t12"),
        ("Όροι χρήσης", "/t13"),
        ("شروط الاستخدام", "/t14"),
    ],
)
async def test_terms_are_found_in_many_languages_and_privacy_never(words: str, path: str) -> None:
    footer = f'<a href="/datenschutz">Datenschutz</a><a href="/privacy">Privacy</a><a href="{path}">{words}</a>'
    found = await run({HOME: home(footer), f"{HOME}{path[1:]}": CLAUSES})
    assert found.facts["tos_url"] == f"{HOME}{path[1:]}"


async def test_rel_linked_data_and_rsl_name_terms_too() -> None:
    by_rel = home("", '<link rel="terms-of-service" href="/t">')
    data = {"@context": "https://schema.org", "@type": "WebSite", "termsOfService": "/t"}
    by_data = home("", f'<script type="application/ld+json">{json.dumps(data)}</script>')
    for page, source in ((by_rel, "link"), (by_data, "json_ld")):
        found = await run({HOME: page, f"{HOME}t": CLAUSES})
        assert (found.facts["tos_url"], found.facts["source"]) == (f"{HOME}t", source)
    notice = RslNotice(
        place="robots",
        licence_url=f"{HOME}rsl.xml",
        document=RslDocument(contents=(RslContent(terms_url=f"{HOME}t"),)),
    )
    rsl = Finding(
        step="rsl", outcome="yes", facts=TypedFacts(RslFacts(notices=(notice,))), found_at=NOW
    )
    gone = UnreachableError(HOME, "no answer", kind="timeout")
    found = await run({HOME: gone, f"{HOME}t": CLAUSES}, rsl=rsl)
    assert (found.outcome, found.facts["source"]) == ("yes", "rsl")


async def test_two_usual_paths_are_tried_when_nobody_names_any() -> None:
    table = Table(
        {HOME: home("", language="de"), f"{HOME}terms": "<title>Not here</title><p>Sorry"}
    )
    found = await terms.run(context_of(fetch=table))
    asked = [request.url for request in table.asked]
    assert asked == [HOME, f"{HOME}terms", f"{HOME}nutzungsbedingungen"]
    assert (found.outcome, found.facts["tos_url"]) == ("no", None)
    assert found.facts["skipped"] is True
    table.answers[f"{HOME}terms"] = CLAUSES
    found = await terms.run(context_of(fetch=table))
    assert (found.outcome, found.facts["source"]) == ("yes", "probe")


async def test_what_could_not_be_looked_at_is_no_no() -> None:
    down = StatusError(f"{HOME}terms", 500)
    found = await run({HOME: home(""), f"{HOME}terms": down, f"{HOME}terms-of-use": down})
    assert found.outcome == "failed"
    with pytest.raises(FetchError):
        await run({HOME: StatusError(HOME, 500)})
    refused = RefusedError(TERMS, "disallowed by robots.txt", kind="robots")
    kept = await run({HOME: LINKED, TERMS: refused})
    assert (kept.outcome, kept.facts["tos_url"]) == ("skipped", TERMS)
    assert facts_of(kept, TermsFacts) is None
    missing = await run({HOME: LINKED})
    assert (missing.outcome, missing.facts["reason"]) == ("failed", "gone")


async def test_a_privacy_page_behind_the_link_is_passed_over_for_the_next() -> None:
    footer = '<a href="/terms-of-use">Terms of use</a><a href="/legal">Legal notice</a>'
    private = "<title>Privacy policy</title><p>We keep little.</p>"
    found = await run({HOME: home(footer), TERMS: private, f"{HOME}legal": CLAUSES})
    assert found.facts["tos_url"] == f"{HOME}legal"
    alone = await run({HOME: LINKED, TERMS: private})
    assert (alone.outcome, alone.facts["tos_url"]) == ("no", None)


@pytest.mark.parametrize(
    "answer",
    [
        served(TERMS, b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", kind="application/pdf"),
        served(TERMS, b"%PDF-1.7\n", kind="text/html"),
        served(TERMS, b"", kind="application/pdf"),
    ],
)
async def test_terms_in_a_pdf_are_found_and_not_read(answer: Answer) -> None:
    found = await run({HOME: LINKED, TERMS: answer})
    assert (found.outcome, found.facts["tos_url"]) == ("unknown", TERMS)
    assert found.facts["reason"] == "terms are a PDF, not read"
    assert found.evidence[0].excerpt == "terms are a PDF, not read"


async def test_odd_terms_stay_unknown_with_a_reason() -> None:
    image = await run({HOME: LINKED, TERMS: served(TERMS, b"\x89PNG\r\n\x1a\n", kind="image/png")})
    assert (image.outcome, image.facts["reason"]) == ("unknown", "terms are image, not read")
    empty = await run({HOME: LINKED, TERMS: "<title>Terms of use</title><body></body>"})
    assert (empty.outcome, empty.facts["reason"]) == ("unknown", "the page of terms holds no text")


async def test_a_language_without_a_table_is_found_and_not_judged() -> None:
    text = "Zabrania się automatycznego pobierania treści serwisu bez zgody wydawcy. " * 5
    page = f"<html lang=pl><title>Regulamin</title><main><p>{text}</p></main>"
    found = await run({HOME: LINKED, TERMS: page})
    assert found.outcome == "unknown"
    assert "not judged: language (Polish)" in found.facts["notes"]
    assert {fact["word"] for fact in found.facts["activities"].values()} == {"silent"}


@pytest.mark.long
async def test_long_terms_are_cut_and_say_so() -> None:
    text = "".join(
        f"<p>Clause {n} says nothing that matters to anybody here.</p>" for n in range(6_000)
    )
    found = await run({HOME: LINKED, TERMS: f"<title>Terms of use</title><main>{text}</main>"})
    assert found.facts["truncated"] is True
    assert "only the beginning was read" in found.facts["notes"]


async def test_the_terms_of_the_town_say_what_its_publishers_mean() -> None:
    def page(rights: Rights, language: str) -> str:
        clauses = "".join(f"<p>{line}</p>" for line in rights.terms)
        return f"<html lang={language}><title>Terms of use</title><main>{clauses}</main></html>"

    expected = {
        guarded: ("en", "ai_ml:prohibited archiving:prohibited tdm:prohibited scraping:prohibited"),
        french_reservation: ("fr", "tdm:prohibited redistribution:conditional"),
        german_reservation: ("de", "ai_ml:prohibited scraping:prohibited"),
        open_to_all: ("en", "ai_ml:permitted tdm:permitted archiving:conditional"),
    }
    for make, (language, words) in expected.items():
        found = await run({HOME: LINKED, TERMS: page(make("courier.example"), language)})
        for activity, word in (pair.split(":") for pair in words.split()):
            assert found.facts["activities"][activity]["word"] == word, (make.__name__, activity)


# --- a second opinion --------------------------------------------------------------------------


def advised(answer: str | FetchError) -> StepContext:
    async def advise(prompt: str, /) -> str:
        assert "You must not use our articles" in prompt
        if isinstance(answer, FetchError):
            raise answer
        return answer

    return replace(context_of({HOME: LINKED, TERMS: CLAUSES}), advise=advise)


def model_answer(**words: tuple[str, str]) -> str:
    return json.dumps(
        {name: {"word": word, "quote": quote} for name, (word, quote) in words.items()}
    )


async def test_a_model_may_tighten_with_a_quote_that_stands_in_the_text() -> None:
    answer = model_answer(
        manual_use=("conditional", "You may read and print articles\n for your personal use."),
        tdm=("prohibited", "You must not use our articles to train artificial intelligence."),
        archiving=("prohibited", "Archiving is forbidden on pain of a fine."),
        ai_ml=("permitted", "You may read and print articles for your personal use."),
        api_rss=("permitted", "You may read and print articles for your personal use."),
    )
    found = await terms.run(advised(f"Here you are:\n```json\n{answer}\n```\nGood luck!"))
    activities = found.facts["activities"]
    assert (activities["tdm"]["word"], activities["tdm"]["method"]) == ("prohibited", "model")
    assert activities["manual_use"]["word"] == "conditional"
    assert (
        activities["manual_use"]["quote"]
        == "You may read and print articles for your personal use."
    )
    assert activities["archiving"]["word"] == "silent", "its quote is invented"
    assert activities["api_rss"]["word"] == "silent", "a model permits nothing"
    assert (activities["ai_ml"]["word"], activities["ai_ml"]["method"]) == ("prohibited", "rules")
    assert found.facts["judged_by"] == "rules and model"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I would rather not.",
        "{" * 10_000,
        "[" * 100_000,
        '{"ai_ml": "prohibited", "tdm": {"word": 7, "quote": ["x"]}, "ugc": {"word": "prohibited"}}',
        '{"tdm": {"word": "prohibited", "quote": "the"}}',
        "\ud800{}",
        "[1, 2, 3]",
    ],
)
async def test_a_model_that_talks_nonsense_changes_nothing(answer: str) -> None:
    plain = await run({HOME: LINKED, TERMS: CLAUSES})
    found = await terms.run(advised(answer))
    assert found.facts["activities"] == plain.facts["activities"]


async def test_a_model_that_cannot_be_asked_leaves_the_rules() -> None:
    error = FetchError("https://model.example/", "no answer", kind="timeout")
    found = await terms.run(advised(error))
    assert found.outcome == "yes"
    assert "the model could not be asked: no answer" in found.facts["notes"]
    assert found.facts["judged_by"] == "rules"


async def test_offline_asks_no_model() -> None:
    context = replace(advised(model_answer()), offline=True)
    assert (await terms.run(context)).facts["judged_by"] == "rules"


SILENT_TERMS = "<html lang=en><title>Terms of use</title><body><main><h1>Terms of use</h1><p>Our articles are protected by copyright, and you accept these terms by reading them.</p></main></body></html>"


def several(count: int) -> str:
    return home("".join(f'<a href="/t{n}">Terms of use</a>' for n in range(count)))


async def test_who_names_several_terms_means_all_of_them() -> None:
    found = await run(
        {
            HOME: several(3),
            f"{HOME}t0": SILENT_TERMS,
            f"{HOME}t1": SILENT_TERMS,
            f"{HOME}t2": CLAUSES,
        }
    )
    word = found.facts["activities"]["ai_ml"]
    assert (word["word"], word["url"]) == ("prohibited", f"{HOME}t2")
    assert found.facts["tos_url"] == f"{HOME}t0"
    assert f"terms at {HOME}t2, too" in found.facts["notes"]
    assert "unseen" not in found.facts


async def test_terms_that_are_named_beyond_the_limit_are_not_seen() -> None:
    served_terms = {f"{HOME}t{n}": SILENT_TERMS for n in range(5)}
    found = await run({HOME: several(5), **served_terms})
    assert found.facts["unseen"] == f"{HOME}: it names 2 more places of terms than are asked for"


async def test_terms_that_can_be_read_are_judged_beside_those_that_cannot() -> None:
    pdf = served(f"{HOME}t0", b"%PDF-1.7", kind="application/pdf")
    found = await run({HOME: several(2), f"{HOME}t0": pdf, f"{HOME}t1": CLAUSES})
    assert (found.outcome, found.facts["tos_url"]) == ("yes", f"{HOME}t1")
    assert found.facts["unseen"] == f"{HOME}t0: terms are a PDF, not read"
