"""`TableWidget`: the map and the inspector of a table in a notebook, which `Table.show` returns.

`widget.py` has the widget, and `requests.py` answers its front end, which `web/src/notebook/` has. Remote notebooks
cannot reach the loopback address of their kernel, so requests and responses are messages of the widget.

Needs `rowspace-lab[notebook]`.
"""

from rowspace.errors import MissingExtraError

try:
    from rowspace_lab.notebook.widget import TableWidget as TableWidget
except ModuleNotFoundError as error:
    if error.name != "anywidget":
        raise
    raise MissingExtraError("table.show() needs anywidget: pip install 'rowspace-lab[notebook]'") from error

__all__ = ["TableWidget"]
