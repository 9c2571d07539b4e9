"""Comments of a robots.txt in which a publisher reserves rights in prose.

European publishers do so beside the rules: "Article 4 of Directive (EU) 2019/790", "§ 44b UrhG",
"no AI training", in English, German or French. A quote with its lines comes back, never a
permission. Headings ("Block AI bots") say what follows and reserve nothing; the text that one
large provider puts before its Content-Signal lines only repeats those.

Pure, and bounded: sentences are cut before any expression is tried on them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

MAX_RESERVATIONS = 20  # one is enough to know; twenty show that a file repeats itself
MAX_COMMENT_BYTES = 64 * 1024  # the longest legal notices seen have 6 KB
MAX_SENTENCE = 1_000  # characters; a longer "sentence" is a list without full stops
MAX_QUOTE = 600  # characters of evidence that a report shows

# Folded text: lower case, no accents, plain quotes and dashes. State of November 2026.
_BOTS = r"(?![ -]*(?:ro)?(?:bots?|crawlers?|scrapers?|spiders?|agents?)\b)"
_REFUSED_EN = (
    r"\b(?:prohibit\w*|forb[ia]d\w*|not (?:be )?(?:permit\w*|allow\w*|authori[sz]ed|use\w*|licensed)"
    r"|(?:may|must|shall|should|do|can)(?: not|n't)|cannot|no part|reserv(?:e|es|ed|ing|ations?)"  # codespell:ignore
    r"|without (?:\w+[ ,]+){0,6}(?:consent|permission|licen[cs]e|authori[sz]ation|agreement)"
    r"|opt(?:s|ed|ing)?[ -]?out|objects? to|excluded|disallowed)\b"
)
_REFUSED_DE = (
    r"\b(?:\w*vorbeh\w*|untersag\w*|verboten|verbiet\w*|widersprech\w*|widerspruch|unzulassig"
    r"|nicht (?:\w+ ){0,3}(?:gestattet|erlaubt|zulassig|genehmigt|verwende\w*|genutzt|nutzen)"
    r"|ohne (?:\w+ ){0,5}(?:zustimmung|erlaubnis|genehmigung|einwilligung|lizenz)|kein\w*)\b"
)
_REFUSED_FR = (
    r"(?:\b(?:interdi\w*|reserv\w*|oppos\w*|non autoris\w*|pas (?:\w+ )?autoris\w*|aucune?"  # codespell:ignore
    r"|sans (?:\w+[ ']){0,5}(?:autorisation|accord|consentement|licence)"  # codespell:ignore
    r"|ne (?:peu(?:t|vent)|doi(?:t|vent)|sont?|saurai\w*) (?:pas|etre|en aucun))\b|\bpas d')"
)
_AI_EN = (
    r"\b(?:a\.?i\.?|artificial intelligence|machine[ -]learning|llms?|language models?|genai)\b"
)
_AI_DE = r"\b(?:ki|(?:ku|kue)nstliche\w* intelligenz|maschinelle\w* lernen\w*|sprachmodell\w*)\b"
_AI_FR = r"\b(?:ia|intelligence artificielle|apprentissage automatique|modeles? de langage)\b"  # codespell:ignore
_TRAIN_EN = rf"\b(?:train(?:ing|ed|s)?|fine[ -]?tun(?:e|ing)|machine[ -]learning){_BOTS}\b"
_TRAIN_DE = r"(?:\b|-)(?:training(?![s-]*(?:bots?|crawler))\w*|trainier\w*|anlernen|lernen\w*|entwickl\w*)\b"
_TRAIN_FR = r"\b(?:entrain\w*|apprentissage\w*|developpe\w*)\b"  # codespell:ignore
_MINING_EN = rf"\b(?:text[ -](?:and|&)[ -]data[ -]mining|tdm|data[ -]min(?:e|ing)){_BOTS}\b"
_MINING_DE = r"\b(?:text[ -]*+(?:(?:und|&)[ -]*+)?data[ -]?mining|tdm|data[ -]?mining)\b"
_MINING_FR = r"\b(?:fouille (?:\w+ )?(?:de|du|des)|exploration (?:\w+ )?de (?:textes|donnees))\b"


class _Phrase(NamedTuple):
    language: str
    """Empty where the words are a law's number."""
    parts: tuple[re.Pattern[str], ...]
    """All of them have to stand in one sentence."""


def _phrase(language: str, *parts: str) -> _Phrase:
    return _Phrase(language, tuple(re.compile(part) for part in parts))


_PHRASES = (
    _phrase("", r"\b2019/790\b"),
    _phrase("", r"(?:(?<!§)§++|\bsections?|\bsec\.|\bparagraph\w*) ?44 ?b\b|\b44 ?b (?:abs|urhg)"),
    _phrase("", r"\bl\.? ?122-5-3\b"),
    _phrase(
        "",
        r"\b(?:article|art\.?|artikel) 4\b",
        r"\b(?:c?dsm\b|digital single market|digitalen binnenmarkt|marche (?:unique )?numerique)",
    ),
    _phrase("en", rf"\bno (?:\w+ )?(?:ai|machine[ -]learning|llm|gpt)[ -]train(?:ing)?{_BOTS}\b"),
    _phrase("en", _MINING_EN, _REFUSED_EN),
    _phrase("en", _AI_EN, _TRAIN_EN, _REFUSED_EN),
    _phrase("de", r"\bnutzungsvorbehalt\w*"),
    _phrase("de", _MINING_DE, _REFUSED_DE),
    _phrase("de", _AI_DE, _TRAIN_DE, _REFUSED_DE),
    _phrase("fr", _MINING_FR, _REFUSED_FR),
    _phrase("fr", _AI_FR, _TRAIN_FR, _REFUSED_FR),
)
# Without one of these in the file no phrase can match; most files have none and end here.
_TRIGGERS = (
    *(
        b"2019/790",
        b"44b",
        b"44 b",
        b"122-5-3",
        b"mining",
        b"data min",
        b"data-min",
        b"tdm",
        b"train",
    ),
    *(b"learning", b"lernen", b"tun", b"vorbehalt", b"entra", b"fouille", b"exploration"),
    *(b"apprentissage", b"art. 4", b"art 4", b"article 4", b"artikel 4", b"anlern", b"entwickl"),
)

