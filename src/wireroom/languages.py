"""Languages: reading the tags that pages and feeds give, and what a script tells about a text.

Pure: no network, no model, no settings. Detecting a language by statistics is the business of
`parse`; here is only what follows from a tag, or from the ranges of Unicode that a text keeps to.
A tag is BCP 47 (`zh-Hant-TW`), a language is ISO 639-1 (`zh`), a script is ISO 15924 (`Hant`).
What cannot be read is the empty string; nothing here raises.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

MAX_TAG_LENGTH = 100  # the longest registered tag has 35; more is prose or a list
SAMPLE_LENGTH = 1000  # characters; a script shows itself in far fewer
FEWEST_LETTERS = 5  # a script is not told from fewer: one Greek letter is mathematics
MAIN_SHARE = 0.5  # of the letters that have a script; below that a text is mixed

# ISO 639-1 = ISO 639-3, and the old librarians' code where that differs. As of 2026-11.
_ISO_639 = """
aa=aar ab=abk ae=ave af=afr ak=aka am=amh an=arg ar=ara as=asm av=ava ay=aym az=aze ba=bak be=bel
bg=bul bi=bis bm=bam bn=ben bo=bod=tib br=bre bs=bos ca=cat ce=che ch=cha co=cos cr=cre cs=ces=cze
cu=chu cv=chv cy=cym=wel da=dan de=deu=ger dv=div dz=dzo ee=ewe el=ell=gre en=eng eo=epo es=spa
et=est eu=eus=baq fa=fas=per ff=ful fi=fin fj=fij fo=fao fr=fra=fre fy=fry ga=gle gd=gla gl=glg
gn=grn gu=guj gv=glv ha=hau he=heb hi=hin ho=hmo hr=hrv=scr ht=hat hu=hun hy=hye=arm hz=her ia=ina
id=ind ie=ile ig=ibo ii=iii ik=ipk io=ido is=isl=ice it=ita iu=iku ja=jpn jv=jav ka=kat=geo kg=kon
ki=kik kj=kua kk=kaz kl=kal km=khm kn=kan ko=kor kr=kau ks=kas ku=kur kv=kom kw=cor ky=kir la=lat
lb=ltz lg=lug li=lim ln=lin lo=lao lt=lit lu=lub lv=lav mg=mlg mh=mah mi=mri=mao mk=mkd=mac ml=mal
mn=mon mr=mar ms=msa=may mt=mlt my=mya=bur na=nau nb=nob nd=nde ne=nep ng=ndo nl=nld=dut nn=nno
no=nor nr=nbl nv=nav ny=nya oc=oci oj=oji om=orm or=ori os=oss pa=pan pi=pli pl=pol ps=pus pt=por
qu=que rm=roh rn=run ro=ron=rum ru=rus rw=kin sa=san sc=srd sd=snd se=sme sg=sag si=sin sk=slk=slo
sl=slv sm=smo sn=sna so=som sq=sqi=alb sr=srp=scc ss=ssw st=sot su=sun sv=swe sw=swa ta=tam te=tel
tg=tgk th=tha ti=tir tk=tuk tl=tgl tn=tsn to=ton tr=tur ts=tso tt=tat tw=twi ty=tah ug=uig uk=ukr
ur=urd uz=uzb ve=ven vi=vie vo=vol wa=wln wo=wol xh=xho yi=yid yo=yor za=zha zh=zho=chi zu=zul
"""
_CODES = {code: row.split("=")[0] for row in _ISO_639.split() for code in row.split("=")}
LANGUAGES = frozenset(_CODES.values())
"""Every ISO 639-1 code."""

# Withdrawn codes, and codes of countries that are written for the language and mean no other.
_CODES |= {"iw": "he", "ji": "yi", "in": "id", "jw": "jv", "mo": "ro", "mol": "ro", "sh": "sr"}
_CODES |= {"jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk"}
# Members of a group that ISO 639-1 knows only as a whole; their tags stay.
_GROUPS = {
    "ar": ("arb", "ary", "arz", "apc", "acm", "aeb"),
    "az": ("azb", "azj"),
    "et": ("ekk",),
    "fa": ("pes", "prs"),
    "ku": ("ckb", "kmr"),
    "lv": ("lvs",),
    "mn": ("khk",),
    "ms": ("zsm",),
    "ne": ("npi",),
    "or": ("ory",),
    "sq": ("als",),
    "sw": ("swh",),
    "tl": ("fil",),
    "uz": ("uzn",),
    "zh": ("cmn", "yue", "wuu", "hak", "nan", "gan", "hsn", "lzh"),
    # Papers write no and nb for the same language, and so do detectors; nn is another.
    "no": ("nb",),
}
_WHOLES = {member: whole for whole, members in _GROUPS.items() for member in members}
_NO_LANGUAGE = frozenset({"und", "mul", "zxx", "mis"})
_WHOLE_TAGS = {"zh-chs": "zh-Hans", "zh-cht": "zh-Hant", "zh-cmn": "zh", "no-bok": "nb"}
_REGIONS = {"UK": "GB", "EN": ""}  # what is meant by en-UK; en-EN and the like mean nothing


def _table(text: str) -> dict[str, str]:
    """The pairs of `name=value, name=value`: a form in which many short ones can be read."""
    return dict(pair.strip().split("=") for pair in text.split(","))


ENGLISH_NAMES = _table(
    """
    af=Afrikaans, am=Amharic, ar=Arabic, az=Azerbaijani, be=Belarusian, bg=Bulgarian, bn=Bengali,
    bs=Bosnian, ca=Catalan, cs=Czech, cy=Welsh, da=Danish, de=German, el=Greek, en=English,
    eo=Esperanto, es=Spanish, et=Estonian, eu=Basque, fa=Persian, fi=Finnish, fr=French, ga=Irish,
    gl=Galician, gu=Gujarati, he=Hebrew, hi=Hindi, hr=Croatian, hu=Hungarian, hy=Armenian,
    id=Indonesian, is=Icelandic, it=Italian, ja=Japanese, ka=Georgian, kk=Kazakh, km=Khmer,
    kn=Kannada, ko=Korean, ky=Kyrgyz, lb=Luxembourgish, lo=Lao, lt=Lithuanian, lv=Latvian,
    mk=Macedonian, ml=Malayalam, mn=Mongolian, mr=Marathi, ms=Malay, mt=Maltese, my=Burmese,
    ne=Nepali, nl=Dutch, nn=Norwegian Nynorsk, no=Norwegian, pa=Punjabi, pl=Polish, ps=Pashto,
    pt=Portuguese, ro=Romanian, ru=Russian, si=Sinhala, sk=Slovak, sl=Slovenian, so=Somali,
    sq=Albanian, sr=Serbian, sv=Swedish, sw=Swahili, ta=Tamil, te=Telugu, th=Thai, tl=Tagalog,
    tr=Turkish, uk=Ukrainian, ur=Urdu, uz=Uzbek, vi=Vietnamese, zh=Chinese
    """
)
# How languages call themselves, as it stands in `<meta name="language">`.
_OWN_NAMES = _table(
    """
    deutsch=de, français=fr, francais=fr, español=es, espanol=es, castellano=es, italiano=it,
    português=pt, portugues=pt, català=ca, nederlands=nl, svenska=sv, dansk=da, norsk=no, suomi=fi,
    polski=pl, čeština=cs, slovenčina=sk, magyar=hu, română=ro, türkçe=tr, turkce=tr, ελληνικά=el,
    русский=ru, українська=uk, български=bg, српски=sr, hrvatski=hr, العربية=ar, فارسی=fa,
    עברית=he, हिन्दी=hi, ไทย=th, 한국어=ko, 日本語=ja, 中文=zh, tiếng việt=vi, bahasa indonesia=id
    """
)
_NAMES = {name.lower(): code for code, name in ENGLISH_NAMES.items()} | _OWN_NAMES

_SPACELESS = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "zh"})


_TAGS_KEPT = 256  # a page asks for its own tag some twenty times, a corpus for a few dozen


# --- tags ----------------------------------------------------------------------------------------


def normal_tag(text: str) -> str:
    """The tag in its usual spelling: `pt_BR` is `pt-BR`, `ZH-hant-tw` is `zh-Hant-TW`.

    Takes also locales (`en_US.UTF-8`), names (`Deutsch`) and lists, of which the first one counts.
    Extensions and private parts are left out.
    """
    return _normal_tag(text[:MAX_TAG_LENGTH])


@lru_cache(maxsize=_TAGS_KEPT)
def _normal_tag(text: str) -> str:
    text = text.strip().lower()
    if text in _NAMES:
        return _NAMES[text]
    text = re.split(r"[\s,;.@|/]", text, maxsplit=1)[0].replace("_", "-")
    if text in _WHOLE_TAGS:
        return _WHOLE_TAGS[text]
    first, *rest = text.split("-")
    language = _NAMES.get(first) or _primary(first)
    if rest and len(rest[0]) == 3 and rest[0] in _WHOLES:
        language = rest.pop(0)  # zh-yue is the old way to write yue
    return "-".join([language, *_subtags(rest)]) if language else ""


def language_of(tag: str) -> str:
    """The ISO 639-1 code of a tag: `zh` of `zh-Hant-TW` and of `yue`, `no` of `nb-NO`."""
    primary = normal_tag(tag).partition("-")[0]
    code = _WHOLES.get(primary, primary)
    return code if code in LANGUAGES else ""


def region_of(tag: str) -> str:
    """The country or area a tag names: `US` of `en_us`, `419` of `es-419`, often none."""
    for part in normal_tag(tag).split("-")[1:]:
        if (len(part) == 2 and part.isalpha()) or (len(part) == 3 and part.isdigit()):
            return part
    return ""


def name_of(tag: str) -> str:
    """The English name of the tag's language, or the tag where we know none."""
    return ENGLISH_NAMES.get(language_of(tag), tag)


