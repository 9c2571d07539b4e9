"""Which link leads to the terms of use: by its words and its path, in the languages of the press.

Pure; judges one link at a time. The words are what publishers write under their pages, as of 2026-11.
Pages about privacy or cookies alone are never terms.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from wireroom.parse.metadata.vocabulary import listed

MAX_WORDS: Final = 80  # characters of a link's text; a longer one is a headline
MAX_PATH: Final = 400  # characters of an address
SURE: Final = 0.9  # the words are the name of such a page
LIKELY: Final = 0.7  # the name among other words, or a path that says it
POSSIBLE: Final = 0.4  # a page of legal notices, where terms often stand
BOTH: Final = 0.1  # added where words and path agree

# Names of terms of use by language; then, after a bar, names of pages that often hold them.
LANGUAGES: Final = {
    "en": "terms of use;terms of service;terms and conditions;terms & conditions;terms;conditions of use;user agreement;terms of website use;website terms;legal terms;user terms|legal;legal notice;legal information;site policies",
    "de": "nutzungsbedingungen;allgemeine geschäftsbedingungen;agb;agbs;geschäftsbedingungen;nutzungsbasis|impressum;rechtliche hinweise;rechtliches",
    "fr": "conditions générales d'utilisation;conditions d'utilisation;cgu;cgu / cgv;cgv;conditions générales;conditions générales de vente|mentions légales;informations légales",
    "es": "términos y condiciones;condiciones de uso;términos de uso;condiciones generales;términos del servicio;términos de servicio;condiciones legales|aviso legal;legales",
    "it": "termini e condizioni;condizioni d'uso;termini di utilizzo;condizioni generali;termini di servizio;condizioni di utilizzo;termini d'uso|note legali",
    "pt": "termos de uso;termos e condições;condições gerais;termos de utilização;termos de serviço;condições de utilização|aviso legal;ficha técnica",
    "nl": "algemene voorwaarden;gebruiksvoorwaarden;gebruikersvoorwaarden;voorwaarden|disclaimer;juridische informatie",
    "pl": "regulamin;regulamin serwisu;warunki korzystania;warunki użytkowania;zasady korzystania|nota prawna",
    "sv": "användarvillkor;allmänna villkor;villkor;köpvillkor|juridisk information",
    "da": "brugsbetingelser;handelsbetingelser;vilkår;brugervilkår;generelle betingelser|ophavsret",
    "no": "brukervilkår;vilkår for bruk;vilkår;generelle vilkår;kjøpsvilkår|opphavsrett",
    "fi": "käyttöehdot;yleiset ehdot;tilausehdot|oikeudelliset tiedot",
    "cs": "podmínky užití;podmínky užívání;obchodní podmínky;všeobecné podmínky;pravidla užívání|právní informace",
    "hu": "felhasználási feltételek;általános szerződési feltételek;ászf|jogi nyilatkozat;impresszum",
    "ro": "termeni și condiții;termeni si conditii;condiții de utilizare;termeni de utilizare|informații legale",
    "tr": "kullanım koşulları;kullanım şartları;hizmet şartları;kullanıcı sözleşmesi|yasal uyarı;künye",
    "ru": "пользовательское соглашение;условия использования;правила использования;правила сайта;правила использования материалов|правовая информация",
    "uk": "умови використання;правила користування;угода користувача|правова інформація",
    "el": "όροι χρήσης;όροι και προϋποθέσεις|νομική σημείωση",
    "ar": "شروط الاستخدام;الشروط والأحكام;شروط الخدمة;اتفاقية المستخدم|إخلاء المسؤولية",
    "he": "תנאי שימוש;תקנון;תנאי השימוש|",
    "fa": "شرایط استفاده;قوانین و مقررات|",
    "hi": "उपयोग की शर्तें;नियम और शर्तें|",
    "ja": "利用規約;ご利用規約;サイト利用規約;ご利用にあたって|著作権について;著作権",
    "zh": "使用条款;服务条款;用户协议;使用條款;服務條款;使用者條款;用户服务协议|法律声明;版权声明;免责声明;著作權聲明",
    "ko": "이용약관;서비스 이용약관;회원약관|저작권;저작권 규약",
    "id": "syarat dan ketentuan;ketentuan penggunaan;syarat & ketentuan;ketentuan layanan|pedoman media siber",
    "vi": "điều khoản sử dụng;điều khoản và điều kiện;điều khoản dịch vụ|",
}
_PATHS: Final = frozenset(
    listed(
        """terms termsofuse terms-of-use terms_of_use termsofservice terms-of-service terms_of_service tos
    terms-and-conditions terms-conditions termsandconditions terms_and_conditions conditions-of-use
    user-agreement useragreement agreement nutzungsbedingungen agb allgemeine-geschaeftsbedingungen
    cgu cgv conditions-generales conditions-generales-d-utilisation conditions-utilisation
    condiciones-de-uso condiciones terminos-y-condiciones terminos terminos-de-uso condizioni-d-uso
    termini-e-condizioni condizioni-generali termos-de-uso termos termos-e-condicoes condicoes-gerais
    algemene-voorwaarden gebruiksvoorwaarden voorwaarden regulamin warunki-korzystania
    anvandarvillkor villkor allmanna-villkor brugsbetingelser vilkar brukervilkar kayttoehdot
    obchodni-podminky podminky podminky-uziti aszf felhasznalasi-feltetelek termeni-si-conditii
    kullanim-kosullari kullanim-sartlari pravila agreement-user polzovatelskoe-soglashenie oroi-xrisis
    kiyaku riyoukiyaku rule 利用規約 syarat-dan-ketentuan ketentuan dieu-khoan-su-dung"""
    )
)
_POSSIBLE_PATHS: Final = frozenset(
    listed(
        """legal legal-notice legal-information impressum rechtliches mentions-legales infos-legales
    aviso-legal note-legali disclaimer nota-prawna kunye impresszum copyright"""
    )
)
_PRIVACY: Final = re.compile(
    r"priva[ct]|datenschutz|cookie|confidentialit|protección de datos|proteccion-de-datos|riservatezza"
    r"|gdpr|rgpd|dsgvo|integritet|personvern|tietosuoja|osobních údajů|adatvéd|gizlilik|kvkk"
    r"|конфиденциальн|конфіденційн|απόρρητο|خصوصي|פרטיות|プライバシー|個人情報|隐私|隱私|개인정보|riêng tư",
    re.IGNORECASE,
)
_ENDING: Final = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_APOSTROPHES: Final = str.maketrans({"’": "'", "ʼ": "'", "\xa0": " "})


def _names(place: int) -> frozenset[str]:
    return frozenset(
        name for row in LANGUAGES.values() for name in row.split("|")[place].split(";") if name
    )


_SURE_NAMES, _POSSIBLE_NAMES = _names(0), _names(1)
# Names of one short word are names only when they stand alone: "terms" is in every second headline.
_LONG_NAMES: Final = sorted(
    (name for name in _SURE_NAMES if len(name) > 8 or not name.isascii()), key=len, reverse=True
)
_TELLING: Final = re.compile("|".join(map(re.escape, _LONG_NAMES)))
_TELLING_WORDS: Final = frozenset(name.split()[0] for name in _LONG_NAMES if name.isascii())
_ALL_PATHS: Final = _PATHS | _POSSIBLE_PATHS


def terms_score(words: str, url: str) -> float:
    """How likely a link leads to terms of use, from 0 to 1."""
    words = _normal(words) if words else ""
    by_words = _score_of_words(words) if words else 0.0
    by_path = _score_of_path(url)
    score = max(by_words, by_path)
    if not score or (by_words < LIKELY and _PRIVACY.search(f"{words} {url[:MAX_PATH]}")):
        return 0.0
    return round(min(1.0, score + (BOTH if by_words and by_path else 0.0)), 3)


def is_about_privacy(text: str) -> bool:
    """Whether an address or a name speaks of privacy or cookies."""
    return _PRIVACY.search(text[:MAX_PATH]) is not None


def _normal(words: str) -> str:
    words = " ".join(words.split())[:MAX_WORDS].lower()
    return (words if words.isascii() else words.translate(_APOSTROPHES)).strip(" .:|·-›»")


def _score_of_words(words: str) -> float:
    if words in _SURE_NAMES:
        return SURE
    if words in _POSSIBLE_NAMES:
        return POSSIBLE
    if words.isascii() and _TELLING_WORDS.isdisjoint(words.split()):
        return 0.0
    return LIKELY if _TELLING.search(words) else 0.0


def _score_of_path(url: str) -> float:
    """By whole segments: the last one names the page, those before only where it belongs."""
    path = url[:MAX_PATH].partition("?")[0].partition("#")[0].lower()
    segments = (unquote(path) if "%" in path else path).rstrip("/").split("/")[3:]
    if not segments:
        return 0.0
    if "." in segments[-1]:
        segments[-1] = _ENDING.sub("", segments[-1])
    if _ALL_PATHS.isdisjoint(segments):
        return 0.0
    return LIKELY if segments[-1] in _PATHS else POSSIBLE
