"""Text → a tokenizer.json trained on it: byte-pair encoding, WordPiece, unigram, characters, or bytes.

The `tokenizers` library trains all but unigram models (`unigram.py`); this file chooses a model with its trainer, the
steps before it, and the decoder that makes text again. Memory grows with the distinct words only, or with distinct
whole texts where there are no boundaries.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import BYTE_CHARACTERS
from rowspace.text.tokenizer_options import TokenizerOptions

__all__ = ["LLAMA3_PATTERN", "train_tokenizer"]

# What Llama 3's tokenizer.json splits by.
LLAMA3_PATTERN = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",  # a word, with the space or mark before it
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
# Runs of one script, of numbers or of other characters, within which pieces are learned, as in SentencePiece.
_RUNS = "|".join(
    (
        r"▁?[\p{Han}\p{Hiragana}\p{Katakana}ー]+",
        r"▁?\p{Latin}[\p{Latin}\p{M}]*",
        r"▁?\p{N}+",
        r"▁?[\p{L}\p{M}]+",
        r"▁?[^\p{L}\p{M}\p{N}▁]+",
        "▁+",
    )
)
_END_OF_WORD = "</w>"  # Sennrich, Haddow & Birch 2016: the mark of a token that ends a word
_INSIDE_WORD = "##"
_MAX_WORD = 1000  # characters
_LONG_WORD = re.compile(rf"\S{{{_MAX_WORD}}}")


def train_tokenizer(texts: Iterable[str], options: TokenizerOptions) -> str:
    """Return the text of a tokenizer.json, trained on texts.

    Its ids are 0 to V-1: special tokens first (after the 256 bytes, for bytes), then in the order of training; V is
    at most `options.vocabulary_size`, and less where the text has no more tokens.

    Args:
        texts: The texts, which are read once; whatever they raise is raised.
        options: What to train.

    Raises:
        UsageError: the options need no training, or the size has no room for the characters of the text.

    >>> text = train_tokenizer(["low lower lowest"] * 9, TokenizerOptions("bpe", vocabulary_size=300))
    >>> Tokenizer.from_str(text).encode("lower slow").tokens
    ['low', 'e', 'r', 'Ġ', 's', 'low']
    """
    if not options.is_trained:
        raise UsageError(f"tokens={options.tokens!r} need no training")
    tokenizer = _TRAINERS[str(options.tokens)](_divide(texts), options)
    size = tokenizer.get_vocab_size()
    if options.vocabulary_size and size > options.vocabulary_size:
        raise _too_small(size, options)
    return tokenizer.to_str()


def _divide(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts, divided inside very long words: each merge reads whole words, so they would take forever."""
    for text in texts:
        start = 0
        for word in _LONG_WORD.finditer(text) if len(text) > _MAX_WORD else ():
            yield text[start : word.end()]
            start = word.end()
        yield text[start:]


def _too_small(needed: int, options: TokenizerOptions) -> UsageError:
    return UsageError(
        f"vocabulary_size={options.vocabulary_size} has no room for the {needed:,} characters and special tokens that "
        f"tokens={options.tokens!r} begin with on this text; increase it"
    )


def _train_bpe(texts: Iterator[str], options: TokenizerOptions) -> Tokenizer:
    # The end of a word is marked unless tokens contain the space, as with bytes and Metaspace.
    mark: dict[str, Any] = {"end_of_word_suffix": _END_OF_WORD} if options.pretokenize in ("bert", "whitespace") else {}
    tokenizer = _with_steps(models.BPE(unk_token=options.unknown_token, **mark), options)
    if mark:
        tokenizer.decoder = decoders.BPEDecoder(suffix=_END_OF_WORD)
    alphabet = pre_tokenizers.ByteLevel.alphabet() if options.over_bytes else []
    trainer = trainers.BpeTrainer(**_common(options), **_minimum(options), initial_alphabet=alphabet, **mark)
    _train_within_runs(tokenizer, texts, trainer, options)
    return tokenizer


def _train_within_runs(tokenizer: Tokenizer, texts: Iterator[str], trainer: Any, options: TokenizerOptions) -> None:
    """Train; pieces that begin with white space do not mix scripts, numbers and punctuation.

    Texts are encoded without this division: since no piece crosses it, the result is the same, and faster.
    """
    pre_tokenizer = tokenizer.pre_tokenizer
    if options.pretokenize == "metaspace":
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizer, _split_at_runs()])
    tokenizer.train_from_iterator(texts, trainer)
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer


def _train_wordpiece(texts: Iterator[str], options: TokenizerOptions) -> Tokenizer:
    tokenizer = _with_steps(models.WordPiece(unk_token=options.unknown_token), options)
    tokenizer.decoder = decoders.WordPiece(prefix=_INSIDE_WORD)
    trainer = trainers.WordPieceTrainer(**_common(options), **_minimum(options), continuing_subword_prefix=_INSIDE_WORD)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _train_unigram(texts: Iterator[str], options: TokenizerOptions) -> Tokenizer:
    from rowspace.text.training.unigram import learn_pieces  # numba: 0.3 s

    special, unknown = options.special_tokens, options.unknown_token
    words = _words(_with_room(texts, options), options)
    pieces = learn_pieces(words, (options.vocabulary_size or len(words)) - len(special))
    tokens = [*((token, 0.0) for token in special), *(piece for piece in pieces if piece[0] not in special)]
    tokenizer = _with_steps(models.Unigram(tokens, None if unknown is None else special.index(unknown)), options)
    tokenizer.add_special_tokens(special)
    return tokenizer


