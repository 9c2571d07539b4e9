"""Every vocabulary says where it is from and how old it is."""

from __future__ import annotations

import re

from wireroom.rights.vocabularies import vocabularies


def test_every_vocabulary_has_a_source_a_date_and_words() -> None:
    names = [one.name for one in vocabularies()]
    assert len(names) == len(set(names))
    for one in vocabularies():
        assert one.source
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", one.date), one.name
        assert one.words
        assert len(set(one.words)) == len(one.words), one.name
