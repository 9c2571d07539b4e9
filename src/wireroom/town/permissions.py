"""What the publishers of the town permit: every signal written out as it is served.

Texts and the constants around them; which publisher says what stands in `publishers.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from wireroom.model import Use, Word
from wireroom.town.declaration import Rights, TextFile

CC_BY = "https://creativecommons.org/licenses/by/4.0/"
RSL_TYPE = "application/rsl+xml"
RSL_PATH = "/rsl.xml"
POLICY_PATH = "/policies/tdm.json"

# Well-known agents by class, as the lists of the field had them in November 2026.
TRAINING = ("GPTBot", "ClaudeBot", "anthropic-ai", "Bytespider", "Meta-ExternalAgent", "FacebookBot", "cohere-ai", "Amazonbot")  # fmt: skip
DATASET = ("CCBot", "Diffbot")
POLICY_TOKENS = ("Google-Extended", "Applebot-Extended")
SEARCH = ("OAI-SearchBot", "PerplexityBot", "Claude-SearchBot")
USER_FETCH = ("ChatGPT-User", "Claude-User", "Perplexity-User", "MistralAI-User")

HTML_INSTEAD_OF_ROBOTS = (
    "<!DOCTYPE html>\n<html><head><title>404</title></head>"
    "<body><h1>Page not found</h1><p>User-agent: * is a line of robots.txt, this is not.</p>"
    "</body></html>\n"
)

_EVERYTHING: Mapping[Use, Word] = MappingProxyType(
    {
        "search": "allow",
        "ai-input": "allow",
        "ai-index": "allow",
        "ai-train": "allow",
        "archive": "allow",
    }
)
_SEARCH_ONLY: Mapping[Use, Word] = MappingProxyType(
    {
        "search": "allow",
        "ai-input": "deny",
        "ai-index": "deny",
        "ai-train": "deny",
        "archive": "deny",
    }
)


def agents_barred(*agents: str) -> str:
    """A group of robots.txt that bars these agents from everything."""
    return "".join(f"User-agent: {agent}\n" for agent in agents) + "Disallow: /\n"


def open_to_all(host: str) -> Rights:
    """A publisher that permits everything and says so in every way there is."""
    return Rights(
        robots=(
            "# Everybody is welcome.\n"
            "User-agent: *\n"
            "Allow: /\n"
            "Content-Signal: search=yes, ai-input=yes, ai-train=yes\n"
            "Content-Usage: train-ai=y, search=y\n"
            "\n"
            f"License: http://{host}{RSL_PATH}\n"
            f"Sitemap: http://{host}/sitemap.xml\n"
            f"Sitemap: http://{host}/news-sitemap.xml\n"
        ),
        files={
            RSL_PATH: TextFile(_rsl_open(host), RSL_TYPE),
            "/.well-known/tdmrep.json": _tdmrep([{"location": "/*", "tdm-reservation": 0}]),
            "/ai.txt": TextFile("User-Agent: *\nAllow: /\n"),
            "/llms.txt": TextFile(_llms(host)),
            "/.well-known/trust.txt": TextFile(
                "# trust.txt\nbelongto=http://agency.test/\ncontact=mailto:desk@courier.test\n"
                "disclosure=http://courier.test/about\ndatatrainingallowed=yes\n"
            ),
        },
        headers=(("Content-Usage", "train-ai=y, search=y"), ("tdm-reservation", "0")),
        head_html=(
            f'<link rel="license" href="{CC_BY}">\n<meta name="tdm-reservation" content="0">\n'
        ),
        licence_url=CC_BY,
        rsl_path=RSL_PATH,
        terms_path="/terms",
        terms=(
            "Everything we publish stands under Creative Commons Attribution 4.0.",
            "You may copy, translate, archive and build on our articles, also with machines, as long as you name us.",
            "Text and data mining, including the training of artificial intelligence, is expressly permitted.",
        ),
        verdicts=_EVERYTHING,
    )


def guarded(host: str) -> Rights:
    """A publisher that lets search in and keeps every AI use out, in every way there is."""
    rsl_url = f"http://{host}{RSL_PATH}"
    policy_url = f"http://{host}{POLICY_PATH}"
    return Rights(
        robots=_guarded_robots(host),
        files=_guarded_files(host),
        headers=(
            ("Link", f'<{rsl_url}>; rel="license"; type="{RSL_TYPE}"'),
            ("Content-Usage", "train-ai=n"),
            ("tdm-reservation", "1"),
            ("tdm-policy", policy_url),
            ("X-Robots-Tag", "noarchive, max-snippet:0"),
            ("X-Robots-Tag", "noai, noimageai"),
        ),
        head_html=(
            f'<link rel="license" type="{RSL_TYPE}" href="{RSL_PATH}">\n'
            '<meta name="tdm-reservation" content="1">\n'
            f'<meta name="tdm-policy" content="{policy_url}">\n'
            '<meta name="robots" content="noarchive, noai">\n'
        ),
        rsl_path=RSL_PATH,
        terms_path="/terms-of-use",
        terms=(
            "These terms govern your use of our pages, feeds and archives.",
            "You may not scrape, crawl or harvest our content by automated means without prior written permission.",
            "You must not use any part of our content to train, fine-tune or evaluate machine learning or artificial intelligence systems.",
            "We expressly reserve the right of text and data mining under Article 4 of Directive (EU) 2019/790.",
            "Our articles may not be archived, cached or redistributed, save for short extracts with a link.",
            "Our feeds are offered for personal, non-commercial use in a reader.",
            "Disputes are settled by arbitration in Port Merrow.",
        ),
        verdicts=_SEARCH_ONLY,
    )


def _guarded_robots(host: str) -> str:
    barred = agents_barred(*TRAINING, *DATASET, *POLICY_TOKENS)
    answering = agents_barred(*SEARCH, *USER_FETCH)
    return (
        f"# {host}: no AI use without a licence.\n"
        f"License: http://{host}{RSL_PATH}\n\n"
        "# training, data sets, policy tokens\n"
        f"{barred}\n"
        "# answer engines and fetchers on behalf of users\n"
        f"{answering}\n"
        "User-agent: *\n"
        "Content-Signal: search=yes, ai-input=no, ai-train=no\n"
        "Content-Usage: train-ai=n, search=y\n"
        "Allow: /\n"
        "Disallow: /account/\n"
        "Disallow: /*?print=\n"
        "Crawl-delay: 2\n\n"
        f"Sitemap: http://{host}/sitemap_index.xml\n"
    )


def _guarded_files(host: str) -> dict[str, TextFile]:
    return {
        RSL_PATH: TextFile(_rsl_guarded(host), RSL_TYPE),
        "/.well-known/tdmrep.json": _tdmrep(
            [
                {"location": "/press/*", "tdm-reservation": 0},
                {
                    "location": "/*",
                    "tdm-reservation": 1,
                    "tdm-policy": f"http://{host}{POLICY_PATH}",
                },
            ]
        ),
        POLICY_PATH: TextFile(_odrl(host), "application/ld+json"),
        "/ai.txt": TextFile(
            "User-Agent: *\nDisallow: *.txt\nDisallow: *.html\nDisallow: /\n"
            "Disallow: *.jpg\nDisallow: *.png\n"
        ),
        "/trust.txt": TextFile(
            "member=http://lantern.test/\ncontrol=http://sentinel-archive.test/\n"
            "contact=http://sentinel.test/contact\ndatatrainingallowed=no\n"
        ),
    }


def french_reservation(host: str) -> Rights:
    """A publisher whose only reservation is prose in a comment of robots.txt, in French."""
    return Rights(
        robots=(
            "# Conformément à l'article 4 de la directive (UE) 2019/790 et à l'article L. 122-5-3\n"
            "# du code de la propriété intellectuelle, l'éditeur s'oppose à toute fouille de textes\n"
            "# et de données de ce site, y compris pour l'entraînement d'une intelligence artificielle.\n"
            "User-agent: *\n"
            "Allow: /\n\n"
            f"Sitemap: http://{host}/sitemap.xml\n"
        ),
        terms_path="/mentions-legales",
        terms=(
            "Toute reproduction, même partielle, est soumise à autorisation préalable.",
            "La fouille de textes et de données est interdite sans accord écrit de l'éditeur.",
        ),
        verdicts={"ai-train": "deny", "ai-index": "deny"},
    )


def german_reservation(host: str) -> Rights:
    """A publisher that reserves text and data mining in a comment and by header, in German."""
    return Rights(
        robots=(
            "# Nutzungsvorbehalt nach § 44b Abs. 3 UrhG: Der Verlag behält sich Text und Data Mining\n"
            "# sowie das Training von KI-Systemen ausdrücklich vor.\n"
            f"{agents_barred(*TRAINING, *DATASET, *POLICY_TOKENS)}\n"
            "User-agent: *\n"
            "Disallow: /suche\n\n"
            f"Sitemap: http://{host}/sitemap.xml\n"
        ),
        headers=(("tdm-reservation", "1"),),
        terms_path="/nutzungsbedingungen",
        terms=(
            "Die Inhalte sind urheberrechtlich geschützt.",
            "Die automatisierte Auswertung der Inhalte, insbesondere für das Training künstlicher Intelligenz, ist untersagt.",
        ),
        verdicts={"ai-train": "deny", "ai-index": "deny"},
    )


def tolled(host: str) -> Rights:
    """A publisher that asks a price for every page a machine reads."""
    rsl_url = f"http://{host}{RSL_PATH}"
    return Rights(
        robots=f"License: {rsl_url}\n\nUser-agent: *\nAllow: /\n",
        files={RSL_PATH: TextFile(_rsl_tolled(host), RSL_TYPE)},
        headers=(("Link", f'<{rsl_url}>; rel="license"; type="{RSL_TYPE}"'),),
        rsl_path=RSL_PATH,
        verdicts={"ai-train": "paid", "ai-input": "paid", "ai-index": "paid"},
    )


def _tdmrep(rules: list[dict[str, object]]) -> TextFile:
    return TextFile(json.dumps(rules, indent=2) + "\n", "application/json")


def _rsl(contents: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<rsl xmlns="https://rslstandard.org/rsl" max-age="7">\n{contents}</rsl>\n'
    )


def _rsl_open(host: str) -> str:
    return _rsl(
        '  <content url="/">\n'
        "    <license>\n"
        '      <permits type="usage">all</permits>\n'
        f'      <payment type="attribution"><standard>{CC_BY}</standard></payment>\n'
        "    </license>\n"
        f"    <terms>http://{host}/terms</terms>\n"
        "  </content>\n"
    )


def _rsl_guarded(host: str) -> str:
    return _rsl(
        '  <content url="/" lastmod="2026-06-01T00:00:00Z">\n'
        "    <license>\n"
        '      <permits type="usage">search</permits>\n'
        '      <payment type="free"/>\n'
        "    </license>\n"
        "    <license>\n"
        '      <permits type="usage">ai-input ai-index</permits>\n'
        '      <permits type="user">commercial non-commercial</permits>\n'
        '      <permits type="geo">GB EU</permits>\n'
        '      <prohibits type="usage">ai-train</prohibits>\n'
        '      <payment type="use">\n'
        f"        <custom>http://{host}/licensing</custom>\n"
        '        <amount currency="EUR">0.015</amount>\n'
        "      </payment>\n"
        '      <legal type="warranty">ownership authority</legal>\n'
        '      <legal type="disclaimer">as-is no-liability</legal>\n'
        "    </license>\n"
        f'    <copyright type="organization" contactEmail="rights@{host}" '
        f'contactUrl="http://{host}/contact">The Merrow Sentinel</copyright>\n'
        f"    <terms>http://{host}/terms-of-use</terms>\n"
        "  </content>\n"
        '  <content url="/press/*">\n'
        '    <license><permits type="usage">all</permits></license>\n'
        "  </content>\n"
    )


def _rsl_tolled(host: str) -> str:
    return _rsl(
        f'  <content url="/" server="http://{host}/licences">\n'
        "    <license>\n"
        '      <permits type="usage">ai-all search</permits>\n'
        '      <payment type="crawl">\n'
        '        <accepts type="application/x402+json"/>\n'
        '        <amount currency="USD">0.002</amount>\n'
        "      </payment>\n"
        "    </license>\n"
        "  </content>\n"
    )


def _odrl(host: str) -> str:
    policy = {
        "@context": ["http://www.w3.org/ns/odrl.jsonld", {"tdm": "http://www.w3.org/ns/tdmrep#"}],
        "@type": "Offer",
        "profile": "http://www.w3.org/ns/tdmrep",
        "uid": f"http://{host}{POLICY_PATH}",
        "assigner": {
            "uid": f"http://{host}/",
            "vcard:fn": "The Merrow Sentinel",
            "vcard:hasEmail": f"mailto:rights@{host}",
        },
        "permission": [
            {
                "target": f"http://{host}/",
                "action": "tdm:mine",
                "duty": [{"action": "obtainConsent"}, {"action": "compensate"}],
                "constraint": [
                    {
                        "leftOperand": "purpose",
                        "operator": "eq",
                        "rightOperand": {"@id": "tdm:non-research"},
                    }
                ],
            }
        ],
    }
    return json.dumps(policy, indent=2) + "\n"


def _llms(host: str) -> str:
    return (
        "# The Saltmarsh Courier\n\n"
        "> An open daily of the coast. Everything may be used with attribution.\n\n"
        "## Sections\n\n"
        f"- [Harbour](http://{host}/harbour/): ships, tides and dues\n"
        f"- [Feeds](http://{host}/rss.xml): the newest articles in full\n\n"
        "## Optional\n\n"
        f"- [Terms](http://{host}/terms): what you may do\n"
    )
