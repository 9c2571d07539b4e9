"""`wireroom extract`: files, folders, patterns, addresses and stdin to articles in every form."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import PATIENCE, Ran, command, run_process
from tests.cli.inline import use_inline_engine
from tests.cli.terminals import run_on_terminal
from wireroom.town import Running, build_town, running_town

Run = Callable[..., Ran]

PARAGRAPH = (
    "The harbour master of Lowport resigned on Tuesday after thirty years, and the council has not"
    " yet said who will follow him; the ferries go on as before, the pilots say, whoever signs"
    " their papers in the old customs house by the water."
)
PAGE = """<!doctype html><html lang="en"><head><title>{title} | Lowport Courier</title>
<meta property="og:title" content="{title}"><meta property="og:type" content="article">
<link rel="canonical" href="https://courier.example/{slug}">
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "NewsArticle",
"headline": "{title}", "datePublished": "2026-11-10T08:00:00+01:00",
"author": {{"@type": "Person", "name": "Ada Quill"}}}}</script></head>
<body><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<article><h1>{title}</h1>{body}</article>
<div class="comments"><p>Subscribe to our newsletter</p></div></body></html>"""
LOGIN = """<!doctype html><html><head><title>Sign in</title></head><body><form action="/login">
<input name="user"><input type="password" name="password"><button>Sign in</button></form></body></html>"""
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Courier</title>
<item><title>First</title><link>https://courier.example/1</link><description>{text}</description></item>
<item><title>Second</title><link>https://courier.example/2</link><description>{text}</description></item>
</channel></rss>"""


def page(title: str = "Harbour master resigns", slug: str = "harbour") -> str:
    body = f"<p>{PARAGRAPH} See <a href='/more'>the papers</a>.</p>" + f"<p>{PARAGRAPH}</p>" * 4
    return PAGE.format(title=title, slug=slug, body=body)


