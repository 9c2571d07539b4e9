"""The pages and the API: `wireroom serve`.

A page is one file in `pages/` that sets `PLUG = WebPage(...)`: its routes, its place in the navigation, and what it
makes of live events. Pages call `app` and nothing below it; what every page shares lies beside them: who may come in
(`guards`, `login`), how something is shown (`rendering`, `web_lists`, `web_problems`), what is under way (`live_events`,
`background_jobs`), and the server (`web_server`).
"""
