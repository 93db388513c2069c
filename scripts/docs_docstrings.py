"""An extension of griffe, which mkdocstrings reads docstrings with: their doctests are shown as code.

In Markdown, lines that begin with `>>>` would be quotes, and `::` at the end of a line has no meaning. Griffe knows the
section `Examples:`, but not `Example:`.
"""

import re
from typing import Any

import griffe

SESSION = re.compile(r"(?:(?<=\n\n)|\A)>>> .*?(?=\n\n|\Z)", re.DOTALL)


class ShownDoctests(griffe.Extension):
    """Rewrite the docstring of each module, class, function and attribute."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put fences around doctests outside sections, rename sections, and end sentences before a block with `:`."""
        if obj.docstring is not None:
            text = SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
            text = re.sub(r"^Example:$", "Examples:", text, flags=re.MULTILINE)
            obj.docstring.value = re.sub(r"::$", ":", text, flags=re.MULTILINE)
