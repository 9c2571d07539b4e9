"""Names of people out of what pages write where an author should stand.

Pure. "By Jane Doe and John Roe, staff writers | May 5" is two people; "Admin" is nobody; "The Harbour
Courier" is a publisher. Nothing here knows where the text stood: that, and whom to believe, is for
`authors`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from wireroom.dates import read_date
from wireroom.parse.metadata.vocabulary import (
    BODY_SIGNS,
    BODY_WORDS,
    BOX_WORDS,
    BYLINE_LABELS,
    BYLINE_OPENERS,
    NOBODY,
    PARTICLES,
    ROLE_KINDS,
    ROLE_WORDS,
)
from wireroom.parse.plain_text import line

MAX_LINE: Final = 400  # characters of a byline; longer texts are prose
MAX_LABEL: Final = 20  # characters of "Article written by:"
MAX_NAME_LENGTH: Final = 80  # characters; the longest real ones have some 60
MAX_WORDS: Final = 6  # of one person's name
KEYS_KEPT: Final = 1_024  # a page asks for the same dozens of names and titles over and over
LINES_KEPT: Final = 256  # a page says the same byline in several places
MAX_NAMES: Final = 40  # authors of one article; scholarly ones have dozens

Kind = Literal["person", "handle", "organisation"]


class Name(NamedTuple):
    """One author as written, and what the name looks like."""

    text: str
    kind: Kind


_WORDS: Final = re.compile(r"\w+")
_NOT_IN_KEY: Final = re.compile(r"[\W_]+")
_BY: Final = re.compile(
    r"""(?:
      (?:(?:article|story|post(?:ed)?|written|words|text|reported|report|authored|created|published|
          submitted|contributed|edited|compiled|medically\s+reviewed|photos?|reviewed)\s+)?by\b
      | (?:discussion\s+in\s+['‘"][^'’"]{1,80}['’"]\s+)?started\s+by\b | (?:thread|topic)\s+starter\s*:
      | (?:this\s+)?(?:article|post|entry)\s+(?:is\s+|was\s+)?(?:written\s+|posted\s+)?by\b
      | author(?:ed)?(?:\s+name)?s?(?=\s*[:\-]|\s+[A-Z]) | about\s+the\s+author s?\b | written\s*: | reporter\s*: | byline\s*:
      | (?:ein\s+)?(?:artikel|beitrag|text|kommentar|bericht|geschrieben|verfasst|interview)?\s*von\b
        (?:\s+unser(?:er|em)\s+(?:redakteur|korrespondent|mitarbeiter|reporter|autor)(?:in|en)?\b)?
      | (?:propos\s+recueillis\s+|écrit\s+|rédigé\s+|publié\s+|article\s+)?par\b
      | (?:escrito\s+|publicado\s+|texto\s+)?por\b | (?:scritto\s+|articolo\s+)?(?:di|da)\b
      | (?:geschreven\s+|auteur\s+)?door\b | (?:skrevet\s+|skriven\s+|text|tekst|texto|testo|texte)\s*(?:av|af)?\s*:
      | av\b | af\b | autor(?:in|a|e|es|ka|ë)?\s*: | auteurs?\s*: | yazan\s*: | oleh\b | penulis\s*:
      | (?:автор(?:ы)?|текст|автори)\s*:? | (?:του|της|γράφει\s+(?:ο|η))\b | kirjoittaja\s*:?
      | szerző\s*: | napisał[a]?\b | tác\s+giả\s*:? | بقلم\s*:? | כתב[ה]?\s*:? | מאת\s*:?
    )\s*[:\-–—|]?\s*""",
    re.IGNORECASE | re.VERBOSE,
)


def _phrases(words: tuple[str, ...]) -> str:
    """The words as one pattern, longer ones before those that begin them."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