@pytest.fixture(autouse=True)
def _without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs in this process needs no workers; whoever starts another process has real ones."""
    use_inline_engine(monkeypatch)


@pytest.fixture
def pages() -> Path:
    """A folder with three articles, one of them compressed, and things that are none."""
    folder = Path("pages")
    (folder / "deep").mkdir(parents=True)
    (folder / "a.html").write_text(page("Alpha at sea", "a"))
    (folder / "b.htm").write_text(page("Beta ashore", "b"))
    (folder / "deep" / "c.html.gz").write_bytes(gzip.compress(page("Gamma aloft", "c").encode()))
    (folder / "notes.doc").write_text("not taken from a folder")
    return folder


def rows_of(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


# --- forms -------------------------------------------------------------------------------------


def test_one_page_is_shown_as_text(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    ran = wireroom("extract", "page.html")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Harbour master resigns\n\nThe harbour master of Lowport")
    assert "newsletter" not in ran.out


def test_markdown_and_html_keep_links(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    markdown = wireroom("extract", "page.html", "-f", "md").out
    assert markdown.startswith("# Harbour master resigns\n\n")
    assert (
        "[the papers](https://courier.example/more)"
        in wireroom(
            "extract", "page.html", "-f", "md", "--url", "https://courier.example/harbour"
        ).out
    )
    html = wireroom("extract", "page.html", "--format", "html").out
    assert html.startswith("<article>\n<h1>Harbour master resigns</h1>")
    assert html.endswith("</article>\n")


def test_markdown_and_html_name_author_and_date(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    byline = "Ada Quill · 2026-11-10 07:00 UTC"
    markdown = wireroom("extract", "page.html", "-f", "md").out
    assert markdown.startswith(f"# Harbour master resigns\n\n{byline}\n\nThe harbour")
    html = wireroom("extract", "page.html", "-f", "html").out
    assert html.startswith(f"<article>\n<h1>Harbour master resigns</h1>\n<p>{byline}</p>\n<p>The")


def test_captions_and_images_are_there_by_choice(wireroom: Run) -> None:
    figure = (
        "<figure><img src=/a.jpg alt='A quay'><figcaption>The quay at noon.</figcaption></figure>"
    )
    Path("page.html").write_text(page().replace("</h1>", f"</h1>{figure}"))
    address = ("--url", "https://courier.example/harbour")
    assert "The quay at noon." not in wireroom("extract", "page.html").out
    with_captions = wireroom("extract", "page.html", "--captions").out
    assert with_captions.startswith("Harbour master resigns\n\nThe quay at noon.\n\nThe harbour")
    without = wireroom("extract", "page.html", "-f", "md", *address).out
    assert "*The quay at noon.*" in without
    assert "![" not in without
    image = "![A quay](https://courier.example/a.jpg)\n\n*The quay at noon.*"
    assert image in wireroom("extract", "page.html", "-f", "md", "--images", *address).out
    assert '<img src="https://courier.example/a.jpg" alt="A quay"><figcaption>' in (
        wireroom("extract", "page.html", "-f", "html", "--images", *address).out
    )
    (row,) = json.loads(wireroom("extract", "page.html", "--json", "--images", *address).out)
    assert row["extra"]["images"] == [
        {"url": "https://courier.example/a.jpg", "alt": "A quay", "paragraph": 0, "caption": 0}
    ]


def test_json_is_a_list_of_all_fields(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    ran = wireroom("extract", "page.html", "--json")
    (row,) = json.loads(ran.out)
    assert row["input"] == "page.html"
    assert row["title"] == "Harbour master resigns"
    assert row["authors"] == ["Ada Quill"]
    assert row["published_at"] == "2026-11-10T07:00:00+00:00"
    assert row["sources"]["published_at"] == "json-ld datePublished"
    assert row["url"] == "https://courier.example/harbour"
    assert row["language"] == "en"
    assert 0.5 < row["quality"] <= 1
    assert "raw" not in row


def test_the_address_may_be_given(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    ran = wireroom(
        "extract", "page.html", "--jsonl", "--url", "https://courier.example/x?utm_source=y"
    )
    assert rows_of(ran)[0]["url"] == "https://courier.example/x"


@pytest.mark.long
def test_stdin_is_one_document() -> None:
    ran = run_process("extract", "-", stdin=page())
    assert ran.code == 0
    assert ran.out.startswith("Harbour master resigns\n")


def test_a_content_type_tells_the_encoding(wireroom: Run) -> None:
    Path("page.html").write_bytes(page("Größe").encode("cp1252"))
    ran = wireroom("extract", "page.html", "--content-type", "text/html; charset=windows-1252")
    assert ran.out.startswith("Größe\n")


@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_feed_gives_several_articles(form: str, wireroom: Run) -> None:
    Path("feed.xml").write_text(FEED.format(text=PARAGRAPH))
    ran = wireroom("extract", "feed.xml", "--jsonl")
    assert ran.code == 0
    assert [row["title"] for row in rows_of(ran)] == ["First", "Second"]
    rendered = wireroom("extract", "feed.xml", "--format", form).out
    assert rendered.index("First") < rendered.index("Second")
    assert rendered.count("ferries go on") == 2
    shown = run_on_terminal("extract", "feed.xml", columns=80).out
    assert "feed.xml" not in shown, "one document was named: the room is for its titles"
    lines = wireroom("extract", "feed.xml").out.splitlines()
    assert [line.split()[-1] for line in lines] == ["feed.xml", "feed.xml"], (
        "a line for each of many"
    )


def test_json_records_give_articles(wireroom: Run) -> None:
    records = [
        {"title": f"No. {n}", "url": f"https://a.example/{n}", "content": PARAGRAPH} for n in (1, 2)
    ]
    Path("api.json").write_text(json.dumps({"articles": records}))
    ran = wireroom("extract", "api.json", "--jsonl")
    assert [row["title"] for row in rows_of(ran)] == ["No. 1", "No. 2"], ran.err


def test_files_of_a_folder_are_slugs_with_a_hash(pages: Path, wireroom: Run) -> None:
    (pages / "evil.html").write_text(page("../../etc/passwd \u202e\x1b[2J 港の灯台", "evil"))
    ran = wireroom("extract", "pages", "-o", "out/today", "--format", "md")
    assert ran.code == 0, ran.err
    names = sorted(path.name for path in Path("out/today").iterdir())
    assert len(names) == 4
    assert all(name.endswith(".md") and name.isprintable() and ".." not in name for name in names)
    assert any(name.startswith("alpha-at-sea-") for name in names)
    assert any("港の灯台" in name for name in names)
    assert not Path("etc").exists()
    again = wireroom("extract", "pages", "-o", "out/today", "--format", "md")
    assert again.code == 0
    assert sorted(path.name for path in Path("out/today").iterdir()) == names, (
        "the same names again"
    )


def test_without_a_form_a_folder_takes_json(pages: Path, wireroom: Run) -> None:
    wireroom("extract", "pages/a.html", "-o", "out")
    (file,) = Path("out").iterdir()
    assert json.loads(file.read_text())["title"] == "Alpha at sea"


# --- many --------------------------------------------------------------------------------------


def test_folders_and_patterns_are_opened_up_in_order(pages: Path, wireroom: Run) -> None:
    titles = ["Alpha at sea", "Beta ashore", "Gamma aloft"]
    for inputs in (["pages"], ["pages/*.htm*", "pages/deep"], ["pages/**/*.ht*"]):
        ran = wireroom("extract", *inputs, "--json")
        assert [row["title"] for row in json.loads(ran.out)] == titles
        assert ran.err == "3 articles from 3 documents.\n"
    lines = wireroom("extract", "pages").out.splitlines()
    assert [line.split()[-1] for line in lines] == [
        "pages/a.html",
        "pages/b.htm",
        "pages/deep/c.html.gz",
    ]


def test_one_bad_file_does_not_stop_the_rest(pages: Path, wireroom: Run) -> None:
    (pages / "login.html").write_text(LOGIN)
    (pages / "broken.html.gz").write_bytes(gzip.compress(page().encode())[:15] + b"nonsense")
    ran = wireroom("extract", "pages", "gone.html", "--jsonl")
    assert ran.code == 1
    assert len(rows_of(ran)) == 3
    errors = sorted(ran.err.splitlines())
    assert errors[0] == "3 articles from 6 documents; 3 gave none."
    assert errors[1].startswith("error: gone.html: no such file")
    assert errors[2].startswith("error: pages/broken.html.gz: not a page: broken gzip")
    assert errors[3].startswith("error: pages/login.html: no article: ")


@pytest.mark.skipif(os.name != "posix", reason="a FIFO is something of POSIX")
def test_a_file_that_cannot_be_read_is_reported_alone(pages: Path, wireroom: Run) -> None:
    (pages / "loop.html").symlink_to("loop.html")
    ran = wireroom("extract", "pages/a.html", "pages/loop.html", "--jsonl")
    assert ran.code == 1
    assert len(rows_of(ran)) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "nothing to extract from"),
        (["gone.html"], 3, "no such file"),
        (["courier.test/news"], 3, "https://courier.test/news"),
        (["*.nothing"], 3, "no file fits"),
        (["empty"], 3, "the folder holds no"),
        (["-", "-"], 2, "once"),
        (["page.html", "login.html", "--url", "https://a.example/"], 2, "--url"),
        (["page.html", "--json", "--format", "md"], 2, "only one form"),
        (["page.html", "--recall", "--precision"], 2, "only one of them"),
        (["page.html", "--explain", "--format", "md"], 2, "--explain"),
        (["page.html", "--format", "pdf"], 2, "pdf"),
        (["page.html", "-o", "page.html/x"], 1, "cannot be made"),
        (["gone.html", "page.html"], 1, "no such file"),
        (["ftp://courier.test/"], 2, "'ftp' is not supported"),
        (["login.html"], 3, "no article"),
        (["login.html"], 3, "With --any it is read all the same."),
        (["noise.html", "login.html"], 3, "no text"),
        (["login.html", "page.html"], 1, "no article"),
        (["http://127.0.0.1/"], 4, "private"),
    ],
)
def test_the_exit_code_says_how_it_went(
    arguments: list[str], code: int, words: str, wireroom: Run
) -> None:
    Path("page.html").write_text(page())
    Path("login.html").write_text(LOGIN)
    Path("noise.html").write_bytes(bytes(range(256)) * 4)
    Path("empty").mkdir()
    ran = wireroom("extract", *arguments)
    assert ran.code == code, ran.err
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_any_page_is_read_when_asked_for(wireroom: Run) -> None:
    Path("login.html").write_text(LOGIN)
    ran = wireroom("extract", "login.html", "--any", "--jsonl")
    assert ran.code == 0
    assert rows_of(ran)[0]["quality"] < 0.5


# --- explain -----------------------------------------------------------------------------------


def test_it_is_explained_where_everything_came_from(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    ran = wireroom("extract", "page.html", "--explain")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert any(line.startswith("published") and "json-ld datePublished" in line for line in lines)
    assert any(line.startswith("quality 0.") for line in lines)
    assert any(
        line.startswith("keep") and "The harbour master of Lowport" in line for line in lines
    )
    assert any(line.startswith("drop") and "newsletter" in line for line in lines)


def test_the_explanation_is_there_for_machines(wireroom: Run) -> None:
    Path("page.html").write_text(page())
    (row,) = rows_of(wireroom("extract", "page.html", "--explain", "--jsonl"))
    explained = row["explained"]
    fields = {field["field"]: field for field in explained["fields"]}
    assert fields["title"]["value"] == "Harbour master resigns"
    assert len(fields["title"]["claims"]) > 1
    assert fields["published"]["value"] == "2026-11-10T07:00:00+00:00"
    assert {block["kept"] for block in explained["blocks"]} == {True, False}
    assert explained["encoding"]["name"] == "utf-8"


def test_items_of_a_feed_are_explained_as_far_as_that_goes(wireroom: Run) -> None:
    Path("feed.xml").write_text(FEED.format(text=PARAGRAPH))
    ran = wireroom("extract", "feed.xml", "--explain")
    assert ran.code == 0
    assert ran.out.count("an item of a feed") == 2


def test_pages_can_neither_move_the_cursor_nor_be_read_as_markup() -> None:
    title = "[bold red]Harbour[/] &#27;[2J&#155;31m\u202eevil [link=file:///etc/passwd]x[/link]"
    body = f"<p>&#27;]0;owned&#7; [red]{PARAGRAPH}</p>" * 5
    Path("page.html").write_text(PAGE.format(title=title, slug="x", body=body))
    for arguments in (["--explain"], [], ["page.html"]):
        ran = run_on_terminal("extract", "page.html", *arguments, environ={"NO_COLOR": "1"})
        assert ran.code == 0
        assert "[bold red]Harbour[/]" in ran.out
        for evil in ("\x1b[2J", "\x9b", "\u202e", "\x1b]0;", "\x07"):
            assert evil not in ran.out


# --- addresses ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running_town(build_town()) as running:
        yield running


@pytest.fixture
def town(served: Running) -> Running:
    hosts = "\n".join(f'"{name}" = "{place}"' for name, place in served.hosts.items())
    settings = f'[fetch]\ndelay = "0 s"\ntimeout = "5 s"\n\n[hosts]\n{hosts}\n'
    Path("wireroom.toml").write_text(settings, encoding="utf-8")
    return served


def test_addresses_are_fetched_with_manners_and_mixed_with_files(
    town: Running, wireroom: Run
) -> None:
    Path("page.html").write_text(page())
    (story,) = town.town.stories("courier.test", limit=1)
    ran = wireroom("extract", story.url, "page.html", "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)
    assert [row["title"].split() for row in rows] == [
        story.title.split(),
        ["Harbour", "master", "resigns"],
    ]
    assert rows[0]["publisher"] == "courier.test"


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        ("http://faro.test/pf/inner", 4, "robots"),
        ("http://gate.test/", 5, "challenge"),
        ("http://trouble.test/gone", 3, "410"),
        ("http://trouble.test/empty-body", 3, "no article"),
    ],
)
def test_what_cannot_be_had_ends_with_its_code(
    url: str, code: int, words: str, town: Running, wireroom: Run
) -> None:
    ran = wireroom("extract", url)
    assert ran.code == code, ran.err
    assert words in ran.err


def test_a_feed_is_read_from_its_address(town: Running, wireroom: Run) -> None:
    ran = wireroom("extract", "http://courier.test/rss.xml", "--jsonl")
    assert ran.code == 0, ran.err
    assert len(rows_of(ran)) > 5


# --- how it feels ------------------------------------------------------------------------------


@pytest.mark.long
def test_a_bar_is_shown_on_a_terminal_alone(pages: Path) -> None:
    shown = run_on_terminal(
        "extract", "pages", "--workers", "1", columns=80, environ={"NO_COLOR": "1"}
    )
    assert shown.code == 0
    assert "Extracting" in shown.out
    assert "Alpha at sea" in shown.out
    assert "Extracting" not in run_on_terminal("extract", "pages", "-q", "--workers", "1").out
    piped = run_process("extract", "pages")
    assert "Extracting" not in piped.out + piped.err


@pytest.mark.long
def test_an_interrupt_ends_soon_with_130_and_keeps_what_was_read() -> None:
    Path("many").mkdir()
    for number in range(1500):
        Path("many", f"{number:04}.html").write_text(page(f"Number {number}", str(number)))
    process = subprocess.Popen(
        command("extract", "many", "--jsonl"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # what a buffer had read ahead would be missing from `communicate`
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    out, err = process.communicate(timeout=PATIENCE)
    assert time.monotonic() - started < 10
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert all(json.loads(line)["title"] for line in (first + out).splitlines())


@pytest.mark.long
def test_a_reader_that_leaves_is_no_complaint(pages: Path) -> None:
    process = subprocess.Popen(
        command("extract", "pages", "--jsonl", "-q"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        process.stdout.close()
        err = process.stderr.read()
    assert process.wait(timeout=PATIENCE) == 141
    assert err == b""


@pytest.mark.long
def test_help_loads_no_parser() -> None:
    code = "import sys; from wireroom.cli import main; main(['extract', '--help']); "
    # The help names the formats, and those know how a text is cleaned; no page is read for it.
    parsers = ("wireroom.parse.article", "wireroom.parse.body", "wireroom.parse.html")
    code += f"sys.exit(any(name.startswith({(*parsers, 'numpy', 'selectolax')!r}) for name in sys.modules))"
    done = subprocess.run([*command()[:1], "-c", code], capture_output=True, check=False)
    assert done.returncode == 0
