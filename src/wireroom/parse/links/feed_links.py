"""Which links lead to feeds: by the type that is announced, or by the look of an address; and what they are called.

Pure; judges one link at a time. What is found is a candidate: only its content says that it is a feed.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category, normalize
from urllib.parse import urlsplit

MAX_TYPE: Final = 100  # characters of a media type; the longest in use has half of that
MAX_PATH: Final = 500  # characters of an address whose look is judged

_FEED_TYPES: Final = frozenset(
    (
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/rss",
        "application/atom",
        "text/rss+xml",
        "text/atom+xml",
        "text/rss",
        "text/atom",
    )
)
# Feeds are announced under these, and so are interfaces for programs.
_GENERAL_TYPES: Final = frozenset(("application/xml", "text/xml", "application/json", "text/json"))
_INTERFACE: Final = re.compile(
    r"/wp-json\b|[?&]rest_route=|oembed|/xmlrpc|opensearch|/osd\.xml", re.IGNORECASE
)
# The last part of a path, or a parameter, by which the programs that publish call their feeds.
_FEED_PATH: Final = re.compile(
    r"(?:/(?:rss|feeds?|atom|rdf)(?:/(?:rss2?|atom|rdf|index|all|news|latest|default|posts/default))?/?"
    r"|[/.](?:rss|atom|rdf)(?:\.(?:xml|php|aspx?|json))?/?"
    r"|/(?:[\w-]{0,40}[-_])?(?:rss|feeds?|atom)(?:[-_][\w-]{0,40})?\.(?:xml|rdf|json|php|aspx?)"
    r"|/(?:rss|feeds?|atom|rdf)/[\w/.-]{1,100}\.(?:xml|rdf|rss|atom|json)"
    r"|/index\.(?:rss|rdf|atom)|/outboundfeeds/rss/[\w/-]{0,100})$",
    re.IGNORECASE | re.ASCII,
)
_FEED_QUERY: Final = re.compile(
    r"(?:^|&)(?:feed=(?:rss2?|atom|rdf)|format=(?:rss|atom|feed)|type=100)(?:&|$)", re.IGNORECASE
)
_SITEMAP_PATH: Final = re.compile(
    r"/[\w.-]{0,60}sitemap[\w.-]{0,60}\.(?:xml|txt)(?:\.gz)?$", re.IGNORECASE | re.ASCII
)


def media_type(text: str) -> str:
    """A type as it can be compared: trimmed, lower case, without parameters."""
    return text[:MAX_TYPE].partition(";")[0].strip().lower()


def is_feed_link(rels: frozenset[str], kind: str, url: str) -> bool:
    """Whether a link tag or header announces a feed."""
    if kind in _FEED_TYPES:
        return "alternate" in rels or "feed" in rels
    if "stylesheet" in rels or _INTERFACE.search(url[:MAX_PATH]):
        return False
    if kind in _GENERAL_TYPES:
        return "alternate" in rels
    return not kind and ("feed" in rels or ("alternate" in rels and looks_like_feed(url)))


def looks_like_feed(url: str) -> bool:
    """Whether an address ends as feeds do."""
    url = url.lower()
    may_be = "rss" in url or "feed" in url or "atom" in url or "rdf" in url or "=" in url
    if not may_be or len(url) > MAX_PATH:
        return False
    path, _, query = url.partition("#")[0].partition("?")
    if _FEED_PATH.search(path) and not _INTERFACE.search(url):
        return path.count("/") > 2  # a host called feed.test is no feed
    return bool(query and _FEED_QUERY.search(query))


def looks_like_sitemap(url: str) -> bool:
    """Whether an address is called like a sitemap that machines read."""
    return len(url) <= MAX_PATH and _SITEMAP_PATH.search(url.partition("?")[0]) is not None


# What a feed is called: whether it is the readers' comments, and whether it is all of a publisher or a part.
#
# The words are those of the larger languages of the press (November 2026). A word that is in no list is taken for the
# name of a part: a section, a town, a writer.

# The addresses of the readers' comments in the publishing systems that have such a feed.
_COMMENTS_PATH: Final = re.compile(
    r"/comments/(?:feed|rss2?|atom|rdf|default)\b|/feeds?/comments\b|[/_-]comments(?:[-_](?:feed|rss))?\.(?:xml|rss|atom|rdf|json)$"
    r"|/comments[-_](?:feed|rss2?|atom)\b|[?&]feed=comments[-_]|/comments/?$",
    re.IGNORECASE,
)
# One comment, in the address or the guid of an item. Comments stand below the story they are about.
_ONE_COMMENT: Final = re.compile(
    r"#comment[-_]?\w+|[?&]showcomment=|/comment-page-\d|[?&]comment_?id=|[#&]reply[-_]?\d+",
    re.IGNORECASE,
)
_COMMENT_WORDS: Final = (
    r"comments?|kommentare?r?|kommentarer|commentaires?|comentarios?|comentários?|comentaris|commenti|commento|reacties?|kommentit"
    r"|komentarze|komentáře|komentáre|komentari|komentarji|komentarai|komentāri|kommentaarid|comentarii|hozzászólások"
    r"|комментарии|коментарі|коментари|σχόλια|yorumlar|yorum|תגובות|تعليقات|التعليقات|دیدگاه‌ها|نظرات|टिप्पणियाँ"
    r"|コメント|评论|評論|留言|迴響|댓글|bình luận|ความคิดเห็น|ความเห็น|komentar"
)
# "Comments on: Harbour opens", "Kommentare zu …": opinion pieces are called comments as well, but not comments on something.
_COMMENTS_ON: Final = re.compile(
    rf"^\W*(?:{_COMMENT_WORDS})\s*(?::|(?:on|for|about|zu|zum|für|sur|pour|en|para|sobre|em|su|per|op|voor|til|till|på|om|do|k|ke|na|к|на|до|για|στο|la|pentru)\b)",
    re.IGNORECASE,
)
_COMMENTS_FEED: Final = re.compile(
    rf"(?:{_COMMENT_WORDS})\W*(?:rss[- ]?)?(?:feed|flux|kanal|canal|kanał|フィード|源)|(?:feed|flux|fil|canal|kanał|лента)\s+\W*(?:rss\s+)?\w{{0,4}}\s*(?:{_COMMENT_WORDS})",
    re.IGNORECASE,
)
MAX_COMPOUND: Final = 40  # letters of a word that is taken apart
MAX_WORDS: Final = 30  # of a title or an address that are looked at

_FEED_WORDS: Final = """
rss atom feed feeds xml rdf json php asp aspx html htm index default www web http https type format channel arc outboundfeeds
syndication service services api public subscribe abonnieren flux fil canal kanal the and for from der die das und von les des
los las del gli of in on at to by de la le el il lo en et un un da do di du al am im zu og av se os as ao em no na van het och och auf mit pour por per
news nachrichten nouvelles actualités actualité actus actu flash général generale geral allgemein meldungen topmeldungen übersicht titulares manchetes destaques info infos informations noticias notícias noticies notizie nieuws
nyheter nyheder nyhet uutiset wiadomości aktualności zprávy zpravodajství správy știri stiri hírek hirek novosti novice vijesti vesti
новости новини новина вести haberler haber berita tin ειδήσεις νέα أخبار الأخبار اخبار حديث חדשות समाचार ख़बरें
latest last recent newest new current today now live breaking top main home homepage start startseite accueil une inicio início
portada capa prima pagina primapagina front frontpage page headlines headline schlagzeilen stories story articles article artikel
artículos artigos articoli artykuły статьи posts post entries blog beiträge aktuell aktuelles aktuelle neueste neu ticker newsticker
dernières derniers dernière últimas últimos última recientes destacadas principales principais ultime ultimi laatste senaste siste
seneste viimeisimmät tuoreimmat najnowsze główna nejnovější hlavní najnovšie hlavné ultimele legfrissebb friss zadnje najnovije
последние главное главные свежие останні головні свіжі последни главни son dakika güncel ana manşet anasayfa terbaru utama terkini
mới nhất τελευταία πρωτοσέλιδο عاجل الرئيسية آخر ראשי אחרונות ताज़ा मुख्य
"""
_ALL_WORDS: Final = """
all complete full everything alle alles gesamt sämtliche tous toute toutes tout todo todos todas tudo tutti tutte tutto totes alla allt kaikki
wszystkie všechny všetky vse sve svi toate összes все всі всички όλα όλες tüm tümü bütün semua tất כל كل सभी
全部 所有 すべて 全て 전체 모든 ทั้งหมด
"""
# Scripts without blanks between words: what is left of a title when these are taken out.
_FEED_PIECES: Final = """
全部 所有 最新 新闻 新聞 要闻 要聞 头条 頭條 首页 首頁 文章 资讯 資訊 订阅 訂閱 すべて 全て 全 記事 ニュース トップ 新着 速報 主要 フィード 配信 情報
전체 모든 최신 뉴스 기사 주요 속보 홈 ข่าว ล่าสุด ทั้งหมด หน้าแรก เรื่อง の と
"""


def names_comments(url: str) -> bool:
    """Whether an address is that of the readers' comments, as far as one can tell without asking."""
    parts = urlsplit(url[:MAX_PATH])
    return (
        _COMMENTS_PATH.search(f"{parts.path}?{parts.query}" if parts.query else parts.path)
        is not None
    )


