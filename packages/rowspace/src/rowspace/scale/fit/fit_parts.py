"""Text in parts → the ids that one process would write, counted by workers → a table, learned here."""

import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import scratch_folder
from rowspace._base.options import shows_options
from rowspace.learn.fit import SILENT, Reports, run_fit
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.scale.engines import On
from rowspace.scale.fit.text_parts import Source, TextPart, read_part, text_parts, warn_of_tags_in
from rowspace.scale.mapping import check_engine, map_parts
from rowspace.table import Table
from rowspace.text import IdCorpus, TextOptions, TokenizerOptions
from rowspace.text.characters import character_table
from rowspace.text.ids.encode_corpus import number_words, scan_text
from rowspace.text.ids.provisional_ids import ProvisionalIds
from rowspace.text.words import Lexicon
from rowspace.text.words.kernels import END

__all__ = ["encode_in_parts", "fit_parts"]

FEW_PARTS = 32  # which are enough for an engine to share out a small corpus
SMALL_PART, LARGE_PART = 1 << 20, 1 << 26  # bytes


def encode_in_parts(  # what, where, and how
    corpus: Source,
    folder: Path,
    *,
    options: TextOptions,
    on: On,
    workers: int | None,
    on_bytes: Callable[[int], None] | None = None,
    extends: Table | None = None,
    part_bytes: int = LARGE_PART,
) -> IdCorpus:
    """Write the ids of the words of a corpus to `folder`, as `encode_corpus` does, by workers that each count parts.

    Workers send the ids of a part with the counts of its words, so that only this process needs the folder. The ids
    and counts are those of one process.

    Args:
        corpus: Files, folders, patterns or URLs.
        folder: An existing folder.
        options: How text becomes words and ids.
        on: Where parts are counted, as for `map_parts`.
        workers: How many at a time.
        on_bytes: Called with the bytes of each part that is done.
        extends: A table whose words are kept.
        part_bytes: The largest part, of text that can be divided.

    Raises:
        CorpusError: The corpus cannot be read, or holds no words.
        UsageError: It is not of files.
        RowspaceError: A part failed.
    """
    size = sum(part.bytes for part in text_parts(corpus, 1, options=options))
    count = max(-(-size // part_bytes), min(FEW_PARTS, size // SMALL_PART))
    parts = text_parts(corpus, count, options=options)
    warn_of_tags_in(parts[0], options)
    places = defaultdict[TextPart, list[int]](list)  # several if a file is named twice
    for number, part in enumerate(parts):
        places[part].append(number)
    work = _Scan(replace(options, workers=1))

    def write_ids(path: Path) -> ProvisionalIds:
        with TemporaryDirectory(prefix="ids-", dir=folder) as own:
            merged = _Merged(Path(own), options)
            for part, scanned in map_parts(work, parts, on=on, workers=workers):
                merged.add(places[part].pop(), scanned)
                if on_bytes is not None:
                    on_bytes(part.bytes)
            return merged.join(len(parts), path)

    return number_words(corpus, folder, write_ids, options, extends=extends)


class _Scanned(NamedTuple):
    """The words of a part.

    Attributes:
        words: The distinct words, UTF-8.
        counts: The count of each.
        ids: The place of each word of the text among them, -1 at the end of a sentence.
        replaced: The number of bad UTF-8 sequences.
    """

    words: list[bytes]
    counts: NDArray[np.int64]
    ids: NDArray[np.int32]
    replaced: int


@dataclass(frozen=True)
class _Scan:
    """What a worker does with a part."""

    options: TextOptions

    def __call__(self, part: TextPart) -> _Scanned:
        """Return the words of the part."""
        with scratch_folder("fit") as folder:
            path = folder / "ids"
            found = scan_text(read_part(part, self.options), path, self.options)
            return _Scanned(found.words(), found.counts, np.fromfile(path, "<i4"), found.replaced)


class _Merged:
    """The words of all parts that have been added, and a file of ids for each part."""

    def __init__(self, folder: Path, options: TextOptions) -> None:
        self._folder, self._options = folder, options
        self._lexicon = Lexicon(character_table(cased=options.cased))
        self._lengths, self._replaced = dict[int, int](), 0

    def add(self, number: int, part: _Scanned) -> None:
        """Add the words of a part, and write its ids."""
        ids = self._lexicon.add(part.words, part.counts)
        self._lengths[number] = len(part.ids)
        self._replaced += part.replaced
        np.append(ids, END).astype("<i4")[part.ids].tofile(self._folder / str(number))  # -1 is the last one

    def join(self, count: int, path: Path) -> ProvisionalIds:
        """Move the ids of all parts, in their order, to one file."""
        with path.open("wb") as file:
            for number in range(count):
                own = self._folder / str(number)
                with own.open("rb") as ids:
                    shutil.copyfileobj(ids, file, SMALL_PART)
                own.unlink()
        lengths = [self._lengths[number] for number in range(count)]
        return ProvisionalIds.of(self._lexicon, self._options, lengths=lengths, replaced=self._replaced)


@shows_options(FitOptions, TextOptions, TokenizerOptions)
def fit_parts(
    corpus: Source,
    *,
    on: On = "processes",
    output: str | Path | None = None,
    init: Table | str | Path | None = None,
    reports: Reports = SILENT,
    **options: Unpack[FitKeywords],
) -> Table:
    r"""Learn a table from files, whose words are counted by workers, part by part.

    This reads a large text faster where a cluster reads faster than this machine. Vocabulary, counts and ids are those
    of `rowspace.fit`, and so are the rows; `rowspace.fit` resumes an interrupted fit.

    Args:
        corpus: Files, folders, patterns or URLs. Compressed files, and files with records, are not divided.
        on: "processes" of this machine, "ray", "dask", or an executor of `concurrent.futures`.
        output: Where to save the table.
        init: A table, or the path of one, to continue from.
        reports: Callbacks for progress.
        **options: Those of `rowspace.fit`, without phrases and tokenizers. `workers` are the threads that learn, and
            with "processes" the processes that count.

    Returns:
        The table, as `rowspace.fit` returns it.

    Raises:
        UsageError: An option is wrong, or the corpus is not of files.
        CorpusError: The corpus holds no words.
        MissingExtraError: The engine is not installed.
        RowspaceError: A part failed.
        FitDiverged: As for `rowspace.fit`.
        FitInterrupted: Likewise.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "text.txt")
        ...     _ = file.write_text("the cat sat on the mat\nthe dog sat on the mat\n" * 50)
        ...     table = fit_parts(file, on=None, dim=8, epochs=1, workers=1)
        >>> table.vocabulary[:2]
        ['the', 'mat']
    """
    workers = options.get("workers") if on == "processes" else None
    check_engine(on, workers)
    encode = partial(encode_in_parts, on=on, workers=workers)
    return run_fit(corpus, {**options}, output=output, init=init, reports=reports, encode=encode)
