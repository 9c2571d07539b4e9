"""What papers write around their articles, in many languages: on advertisements, boxes and bylines.

Tables only, as of 2026-11. A word more or less is a change of this file alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Self


class NoticePhrases(tuple[str, ...]):
    """Words to look for in a text, of which half need letters that most texts have not."""

    plain: tuple[str, ...]
    """Those in plain letters."""

    def __new__(cls, phrases: Iterable[str]) -> Self:
        """The same words, sorted out once."""
        made = super().__new__(cls, phrases)
        made.plain = tuple(filter(_is_plain, made))
        return made

    def that_fit(self, text: str) -> tuple[str, ...]:
        """Those that a text may hold by its letters."""
        return self.plain if _is_plain(text) else self


_ASCII: Final = bytes(range(128))
_PRINT_SIGNS: Final = "’‘“”–—…•·«»©®™\u00a0"


def _is_plain(text: str) -> bool:
    """Whether a text has no letters but those of ASCII; typographic signs are none."""
    if text.isascii():
        return True
    beyond = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return not beyond.decode("utf-8", "surrogatepass").strip(_PRINT_SIGNS)


def _listed(text: str) -> NoticePhrases:
    return NoticePhrases(
        word.strip() for word in text.replace("\n", ",").split(",") if word.strip()
    )


AD_LABELS: Final = frozenset(
    _listed(
        """
        advertisement, advertisements, advertising, advert, ad, ads, advertorial, sponsored, sponsored content, sponsored post
        promoted, promoted content, paid content, paid post, partner content, skip advertisement, report this ad, ad feedback
        scroll to continue, scroll for more, article continues below, story continues below, continue reading below
        content continues below, remove ads, why this ad?, loading ad, this is an advertisement, a message from our sponsor
        anzeige, anzeigen, werbung, werbeanzeige, gesponsert, bezahlte anzeige, weiterlesen nach der anzeige, reklame
        publicité, pub, annonce, contenu sponsorisé, sponsorisé, publi-rédactionnel, annonces
        publicidad, anuncio, anuncios, patrocinado, contenido patrocinado, publicidade, anúncio, conteúdo patrocinado, publicitat
        pubblicità, annuncio, contenuto sponsorizzato, sponsorizzato, annuncio pubblicitario, advertentie, advertenties
        gesponsord, annons, annonser, reklam, annonse, annonsørinnhold, annonceindhold, annoncer, mainos, mainokset
        kaupallinen yhteistyö, auglýsing, reklaam, reklāma, reklama, ogłoszenie, materiał sponsorowany, treść sponsorowana
        inzerce, inzercia, hirdetés, reklám, publicitate, reclamă, oglas, oglasi, реклама, на правах рекламы, реклами, оглас
        διαφήμιση, διαφημιση, χορηγούμενο, ilan, advertorial içerik, sponsorlu, إعلان, اعلان, إعلانات, اعلانات, محتوى برعاية
        פרסומת, פרסום, תוכן שיווקי, ממומן, تبلیغات, آگهی, اشتہار, विज्ञापन, जाहिरात, বিজ্ঞাপন, விளம்பரம், ప్రకటన, പരസ്യം, ಜಾಹೀರಾತು
        iklan, pariwara, quảng cáo, โฆษณา, 広告, スポンサーリンク, スポンサードリンク, pr, 广告, 廣告, 推广, 赞助内容, 광고, tangazo
        """
    )
)
"""A line that says only this is the label of an advertisement."""

AD_WORDS: Final = _listed(
    """
    advert, anzeige, werbung, publicit, publicidad, pubblicit, advertenti, annons, annonc, mainos, reklam, inzerc, inzert, hirdet, reclam, реклам
    διαφήμισ, إعلان, פרסומ, विज्ञापन, iklan, quảng cáo, โฆษณา, 広告, 广告, 廣告, 광고
    """
)
CONTINUES: Final = _listed(
    """
    continu, below, after, scroll, weiter, fortgesetzt, nach der, suite, après, sigue, después, después, após, depois, abaixo, dopo, prosegue, verder, onder de
    fortsätt, fortsett, fortsæt, efter, under, jatkuu, pokrač, pod reklam, dalsza, folytat, után, mai jos, după, продолж, ниже, после, συνέχεια, devam
    aşağıda, يتبع, أدناه, המשך, 続き, 下に, 继续, 繼續, 계속, lanjut
    """
)
"""With a word for advertisement, in a short line: "Story continues below advertisement"."""

AD_NAMES: Final = re.compile(
    r"(?:^|[^a-z0-9])(?:ads?|adverts?|advertisements?|advertising|ad[-_]?(?:slot|box|unit|container|wrapper|wrap|block|banner|label|break|inline"
    r"|placement|space|zone|text)s?|(?:google|inline|in[-_]?article|native|mid|article|content|display)[-_]?ads?|adsense|adsbygoogle|dfp|taboola"
    r"|outbrain|mgid|sponsored(?:[-_]?(?:content|post|box))?|werbung|anzeige|publicidad|publicite|publicidade|pubblicita|advertentie"
    r"|reklam[ae]?|annons|annonse|mainos|inzerce|hirdetes|pub)\d{0,3}(?:$|[^a-z0-9])"
)

# --- boxes that ask for something ----------------------------------------------------------------

ASKS: Final = _listed(
    """
    subscri, sign up, sign in, signing up, sign-up, log in, login, log-in, register, join us, join our, join the, join now, free account, your account, donate, support us, support our
    abonnier, abonné, abonne, abonne-toi, jetzt abo, abo testen, zum abo, anmeld, einlogg, registrier, inscri, connectez, identifiez, suscri, suscríb, regístr, inicia sesión, iniciar sesión
    assine, assina, cadastr, iscriv, abbona, accedi, registrati, meld je aan, inloggen, registreer, word lid, word abonnee, prenumer, logga in
    tilmeld, log ind, bliv medlem, bliv abonnent, logg inn, bli abonnent, meld deg på, tilaa, kirjaudu, zapisz się, zaloguj, subskryb
    přihlas, předplat, prihlás, predplat, iratkozz, feliratkoz, előfizet, jelentkezz, abonează, abonați, autentific, претплат, подпис, подпиш, войти, войдите, зарегистр
    підпис, підпиш, передплат, увійд, συνδρομ, εγγραφ, συνδεθ, abone ol, kayıt ol, giriş yap, üye ol, اشترك, اشتراك, تسجيل الدخول, הירשמ, התחבר, מנוי
    عضویت, सदस्यता, लॉग इन, berlangganan, daftar sekarang, masuk untuk, đăng ký, đăng nhập, สมัคร, เข้าสู่ระบบ, 登録, 購読, ログイン, 会員, 订阅, 登录, 注册, 訂閱, 登入, 註冊, 會員, 구독, 로그인, 가입, 회원
    """
)
THINGS: Final = _listed(
    """
    newsletter, news letter, inbox, mailing list, email, e-mail, bulletin, whatsapp, telegram, free access, unlimited access, full access, instant access, a month, per month, the month, per week, free trial, exclusive
    full story, full article, whole story, whole article, rest of the story, rest of the article, rest of this, keep reading, continue reading, to read more, to read on, to read this, to read the, already a, our journalism
    all articles, all our, subscribers only, subscriber-only, for subscribers, your account, free articles, free stories
    postfach, zugang, im monat, pro monat, monatlich, probeabo, weiterlesen, weiterzulesen, den ganzen artikel, alle artikel, bereits abonnent, schon abonnent, exklusiv, boîte mail, infolettre, accès, par mois
    lire la suite, intégralité, déjà abonné, réservé, boletín, boletim, correo, acceso, acesso, al mes, por mês, seguir leyendo, continuar leyendo, continuar lendo, ya eres, já é assinante, contenido exclusivo
    casella, accesso, al mese, continua a leggere, sei già, nieuwsbrief, toegang, per maand, verder lezen, al abonnee, nyhetsbrev, nyhedsbrev, tillgång, adgang, tilgang, i månaden, om måneden, pr. måned, läs vidare, les videre, læs videre
    uutiskirje, sähköposti, kuukaudessa, lue lisää, biuletyn, dostęp, miesięcznie, czytaj dalej, zpravodaj, přístup, měsíčně, spravodaj, prístup, hírlevél, hozzáférés, havi, рассыл, доступ, в месяц, читать далее, розсил, на місяць
    ενημερωτικ, πρόσβαση, τον μήνα, bülten, erişim, aylık, نشرة, البريد, الوصول, דיוור, גישה, خبرنامه, समाचार पत्र, न्यूज़लेटर, buletin, akses, bản tin, truy cập, จดหมายข่าว
    ニュースレター, メルマガ, 続きを読む, 全文, 通讯, 邮件, 电子报, 電子報, 无限, 뉴스레터, 이메일, 기사 전체
    """
)
"""Somebody asks, and says what for: both make an appeal."""

CONSENT: Final = _listed(
    """
    consent, your permission, cookie, zustimm, einwillig, datenschutz, consentement, autorisez, consentimiento, aceptar, consentimento, aceitar
    consenso, accetta, toestemming, accepteer, samtyck, godkänn, samtykk, godkend, suostum, hyväksy, zgod, akceptuj, souhlas, súhlas, hozzájárul, elfogad, consimțământ
    соглас, принять, згод, συγκατάθεση, αποδοχή, onay, kabul et, موافق, הסכמ, सहमति, persetujuan, đồng ý, ยินยอม, 同意, 許可, 동의
    """
)
EMBEDS: Final = _listed(
    """
    external content, this content, third-party content, third party, third parties, embedded content, personal data, privacy policy, cookies, youtube, instagram, facebook, twitter, tiktok, vimeo, spotify, social media
    externen inhalt, externer inhalt, externe inhalte, diesen inhalt, dieser inhalt, inhalt, drittanbieter, personenbezogen, datenschutz, contenu, données personnelles, tiers, contenido, datos personales, conteúdo, dados pessoais
    contenuto, dati personali, inhoud, persoonsgegevens, innehåll, indhold, innhold, personuppgifter, persondata, sisältö, treści, danych osobowych, obsah, tartalom, conținut
    контент, содержим, данных, вміст, περιεχόμενο, içerik, المحتوى, תוכן, सामग्री, konten, nội dung, เนื้อหา, コンテンツ, 内容, 第三者, 第三方, 콘텐츠
    """
)
"""A box that asks for leave to show something speaks of both."""

BOX_NAMES: Final = re.compile(
    r"newsletter|subscri(?:be|ption)|sign-?up|signup|paywall|regwall|piano|consent|cookie|gdpr|login|log-in|register|registration|membership|donat(?:e|ion)"
    r"|infolettre|abonn|suscri|iscrizione|nieuwsbrief|nyhetsbrev|optin|opt-in|mailchimp|embed-?placeholder|call-?to-?action|(?:^|[^a-z])cta(?:$|[^a-z])"
)

# --- bylines -------------------------------------------------------------------------------------

BY_WORDS: Final = re.compile(
    r"(?:words |written |posted |reported |reporting |story |text |published |updated |created |report )?by\s|von\s|par\s|por\s|di\s|door\s|av\s|af\s|przez\s|oleh\s|tekst:?\s|text:?\s|texto:?\s"
    r"|(?:author|autor|autora|auteur|autore|автор|yazan|kirjoittaja|szerző|forfatter|författare|penulis|tác giả|συντάκτης|مؤلف|كاتب|بقلم|מאת|कलाकार|लेखक)\s*[:：]?\s",
    re.IGNORECASE,
)
EASTERN_BYLINE: Final = re.compile(
    r"(?:文|撰文|作者|記者|记者|編輯|编辑|執筆|取材|責任編輯|责任编辑|글|기자)\s*[:：/／|]?\s*\S[^。！？]{1,24}|\S[^。！？]{1,20}\s*(?:記者|记者|기자|編集委員|報導|报道)(?:\s*=)?"
)
READING_TIME: Final = re.compile(
    r"(?:\W*(?:reading time|read time|lesezeit|temps de lecture|tiempo de lectura|tempo de leitura|tempo di lettura|leestijd|lästid|læsetid|lesetid|lukuaika"
    r"|czas czytania|doba čtení|время чтения|okuma süresi|阅读时间|閱讀時間|읽는 시간)\W*)?"
    r"(?:ca\.?|about|approx\.?|ungefähr|environ|~)?\s*\d{1,3}\s*[-–]?\s*(?:min(?:s|\.|ut[a-zäöé]*|uuttia)?|мин(?:\.|ут[аы]?)?|хв|dk|dakika|λεπτά|分(?:钟|鐘)?|분|phút|menit)\.?"
    r"\s*(?:read(?:ing)?(?: time)?|lesezeit|lesen|de lecture|de lectura|de leitura|di lettura|leestijd|lästid|læsning|lesing|lukuaika|czytania|čtení"
    r"|чтения|читання|okuma|阅读|閱讀|で読め(?:る|ます)|읽기|đọc|baca)?\W*",
    re.IGNORECASE,
)
DATE_LABELS: Final = re.compile(
    r"publish\w*|posted|updat\w*|last|first|modified|created|on|at|date|um|uhr|am|stand|veröffentlicht|erschienen|aktualisiert|zuletzt|publié\w*|mis|mise|à|jour|le|modifié\w*|publicad\w*"
    r"|actualizad\w*|atualizad\w*|el|em|a|las|às|de|del|pubblicat\w*|aggiornat\w*|il|alle|ore|gepubliceerd|bijgewerkt|op|om|publicerad\w*|uppdaterad\w*|publisert|oppdatert|kl|klo|udgivet|opdateret"
    r"|julkaistu|päivitetty|opublikowano|aktualizacja|dnia|godz|publikováno|aktualizováno|опубликован\w*|обновлен\w*|в|г|оновлено|yayın\w*|güncelle\w*|saat|pm|ist|gmt|utc|cet|cest|est|edt|et|pst|pdt|bst"
    r"|h|hrs?|uur|time|the|of|nr|t|z|st|nd|rd|th",
    re.IGNORECASE,
)
EASTERN_DATE: Final = re.compile(
    r"(?:[\d\s./:：\-–()（）,、年月日時时分秒点]|更新|公開|公开|掲載|配信|発行|发布|發布|發表|发表|於|于|曜|星期|週|周|[月火水木金土日一二三四五六天]|午前|午後|上午|下午|년|월|일|시|분|입력|수정|등록|오전|오후|승인){6,60}"
)
WEEKDAYS: Final = frozenset(
    _listed(
        """
        monday, tuesday, wednesday, thursday, friday, saturday, sunday, mon, tue, wed, thu, fri, sat, sun, montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonnabend, sonntag
        lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lunes, martes, miércoles, jueves, viernes, sábado, domingo, segunda, terça, quarta, quinta, sexta, feira
        lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, måndag, tisdag, onsdag, torsdag, fredag, lördag, söndag, mandag, tirsdag, lørdag, søndag
        maanantai, tiistai, keskiviikko, torstai, perjantai, lauantai, sunnuntai, poniedziałek, wtorek, środa, czwartek, piątek, sobota, niedziela, pondělí, úterý, středa, čtvrtek, pátek, neděle
        понедельник, вторник, среда, четверг, пятница, суббота, воскресенье, понеділок, вівторок, середа, четвер, пʼятниця, субота, неділя, pazartesi, salı, çarşamba, perşembe, cuma, cumartesi, pazar
        """
    )
)
SMALL_WORDS: Final = frozenset(
    _listed(
        "and, und, et, y, e, i, og, och, en, ja, a, for, für, in, in the, de, van, von, der, den, del, della, da, di, du, la, le, el, al, bin, ibn, zu, zur, zum, with, mit, avec, con, ve, dan, и, та"
    )
)
"""Small words between the names of a byline."""

DISCLOSURES: Final = re.compile(
    r"affiliate|affiliat(?:i|e-?link)|afiliad|affili[ée]s|commission|provision(?:en)?\b|comisi[oó]n|comiss[aã]o|commissione|independently (?:chosen|select|test|review|research)"
    r"|chosen (?:independently|by)|our (?:editorial )?(?:standards|partners|links)|fact[- ]check|(?:medically|expert|clinically)[- ]review|reviewed by|written by humans"
    r"|qualifying purchases|partner-?links?|werbelink|advertis(?:er|ing) disclosure|partnerlink",
    re.IGNORECASE,
)
"""A note on how the paper earns its money, or on who checked the article."""

# --- links to other articles ---------------------------------------------------------------------

POINTER_WORDS: Final = _listed(
    """
    read also, also read, see also, also see, related, related article, related articles, related story, related stories, related reading, related coverage, related news, related posts, must read, you may also like
    you might also like, more on this story, more on this topic, more on this, more from this section, read next, recommended reading, recommended stories, recommended for you, don't miss, don’t miss, you may be interested in
    lesen sie auch, lies auch, siehe auch, auch interessant, mehr zum thema, lesen sie mehr, lesen sie dazu, mehr dazu, zum thema, das könnte sie auch interessieren, das könnte dich auch interessieren, passend dazu, weitere artikel
    à lire aussi, a lire aussi, lire aussi, à lire également, lire également, voir aussi, à voir aussi, sur le même sujet, à lire, a lire, pour aller plus loin, nos autres articles, vous aimerez aussi, lisez aussi
    lea también, lee también, leer también, lea además, lee además, ver también, te puede interesar, te puede gustar, le puede interesar, también te puede interesar, noticias relacionadas, noticia relacionada, más información, lea más, leer más
    leia também, veja também, leia mais, saiba mais, pode interessar, notícias relacionadas, llegiu també, llegeix també, le tamén
    leggi anche, potrebbe interessarti, potrebbe interessarti anche, vedi anche, articoli correlati, leggi di più, per approfondire, lees ook, lees meer, bekijk ook, lees verder, zie ook
    läs också, läs även, läs mer, læs også, læs mere, se også, les også, les mer, lue myös, katso myös, lue lisää, lesið einnig, lesa einnig
    czytaj także, czytaj też, czytaj również, zobacz także, zobacz też, zobacz również, przeczytaj także, przeczytaj też, przeczytaj również, polecamy, čtěte také, přečtěte si také, čtěte dále, mohlo by vás zajímat, související
    prečítajte si, prečítajte si aj, čítajte aj, mohlo by vás zaujímať, olvassa el, olvasd el, kapcsolódó, kapcsolódó cikk, kapcsolódó cikkek, ez is érdekelheti, citește și, citiți și, vezi și, pe aceeași temă
    pročitajte i, pročitajte još, čitajte i, povezane vijesti, povezane vesti, preberite tudi, preberite še, skaitykite taip pat, taip pat skaitykite, lasi arī, lasiet arī, loe ka, loe lisaks, прочетете още, вижте още, прочитајте и
    читайте также, смотрите также, читайте ещё, читайте еще, по теме, материалы по теме, читайте також, дивіться також, читайте далее, чытайце таксама
    διαβάστε επίσης, διαβάστε ακόμα, διαβάστε ακόμη, δείτε επίσης, σχετικά άρθρα, ilgili haber, ilgili haberler, ayrıca okuyun, bunları da okuyun, lexo edhe, lexoni edhe
    اقرأ أيضا, اقرأ أيضاً, اقرأ أيضًا, إقرأ أيضا, شاهد أيضا, مواضيع ذات صلة, קראו גם, לקריאה נוספת, עוד בנושא, بیشتر بخوانید, همچنین بخوانید, یہ بھی پڑھیں, مزید پڑھیں
    यह भी पढ़ें, ये भी पढ़ें, हे ही वाचा, आणखी वाचा, আরও পড়ুন, আরো পড়ুন, மேலும் படிக்க, ఇవి కూడా చదవండి, baca juga, lihat juga, simak juga, xem thêm, đọc thêm, tin liên quan, อ่านเพิ่มเติม, อ่านข่าวที่เกี่ยวข้อง, soma pia
    関連記事, あわせて読みたい, 合わせて読みたい, こちらも読む, 関連ニュース, 延伸阅读, 相关阅读, 相关新闻, 相关报道, 延伸閱讀, 相關閱讀, 相關新聞, 相關報導, 관련 기사, 관련기사, 함께 읽기, 관련 뉴스
    """
)
"""What stands before a link to another article, or above a row of them."""

POINTER_WORDS_ALONE: Final = _listed("read more, read more about, weiterlesen")
"""The same, but only where a colon or a line of their own sets them apart."""

# --- what a paper says of itself -----------------------------------------------------------------

EARNINGS: Final = re.compile(
    r"(?:earn|receive|get|make|paid|generate)s?\b[^.]{0,60}\b(?:commission|affiliate)|affiliate (?:links?|commissions?|disclosure|disclaimer|partner)"
    r"|qualifying purchases|(?:independently|carefully) (?:selected|chosen|reviewed|researched|tested)[^.]{0,80}(?:editor|team|commission)"
    r"|(?:chosen|selected) (?:independently )?by (?:a |an |our )?[\w ]{0,30}editors?|compensated when you click"
    r"|provision (?:erhalten|bekommen|verdienen)|erh(?:alten|ält|alte)[^.]{0,60}provision|affiliate-?links?|partnerlinks?|werbelinks?"
    r"|liens? (?:d.)?affili|commission d.affiliation|enlaces? de afiliad|links? de afiliad|comisi[oó]n por (?:las|tus|sus|cada)"
    r"|link (?:di )?affilia|commissione sugli acquisti|afiliačn|партн[её]рск\w+ ссылк|アフィリエイト",
    re.IGNORECASE,
)
"""How the paper earns money by an article: a note when it stands at the top or at the end."""
EARNING_HINTS: Final = _listed(
    "commission, affili, purchase, editor, compensat, provision, partnerlink, werbelink, comisi, afiliad, afilia, партн, アフィリ"
)
"""One of these stands in every such note: a quick look that spares the pattern most blocks."""
OURS: Final = re.compile(
    r"\b(?:we|us|our|i|my|me|you|your|this (?:article|post|page|site)|wir|uns|unser\w*|ich|sie|du|nous|notre|nos|vous|cet article|nosotros|nuestr\w+|usted|tu|este|nós|nosso\w*"
    r"|você|noi|ci|voi|wij|ons|onze|deze|мы|нам|нас|вы|我们|我們|当)\b",
    re.IGNORECASE,
)
"""Somebody speaks of himself or to the reader."""

COPYRIGHT: Final = re.compile(
    r"\W*(?:copyright\b|©|\(c\)\s?\d{4}|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados"
    r"|todos os direitos reservados|tutti i diritti riservati|alle rechten voorbehouden|wszelkie prawa zastrzeżone|všechna práva vyhrazena"
    r"|все права защищены|усі права захищені|tüm hakları saklıdır|جميع الحقوق محفوظة|כל הזכויות שמורות|版权所有|版權所有|無断転載|무단)",
    re.IGNORECASE,
)

FOLLOW: Final = re.compile(
    r"\W*(?:(?:and|also|please|you can|you can also|be sure to|make sure to|don.t forget to|for more[^.]{0,40},?|want more[^.?]{0,40}\?)\s+){0,3}"
    r"(?:follow (?:us|me|@|along|[\w .']{1,40} on)|find (?:us|me) on|like us on|join us on|connect with (?:us|me)|stay connected|keep up with us"
    r"|folgen? (?:sie )?(?:uns|mir)|folg uns|suivez|retrouvez-nous|s[ií]guenos|s[ií]gueme|siga-nos|siga a gente|seguici|segui(?:teci|mi)|volg ons|följ oss"
    r"|følg (?:os|oss)|seuraa meitä|obserwuj|śledź nas|polub nas|sledujte nás|sledujte nas|kövess|kövessen|urmărește-ne|urmăriți-ne|takip ed|bizi takip"
    r"|подпи(?:сывайтесь|шитесь|ши)|следите за|читайте нас|підпи(?:суйтесь|шіться)|стежте за|ακολουθήστε|تابعنا|تابعونا|عقبو|עקבו|ما را در|हमें फ[़]?ॉलो"
    r"|ikuti kami|theo dõi|ติดตาม|フォロー|关注我们|關注我們|追蹤|팔로우)"
)
NETWORKS: Final = _listed(
    """
        facebook, instagram, twitter, linkedin, pinterest, youtube, tiktok, telegram, whatsapp, threads, bluesky, mastodon, snapchat, social media, google news
        reddit, vkontakte, вконтакте, телеграм, фейсбук, дзен, weibo, wechat, 微信, 微博, line, flipboard, sozialen medien, réseaux sociaux, redes sociales, redes sociais
        """
)
"""With a word for following: "Follow us on Facebook"."""

SHARE_LABELS: Final = frozenset(
    _listed(
        """
        share, share this, share this article, share this story, share this post, share this page, share article, share story, share on, share via, share with
        share on social media, share on facebook, share on twitter, share on x, share on linkedin, share by email, share this via, copy link, print this article, save article
        teilen, artikel teilen, diesen artikel teilen, beitrag teilen, seite teilen, link kopieren, artikel drucken, partager, partager l'article, partager cet article
        copier le lien, imprimer l'article, compartir, comparte, compartir este artículo, compartir noticia, compartir en redes, copiar enlace, copiar link, compartilhar, compartilhe
        compartilhar notícia, compartilhe esta notícia, partilhar, partilhe este artigo, partilhar artigo, condividi, condividi l'articolo, condividi questo articolo, copia link
        delen, deel dit artikel, artikel delen, kopieer link, dela, dela artikeln, dela artikel, kopiera länk, del, del artiklen, del artikkelen, del saken, kopier lenke, kopiér link
        jaa, jaa artikkeli, jaa tämä, kopioi linkki, udostępnij, udostępnij artykuł, kopiuj link, sdílet, sdílet článek, zdieľať, zdieľať článok, megosztás, megosztom, oszd meg
        distribuie, distribuie articolul, podijeli, podeli, podeli vest, deli, поделиться, поделиться статьей, поделитесь, скопировать ссылку, поділитися, поділитись, сподели, подели
        κοινοποίηση, κοινοποιήστε, μοιραστείτε, μοιραστείτε το άρθρο, paylaş, haberi paylaş, bağlantıyı kopyala, مشاركة, شارك, شارك المقال, مشاركة المقال, שתף, שתפו, שיתוף, שתפו את הכתבה
        اشتراک‌گذاری, به اشتراک بگذارید, शेयर करें, साझा करें, इस लेख को साझा करें, শেয়ার করুন, பகிர், bagikan, bagikan artikel, kongsi, chia sẻ, chia sẻ bài viết, แชร์, แชร์บทความ
        シェア, シェアする, この記事をシェア, 記事をシェア, 共有, 共有する, リンクをコピー, 分享, 分享到, 分享文章, 分享本文, 复制链接, 複製連結, 공유, 공유하기, 기사 공유, 기사 공유하기, 기사 나누기, 링크 복사
        """
    )
)
"""A line that says only this stands beside the signs of networks."""

TAG_LABELS: Final = re.compile(
    r"\W*(?:tags?|topics?|tagged(?: (?:with|in|as))?|filed (?:under|in)|posted in|categor(?:y|ies)|keywords?|related topics|schlagw(?:ort|örter|orte)|stichw(?:ort|örter|orte)|themen"
    r"|mots[- ]clés|étiquettes|thèmes|etiquetas|temas|palabras clave|palavras[- ]chave|argomenti|parole chiave|etichette|trefwoorden|onderwerpen"
    r"|taggar|ämnen|emneord|emner|avainsanat|aiheet|tagi|słowa kluczowe|štítky|klíčová slova|címkék|etichete|cuvinte cheie|oznake|ključne riječi"
    r"|теги|тэги|метки|ключевые слова|мітки|ετικέτες|etiketler|وسوم|الوسوم|كلمات مفتاحية|תגיות|برچسب‌ها|टैग|タグ|キーワード|标签|標籤|关键词|關鍵字|태그|키워드)\s*[:：]",
    re.IGNORECASE,
)

CONTENTS_LABELS: Final = frozenset(
    _listed(
        """
        table of contents, contents, article contents, in this article, in this guide, in this post, in this story, in this section, on this page, jump to, jump to section, jump to a section
        skip to, quick links, what's inside, what’s inside, inhalt, inhaltsverzeichnis, auf dieser seite, in diesem artikel, sommaire, au sommaire, table des matières, dans cet article
        índice, contenido, contenidos, tabla de contenido, tabla de contenidos, en este artículo, sumário, índice de conteúdo, neste artigo, indice, indice dei contenuti, in questo articolo
        inhoud, inhoudsopgave, in dit artikel, innehåll, innehållsförteckning, indhold, indholdsfortegnelse, innhold, innholdsfortegnelse, sisällys, sisällysluettelo
        spis treści, w tym artykule, obsah, obsah článku, tartalom, tartalomjegyzék, cuprins, sadržaj, содержание, оглавление, зміст, съдържание, περιεχόμενα, içindekiler
        المحتويات, محتويات المقال, תוכן העניינים, תוכן עניינים, فهرست, विषय सूची, 目次, 目录, 目錄, 목차, daftar isi, mục lục, สารบัญ
        """
    )
)
"""What stands above a table of contents, and says nothing else."""

# --- who wrote it --------------------------------------------------------------------------------

AUTHOR_LABELS: Final = frozenset(
    _listed(
        """
        about the author, about the authors, about author, about the writer, about the writers, about the contributor, about our author, meet the author, author bio, author's bio, author’s bio, author information
        über den autor, über die autorin, über die autoren, über die autorinnen, zum autor, zur autorin, zu den autoren, der autor, die autorin, autoreninfo, autoreninformation
        à propos de l'auteur, à propos de l’auteur, a propos de l'auteur, à propos de l'auteure, à propos de l’auteure, à propos de l'autrice, à propos de l’autrice, à propos des auteurs, l'auteur, l’auteur
        sobre el autor, sobre la autora, sobre los autores, acerca del autor, acerca de la autora, sobre o autor, sobre a autora, sobre os autores, sull'autore, sull’autore, sull'autrice, sull’autrice, l'autore, l’autore
        informazioni sull'autore, informazioni sull’autore, sobre l'autor, sobre l’autor, over de auteur, over de auteurs, over de schrijver, om författaren, om skribenten, om forfatteren, om forfatterne
        kirjoittajasta, tietoa kirjoittajasta, um höfundinn, o autorze, o autorce, o autorach, o autorovi, o autorech, o autoroch, a szerzőről, despre autor, despre autoare, o autoru, o autorici, за автора
        об авторе, об авторах, про автора, про авторів, σχετικά με τον συντάκτη, για τον συντάκτη, yazar hakkında, عن الكاتب, عن المؤلف, نبذة عن الكاتب, על המחבר, על הכותב, על הכותבת, درباره نویسنده, लेखक के बारे में
        tentang penulis, mengenai penulis, về tác giả, เกี่ยวกับผู้เขียน, 著者について, 著者プロフィール, 著者紹介, 筆者プロフィール, 執筆者, 执笔者, 作者简介, 作者介绍, 关于作者, 作者簡介, 關於作者, 저자 소개, 필자 소개, 글쓴이
        """
    )
)
"""A line that says only this announces the author; before a colon it begins the note."""

IS_WORDS: Final = re.compile(
    r"\s*(?:,|[–—-]|\([^()]{1,60}\))?\s*(?:(?:is|was|are|works|writes|covers|reports|has (?:been|covered|written)|joined|ist|war|arbeitet|schreibt|berichtet|est|était|travaille|écrit|es|trabaja"
    r"|escribe|cubre|é|trabalha|escreve|cobre|è|lavora|scrive|werkt|schrijft|är|arbetar|skriver|er|arbejder|arbeider|on|työskentelee|kirjoittaa|jest|pracuje|pisze|je|píše|este|lucrează|scrie|radi|piše)\s"
    r"|,\s+(?:an?|the|our)\s|[–—-]\s|пишет\s|работает\s|пише\s|працює\s)"
)
"""What goes on from a name to what its bearer does."""

AUTHOR_WORK: Final = re.compile(
    r"(?<!\w)(?:(?:[a-z]+-)?reporter|(?:photo)?journalist|(?:co|sub)?-?editor|correspondent|columnist|(?:copy)?writer|freelancer?|contributor|contributing|blogger|staff (?:reporter|writer)|intern at"
    r"|author of|covers|writes (?:about|for|on|a column)|reports (?:on|for)|redakteur(?:in)?|journalist(?:in|e|a)?|korrespondent(?:in)?|autor(?:in|a|ka)? (?:bei|der|für|de|del|da)|freie[rs]?|volontär(?:in)?"
    r"|rédact(?:eur|rice)|correspondante?|chroniqueu(?:r|se)|pigiste|periodista|redactora?|corresponsal|columnista|jornalista|repórter|redatora?|giornalista|redattore|redattrice|corrispondente|inviat[oa]"
    r"|verslaggever|redacteur|skribent|reporter|journalisti?|toimittaja|dziennikar\w{1,4}|redaktor(?:ka|em)?|redaktör|novinář(?:ka)?|novinárka?|újságíró|szerkesztő|jurnalist[ăa]?|novinar(?:ka)?"
    r"|журналист(?:ка)?|корреспондент|обозреватель|журналістка?|кореспондент)(?![\w])",
    re.IGNORECASE,
)
"""What those do who write for papers."""
