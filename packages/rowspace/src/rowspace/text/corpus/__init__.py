"""A corpus (files, folders, standard input, strings, token lists) → a stream of pieces of text, in blocks or sentences.

Start at open_corpus.py, then pieces.py and reading.py.
"""

from rowspace.text.corpus.lines import BadRow, read_lines, read_text_records, read_texts
from rowspace.text.corpus.open_corpus import (
    Corpus,
    CorpusFile,
    OpenCorpus,
    corpus_bytes,
    corpus_files,
    file_bytes,
    open_corpus,
)
from rowspace.text.corpus.pieces import Block, blocks, read_pieces
from rowspace.text.corpus.reading import BLOCK, STANDARD_INPUT, Piece, cut_pieces, read_chunks
from rowspace.text.corpus.rereadable import RereadableCorpus, text_pieces
from rowspace.text.corpus.sentences import Run, Sentences
from rowspace.text.corpus.standard_library import standard_library

__all__ = [
    "BLOCK",
    "STANDARD_INPUT",
    "BadRow",
    "Block",
    "Corpus",
    "CorpusFile",
    "OpenCorpus",
    "Piece",
    "RereadableCorpus",
    "Run",
    "Sentences",
    "blocks",
    "corpus_bytes",
    "corpus_files",
    "cut_pieces",
    "file_bytes",
    "open_corpus",
    "read_chunks",
    "read_lines",
    "read_pieces",
    "read_text_records",
    "read_texts",
    "standard_library",
    "text_pieces",
]
