"""Texts with labels for the benchmark of classifiers, made from files of this machine; nothing is fetched.

| set | text | label | role |
|---|---|---|---|
| docstrings | docstring of a function or class | top-level module of Python or its packages | tuning |
| debian | description of a Debian package | section | tuning |
| books | paragraph | book | held out; needs `--books` |
| snippets | ten lines of a file | language, by the end of the file's name | held out |
| languages | translated message (gettext) | language | held out |
| messages | English message (gettext), up to 80 characters | program | held out |
| misspelled | the same with one letter dropped, doubled, or swapped in a third of the words | program | held out |
| chinese | message in simplified Chinese (gettext) | program | held out |
"""

import ast
import gettext
import hashlib
import lzma
import random
import re
import sys
import sysconfig
import warnings
from collections import Counter, defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from debian import stanzas  # which is in bench/

TUNING = ("docstrings", "debian")
HELD_OUT = ("books", "snippets", "languages", "messages", "misspelled", "chinese")
LABELS, PER_LABEL, TOTAL = 100, 300, 5_000
SUFFIXES = "py h js pl pm c hpp cpp css html xml json yaml rst md txt vim cmake sql php sh conf bc msg cuh tex rb lua"
LOCALES = (Path("/usr/share/locale"), Path("/usr/share/locale-langpack"))


def docstrings():
    seen = Counter()
    for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")):
        for file in sorted(Path(folder).rglob("*.py")):
            module, *inner = file.relative_to(folder).parts
            if module == "site-packages" or {"test", "tests", "_vendor"} & set(inner):
                continue
            module = module.removesuffix(".py")
            for text in _docstrings(file) if seen[module] < 2 * PER_LABEL else ():
                seen[module] += 1
                yield text, module


def _docstrings(file):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_text("utf-8"))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text and len(text) >= 40:
                yield text[:600]


def debian():
    for stanza in stanzas().split("\n\n"):
        found = re.search(r"^Description(?:-en)?: (.*(?:\n .*)*)", stanza, re.M)
        section = re.search(r"^Section: (?:.*/)?(.*)$", stanza, re.M)
        if found and section:
            yield " ".join(found[1].split()), section[1]


def books(path):
    with lzma.open(path, "rt", encoding="utf-8") as file:
        title, size = "", 0
        for line in file:
            if line.startswith("# Title: "):
                title, size = line[9:].strip(), 0
            elif title and 200 <= len(line) <= 1200 and size < 5 * PER_LABEL:
                size += 1
                yield line.strip(), title


def snippets():
    suffixes, seen = set(SUFFIXES.split()), Counter()
    for folder in (Path("/usr"), Path(sysconfig.get_path("purelib"))):
        for file in sorted(folder.rglob("*"), key=_order):
            suffix = file.suffix[1:]
            if suffix not in suffixes or seen[suffix] >= 2 * PER_LABEL or not file.is_file():
                continue
            lines = [line for line in file.read_text("utf-8", "replace")[:50_000].splitlines() if line.strip()]
            if len(lines) >= 10:
                seen[suffix] += 1
                start = int(_order(file)[:6], 16) % (len(lines) - 9)
                yield "\n".join(lines[start : start + 10])[:600], suffix


def languages():
    for file in sorted(path for folder in LOCALES for path in folder.glob("*/LC_MESSAGES/*.mo")):
        if not file.stem.startswith("iso"):
            for original, text in _messages(file):
                if text != original and 20 <= len(text) <= 200:
                    yield text, file.parts[-3]


def messages():
    for file in sorted(path for folder in LOCALES for path in folder.glob("*/LC_MESSAGES/*.mo")):
        if not file.stem.startswith("iso"):
            for original, _ in _messages(file):
                if 10 <= len(original) <= 80:
                    yield original, file.stem


def misspelled():
    for text, label in messages():
        yield _misspell(text), label


def _misspell(text):
    generator = random.Random(text)  # noqa: S311  # of misspellings
    words = text.split(" ")
    for place, word in enumerate(words):
        if len(word) > 3 and generator.random() < 1 / 3:
            at = generator.randrange(1, len(word) - 1)
            changed = (word[at + 1] + word[at], word[at + 1], word[at] * 2 + word[at + 1])
            words[place] = word[:at] + generator.choice(changed) + word[at + 2 :]
    return " ".join(words)


def chinese():
    for file in sorted(path for folder in LOCALES for path in folder.glob("zh_CN/LC_MESSAGES/*.mo")):
        for _, text in () if file.stem.startswith("iso") else _messages(file):
            if 4 <= len(text) <= 200 and any("\u4e00" <= letter <= "\u9fff" for letter in text):
                yield text, file.stem


def _messages(file):
    try:
        with file.open("rb") as opened:
            catalog = gettext.GNUTranslations(opened)._catalog
    except (OSError, UnicodeDecodeError, ValueError, IndexError):  # of gettext, for damaged catalogs
        return
    for original, text in catalog.items():
        if isinstance(original, str) and original and isinstance(text, str):
            yield original, " ".join(text.split())


def _order(thing):
    return hashlib.blake2b(str(thing).encode(), digest_size=16).hexdigest()


def load(name, books_path=None):
    """Return the texts and labels of a set, each text once, in a fixed order that has nothing to do with the labels."""
    pairs = books(books_path) if name == "books" else globals()[name]()
    unique, first = defaultdict(dict), {}
    for text, label in pairs:
        if first.setdefault(text, label) == label:
            unique[label][text] = None
    frequent = sorted(unique, key=lambda label: (-len(unique[label]), label))[:LABELS]
    kept = [
        (text, label)
        for label in frequent
        if len(unique[label]) >= 30
        for text in sorted(unique[label], key=_order)[:PER_LABEL]
    ]
    kept.sort(key=_order)
    return [text for text, _ in kept[:TOTAL]], [label for _, label in kept[:TOTAL]]
