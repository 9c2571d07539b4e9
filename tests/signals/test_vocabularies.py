"""Every vocabulary says where it is from and how old it is."""

from __future__ import annotations

import re

from wireroom.signals import vocabularies


def test_every_vocabulary_has_a_source_a_date_and_words() -> None:
    names = [vocabulary.name for vocabulary in vocabularies()]
    assert len(names) == len(set(names))
    for vocabulary in vocabularies():
        assert vocabulary.source
        assert re.fullmatch(r"20\d\d-\d\d(-\d\d)?", vocabulary.date), vocabulary.name
        assert vocabulary.words
        assert len(set(vocabulary.words)) == len(vocabulary.words), vocabulary.name
