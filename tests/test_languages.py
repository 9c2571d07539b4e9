"""Tags as pages write them, and what can be told from letters alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import cpu_within
from wireroom import languages
from wireroom.languages import (
    ENGLISH_NAMES,
    LANGUAGES,
    guess_by_script,
    is_spaceless,
    language_of,
    main_script,
    name_of,
    normal_tag,
    region_of,
)

TAGS = [  # as found, tag, language, region
    ("en", "en", "en", ""),
    ("EN", "en", "en", ""),
    ("en-us", "en-US", "en", "US"),
    ("pt_BR", "pt-BR", "pt", "BR"),
    (" de-AT ", "de-AT", "de", "AT"),
    ("zh-Hant-TW", "zh-Hant-TW", "zh", "TW"),
    ("ZH-hant-tw", "zh-Hant-TW", "zh", "TW"),
    ("zh_CN", "zh-CN", "zh", "CN"),
    ("zh-CHS", "zh-Hans", "zh", ""),
    ("zh-cmn-Hans-CN", "cmn-Hans-CN", "zh", "CN"),
    ("zh-yue-HK", "yue-HK", "zh", "HK"),
    ("yue", "yue", "zh", ""),
    ("fil-PH", "fil-PH", "tl", "PH"),
    ("sr-Latn-RS", "sr-Latn-RS", "sr", "RS"),
    ("es-419", "es-419", "es", "419"),
    ("ca-valencia", "ca-valencia", "ca", ""),
    ("de-CH-1901", "de-CH-1901", "de", "CH"),
    ("iw", "he", "he", ""),
    ("iw_IL", "he-IL", "he", "IL"),
    ("in-ID", "id-ID", "id", "ID"),
    ("mo", "ro", "ro", ""),
    ("no", "no", "no", ""),
    ("nb-NO", "nb-NO", "no", "NO"),
    ("nn-NO", "nn-NO", "nn", "NO"),
    ("eng", "en", "en", ""),
    ("ger-DE", "de-DE", "de", "DE"),
    ("deu", "de", "de", ""),
    ("ckb", "ckb", "ku", ""),
    ("gsw-CH", "gsw-CH", "", "CH"),
    ("jp", "ja", "ja", ""),
    ("en-UK", "en-GB", "en", "GB"),
    ("en-EN", "en", "en", ""),
    ("en_US.UTF-8", "en-US", "en", "US"),
    ("de_DE@euro", "de-DE", "de", "DE"),
    ("en-US-u-ca-gregory", "en-US", "en", "US"),
    ("en-x-private", "en", "en", ""),
    ("fr-FR, en;q=0.8", "fr-FR", "fr", "FR"),
    ("English", "en", "en", ""),
    ("english_us", "en-US", "en", "US"),
    ("Deutsch", "de", "de", ""),
    ("Français", "fr", "fr", ""),
    ("日本語", "ja", "ja", ""),
    ("Tiếng Việt", "vi", "vi", ""),
    ("Norwegian Nynorsk", "nn", "nn", ""),
    *((text, "", "", "") for text in ("", "-", "x", "C", "und", "mul", "x-default", "i-klingon")),
    *((text, "", "", "") for text in ("xx", "12", "é", "default", "{{lang}}", "en\x00", "ｅｎ")),
]


@pytest.mark.parametrize(("text", "tag", "language", "region"), TAGS)
def test_tags_are_read_as_found(text: str, tag: str, language: str, region: str) -> None:
    assert (normal_tag(text), language_of(text), region_of(text)) == (tag, language, region)
    assert normal_tag(tag) == tag


def test_every_language_has_two_letters_and_three() -> None:
    assert len(LANGUAGES) == 183
    assert all(len(code) == 2 for code in LANGUAGES)
    assert set(ENGLISH_NAMES) <= LANGUAGES
    assert set(languages._WHOLES.values()) <= LANGUAGES
    assert set(languages._NAMES.values()) <= LANGUAGES
    assert set(languages._CODES.values()) == LANGUAGES


def test_names() -> None:
    assert name_of("pt-BR") == "Portuguese"
    assert name_of("nb") == "Norwegian"
    assert name_of("gsw") == "gsw"


def test_spaceless_languages() -> None:
    assert all(map(is_spaceless, ["zh", "zh-Hant", "yue", "ja-JP", "th", "my", "km", "lo"]))
    assert not any(map(is_spaceless, ["ko", "vi", "en", ""]))


TEXTS = [  # invented lines
    ("The harbour bridge opens again on Monday.", "Latn", ""),
    ("Die Brücke über den Hafen öffnet wieder.", "Latn", ""),
    ("Сегодня мэр открыл новый мост через реку.", "Cyrl", "ru"),
    ("Сьогодні мер відкрив новий міст, її чекали роками.", "Cyrl", "uk"),
    ("Сёння мэр адкрыў новы мост праз раку.", "Cyrl", "be"),
    ("Днес кметът откри новия мост над реката.", "Cyrl", "bg"),
    ("Данас је градоначелник отворио нови мост, рекли су грађани.", "Cyrl", "sr"),
    ("Бүгүн мэр жаңы көпүрөнү ачты.", "Cyrl", ""),
    ("Ο δήμαρχος εγκαινίασε τη νέα γέφυρα.", "Grek", "el"),
    ("افتتح رئيس البلدية الجسر الجديد على النهر أمس في المدينة", "Arab", "ar"),
    ("شهردار امروز پل تازه را گشود و از مردم بزرگ شهر گفت", "Arab", "fa"),
    ("میئر نے آج نئے پل کا افتتاح کیا اور شہریوں سے ملے", "Arab", "ur"),
    ("ראש העיר פתח היום את הגשר החדש.", "Hebr", "he"),
    ("महापौर ने आज नए पुल का उद्घाटन किया।", "Deva", ""),
    ("মেয়র আজ নতুন সেতু উদ্বোধন করেছেন।", "Beng", "bn"),
    ("நகர மேயர் இன்று புதிய பாலத்தைத் திறந்தார்.", "Taml", "ta"),
    ("นายกเทศมนตรีเปิดสะพานใหม่วันนี้", "Thai", "th"),
    ("시장이 오늘 새 다리를 열었다.", "Hang", "ko"),
    ("市長は今日、新しい橋を開通させた。", "Jpan", "ja"),
    ("カタカナダケノミダシ", "Jpan", "ja"),
    ("市长今天为新桥揭幕，市民们很高兴。", "Hani", "zh"),
    ("市长今天在大桥边说，东京的品牌「の」字很有名，市民们听了都很高兴。", "Hani", "zh"),
    ("ქალაქის მერმა ახალი ხიდი გახსნა.", "Geor", "ka"),
    ("Քաղաքապետը բացեց նոր կամուրջը։", "Armn", "hy"),
    ("", "", ""),
    ("12.05.2026 – 17:30", "", ""),
    ("α = β", "", ""),
    ("abcde αβγδε абвгд", "", ""),
]


@pytest.mark.parametrize(("text", "script", "language"), TEXTS)
def test_script_and_what_it_tells(text: str, script: str, language: str) -> None:
    assert (main_script(text), guess_by_script(text)) == (script, language)


def test_a_quoted_name_does_not_decide() -> None:
    russian = "Сегодня мэр открыл новый мост через реку, и горожане были рады. " * 6
    assert guess_by_script(russian + "Хмельницький край її") == "ru"


def test_ranges_stand_in_order_and_mean_what_unicode_says() -> None:
    known = {"Latn": "LATIN", "Grek": "GREEK", "Cyrl": "CYRILLIC", "Hebr": "HEBREW"}
    known |= {"Arab": "ARABIC", "Deva": "DEVANAGARI", "Thai": "THAI", "Hang": "HANGUL"}
    known |= {"Hani": "IDEOGRAPH", "Geor": "GEORGIAN", "Armn": "ARMENIAN", "Khmr": "KHMER"}
    assert sorted(languages._RANGES) == languages._RANGES
    for first, last, script in languages._RANGES:
        assert first <= last
        letters = [chr(c) for c in range(first, last + 1) if chr(c).isalpha()]
        if script in known:
            named = [char for char in letters if known[script] in unicodedata.name(char, "")]
            assert len(named) >= len(letters) * 0.8, script


@given(st.text())
def test_nothing_raises_and_tags_are_stable(text: str) -> None:
    tag = normal_tag(text)
    assert normal_tag(tag) == tag
    assert language_of(text) in LANGUAGES | {""}
    assert language_of(tag) == language_of(text)
    assert main_script(text) == "" or len(main_script(text)) == 4
    assert guess_by_script(text) in LANGUAGES | {""}


@given(st.from_regex(r"[a-zA-Z]{1,4}([-_][a-zA-Z0-9]{1,8}){0,4}", fullmatch=True))
def test_tag_like_texts_are_stable(text: str) -> None:
    tag = normal_tag(text)
    assert normal_tag(tag) == normal_tag(tag.lower()) == normal_tag(tag.replace("-", "_")) == tag


def test_long_texts_cost_no_more_than_their_beginning() -> None:
    with cpu_within(1):
        assert main_script("я" * 10_000_000) == "Cyrl"
        assert normal_tag("en-" * 1_000_000) == "en"
