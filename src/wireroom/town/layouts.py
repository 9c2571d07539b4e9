"""How the papers of the town look: one function per layout, article in, HTML of its body out.

Pure. Each layout has difficulties of its own: semantic elements, hashed classes, tables inside
tables, microdata, a content system's habits, a wall, boxes and links between the paragraphs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from html import escape

from wireroom.town.block_html import BlockStyle, blocks_html
from wireroom.town.declaration import Layout, TownPublisher
from wireroom.town.metadata import WALLED_CLASS, local_time
from wireroom.town.page_chrome import MenuLink, PageChrome
from wireroom.town.stories import StoryLanguage
from wireroom.town.truth import Story

DATES = {"ja": "%Y年%m月%d日 %H:%M", "zh": "%Y年%m月%d日 %H:%M", "ko": "%Y.%m.%d. %H:%M", "de": "%d.%m.%Y %H:%M", "ru": "%d.%m.%Y %H:%M", "pl": "%d.%m.%Y %H:%M"}  # fmt: skip
OTHER_DATES = "%d/%m/%Y %H:%M"

VENDOR_SCRIPT = '<script src="https://cdn.tinypass.com/api/tinypass.min.js" async></script>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a layout needs to set one article."""

    publisher: TownPublisher
    language: StoryLanguage
    story: Story
    chrome: PageChrome


def visible_date(moment: datetime, publisher: TownPublisher) -> str:
    """The date as readers see it, on the publisher's clock."""
    return local_time(moment, publisher).strftime(DATES.get(publisher.language, OTHER_DATES))


def list_of_links(links: tuple[MenuLink, ...], *, css: str = "") -> str:
    """A list of links."""
    items = "".join(f'<li><a href="{link.href}">{_text(link.label)}</a></li>' for link in links)
    return f'<ul class="{css}">{items}</ul>' if css else f"<ul>{items}</ul>"


def _classic(sheet: Sheet) -> str:
    """Semantic elements, as the books recommend."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    body = _body(sheet, BlockStyle(inline_links=True))
    tags = " ".join(f'<a rel="tag" href="/{story.subject}/">{_text(tag)}</a>' for tag in story.tags)
    return f"""<article>
<header>
<h1>{_text(story.title)}</h1>
<p class="byline">{_text(around.byline)}</p>
{_times(sheet)}
<div class="share-bar">{_text(words.share)} <button>@</button> <button>#</button></div>
</header>
<div class="article-body">
{body}
</div>
<footer><p class="tags">{tags}</p><p class="author-bio">{_text(around.biography)}</p></footer>
</article>
<aside class="most-read"><h3>{_text(words.most_read)}</h3>{list_of_links(around.most_read)}</aside>
{_thread(sheet)}"""


def _soup(sheet: Sheet) -> str:
    """Nested divs with hashed class names; nothing says what it is."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    style = BlockStyle(
        paragraph='<div class="css-1k7q"><p class="css-9z0x">{}</p></div>',
        heading='<div class="css-1k7q"><h3 class="css-h4d1">{}</h3></div>',
        quote='<div class="css-q0t3"><q>{}</q></div>',
        caption='<div class="css-f1g"><img src="{image}" alt=""><span class="css-c4p">{}</span></div>',
        inline_links=True,
    )
    return f"""<div class="css-m41n"><div class="css-c0l1">
<div class="css-h34d"><h1 class="css-t1tl">{_text(story.title)}</h1>
<div class="css-by1n"><span>{_text(around.byline)}</span> {_times(sheet)}</div>
<div class="css-shr">{_text(words.share)}</div></div>
<section name="articleBody" class="css-b0dy">
{_body(sheet, style)}
</section>
<div class="css-b10">{_text(around.biography)}</div></div>
<div class="css-c0l2"><div class="css-mr">{_text(words.most_read)}</div>
{list_of_links(around.most_read, css="css-l1st")}</div></div>
{_thread(sheet)}"""


def _tables(sheet: Sheet) -> str:
    """Tables for layout, line breaks for paragraphs, a font for everything."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    style = BlockStyle(
        paragraph="{}<br><br>",
        heading="<b>{}</b><br><br>",
        quote="<i>{}</i><br><br>",
        caption='<center><img src="{image}" border=0><br><font size=1>{}</font></center><br>',
        table="<table border=1>{}</table><br>",
    )
    when = visible_date(story.modified_at or story.published_at, sheet.publisher)
    return f"""<table width="100%" cellpadding=4><tr><td width=640 valign=top>
<font size=5><b>{_text(story.title)}</b></font><br>
<font size=2 color=gray>{_text(around.byline)} &nbsp; {when}</font><hr>
<font size=3>
{_body(sheet, style)}
</font></td><td width=200 bgcolor="#eeeeee" valign=top>
<b>{_text(words.most_read)}</b>{list_of_links(around.most_read)}</td></tr></table>"""


def _micro(sheet: Sheet) -> str:
    """Microdata in the body instead of metadata in the head."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    people = "".join(
        f'<span itemprop="author" itemscope itemtype="https://schema.org/Person">'
        f'<meta itemprop="name" content="{escape(name)}"></span>'
        for name in story.authors
    )
    published = local_time(story.published_at, sheet.publisher).isoformat()
    return f"""<div class="post" itemscope itemtype="https://schema.org/NewsArticle">
<meta itemprop="mainEntityOfPage" content="{story.url}">
<meta itemprop="datePublished" content="{published}">
<meta itemprop="keywords" content="{escape(", ".join(story.tags))}">
<link itemprop="image" href="{story.image_url}">
{people}
<h1 itemprop="headline">{_text(story.title)}</h1>
<p class="meta">{_text(around.byline)} | {visible_date(story.published_at, sheet.publisher)}</p>
<div itemprop="articleBody">
{_body(sheet, BlockStyle())}
</div>
<p class="social">{_text(words.share)}</p>
<p class="about-the-author">{_text(around.biography)}</p>
</div>
<div class="sidebar"><h4>{_text(words.most_read)}</h4>{list_of_links(around.most_read)}</div>
{_thread(sheet)}"""


