"""The comparison of a scanner with the `tokenizers` library, and texts that are awkward for it."""

from collections.abc import Sequence
from random import Random

from tests.encode.scanners.code_points import ASSIGNED
from tests.encode.scanners.library_ids import expect_ids, library_ids
from tests.encode.scanners.sentencepiece.tokenizers_of_kinds import CODE
from tokenizers import Tokenizer

import rowspace._base.jit  # noqa: F401  # texts are scanned once Numba is imported
from rowspace.encode import FlatTokenizer, TextBuffer

PARTS = [
    *" ▁\n\t\r\x00aeThc.,'01é日м😀\u0301<>/|☃♞\uff1c¨한",
    *("the", "cat", "    ", "  ", "<0x0A>", "<unk>", "<s>", "\r\n", "e\u0301", "ﬁ", "\u200b", "\u00a0", "\u3000"),
    *("ᄀ", "ᅡ", "日本語", "\u2028", "▁▁", "☃☃"),
]
PLAIN = [part for part in PARTS if part.isascii() or part in "é日м😀☃♞한"]
AWKWARD = [
    *("", " ", "  ", "   ", "\n", "\x00", "a", " a", "a ", "  a  b  ", "▁", "▁a", " ▁a", "a▁b", "▁ a", "☃", "☃☃ ☃"),
    *(
        "😀",
        "e\u0301",
        "\u0301",
        " \u0301",
        "안녕",
        "\r\n",
        "a\r\nb",
        "a\tb",
        "\ta\t",
        "\uff1cs\uff1e",
        "<0x0A>",
        "ﷺ",
        "ﬁ ﬂ",
    ),
    *("\U0010ffff", "\ue000", "a\ue000b", "x" * 40, "日本語の文章です" * 8, "\x85a\x85", "word\ud800word", "각"),
]


def made_of(parts: Sequence[str], count: int, seed: int = 0) -> list[str]:
    """Return texts of some parts in any order."""
    random = Random(seed)
    return ["".join(random.choices(parts, k=random.randint(0, 12))) for _ in range(count)]


TEXTS = [*AWKWARD, *CODE.splitlines()[:12], *made_of(PARTS, 150), *made_of(PLAIN, 150)]


def check(
    tokenizer: Tokenizer, texts: Sequence[str], *, scanned: float = 0.0, flat: FlatTokenizer | None = None
) -> None:
    """Compare ids with the library's, text by text, twice; at least a share of the texts is scanned."""
    flat = flat or FlatTokenizer(tokenizer.to_str())
    assert flat.scanner is not None
    expected = list(library_ids(tokenizer, texts))
    before = flat.usage.scanned_texts
    for _ in range(2):  # the second time from memory
        expect_ids(flat.encode(texts), texts, expected)
    assert flat.usage.scanned_texts - before >= 2 * scanned * len(texts)


def check_scanned(tokenizer: Tokenizer, flat: FlatTokenizer, texts: Sequence[str]) -> float:
    """Compare the ids of texts that are scanned with the library's; return their share."""
    assert flat.scanner is not None
    found, left = flat.scanner.scan(TextBuffer.of(texts), 0, len(texts))
    scanned = sorted({*range(len(texts))} - {*left.tolist()})
    expected = library_ids(tokenizer, [texts[index] for index in scanned])
    for index, ids in zip(scanned, expected, strict=True):
        assert found.ids[found.indptr[index] : found.indptr[index + 1]].tolist() == ids, texts[index]
    return len(scanned) / len(texts)


def every_code_point(step: int = 1, last: int = 0x110000) -> list[str]:
    """Return texts with every assigned code point, or a sample, alone and between letters, blanks and itself."""
    codes = [chr(code) for code in ASSIGNED[::step] if code < last]
    return [text for c in codes for text in (c, f"a {c} b{c}{c}  c{c} ab{c}the")]