def titles_comments(title: str) -> bool:
    """Whether a title is that of the readers' comments; the name of an opinion section is not."""
    title = title[:MAX_PATH]
    return bool(_COMMENTS_ON.search(title) or _COMMENTS_FEED.search(title))


def is_one_comment(*addresses: str) -> bool:
    """Whether an item with these addresses is a comment."""
    return any(_ONE_COMMENT.search(address[:MAX_PATH]) for address in addresses)


def folded_words(text: str, *, least: int = 3) -> frozenset[str]:
    """The words of a title or an address, without case, accents and numbers; short ones of an address are codes."""
    found = _WORD.findall(_DOTTED.sub("", _folded(text[:MAX_PATH])))
    return frozenset(word for word in found[:MAX_WORDS] if len(word) >= least or not word.isascii())


def part_words(words: frozenset[str]) -> frozenset[str]:
    """Those that name a part of what is published, and not all of it or feeds in general."""
    return frozenset(word for word in words if not _is_general(word))


def _is_general(word: str) -> bool:
    """Whether it is one of the words for feeds and news, or made of them: `newsheadlines`, `全部新聞`."""
    if word in _GENERAL or not _PIECES.sub("", word):
        return True
    if len(word) > MAX_COMPOUND:
        return False
    ends = {0}
    for end in range(1, len(word) + 1):
        if any(word[start:end] in _GENERAL for start in ends):
            ends.add(end)
    return len(word) in ends


def says_all(words: frozenset[str]) -> bool:
    """Whether one of them says that it is everything."""
    return not _ALL.isdisjoint(words) or any(
        piece in word for word in words for piece in _ALL_PIECES
    )


def _folded(text: str) -> str:
    apart = normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not category(letter).startswith("M"))


_DOTTED: Final = re.compile(r"(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)")  # between the letters of U.S.
_WORD: Final = re.compile(r"[^\W\d_]+")
_ALL: Final = frozenset(_folded(_ALL_WORDS).split())
_ALL_PIECES: Final = tuple(
    word for word in _ALL if not word.isascii() and len(word) > 1 and ord(word[0]) > 0x0E00
)
_GENERAL: Final = frozenset(_folded(_FEED_WORDS).split()) | _ALL
_PIECES: Final = re.compile(
    "|".join(sorted(map(re.escape, _folded(_FEED_PIECES).split()), key=len, reverse=True))
)
