"""Whether a licence on a page is that of the page, or of a thing on it: a comment, a picture, a neighbour.

Pure. A permission that is taken for the page's own is the worst mistake there is, so what cannot be told is not the
page's. A licence is the page's in its head, in a footer, or in the text itself with nothing between that might be a
box of something else: outside footers every name of a box must be one that boxes of texts have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from selectolax.lexbor import LexborNode

from wireroom.parse.html import Page

MAX_STEPS: Final = 100  # from an element up to what it belongs to; nobody nests a page deeper
MAX_NAMES: Final = 1_000  # characters of the class and id of one element that are looked at
MAX_NEAR: Final = 20  # pieces of text before and after a licence, in its own paragraph
MAX_PIECE: Final = 200  # characters of each
PICTURE_BOX: Final = 6  # elements in a box that is one picture with its credit; a text has more

_ASIDE: Final = frozenset(
    {
        *("figure", "figcaption", "picture", "video", "audio", "object", "aside", "blockquote"),
        *("q", "nav", "dialog", "details", "form", "noscript", "template"),
    }
)
_ASIDE_ROLES: Final = frozenset({"complementary", "comment", "navigation", "figure", "img", "note"})
_PICTURES: Final = frozenset(
    {"img", "picture", "video", "audio", "iframe", "object", "embed", "svg"}
)
_WHOLE: Final = frozenset({"html", "head", "body", "main", "article", "section", "footer"})
_HOLDERS: Final = frozenset({"footer", "article", "main", "body"})
_INLINE: Final = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "br", "cite", "em", "font", "i", "img", "link", "mark"),
        *("meta", "small", "span", "strong", "sub", "sup", "time", "u", "wbr", "-text"),
    }
)
# Names of boxes that hold a text, its layout or its legal notice: what stands in them is the text's own.
_TEXT_NAMES: Final = frozenset(
    {
        *(
            "article",
            "artikel",
            "artigo",
            "articulo",
            "articolo",
            "entry",
            "hentry",
            "post",
            "story",
            "text",
        ),
        *(
            "texte",
            "texto",
            "testo",
            "tekst",
            "body",
            "corps",
            "cuerpo",
            "corpo",
            "content",
            "contents",
        ),
        *(
            "contenu",
            "contenido",
            "contenuto",
            "conteudo",
            "inhalt",
            "main",
            "page",
            "primary",
            "prose",
            "single",
        ),
        *(
            "wrapper",
            "wrap",
            "container",
            "inner",
            "outer",
            "row",
            "col",
            "column",
            "grid",
            "layout",
            "site",
        ),
        *(
            "root",
            "section",
            "center",
            "area",
            "clearfix",
            "footer",
            "foot",
            "bottom",
            "fuss",
            "colophon",
        ),
        *(
            "license",
            "licence",
            "licensing",
            "lizenz",
            "licencia",
            "licenza",
            "licenca",
            "licentie",
            "licens",
        ),
        *(
            "copyright",
            "cc",
            "creativecommons",
            "rights",
            "legal",
            "imprint",
            "impressum",
            "notice",
            "info",
        ),
    }
)
# The beginnings of names, and of words before or after a licence, that tell whose it is otherwise.
_COMMENTS: Final = (
    r"com+ent|koment|kommentar|kommentti|disqus|repl(?:y|ies)|respon[ds]|reakti|reacti|discuss|diskus|forum|thread"
    r"|user|guest|leser|letter|yorum|opini|ком+ент|отзыв|σχόλι|تعليق|نظر|תגוב|コメント|评论|評論|留言|댓글|ความคิดเห็น"
)
_PICTURE_WORDS: Final = (
    r"photo|foto|imag|immag|img|imaj|pict|bild|beeld|afbeeld|billed|kuva|illustr|graphi|gráfi|grafi|infogra|drawing|zeichn"
    r"|dessin|dibuj|disegn|map|karte|carte|cartin|mapp|chart|diagram|video|vidéo|audio|music|musik|podcast|thumb"
    r"|screenshot|logo|icon|abbild|aufnahme|zdję|zdje|obraz|snímek|snimek|obráz|slik|resim|görsel|gorsel|kép|ảnh|hình"
    r"|gambar|фото|изображ|рисун|зобра|снимк|карт|φωτο|εικόν|תמונ|צילום|صور|تصوير|عکس|写真|画像|撮影|사진|그림|照片|图|圖"
    r"|ภาพ|चित्र|फोटो|छवि"
)
_BOXES: Final = (
    r"credit|crédit|kredit|caption|figur|gall?er|media|sidebar|aside|widget|related|teaser|card|recommend|promo|advert|ads?$"
    r"|sponsor|embed|tweet|quote|author|bio|share|social|newsletter"
)
_OTHER_NAME: Final = re.compile(rf"(?:{_COMMENTS}|{_PICTURE_WORDS}|{_BOXES})")
_OTHER_INSIDE: Final = re.compile(
    r"comment|kommentar|disqus|credit|caption|photo|foto|sidebar|widget"
)
_COMMENT_NAME: Final = re.compile(rf"(?:{_COMMENTS})")
_NEAR_WORD: Final = re.compile(
    rf"(?<![^\W\d_])(?:{_PICTURE_WORDS})|写真|画像|撮影|사진|照片|图片|圖片|ภาพ", re.IGNORECASE
)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_A-Za-z]+")
_LAYOUT: Final = re.compile(r"(?:has|with|no|without|is[-_]layout)[-_]")
_OPEN: Final = frozenset({"open", "closed"})  # `comments-open` says that a text may be commented on


def story_of(page: Page) -> LexborNode | None:
    """The article element that holds the headline, else the first; others are comments and teasers."""
    above = page.tree.css_first("h1")
    for _ in range(MAX_STEPS):
        if above is None:
            break
        if above.tag == "article":
            return above
        above = above.parent
    return page.tree.css_first("article")


def is_of_page(node: LexborNode, story: LexborNode | None) -> bool:
    """Whether a licence that stands here is that of the whole page."""
    if node.parent is not None and node.parent.tag == "head":
        return True
    return not _is_credit(node) and not _is_in_box(node, story)


def _is_in_box(node: LexborNode, story: LexborNode | None) -> bool:
    around = list(islice(_ancestors(node), MAX_STEPS))
    if len(around) == MAX_STEPS:
        return True  # so deep inside that nobody can tell what it belongs to
    if any(element.tag in _ASIDE or _role(element) in _ASIDE_ROLES for element in around):
        return True
    if not _is_of_story([element for element in around if element.tag == "article"], story):
        return True
    inside = list(takewhile(lambda element: element.tag not in _HOLDERS, around))
    outside = around[len(inside) :]
    is_other = _is_of_other if outside and outside[0].tag == "footer" else _is_unlike_text
    return any(map(is_other, inside)) or any(map(_is_around_other, outside))


def _ancestors(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _is_of_story(articles: list[LexborNode], story: LexborNode | None) -> bool:
    """Whether these articles, one in the other, are the story alone; an article in another is a comment on it."""
    if not articles:
        return True
    is_story = story is not None and len(articles) == 1 and articles[0].mem_id == story.mem_id
    return is_story and not _is_comment(articles[0])


def _is_of_other(element: LexborNode) -> bool:
    """Whether a box is named as one of something else: a comment, a picture, a neighbour."""
    words = (word for name in _names(element) for word in _words(name))
    return any(_OTHER_NAME.match(word) or _OTHER_INSIDE.search(word) for word in words)


def _is_unlike_text(element: LexborNode) -> bool:
    """Whether a box in a text may be of something else: it has a picture, or a name that boxes of texts do not have."""
    if _is_picture_box(element):
        return True
    named = [_words(name) for name in _names(element)]
    return any(not words or not _TEXT_NAMES.issuperset(words) for words in named)


def _is_around_other(element: LexborNode) -> bool:
    """Whether a box around a whole text or footer is one of comments or neighbours; `content-sidebar` is a layout."""
    if element.tag in {"html", "body", "article"}:
        return False
    named = [words for name in _names(element) if (words := _words(name))]
    return any(
        _OTHER_NAME.match(words[0]) or any(map(_COMMENT_NAME.match, words)) for words in named
    )


def _is_picture_box(element: LexborNode) -> bool:
    """Whether a few elements stand around a picture: then all of them are about it."""
    if element.tag in _WHOLE or element.tag in _INLINE:
        return False
    children = list(islice(element.iter(), PICTURE_BOX + 1))
    return len(children) <= PICTURE_BOX and any(map(_shows_picture, children))


def _shows_picture(element: LexborNode) -> bool:
    """A picture, or a link around one; the badge inside a link to a licence is none."""
    if element.tag in _PICTURES:
        return True
    if element.tag != "a" or "license" in (element.attributes.get("rel") or "").lower().split():
        return False
    return any(child.tag in _PICTURES for child in islice(element.iter(), PICTURE_BOX))


def _is_comment(article: LexborNode) -> bool:
    """Whether an article is called a comment: `comment-7`, and not `comments-open`."""
    named = (_words(name) for name in _names(article))
    return any(
        words and _COMMENT_NAME.match(words[0]) and _OPEN.isdisjoint(words) for words in named
    )


def _is_credit(node: LexborNode) -> bool:
    """Whether the paragraph around a licence speaks of a picture or the like: `Photo: A. Archer, CC BY`."""
    near = " ".join((*_beside(node, back=True), _text(node), *_beside(node, back=False)))
    return _NEAR_WORD.search(near) is not None


def _beside(node: LexborNode, *, back: bool) -> Iterator[str]:
    """The text before or after an element within its paragraph."""
    current = node
    for _ in range(MAX_NEAR):
        beside = current.prev if back else current.next
        if beside is not None:
            if beside.tag not in _INLINE:
                return
            yield _text(beside)
            current = beside
            continue
        parent = current.parent
        if parent is None or parent.tag not in _INLINE:
            return
        current = parent


def _text(node: LexborNode) -> str:
    """The beginning of its text: elements may hold the rest of the page."""
    nodes = islice(node.traverse(include_text=True), MAX_NEAR)
    pieces = ((each.text_content or "")[:MAX_PIECE] for each in nodes if each.tag == "-text")
    return " ".join(pieces)


def _role(element: LexborNode) -> str:
    return (element.attributes.get("role") or "").strip().lower()


def _names(element: LexborNode) -> list[str]:
    """Its classes and its id; those that only say what the layout has are left out."""
    attributes = element.attributes
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"[:MAX_NAMES].split()
    return [name for name in names if not _LAYOUT.match(name)]


def _words(name: str) -> list[str]:
    """`commentBody`, `comment-body` and `comment_body` are two words."""
    return [word.lower() for word in _WORD.findall(name)]
