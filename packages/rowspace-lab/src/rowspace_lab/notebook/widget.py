"""`TableWidget`: the widget, its traits, and its messages."""

from collections.abc import Mapping, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets

from rowspace._base.validate import check_whole_number, validate_id, validate_keys
from rowspace.errors import RowspaceError
from rowspace.table import Table
from rowspace_lab.app import STATIC, make_app
from rowspace_lab.lab import Lab
from rowspace_lab.notebook.requests import Requests
from rowspace_lab.pages.words import PAGE as WORDS

__all__ = ["TableWidget"]

FRONT_END = STATIC / "notebook.js"
HEIGHTS = (200, 4000)  # pixels

# anywidget drops the messages to a widget whose module takes over two seconds to load, as it may on a busy machine.
LOADER = """
export default {
  async render(context) {
    const url = URL.createObjectURL(new Blob([context.model.get("_front_end")], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    URL.revokeObjectURL(url);
    return widget.render(context);
  },
};
"""


def _to_buffer(ids: Sequence[int], _: object) -> bytes:
    """Return ids as the front end reads them; as JSON, those of a large lasso would exceed the limit of messages."""
    return np.asarray(ids, "<u4").tobytes()


def _from_buffer(buffer: bytes | memoryview, _: object) -> list[int]:
    return list(map(int, np.frombuffer(buffer, "<u4")))


class TableWidget(anywidget.AnyWidget):
    """The map of a table, and beside it the row and the nearest neighbors of the chosen word.

    Click a word, search for one, or draw a lasso around several: `selection` has their ids. Assign to it to choose
    words from Python; `observe` calls a function when it changes, as with every widget.

    Args:
        table: The table.
        words: The words or ids that are chosen at first.
        height: The height of the map in pixels, from 200 to 4,000.

    Attributes:
        selection: The ids of the chosen rows, a list of integers without repetitions. Words and arrays of ids can be
            assigned, too.
        height: The height of the map in pixels.

    Raises:
        UnknownTokenError: One of the words is not in the vocabulary.
        UsageError: An id is out of range, the height is out of range, or the table has no rows.
        RowspaceError: The front end of the workbench is not built.

    >>> widget = TableWidget(Table(["cat", "dog", "the"], np.eye(3)), ["dog"])
    >>> widget.selection, widget.words
    ([1], ['dog'])
    >>> widget.selection = ["the", 0]
    >>> widget.selection, widget.words
    ([2, 0], ['the', 'cat'])
    >>> widget.close()
    """

    _requests: Requests | None = None  # until the table has been checked
    _esm = LOADER
    _front_end = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(480).tag(sync=True)
    selection = traitlets.Any().tag(sync=True, to_json=_to_buffer, from_json=_from_buffer)

    def __init__(self, table: Table, words: Sequence[str | int] = (), *, height: int = 480) -> None:
        lab = Lab(table, table.path or "table")
        if not FRONT_END.is_file():
            raise RowspaceError("the front end of the workbench is not built; run scripts/web in the checkout")
        self.table = table
        self._requests = Requests(make_app(lab, pages=[WORDS]), self._respond)
        super().__init__(_front_end=FRONT_END.read_text("utf-8"), selection=words, height=height)
        self.on_msg(self._receive)

    @property
    def words(self) -> list[str]:
        """The tokens of the chosen rows, in the order of `selection`."""
        return [self.table.vocabulary[id] for id in self.selection]

    def close(self) -> None:
        """Remove the widget from the notebook, and stop its jobs."""
        super().close()
        if self._requests is not None:
            self._requests.close()

    def __repr__(self) -> str:
        return f"the map of {self.table!r}; run this cell in a notebook to show it"

    @traitlets.default("selection")
    def _nothing(self) -> list[int]:
        return []

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Mapping[str, Any]) -> list[int]:
        keys, size = proposal["value"], len(self.table)
        ids = [self.table.id(key) if isinstance(key, str) else validate_id(key, size) for key in validate_keys(keys)]
        return list(dict.fromkeys(ids))

    @traitlets.validate("height")
    def _check_height(self, proposal: Mapping[str, Any]) -> int:
        check_whole_number("height", proposal["value"], *HEIGHTS)
        return int(proposal["value"])

    def _receive(self, _: object, message: Mapping[str, Any], buffers: Sequence[memoryview]) -> None:
        """Answer the front end; it asks whether the kernel is there, which is busy while it runs a cell."""
        if "ping" in message:
            self.send({"pong": message["ping"]})
        elif self._requests is not None:
            self._requests.receive(message, buffers)

    def _respond(self, message: Mapping[str, object], buffers: Sequence[bytes]) -> None:
        self.send(message, buffers)
