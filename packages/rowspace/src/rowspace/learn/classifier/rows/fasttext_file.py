"""fastText's files of supervised models, read and written: .bin, and .ftz (quantized, also pruned).

Source: fastText 0.9, `FastText`, `Dictionary`, `QuantMatrix`.
"""

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file
from rowspace.errors import FileFormatError, UsageError, missing_file
from rowspace.files.content import map_content
from rowspace.files.mapped import BinaryReader
from rowspace.learn.classifier.options import RowsOptions
from rowspace.learn.classifier.rows.dictionary import Dictionary
from rowspace.learn.classifier.rows.features import some_buckets
from rowspace.learn.classifier.rows.kernels.features import NO_ROW, SKIPPED, Buckets
from rowspace.learn.classifier.rows.learning import LOSSES
from rowspace.learn.classifier.rows.model import NEVER, SupervisedModel
from rowspace.store.model_formats import fasttext
from rowspace.store.model_formats.fasttext_dictionary import MAGIC, MODELS, VERSIONS, FileArguments, read_entries
from rowspace.store.model_formats.fasttext_quantized import CENTROIDS, quantize, read_quantized, write_quantized

__all__ = ["check_target", "read_model", "write_model"]

PREFIX = b"__label__"
SUPERVISED = 3
ROWS_AT_ONCE = 1 << 14
MAX_GROWTH = 256  # of the bytes of quantized rows; fastText's usual two columns for a code are 8 times as large
BLANKS = frozenset(" \t\n\v\f\r\0")

check_target = fasttext.check_target  # what `write_model` raises about the path itself


def read_model(path: StrPath) -> SupervisedModel:
    """Open a supervised model of fastText.

    Args:
        path: A .bin or .ftz file; rows of a .bin are mapped.

    Raises:
        FileFormatError: It is damaged, truncated, or has no labels; the message has the byte.
        UsageError: No file is at `path`.
    """
    source = os.fspath(path)
    if not Path(path).is_file():
        raise missing_file(source, "give a supervised model of fastText, .bin or .ftz")
    reader = BinaryReader(map_content(Path(path)), source)
    arguments = _read_arguments(reader)
    dictionary, labels, counts, kept = _read_dictionary(reader)
    is_quantized = reader.flag("whether rows are quantized")
    inputs = _read_rows(reader, is_quantized=is_quantized)
    outputs = _read_rows(reader, is_quantized=reader.flag("whether outputs are quantized") and is_quantized)
    reader.end()
    words = len(dictionary.counts)
    needed = words + (arguments.buckets if kept is None else len(kept))
    if inputs.shape != (needed, arguments.dim) or outputs.shape != (len(labels), arguments.dim):
        raise FileFormatError(
            f"{source}: rows of shape {inputs.shape} and outputs of shape {outputs.shape} for {words:,} words, "
            f"{needed - words:,} buckets and {len(labels):,} labels; it is damaged, download it again"
        )
    if arguments.loss == LOSSES["hierarchical"]:
        outputs = outputs[: max(1, len(labels) - 1)]
    options, buckets = _options(arguments, source), _buckets(kept, arguments, words, source)
    return SupervisedModel(dictionary, labels, counts, inputs, outputs, buckets, options)


def write_model(model: SupervisedModel, path: StrPath) -> None:
    """Write a model as fastText's .bin or .ftz, atomically; buckets that no text has used become rows of zeros.

    The rows of a .ftz file have a byte for two columns, by product quantization; its outputs are not quantized.

    Raises:
        UsageError: A label has a blank, buckets were pruned and `path` does not end in .ftz, or `path` is something
            else than a new file or a model.
    """
    is_quantized, is_pruned = Path(path).suffix.lower() == ".ftz", model.buckets.other == SKIPPED
    if is_pruned and not is_quantized:
        raise UsageError("n-grams of this model were pruned, which only quantized models can represent; write .ftz")
    labels = []
    for label in model.labels:
        if BLANKS & set(label) or not label:
            raise UsageError(f"label {label!r} is empty or has a blank, which fastText cannot represent; rename it")
        labels.append(PREFIX + label.encode(errors="surrogatepass"))
    check_target(path)
    options, words = model.options, len(model.dictionary.counts)
    has_buckets = options.max_n > 0 or options.word_ngrams > 1
    size = options.buckets if has_buckets else 0
    is_kept = model.buckets.keys >= 0
    kept = np.column_stack([model.buckets.keys, model.buckets.rows - words])[is_kept] if is_pruned else None
    arguments = FileArguments(
        model.inputs.shape[1],
        5,
        options.epochs,
        options.min_count,
        options.negatives,
        options.word_ngrams,
        LOSSES[options.loss],
        SUPERVISED,
        size,
        options.min_n if options.max_n else 0,
        options.max_n,
        100,
        1e-4,
    )
    with atomic_file(path) as file:
        file.write(arguments.to_bytes())
        total = int(model.dictionary.counts.sum() + model.label_counts.sum())
        left = -1 if kept is None else len(kept)
        file.write(struct.pack("<3i2q", words + len(labels), words, len(labels), total, left))
        for word, count in enumerate(model.dictionary.counts.tolist()):
            file.write(model.dictionary.word(word) + struct.pack("<xqb", count, 0))
        for name, count in zip(labels, model.label_counts.tolist(), strict=True):
            file.write(name + struct.pack("<xqb", count, 1))
        if kept is not None:
            file.write(kept.astype("<i4").tobytes())
        file.write(bytes([is_quantized]))
        if is_quantized:
            codes, centroids = quantize(np.asarray(model.inputs))
            others = codes[words:] if is_pruned else _of_buckets(model, codes, 0, size)
            write_quantized(file, np.concatenate([codes[:words], others]), centroids)
        else:
            file.write(np.array([words + size, model.inputs.shape[1]], "<i8").tobytes())
            _write_rows(file, model.inputs[:words])
            for begin in range(0, size, ROWS_AT_ONCE):
                _write_rows(file, _of_buckets(model, model.inputs, begin, min(begin + ROWS_AT_ONCE, size)))
        file.write(b"\0" + np.array([len(labels), model.inputs.shape[1]], "<i8").tobytes())
        _write_rows(file, model.outputs)
        if len(model.outputs) < len(labels):
            _write_rows(file, np.zeros((len(labels) - len(model.outputs), model.inputs.shape[1]), np.float32))


