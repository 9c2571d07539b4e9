"""One page, two texts: what depends on the text is read anew, the rest is not."""

from __future__ import annotations

from tests.parse.metadata.pages import FETCHED_AT, URL, tree_of
from wireroom.model import Claim
from wireroom.parse.metadata import read_metadata
from wireroom.parse.metadata.metadata_reader import MetadataReader

BODY = '<h1>Ferry returns</h1><p class="byline">By Ada Lind</p><p>Sign in to read more.</p>'
GERMAN = Claim(value="de", source="text", confidence=0.99)


def test_another_text_changes_language_and_paywall_alone() -> None:
    tree = tree_of('<meta property="og:title" content="Ferry returns">', BODY)
    reader = MetadataReader(tree, url=URL, fetched_at=FETCHED_AT)
    long, short = reader.read(None, 900), reader.read(GERMAN, 9)
    assert (long.language.value, short.language.value) == ("en", "de")
    assert (long.paywall.value, short.paywall.value) == ("free", "unknown")
    assert short.authors is long.authors
    assert short == read_metadata(
        tree, url=URL, fetched_at=FETCHED_AT, detected=GERMAN, word_count=9
    )
