"""The HTML pages of a publisher: home, sections, articles, and the few that stand still.

Pure: town in, text out. Bytes, headers and addresses are the business of `answers.py`.
"""

from __future__ import annotations

from html import escape

from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.dressing import UNDRESSED, Dressing, dress
from wireroom.town.layouts import LAYOUTS, Sheet, list_of_links
from wireroom.town.metadata import article_head, home_head
from wireroom.town.page_chrome import MenuLink, PageChrome, local, page_chrome
from wireroom.town.stories import StoryLanguage
from wireroom.town.truth import Story
from wireroom.town.world import Town

ON_THE_FRONT_PAGE = 20

FEED_TYPES = {
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "json": "application/feed+json",
}


def article_page(town: Town, story: Story) -> str:
    """The page of an article."""
    publisher = town.publisher(story.publisher)
    around = page_chrome(town, story.publisher, story)
    sheet = Sheet(
        publisher=publisher,
        language=town.language(story.publisher),
        story=story,
        chrome=around,
    )
    head = (
        f'<link rel="canonical" href="{escape(story.canonical_url)}">\n'
        f'<meta name="description" content="{escape(story.description)}">\n'
        f"{article_head(publisher, story)}"
    )
    main = LAYOUTS[publisher.layout](sheet)
    return _frame(sheet.publisher, sheet.language, around, title=story.title, head=head, main=main)


def boilerplate(town: Town, story: Story) -> tuple[str, ...]:
    """Every text on the article's page that is no part of the article."""
    return page_chrome(town, story.publisher, story).texts()


def home_page(town: Town, host: str) -> str:
    """The newest articles, and where the feeds are, if the publisher tells."""
    publisher, language = town.publisher(host), town.language(host)
    stories = town.stories(host, limit=ON_THE_FRONT_PAGE)
    main = f"<h1>{escape(publisher.name)}</h1>\n{_teasers(stories)}"
    if publisher.addresses == "api":
        main = f"<h1>{escape(publisher.name)}</h1>\n<p>/api/v1/articles?page=1</p>"
    head = home_head(publisher) + _feed_links(publisher)
    around = page_chrome(town, host, None)
    return _frame(publisher, language, around, title="", head=head, main=main)


def section_page(town: Town, host: str, key: str) -> str | None:
    """The articles on one subject; None when the publisher has no such section."""
    language = town.language(host)
    subject = next((subject for subject in language.subjects if subject.key == key), None)
    if subject is None:
        return None
    stories = tuple(story for story in town.stories(host) if story.subject == key)
    main = f"<h1>{escape(subject.section)}</h1>\n{_teasers(stories[:ON_THE_FRONT_PAGE])}"
    return plain_page(town, host, title=subject.section, main=main)


def feeds_page(town: Town, host: str) -> str:
    """A page that lists feeds, for publishers that announce them nowhere else."""
    publisher = town.publisher(host)
    feeds = tuple(
        MenuLink(feed.title or feed.path, feed.path)
        for feed in publisher.feeds
        if feed.announced == "index_page"
    )
    title = town.language(host).words.feeds
    return plain_page(town, host, title=title, main=list_of_links(feeds))


def plain_page(town: Town, host: str, *, title: str, main: str) -> str:
    """A page without an article."""
    around = page_chrome(town, host, None)
    return _frame(
        town.publisher(host), town.language(host), around, title=title, head="", main=main
    )


def _teasers(stories: tuple[Story, ...]) -> str:
    return "\n".join(
        f'<div class="teaser"><h2><a href="{local(story.url)}">{escape(story.title)}</a></h2>'
        f"<p>{escape(story.description)}</p></div>"
        for story in stories
    )


def _feed_links(publisher: TownPublisher) -> str:
    feeds = [feed for feed in publisher.feeds if feed.announced == "link"]
    return "".join(_feed_link(feed) for feed in feeds)


def _feed_link(feed: FeedPlan) -> str:
    return (
        f'<link rel="alternate" type="{FEED_TYPES[feed.kind]}" '
        f'title="{escape(feed.title)}" href="{feed.path}">\n'
    )


def _frame(
    publisher: TownPublisher,
    language: StoryLanguage,
    around: PageChrome,
    *,
    title: str,
    head: str,
    main: str,
) -> str:
    """The whole page around its main part."""
    name = escape(publisher.name)
    full_title = f"{escape(title)} | {name}" if title else name
    meta = f'<meta charset="{publisher.charset.meta}">\n' if publisher.charset.meta else ""
    generator = (
        f'<meta name="generator" content="{publisher.generator}">\n' if publisher.generator else ""
    )
    dressed = dress(publisher.host, around) if publisher.weight == "real" else UNDRESSED
    top = (
        f'<!DOCTYPE html>\n<html lang="{language.tag}" dir="{language.direction}">\n<head>\n{meta}'
        f"<title>{full_title}</title>\n{generator}{publisher.rights.head_html}{head}{dressed.head}</head>\n<body>\n"
    )
    if publisher.layout == "tables":
        return top + _old_frame(publisher, around, main)
    return top + _new_frame(publisher, around, dressed, language, main)


def _new_frame(
    publisher: TownPublisher,
    around: PageChrome,
    dressed: Dressing,
    language: StoryLanguage,
    main: str,
) -> str:
    words = language.words
    return (
        f'<header><nav>{list_of_links(around.sections)}{dressed.top}</nav><form action="/search">'
        f'<input name="q" placeholder="{escape(words.search)}"></form></header>\n'
        f'{main}\n{dressed.side}<div class="cookie-banner"><p>{escape(words.cookies, quote=False)}</p>'
        f"<button>{escape(words.accept)}</button></div>\n"
        f"<footer>{list_of_links(around.footer)}{dressed.foot}<small>{_rights_line(publisher, around)}</small></footer>\n"
        "</body>\n</html>\n"
    )


def _old_frame(publisher: TownPublisher, around: PageChrome, main: str) -> str:
    cells = "".join(
        f'<td><a href="{link.href}">{escape(link.label)}</a></td>' for link in around.sections
    )
    return (
        f"<table><tr>{cells}</tr></table>\n{main}\n<hr>{list_of_links(around.footer)}"
        f"<font size=1>{_rights_line(publisher, around)}</font>\n</body>\n</html>\n"
    )


def _rights_line(publisher: TownPublisher, around: PageChrome) -> str:
    text, licence = escape(around.rights, quote=False), publisher.rights.licence_url
    return f'<a rel="license" href="{licence}">{text}</a>' if licence else text
