"""Tokenizers of each kind that the scanners of SentencePiece-like models know, trained on a little text."""

import io
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from tests.encode.scanners.byte_bpe.tokenizers_of_kinds import TEXT
from tokenizers import AddedToken, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, Unigram
from tokenizers.trainers import BpeTrainer

SPECIAL = ["<unk>", "<s>", "</s>"]
CODE = TEXT + "\n".join(f"{'    ' * depth}if a{depth}  == b:{' ' * depth}pass" for depth in range(6))


def llama(prefix: bool = True) -> Tokenizer:
    """Return the steps of Llama 2 and Mistral."""
    tokenizer = Tokenizer(bpe_model())
    steps = [normalizers.Prepend("▁")] if prefix else []
    tokenizer.normalizer = normalizers.Sequence([*steps, normalizers.Replace(" ", "▁")])
    return tokenizer


def llama_metaspace(scheme: str, *, split: bool = False) -> Tokenizer:
    """Return the steps of Llama without `legacy`."""
    tokenizer = Tokenizer(bpe_model())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme=scheme, split=split)
    return tokenizer


def gemma() -> Tokenizer:
    """Return the steps of Gemma."""
    tokenizer = Tokenizer(bpe_model())
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    return tokenizer


def with_tokens(tokenizer: Tokenizer, *tokens: str | AddedToken) -> Tokenizer:
    """Add tokens, strings as special ones."""
    tokenizer.add_special_tokens([token for token in tokens if isinstance(token, str)])
    tokenizer.add_tokens([token for token in tokens if not isinstance(token, str)])
    return tokenizer


@cache
def _vocabulary() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return pieces as SentencePiece learns them, and as converters do all merges that lead to one.

    No piece has a blank behind something else, and runs of blanks are pieces.
    """
    trained = Tokenizer(BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always")
    trained.train_from_iterator(CODE.splitlines(), BpeTrainer(vocab_size=600, show_progress=False))
    learned = [token for token, _ in sorted(trained.get_vocab().items(), key=lambda entry: entry[1])]
    runs = ["▁▁", "▁▁▁▁", "\n\n", "\t\t", "日本", "本語"]
    rare = {"😀", "м"}  # characters that are left to their bytes
    alphabet = [token for token in [*learned, "\n", "\t"] if len(token) == 1 and token not in rare]
    pieces = [token for token in [*learned, *runs] if not rare & {*token}]
    vocabulary = dict.fromkeys([*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), *pieces, *alphabet])
    ranks = {piece: rank for rank, piece in enumerate([*alphabet, *runs, *pieces])}
    merges = [
        merge for piece in sorted(pieces, key=ranks.__getitem__) for merge in _merges_of(piece, vocabulary, ranks)
    ]
    return tuple(vocabulary), tuple(dict.fromkeys(merges))


def _merges_of(piece: str, vocabulary: dict[str, None], ranks: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the merges of two pieces that lead to one, as converters of transformers do."""
    parts = [(piece[:middle], piece[middle:]) for middle in range(1, len(piece))]
    known = [part for part in parts if part[0] in vocabulary and part[1] in vocabulary]
    yield from sorted(known, key=lambda part: (ranks.get(part[0], 0), ranks.get(part[1], 0)))


def bpe_model(**options: object) -> BPE:
    """Return BPE with byte fallback."""
    return BPE(*bpe_parts(), unk_token="<unk>", fuse_unk=True, byte_fallback=True, **options)


def bpe_parts() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the vocabulary and merges of a BPE with byte fallback."""
    vocabulary, merges = _vocabulary()
    return {token: number for number, token in enumerate(vocabulary)}, list(merges)


def pairs_of_tokens(tokenizer: Tokenizer) -> list[str]:
    """Return every token of a vocabulary next to another, as text."""
    tokens = [token.replace("▁", " ") for token in sorted(tokenizer.get_vocab())]
    return [left + right for left, right in pairwise(tokens)]


def unigram(
    normalizer: normalizers.Normalizer | None = None, *, splits: bool = True, byte_fallback: bool = False
) -> Tokenizer:
    """Return a Unigram tokenizer like those of T5 and XLM-R."""
    vocabulary = [(token, score) for token, score in unigram_pieces(byte_fallback=byte_fallback)]
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=2, byte_fallback=byte_fallback))
    metaspace = pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=True)
    steps = [pre_tokenizers.WhitespaceSplit(), metaspace]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps) if splits else metaspace
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    return tokenizer


@cache
def unigram_pieces(*, byte_fallback: bool = False) -> tuple[tuple[str, float], ...]:
    """Return pieces with scores as SentencePiece learns them."""
    model = ModelProto.FromString(sentencepiece_model())
    pieces = [(piece.piece, piece.score) for piece in model.pieces if piece.piece not in SPECIAL]
    numbers = [(f"<0x{byte:02X}>", 0.0) for byte in range(256)] if byte_fallback else []
    return (*((token, 0.0) for token in ("<s>", "</s>", "<unk>")), *numbers, *pieces)


@cache
def precompiled() -> normalizers.Normalizer:
    """Return the Precompiled step of T5, XLM-R and most models of SentencePiece, nmt_nfkc."""
    return normalizers.Precompiled(precompiled_charsmap())


def precompiled_charsmap() -> bytes:
    """Return the rules of nmt_nfkc."""
    rules: bytes = ModelProto.FromString(sentencepiece_model()).normalizer_spec.precompiled_charsmap
    return rules


@cache
def sentencepiece_model() -> bytes:
    """Return a model trained by SentencePiece."""
    written = io.BytesIO()
    lines = iter(CODE.splitlines() * 3)
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=lines, model_writer=written, vocab_size=300, hard_vocab_limit=False, minloglevel=2
    )
    return written.getvalue()
