"""`read_interactions`: baskets or events, of Python or of files, → `Interactions`."""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NoReturn, Unpack

from rowspace._base.options import check_option_names, shows_options
from rowspace.errors import CorpusError, FileFormatError, UsageError, missing_file
from rowspace.learn.items.events import EventList, Refuse, name_of, seconds_of, weight_of
from rowspace.learn.items.interactions import Interactions
from rowspace.learn.items.options import BasketKeywords, BasketOptions
from rowspace.text.corpus.lines import read_lines
from rowspace.text.corpus.reading import STANDARD_INPUT
from rowspace.text.corpus.record_columns import check_columns, frame_records, value_in
from rowspace.text.corpus.records import has_records, read_records

__all__ = ["Baskets", "read_interactions"]

Baskets = (
    Interactions
    | str
    | os.PathLike[str]
    | Mapping[str, Iterable[Any]]
    | Iterable[Iterable[Any]]
    | Iterable[Mapping[str, Any]]
    | Iterable[os.PathLike[str]]
)
"""A path or several; baskets by user; lists of items; events as dicts or a table; or a sparse matrix."""

MAX_RECORD = 100_000_000  # bytes
WANTED = "baskets are lists of item names, a dict from users to such lists, dicts with user and item, or paths"


@shows_options(BasketOptions)
def read_interactions(baskets: Baskets, **options: Unpack[BasketKeywords]) -> Interactions:
    r"""Return which users have which items; an item that a user has several times weighs more.

    Args:
        baskets: One of

            - an iterable of baskets: lists of item names. Baskets are users, named by their numbers: "0", "1", ...
            - a dict from users to their items, or to dicts with the weights of these;
            - an iterable of events: dicts with the columns user, item and, if needed, time and weight;
            - a table of pandas or Polars with such columns;
            - a sparse matrix of SciPy, users × items, with weights: names are the numbers of rows and columns;
            - a path, or several `pathlib.Path`: CSV (.csv, .tsv), JSON (.jsonl, .ndjson, .json) or Parquet (.parquet)
              with such columns, or any other text with one basket a line; "-" is standard input with baskets.

            Empty baskets are left out, and are no users; an empty line counts in the numbers of the others. Lines of
            several files are numbered as those of one.
        **options: The fields of `BasketOptions`: user_column="user", separator="\t", gap=None, min_count=1, ...

    Raises:
        UsageError: An option is unknown or invalid, a basket or an event of Python is, or there is no such file or
            column.
        FileFormatError: A file is damaged; the message has its line.
        CorpusError: A file cannot be read, or there is no basket.

    >>> read_interactions([["milk", "bread"], ["milk", "beer"]]).users
    ['0', '1']
    >>> events = [{"user": "anna", "item": "tea", "time": 10 * hour} for hour in (0, 1, 400)]
    >>> read_interactions(events, gap=3600).users
    ['anna/1', 'anna/2']
    """
    check_option_names("read_interactions", options, BasketOptions)
    chosen = BasketOptions(**options)
    if isinstance(baskets, Interactions):
        if options:
            raise UsageError(f"interactions are read already, so {min(options)} has no effect; omit it")
        return baskets
    events = EventList()
    _read(baskets, events, chosen)
    if not events.users:
        raise CorpusError("there are no baskets, or they are empty; give baskets of at least two items")
    return events.interactions(gap=chosen.gap, min_count=chosen.min_count)