def _words(texts: Iterator[str], options: TokenizerOptions) -> Counter[str]:
    """Return the runs of one script within words, with their counts."""
    chunks, words = Counter[str](), Counter[str]()
    for text in texts:
        chunks.update(text.split())
    normalizer = _normalizer(options)
    runs = pre_tokenizers.Sequence([_pre_tokenizer("metaspace"), _split_at_runs()])
    for chunk, count in chunks.items():
        for word, _ in runs.pre_tokenize_str(normalizer.normalize_str(chunk) if normalizer else chunk):
            words[word] += count
    return words


def _split_at_runs() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Split(Regex(_RUNS), "isolated")


def _with_room(texts: Iterator[str], options: TokenizerOptions) -> Iterator[str]:
    """Yield the texts, and fail after them if there are too many characters: the library would prune forever."""
    characters = set[str]()
    normalizer = _normalizer(options)  # the tokenizer's own is locked while it is trained
    for text in texts:
        characters.update(text)
        yield text
    texts_of_one = (f"a{character}" for character in characters)  # white space at an end would be stripped
    normalized = set[str]().union(*(normalizer.normalize_str(text) if normalizer else text for text in texts_of_one))
    needed = len(normalized) + len(options.special_tokens) + 1
    if options.vocabulary_size and needed > options.vocabulary_size:
        raise _too_small(needed, options)


def _train_characters(texts: Iterator[str], options: TokenizerOptions) -> Tokenizer:
    """Count characters; their tokenizer is byte-pair encoding without a merge."""
    tokenizer = _with_steps(models.BPE(), options)
    counts = Counter[str]()
    for text in texts:
        counts.update(tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text)
    special, minimum = options.special_tokens, options.min_frequency or 1
    frequent = [character for character, count in counts.items() if count >= minimum and character not in special]
    frequent.sort(key=lambda character: (-counts[character], character))
    kept = [*special, *frequent][: options.vocabulary_size]
    return _without_merges(kept, tokenizer, options)


def _bytes_tokenizer(_texts: Iterator[str], options: TokenizerOptions) -> Tokenizer:
    """Return the tokenizer whose ids are the bytes of UTF-8; no text is read."""
    return _without_merges(BYTE_CHARACTERS, _with_steps(models.BPE(), options), options)


def _without_merges(tokens: Sequence[str], tokenizer: Tokenizer, options: TokenizerOptions) -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer.model = models.BPE(vocab=vocabulary, merges=[], unk_token=options.unknown_token)
    tokenizer.add_special_tokens(options.special_tokens)
    return tokenizer


def _common(options: TokenizerOptions) -> dict[str, Any]:
    return {
        "vocab_size": options.vocabulary_size,
        "special_tokens": options.special_tokens,
        "show_progress": False,  # the reader of the texts reports progress
    }


def _minimum(options: TokenizerOptions) -> dict[str, Any]:
    return {"min_frequency": options.min_frequency}


def _with_steps(model: models.Model, options: TokenizerOptions) -> Tokenizer:
    """Return a tokenizer with the steps before its model, and a decoder."""
    tokenizer = Tokenizer(model)
    if normalizer := _normalizer(options):
        tokenizer.normalizer = normalizer
    if options.over_bytes:
        tokenizer.decoder = decoders.ByteLevel()
    elif options.pretokenize == "metaspace":
        tokenizer.decoder = decoders.Metaspace()
    else:
        tokenizer.decoder = decoders.Fuse()
    if options.tokens == "bytes":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    elif options.pretokenize:
        tokenizer.pre_tokenizer = _pre_tokenizer(options.pretokenize)
    return tokenizer


def _normalizer(options: TokenizerOptions) -> normalizers.Normalizer | None:
    by_name = {
        "nfc": normalizers.NFC,
        "nfkc": normalizers.NFKC,
        "lower": normalizers.Lowercase,
        "bert": normalizers.BertNormalizer,
    }
    steps = [by_name[options.normalize]()] if options.normalize in by_name else []
    if options.pretokenize == "metaspace":  # which handles spaces only
        steps += [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    return normalizers.Sequence(steps) if len(steps) > 1 else steps[0] if steps else None


def _pre_tokenizer(name: str) -> pre_tokenizers.PreTokenizer:
    if name == "llama3":
        split = pre_tokenizers.Split(Regex(LLAMA3_PATTERN), "isolated")
        return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    by_name = {
        "gpt2": lambda: pre_tokenizers.ByteLevel(add_prefix_space=False),
        "bert": pre_tokenizers.BertPreTokenizer,
        "whitespace": pre_tokenizers.WhitespaceSplit,
        "metaspace": pre_tokenizers.Metaspace,
    }
    return by_name[name]()


_TRAINERS = {
    "bpe": _train_bpe,
    "wordpiece": _train_wordpiece,
    "unigram": _train_unigram,
    "bytes": _bytes_tokenizer,
    "chars": _train_characters,
}
