"""Rights reserved in the comments of a robots.txt, told from headings and boilerplate."""

from __future__ import annotations

import pytest

from tests.budget import cpu_within
from wireroom.parse.robots import Reservation, read_robots
from wireroom.parse.robots.prose_comments import MAX_QUOTE, MAX_RESERVATIONS


def found(text: str) -> tuple[Reservation, ...]:
    return read_robots(text.encode()).reservations


RESERVED = [
    ("# no AI training", "en"),
    ("# NO AI TRAINING ON THIS SITE!", "en"),
    ("# *** No generative AI training ***", "en"),
    ("# Our articles may not be used to train artificial intelligence.", "en"),
    ("# You must not use the Courier for machine learning.", "en"),
    ("# Training of LLMs on these pages without our prior written consent is theft", "en"),
    ("# The Courier opts out of AI training", "en"),
    ("# Text and data mining is prohibited.", "en"),
    ("# We reserve all rights to text & data mining", "en"),
    ("# Data mining needs a licence: not permitted otherwise", "en"),
    ("# Rights reserved under Article 4 of Directive (EU) 2019/790", ""),
    ("# Art. 4 of the CDSM directive applies", ""),
    ("# Reservation according to section 44b of the German copyright act", ""),
    ("# Nutzungsvorbehalt gemäß § 44b Abs. 3 UrhG", ""),
    ("# Es gilt §44b UrhG", ""),
    ("# Ein Nutzungsvorbehalt wird hiermit erklärt", "de"),
    ("# Das Training von KI-Modellen sei hiermit untersagt", "de"),
    ("# Kein KI-Training mit unseren Texten", "de"),
    ("# Vorbehalten: Training künstlicher Intelligenz", "de"),
    ("# Wir haben die Entwicklung von Sprachmodellen damit nicht gestattet", "de"),
    ("# Text- und Data-Mining nur nach Zustimmung, sonst verboten", "de"),
    ("# Artikel 4 der DSM-Richtlinie", ""),
    ("# La fouille de textes et de données est interdite", "fr"),
    ("# Nous nous opposons à toute fouille de données", "fr"),
    ("# L’entraînement d’une IA avec nos textes est interdit", "fr"),
    ("# Aucun entrainement d'intelligence artificielle", "fr"),
    ("# Article L. 122-5-3 du code de la propriété intellectuelle", ""),
    ("# Marché unique numérique, article 4 : droits réservés", ""),
]

NOT_RESERVED = [
    "# Block AI bots",
    "# AI crawlers",
    "# No AI bots",
    "# No AI training bots",
    "# Disallow AI training crawlers",
    "# Do not allow AI training scrapers",
    "# Data mining bots are not allowed",
    "# TDM crawlers",
    "# KI-Bots blockieren",
    "# Keine KI-Trainingsbots",
    "# Bloquer les robots d'IA",
    "# Our training courses for editors",
    "# Do not index the training section",
    "# Anyone may train AI models on our texts",
    "# All rights reserved",
    "# Droits réservés",
    "# Rechte vorbehalten",
    "# tuning: do not crawl too fast",
    "User-agent: *\nDisallow: /no-ai-training",
    "Sitemap: https://courier.test/2019/790.xml",
]

# In our own words apart from the sentences that it is known by.
PROVIDER_TEXT = """# As a condition of accessing this website, you agree to abide by the following
# content signals:
#
# (b)  If a Content-Signal = no, you may not collect content for the
#      corresponding use.
# ai-input: putting content into AI models (grounding). Search does not include that.
# ai-train: training or fine-tuning AI models.
#
# ANY RESTRICTIONS EXPRESSED VIA CONTENT SIGNALS ARE EXPRESS RESERVATIONS OF
# RIGHTS UNDER ARTICLE 4 OF THE EUROPEAN UNION DIRECTIVE 2019/790 ON COPYRIGHT
# AND RELATED RIGHTS IN THE DIGITAL SINGLE MARKET.
"""
RULES = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"


@pytest.mark.parametrize(("comment", "language"), RESERVED)
def test_rights_reserved_in_prose_are_quoted(comment: str, language: str) -> None:
    text = "User-agent: *\nDisallow: /x\n" + comment + "\n"
    quote = comment.strip("# *")
    assert found(text) == (Reservation(3, 3, quote, language),)


@pytest.mark.parametrize("comment", NOT_RESERVED)
def test_headings_and_permissions_reserve_nothing(comment: str) -> None:
    assert found(comment + "\nUser-agent: owlbot\nDisallow: /\n") == ()


@pytest.mark.parametrize("gap", ["#\n", "\n", ""])
def test_the_text_that_explains_content_signals_is_no_second_reservation(gap: str) -> None:
    assert found(PROVIDER_TEXT.replace("#\n", gap) + RULES) == ()


def test_a_publishers_own_words_beside_that_text_count() -> None:
    (own,) = found(PROVIDER_TEXT + "# No AI training without our consent.\n" + RULES)
    assert (own.line, own.last_line) == (12, 12)
    assert own.quote == "No AI training without our consent."


def test_a_sentence_over_several_lines_is_quoted_whole() -> None:
    text = (
        "# Welcome to the Courier. The publisher reserves\r\n"
        "# its rights under Article 4 of\r\n"
        "# Directive 2019/790. Thank you.\r\n"
        "User-agent: *\r\n"
    )
    (reservation,) = found(text)
    assert (reservation.line, reservation.last_line) == (1, 3)
    assert reservation.quote.splitlines()[1] == "its rights under Article 4 of"


def test_sentences_that_follow_on_one_another_are_one_reservation() -> None:
    text = "# No AI training.\n# § 44b UrhG applies.\n# Hello.\n#\n# No LLM training.\n"
    assert [(reservation.line, reservation.last_line) for reservation in found(text)] == [
        (1, 2),
        (5, 5),
    ]


def test_a_comment_behind_a_rule_counts() -> None:
    (reservation,) = found("User-agent: *\nDisallow: / # no AI training\n# Hello\n")
    assert (reservation.line, reservation.quote) == (2, "no AI training")


def test_a_comment_in_an_old_encoding_is_read() -> None:
    body = "# Die Nutzung für das Training künstlicher Intelligenz bleibt untersagt".encode(
        "cp1252"
    )
    (reservation,) = read_robots(body).reservations
    assert "künstlicher" in reservation.quote


def test_quotes_are_printable_and_bounded() -> None:
    (reservation,) = found("# no AI training \x1b[31m " + "very " * 1_000 + "\n")
    assert len(reservation.quote) == MAX_QUOTE
    assert reservation.quote.isprintable()


def test_a_file_full_of_reservations_is_bounded() -> None:
    text = "# no AI training here\n\n" * 5_000
    with cpu_within(2):
        assert len(found(text)) == MAX_RESERVATIONS


@pytest.mark.parametrize(
    "piece", ["# text and data ", "# without a ", "# ai train ", "#§ ", "# a. B", "# no no no "]
)
def test_hostile_comments_take_linear_time(piece: str) -> None:
    with cpu_within(2):
        found("# mining train\n" + piece * (200_000 // len(piece)))
        found("# mining train\n" + (piece + "\n") * (200_000 // len(piece)))
