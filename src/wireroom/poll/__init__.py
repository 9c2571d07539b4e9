"""Poll: ask one known feed or sitemap for news, and decide when to ask again.

Deciding is pure: feeds, answers and `now` come in, feeds go out.
"""
