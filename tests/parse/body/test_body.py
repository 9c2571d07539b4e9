"""What `read_body` promises beyond the text: order, reasons, switches, what others may tell it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.budget import ROOM
from tests.parse.bounds import short_form
from tests.parts import REPOSITORY, examples
from wireroom.errors import ParseError
from wireroom.parse.body import (
    BlockKind,
    Body,
    block_hash,
    count_words,
    read_body,
    to_html,
    to_markdown,
)
from wireroom.parse.body.blocks import MAX_BLOCKS
from wireroom.parse.html import open_page

GOLDEN = REPOSITORY / "tests" / "parse" / "body" / "golden"
MAX_CPU = 2.0 * ROOM  # seconds a page may take, whatever it is

PROSE = [
    "The council met for the third time this week to speak about the bridge and its bearings.",
    "Nobody had expected the cracks, said the engineer, who has looked after it for twenty years.",
    "The ferry will run every ten minutes, and it takes bicycles and prams but no horses at all.",
]


def _article(*parts: str) -> str:
    inner = "".join(parts) or "".join(f"<p>{text}</p>" for text in PROSE)
    return f"<body><nav><a href=/>Home</a></nav><article><h1>Bridge</h1>{inner}</article></body>"


def _read(html: str, **options: Any) -> Body:
    return read_body(open_page(html, url="https://courier.test/news/a"), **options)


def _case(name: str) -> str:
    return (GOLDEN / name / "case.html").read_text("utf-8")


def test_every_kind_of_block_is_distinguished() -> None:
    page = (
        "<div>a</div><p>b</p><h3>c</h3><ol><li>d</li></ol><dl><dt>e</dt><dd>f</dd></dl>"
        "<table><tr><td>g</td></tr></table><blockquote><p>h</p></blockquote><pre>i</pre>"
        "<figure><img alt=k><figcaption>j</figcaption></figure><!-- nothing --><o:p>l</o:p>"
    )
    blocks = {block.text: block for block in _read(page, explain=True).blocks}
    # an image itself is no block of a page: it stands beside them, where it is asked for
    assert [blocks[text].kind for text in "abcdefghijkl"] == [*get_args(BlockKind)[:-1], "text"]
    assert (blocks["c"].level, blocks["d"].number, blocks["h"].quoted) == (3, 1, True)
    assert blocks["g"].row > 0


def test_an_image_says_what_it_shows_in_its_place() -> None:
    body = _read(
        _article(f"<p>{PROSE[0]}</p><img alt='A bridge'><p>{PROSE[1]}</p><p>{PROSE[2]}</p>")
    )
    lines = to_markdown(body.blocks).split("\n\n")
    assert lines.index(PROSE[0]) < lines.index("*A bridge*") < lines.index(PROSE[1])
    assert "A bridge" not in body.text


def test_precision_leaves_pictures_out() -> None:
    body = _read(_case("captions"), mode="precision")
    assert not {block.kind for block in body.blocks} & {"caption", "alt"}


def test_entities_are_decoded_once() -> None:
    assert (
        "&lt;b&gt; stays"
        in _read(_article(*(f"<p>{t} &amp;lt;b&amp;gt; stays</p>" for t in PROSE))).text
    )


@pytest.mark.parametrize("tag", ["script", "style", "nav", "footer", "template", "noscript"])
def test_what_is_never_read_is_absent(tag: str) -> None:
    hidden = (
        f"<{tag}>Unwanted words that nobody ever reads on any page at all, however long.</{tag}>"
    )
    body = _read(_article(f"<p>{PROSE[0]}</p>{hidden}<p>{PROSE[1]}</p><p>{PROSE[2]}</p>"))
    assert "Unwanted" not in body.text
    assert body.text.count("\n\n") == 2


def test_recall_keeps_at_least_what_precision_keeps() -> None:
    html = _case("boxes")
    texts = [
        set(_read(html, mode=m).text.split("\n\n")) for m in ("precision", "balanced", "recall")
    ]
    assert texts[0] <= texts[1] <= texts[2]


def test_explain_gives_every_block_with_its_reason() -> None:
    plain, explained = _read(_case("comments")), _read(_case("comments"), explain=True)
    assert plain.text == explained.text
    assert all(block.kept for block in plain.blocks)
    dropped = [block for block in explained.blocks if not block.kept]
    assert any("Old Tom" in block.text for block in dropped)
    assert all(
        block.reason and block.path and 0 <= block.probability <= 1 for block in explained.blocks
    )


def test_known_boilerplate_is_dropped() -> None:
    known = frozenset({block_hash(PROSE[1])})
    body = _read(_article(), known_boilerplate=known)
    assert PROSE[1] not in body.text
    assert PROSE[0] in body.text


def test_the_hash_of_a_block_knows_words_alone() -> None:
    assert block_hash("Read on,  please!") == block_hash("read on please")
    assert block_hash("Read on") != block_hash("Read off")


def test_an_anchor_brings_back_what_the_weights_would_drop() -> None:
    odd = f"<div class='related sidebar widget'><p>{PROSE[1]}</p></div>"
    html = _article(f"<p>{PROSE[0]}</p>", f"<p>{PROSE[2]}</p>").replace("</body>", f"{odd}</body>")
    message = " ".join(PROSE)
    assert PROSE[1] in _read(html, anchors=[message]).text
    assert _read(html, anchors=["too short to tell"]).text == _read(html).text


def test_a_page_in_the_footer_is_found_when_there_is_nothing_else() -> None:
    body = _read(f"<body><footer>{''.join(f'<p>{text}</p>' for text in PROSE)}</footer></body>")
    assert PROSE[0] in body.text
    assert "nothing found outside navigation and footer" in body.doubts


@pytest.mark.parametrize("html", ["", "<p></p>", "<script>let a = 1</script>", "\x00", "<!--"])
def test_no_text_is_an_empty_body_without_confidence(html: str) -> None:
    body = _read(html)
    assert (body.text, body.blocks, body.word_count, body.confidence) == ("", (), 0, 0.0)
    assert "no text" in body.doubts


def test_confidence_is_higher_on_an_article_than_on_a_stub() -> None:
    article, stub = _read(_case("lists")), _read(_case("paywalled-stubs"))
    assert article.confidence > stub.confidence
    assert "little text" in stub.doubts
    assert 0.5 < article.agreement <= 1.0


def test_words_are_counted_in_every_script() -> None:
    assert count_words("two words") == 2
    assert count_words("橋は閉鎖") == 4
    assert count_words("橋 and ferry") == 3
    assert count_words("橋 and\u3000ferry") == 3
    assert count_words("") == 0


@given(st.text(alphabet=st.sampled_from("a.é—“ \n\t\x1c\x85\xa0\u2009\u3000\ud800"), max_size=30))
def test_words_are_what_stands_between_blanks_of_every_kind(text: str) -> None:
    assert count_words(text) == len(text.split())


def test_links_become_addresses_and_only_those_of_the_web() -> None:
    text = PROSE[0].replace("the bridge", "<a href='../b?x=(1)'>the <b>bridge</b></a>")
    evil = PROSE[1].replace("cracks", "<a href='javascript:alert(1)' onclick=evil()>cracks</a>")
    body = _read(_article(f"<p>{text}</p><p>{evil}</p><p>{PROSE[2]}</p>"), rich=True)
    html = to_html(body.blocks)
    assert '<a href="https://courier.test/b?x=(1)" rel="noopener noreferrer nofollow">' in html
    assert "the <strong>bridge</strong></a>" in html
    assert "javascript" not in html
    assert "onclick" not in html
    assert "[the **bridge**](https://courier.test/b?x=%281%29)" in to_markdown(body.blocks)


def test_markup_in_the_text_stays_text() -> None:
    evil = "".join(f"<p>{t} &lt;script&gt;alert(1)&lt;/script&gt; *a* [b](c)</p>" for t in PROSE)
    body = _read(_article(evil), rich=True)
    assert "<script>" in body.text
    assert "<script" not in to_html(body.blocks)
    assert r"\*a\* \[b\](c)" in to_markdown(body.blocks)


def test_a_number_that_begins_a_paragraph_keeps_its_look() -> None:
    german = "24. März: Der Rat hat in dieser Woche zum dritten Mal über die Brücke gesprochen."
    body = _read(_article(f"<p>{german}</p>", *(f"<p>{text}</p>" for text in PROSE)), rich=True)
    assert body.text.startswith(german)
    assert to_markdown(body.blocks).startswith("24\\. März: Der Rat")


def test_code_keeps_its_lines() -> None:
    code = "def cross(bridge):\n    return bridge.open(\n        slowly=True\n    )"
    body = _read(
        _article(*(f"<p>{t}</p>" for t in PROSE[:2]), f"<pre>{code}</pre><p>{PROSE[2]}</p>")
    )
    assert code in body.text
    assert f"```\n{code}\n```" in to_markdown(body.blocks)


def test_two_line_breaks_part_paragraphs_and_one_does_not() -> None:
    body = _read(_article(f"<div>{PROSE[0]}<br>{PROSE[1]}<br><br>{PROSE[2]}</div>"))
    assert body.text == f"{PROSE[0]}\n{PROSE[1]}\n\n{PROSE[2]}"


def test_unseen_characters_go_and_joiners_stay() -> None:
    parts = (f"<p>{text} zero\u200bwidth soft\u00adhyphen می\u200cروم</p>" for text in PROSE)
    text = _read(_article(*parts)).text
    assert "zerowidth softhyphen می\u200cروم" in text


TRAPS = {
    "paragraphs": "<p>word " * 500_000,
    "items": "<li>word" * 500_000,
    "images": "<img alt='a bridge over water'>" * 150_000,
    "links": "<p><a href=/x>link text here</a> " * 120_000,
    "one long text": "word " * 1_000_000,
    "line breaks": "a<br>" * 600_000,
    "marks": "<p>" + "<b>x</b> " * 45_000,
    "names": f"<div class='{'a-b ' * 400}'>x</div>" * 3_000,
}


COSTS = """
import json, sys, time
from tests.parse.body.test_body import TRAPS
from wireroom.parse.body import read_body, to_html
from wireroom.parse.html import open_page
costs = {}
for name in sys.argv[1:]:
    html = TRAPS[name]
    started = time.process_time()
    body = read_body(open_page(html), rich=True, mode="recall")
    to_html(body.blocks)
    costs[name] = time.process_time() - started, len(body.blocks)
