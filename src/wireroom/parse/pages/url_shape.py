"""What the address of a page says about its kind: depth, slug, and the words of its path.

Pure. The words are those that publishers, shops and forums use in their paths, in a dozen languages;
as of 2026-11. A path without any is the rule, not the exception.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from wireroom.parse.metadata.vocabulary import listed
from wireroom.urls import TRACKING_PARAMETERS, TRACKING_PREFIXES

MAX_PATH: Final = 600  # characters of a path that are looked at
MAX_SEGMENTS: Final = 12
LONG_NUMBER: Final = 5  # digits from which on a number is somebody's key
LETTERS_A_WORD: Final = 2  # of a slug in a script without blanks

PATH_KINDS: Final = {
    "article": listed(
        """
        article articles articulo articulos artikel artikels artigo artigos articolo articoli news
        story stories blog blogs post posts actu actualite actualites nachrichten noticia noticias
        notizie nyheter nyheder uutiset wiadomosci aktualnosci haber haberler novosti berita
        opinion editorial insights magazine journal press-release press-releases newsroom feature
        features review reviews politics politik politica politique sport sports economy wirtschaft
        economia culture kultur cultura video recipe recipes learn guide guides advice tips p
        """
    ),
    "product": listed(
        """
        product products produkt produkte produit produits producto productos prodotto prodotti
        produto produtos item items itm dp ip pd pdp sku gp buy p app detail details
        """
    ),
    "collection": listed(
        """
        collection collections category categories categoria categorias kategorie kategorien
        kategoria catalog catalogue katalog catalogo shop store boutique tienda browse c cat b cp
        product-category department departments sale deals brands brand best-sellers s plp
        clearance outlet new-arrivals men women mens womens
        """
    ),
    "listing": listed(
        """
        tag tags topic topics thema themen tema temas tema section sections rubrik rubriques
        category categories kategorie author authors autor autoren auteur archive archives archiv
        archivo search suche recherche buscar busca ricerca results list lists index all latest
        page trending popular directory jobs events event calendar people team staff library
        subject browse keyword keywords label feed hub chart charts
        """
    ),
    "service": listed(
        """
        service services dienst dienste leistungen servicios servizi servicos about about-us
        ueber-uns contact contact-us kontakt contacto pricing prices preise plans plan solution
        solutions loesungen platform features company careers industries use-cases use-case
        partners customers enterprise demo home offer department programs program locations
        portfolio agency consulting insurance impressum imprint privacy terms agb faq
        """
    ),
    "forum": listed(
        """
        forum forums foro foren thread threads topic topics viewtopic showthread t discussion
        discussions question questions board boards community comments r talk viewthread
        showtopic bbs groups messages qa ask answers
        """
    ),
    "documentation": listed(
        """
        doc docs documentation dokumentation reference manual manuals handbook api wiki guide guides
        tutorial tutorials help support kb knowledge-base how-to howto userguide man learn
        getting-started quickstart sdk latest stable master library title en-us
        """
    ),
}
"""Words of a path by the kind of page they mostly stand for; some stand for several."""

_KINDS_OF_WORD: Final = {
    word: tuple(kind for kind, words in PATH_KINDS.items() if word in words)
    for words in PATH_KINDS.values()
    for word in words
}
_LEADS: Final = frozenset({"forum", "documentation", "article", "collection"})
"""Kinds that a host's first label tells: forum., docs., news., shop."""
_SEARCHES: Final = frozenset(
    listed("q query search keyword keywords suche buscar searchterm search_query searchtext")
)
_HOME_SEARCHES: Final = frozenset({"s"})  # on a home page; elsewhere it is who shared the link
_TAGS: Final = frozenset(
    listed(
        """
        tag tags topic topics thema themen tema temas section rubrik rubrique rubriques category
        categories kategorie kategorien categoria categorias categorie author authors autor autoren
        auteur auteurs autore autores label keyword etiqueta etiquetas schlagwort mot-cle
        """
    )
)
"""What stands before the name of a tag, a section or an author."""
_HOME: Final = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?|(?:index|home|default)(?:\.[a-z]{2,5})?")
_SHARED: Final = TRACKING_PARAMETERS | {"srsltid", "ref", "source"}
_ENDING: Final = re.compile(r"\.([a-z]{2,5})$")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_NUMBER: Final = re.compile(rf"\d{{{LONG_NUMBER},}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlShape:
    """What was read from an address; without one every number is -1, which says nothing."""

    depth: int = -1
    """Segments of the path; 0 is the home page."""
    slug_words: int = -1
    number: int = -1
    """1 when a long number stands in the slug, as keys of articles and products do, else 0."""
    ending: int = -1
    """0 none, 1 a slash, 2 a page of HTML, 3 a program."""
    searches: bool = False
    """The query asks for something."""
    home: bool = False
    """Nothing in the path, or only a language."""
    section: bool = False
    """A tag, a section or an author by the word before the last segment."""
    words: tuple[int, ...] = (-1,) * len(PATH_KINDS)
    """For each kind of `PATH_KINDS`: 2 when the last segment is one of its words, 1 when another is."""


UNKNOWN: Final = UrlShape()


def read_url_shape(url: str) -> UrlShape:
    """What an address says; one that cannot be read says nothing."""
    host, path, query = _parts(url)
    if not host:
        return UNKNOWN
    segments = [segment for segment in path.split("/") if segment][:MAX_SEGMENTS]
    slug = max(segments[-2:], key=_count_words, default="")
    names = {pair.partition("=")[0] for pair in query.split("&") if pair}
    names = {name for name in names - _SHARED if not name.startswith(TRACKING_PREFIXES)}
    return UrlShape(
        depth=len(segments),
        slug_words=_count_words(slug),
        number=int(any(_NUMBER.search(segment) for segment in segments[-2:])),
        ending=_ending(path),
        searches=bool(names & (_SEARCHES if segments else _SEARCHES | _HOME_SEARCHES)),
        home=not names and all(map(_HOME.fullmatch, segments)),
        section=len(segments) > 1 and segments[-2] in _TAGS,
        words=_words(host, segments),
    )


def _parts(url: str) -> tuple[str, str, str]:
    """Host, path and query in lower case, without tracking and fragment."""
    scheme, _, rest = url[: 2 * MAX_PATH].partition("://")
    if scheme.lower() not in ("http", "https"):
        return "", "", ""
    rest = rest.partition("#")[0]
    front, _, query = rest.partition("?")
    host, _, path = front.partition("/")
    return host.lower(), unquote(path)[:MAX_PATH].lower(), query.lower()


def _count_words(slug: str) -> int:
    words = _WORD.findall(slug)
    if slug.isascii():
        return len(words)
    return max(len(words), len(slug) // (LETTERS_A_WORD * 2))


def _ending(path: str) -> int:
    if path.endswith("/"):
        return 1
    found = _ENDING.search(path)
    if found is None:
        return 0
    return 2 if "htm" in found[1] else 3


def _words(host: str, segments: list[str]) -> tuple[int, ...]:
    found = dict.fromkeys(PATH_KINDS, 0)
    for kind in _KINDS_OF_WORD.get(host.partition(".")[0], ()):
        found[kind] = int(kind in _LEADS)
    for place, segment in enumerate(segments, 1):
        bare = segment.partition(".")[0]
        for kind in _KINDS_OF_WORD.get(bare, ()):
            found[kind] = max(found[kind], 2 if place == len(segments) else 1)
    return tuple(found.values())
