"""Every pattern of the program against repeated pieces of itself, and how its time grows with the text.

`bench/fuzz.py` prints what is measured here, a line each.

All patterns are found by themselves: `re` is watched while every module of wireroom is loaded and every
table of phrases is made, and calls of `re` with a pattern in place are read from the source. From the
parsed form of a pattern come the pieces that may make it go back and forth: its characters, the bodies
of its repetitions, and pairs of them, behind what makes it begin and before what makes it fail.
"""

from __future__ import annotations

import ast
import json
import math
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import islice, permutations
from pathlib import Path
from typing import Any, NamedTuple

parser: Any = import_module("re._parser")  # what `re` itself reads patterns with; it has no types
c: Any = import_module("re._constants")

LENGTHS = (2_000, 16_000, 64_000)  # characters: a first sight, then those that are judged
SHORT_LENGTHS = (2_000, 8_000)
WORST = 1.3  # the exponent of n that a pattern may have; n log n is about 1.1 at these lengths
BAD = 1.6  # nothing worse need be looked for
NOTICED = 1e-7  # CPU s a character of the shortest text; a square would take more
FLAT = 1.15  # an exponent that needs no longer text
TOO_LONG = 0.5  # CPU s: whatever takes so long has been found out
MAX_PAIRS = 12  # pieces of which pairs are made, and beginnings that are tried with each
MANY = 100  # pieces of two repetitions; those of long alternations look alike
FIRST = 20  # pieces that are tried behind every beginning
SHORT_TEXTS = 40  # of one pattern, in the short form
REPEATED = 3  # a repetition of more is one that may go back
MAX_SAMPLE = 200  # characters of a sample that is repeated as a whole
MIN_TIMES = 50  # as often stands in a sample what has to be there often
SKIPPED = ("wireroom.store.migrations", "wireroom.__main__")
ANCHORED = {"match", "fullmatch"}  # begin at one place alone; all other methods try every place
MATCHED = {"wireroom.parse.structured_fields"}  # matches each pattern where the last one ended
OURS = {  # patterns for what the program or its operator wrote: no stranger has a say in it
    "wireroom.settings.problems": "the settings file, and names of files in messages about it",
}
CUT = {  # patterns of which the input is cut first: the limit that does it
    ("wireroom.parse.metadata.person_names", "_NOISE"): "MAX_LINE",
    ("wireroom.parse.metadata.person_names", "_TRAILING_ROLE"): "MAX_LINE",
}
SLOW = 0.25  # CPU s for the longest text that a cut pattern can be given; they take a tenth of it
WORDS_CUT = {  # modules whose patterns read text with words of a limited length: where the limit stands
    "wireroom.signals.terms.phrases": ("wireroom.signals.terms.sentence_judging", "MAX_WORD"),
}
BUILT = {  # functions that make a pattern of what they are given, and what keeps it from growing
    ("wireroom.languages", "letters_of"): "one character",
    ("wireroom.query.spelling", "_small_letters"): "made below",
    ("wireroom.query.spelling", "_spaceless"): "made below",
    ("wireroom.query.spelling", "_runs"): "made below",
    ("wireroom.query.spelling", "_spaced"): "made below",
    ("wireroom.parse.sitemap.plain_sitemap", "_pattern"): "made below",
    ("wireroom.signals.terms.phrases", "_compiled"): "made below",
    (
        "wireroom.signals.terms.sentence_judging",
        "_turn",
    ): "an end for a pattern of the table of phrases",
    ("wireroom.parse.robots.prose_comments", "_phrase"): "made when the module is loaded",
    ("wireroom.parse.html", "_past_raw_text"): "the name of one of a dozen tags",
    ("wireroom.parse.xmltree", "is_open"): "a name, without repetition",
    ("wireroom.signals.terms.model_advice", "_in_text"): "words with blanks between them",
    ("wireroom.dates.relative", "_row"): "given MAX_LENGTH characters at most",
    ("wireroom.dates.relative", "_after_marker"): "given MAX_LENGTH characters at most",
    ("wireroom.urls", "_ipv6"): "zeros of an address of eight groups",
    ("wireroom.app.passages", "_plain_places"): "words with blanks between them",
    ("wireroom.cli.app", "_in_our_words"): "messages of a library of ours",
}


class Found(NamedTuple):
    """One pattern of the program."""

    module: str
    name: str
    """Of the constant that holds it, or the line where it is made."""
    pattern: re.Pattern[Any]
    anchored: bool
    """It is only ever matched at one place."""
    limit: int = 0
    """Characters that it can be given; 0 for any number."""
    words: int = 0
    """Characters of the longest word that it can be given; 0 for any number."""