def _read(baskets: Any, events: EventList, options: BasketOptions) -> None:
    """Add everything in `baskets` to `events`."""
    if isinstance(baskets, str | os.PathLike):
        _read_file(os.fspath(baskets), events, options)
        return None
    if hasattr(baskets, "tocsr"):
        return _read_matrix(baskets, events, options)
    baskets = frame_records(baskets) or baskets
    if isinstance(baskets, Mapping):
        for user, items in baskets.items():
            _add_basket(user, items, events, options, _refusing(UsageError, f"user {user!r:.40}"))
        return None
    if not isinstance(baskets, Iterable) or isinstance(baskets, bytes):
        raise UsageError(f"{WANTED}, not {type(baskets).__name__}")
    number, columns = 0, _columns(options)
    for place, each in enumerate(baskets):
        if isinstance(each, os.PathLike):
            number += _read_file(os.fspath(each), events, options, number)
        elif isinstance(each, Mapping):
            check_columns(f"event {place}", each, columns)
            _add_event(each, events, columns, _refusing(UsageError, f"event {place}"))
        else:
            _add_basket(str(number), each, events, options, _refusing(UsageError, f"basket {place}"))
            number += 1
    return None


def _read_matrix(matrix: Any, events: EventList, options: BasketOptions) -> None:
    """Add the entries of a sparse matrix, users × items, that are not zero."""
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise UsageError(f"a matrix of users × items must have two dimensions and numbers, got {matrix!r:.80}")
    rows = matrix.tocsr().copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    for user, (first, last) in enumerate(pairwise(rows.indptr.tolist())):
        items = dict(zip(rows.indices[first:last].tolist(), rows.data[first:last].astype(float).tolist(), strict=True))
        if items:
            _add_basket(user, items, events, options, _refusing(UsageError, f"user {user}"))


def _refusing(kind: type[Exception], place: str) -> Refuse:
    """Return a function that raises an error with the place."""

    def refuse(reason: str) -> NoReturn:
        raise kind(f"{place}: {reason}")

    return refuse


def _add_basket(user: object, items: Any, events: EventList, options: BasketOptions, refuse: Refuse) -> None:
    if options.gap is not None:
        refuse("gap divides events by their times, which baskets do not have; give events, or omit gap")
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        refuse(f"{items!r:.40} is not a list of items; {WANTED}")
    name = name_of(user, "a user", refuse)
    weights = items.items() if isinstance(items, Mapping) else ((item, 1.0) for item in items)
    for item, weight in weights:
        events.add(name, name_of(item, "an item", refuse), weight_of(weight, refuse))


def _add_event(values: Mapping[str, Any], events: EventList, columns: dict[str, str | None], refuse: Refuse) -> None:
    user, item, weight, time = (name and value_in(values, name) for name in columns.values())
    events.add(
        name_of(user, "a user", refuse),
        name_of(item, "an item", refuse),
        1.0 if columns["weight_column"] is None else weight_of(weight, refuse),
        None if columns["time_column"] is None else seconds_of(time, refuse),
    )


def _columns(options: BasketOptions) -> dict[str, str | None]:
    """Return the columns that events must have, by their arguments."""
    return {
        "user_column": options.user_column,
        "item_column": options.item_column,
        "weight_column": options.weight_column,
        "time_column": None if options.gap is None else options.time_column or "time",
    }


def _read_file(name: str, events: EventList, options: BasketOptions, first: int = 0) -> int:
    """Add what is in a file; lines of baskets are numbered from `first`. Return how many of these there are."""
    if name != STANDARD_INPUT and (Path(name).is_dir() or not Path(name).exists()):
        raise missing_file(name, "give a file of baskets or of events, or a list of lists of items")
    if has_records(name, arrays=True):
        columns = _columns(options)
        for line, values in read_records(name, limit=MAX_RECORD, columns=columns):
            _add_event(values, events, columns, _refusing(FileFormatError, f"{name}: line {line}"))
        return 0
    line = 0
    for line, text in enumerate(chain.from_iterable(read_lines(name, named=True)), 1):
        items = list(_items(text, options.separator))
        if items:
            refuse = _refusing(FileFormatError, f"{name}: line {line}")
            _add_basket(str(first + line - 1), items, events, options, refuse)
    return line


def _items(line: str, separator: str) -> Iterator[str]:
    """Yield the names in a line of a basket, without spaces around them."""
    for field in line.split(separator):
        if name := field.strip():
            yield name
