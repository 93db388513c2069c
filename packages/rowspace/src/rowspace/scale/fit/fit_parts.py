"""`fit_parts`: the words of a text counted wherever parts are worked on, and rows learned here."""

from functools import partial
from pathlib import Path
from typing import Unpack

from rowspace._base.options import shows_options
from rowspace.learn.fit import SILENT, Reports, run_fit
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.scale.engines import On
from rowspace.scale.fit.counting import encode_in_parts
from rowspace.scale.fit.text_parts import Source
from rowspace.scale.mapping import check_engine
from rowspace.table import Table
from rowspace.text import TextOptions, TokenizerOptions

__all__ = ["fit_parts"]


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
