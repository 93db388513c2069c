"""The default tables of commands: of `rowspace lab`, learned once, and of `rowspace index`, distilled once."""

from pathlib import Path
from typing import TYPE_CHECKING

from rowspace.cli.output import message
from rowspace.cli.progress.fit import progress_reporter
from rowspace.errors import MissingExtraError

if TYPE_CHECKING:
    from rowspace.search import Index
    from rowspace.table import Table

__all__ = ["index_table_path", "open_default_table", "open_index"]


def open_default_table() -> "tuple[Table, str]":
    """Return the default table and its path; learn it, with progress, if it is missing."""
    from rowspace.learn.default_table import default_table_path, kept_table

    path = default_table_path()
    return kept_table(path, _learned), str(path)


def index_table_path() -> str:
    """Return the path of the table of an index that is given none; make the table, with progress, if it is missing.

    It is distilled from a sentence encoder; where that cannot be done, it is the default table.
    """
    from rowspace.learn.default_table import encoder_table_path, kept_table

    path = encoder_table_path()
    try:
        kept_table(path, _distilled)
    except MissingExtraError as error:
        message(f"using a table of Python's standard library, which knows fewer words of other texts; {error}")
        return open_default_table()[1]
    return str(path)


def open_index(path: str, table: str | None = None, *, reranker: str | None = None) -> "Index":
    """Open an index as `Index.open`; make its table again, with progress, if that is the default and not in the cache.

    Raises:
        MissingExtraError: What the table is made of is not installed; and as `Index.open` raises.
    """
    from rowspace.learn.default_table import encoder_table_path, kept_table
    from rowspace.search import Index

    index, default = Index.open(path, table, reranker=reranker), encoder_table_path()
    known = index.settings.table
    if table is not None or known is None or Path(known).name != default.name or Path(known).exists():
        return index
    try:
        kept_table(default, _distilled)
    except MissingExtraError as error:
        raise MissingExtraError(f"the table that made {path} is no longer in the cache; {error}") from error
    return Index.open(path, default, reranker=reranker)


def _learned() -> "Table":
    from rowspace.cli.warm import warm_fit
    from rowspace.learn.fit import Reports, fit  # not needed by later starts

    message("learning a table from the standard library of this Python, once; later starts reuse it")
    warm_fit(subwords=False)
    with progress_reporter(None) as progress:
        reports = Reports(
            on_bytes=progress.on_bytes, on_vocabulary=progress.on_vocabulary, on_progress=progress.on_progress
        )
        return fit(reports=reports, epochs=10)  # the text is small: fewer epochs do not learn its analogies


def _distilled() -> "Table":
    from rowspace.cli.progress.fit import distill_reporter
    from rowspace.learn.default_table import ENCODER, verified_encoder_folder

    folder = verified_encoder_folder()
    from rowspace.learn.distillation.distill import DistillReports, distill  # needs PyTorch

    message(f"distilling the sentence encoder {ENCODER} into a table, once; later runs reuse it")
    with distill_reporter(None) as progress:
        return distill(folder, reports=DistillReports(on_tokens=progress.on_tokens))