_OPENER: Final = re.compile(
    rf"(?:{_phrases(BYLINE_OPENERS)})(?:\s*[:：/|–—-]\s*|\s+)", re.IGNORECASE
)
_LABELLED: Final = re.compile(
    rf"(?:{_phrases((*BYLINE_OPENERS, *BYLINE_LABELS))})\s*[:：]\s*", re.IGNORECASE
)
_INTRODUCTIONS: Final = frozenset(word.casefold() for word in (*BYLINE_OPENERS, *BYLINE_LABELS))
_FIRST_WORDS: Final = frozenset(re.split(r"[\s/]", phrase)[0] for phrase in _INTRODUCTIONS)
_WORD_END: Final = re.compile(r"[\s:：/|–—-]")
_EASTERN_BY: Final = re.compile(
    r"^(?:文\s*[/／:：・＝=|｜]|撰文|文字|作者|記者|记者|本報記者|本报记者|取材・文|著者|執筆|編輯|글|글쓴이|작성자|기자(?=\s))\s*[/／:：|｜]?\s*"
)
_EASTERN_ROLE: Final = re.compile(
    r"(?:(?<!\s)\s++)?(?:기자|記者|记者|編輯|编辑|특파원|さん|氏)\s*+$"
)
_BYLINE_START: Final = re.compile(
    r"(?i:(?:written |posted |story |words |text )?by:?) (?=[^\W\d_a-z])|Started by (?=\w)|Discussion in ['‘\"].{1,80}['’\"] started by "
    r"|(?:Von|VON|Par|PAR|Por|POR|Door|DOOR|Di|DI|Af|AF|Av|AV) (?=[^\W\d_a-z])"
    r"|文[/／:：・＝=|｜]|(?:記者|记者)[/／:： ]?|作者[:：]|(?i:автор|autor(?:in|a)?|author|texte?|tekst) ?: ?"
)
_LABEL: Final = re.compile(r"(?:written |posted |story |words |text |published |article |authored )?by|authors?(?:\(s\))?|(?:thread|topic) starter|started by|original poster|themenstarter(?:in)?|erstellt von|von|par|por|door|автор|作者|文|記者|記者", re.IGNORECASE)  # fmt: skip
_CUT: Final = re.compile(
    r"\s+[|•·—–-]+\s|[|•·]|\s{3,}|\b(?:for the|published|(?:last )?updated|posted|in category"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|reviewed by|edited by|follow|photo(?:s|graph)? by|says:?$|view all|read more|see more"
    r"|more (?:by|from))\b",
    re.IGNORECASE,
)
_NOISE: Final = re.compile(
    r"https?://\S+|www\.\S+|\S[^\s@]*+@\S[^\s.]*+\.\S++|(?<!\w)@\w+|\([^()]{0,100}\)|\[[^\[\]]{0,100}\]|[\"“”«»<>*#_=]+"
)
_MAIL_THEN_NAME: Final = re.compile(r"[^\s@()]{1,64}@[^\s@()]{1,190} \(([^()]{1,200})\)")
_WEEKDAY: Final = re.compile(r"(?<![\s,])[\s,]++(?:on\s++)?(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?$|^(?:mon|tue|wed|thu|fri|sat|sun)(?:day)?$", re.IGNORECASE)  # fmt: skip
_FROM_DIGIT: Final = re.compile(
    r"(?:^|(?<![\s,;.(])[\s,;.(]++)(?:on |am |le |el |em |op |den )?\d.*$", re.DOTALL
)
_BEFORE_DATE: Final = re.compile(r"(?<!\s)\s++(?:at|on|am|le|el|em|op|den)$")
_HARD_BREAK: Final = re.compile(r"(?:(?<!\s)\s++)?[;；、・/]\s*+|(?<!\s)\s++\+\s++")
_AND: Final = re.compile(
    r",?(?<!\s)\s++(?:and|und|et|och|og|en|ja|és|ve|и|та|και|và|dan|with|mit|avec|con)\s++|(?:(?<!\s)\s++)?&\s*+|,\s++(?=and\b)",
    re.IGNORECASE,
)
_SHORT_AND: Final = re.compile(r"(?<!\s)\s++(?:y|e|i|і)\s++")
_CREDENTIAL: Final = re.compile(
    r"(?:[A-Z][A-Za-z]?\.?){1,3}[A-Z®.]{0,6}|[A-Z]{2,6}(?:[- ][A-Z0-9]{1,6}){0,3}®?|Ph\.? ?D\.?|M\.?D\.?|Jr\.?|Sr\.?|Esq\.?|[MB]\.?(?:S|A|Sc|Ed|Phil)\.?|Dipl\.?|Dr\.?|Prof\.?|Psy\.?D\.?|Pharm\.?D\.?|LL\.?[MB]\.?|E-RYT.*|R\.?N\.?|II|III|IV"
)
_DEGREES: Final = frozenset({"Jr", "Sr", "Dr", "Prof", "Esq", "Dipl"})
_DEGREE: Final = re.compile(
    r"(?:Ph\.?D|M\.?D|M\.?B\.?A|CPP|PSP|FACLM|RDN?|LCSW|CFP|CPA|DVM|MSc|BSc|Esq)\.?®?"
)
_ROLES: Final = frozenset(ROLE_WORDS)
_ROLE: Final = rf"(?:{'|'.join(map(re.escape, ROLE_WORDS))})\b"
# "Jane Doe Senior Staff Writer", and the same with the blank lost: "Jane DoeStaff Writer".
_TRAILING_ROLE: Final = re.compile(
    rf"(?:(?<!\s)\s++|(?<=[a-zà-ÿ])(?=[A-Z]))(?:(?:{'|'.join(map(re.escape, ROLE_KINDS))})\s++)*{_ROLE}.*$"
    rf"|(?<!\s)\s++(?:senior|staff|chief|deputy|associate|contributing|managing)(?:\s++\w++){{0,3}}\s++{_ROLE}.*$",
    re.IGNORECASE,
)
# Whoever took the pictures did not write the text.
_PICTURES: Final = re.compile(
    r"(?:photo(?:graph)?s?|fotos?|fotograf[ií]as?|bild(?:er)?|images?|im[aá]gene?s?|immagin[ei]|illustrations?|grafik|video|zdjęci[ea]|kuvat?|képek?|фото|фотографии"
    r"|写真|摄影|攝影|图片|사진|تصوير|צילום)\s*[:：/]",
    re.IGNORECASE,
)
_DOMAIN: Final = re.compile(r"\w\.(?:com|org|net|io|co|de|ai)\b", re.IGNORECASE)
_ARTICLE_FIRST: Final = re.compile(
    r"(?:the|die|der|das|le|la|les|los|las|el|il|our)\s", re.IGNORECASE
)


