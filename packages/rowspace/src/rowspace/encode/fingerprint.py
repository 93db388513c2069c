"""A hash of everything that determines an encoder's vectors, with which an index identifies its table."""

import hashlib
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace.encode.options import EncodeOptions
from rowspace.table import Table

__all__ = ["add_array", "fingerprint_of"]

BYTES_PER_PIECE = 1 << 24
SETTINGS = ("normalize", "max_length", "embedding_dtype")  # of a table, which decide what a mode does


def fingerprint_of(table: Table, options: EncodeOptions) -> str:
    """Return the fingerprint of an encoder: 32 hexadecimal digits.

    Rows, tokenizer, n-grams, counts where pooling uses them, and all options but `workers`. About 1 GB/s on a core.

    Args:
        table: Its table.
        options: Its options.
    """
    digest = hashlib.blake2b(digest_size=16)
    settings = {name: table.settings.get(name) for name in SETTINGS}
    if prompt := table.settings.get("default_prompt"):  # tables without one have the fingerprint of earlier releases
        settings["default_prompt"] = prompt
    digest.update(repr((asdict(replace(options, workers=None)), settings)).encode())
    digest.update((table.tokenizer or "").encode())
    add_array(digest, table.rows)
    if table.subwords is not None:
        subwords = table.subwords
        digest.update(repr((subwords.min_n, subwords.max_n, len(subwords.places))).encode())
        add_array(digest, subwords.rows)
        add_array(digest, subwords.places[np.arange(len(subwords.places))])
    if table.tokenizer is None:
        digest.update("\n".join(table.vocabulary).encode(errors="surrogatepass"))
    if options.pooling == "sif" and table.counts is not None:
        add_array(digest, table.counts)
    return digest.hexdigest()


def add_array(digest: hashlib.blake2b, array: NDArray[Any]) -> None:
    """Add the shape, dtype and content of an array, hashed in pieces by several threads."""
    digest.update(repr((array.shape, array.dtype.str)).encode())
    pieces = split_range(len(array), pieces=-(-array.nbytes // BYTES_PER_PIECE) or 1)
    for part in map_ranges(lambda first, last: _digest(array[first:last]), pieces):
        digest.update(part)


def _digest(array: NDArray[Any]) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=32).digest()