def is_spaceless(tag: str) -> bool:
    """Whether the language is written without blanks between words."""
    return language_of(tag) in _SPACELESS


def _primary(code: str) -> str:
    if not (code.isascii() and code.isalpha() and 2 <= len(code) <= 3) or code in _NO_LANGUAGE:
        return ""
    return _CODES.get(code, code if len(code) == 3 else "")


def _subtags(parts: list[str]) -> list[str]:
    """Script, region and variants in their own case, up to the first that is none of these."""
    kept: list[str] = []
    for part in parts:
        if not (part.isascii() and part.isalnum()) or len(part) < 2:
            break
        if len(part) == 4 and part.isalpha():
            kept.append(part.title())
        elif len(part) == 2 or (len(part) == 3 and part.isdigit()):
            kept.append(_REGIONS.get(part.upper(), part.upper()))
        elif len(part) >= 5 or part[0].isdigit():
            kept.append(part)
    return [part for part in kept if part]


# --- scripts -------------------------------------------------------------------------------------

_RANGES = [  # first and last character, script; in order
    *((0x0041, 0x005A, "Latn"), (0x0061, 0x007A, "Latn"), (0x00C0, 0x024F, "Latn")),
    *((0x0370, 0x03FF, "Grek"), (0x0400, 0x052F, "Cyrl"), (0x0531, 0x058A, "Armn")),
    *((0x0591, 0x05F4, "Hebr"), (0x0600, 0x06FF, "Arab"), (0x0700, 0x074F, "Syrc")),
    *((0x0750, 0x077F, "Arab"), (0x0780, 0x07BF, "Thaa"), (0x08A0, 0x08FF, "Arab")),
    *((0x0900, 0x097F, "Deva"), (0x0980, 0x09FF, "Beng"), (0x0A00, 0x0A7F, "Guru")),
    *((0x0A80, 0x0AFF, "Gujr"), (0x0B00, 0x0B7F, "Orya"), (0x0B80, 0x0BFF, "Taml")),
    *((0x0C00, 0x0C7F, "Telu"), (0x0C80, 0x0CFF, "Knda"), (0x0D00, 0x0D7F, "Mlym")),
    *((0x0D80, 0x0DFF, "Sinh"), (0x0E00, 0x0E7F, "Thai"), (0x0E80, 0x0EFF, "Laoo")),
    *((0x0F00, 0x0FFF, "Tibt"), (0x1000, 0x109F, "Mymr"), (0x10A0, 0x10FF, "Geor")),
    *((0x1100, 0x11FF, "Hang"), (0x1200, 0x139F, "Ethi"), (0x1780, 0x17FF, "Khmr")),
    *((0x1C90, 0x1CBF, "Geor"), (0x1E00, 0x1EFF, "Latn"), (0x1F00, 0x1FFF, "Grek")),
    *((0x3005, 0x3007, "Hani"), (0x3041, 0x309F, "Kana"), (0x30A1, 0x30FA, "Kana")),
    *((0x30FC, 0x30FF, "Kana"), (0x3131, 0x318E, "Hang"), (0x31F0, 0x31FF, "Kana")),
    *((0x3400, 0x4DBF, "Hani"), (0x4E00, 0x9FFF, "Hani"), (0xAC00, 0xD7A3, "Hang")),
    *((0xF900, 0xFAFF, "Hani"), (0xFB1D, 0xFB4F, "Hebr"), (0xFB50, 0xFDFF, "Arab")),
    *((0xFE70, 0xFEFC, "Arab"), (0xFF21, 0xFF5A, "Latn"), (0xFF66, 0xFF9D, "Kana")),
    (0x20000, 0x323AF, "Hani"),
]
_STARTS = [first for first, _, _ in _RANGES]

