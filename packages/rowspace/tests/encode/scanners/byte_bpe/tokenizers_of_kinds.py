"""Tokenizers of each kind that the scanner of byte-level BPE knows, trained on a little text."""

from functools import cache

from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace("{1,3}", "")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PATTERNS = {"gpt2": GPT2, "llama3": LLAMA3, "qwen2": QWEN2}

TEXT = (
    """The cat sat on the mat, and the cats' owner didn't mind; they'll say: "It's THE BEST cat we'Ve had!"
    for index in range(10_000):  # a loop\n\t\treturn {"key": [1, 22, 333, 4444], '\u017f': None}\r\n
https://example.org/a/b?c=d&e=%20f  naïve café, Straße, привет мир, мир, 日本語の文章です, 안녕하세요 세계 😀👍🏽
"""
    * 5
)


@cache
def trained(
    kind: str,
    *,
    prefix_space: bool = False,
    nfc: bool = False,
    ignore_merges: bool = False,
    added: tuple[str, ...] = (),
) -> Tokenizer:
    """Return a tokenizer of one of the kinds of `PATTERNS`, with 700 tokens."""
    tokenizer = Tokenizer(BPE(ignore_merges=ignore_merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space, use_regex=kind == "gpt2")
    split = pre_tokenizers.Split(Regex(PATTERNS[kind]), "isolated")
    tokenizer.pre_tokenizer = byte_level if kind == "gpt2" else pre_tokenizers.Sequence([split, byte_level])
    if nfc:
        tokenizer.normalizer = normalizers.NFC()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXT.splitlines(keepends=True), trainer)
    tokenizer.add_tokens([AddedToken(token, special=True) for token in added])
    return tokenizer
