"""The words by which pages name things: meta tags, roles, bodies that are no people.

Tables only, as of 2026-11. A word more or less is a change of this file alone.
"""

from __future__ import annotations

from typing import Final


def listed(text: str, separator: str | None = None) -> tuple[str, ...]:
    """The words of a table in order: a form in which many short ones can be read."""
    return tuple(word.strip() for word in text.split(separator) if word.strip())


# --- meta tags, the surest first ------------------------------------------------------------------

PUBLISHED_METAS: Final = listed(
    """
    article:published_time article:published og:article:published_time og:published_time og:pubdate
    article.published datepublished date_published date-published pubdate pub_date publishdate
    publish_date publish-date published published_time published-time publishedtime publication_date
    publication-date publicationdate published_date published-date publisheddate published_at
    publishedat parsely-pub-date sailthru.date cxenseparse:recs:publishtime cxenseparse:publishtime
    citation_publication_date citation_online_date dc.date.issued dcterms.issued dcterms.dateissued
    dc.date.published rnews:datepublished originalpublicationdate displaydate article_date_original
    shareaholic:article_published_time bt:pubdate ptime iso-8601-publish-date vr:published_time
    bytedance:published_time release_date publish_time article.publishdate article:publish_date
    dateposted posted_date firstpublished first_published
    """
)
DATE_METAS: Final = listed(
    """
    date dc.date dcterms.date dc.date.created dcterms.created created article:created article.created
    created_at date_created datecreated creation_date article:create_at dc:date timestamp time
    citation_date dcterms.available dc.date.available
    """
)
MODIFIED_METAS: Final = listed(
    """
    article:modified_time article:modified og:updated_time og:article:modified_time article.updated
    datemodified date_modified date-modified modified_time modified last-modified last_modified
    lastmodified lastmod dcterms.modified dc.date.modified dc.modified revision_date updated_time
    article:updated_time date_updated shareaholic:article_modified_time iso-8601-modified-date
    article:updated updated updated_at
    """
)
AUTHOR_METAS: Final = listed(
    """
    parsely-author sailthru.author cxenseparse:author citation_author dc.creator dcterms.creator
    dc.author article:author_name article.author rnews:author shareaholic:article_author_name byl
    author_name
    """
)
PLAIN_AUTHOR_METAS: Final = listed(
    "article:author author authors creator article:authors dc:creator og:author book:author"
)
WRITTEN_BY: Final = frozenset(
    listed(
        """
        written by, author, by, verfasst von, geschrieben von, escrito por, écrit par, scritto da,
        geschreven door, skriven av, skrevet av, skrevet af, napisane przez, автор, yazan,
        kirjoittanut, ditulis oleh, 執筆者, 作者, 글쓴이
        """,
        ",",
    )
)
"""How the label of a Twitter card calls an author."""

CHANGED_WORDS: Final = listed(
    """
    updat, changed, modif, revis, reviewed, aktualis, geändert, mis à jour, mise à jour, actualizado,
    atualizado, aggiornat, bijgewerkt, oppdatert, uppdaterad, opdateret, güncelle, zaktualizowan,
    обновлен, 更新, 수정
    """,
    ",",
)
"""Beginnings of words that say a date is that of a change."""
PUBLISHED_WORDS: Final = listed(
    """
    publish, posted, first aired, originally, created, written on, date:, veröffentlicht, erschienen,
    stand:, am:, datum:, publié, publicad, pubblicat, gepubliceerd, geplaatst, opublikowan, publicerad,
    publisert, udgivet, julkaistu, yayın, опубликован, 公開, 發布, 发布, 掲載, 등록, 입력
    """,
    ",",
)
"""Beginnings of words that say a date is that of the publication."""

# --- what introduces a byline ----------------------------------------------------------------------

