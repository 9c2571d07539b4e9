"""Licences by address, and the rights fields of schema.org."""

from __future__ import annotations

import pytest

from wireroom.signals.licence import (
    MAX_FIELDS,
    creative_commons,
    licence_code,
    rights_fields,
)

CC = "https://creativecommons.org"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        (f"{CC}/licenses/by/4.0/", "CC BY 4.0"),
        (f"{CC}/licenses/by/4.0", "CC BY 4.0"),
        ("http://www.creativecommons.org/licenses/by-nc-sa/2.0/de/deed.en", "CC BY-NC-SA 2.0 DE"),
        (f"{CC}/licenses/by-nd-nc/1.0/", "CC BY-NC-ND 1.0"),
        (f"{CC}/licenses/by-sa/4.0/legalcode.fr", "CC BY-SA 4.0"),
        (f"{CC}/licenses/BY-NC/4.0/?ref=x", "CC BY-NC 4.0"),
        (f"{CC}/licenses/sa/1.0/", "CC SA 1.0"),
        (f"{CC}/publicdomain/zero/1.0/", "CC0 1.0"),
        (f"{CC}/publicdomain/mark/1.0/", "PDM 1.0"),
        (f"{CC}/licenses/nc-sampling+/1.0/", ""),
        (f"{CC}/licenses/", ""),
        (f"{CC}/about/", ""),
        ("https://creativecommons.org.evil.test/licenses/by/4.0/", ""),
        ("https://evil.test/?u=https://creativecommons.org/licenses/by/4.0/", ""),
        ("https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/", "OGL"),
        ("https://courier.test/licence", ""),
        ("", ""),
    ],
)
def test_an_address_is_a_code(url: str, code: str) -> None:
    assert licence_code(url) == code


@pytest.mark.parametrize(
    ("code", "elements"),
    [
        ("CC0 1.0", frozenset()),
        ("CC BY-NC 4.0", frozenset({"by", "nc"})),
        ("CC BY", frozenset({"by"})),
        ("PDM 1.0", None),
        ("OGL", None),
        ("", None),
        ("CC", None),
    ],
)
def test_a_code_has_elements(code: str, elements: frozenset[str] | None) -> None:
    assert creative_commons(code) == elements


def test_fields_are_texts_each_once() -> None:
    nodes: list[dict[str, object]] = [
        {"license": {"@id": f"{CC}/licenses/by/4.0/"}, "copyrightNotice": "© The <b>Courier</b>"},
        {"license": [f"{CC}/licenses/by/4.0/", 3, None], "creditText": "", "other": "x"},
    ]
    assert [(rights_field.name, rights_field.value) for rights_field in rights_fields(nodes)] == [
        ("license", f"{CC}/licenses/by/4.0/"),
        ("copyrightNotice", "© The Courier"),
    ]


def test_fields_are_bounded() -> None:
    assert len(rights_fields({"license": f"https://a.test/{n}"} for n in range(500))) == MAX_FIELDS
