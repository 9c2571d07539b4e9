"""Feeds: RSS 0.9x to 2.0, RDF, Atom 0.3 and 1.0, CDF and JSON Feed become one FeedDocument.

`read_feed` finds out the format and asks its reader. A reader gathers elements by their names in the
format (`fields`), an adapter turns them into Items. Nothing here opens an address or a file.
"""

from wireroom.parse.feed.feed_reader import read_feed

__all__ = ["read_feed"]
