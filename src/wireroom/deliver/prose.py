"""An article that is held as words and markup: what is kept is plain text, so it is made of its paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wireroom.model import Article

if TYPE_CHECKING:
    from wireroom.parse.body import Block

__all__ = ["paragraphs", "title_blocks", "to_markdown", "to_text"]


def to_text(article: Article) -> str:
    """Title and text."""
    return "\n\n".join(filter(None, (article.title, article.text)))


def to_markdown(article: Article) -> str:
    """Title and paragraphs; characters that would mean more are escaped."""
    from wireroom.parse import body

    return body.to_markdown((*title_blocks(article), *paragraphs(article.text)))


def title_blocks(article: Article) -> tuple[Block, ...]:
    """The title as a heading, if there is one."""
    from wireroom.parse.body import Block

    if not article.title:
        return ()
    title = article.title
    return (Block(kind="heading", text=title, kept=True, probability=1, reason="title", level=1),)


def paragraphs(text: str) -> tuple[Block, ...]:
    """The paragraphs of a plain text."""
    from wireroom.parse.body import Block

    return tuple(
        Block(kind="paragraph", text=part, kept=True, probability=1, reason="feed")
        for part in text.split("\n\n")
    )
