"""Files → documents: text, the line of each position, and named sections.

| file | contents |
|---|---|
| `document.py` | `Document` and `Section` |
| `read.py` | bytes → document, by the suffix of the file; PDF by pypdf |
| `encoding.py` | bytes → text |
| `markdown.py`, `html.py`, `notebook.py` | the readers of these formats |
| `languages.py` | source code → definitions, by tree-sitter, and in Python by `ast` |
| `outline.py` | definitions → sections |

Read next: `document.py`.
"""

from rowspace.search.reading.documents.document import Document, Section
from rowspace.search.reading.documents.read import has_plain_reading, is_plain, read_document

__all__ = ["Document", "Section", "has_plain_reading", "is_plain", "read_document"]