# What the provider's text says of its own lines; the lines themselves are read as signals.
_BOILERPLATE = re.compile(
    r"(?:any )?restrictions expressed via content[ -]signals are express reservations of rights"
    r"(?: under article 4 of the european union directive 2019/790)?"
    r"(?: on copyright and related rights in the digital single market)?"
    r"|content[ -]signal = no, you may not collect content for the corresponding use"
    r"|ai-train: training or fine-tuning ai models"
)
_COMMENT = re.compile(rb"#[^\n]*")
_SENTENCE_END = re.compile(r"[.!?;]\s+(?=[A-ZÄÖÜÀÉÈÊ\"'„«(§])")
_DECORATION = " \t#*=-_~/|>+"
_PLAIN = str.maketrans({"’": "'", "‘": "'", "–": "-", "—": "-", "‑": "-", "\u00a0": " "})


class Reservation(NamedTuple):
    """Rights reserved in a comment: the lines as they stand, and the language of the phrase."""

    line: int
    last_line: int
    quote: str
    language: str = ""


class _Comment(NamedTuple):
    line: int
    text: str


def reservations(lines: list[bytes]) -> tuple[Reservation, ...]:
    """Every reservation in the comments, in their order; lines that touch are one."""
    if not _worth_reading(lines):
        return ()
    found: list[Reservation] = []
    for paragraph in _paragraphs(lines):
        for first, last, language in _reserving(paragraph):
            _add(found, paragraph, first, last, language)
        if len(found) >= MAX_RESERVATIONS:
            break
    return tuple(found[:MAX_RESERVATIONS])


def why_unread(lines: list[bytes]) -> str:
    """Why comments that may reserve rights were not read to their end; empty where they were."""
    if sum(map(len, lines)) <= MAX_COMMENT_BYTES:
        return ""
    size = sum(len(line.partition(b"#")[2]) for line in lines)
    if size <= MAX_COMMENT_BYTES or not _worth_reading(lines):
        return ""
    return f"its comments are longer than {MAX_COMMENT_BYTES:,} bytes"


def _worth_reading(lines: list[bytes]) -> bool:
    comments = b"\n".join(_COMMENT.findall(b"\n".join(lines))).lower()
    return any(word in comments for word in _TRIGGERS)


def _paragraphs(lines: list[bytes]) -> Iterator[list[_Comment]]:
    """Runs of comment lines; an empty one, a blank line or a rule ends a run."""
    run: list[_Comment] = []
    size = 0
    for number, line in enumerate(lines, 1):
        rule, hash_sign, raw = line.partition(b"#")
        text = _text(raw) if hash_sign else ""
        if run and (not text or rule.strip()):
            yield run
            run = []
        size += len(raw) if hash_sign else 0
        if size > MAX_COMMENT_BYTES:
            break
        if text:
            run.append(_Comment(number, text))
            if rule.strip():
                yield run
                run = []
    if run:
        yield run


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    printable = "".join(char if char.isprintable() else " " for char in text)
    return printable.strip(_DECORATION)


def _reserving(paragraph: list[_Comment]) -> Iterator[tuple[int, int, str]]:
    """First and last place in the paragraph of every sentence that reserves rights."""
    starts: list[int] = []
    whole = ""
    for comment in paragraph:
        starts.append(len(whole))
        whole += comment.text + " "
    for start, end in _sentences(whole):
        language = _language_of_reservation(whole[start:end])
        if language is not None:
            inside = [at for at, begin in enumerate(starts) if begin < end]
            before = [at for at in inside if starts[at] <= start]
            yield before[-1], inside[-1], language


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        yield from _pieces(start, match.start() + 1)
        start = match.end()
    yield from _pieces(start, len(text.rstrip()))


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence, or pieces of it that overlap by half: a reservation may stand where one ends."""
    yield start, min(start + MAX_SENTENCE, end)
    for at in range(start + MAX_SENTENCE // 2, end - MAX_SENTENCE // 2, MAX_SENTENCE // 2):
        yield at, min(at + MAX_SENTENCE, end)


def _language_of_reservation(sentence: str) -> str | None:
    folded = _BOILERPLATE.sub(" ", _folded(sentence))
    for phrase in _PHRASES:
        if all(part.search(folded) for part in phrase.parts):
            return phrase.language
    return None


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN).lower())
    return " ".join("".join(char for char in text if not unicodedata.combining(char)).split())


def _add(
    found: list[Reservation], paragraph: list[_Comment], first: int, last: int, language: str
) -> None:
    """Adds the lines, joined with the reservation before them when they follow on it."""
    begin, end = paragraph[first].line, paragraph[last].line
    if found and begin <= found[-1].last_line + 1 and paragraph[0].line <= found[-1].line:
        before = found.pop()
        first = next(at for at, comment in enumerate(paragraph) if comment.line == before.line)
        begin, language = before.line, before.language or language
    quote = "\n".join(comment.text for comment in paragraph[first : last + 1])
    found.append(Reservation(begin, end, quote[:MAX_QUOTE], language))
