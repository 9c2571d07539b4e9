"""TDMRep: the file, the values, the policy."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.signals.outcomes import outcome
from wireroom.errors import ParseError
from wireroom.signals.tdmrep.tdm_documents import (
    MAX_BYTES,
    MAX_RULES,
    TdmRule,
    read_reservation,
    read_tdm_file,
    read_tdm_policy,
)

URL = "https://courier.test/policy.json"


@pytest.mark.parametrize(
    ("value", "read"),
    [("1", 1), (" 0 ", 0), (1, 1), (0, 0), (True, None), ("yes", None), (None, None), (2, None), ("", None)],
)  # fmt: skip
def test_only_0_and_1_are_reservations(value: object, read: int | None) -> None:
    assert read_reservation(value) == read


def test_rules_keep_their_order() -> None:
    body = json.dumps(
        [
            {"location": "/press/*", "tdm-reservation": 0},
            {"location": "/*", "tdm-reservation": 1, "tdm-policy": "/policy.json"},
            {"location": "/odd", "tdm-reservation": "maybe"},
            {"tdm-reservation": 1},
            "text",
        ]
    ).encode()
    file = read_tdm_file(body, base_url="https://courier.test/.well-known/tdmrep.json")
    assert file.rules == (
        TdmRule(location="/press/*", reservation=0),
        TdmRule(location="/*", reservation=1, policy_url=URL),
        TdmRule(location="/odd"),
    )
    assert file.skipped == 2


@pytest.mark.parametrize(
    "body",
    [
        b'{"location": "/", "tdm-reservation": 1}',
        b"<html></html>",
        b"",
        b"no json",
        b"1",
        b"[" * 100_000,
        b'"' + b"x" * MAX_BYTES + b'"',
    ],
)
def test_whatever_is_no_list_is_refused(body: bytes) -> None:
    with pytest.raises(ParseError):
        read_tdm_file(body)


def test_rules_are_bounded() -> None:
    body = json.dumps([{"location": f"/{n}"} for n in range(MAX_RULES + 7)]).encode()
    file = read_tdm_file(body)
    assert len(file.rules) == MAX_RULES
    assert file.skipped == 7


OFFER = {
    "@type": "Offer",
    "assigner": {"vcard:fn": "The Courier", "vcard:hasEmail": "mailto:rights@courier.test"},
    "permission": [
        {
            "action": "tdm:mine",
            "duty": [{"action": "obtainConsent"}, {"action": [{"rdf:value": {"@id": "odrl:compensate"}}]}],
            "constraint": {"rightOperand": {"@id": "tdm:non-research"}},
        },
        {"action": "tdm:mine", "constraint": [{"rightOperand": "tdm:research"}]},
    ],
}  # fmt: skip


def test_an_offer_names_duties_purpose_and_contact() -> None:
    policy = read_tdm_policy(json.dumps(OFFER).encode(), url=URL)
    assert policy.duties == ("consent", "compensation")
    assert [permission.purpose for permission in policy.permissions] == ["non-research", "research"]
    assert (policy.assigner, policy.email) == ("The Courier", "rights@courier.test")
    assert read_tdm_policy(json.dumps([OFFER]).encode(), url=URL) == policy


@pytest.mark.parametrize("body", [b"{}", b"[]", b"3", b'{"permission": 1}', b"<p>terms</p>"])
def test_whatever_is_no_offer_is_refused(body: bytes) -> None:
    with pytest.raises(ParseError):
        read_tdm_policy(body, url=URL)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda held: (
        st.lists(held, max_size=4)
        | st.dictionaries(
            st.sampled_from(["location", "tdm-reservation", "permission", "duty", "action", "assigner"]),
            held,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(_JSON)
def test_any_json_is_read_or_refused(value: object) -> None:
    body = json.dumps(value).encode()
    assert outcome(lambda: read_tdm_file(body))
    assert outcome(lambda: read_tdm_policy(body, url=URL))