BYLINE_OPENERS: Final = listed(
    """
    by, written by, posted by, published by, story by, words by, text by, article by, authored by, reported by,
    deur, geskryf deur, بقلم, بقلم/, كتب, كتبت, كتبه, كتبته, إعداد, بواسطة, نشر بواسطة, от, публикувано от, написано от,
    লিখেছেন, escrit per, publicat per, napsal, napsala, napsali, gan, ysgrifennwyd gan, af, skrevet af, von, ein artikel von, ein beitrag von,
    artikel von, beitrag von, text von, kommentar von, bericht von, interview von, geschrieben von, verfasst von, veröffentlicht von, erstellt von,
    γράφει ο, γράφει η, του, της, από, από τον, από την, por, escrito por, escrita por, publicado por, publicada por, texto por, elaborado por,
    kirjutas, به قلم, نوشته, نوشتۀ, kirjoittanut, kirjoittaja, par, écrit par, rédigé par, publié par, article par, un article de,
    propos recueillis par, recueilli par, scríofa ag, escrito por, מאת, द्वारा, लेखक, लेखिका, piše, napisao, napisala, napisali,
    írta, szerzője, oleh, ditulis oleh, diterbitkan oleh, eftir, skrifað af, höfundur er, di, scritto da, scritta da, articolo di, a cura di, pubblicato da, testo di,
    parašė, uzrakstīja, пишува, пише, door, geschreven door, gepubliceerd door, tekst door, av, skrevet av, publisert av, skriven av, publicerad av, text av,
    napisał, napisała, opracował, opracowała, przez, napisane przez, opublikowane przez, scris de, publicat de, un articol de, articol de,
    написал, написала, подготовил, подготовила, подготовили, материал подготовил, материал подготовила, napísal, napísala, napisal, nga, shkruar nga, shkruan,
    imeandikwa na, எழுதியவர், โดย, เขียนโดย, isinulat ni, yazan, haberi yazan, написав, написала, підготував, підготувала, تحریر, viết bởi, bởi
    """,
    ",",
)
"""What stands before a name without more ado, in every language whose months we know."""
BYLINE_LABELS: Final = listed(
    """
    author, authors, byline, reporter, writer, words, text, story, outeur, skrywer, الكاتب, الكاتبة, المؤلف, تحرير, müəllif, yazar, аўтар, тэкст,
    автор, автор статьи, автор материала, автор текста, автори, авторы, авторка, текст, প্রতিবেদক, লেখক, autor, autora, autorka, autoři, autori, autorin, autoren, autore, autrice, autori, autorica,
    awdur, forfatter, forfattere, tekst, journalist, redaktion, συντάκτης, κείμενο, texto, egilea, testua, نویسنده, گزارش, toimittaja, teksti, auteur, auteure, auteurs,
    texte, údar, כתב, כתבת, כתבה, रिपोर्ट, रिपोर्टर, szerző, szerzők, szöveg, հեղինակ, penulis, höfundur, testo, ავტორი, autorius, autorė, tekstas,
    autors, autore, teksts, аутор, schrijver, opracowanie, oprac., autoare, redactor, avtor, avtorica, avtorji, besedilo, autori, författare, skribent, mwandishi,
    ஆசிரியர், ผู้เขียน, ผู้สื่อข่าว, may-akda, haber, metin, muallif, مصنف, tác giả, 著者, 執筆者, 筆者, 記者, 记者, 作者, 撰文, 文字, 글쓴이, 작성자, 기자, per, od, de, le, ni, na, da
    """,
    ",",
)
"""What names a person only with a colon behind it; by itself it may be a word of the text, or of a name."""

# --- names of people ------------------------------------------------------------------------------

ROLE_WORDS: Final = listed(
    """
    writer writers reporter reporters editor editors editor-in-chief correspondent correspondents
    columnist columnists journalist journalists contributor contributors producer author authors
    blogger analyst director manager president founder founders co-founder ceo cto cmo cfo coo chief
    strategist specialist consultant expert experts professor researcher engineer developer designer
    dietitian nutritionist attorney lawyer intern fellow lead officer head coordinator representative
    photographer educator coach marketer redakteur redakteurin korrespondent korrespondentin
    journaliste rédacteur rédactrice redactor redactora periodista corresponsal giornalista redattore
    inviato redacteur verslaggever журналист корреспондент редактор
    """
)
ROLE_KINDS: Final = listed(
    """
    senior staff chief associate assistant deputy contributing guest freelance special managing
    executive political sport sports business health science technology tech news content national
    foreign investigative feature features digital lifestyle travel food education junior sr jr sr. jr.
    seo marketing product creative vice general copy web data software our the a an
    """
)
BODY_WORDS: Final = frozenset(
    listed(
        """
        team staff editors editorial news newsroom newsdesk newswire inc llc ltd gmbh corp corporation
        company group agency media press magazine times post herald tribune gazette journal university
        college institute institut foundation association society center centre department ministry
        office bureau council committee network solutions services studio studios lab labs software
        systems technologies marketing consulting partners insurance bank clinic hospital dental hotel
        school academy library museum redaktion redacción redaccion rédaction redazione redactie agentur
        agence agencia agenzia verlag zeitung blog contributors writers desk support community reuters
        afp dpa apa ansa efe associated health travel guide guides online restaurant restaurants
        construction renovation garden gardens home homes kitchen design digital global international
        world
        """
    )
)
"""Words that no person is called by, but many a firm, office or paper."""
BODY_SIGNS: Final = listed("新聞 新闻 編集部 编辑部 編輯部 通信社 通讯社 뉴스 신문")