def _press(sheet: Sheet) -> str:
    """The classes of a widespread content system."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    style = BlockStyle(
        heading='<h2 class="wp-block-heading">{}</h2>',
        quote='<blockquote class="wp-block-quote"><p>{}</p></blockquote>',
        listing='<ul class="wp-block-list">{}</ul>',
        table='<figure class="wp-block-table"><table>{}</table></figure>',
        caption='<figure class="wp-block-image"><img src="{image}" alt="">'
        '<figcaption class="wp-element-caption">{}</figcaption></figure>',
        inline_links=True,
    )
    return f"""<article class="post-{story.number} post type-post status-publish hentry">
<h1 class="entry-title">{_text(story.title)}</h1>
<div class="entry-meta"><span class="author vcard">{_text(around.byline)}</span>
{_times(sheet)}</div>
<div class="entry-content">
{_body(sheet, style)}
<div class="sharedaddy">{_text(words.share)}</div>
</div>
<div class="author-box">{_text(around.biography)}</div>
</article>
<div class="widget widget_top-posts"><h2>{_text(words.most_read)}</h2>
{list_of_links(around.most_read)}</div>
{_thread(sheet)}"""


def _weekly(sheet: Sheet) -> str:
    """A class that merely looks like "related" around the text, and a wall where there is one."""
    story, words, around = sheet.story, sheet.language.words, sheet.chrome
    vendor = VENDOR_SCRIPT if sheet.publisher.metered else ""
    walled = "" if story.paywall == "free" else f" {WALLED_CLASS}"
    return f"""<main><div class="story-header"><h1>{_text(story.title)}</h1>
<p class="standfirst-credit">{_text(around.byline)}</p>{_times(sheet)}
<p class="story-share">{_text(words.share)}</p></div>
<div class="related-story-text{walled}">
{_body(sheet, BlockStyle(heading="<h4>{}</h4>"))}
</div>
{_wall(sheet)}
<p class="contributor">{_text(around.biography)}</p></main>
<section class="popular"><h5>{_text(words.most_read)}</h5>{list_of_links(around.most_read)}</section>
{_thread(sheet)}
{vendor}"""


def _wall(sheet: Sheet) -> str:
    words, kind = sheet.language.words, sheet.story.paywall
    if kind in ("free", "unknown"):
        return ""
    ask = words.log_in if kind == "registration" else words.subscribe
    css = {"metered": "meter-notice", "locked": "paywall", "registration": "regwall"}[kind]
    return (
        f'<div class="{css}"><p>{_text(words.wall)}</p><a href="/about">{_text(ask)}</a>'
        f'<a href="/about">{_text(words.log_in)}</a></div>'
    )


def _body(sheet: Sheet, style: BlockStyle) -> str:
    """The text that the page holds, with a box and a link to another article in between."""
    blocks = sheet.story.shown_blocks
    image = "/" + sheet.story.image_url.split("/", 3)[3]
    return blocks_html(blocks, style, image=image, intruders=_intruders(sheet, len(blocks)))


def _intruders(sheet: Sheet, count: int) -> dict[int, str]:
    words, around = sheet.language.words, sheet.chrome
    also = "".join(
        f'<p class="read-also"><strong>{_text(words.read_also)}</strong> '
        f'<a href="{link.href}">{_text(link.label)}</a></p>'
        for link in around.read_also
    ) or f'<p class="read-also"><strong>{_text(words.read_also)}</strong></p>'  # fmt: skip
    box = (
        f'<div class="newsletter-box"><h4>{_text(words.newsletter)}</h4>'
        f"<p>{_text(words.newsletter_text)}</p><button>{_text(words.sign_up)}</button></div>"
    )
    places = {min(1, count - 1): also}
    if sheet.publisher.layout != "tables":
        last = count - 1
        places[last] = places.get(last, "") + box
    return places


def _times(sheet: Sheet) -> str:
    story, words, publisher = sheet.story, sheet.language.words, sheet.publisher
    times = [("published", words.published, story.published_at)]
    if story.modified_at:
        times.append(("updated", words.updated, story.modified_at))
    return " ".join(
        f'<span class="{css}">{_text(word)} <time datetime="{local_time(at, publisher).isoformat()}">'
        f"{visible_date(at, publisher)}</time></span>"
        for css, word, at in times
    )


def _thread(sheet: Sheet) -> str:
    words = sheet.language.words
    remarks = "".join(
        f'<li class="comment"><cite>{_text(remark.name)}</cite><p>{_text(remark.text)}</p>'
        f'<a href="#comments">{_text(words.reply)}</a></li>'
        for remark in sheet.chrome.remarks
    )
    return f'<section id="comments"><h3>{_text(words.comments)}</h3><ol>{remarks}</ol></section>'


def _text(text: str) -> str:
    return escape(text, quote=False)


LAYOUTS: dict[Layout, Callable[[Sheet], str]] = {
    "classic": _classic,
    "soup": _soup,
    "tables": _tables,
    "micro": _micro,
    "press": _press,
    "weekly": _weekly,
}
