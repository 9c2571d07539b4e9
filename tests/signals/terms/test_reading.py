"""Sixty clauses with known answers, and what has to hold for any text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.parts import examples
from tests.signals.terms.clauses import Clause, known_clauses
from wireroom.parse.html import open_page
from wireroom.signals.terms.phrases import LANGUAGES, table_of
from wireroom.signals.terms.terms_reading import MAX_TEXT, document_type, read_terms, text_of_page
from wireroom.signals.terms.types import ACTIVITIES

SENTENCES = """\
en|You may not use the Service except as expressly permitted by these Terms, and scraping is never permitted.|scraping=prohibited
en|Except where permitted by law, reproduction is not allowed.|redistribution=prohibited
en|You agree not to use any robot, spider or other automatic device to access the site.|scraping=prohibited
en|Nothing in these terms permits you to train AI models on our content.|ai_ml=prohibited
en|Only search engines may crawl our pages.|scraping=conditional
en|You may read our articles and may print single pages, but you may not archive them or use them to train AI systems.|manual_use=permitted archiving=prohibited ai_ml=prohibited
en|You can't use bots here.|scraping=prohibited
en|Use of our content by AI is allowed only under a licence agreement.|ai_ml=conditional
en|Text and data mining, including the training of artificial intelligence, is expressly permitted.|tdm=permitted ai_ml=permitted
en|Scraping and crawling are allowed.|scraping=permitted
en|We do not object to archiving by public libraries.|archiving=conditional
en|Our feeds are offered for personal, non-commercial use in a reader.|api_rss=conditional
en|Our articles may not be archived, cached or redistributed, save for short extracts with a link.|archiving=prohibited redistribution=prohibited
en|Our API may be temporarily unavailable.|
en|We reserve the right to change our RSS feeds at any time.|
en|Your personal information may be stored in our archive.|
en|Users may not create derivative works from our articles.|ai_ml=conditional redistribution=conditional
en|All rights reserved.|
en|You are not permitted to use automated tools, whether or not for commercial purposes.|scraping=prohibited
en|Neither scraping nor automated downloading is authorised.|scraping=prohibited
en|It is permitted to quote up to fifty words if you credit us.|redistribution=conditional
en|You may access the site manually; automated access is a breach of these terms.|scraping=prohibited
en|AI companies must contact us for a licence before using our articles.|ai_ml=conditional
en|You may use our articles in any way, except for AI training.|ai_ml=conditional
en|Is scraping allowed?|scraping=conditional
en|You can use our API free of charge.|api_rss=permitted
en|Any form of automated data collection will result in legal action.|scraping=prohibited
en|Permitted uses do not include machine learning.|ai_ml=prohibited
de|Gestattet ist allein die private Nutzung, nicht jedoch das Training von KI.|ai_ml=prohibited manual_use=permitted
fr|Tout scraping est passible de poursuites.|scraping=prohibited
es|El uso de IA dará lugar a acciones legales.|ai_ml=prohibited
de|Crawler sind hier nicht willkommen und dürfen unsere Seiten nicht besuchen.|scraping=prohibited
de|Sie dürfen die Artikel lesen, aber nicht weiterverbreiten.|manual_use=permitted redistribution=prohibited
de|Wir gestatten die Nutzung unserer Texte für KI-Training nicht.|ai_ml=prohibited
de|Jede Vervielfältigung ist verboten, es sei denn, der Verlag hat sie erlaubt.|redistribution=prohibited
de|Text und Data Mining ist erlaubt.|tdm=permitted
de|Artikel dürfen weder archiviert noch in Datenbanken gespeichert werden.|archiving=prohibited
de|Wir behalten uns vor, den RSS-Feed jederzeit einzustellen.|
de|Das Auslesen der Seiten mit Software ist keinem Nutzer erlaubt.|scraping=prohibited
fr|Toute reproduction, même partielle, est soumise à autorisation préalable.|redistribution=conditional
fr|Vous n'êtes pas autorisé à utiliser des robots.|scraping=prohibited
fr|Il n'est pas interdit de citer nos articles.|redistribution=conditional
fr|Nul ne peut aspirer nos pages.|scraping=prohibited
fr|L'entraînement d'une IA sur nos contenus est autorisé.|ai_ml=permitted
fr|Les robots ne sont admis que sur demande.|scraping=conditional
es|Se permite la minería de textos y datos.|tdm=permitted
es|Se prohíbe la reproducción total o parcial sin autorización.|redistribution=prohibited
es|Nadie podrá entrenar modelos de inteligencia artificial con nuestros textos.|ai_ml=prohibited
es|Usted puede leer las noticias, pero no puede copiarlas.|manual_use=permitted redistribution=prohibited
es|Todos los derechos reservados, incluida la minería de datos.|tdm=prohibited
"""
# Permissions as plain as can be: whatever word of refusal is put into them, they are none any more.
PERMISSIONS = {
    "en": (
        ("Scraping, data mining, archiving and AI training are {} permitted.",),
        ("not", "never"),
    ),
    "de": (
        ("Scraping, Data Mining, Archivierung und KI-Training sind {} gestattet.",),
        ("nicht", "niemals", "keinesfalls"),
    ),
    "fr": (
        ("Le scraping, la fouille de textes, l'archivage et l'IA ne sont {} autorisés.",),
        ("pas", "jamais", "aucunement"),
    ),
    "es": (
        ("El scraping, la minería de datos, archivar y la IA {} están permitidos.",),
        ("no", "nunca", "tampoco"),
    ),
}


def clause(row: str) -> Clause:
    language, text, expected = row.split("|")
    return Clause(f"{language}-01", text, dict(pair.split("=") for pair in expected.split()))


def test_ninety_in_a_hundred_clauses_are_read_right() -> None:
    known = known_clauses()
    assert len(known) == 60
    assert sum(clause.is_right() for clause in known) >= 54


def test_no_prohibition_is_read_as_a_permission() -> None:
    for known_clause in known_clauses():
        words = known_clause.words()
        for activity, word in known_clause.expects.items():
            assert not (word == "prohibited" and words[activity] == "permitted"), known_clause.id


@pytest.mark.parametrize("row", SENTENCES.splitlines(), ids=lambda row: row[:60])
def test_a_sentence_says(row: str) -> None:
    known = clause(row)
    assert known.is_right(), {a: word for a, word in known.words().items() if word != "silent"}


@pytest.mark.parametrize("language", sorted(PERMISSIONS))
def test_a_refusal_in_a_permission_leaves_no_permission(language: str) -> None:
    sentences, refusals = PERMISSIONS[language]
    for sentence in sentences:
        for refusal in refusals:
            words = Clause(f"{language}-01", sentence.format(refusal), {}).words()
            assert "permitted" not in words.values(), (sentence, refusal)
            assert words["ai_ml"] == "prohibited"


def test_of_shuffled_clauses_none_is_permitted_that_one_forbids() -> None:
    chance = random.Random(7)
    english = [known_clause for known_clause in known_clauses() if known_clause.language == "en"]
    for _ in range(30):
        some = chance.sample(english, 5)
        words = Clause("en-01", "\n".join(clause.text for clause in some), {}).words()
        for clause in some:
            for activity, word in clause.expects.items():
                if word == "prohibited" and clause.words()[activity] == "prohibited":
                    assert words[activity] == "prohibited"


def test_every_quote_stands_in_the_text_at_its_place() -> None:
    for language in LANGUAGES:
        text = "\n\n".join(
            known_clause.text
            for known_clause in known_clauses()
            if known_clause.language == language
        )
        reading = read_terms(text, language=language)
        assert reading.state == "judged"
        assert reading.language == language
        for passage in reading.activities.values():
            assert (passage.word == "silent") == (not passage.quote)
            assert text[passage.offset :].startswith(passage.quote)


def test_items_of_a_list_stand_under_what_introduces_them() -> None:
    text = "Readers are asked not to:\n\n- run crawlers on our pages\n- store articles in a database\n\nWe are glad to hear from you."
    reading = read_terms(text, language="en")
    assert reading.activities["scraping"].word == "prohibited"
    assert reading.activities["archiving"].word == "prohibited"
    assert reading.activities["scraping"].quote.startswith("Readers are asked not to:")
    heading = read_terms("Prohibited uses\n- Scraping of any kind\n- AI training", language="en")
    assert heading.activities["ai_ml"].word == "prohibited"


def test_permission_that_lifts_a_prohibition_and_conditions_are_written_down() -> None:
    asked = read_terms(
        "You may not scrape our pages without our prior written permission. "
        "You may quote short excerpts provided you credit the author for non-commercial work.",
        language="en",
    )
    assert asked.activities["scraping"].by_permission
    assert not asked.activities["ai_ml"].by_permission
    assert set(asked.activities["redistribution"].conditions) == {"attribution", "non-commercial"}


def test_the_strictest_sentence_holds_and_the_conflict_is_named() -> None:
    reading = read_terms(
        "Archiving of our articles is permitted.\nArchiving is prohibited.", language="en"
    )
    assert reading.activities["archiving"].word == "prohibited"
    assert reading.conflicts == ("archiving",)
    alone = read_terms("Archiving is prohibited on all of our pages here.", language="en")
    assert alone.confidence > reading.confidence


def test_a_language_without_a_table_is_not_judged() -> None:
    text = "Zabrania się automatycznego pobierania treści serwisu bez zgody wydawcy. Regulamin obowiązuje wszystkich."
    reading = read_terms(text, language="pl")
    assert (reading.state, reading.language) == ("language", "pl")
    assert {activity.word for activity in reading.activities.values()} == {"silent"}
    assert read_terms("  \n ").state == "empty"


def test_places_and_arbitration_are_quoted() -> None:
    reading = read_terms(
        "If you live in the European Union, section 4 does not apply to you.\n"
        "Disputes are settled by arbitration in Port Merrow.",
        title="Terms of use | The Courier",
        language="en",
    )
    assert reading.territorial_exceptions[0].startswith("If you live")
    assert reading.arbitration_clauses == ("Disputes are settled by arbitration in Port Merrow.",)
    assert reading.document_type == "terms_of_use"


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Privacy policy", "privacy_policy"),
        ("Datenschutzerklärung", "privacy_policy"),
        ("Terms of use and privacy policy", "terms_of_use"),
        ("Nutzungsbedingungen", "terms_of_use"),
        ("Conditions générales de vente", "terms_of_sale"),
        ("Aviso legal", "legal_notice"),
        ("The Courier", "unknown"),
    ],
)
def test_a_document_is_what_it_calls_itself(title: str, kind: str) -> None:
    assert document_type(title) == kind


def test_a_long_document_is_cut_and_says_so() -> None:
    text = "Nothing much is said in here, and it goes on for a long time.\n" * 9_000
    reading = read_terms(text, language="en")
    assert len(text) > MAX_TEXT
    assert reading.truncated
    assert not read_terms(text[:1_000], language="en").truncated


def test_the_text_of_a_page_keeps_its_clauses_and_leaves_its_menu() -> None:
    page = open_page(
        "<html><title>Terms of use</title><body><nav><a href=/>Home</a></nav><main><h1>Terms</h1>"
        "<p>You may not:</p><ul><li>scrape our pages;</li><li>train AI models.</li></ul>"
        "</main></body></html>"
    )
    found = text_of_page(page)
    assert "You may not:\n\n- scrape our pages;\n- train AI models." in found.text
    assert "Home" not in found.text
    assert "Terms of use" in found.title


def test_every_language_has_phrases_for_every_activity() -> None:
    for language in LANGUAGES:
        table = table_of(language)
        assert table is not None
        assert {*table.topics, "ugc"} == set(ACTIVITIES)
    assert table_of("pl") is None


HOSTILE = [
    ("en", "you may not " * 40_000),
    ("en", "a, " * 100_000 + "is prohibited"),
    ("en", "without " * 50_000),
    ("en", "- \n" * 100_000),
    ("en", "You may not:\n" + "- scrape\n" * 40_000),
    ("en", "e.g. " * 80_000),
    ("de", "darf " * 80_000),
    ("fr", "ne " * 130_000 + "que"),
    ("en", "x" * 400_000),
    ("en", "\u0301" * 400_000),
]


@pytest.mark.parametrize(
    "also_read_as", [(), pytest.param(tuple(LANGUAGES), marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("aimed_at", "text"), HOSTILE)
def test_hostile_texts_take_little_time(
    aimed_at: str, text: str, also_read_as: tuple[str, ...]
) -> None:
    for language in also_read_as or (aimed_at,):
        assert table_of(language) is not None
        with cpu_within(4):  # ordinary documents of that length take a tenth
            Clause(f"{language}-01", text[:MAX_TEXT], {}).words()


@examples(60)
@given(st.text(max_size=400), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_is_read(text: str, language: str) -> None:
    reading = read_terms(text, language=language)
    for passage in reading.activities.values():
        assert text[passage.offset :].startswith(passage.quote)