print(json.dumps(costs))
"""


FEW = ("one long text", "names", "marks")


@cache
def _costs(*, short: bool) -> dict[str, tuple[float, int]]:
    """CPU seconds and blocks of each trap, from a process whose lines nobody counts."""
    traps = [trap for trap in TRAPS if (trap in FEW) is short]
    done = subprocess.run(
        [sys.executable, "-c", COSTS, *traps],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    costs: dict[str, tuple[float, int]] = json.loads(done.stdout)
    return costs


@pytest.mark.long
@pytest.mark.parametrize("trap", short_form(TRAPS, FEW))
def test_no_page_takes_long(trap: str) -> None:
    seconds, blocks = _costs(short=trap in FEW)[trap]
    assert seconds < MAX_CPU
    assert blocks <= MAX_BLOCKS


SEEDS = [_case(path.name) for path in sorted(GOLDEN.iterdir())]


@examples(120)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_a_damaged_page_gives_a_body_or_a_parse_error(page: str, chance: Random) -> None:
    damaged = _damaged(page, chance)
    try:
        body = read_body(open_page(damaged, url="https://courier.test/"), rich=True, explain=True)
    except ParseError:
        return
    to_markdown(body.blocks)
    to_html(body.blocks)
    assert 0.0 <= body.confidence <= 1.0


def _damaged(page: str, chance: Random) -> bytes:
    """The page with some of its bytes lost, doubled or replaced."""
    body = bytearray(page.encode())
    for _ in range(chance.randint(1, 30)):
        start = chance.randrange(len(body))
        end = start + chance.randint(1, 40)
        new = chance.choice(
            [b"", b"<", b">", b"\x00", b'"', b"\xff\xfe", bytes(body[start:end]) * 2]
        )
        body[start:end] = new
    return bytes(body) or b" "


def test_outline_counts_the_whole_page_whatever_was_kept() -> None:
    story = "".join(
        f"<p>{'The ferry returned to the harbour this week. ' * 3}{n}</p>" for n in "ab"
    )
    goods = "".join(
        f'<li class="thing"><a href="/{n}">Lamp {n}</a> <b>€ {n}0</b></li>' for n in "1234567"
    )
    outline = read_body(
        open_page(f"<h1>Ferry</h1><article>{story}</article><ul>{goods}</ul><form>Find</form>")
    ).outline
    assert (outline.headings, outline.articles, outline.forms) == (1, 1, 1)
    assert (outline.prices, outline.prose_blocks) == (7, 2)
    assert outline.container_prose == outline.prose
    assert outline.most_alike >= 7
    assert outline.opening.startswith("Ferry\nThe ferry returned")


def test_outline_of_nothing_counts_nothing() -> None:
    assert read_body(open_page("")).outline.blocks == 0


def test_a_cell_without_text_keeps_its_place() -> None:
    table = (
        "<table><tr><th></th><th>Kettleford</th><th>Long Quay</th></tr>"
        "<tr><td>Hours of rain</td><td>38</td><td>95</td></tr>"
        "<tr><td>Hours of sun</td><td> </td><td>12</td></tr>"
        "<tr><td colspan=2>Both</td><td>7</td></tr>"
        '<tr><td colspan="9007199254740991">Wide</td><td>1</td></tr></table>'
    )
    paragraphs = "".join(f"<p>{text}</p>" for text in PROSE)
    page = open_page(f"<article><h1>Weather</h1>{paragraphs}{table}{paragraphs}</article>")
    lines = [
        line for line in to_markdown(read_body(page, rich=True).blocks).splitlines() if "|" in line
    ]
    assert lines[0].startswith("|  | Kettleford | Long Quay |")
    assert lines[2].startswith("| Hours of rain | 38 | 95 |")
    assert lines[3].startswith("| Hours of sun |  | 12 |")
    assert lines[4].startswith("| Both |  | 7 |")
    assert len(lines[5].split("|")) <= 30


def test_short_lines_may_repeat() -> None:
    answer, entry = "“No, we never knew of that,” she said.", "Two spoons of salted butter"
    prose = [
        f"{n}. The council met again to speak about the bridge and all of its bearings."
        for n in range(6)
    ]
    items = f"<ul><li>{entry}</li><li>Flour</li></ul>"
    page = (
        "<title>Bridge closes on Monday</title><body><article><h1>Bridge closes on Monday</h1>"
        f"<p>{prose[0]}</p><p>{answer}</p><p>{prose[1]}</p><p>{answer}</p>{items}<p>{prose[2]}</p>{items}"
        f"<p>{prose[3]}</p><aside><p>{prose[0]}</p></aside><p>{prose[4]}</p></article></body>"
    )
    text = read_body(open_page(page)).text
    assert (text.count(answer), text.count(entry), text.count(prose[0])) == (2, 2, 1)


@pytest.mark.parametrize(
    "markup",
    [
        "Sign in to go on",
        "<p>Thank you. Your message has been sent.</p>",
        "<nav><a href=/>Home</a></nav><div>This content is not available in your region.</div>",
    ],
)
def test_a_short_line_and_nothing_else_is_no_body(markup: str) -> None:
    page = open_page(f"<body>{markup}</body>")
    assert read_body(page).text == ""
    reasons = {block.reason for block in read_body(page, explain=True).blocks if not block.kept}
    assert reasons & {"a short line and nothing else", "weights"}


def test_a_short_line_below_a_headline_or_beside_prose_stays() -> None:
    stub = "<h1>Ferry returns</h1><p>The ferry left the harbour of Dunmere on Monday.</p>"
    assert read_body(open_page(f"<body>{stub}</body>")).text.startswith("The ferry left")
    lines = "".join(f"<p>{line}</p>" for line in ("It rained.", *PROSE))
    assert "It rained." in read_body(open_page(f"<body><article>{lines}</article></body>")).text


@pytest.mark.parametrize(
    ("title", "byline"),
    [
        ("Рынок переезжает на 30 дней", "Автор: Аглая Седых 14.03.2026 11:51"),
        ("青葉浦の学校、冬は始業を遅らせる", "文・渚川文乃、若汐千鶴 2026年03月13日 23:40"),
        ("하늘포구 장터 55일 동안 이사", "선우새론, 황보하늬 기자 입력 2026.03.14. 16:56"),
        ("Markt zieht für 30 Tage um", "Von Anna Müller 14.03.2026, 11:51 Uhr"),
    ],
)
def test_title_and_byline_in_one_cell_are_no_text(title: str, byline: str) -> None:
    prose = "".join(f"<p>{line}</p>" for line in PROSE)
    page = f"<title>{title}</title><table><tr><td>{title}<br>{byline}{prose}</table>"
    text = read_body(open_page(page)).text
    assert (title in text, byline in text, PROSE[0] in text) == (False, False, True)


def test_a_title_of_ideographs_is_not_repeated_and_a_short_word_is() -> None:
    prose = "".join(f"<p>{line}</p>" for line in PROSE)
    title = "青葉浦の学校、冬は始業を遅らせる"
    page = f"<title>{title} | 渚</title><div><div>{title}</div>{prose}</div>"
    assert title not in read_body(open_page(page)).text
    lines = f"<p>{PROSE[0]}</p><p>学校</p><p>{PROSE[1]}</p>"
    page = f"<title>学校</title><article>{lines}</article>"
    assert "学校" in read_body(open_page(page)).text


def test_korean_is_measured_as_what_it_says() -> None:
    """A syllable says as much as two letters: forty of them are a paragraph, not a label."""
    lines = [
        f"잠수부가 말뚝 {n}개를 살펴보니 바꿔야 할 것은 세 개뿐이었다. 날이 몹시 추웠다고 한다."
        for n in range(20, 26)
    ]
    prose = "".join(f"<p>{line}</p>" for line in lines)
    thread = "".join(f"<li class=comment><cite>{name}</cite><p>그렇군요.</p>" for name in "가나다")
    page = (
        f"<h1>나룻배</h1><section>{prose}</section><section id=comments><ol>{thread}</ol></section>"
    )
    assert _read(page).text.split("\n\n") == lines


@pytest.mark.parametrize("image", ["<img src=/a.png>", "<img src=/a.png alt='The quay at dawn'>"])
@pytest.mark.parametrize("line", ["<span>{}</span>", "<p>{}</p>"])
def test_a_line_alone_with_an_image_is_its_caption(image: str, line: str) -> None:
    caption = "The quay on the morning of the works."
    box = f"<div class=x1>{image}{line.format(caption)}</div>"
    body = _read(_article(f"<p>{PROSE[0]}</p>", box, f"<p>{PROSE[1]}</p><p>{PROSE[2]}</p>"))
    assert caption in body.captions()
    assert caption not in body.text


def test_a_paragraph_with_an_image_in_it_is_no_caption() -> None:
    mixed = f"<p><img src=/a.png>{PROSE[1]}</p>"
    several = f"<div><img src=/a.png><p>{PROSE[0]}</p>{mixed}<p>{PROSE[2]}</p></div>"
    assert _read(_article(several)).text == "\n\n".join(PROSE)


def test_links_to_sections_before_the_first_paragraph_are_no_text() -> None:
    row = "<table><tr><td><a href=/a>Harbour</a><td><a href=/b>Schools</a></table>"
    prose = "".join(f"<p>{text}</p>" for text in PROSE)
    body = _read(f"<body>{row}<table><tr><td>{prose}</table>")
    assert body.text == "\n\n".join(PROSE)


@pytest.mark.parametrize("label", ["Share this article", "Artikel teilen", "기사 나누기", "分享："])
def test_a_label_of_sharing_is_no_text(label: str) -> None:
    body = _read(_article(f"<p>{label}</p>", *(f"<p>{text}</p>" for text in PROSE)))
    assert body.text == "\n\n".join(PROSE)


def test_a_title_of_one_clause_of_ideographs_is_not_repeated() -> None:
    title = "青葉浦の灯台に新しい明かり"
    prose = "".join(f"<p>{line}</p>" for line in PROSE)
    page = f"<title>{title} | 渚日報</title><div><div>{title}</div>{prose}</div>"
    assert title not in _read(page).text


def test_a_byline_with_two_days_is_no_text() -> None:
    byline = "By Priya Dunstable-Roe Published 18/11/2026 16:46 Updated 18/11/2026 19:46"
    body = _read(_article(f"<p>{byline}</p>", *(f"<p>{text}</p>" for text in PROSE)))
    assert body.text == "\n\n".join(PROSE)


def test_a_table_is_read_whole() -> None:
    head = "<tr><th>Cost<th>Quay<th>Mill"
    rows = "".join(f"<tr><td>Line {n}<td>{n}7<td>{n}7" for n in range(1, 5))
    table = f"<figure class=table><table>{head}{rows}</table></figure>"
    body = _read(_article(f"<p>{PROSE[0]}</p>", table, f"<p>{PROSE[1]}</p><p>{PROSE[2]}</p>"))
    rows_read = [line for line in body.text.split("\n") if "|" in line]
    assert rows_read == ["Cost | Quay | Mill", *(f"Line {n} | {n}7 | {n}7" for n in range(1, 5))]


def test_code_between_two_paragraphs_is_text() -> None:
    code = "for bell in range(5):\n    ring(bell)"
    body = _read(_article(f"<p>{PROSE[0]}</p><pre>{code}</pre><p>{PROSE[1]}</p><p>{PROSE[2]}</p>"))
    assert code in body.text