# Scripts that one language writes, or nearly: what a text in them is in, unless a tag says otherwise.
_SCRIPT_LANGUAGES = _table(
    """
    Armn=hy, Beng=bn, Ethi=am, Geor=ka, Grek=el, Gujr=gu, Guru=pa, Hang=ko, Hani=zh, Hebr=he,
    Jpan=ja, Khmr=km, Knda=kn, Laoo=lo, Mlym=ml, Mymr=my, Orya=or, Sinh=si, Taml=ta, Telu=te,
    Thaa=dv, Thai=th, Tibt=bo
    """
)
# Scripts of many languages, with letters that tell one from the rest: the first found decides.
_TELLING_LETTERS = {
    "Arab": (
        *(("ےٹڈڑ", "ur"), ("ځښډټ", "ps"), ("ێڵڕ", "ku"), ("ۈۋ", "ug"), ("ڄڃٻ", "sd")),
        *(("پچژگ", "fa"), ("ةىأإ", "ar")),
    ),
    "Cyrl": (
        *(("ў", "be"), ("їєґ", "uk"), ("ѓќѕ", "mk"), ("ђћ", "sr"), ("ұ", "kk")),
        ("әөүңһҗғқҳӣ", ""),  # Tatar, Kyrgyz, Mongolian, Tajik: not told apart here
        *(("ыэ", "ru"), ("ъ", "bg")),
    ),
}
TELLING_SHARE = 0.005  # of all letters; below that they stand in quoted names


