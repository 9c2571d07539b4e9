"""Encodings: the right text whatever is declared, and a word on how it was come by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from tests.parse.sentences import PAGE, PRINTED_IN, SENTENCES
from wireroom.parse.encoding import MAX_LINES, charset_of, declared_encoding, decode
from wireroom.parse.feed import read_feed
from wireroom.parse.html import open_page
from wireroom.parse.labels import codec_name, known_label

CASES = pytest.mark.parametrize(("language", "codec", "label"), PRINTED_IN)


def _page(language: str, meta: str = "") -> str:
    return PAGE.format(meta=meta, text=SENTENCES[language])


@CASES
def test_undeclared_pages_are_read(language: str, codec: str, label: str) -> None:
    page = _page(language)
    decoded = decode(page.encode(codec))
    assert decoded.text == page
    assert not decoded.lossy


@CASES
def test_a_right_header_is_followed(language: str, codec: str, label: str) -> None:
    page = _page(language)
    decoded = decode(page.encode(codec), content_type=f"text/html; charset={label}")
    assert decoded.text == page
    assert not decoded.fallback


@CASES
def test_a_right_meta_tag_is_followed(language: str, codec: str, label: str) -> None:
    page = _page(language, f'<meta http-equiv=Content-Type content="text/html; charset={label}">')
    assert decode(page.encode(codec)).text == page


@CASES
def test_a_page_that_only_says_utf8_is_read_as_what_it_is(
    language: str, codec: str, label: str
) -> None:
    page = _page(language)
    decoded = decode(page.encode(codec), content_type="text/html; charset=utf-8")
    assert decoded.text == page
    if not codec.startswith(("utf", "iso2022")):
        assert decoded.fallback
        assert known_label(label) or decoded.encoding


@pytest.mark.parametrize(
    ("language", "codec"),
    [(language, codec) for language, codec, _ in PRINTED_IN if language not in {"pl", "cs", "hu", "tr"}],
)  # fmt: skip
def test_the_usual_wrong_default_does_not_spoil_another_script(language: str, codec: str) -> None:
    # Latin against Latin (Polish as iso-8859-1) stays as declared: statistics are no better there.
    page = _page(language)
    assert decode(page.encode(codec), content_type="text/html; charset=ISO-8859-1").text == page


def test_meta_beats_a_latin1_header_when_the_statistics_agree() -> None:
    page = _page("pl", '<meta charset="iso-8859-2">')
    decoded = decode(page.encode("iso8859_2"), content_type="text/html; charset=iso-8859-1")
    assert (decoded.text, decoded.source, decoded.fallback) == (page, "declared", True)


def test_header_says_utf8_but_body_is_shift_jis() -> None:
    page = _page("ja")
    decoded = decode(page.encode("shift_jis"), content_type="text/html; charset=utf-8")
    assert decoded.text == page
    assert (decoded.encoding, decoded.fallback) == ("shift_jis", True)


def test_utf8_under_a_latin_or_chinese_header_stays_utf8() -> None:
    page = _page("zh")
    for charset in ("iso-8859-1", "gbk", "windows-1251"):
        decoded = decode(page.encode(), content_type=f"text/html; charset={charset}")
        assert (decoded.text, decoded.encoding, decoded.fallback) == (page, "utf-8", True)


def test_utf16_in_a_declaration_that_can_be_read_means_utf8() -> None:
    xml = '<?xml version="1.0" encoding="utf-16"?><rss><title>Brücke</title></rss>'
    decoded = decode(xml.encode(), kind="xml")
    assert (decoded.text, decoded.encoding) == (xml, "utf-8")


def test_a_few_broken_bytes_keep_utf8_and_say_so() -> None:
    body = _page("ru").encode().replace(b"<nav>", b"<nav>\xff\xfe")
    decoded = decode(body)
    assert decoded.text.count("\ufffd") == 2
    assert decoded.text.replace("\ufffd", "") == _page("ru")
    assert (decoded.encoding, decoded.source, decoded.lossy) == ("utf-8", "mostly utf-8", True)


def test_one_lone_latin_byte_in_an_english_page_is_read() -> None:
    decoded = decode(b"<p>We met in a caf\xe9 by the river and talked for hours.</p>")
    assert "café" in decoded.text


def test_a_gbk_block_within_a_utf8_page_keeps_both() -> None:
    first, block = SENTENCES["ru"] * 3, SENTENCES["zh"]
    body = f"<p>{first}</p>\n".encode() + f"<p>{block}</p>\n".encode("gbk") + b"<p>end</p>"
    decoded = decode(body)
    assert first in decoded.text
    assert block in decoded.text
    assert not decoded.lossy


@pytest.mark.parametrize("kind", ["header", "meta", "neither"])
def test_a_gbk_paragraph_does_not_win_over_the_few_letters_of_a_utf8_page(kind: str) -> None:
    """Most of an English page is ASCII: by letters alone the pasted paragraph would have it."""
    count = 9 if kind == "neither" else 1
    lines = ["<p>It’s the harbour’s own – “café” – they said.</p>"] * count
    head = '<meta charset="utf-8">\n' if kind == "meta" else "<title>a</title>\n"
    block = f"<p>{SENTENCES['zh']}</p>\n"
    body = head.encode() + "\n".join(lines).encode() + b"\n" + block.encode("gbk")
    header = "text/html; charset=utf-8" if kind == "header" else ""
    decoded = decode(body, content_type=header)
    assert decoded.text == head + "\n".join(lines) + "\n" + block
    assert (decoded.encoding, decoded.source) == ("utf-8", "mostly utf-8")


def test_a_gbk_page_that_is_declared_utf8_stays_gbk() -> None:
    """学习 looks like UTF-8 by accident; the lines around it do not."""
    page = "\n".join(["<li>学习</li>", *[f"<p>{SENTENCES['zh']}</p>"] * 3])
    decoded = decode(page.encode("gbk"), content_type="text/html; charset=utf-8")
    assert decoded.text == page


def test_a_body_of_nothing_but_lines_is_not_looked_at_line_by_line() -> None:
    body = "é\n".encode() * (MAX_LINES + 1) + b"\xff\xfe" * MAX_LINES
    with cpu_within(2):
        assert decode(body).text


def test_a_declared_encoding_with_one_bad_byte_still_holds() -> None:
    page = _page("zh", '<meta charset="gbk">')
    decoded = decode(page.encode("gbk") + b"\xff ")
    assert page in decoded.text
    assert (decoded.encoding, decoded.lossy) == ("gb18030", True)


@pytest.mark.parametrize(
    "label",
    [
        "utf-7",
        "unicode_escape",
        "idna",
        "rot13",
        "hex",
        "zlib",
        "hz-gb-2312",
        "cp037",
        "x" * 99,
        "",
    ],
)
def test_labels_outside_the_standard_are_nothing(label: str) -> None:
    assert known_label(label) == ""
    assert charset_of(f"text/html; charset={label}") == ""


def test_utf7_is_never_decoded() -> None:
    body = b'<meta charset="utf-7">+ADw-script+AD4-'
    decoded = decode(body, content_type="text/html; charset=utf-7")
    assert decoded.text == body.decode()


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("ISO-8859-1", "windows-1252"),
        (" Latin1\n", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("gb2312", "gb18030"),
        ("KS_C_5601-1987", "euc-kr"),
        ("x-sjis", "shift_jis"),
        ("iso-8859-9", "windows-1254"),
        ("TIS-620", "windows-874"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, name: str) -> None:
    assert known_label(label) == name
    assert "x".encode(codec_name(name))


@pytest.mark.parametrize(
    ("body", "kind", "name"),
    [
        (b'<meta charset="koi8-r">', "html", "koi8-r"),
        (b"<META CONTENT='text/html; charset=Big5' http-equiv=content-type>", "html", "big5"),
        (b'<!-- <meta charset="gbk"> --><meta charset=euc-jp>', "html", "euc-jp"),
        (b"<?xml version='1.0' encoding='windows-1251'?>", "xml", "windows-1251"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "html", "iso-8859-2"),
        (b"<meta charset=gbk>", "xml", ""),
        (b"<meta charset=gbk>", "json", ""),
        (b" " * 5000 + b"<meta charset=gbk>", "html", ""),
    ],
)
def test_declarations_are_found(body: bytes, kind: str, name: str) -> None:
    assert declared_encoding(body, kind=kind) == name  # type: ignore[arg-type]  # a table of words


def test_windows_1252_reads_anything() -> None:
    decoded = decode(bytes(range(1, 256)))
    assert decoded.text
    assert len(decode(b"\x93quoted\x94 \x81").text) == 10


@given(
    st.binary(max_size=3000), st.sampled_from(["", "text/html; charset=utf-8", "x; charset=gbk"])
)
def test_any_bytes_become_text(body: bytes, content_type: str) -> None:
    decoded = decode(body, content_type=content_type)
    assert isinstance(decoded.text, str)
    assert not decoded.lossy or "\ufffd" in decoded.text


@given(st.text(max_size=500))
def test_utf8_comes_back_as_it_went_in(text: str) -> None:
    body = text.encode("utf-8", "ignore")
    if "\0" in text or "\x1b" in text or body[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return  # taken for UTF-16 or ISO-2022-JP, which such a text may well be
    assert decode(body).text == body.decode("utf-8").removeprefix("\ufeff")


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize(
    "text", ["Паром вернулся в порт. ", "Το πλοίο γύρισε πίσω. ", "Die Fähre kehrt zurück. "]
)
def test_utf_16_by_its_header_needs_no_mark(text: str, name: str) -> None:
    found = decode((text * 9).encode(name), content_type="text/html; charset=utf-16")
    assert (found.text, found.encoding) == (text * 9, name)


def test_a_page_that_a_header_calls_utf_16_may_still_be_utf_8() -> None:
    found = decode(
        ("Die Fähre kehrt zurück. " * 9).encode(), content_type="text/html; charset=utf-16"
    )
    assert (found.encoding, found.fallback) == ("utf-8", True)


def test_a_latin_paragraph_in_a_utf_8_page_is_read() -> None:
    page = ("<p>Die Fähre kehrt zurück.</p>" * 9).encode()
    found = decode(page + "<p>Ein Café für Gäste.</p>".encode("latin-1") + page)
    assert "Ein Café für Gäste." in found.text
    assert (found.encoding, found.fallback, found.lossy) == ("utf-8", True, False)


@pytest.mark.parametrize("header", ["text/html", "text/html; charset=utf-8"])
def test_a_declaration_that_was_overruled_is_noted(header: str) -> None:
    body = b'<meta charset="iso-8859-1">' + ("Die Fähre kehrt zurück. " * 9).encode()
    found = decode(body, content_type=header)
    assert (found.encoding, found.fallback) == ("utf-8", True)


UTF8_PAGE = "<p>Größe und Maß der Brücke für zwölf Jahre.</p>" * 4
PASTED = "Größe: Ä, Ö und é “so” – der Rat trat erneut zusammen, um über die Brücke zu sprechen."


@pytest.mark.parametrize("content_type", ["", "text/html; charset=utf-8"])
def test_a_paragraph_of_latin_1_in_a_page_of_utf_8_is_read(content_type: str) -> None:
    body = UTF8_PAGE.encode() + b"<p>" + PASTED.encode("cp1252") + b"</p>" + UTF8_PAGE.encode()
    decoded = decode(body, content_type=content_type)
    assert decoded.text == f"{UTF8_PAGE}<p>{PASTED}</p>{UTF8_PAGE}"
    assert (decoded.encoding, decoded.fallback, decoded.lossy) == ("utf-8", True, False)
    page = open_page(body, content_type=content_type)
    assert PASTED in page.tree.text()
    assert page.encoding_fallback


def test_a_feed_of_utf_8_with_one_text_of_latin_1_is_read() -> None:
    text = "<rss><channel><item><title>Größe</title><description>{}</description></item></channel></rss>"
    start, end = text.split("{}")
    body = (
        b'<?xml version="1.0" encoding="utf-8"?>'
        + start.encode()
        + PASTED.encode("cp1252")
        + end.encode()
    )
    document = read_feed(body)
    assert (document.items[0].title, document.items[0].summary) == ("Größe", PASTED)
    assert document.extra["encoding_fallback"] is True


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (UTF8_PAGE.encode("utf-16-le"), "text/html; charset=utf-8"),
        (UTF8_PAGE.encode("utf-16"), "text/html; charset=iso-8859-1"),
        (UTF8_PAGE.encode("utf-8-sig"), "text/html; charset=iso-8859-1"),
        (b"<meta charset=iso-8859-1>".join([b"\xef\xbb\xbf", UTF8_PAGE.encode()]), ""),
        ("<p>橋が閉鎖された</p>".encode("iso-2022-jp"), "text/html; charset=utf-8"),
    ],
    ids=["zeros", "mark of utf-16", "mark of utf-8", "mark and meta", "escapes"],
)
def test_a_sure_sign_that_overrules_a_declaration_is_noted(body: bytes, content_type: str) -> None:
    assert decode(body, content_type=content_type).fallback


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (UTF8_PAGE.encode("utf-16-be"), "text/html; charset=utf-16"),
        (UTF8_PAGE.encode("utf-16-le"), ""),
        (UTF8_PAGE.encode("utf-8-sig"), "text/html; charset=utf-8"),
        (b"\xef\xbb\xbf<p>plain</p>", "text/html; charset=iso-8859-1"),
    ],
)
def test_a_sure_sign_that_contradicts_nobody_is_no_fallback(body: bytes, content_type: str) -> None:
    assert not decode(body, content_type=content_type).fallback


def test_a_feed_in_utf_8_that_declares_something_else_says_so() -> None:
    feed = '<?xml version="1.0" encoding="{}"?><rss><channel><item><title>Größe</title></item></channel></rss>'
    document = read_feed(feed.format("iso-8859-1").encode())
    assert document.items[0].title == "Größe"
    assert (document.extra["encoding"], document.extra["encoding_fallback"]) == ("utf-8", True)
    assert "encoding" not in read_feed(feed.format("utf-8").encode()).extra