def is_label(text: str) -> bool:
    """Whether a line is nothing but the introduction of a byline: "Written by:"."""
    if len(text) > MAX_LABEL:
        return False
    bare = text.strip(" :|：")
    return _LABEL.fullmatch(bare) is not None or (
        bare.casefold() in _INTRODUCTIONS and bare != text.strip()
    )


def starts_byline(text: str) -> bool:
    """Whether a line begins as bylines do, in any of a dozen languages."""
    if _BYLINE_START.match(text) is not None:
        return True
    if not _may_introduce(text):
        return False
    start = _OPENER.match(text) or _LABELLED.match(text)
    return start is not None and _names_somebody(text[start.end() :])


@lru_cache(maxsize=KEYS_KEPT)
def name_key(name: str) -> str:
    """What two spellings of one name have in common."""
    return _NOT_IN_KEY.sub("", name.casefold())


@lru_cache(maxsize=LINES_KEPT)
def read_names(text: str) -> tuple[Name, ...]:
    """The people (and bodies) that a text names as authors, in its order, each once."""
    text = _stripped(line(text, MAX_LINE))
    if not text:
        return ()
    found: dict[str, Name] = {}
    for part in _parts(text):
        name = _tidy(part)
        kind = _kind(name)
        if kind is not None:
            found.setdefault(name_key(name), Name(name, kind))
    return tuple(found.values())[:MAX_NAMES]


def _stripped(text: str) -> str:
    """The line without its introduction, addresses, handles, dates and what stands behind a bar."""
    if "@" in text and (mail := _MAIL_THEN_NAME.fullmatch(text)):
        text = mail[1]
    text = _NOISE.sub(" ", text)
    for _ in range(2):  # "Author: By Jane Doe"
        text = text.strip(" \t,;:|-–—•·/").lstrip(". ")
        start = _introduction(text)
        if start and _introduces(start[0], text[start.end() :]):
            text = text[start.end() :]
    cut = _CUT.search(text, 1)
    if cut and cut.start() > 1:
        text = text[: cut.start()]
    text = text.strip(" ,;:|-–—•·")
    shorter = _FROM_DIGIT.sub("", text) if any(map(str.isdigit, text)) else text
    return text if shorter == text else _without_month(shorter.strip(" ,;:|-–—•·"))


def _may_introduce(text: str) -> bool:
    """Whether the first word begins an introduction: hundreds of phrases are too many to try on every line."""
    return _WORD_END.split(text[:MAX_LABEL], maxsplit=1)[0].casefold() in _FIRST_WORDS


def _introduction(text: str) -> re.Match[str] | None:
    if not _may_introduce(text):
        return _BY.match(text) or _EASTERN_BY.match(text)
    return (
        _LABELLED.match(text) or _BY.match(text) or _OPENER.match(text) or _EASTERN_BY.match(text)
    )


def _introduces(start: str, rest: str) -> bool:
    """Whether the beginning of a line is no part of the name: "Von Berg" is one, "Von Ada Berg" not."""
    if not rest:
        return False
    return start.strip(" :-–—|").casefold() not in PARTICLES or " " in rest.strip() or ":" in start


def _names_somebody(text: str) -> bool:
    """Whether two words follow that can be a name: capitals, or letters that have none."""
    words = text.split()[:2]
    return len(words) == 2 and all(word[0].isalpha() and not _begins_small(word) for word in words)


def _without_month(text: str) -> str:
    """A date after a name is cut at its first digit, which may leave its month or weekday."""
    text = _WEEKDAY.sub("", text)
    front, _, last = text.rpartition(" ")
    if last[:1].isupper() and read_date(f"5 {last.strip('.,')} 2025"):
        return _BEFORE_DATE.sub("", front).strip(" ,")
    return text


