"""The publishers of the town, whose rights are beyond doubt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.rights.findings import NOW, finding, robots
from wireroom.model import Finding
from wireroom.parse.html import open_page
from wireroom.parse.page_tags import read_page_tags
from wireroom.parse.robots import read_robots
from wireroom.rights.finding_index import RulesFacts
from wireroom.signals import judge, page_findings
from wireroom.signals.rsl.rsl_document import RslFacts, RslNotice, read_rsl
from wireroom.signals.tdmrep.tdm_documents import TdmFacts, read_tdm_file, read_tdm_policy
from wireroom.signals.trust_txt import TrustFacts, read_trust_txt
from wireroom.town.declaration import Rights
from wireroom.town.permissions import (
    french_reservation,
    german_reservation,
    guarded,
    open_to_all,
    tolled,
)

HOST = "courier.test"
HOME = f"http://{HOST}/"


def _findings(rights: Rights, url: str) -> list[Finding]:
    """What a scout would save, without the traffic."""
    files = {path: file.body.encode() for path, file in rights.files.items()}
    found = [robots(rights.robots or "", url=HOME + "robots.txt")]
    for line in read_robots((rights.robots or "").encode()).licences("wireroom"):
        document = read_rsl(files[rights.rsl_path])
        notice = RslNotice(
            place="robots",
            licence_url=line.value,
            line=line.line,
            agents=line.agents,
            document=document,
        )
        found.append(finding("rsl", RslFacts(notices=(notice,))))
    if "/.well-known/tdmrep.json" in files:
        policy_url = HOME + "policies/tdm.json"
        body = files.get("/policies/tdm.json")
        facts = TdmFacts(
            file_url=HOME + ".well-known/tdmrep.json",
            file=read_tdm_file(files["/.well-known/tdmrep.json"], base_url=HOME),
            policies=(read_tdm_policy(body, url=policy_url),) if body else (),
        )
        found.append(finding("tdmrep", facts))
    if "/ai.txt" in files:
        found.append(
            finding("ai_txt", RulesFacts(url=HOME + "ai.txt", text=files["/ai.txt"].decode()))
        )
    for path in ("/trust.txt", "/.well-known/trust.txt"):
        if path in files:
            trust = read_trust_txt(files[path])
            found.append(finding("trust_txt", TrustFacts(url=HOME + path[1:], file=trust)))
    page = open_page(f"<html><head>{rights.head_html}</head><body><p>x</p></body></html>")
    signals = read_page_tags(page, url=url, headers=rights.headers)
    return [*found, *page_findings(signals, now=NOW, known=found)]


@pytest.mark.parametrize(
    "make", [open_to_all, guarded, french_reservation, german_reservation, tolled]
)
@pytest.mark.parametrize("path", ["", "news/2026/11/a-story"])
def test_verdicts_are_those_of_the_declaration(make: Callable[[str], Rights], path: str) -> None:
    rights = make(HOST)
    verdicts = judge(_findings(rights, HOME + path), HOME + path)
    found = {verdict.use: verdict for verdict in verdicts}
    assert rights.verdicts
    for use, word in rights.verdicts.items():
        assert found[use].value == word, use
        assert found[use].because


def test_the_guarded_one_names_what_it_sells_as_a_conflict() -> None:
    found = {verdict.use: verdict for verdict in judge(_findings(guarded(HOST), HOME), HOME)}
    assert {signal.family for signal in found["ai-index"].conflicts} == {"rsl", "tdmrep"}
    assert {signal.value for signal in found["ai-index"].conflicts} == {"paid"}


def test_its_press_pages_are_freer_than_the_rest() -> None:
    url = HOME + "press/release"
    signals = {
        signal.family: signal.value
        for verdict in judge(_findings(guarded(HOST), HOME), url)
        if verdict.use == "ai-index"
        for signal in (*verdict.because, *verdict.conflicts)
    }
    assert signals["rsl"] == "allow"
    assert signals["tdmrep"] == "allow"
    assert signals["robots_agents"] == "deny"
