"""Words of Chinese, Japanese and Thai text, compared with jieba, SudachiPy and PyThaiNLP; prints Markdown.

    python bench/segment.py

The texts are on the machine: translated messages of installed programs (gettext) and, in Chinese and Japanese, manual
pages, from which nothing was chosen. What another library says is a word is taken as the truth, although it has errors
too. A boundary is a place between two characters of the same phrase; precision, recall and F1 count each occurrence.
`learned` is the default of `rowspace.fit`. `its words` gives the longest of the words that the library itself found, as
`--segmenter` does. Seconds are processor time for all texts: of a fit, to learn the words and divide the text; of a
library, to divide each phrase once, after its dictionary was loaded.

Then the nearest neighbors of some words, with phrases as words and with learned words; one worker learns each table.
"""

import gettext
import gzip
import re
import tempfile
import time
import warnings
from pathlib import Path

import rowspace as rs
from rowspace.text import TextOptions, WordTokenizer, encode_corpus
from rowspace.text.words.unspaced.find_words import SEGMENTERS

LANGUAGES = {"zh_CN": ("Chinese", "jieba"), "ja": ("Japanese", "sudachi"), "th": ("Thai", "pythainlp")}
PROBES = {"zh_CN": ("英语", "密码", "删除"), "ja": ("日本語", "パスワード", "削除"), "th": ("สี", "ติดตั้ง", "ลบ")}
MACRO = re.compile(r"^[.'].*$|\\f.|\\[-&]|\\\(..", re.MULTILINE)


def messages(language):
    found = {}
    for file in sorted(Path("/usr/share/locale").glob(f"{language}/LC_MESSAGES/*.mo")):
        try:
            with file.open("rb") as opened:
                catalog = gettext.GNUTranslations(opened)._catalog
        except (OSError, UnicodeDecodeError, ValueError, IndexError):  # of gettext, for damaged catalogs
            continue
        found |= {text.replace("\n", " "): None for original, text in catalog.items() if original and text}
    return list(found)


def manual_pages(language):
    found = {}
    for file in sorted(Path("/usr/share/man", language).rglob("*.gz")):
        text = gzip.decompress(file.read_bytes()).decode(errors="replace")
        found |= {line: None for line in MACRO.sub("", text).split("\n") if line.strip()}
    return list(found)


def boundaries(words):
    ends, place = set(), 0
    for word in words[:-1]:
        place += len(word)
        ends.add(place)
    return ends


def scores(truth, divided):
    """Return precision, recall and F1 of boundaries: two lists of words for each phrase."""
    right = found = wanted = 0
    for ours, theirs in zip(map(boundaries, divided), map(boundaries, truth), strict=True):
        right, found, wanted = right + len(ours & theirs), found + len(ours), wanted + len(theirs)
    precision, recall = right / max(1, found), right / max(1, wanted)
    return precision, recall, 2 * right / max(1, found + wanted)


def compare(name, language, texts):
    library = LANGUAGES[language][1]
    segmenter = SEGMENTERS[library]
    phrases = [phrase for text in texts for phrase in segmenter.runs.findall(text)]
    cut = segmenter.open()
    list(cut(phrases[0]))  # which loads the dictionary
    began = time.process_time()
    distinct = {phrase: list(cut(phrase)) for phrase in dict.fromkeys(phrases)}
    took = time.process_time() - began
    truth = [distinct[phrase] for phrase in phrases]
    rows = [("characters", list(map(list, phrases)), None)]
    for label, option in (("learned", "learned"), ("its words", library)):
        with tempfile.TemporaryDirectory() as folder:
            began = time.process_time()
            ids = encode_corpus(texts, folder, options=TextOptions(segmenter=option, workers=1))
            seconds = time.process_time() - began
        tokenizer = WordTokenizer.from_json(ids.tokenizer)
        rows.append((label, [tokenizer.split(phrase) for phrase in dict.fromkeys(phrases)], seconds))
        by_phrase = dict(zip(dict.fromkeys(phrases), rows[-1][1], strict=True))
        rows[-1] = (label, [by_phrase[phrase] for phrase in phrases], seconds)
    size = sum(map(len, phrases))
    for label, divided, seconds in rows:
        shares = " | ".join(f"{share:.3f}" for share in scores(truth, divided))
        shown = "" if seconds is None else f"{seconds:.1f}"
        print(f"| {name} | {size:,} | {library} | {label} | {shares} | {shown} | {took:.1f} |")


def neighbors(language, texts):
    for segmenter in ("none", "learned"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = rs.fit(texts, segmenter=segmenter, dim=100, epochs=20, workers=1)
        for word in PROBES[language]:
            found = ", ".join(near for near, _ in table.neighbors(word, k=8)) if word in table else "not in the table"
            print(f"| {LANGUAGES[language][0]} | {segmenter} | {len(table):,} | {word} | {found} |", flush=True)


def main():
    warm = [text for language in LANGUAGES for text in messages(language)[:50]]
    with tempfile.TemporaryDirectory() as folder:
        encode_corpus(warm, folder, options=TextOptions(min_count=1))  # compiles
    print(
        "| text | characters in phrases | truth | words | precision | recall | F1 | seconds | seconds of the library |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    kinds = {"messages": messages, "manual pages": manual_pages}
    texts = {(language, kind): read(language) for language in LANGUAGES for kind, read in kinds.items()}
    for (language, kind), lines in texts.items():
        if lines:
            compare(f"{LANGUAGES[language][0]} {kind}", language, lines)
    print("\n| language | segmenter | words | word | nearest neighbors |\n|---|---|---|---|---|")
    for language in LANGUAGES:
        neighbors(language, [line for kind in kinds for line in texts[language, kind]])


if __name__ == "__main__":
    main()
