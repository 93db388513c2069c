"""`encode_to`: an encoder, a source of texts and a name → a file of vectors, with bounded memory."""

import os
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rowspace._base.atomic import StrPath, scratch_folder
from rowspace._base.interrupt import stop_requests
from rowspace._base.plural import plural
from rowspace.encode.stream.bad_rows import BadRows, VectorEncoder, encode_texts
from rowspace.encode.stream.columns import check_kept, columns_of
from rowspace.encode.stream.options import StreamOptions, StreamProgress, StreamResult
from rowspace.encode.stream.run_folder import RunState, load_state, open_run_folder, run_folder_of, save_state
from rowspace.encode.stream.sink import Mark, Sink, SinkOptions
from rowspace.encode.stream.sinks import check_output, format_of
from rowspace.encode.stream.sources import Source, TextDigest, TextSource, batches_of, open_source, skip_texts
from rowspace.errors import EncodingInterrupted, UsageError
from rowspace.files.remote import RemotePath, is_url, split_url, upload
from rowspace.text.corpus.records import has_records

__all__ = ["encode_to"]

BYTES_PER_BATCH = 1 << 24  # of vectors
SECONDS_UNTIL_REPORT = 1.0  # of the copy of the rows into the output


def encode_to(
    encoder: VectorEncoder,
    source: TextSource,
    out: StrPath,
    *,
    options: StreamOptions | None = None,
    resume: bool = False,
    on_progress: Callable[[StreamProgress], None] | None = None,
) -> StreamResult:
    """Encode the texts of a source into a file, one row each, without ever holding all of them.

    Rows are written to a folder `OUT.encode` next to the output as they come, and the output appears, complete, at the
    end. The folder's state has the number of texts that are done; a killed run resumes from it.

    Args:
        encoder: An `Encoder` or a `ContextualEncoder`.
        source: A path (lines of text, compressed or not, records with a column of text, or a folder of these), '-' for
            standard input, several `pathlib.Path`, or an iterable of texts, such as a generator.
        out: The output: .npy, .parquet (needs pyarrow) or .lance (needs `rowspace[search]`). A .npy or .parquet file
            may be at a URL such as s3://bucket/vectors.npy; it is written on this machine, copied there at the end, and
            its run cannot be resumed.
        options: How to read and save.
        resume: Continue an interrupted run of the same source and encoder. Its texts are read again, but not encoded.
        on_progress: Called after each batch, before the first while the columns of records are read, and after the last
            while the rows are copied into the output.

    Raises:
        UsageError: The output cannot be written or is also the source, there is nothing to resume, or the encoder
            or the source has changed.
        CorpusError: The source cannot be read.
        FileFormatError: A file is damaged, or if `strict`, a row has no text.
        MissingExtraError: The format of the source or the output needs a package that is not installed.
        EncodingInterrupted: Ctrl-C or SIGTERM, after part of the rows was saved.
        RowspaceError: Another process is writing the same output, or the disk is full.

    >>> import tempfile
    >>> from rowspace.encode import Encoder
    >>> from rowspace.table import Table
    >>> from rowspace.text import whitespace_json
    >>> words = ["the", "cat"]
    >>> encoder = Encoder(Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = encode_to(encoder, iter(["the cat", "cat"]), f"{folder}/vectors.npy")
    ...     np.load(result.path)
    array([[0.5, 0.5],
           [0. , 1. ]], dtype=float32)
    """
    began = time.monotonic()
    options = options or StreamOptions()
    if is_url(os.fspath(out)):
        return _encode_to_url(encoder, source, os.fspath(out), options, resume=resume, on_progress=on_progress)
    output = format_of(out)
    target = output.check(out)
    bad = BadRows(strict=options.strict)
    may_be_read = options.column is not None and has_records(target)
    outputs = [run_folder_of(target), *([] if may_be_read else [target])]
    opened = open_source(source, column=options.column, bad=bad, outputs=outputs)
    if str(target) in (file.path for file in opened.files):
        raise UsageError(f"{out} is read and would be replaced by its vectors; name another output")
    example = encoder.encode([""])
    width, dtype = example.shape[1], example.dtype
    columns = None
    if output.has_text:
        read_again = opened.files if opened.total_bytes is not None else ()
        columns = columns_of(
            [file.path for file in read_again],
            options.column,
            options.vector_column,
            keep_text=options.keep_text,
            strict=options.strict,
            on_bytes=None if on_progress is None else _first_pass(on_progress, opened.total_bytes),
        )
    keeps_text = options.keep_text and output.has_text and columns is None
    if keeps_text:
        check_kept(str(out), {"text": None}, options.vector_column)
    settings = {
        "format": output.suffix,
        "width": width,
        "dtype": dtype.name,
        "column": options.column,
        "keep_text": keeps_text,
    }
    fresh = RunState(encoder.fingerprint, settings, opened.files)
    if columns is not None:
        settings |= {"keep_text": options.keep_text, "columns": columns.schema.names}
    if output.has_text:
        settings["vector_column"] = options.vector_column
    with open_run_folder(target, resume=resume) as folder:
        state = load_state(folder) if resume else fresh
        state.check_same(fresh)
        resumed = state.texts
        if not (state.is_complete and output.is_moved(folder, target)):
            if state.is_complete:
                bad = BadRows(count=state.bad, first=state.bad_rows)
            sink_options = SinkOptions(folder, width, dtype, keeps_text, options.vector_column, columns, bad)
            with closing(output.open(sink_options, Mark(state.mark, state.checksums) if resume else None)) as sink:
                run = _Run(encoder, opened, sink, folder, state, options, bad, on_progress)
                state = run.to_end(target)
    seconds = time.monotonic() - began
    return StreamResult(target, state.texts, width, dtype.name, resumed, seconds, state.bad, state.bad_rows)


