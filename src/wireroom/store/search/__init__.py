"""Search: from the words of a query to the articles that match, newest or best first.

`query` reads what a person wrote, `index_terms` and `spelling` say which words an article has, `fts5` (SQLite) and
`tsvectors` (PostgreSQL) keep them, `searching` gives pages, `positions` the order of articles.
"""