class Growth(NamedTuple):
    """How the time of a pattern grows."""

    found: Found
    exponent: float
    text: str
    """What was repeated, where it was worst."""
    seconds: float
    """For the longest text that was tried."""
    length: int

    @property
    def is_bounded(self) -> bool:
        """Whether no text can make it slow."""
        return self.seconds < SLOW if self.found.limit else self.exponent < WORST


# --- which patterns there are -----------------------------------------------------------------------


@cache
def patterns() -> tuple[Found, ...]:
    """All of them; call it before wireroom is imported, so that none is missed."""
    seen: dict[tuple[str | bytes, int, str], re.Pattern[Any]] = {}
    with _Watch(seen):
        modules = [import_module(name) for name in _modules()]
        _make_tables()
    names = {
        (module.__name__, id(value)): name
        for module in modules
        for name, value in vars(module).items()
    }
    uses = _uses(modules)
    found: dict[tuple[str | bytes, int, str], Found] = {}
    for key, compiled in seen.items():
        name = names.get((key[2], id(compiled)), "")
        found[key] = _found(key[2], name, compiled, uses.get((key[2], name), set()))
    for home, line, compiled, method in _written_in_place(modules):
        key = (compiled.pattern, compiled.flags, home)
        found.setdefault(key, Found(home, f"line {line}", compiled, method in ANCHORED))
    return tuple(each for each in found.values() if each.module not in OURS)


def _found(module: str, name: str, compiled: re.Pattern[Any], methods: set[str]) -> Found:
    anchored = module in MATCHED or (bool(name and methods) and methods <= ANCHORED)
    limit = CUT.get((module, name), "")
    home, words = WORDS_CUT.get(module, ("", ""))
    return Found(
        module,
        name or "…",
        compiled,
        anchored,
        limit=int(getattr(sys.modules[module], limit)) if limit else 0,
        words=int(getattr(sys.modules[home], words)) if words else 0,
    )


def _modules() -> Iterator[str]:
    import wireroom

    yield "wireroom"
    for module in pkgutil.walk_packages(wireroom.__path__, "wireroom."):
        if not module.name.startswith(SKIPPED):
            yield module.name


class _Watch:
    """Notes what is compiled by modules of wireroom."""

    def __init__(self, seen: dict[tuple[str | bytes, int, str], re.Pattern[Any]]) -> None:
        self._seen = seen
        self._compile: Callable[[Any, int], re.Pattern[Any]] = vars(re)["_compile"]

    def __enter__(self) -> None:
        vars(re)["_compile"] = self._noted

    def __exit__(self, *_what_happened: object) -> None:
        vars(re)["_compile"] = self._compile

    def _noted(self, pattern: Any, flags: int) -> re.Pattern[Any]:
        compiled = self._compile(pattern, flags)
        caller = sys._getframe(2)  # noqa: SLF001 - who called re.compile, whichever way it did
        module = str(caller.f_globals.get("__name__", ""))
        if module.startswith("wireroom"):
            self._seen.setdefault((compiled.pattern, compiled.flags, module), compiled)
        return compiled


def _make_tables() -> None:
    """What is made only when it is needed."""
    from wireroom.parse.sitemap import plain_sitemap
    from wireroom.query import spelling
    from wireroom.signals.terms import phrases

    for language in phrases.LANGUAGES:
        phrases.table_of(language)
    others = vars(plain_sitemap)["_OTHERS"]
    for prefixes in ((), tuple(sorted(others))):
        vars(plain_sitemap)["_pattern"]("url", prefixes)
    for name in ("_small_letters", "_spaceless", "_runs", "_spaced"):
        vars(spelling)[name]()


def unknown_builders() -> set[tuple[str, str]]:
    """Functions that make patterns and that nobody has judged: see `BUILT`."""
    found = set()
    for name in _modules():
        for function in ast.walk(_tree(import_module(name))):
            if isinstance(function, ast.FunctionDef) and any(map(_is_built, ast.walk(function))):
                found.add((name, function.name))
    return found - BUILT.keys()


def _is_built(node: ast.AST) -> bool:
    source = _pattern_of(node)
    return source is not None and not isinstance(source, ast.Constant)


