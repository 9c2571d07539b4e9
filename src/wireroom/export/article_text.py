"""An article that is held as words and markup, made of its text and the layout beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.model import Article

if TYPE_CHECKING:
    from wireroom.parse.body import Block


def to_text(article: Article) -> str:
    """Title and text."""
    return "\n\n".join(filter(None, (article.title, article.text)))


def to_markdown(article: Article) -> str:
    """Title and text, with its headings, lists, tables, quotations and code where its layout is known."""
    from wireroom.parse import body

    return body.to_markdown((*title_blocks(article), *text_blocks(article)))


def title_blocks(article: Article) -> tuple[Block, ...]:
    """The title as a heading, if there is one."""
    from wireroom.parse.body import Block

    if not article.title:
        return ()
    title = article.title
    return (Block(kind="heading", text=title, kept=True, probability=1, reason="title", level=1),)


def text_blocks(article: Article) -> tuple[Block, ...]:
    """What the text is made of; paragraphs where nobody knows."""
    from wireroom.parse.body import blocks_of

    return blocks_of(article.text, article.layout)
