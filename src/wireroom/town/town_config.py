"""A `wireroom.toml` that finds a running town.

Pure: names and addresses in, text out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from wireroom.town.declaration import FeedPlan, TownPublisher
from wireroom.town.world import Town

# Where the fields of an article stand in a record of the agency's API.
AGENCY_FIELDS = {
    "guid": "id",
    "url": "links.self",
    "title": "headline",
    "summary": "abstract",
    "content_html": "bodyHtml",
    "authors": "byline",
    "tags": "subjects",
    "published_at": "firstCreated",
    "updated_at": "versionCreated",
}


def config_text(town: Town, hosts: Mapping[str, str], *, feeds: bool = True) -> str:
    """The settings: where every publisher lives, and (on wish) the feeds to follow."""
    lines = [
        "# The town: invented publishers on loopback. Written by `wireroom town --write-config`.",
        "",
        "[hosts]",
        *(f"{_quoted(name)} = {_quoted(place)}" for name, place in hosts.items()),
        "",
        "[fetch]",
        "allow_private = [",
        *(f"  {_quoted(pair)}," for pair in _private_pairs(hosts)),
        "]",
        "",
        "[scout]",
        "offline = true",
    ]
    if feeds:
        for publisher in town.publishers.values():
            for plan in publisher.feeds:
                if plan.follow:
                    lines += ["", *_feed(publisher, plan)]
    return "\n".join(lines) + "\n"


def _private_pairs(hosts: Mapping[str, str]) -> Iterator[str]:
    for name, place in hosts.items():
        yield f"{name}:{place.rpartition(':')[2]}"


def _feed(publisher: TownPublisher, plan: FeedPlan) -> Iterator[str]:
    yield "[[feeds]]"
    yield f"name = {_quoted(publisher.host.removesuffix('.test'))}"
    yield f"url = {_quoted(f'http://{publisher.host}{plan.path}')}"
    yield f"kind = {_quoted(plan.kind)}"
    yield f"language = {_quoted(publisher.language)}"
    if plan.kind == "json_api":
        fields = ", ".join(f"{ours} = {_quoted(theirs)}" for ours, theirs in AGENCY_FIELDS.items())
        yield f"field_map = {{ {fields} }}"


def _quoted(text: str) -> str:
    # A JSON string is a TOML basic string.
    return json.dumps(text, ensure_ascii=False)