def _parts(text: str) -> list[str]:
    if "," not in text and ";" not in text and _is_body(text):
        return [text]
    parts: list[str] = []
    for piece in _HARD_BREAK.split(text):
        for half in _split_and(piece):
            parts += _split_commas(half)
    return parts


def _split_and(text: str) -> list[str]:
    """Both sides of an "and", where both can be names: "Trade and Industry" stays."""
    halves = _AND.split(text)
    if len(halves) == 1:
        halves = _SHORT_AND.split(text)
        if any(" " not in half.strip() for half in halves):
            return [text]
    alike = {min(len(half.split()), 2) for half in halves if "," not in half}
    if len(alike) > 1 and "," not in text and not all(half[:1].isupper() for half in halves):
        return [text]
    return halves


def _split_commas(text: str) -> list[str]:
    if "," not in text:
        return [text]
    first, *rest = [piece.strip() for piece in text.split(",")]
    if len(rest) == 1 and " " not in first and _is_given_name(rest[0]):
        return [f"{rest[0]} {first}"]
    kept = [first]
    for piece in rest:
        if _is_credential(piece):
            continue
        if _has_role(piece):
            break  # what follows a role belongs to it: "CEO of X, Y"
        if piece[:1].islower() or " " not in piece:
            continue
        if all(_is_credential(word) for word in piece.split()):
            continue
        kept.append(piece)
    return kept


def _is_credential(text: str) -> bool:
    """Whether it is a degree or the like: "MD", "Ph.D.", "Jr", but not "Bo"."""
    return _CREDENTIAL.fullmatch(text) is not None and (text in _DEGREES or not text[1:].islower())


def _is_given_name(text: str) -> bool:
    """Whether "Kaufman, Jeff T." has its family name first."""
    words = text.split()
    if not 1 <= len(words) <= 3 or _has_role(text) or _is_credential(text):
        return False
    return all(word[:1].isupper() for word in words) and not text.isupper()


def _tidy(text: str) -> str:
    text = _EASTERN_ROLE.sub("", text).strip(" ,;:|-–—•·'")
    if text.count(" ") >= 1:
        text = _without_role(text)
        while " " in text.rpartition(" ")[0] and _is_degree(text.rpartition(" ")[2]):
            text = text.rpartition(" ")[0].rstrip(" ,")
    if text.endswith(".") and not re.search(r"\b[A-Z]\.$|\b(?:Jr|Sr)\.$", text):
        text = text[:-1]
    return text[: MAX_NAME_LENGTH + 1].strip()


def _without_role(text: str) -> str:
    last = text.rpartition(" ")[2]
    if not _has_role(text) and not (last[:1].isupper() and not last[1:].islower()):
        return text
    shorter = _TRAILING_ROLE.sub("", text, count=1).strip(" ,;:|-–—•·")
    return shorter if " " in shorter else text


def _has_role(text: str) -> bool:
    return any(word.strip(".,()").casefold() in _ROLES for word in text.split())


def _is_body(text: str) -> bool:
    """Whether it has a word that no person is called by, or the form of an address."""
    words = _WORDS.findall(text.casefold())
    if not BODY_WORDS.isdisjoint(words) or ("." in text and _DOMAIN.search(text)):
        return True
    return not text.isascii() and any(sign in text for sign in BODY_SIGNS)


def _is_degree(word: str) -> bool:
    return _DEGREE.fullmatch(word) is not None


def _kind(name: str) -> Kind | None:
    """What the name looks like; None for nobody."""
    lower = name.casefold()
    words = name.split()
    if not words or len(name) > MAX_NAME_LENGTH or lower in NOBODY or len(name_key(name)) < 2:
        return None
    if _PICTURES.match(name):
        return None
    if lower.strip(" :") in _INTRODUCTIONS or BOX_WORDS.issuperset(lower.split()):
        return None
    if _is_body(name) or _ARTICLE_FIRST.match(name):
        return "organisation" if len(words) <= 2 * MAX_WORDS else None
    if len(words) > MAX_WORDS:
        return None
    if len(words) == 1:
        if _WEEKDAY.fullmatch(name):
            return None
        return "person" if not name.isascii() and _is_eastern(name) else "handle"
    telling = [word for word in words if word.lower() not in PARTICLES]
    if any(_begins_small(word) for word in telling):
        return "handle" if len(words) <= 3 else None
    return "person"


def _begins_small(word: str) -> bool:
    """Whether it begins with a small letter; Georgian writes names with these as well."""
    return word[:1].islower() and not "\u10d0" <= word[0] <= "\u10ff"


def _is_eastern(name: str) -> bool:
    """Chinese, Japanese and Korean names are written without a blank, in two to six signs."""
    return 2 <= len(name) <= 6 and all("\u3040" <= sign <= "\ud7a3" for sign in name)