def _read_arguments(reader: BinaryReader) -> FileArguments:
    magic, version = reader.numbers("<i4", 2, "its magic number and version").tolist()
    if magic != MAGIC or version not in VERSIONS:
        raise FileFormatError(
            f"{reader.source}: is not a classifier; expected a folder of rowspace classify fit, or a supervised model "
            f"of fastText, .bin or .ftz (byte 0: magic number {magic} and version {version}, but fastText's are "
            f"{MAGIC} and {' or '.join(map(str, VERSIONS))})"
        )
    found = FileArguments.read(reader)
    if found.model != SUPERVISED:
        kind = MODELS.get(found.model, f"model {found.model}")
        raise FileFormatError(f"{reader.source}: {kind}, a model without labels; open it as a table by rowspace.load")
    return found._replace(max_n=0) if version == min(VERSIONS) else found  # old classifiers had no n-grams


def _read_dictionary(
    reader: BinaryReader,
) -> tuple[Dictionary, list[str], NDArray[np.int64], NDArray[np.int32] | None]:
    """Return the words, the labels, the labels' counts, and the buckets and rows that pruning has kept, (n, 2)."""
    size, words, number = reader.numbers("<i4", 3, "how many words it has").tolist()
    _, kept = reader.numbers("<i8", 2, "how many n-grams are left").tolist()
    if min(words, number) < 0 or size != words + number or kept < -1 or number == 0:
        raise reader.error(f"{size:,} entries of {words:,} words and {number:,} labels, {kept:,} n-grams", 28)
    places, counts = read_entries(reader, size)
    if size and not 0 <= counts.min() <= counts.max() < NEVER // size:
        raise reader.error(f"counts from {counts.min():,} to {counts.max():,}", 0)
    dictionary = Dictionary.of_words(reader.data, places[:words, 0], places[:words, 1], counts[:words])
    labels = [
        reader.data[begin:end].tobytes().removeprefix(PREFIX).decode(errors="replace")
        for begin, end in places[words:].tolist()
    ]
    pairs = None if kept < 0 else reader.matrix("<i4", kept, 2, "the n-grams that are left")
    return dictionary, labels, counts[words:], pairs


def _read_rows(reader: BinaryReader, *, is_quantized: bool) -> NDArray[Any]:
    if not is_quantized:
        return reader.matrix("<f4", *reader.sizes("the sizes of a matrix"), "its rows")
    place = reader.place
    reader.flag("whether lengths are quantized")
    size, dim = reader.sizes("the sizes of a quantized matrix")
    if 4 * size * dim > MAX_GROWTH * (reader.data.size - place) + 4 * CENTROIDS * dim:
        raise reader.error(f"{size:,} rows of {dim:,} columns, more than its bytes can hold", 16)
    reader.place = place
    return read_quantized(reader)


def _options(arguments: FileArguments, source: str) -> RowsOptions:
    names = {code: name for name, code in LOSSES.items()}
    try:
        return RowsOptions(
            dim=arguments.dim,
            epochs=max(1, arguments.epochs),
            word_ngrams=max(1, arguments.word_ngrams),
            min_n=arguments.min_n if arguments.max_n > 0 else 0,
            max_n=max(0, arguments.max_n),
            buckets=max(1, arguments.buckets),
            min_count=max(1, arguments.min_count),
            loss=names.get(arguments.loss, f"of code {arguments.loss}"),  # type: ignore[arg-type]  # is validated
            negatives=max(1, arguments.negatives),
        )
    except UsageError as error:
        raise FileFormatError(f"{source}: {error}; it is damaged, download it again") from None


def _buckets(kept: NDArray[np.int32] | None, arguments: FileArguments, words: int, source: str) -> Buckets:
    if kept is None:
        has_buckets = arguments.max_n > 0 or arguments.word_ngrams > 1
        if has_buckets and arguments.buckets < 1:
            raise FileFormatError(f"{source}: n-grams without buckets; it is damaged, download it again")
        return Buckets(np.zeros(0, np.int32), np.zeros(0, np.int32), words, NO_ROW)
    outside = kept[(kept < 0) | (kept >= [max(1, arguments.buckets), max(1, len(kept))])]
    if outside.size:
        raise FileFormatError(f"{source}: keeps bucket or row {outside[0]}, which does not exist; download it again")
    return some_buckets(kept[:, 0], kept[:, 1] + np.int32(words), words, SKIPPED)


def _of_buckets(model: SupervisedModel, rows: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
    """Return the rows, or codes, of some buckets; zeros for those without a row."""
    words, buckets = len(model.dictionary.counts), model.buckets
    if not len(buckets.keys):
        return np.asarray(rows[words + begin : words + end])
    found = np.zeros((end - begin, rows.shape[1]), rows.dtype)
    is_here = (buckets.keys >= begin) & (buckets.keys < end)
    found[buckets.keys[is_here] - begin] = rows[buckets.rows[is_here]]
    return found


def _write_rows(file: Any, rows: NDArray[Any]) -> None:
    file.write(np.ascontiguousarray(rows, "<f4").tobytes())