def _encode_to_url(
    encoder: VectorEncoder,
    source: TextSource,
    url: str,
    options: StreamOptions,
    *,
    resume: bool,
    on_progress: Callable[[StreamProgress], None] | None,
) -> StreamResult:
    """Encode into a temporary file, and copy it to a URL."""
    if resume:
        raise UsageError(f"a run that saves to a URL such as {url} cannot be resumed; start it again")
    check_output(url)
    if isinstance(source, str | os.PathLike | list | tuple) and url in (
        file.path for file in open_source(source).files
    ):
        raise UsageError(f"{url} is read and would be replaced by its vectors; name another output")
    with scratch_folder("encode") as folder:
        try:
            made = encode_to(encoder, source, folder / split_url(url)[1], options=options, on_progress=on_progress)
        except EncodingInterrupted as error:
            raise EncodingInterrupted(f"stopped; nothing is saved at {url}, so start it again") from error
        upload(Path(made.path), url)
    return made._replace(path=RemotePath(url))


def _first_pass(on_progress: Callable[[StreamProgress], None], total: int | None) -> Callable[[int], None]:
    """Return a function that reports the bytes of records whose columns are read before any text is encoded."""
    read = 0

    def add_bytes(count: int) -> None:
        nonlocal read
        read += count
        on_progress(StreamProgress(0, 0, read, total))

    return add_bytes


@dataclass
class _Run:
    """A run between its first batch and its output."""

    encoder: VectorEncoder
    source: Source
    sink: Sink
    folder: Path
    state: RunState
    options: StreamOptions
    bad: BadRows
    on_progress: Callable[[StreamProgress], None] | None

    def to_end(self, target: Path) -> RunState:
        """Encode what is missing and write the output; raise `EncodingInterrupted` if there is something to resume."""
        try:
            if not self.state.is_complete:
                self._encode()
            self.sink.finish(target, self._on_rows(time.monotonic()))
        except (KeyboardInterrupt, SystemExit) as error:
            if not self.state.texts:
                raise
            raise EncodingInterrupted(
                f"stopped after {plural(self.state.texts, 'text')}, whose rows are in {str(self.folder)!r}; run the "
                "same with --resume (resume=True in Python) to continue"
            ) from error
        return self.state

    def _on_rows(self, began: float) -> Callable[[int], None]:
        """Return a function that reports the number of rows in the output, once this takes long."""

        def report(rows: int) -> None:
            if self.on_progress is not None and time.monotonic() - began >= SECONDS_UNTIL_REPORT:
                done = self.state.texts
                self.on_progress(StreamProgress(done, done, 0, self.source.total_bytes, rows))

        return report

    def _encode(self) -> None:
        """Write the rows of all texts that have none, and save the state now and then."""
        self._save(self.state)
        begun, done, read, digest = self.state.texts, self.state.texts, 0, TextDigest()

        def add_bytes(count: int) -> None:
            nonlocal read
            read += count

        lists = self.source.read(add_bytes)
        if done:
            lists = skip_texts(lists, done, self.state.digest, digest)
        saved = time.monotonic()
        # Reading a pipe may take forever, so there Ctrl-C ends it at once.
        with nullcontext() if self.source.total_bytes is None else stop_requests() as stop:
            for texts in batches_of(lists, limit=self._texts_at_once()):
                self.sink.write(texts, encode_texts(self.encoder, texts))
                digest.add(texts)
                done += len(texts)
                if self.on_progress is not None:
                    self.on_progress(StreamProgress(done, done - begun, read, self.source.total_bytes))
                is_stopped = stop is not None and stop.is_set()
                if is_stopped or time.monotonic() - saved >= self.options.seconds_between_saves:
                    self._save(replace(self.state, texts=done, digest=digest.hex()))
                    saved = time.monotonic()
                if is_stopped:
                    raise KeyboardInterrupt
        done_state = replace(self.state, texts=done, digest=digest.hex(), is_complete=True)
        self._save(replace(done_state, bad=self.bad.count, bad_rows=tuple(self.bad.first)))

    def _texts_at_once(self) -> int:
        row_bytes: int = self.state.settings["width"] * np.dtype(self.state.settings["dtype"]).itemsize
        return max(1, min(self.encoder.texts_at_once, BYTES_PER_BATCH // row_bytes))

    def _save(self, state: RunState) -> None:
        """Sync the rows, then the state that counts them."""
        mark = self.sink.commit()
        self.state = replace(state, mark=mark.size, checksums=mark.checksums)
        save_state(self.folder, self.state)