NOBODY: Final = frozenset(
    listed(
        """
        admin, administrator, editor, editors, editorial, staff, guest, webmaster, root, user, author,
        authors, unknown, anonymous, anonym, none, null, undefined, n/a, na, test, contributor,
        contributors, writer, writers, reporter, by, team, posted, updated, published, redaktion,
        redaktör, redacción, redaccion, redaction, rédaction, redazione, redactie, redakcja, redakcia,
        редакция, owner, publisher, wordpress, wpadmin, default, name, share, about, facebook, twitter,
        linkedin, instagram, follow, home, blog, news, press, subscribe, menu, search, contact,
        comments, comment, more, bio, profile, email, website, super user, superuser, guest author,
        guest contributor, guest post, guest blogger, guest writer, site admin, wp admin, admin user,
        web admin, staff writer, staff writers, staff reporter, contributing writer, about the author,
        read more, view all posts, all posts, see more, no author, author name, view profile, full bio,
        view more posts, view more, more posts, learn more, editorial team, table of contents,
        news desk, the author, written by, posted by
        """,
        ",",
    )
)
"""What stands where a name should and names nobody."""

BOX_WORDS: Final = frozenset(
    listed(
        """
        twitter facebook instagram linkedin whatsapp telegram pinterest reddit youtube tiktok xing mastodon bluesky threads flipboard pocket
        snapchat tumblr messenger email e-mail mail print share tweet pin rss copy link copied like likes follow following us me my our
        your you the a an and or most popular recent latest related trending top new posts post articles article stories story news
        read reading more next previous prev back comments comment reply replies leave tags tag categories category archive archives
        newsletter newsletters subscribe subscription sign up in log out login register search menu home homepage about contact privacy policy
        terms cookie cookies settings author authors profile bio biography view all see show hide website by published updated posted on at
        min mins minute minutes ago today yesterday listen save bookmark download advertisement sponsored picks choice
        written from this page site here click now free trial account close open skip content main table contents
        teilen drucken kommentar kommentare kommentieren meistgelesen beliebte beliebt beiträge artikel ähnliche neueste mehr lesen weiterlesen
        merken startseite anmelden abonnieren von vom am und oder zur zum autor autoren alle
        partager imprimer commenter commentaires commentaire articles récents populaires plus lus lire suite accueil abonnez-vous connexion par et les
        compartir imprimir comentarios comentar artículos recientes populares relacionados más leídas leídos leer inicio suscríbete por y los las
        condividi stampa commenti articoli recenti correlati leggi di più iscriviti accedi per e gli le i
        compartilhar comentários artigos recentes mais lidas leia notícias relacionadas assine
        delen afdrukken reacties artikelen gerelateerde meest gelezen lees verder door en
        dela skriv ut kommentarer artiklar mest lästa läs mer av och del skriv mest leste les mer og
        udostępnij drukuj komentarze artykuły najpopularniejsze czytaj więcej przez i
        поделиться комментарии комментировать популярное читайте также статьи новости подписаться
        paylaş yorum yorumlar yazdır en çok okunan haberler
        """
    )
)
"""Words of buttons, menus and boxes: a "name" of these alone is one of those."""

PARTICLES: Final = frozenset(
    listed(
        """
        de da di do dos das del della der den van von vom zu zum zur la le las los el al bin ibn ben
        ter ten af av of y e i und and the 't o
        """
    )
)
"""Small words inside of names."""
