"""A source of texts → a file of vectors, with bounded memory: rows are written at once, and a killed run resumes.

| in this folder | what flows in → out |
|---|---|
| `encode_to.py` | an encoder, a source and a name → the file of vectors |
| `options.py` | `StreamOptions`, `StreamProgress`, `StreamResult` |
| `sources.py` | files, folders, standard input, iterables → lists of texts, batches of bounded size |
| `columns.py` | files with records → their other columns |
| `sinks.py` | vectors → a .npy file, or parts of Arrow files that become Parquet or Lance |
| `run_folder.py` | the folder `OUTPUT.encode` with the rows and the state of a run |

Read next: `encode_to.py`.
"""

from rowspace.encode.stream.encode_to import encode_to
from rowspace.encode.stream.options import StreamOptions, StreamProgress, StreamResult
from rowspace.encode.stream.sinks import check_output
from rowspace.encode.stream.sources import TextSource, open_source

__all__ = [
    "StreamOptions",
    "StreamProgress",
    "StreamResult",
    "TextSource",
    "check_output",
    "encode_to",
    "open_source",
]
