"""`ContextualEncoder`: texts → the vectors of a sentence encoder, whose tokens depend on their context."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray

from rowspace._base.parallel import torch_threads
from rowspace._base.validate import check_texts
from rowspace.contextual.encoder import load_encoder
from rowspace.contextual.pipeline import read_pipeline
from rowspace.encode.executor import as_list
from rowspace.encode.fingerprint import add_array
from rowspace.encode.options import EncodeOptions
from rowspace.encode.precision import quantize
from rowspace.encode.texts import FlatIds
from rowspace.encode.usage import Counters, Report
from rowspace.errors import UsageError
from rowspace.text.characters import clean

__all__ = ["ContextualEncoder"]

TOKENS_PER_BATCH = 1 << 11  # with those that pad short texts: more are not faster on a CPU
UNLIMITED = 1 << 40  # tokens, of a tokenizer that has no limit
DECISIVE = (".json", ".safetensors", ".txt", ".model")  # files on which vectors depend


class ContextualEncoder:
    """Texts → vectors by a model of transformers, equal to those of sentence-transformers; `Encoder.load` opens one.

    Args:
        folder: The folder of the model, of sentence-transformers or transformers.
        options: With mode "contextual". `dim`, `normalize`, `max_tokens` and `dtype` change what the folder says, and
            `workers` the number of PyTorch's threads; the tokens are pooled as the folder says.

    Attributes:
        folder: The folder.
        options: The options.
        texts_at_once: The largest useful number of texts of one call of `encode`.

    Raises:
        UsageError: There is no such model, or an option does not fit it.
        FileFormatError: A file is damaged, or the model has a module that is not known.
        MissingExtraError: PyTorch or transformers is not installed.
    """

    texts_at_once = 1 << 9  # some seconds

    def __init__(self, folder: Path, options: EncodeOptions) -> None:
        defaults = EncodeOptions()
        if (options.pooling, options.sif_a) != (defaults.pooling, defaults.sif_a):
            raise UsageError("mode 'contextual' pools as the model's folder says; leave out pooling and sif_a")
        self.folder, self.options = folder, options
        self._pipeline = read_pipeline(folder, with_dense=True)
        loaded = load_encoder(self._pipeline.transformer)
        from rowspace.contextual.pooled_model import PooledModel, later_modules  # needs PyTorch

        self._model = PooledModel(loaded.encoder, self._pipeline.pooling)
        later = self._pipeline.later
        self._later = later_modules([each for each in later if options.normalize is not False or each[0] == "Dense"])
        self._width = self._later(np.zeros((1, self._model.dim), np.float32)).shape[1]
        if (options.dim or 0) > self._width:
            raise UsageError(f"dim must be at most the model's {self._width}, not {options.dim}")
        self._max_tokens = self._longest(loaded.tokenizer.model_max_length)
        self._unknown_id = loaded.tokenizer.unk_token_id
        self._tokenizer = _prepared(loaded.tokenizer, self._max_tokens, lower=self._pipeline.lower)
        self._counters = Counters(3)  # texts, tokens, unknown tokens

    def __reduce__(self) -> tuple[Any, ...]:
        return ContextualEncoder, (self.folder, self.options)

    def __repr__(self) -> str:
        return f"ContextualEncoder({str(self.folder)!r}, dim={self.dim})"

    @property
    def dim(self) -> int:
        """The number of columns of a vector, before bits are packed."""
        return self.options.dim or min(self._pipeline.truncate_dim or self._width, self._width)

    @property
    def num_embeddings(self) -> int:
        """The number of ids of the vocabulary."""
        return self._model.num_embeddings

    @property
    def report(self) -> Report:
        """What was encoded so far."""
        return Report(*self._counters.totals())

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: the model's files and the options; computed once."""
        digest = hashlib.blake2b(digest_size=16)
        options = self.options
        digest.update(repr((options.dim, options.normalize, options.max_tokens, options.dtype)).encode())
        for path in sorted(path for path in self.folder.rglob("*") if path.suffix in DECISIVE and path.is_file()):
            digest.update(path.relative_to(self.folder).as_posix().encode())
            add_array(digest, np.memmap(path, np.uint8, "r") if path.stat().st_size else np.zeros(0, np.uint8))
        return digest.hexdigest()

    def encode(self, texts: str | Iterable[str], *, purpose: str | None = None) -> NDArray[Any]:
        """Return the vectors of texts.

        Args:
            texts: A text, or n texts.
            purpose: "query" or "document": write the model's prompt for it before each text, if it has one. By
                default, its prompt for all texts.

        Returns:
            (d,) of a text, or (n, d), float32 or what the option `dtype` says. A text without tokens is zeros.

        Raises:
            UsageError: A text is not a string.
        """
        if isinstance(texts, str):
            vector: NDArray[Any] = self._encode([texts], purpose)[0][0]
            return vector
        return self._encode(as_list(texts), purpose)[0]

    def encode_and_count(self, texts: Iterable[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the vectors of texts, and how many tokens of each the model has read, special ones among them.

        Args:
            texts: n texts.

        Returns:
            The vectors (n, d) as `encode` returns them, and the numbers of tokens (n,).

        Raises:
            UsageError: A text is not a string.
        """
        return self._encode(as_list(texts), None)

    def encode_ids(self, ids: FlatIds | Sequence[Sequence[int]]) -> NDArray[Any]:
        """Return the vectors of texts whose ids are known, with special tokens: (n, d), as `encode` returns them.

        Args:
            ids: The ids of n texts, as lists or flat arrays.

        Raises:
            UsageError: The vocabulary lacks an id.
        """
        flat = ids if isinstance(ids, FlatIds) else FlatIds.of(ids)
        if flat.ids.size and not 0 <= flat.ids.min() <= flat.ids.max() < self.num_embeddings:
            wrong = flat.ids.min() if flat.ids.min() < 0 else flat.ids.max()
            raise UsageError(f"id {wrong} is not one of the model's {self.num_embeddings:,}; check the tokenizer")
        bounds = zip(flat.indptr[:-1], flat.indptr[1:], strict=True)
        sequences = [flat.ids[first:last][: self._max_tokens].tolist() for first, last in bounds]
        return quantize(self._vectors(sequences), self.options.dtype)

    def known_spans(self, text: str) -> NDArray[np.int64]:
        """Return where the tokens of a text are that are not unknown, in characters: (n, 2)."""
        found = self._tokenizer.encode(clean(text), add_special_tokens=False)
        pairs = zip(found.ids, found.offsets, strict=True)
        return np.array([span for number, span in pairs if number != self._unknown_id], np.int64).reshape(-1, 2)

    def warm_up(self) -> "ContextualEncoder":
        """Run the model once, so that no later call waits for what it loads; return the encoder itself."""
        self._vectors([[0]])
        return self

    def _longest(self, of_tokenizer: int) -> int | None:
        """Return how many ids of a text are read; None for all."""
        own, most = self._pipeline.max_length, self._model.max_length
        if own is None:
            own = min((limit for limit in (of_tokenizer, most) if limit and limit < UNLIMITED), default=None)
        if self.options.max_tokens is None:
            return own
        if most is not None and self.options.max_tokens > most:
            raise UsageError(f"max_tokens must be at most the model's {most}, not {self.options.max_tokens}")
        return self.options.max_tokens or most

    def _encode(self, texts: list[str], purpose: str | None) -> tuple[NDArray[Any], NDArray[np.int64]]:
        check_texts(texts)
        prompts = {None: (), "query": ("query",), "document": ("document", "passage", "corpus")}
        if purpose not in prompts:
            raise UsageError(f"purpose must be query or document, not {purpose!r}")
        prompt = self._pipeline.prompt(*prompts[purpose])
        vectors, counts = np.zeros((len(texts), self.dim), np.float32), np.zeros(len(texts), np.int64)
        for first in range(0, len(texts), self.texts_at_once):
            part = slice(first, first + self.texts_at_once)
            found = self._tokenizer.encode_batch_fast([prompt + clean(text) for text in texts[part]])
            sequences = [each.ids for each in found]
            counts[part] = [len(sequence) for sequence in sequences]
            unknown = sum(sequence.count(self._unknown_id) for sequence in sequences)
            self._counters.add(len(sequences), int(counts[part].sum()), unknown)
            vectors[part] = self._vectors(sequences)
        return quantize(vectors, self.options.dtype), counts

    def _vectors(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the vectors of sequences of ids, (n, dim); sequences of about the same length go together."""
        vectors = np.zeros((len(sequences), self.dim), np.float32)
        with torch_threads(self.options.workers):
            for places in _batches([len(sequence) for sequence in sequences]):
                found = self._later(self._model.vectors([sequences[place] for place in places]))
                vectors[places] = found[:, : self.dim]
        if self.options.normalize:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of lengths above 0 in batches, longest first.

    >>> list(_batches([3, 0, 4096, 2]))
    [[2], [0, 3]]
    """
    order = sorted((place for place, length in enumerate(lengths) if length), key=lambda place: -lengths[place])
    first = 0
    while first < len(order):
        last = first + max(1, TOKENS_PER_BATCH // lengths[order[first]])
        yield order[first:last]
        first = last


def _prepared(tokenizer: Any, max_tokens: int | None, *, lower: bool) -> tokenizers.Tokenizer:
    """Return the tokenizer behind one of transformers, which several threads may use since it is not changed later."""
    backend: tokenizers.Tokenizer = tokenizer.backend_tokenizer
    if lower:
        steps = [tokenizers.normalizers.Lowercase(), *([backend.normalizer] if backend.normalizer else [])]
        backend.normalizer = tokenizers.normalizers.Sequence(steps)
    backend.no_padding()
    backend.no_truncation()
    if max_tokens is not None:
        backend.enable_truncation(max_tokens, direction=tokenizer.truncation_side)
    return backend
