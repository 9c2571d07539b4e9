"""A sign and a word for everything a card says: colour alone never carries a meaning."""

from __future__ import annotations

from typing import Final

WORDS: Final = {
    "allow": "✓",
    "deny": "✗",
    "paid": "€",
    "unknown": "?",
    "silent": "·",
    "unseen": "!",
}
"""What is said about a use."""
LINES: Final = {
    "yes": "✓",
    "no": "–",
    "unknown": "?",
    "failed": "!",
    "skipped": "»",
    "not checked": "·",
}
"""What a step found."""
BOTS: Final = {"barred": "✗", "some": "~", "free": "✓"}
"""How many agents of a purpose are barred."""
TERMS: Final = {"permitted": "✓", "prohibited": "✗", "conditional": "~", "silent": "·"}

USES: Final = {
    "search": "Search",
    "ai-input": "AI answers",
    "ai-index": "AI index",
    "ai-train": "AI training",
    "archive": "Archive",
}
PURPOSES: Final = {
    "training": "Training",
    "dataset": "Data sets",
    "search": "Search",
    "user_fetch": "Fetched for a user",
    "agent": "Agents",
    "policy_token": "Policy tokens",
    "preview": "Previews",
    "unknown": "Purpose unknown",
}
ACTIVITIES: Final = {
    "scraping": "Scraping and crawling",
    "ai_ml": "AI and machine learning",
    "manual_use": "Manual use",
    "archiving": "Archiving and caching",
    "tdm": "Text and data mining",
    "api_rss": "API and RSS",
    "redistribution": "Redistribution",
    "ugc": "User content",
}
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def sign(word: str) -> str:
    """The sign of any of these words."""
    tables = (WORDS, LINES, TERMS, BOTS)
    return next((table[word] for table in tables if word in table), "")


def signed(word: str) -> str:
    """The word behind its sign."""
    return f"{sign(word)} {word}"