def main_script(text: str) -> str:
    """The script of most letters at the beginning of a text, empty when mixed or too short.

    Japanese, which mixes its own letters with Chinese ones, is `Jpan`.
    """
    letters = _letters_by_script(text)
    kana, han = letters["Kana"], letters["Hani"]
    if kana * 10 > han:  # a Japanese text holds far more of its own; a Chinese one quotes a name
        letters["Jpan"] = kana + han
        del letters["Kana"], letters["Hani"]
    most = letters.most_common(1)
    if not most or most[0][1] < max(FEWEST_LETTERS, MAIN_SHARE * letters.total()):
        return ""
    return most[0][0]


def letters_of(scripts: Collection[str]) -> re.Pattern[str]:
    """A pattern for one letter of any of these scripts."""
    ranges = (f"{chr(first)}-{chr(last)}" for first, last, script in _RANGES if script in scripts)
    return re.compile(f"[{''.join(ranges)}]")


def guess_by_script(text: str) -> str:
    """The language a text must be in by its letters alone, empty where several share them.

    The last resort: Latin, Devanagari and most Cyrillic languages cannot be told this way.
    """
    script = main_script(text)
    if script in _SCRIPT_LANGUAGES:
        return _SCRIPT_LANGUAGES[script]
    letters = Counter(text[:SAMPLE_LENGTH].lower())
    enough = TELLING_SHARE * letters.total()
    for telling, language in _TELLING_LETTERS.get(script, ()):
        if sum(letters[letter] for letter in telling) > enough:
            return language
    return ""


def _letters_by_script(text: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for char, count in Counter(text[:SAMPLE_LENGTH]).items():
        place = bisect_right(_STARTS, ord(char)) - 1
        if place >= 0 and ord(char) <= _RANGES[place][1]:
            counted[_RANGES[place][2]] += count
    return counted
