"""Names of encodings: what a label on the web means, and which codec reads it.

The labels are those of the WHATWG Encoding Standard and no others. A remote label is looked up in
this table alone: handing it to Python's codec registry would open doors such as UTF-7, `idna` or
`unicode_escape`. Old labels mean what browsers take them for (`iso-8859-1` is windows-1252).
"""

from __future__ import annotations

import codecs

_LABELS_BY_NAME = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16be": "unicodefffe utf-16be",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597"
    " iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598"
    " iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1"
    " iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989"
    " l5 latin5 windows-1254 x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
    " ksc_5601 windows-949",
}
_NAME_BY_LABEL = {
    label: name for name, labels in _LABELS_BY_NAME.items() for label in labels.split()
}

# Python's own name where it differs from the standard's, and the superset browsers really read.
_CODECS = {
    "ibm866": "cp866",
    "macintosh": "mac_roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-2022-jp": "iso2022_jp",
    "utf-32le": "utf-32-le",  # never by label: browsers dropped it; we know it by its zeros alone
    "utf-32be": "utf-32-be",
}
MULTI_BYTE = frozenset(
    {"gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-16le", "utf-16be"}
)
"""Encodings in which not every row of bytes is a text, so that decoding strictly says something."""

MAX_LABEL_LENGTH = 40  # the longest label in the table has 22 characters


def known_label(label: str) -> str:
    """The standard's name for what a label means, lower case; empty for anything not in the table."""
    if len(label) > MAX_LABEL_LENGTH:
        return ""
    return _NAME_BY_LABEL.get(label.strip("\t\n\f\r \"'").lower(), "")


def codec_name(name: str) -> str:
    """Python's name for one of our own encoding names."""
    return _CODECS.get(name, name)


def decode_as(body: bytes, name: str, *, strict: bool) -> str:
    """The text under an encoding of the table; strict raises UnicodeDecodeError, else U+FFFD stands in.

    The single-byte Windows encodings leave a few bytes undefined; browsers read those as C1 controls,
    and so do we, for one stray byte must not cost a page its encoding.
    """
    if name in _WINDOWS:
        return codecs.charmap_decode(body, "strict", _WINDOWS[name])[0]
    return body.decode(codec_name(name), "strict" if strict else "replace")


def _filled(name: str) -> str:
    table = (bytes([code]).decode(name, "replace") for code in range(256))
    return "".join(chr(code) if char == "\ufffd" else char for code, char in enumerate(table))


_WINDOWS = {f"windows-125{digit}": _filled(f"cp125{digit}") for digit in range(9)}
