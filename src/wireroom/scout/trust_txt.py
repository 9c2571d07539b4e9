"""Step: trust.txt, whom the publisher belongs to and whether its texts may train models."""

from __future__ import annotations

from collections import Counter

from wireroom.model import Finding
from wireroom.parse.signals.trust_txt import TrustTxt, read_trust_txt
from wireroom.ports import Step, StepContext
from wireroom.rights.facts import TrustFacts, to_facts
from wireroom.scout.findings import finding
from wireroom.scout.wellknown import well_known

SHOWN = 20  # lines of evidence; an association lists thousands of members


async def look(case: StepContext) -> Finding:
    """The file at its well-known address, or at the older one."""
    answered = await well_known(case, "/.well-known/trust.txt", _read)
    if answered.file is None:
        answered = await well_known(case, "/trust.txt", _read)
    file = answered.file
    if file is None:
        facts = to_facts(TrustFacts(url=answered.url)) | {"reason": answered.why}
        return finding(case, "trust_txt", "no", facts, answered.evidence())
    facts = to_facts(TrustFacts(url=answered.url, file=file))
    facts["counts"] = dict(Counter(entry.key for entry in file.entries))
    facts["data_training_allowed"] = next(iter(file.values("datatrainingallowed")), None)
    notes = [
        answered.evidence(f"{entry.key}={entry.value}", line=entry.line)
        for entry in file.entries[:SHOWN]
    ]
    return finding(case, "trust_txt", "yes", facts, *notes)


def _read(body: bytes, _url: str, media_type: str) -> TrustTxt:
    return read_trust_txt(body, content_type=media_type)


PLUG = Step("trust_txt", "trust.txt", look)