def _pattern_of(node: ast.AST) -> ast.expr | None:
    """The pattern in a call of `re`, as it is written."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    module, is_other = node.func.value, node.func.attr in {"escape", "purge"}
    is_re = isinstance(module, ast.Name) and module.id == "re"
    return node.args[0] if is_re and not is_other else None


def _uses(modules: Iterable[Any]) -> dict[tuple[str, str], set[str]]:
    """By module and name of a constant: the methods that are called on it, anywhere."""
    uses: dict[tuple[str, str], set[str]] = {}
    for module in modules:
        tree = _tree(module)
        homes = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        called = {
            id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id.isupper():
                home = homes.get(node.id, (module.__name__, node.id))
                uses.setdefault(home, set()).add(called.get(id(node), "given away"))
    return uses


def _written_in_place(modules: Iterable[Any]) -> Iterator[tuple[str, int, re.Pattern[Any], str]]:
    """Calls such as `re.sub(r"…", …)` inside of functions."""
    for module in modules:
        for node in ast.walk(_tree(module)):
            source = _pattern_of(node)
            if isinstance(source, ast.Constant) and isinstance(source.value, str | bytes):
                assert isinstance(node, ast.Call)
                assert isinstance(node.func, ast.Attribute)
                flags = _flags([*node.args[1:], *(key.value for key in node.keywords)])
                compiled = re.compile(source.value, flags)
                yield module.__name__, node.lineno, compiled, node.func.attr


def _flags(arguments: Iterable[ast.expr]) -> int:
    text = " ".join(ast.unparse(each) for each in arguments)
    return sum(getattr(re, name) for name in set(re.findall(r"\bre\.([A-Z]+)\b", text)))


@cache
def _tree(module: Any) -> ast.Module:
    file = getattr(module, "__file__", None)
    return ast.parse(Path(file).read_text(encoding="utf-8") if file else "")


# --- what may be bad for one ------------------------------------------------------------------------


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Texts as a beginning, a piece that is repeated, and an end that makes it fail."""
    text = pattern.pattern
    source = text.decode("latin-1") if isinstance(text, bytes) else text
    parts = _Parts()
    parts.walk(parser.parse(source, pattern.flags & ~re.UNICODE), "")
    repeated, single = list(dict.fromkeys(parts.repeated)), list(dict.fromkeys(parts.pieces))
    few = list(dict.fromkeys((*repeated, *single)))[:MAX_PAIRS]
    pairs = (a + b for a, b in (*islice(permutations(repeated, 2), MANY), *permutations(few, 2)))
    pieces = list(dict.fromkeys((*repeated, *single, *pairs)))
    for piece in pieces:
        for start in dict.fromkeys(("", parts.start_of.get(piece, ""))):
            yield start, piece, "\0"
    for piece in pieces[:FIRST]:
        for start in list(dict.fromkeys(("", *parts.before)))[:MAX_PAIRS]:
            yield start, piece, "!"


