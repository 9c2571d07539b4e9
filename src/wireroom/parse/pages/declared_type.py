"""What a page says of its own kind: og:type, types of linked data and microdata, dates, authors.

Pure. Types are sorted into few families by tables; what they are worth is for the weights to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from wireroom.parse.metadata import Metadata
from wireroom.parse.metadata.jsonld import flat, is_article, types_of
from wireroom.parse.metadata.vocabulary import listed

MIN_ARTICLE_BODY: Final = 200  # characters of an `articleBody` that count as text

TYPE_FAMILIES: Final = {
    "article": frozenset(listed("recipe howto review criticreview claimreview medicalwebpage")),
    "product": frozenset(
        listed(
            """
            product productgroup offer aggregateoffer individualproduct productmodel vehicle car book
            softwareapplication mobileapplication videogame
            """
        )
    ),
    "service": frozenset(
        listed(
            """
            service localbusiness professionalservice corporation aboutpage contactpage webapplication
            financialservice legalservice homeandconstructionbusiness medicalbusiness store
            faqpage softwareapplication webapplication governmentservice course
            """
        )
    ),
    "forum": frozenset(listed("discussionforumposting qapage question answer comment")),
}
_OG_TYPES: Final = {"": 0, "website": 1, "article": 2, "product": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredType:
    """What the page says of itself, in numbers."""

    og_type: int
    """0 nothing, 1 website, 2 article, 3 product, 4 something else."""
    families: Mapping[str, int]
    """Objects of each family of types, in linked data and microdata."""
    full_article: bool
    """An article with its headline and its date."""
    article_body: bool
    """The text itself stands in the linked data."""

    @property
    def og_article(self) -> bool:
        """Whether og:type says article."""
        return self.og_type == _OG_TYPES["article"]


def read_declared_type(metadata: Metadata) -> DeclaredType:
    """What the metadata says about the kind of the page."""
    formats = metadata.formats
    nodes = list(flat([dict(node) for node in metadata.json_ld]))
    types = [name for node in nodes for name in types_of(node)]
    microdata = formats.get("microdata", {})
    types += types_of(microdata)
    families = {
        name: sum(kind in family for kind in types) for name, family in TYPE_FAMILIES.items()
    }
    families["article"] += sum(map(is_article, (*nodes, microdata)))
    og_type = _first_word(formats.get("opengraph", {}).get("@type"))
    return DeclaredType(
        og_type=3 if og_type.startswith("product") else _OG_TYPES.get(og_type, 4),
        families=families,
        full_article=any(_is_full_article(node) for node in nodes),
        article_body=any(_has_body(node) for node in nodes),
    )


def _first_word(value: Any) -> str:
    return value.lower().split()[0] if isinstance(value, str) and value.strip() else ""


def _is_full_article(node: Mapping[str, Any]) -> bool:
    return "headline" in node and "datePublished" in node and is_article(node)


def _has_body(node: Mapping[str, Any]) -> bool:
    text = node.get("articleBody")
    return isinstance(text, str) and len(text) >= MIN_ARTICLE_BODY
