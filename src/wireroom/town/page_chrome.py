"""What stands around an article on its page and is no part of it.

Pages are furnished from here, and the same object lists every text that a perfect reader leaves
out: so the truth about boilerplate cannot drift away from the pages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice, product

from wireroom.town.stories import StoryLanguage
from wireroom.town.truth import Story
from wireroom.town.world import Town

RELATED = 2
MOST_READ = 3
REMARKS = 3
# of a page of real weight; see dressing.py
MENU = 48
TEASERS = 19
INDEX = 24


@dataclass(frozen=True, slots=True)
class MenuLink:
    """A label and where it leads."""

    label: str
    href: str
    note: str = ""
    """What a teaser says of it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader wrote in the thread."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChrome:
    """Everything on a page that is not the article."""

    sections: tuple[MenuLink, ...]
    read_also: tuple[MenuLink, ...] = ()
    most_read: tuple[MenuLink, ...] = ()
    remarks: tuple[Remark, ...] = ()
    biography: str = ""
    byline: str = ""
    footer: tuple[MenuLink, ...] = ()
    menu: tuple[MenuLink, ...] = ()
    teasers: tuple[MenuLink, ...] = ()
    index: tuple[MenuLink, ...] = ()
    """Once more what there is, in the footer; like menu and teasers on pages of real weight alone."""
    rights: str = ""
    """The last line of every page."""
    words_shown: tuple[str, ...] = ()

    def texts(self) -> tuple[str, ...]:
        """Every text of it, each of which is on the page."""
        links = (*self.sections, *self.read_also, *self.most_read, *self.footer)
        links += (*self.menu, *self.teasers, *self.index)
        return (
            *(link.label for link in links),
            *(link.note for link in self.teasers),
            *(text for remark in self.remarks for text in (remark.name, remark.text)),
            *(text for text in (self.biography, self.byline, self.rights) if text),
            *self.words_shown,
        )


def page_chrome(town: Town, host: str, story: Story | None) -> PageChrome:
    """What stands around this article, or around a page without one."""
    language = town.language(host)
    bare = PageChrome(
        sections=_sections(language), footer=_footer(town, host), rights=_rights(town, host)
    )
    if story is None:
        return bare
    plain = town.publisher(host).layout == "tables"  # pages older than newsletters and threads
    full = town.publisher(host).weight == "real"
    neighbours = _neighbours(town, story, RELATED + MOST_READ)
    return replace(
        bare,
        menu=_subjects_by_place(language, MENU) if full else (),
        teasers=_neighbours(town, story, TEASERS) if full else (),
        index=_subjects_by_place(language, INDEX) if full else (),
        read_also=neighbours[:RELATED],
        most_read=neighbours[RELATED:],
        remarks=() if plain else _remarks(language, story),
        biography="" if plain else language.words.biography.format(name=story.authors[0]),
        byline=byline(language, story.authors),
        words_shown=_words(language, plain=plain),
    )


def byline(language: StoryLanguage, authors: tuple[str, ...]) -> str:
    """The line that names the authors."""
    return language.words.byline.format(name=language.between_names.join(authors))


def local(url: str) -> str:
    """The part of an own address after the host, so that pages work at any address."""
    return "/" + url.split("/", 3)[3]


def _words(language: StoryLanguage, *, plain: bool) -> tuple[str, ...]:
    words = language.words
    always = (words.read_also, words.most_read)
    if plain:
        return always
    return (
        *always,
        words.share,
        words.newsletter,
        words.newsletter_text,
        words.sign_up,
        words.comments,
        words.cookies,
    )


def _sections(language: StoryLanguage) -> tuple[MenuLink, ...]:
    home = MenuLink(language.words.home, "/")
    return (home, *(MenuLink(subject.section, f"/{subject.key}/") for subject in language.subjects))


def _subjects_by_place(language: StoryLanguage, count: int) -> tuple[MenuLink, ...]:
    """A menu of what is written about, and where."""
    topics = ((subject.key, tag) for subject in language.subjects for tag in subject.tags)
    links = (
        MenuLink(f"{tag} {place}", f"/{key}/?place={number}")
        for (key, tag), (number, place) in product(topics, enumerate(language.places))
    )
    return tuple(islice(links, count))


def _footer(town: Town, host: str) -> tuple[MenuLink, ...]:
    publisher, words = town.publisher(host), town.language(host).words
    links = [
        MenuLink(words.about, "/about"),
        MenuLink(words.contact, "/contact"),
        MenuLink(words.privacy, "/privacy"),
    ]
    if publisher.rights.terms_path:
        links.append(MenuLink(words.terms, publisher.rights.terms_path))
    places = {feed.announced for feed in publisher.feeds}
    if "index_page" in places:
        links.append(MenuLink(words.feeds, "/rss/"))
    links += [MenuLink("RSS", feed.path) for feed in publisher.feeds if feed.announced == "anchor"]
    return tuple(links)


def _rights(town: Town, host: str) -> str:
    """Who gives everything away does not reserve all rights."""
    if town.publisher(host).rights.licence_url:
        return f"{town.publisher(host).name}, CC BY 4.0"
    return town.language(host).words.rights


def _neighbours(town: Town, story: Story, count: int) -> tuple[MenuLink, ...]:
    """Older and newer articles of the publisher, as far as there are any."""
    out = town.count(story.publisher)
    found: list[MenuLink] = []
    for step in range(1, out):
        number = 1 + (story.number - 1 + step) % out
        other = town.numbered(story.publisher, number)
        if not other.withdrawn:
            found.append(MenuLink(other.title, local(other.url), note=other.description))
        if len(found) == count:
            break
    return tuple(found)


def _remarks(language: StoryLanguage, story: Story) -> tuple[Remark, ...]:
    names = [
        language.name_order.format(
            given=language.given[(story.number + step) % len(language.given)],
            family=language.family[(story.number * 3 + step) % len(language.family)],
        )
        for step in range(REMARKS)
    ]
    return tuple(Remark(name, text) for name, text in zip(names, language.replies, strict=False))