class _Parts:
    """Samples of every part of a pattern."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.repeated: list[str] = []
        self.before: list[str] = []
        self.start_of: dict[str, str] = {}

    def walk(self, parsed: Iterable[tuple[Any, Any]], before: str) -> str:
        """A text that the pattern matches; on the way every part is noted."""
        text = before
        for code, value in parsed:
            for sample in _characters(code, value):
                self._note(self.pieces, sample, text)
            text += self._part(code, value, text)
        own = text[len(before) :]
        if 1 < len(own) < MAX_SAMPLE:
            self._note(self.pieces, own, before)
        return own

    def _note(self, into: list[str], piece: str, before: str) -> None:
        if piece:
            into.append(piece)
            self.start_of.setdefault(piece, before)
            if before:
                self.before.append(before)

    def _part(self, code: Any, value: Any, before: str) -> str:
        if code in {c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT}:
            return self._repetition(value, before)
        if code is c.BRANCH:
            samples = [self.walk(branch, before) for branch in value[1]]
            return samples[0]
        if code in {c.ASSERT, c.ASSERT_NOT}:
            self.walk(value[1], before)
            return ""
        inside = {c.SUBPATTERN: 3, c.GROUPREF_EXISTS: 1}.get(code)
        if inside is not None or code is c.ATOMIC_GROUP:
            return self.walk(value if inside is None else value[inside], before)
        characters = _characters(code, value)
        return characters[0] if characters else ""

    def _repetition(self, value: Any, before: str) -> str:
        low, high, inside = value
        once = self.walk(inside, before)
        if high > REPEATED:
            self._note(self.repeated, once, before)
            for sample in _others(inside):
                self._note(self.repeated, sample, before)
        return once * min(max(int(low), 1), MIN_TIMES)


def _others(parsed: Any) -> Iterator[str]:
    """Other samples of the inside of a repetition: its branches and more of its characters."""
    for code, value in parsed:
        yield from _characters(code, value)[1:4]
        if code is c.BRANCH:
            for branch in value[1]:
                yield _Parts().walk(branch, "")


CATEGORY = {
    c.CATEGORY_SPACE: (" ", "\n", "\t"),
    c.CATEGORY_NOT_SPACE: ("x", "."),
    c.CATEGORY_DIGIT: ("1",),
    c.CATEGORY_NOT_DIGIT: ("x", " "),
    c.CATEGORY_WORD: ("a", "1", "_"),
    c.CATEGORY_NOT_WORD: (".", " "),
}


def _characters(code: Any, value: Any) -> tuple[str, ...]:
    """Characters that a part of one character matches."""
    if code is c.LITERAL:
        return (chr(value),)
    if code is c.NOT_LITERAL:
        return tuple(char for char in "a .<" if char != chr(value))
    if code is c.ANY:
        return ("a", " ", ".", "<")
    if code is not c.IN:
        return ()
    inside: list[str] = []
    for kind, each in value:
        if kind is c.LITERAL:
            inside.append(chr(each))
        elif kind is c.RANGE:
            inside += [chr(each[0]), chr(each[1])]
        elif kind is c.CATEGORY:
            inside += CATEGORY[each]
    if value[0][0] is c.NEGATE:
        return tuple(char for char in "a .<\"'=/;,-1\n(" if char not in inside)[:4]
    return tuple(dict.fromkeys(inside))[:6]


# --- measuring ---------------------------------------------------------------------------------------


class _TooLongError(Exception):
    """The time of one text is over."""


def _end(_number: int, _frame: object) -> None:
    raise _TooLongError


def growth(found: Found, lengths: tuple[int, ...] = LENGTHS, texts: int | None = None) -> Growth:
    """The worst growth of a pattern over all texts that were made for it, or over the first ones."""
    signal.signal(signal.SIGPROF, _end)
    if found.limit:
        return _at_limit(found)
    worst = Growth(found, 0.0, "", 0.0, lengths[0])
    for text in islice(attacks(found.pattern), texts):
        exponent, seconds, length = _exponent(found, text, lengths)
        if exponent > WORST:  # it may have been chance: another process, a cold cache
            exponent, seconds, length = min((exponent, seconds, length), _exponent(found, text, lengths))  # fmt: skip
        if exponent > worst.exponent:
            worst = Growth(found, exponent, json.dumps(text), seconds, length)
        if worst.exponent > BAD:
            break
    return worst


def _at_limit(found: Found) -> Growth:
    """The slowest of the longest texts that a cut pattern can be given."""
    texts = [(_seconds(found, text, found.limit), text) for text in attacks(found.pattern)]
    _, text = max(texts)
    seconds = min(_seconds(found, text, found.limit) for _ in range(3))
    exponent, _, _ = _exponent(found, text, (found.limit // 4, found.limit))
    return Growth(found, exponent, json.dumps(text), seconds, found.limit)


def _exponent(
    found: Found, text: tuple[str, str, str], lengths: tuple[int, ...]
) -> tuple[float, float, int]:
    before, length = _seconds(found, text, lengths[0]), lengths[0]
    if before < NOTICED * length:
        return 1.0, before, length
    exponent = 0.0
    for longer in lengths[1:]:
        seconds = min(_seconds(found, text, longer) for _ in range(2))
        if math.isinf(seconds):
            return math.inf, seconds, longer
        exponent = math.log(seconds / before) / math.log(longer / length)
        before, length = seconds, longer
        if exponent < FLAT:
            break
    return exponent, before, length


def _seconds(found: Found, text: tuple[str, str, str], length: int) -> float:
    start, piece, end = text
    whole: Any = start + piece * (length // len(piece)) + end
    if found.words:
        whole = re.sub(rf"\S{{{found.words}}}(?=\S)", r"\g<0> ", whole)
    if isinstance(found.pattern.pattern, bytes):
        whole = whole.encode("latin-1", "replace")
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)  # `re` asks for signals as it goes
    try:
        if found.anchored:
            found.pattern.match(whole)
            found.pattern.fullmatch(whole)
        else:
            for _ in found.pattern.finditer(whole):
                pass
    except _TooLongError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return max(time.process_time() - began, 1e-9)


def described(row: Growth) -> str:
    """One line for people."""
    where = f"{row.found.module} {row.found.name}"
    return f"n^{row.exponent:.2f} {row.seconds:9.5f} s for {row.length:6,} {where} {row.text[:120]}"
