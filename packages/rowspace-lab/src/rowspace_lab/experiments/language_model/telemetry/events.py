"""`events.bin`: what happens in a training, appended record by record, to be followed live and replayed.

    header   8 bytes "RSEVENTS", uint32 version, uint32 length of the JSON that follows; from version 2 on, the JSON has
             its own checksum
    record   uint32 length of the payload, uint32 kind, uint64 step, the payload, uint32 CRC-32 of all before

All numbers are little-endian. The payload of a `STEP` is `STEP_DTYPE`, of a `HELD_OUT` one float64, of `ROWS` and
`SNAPSHOT` a safetensors file. Nothing depends on the time, so that a resumed run has the same bytes as another.
"""

import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from safetensors import numpy as safetensors

from rowspace._base.atomic import translate_os_errors
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import is_count, parse_object, sealed, unsealed

__all__ = ["HELD_OUT", "NAME", "ROWS", "SNAPSHOT", "STEP", "STEP_DTYPE", "EventWriter", "Events", "read_events"]

NAME, RUN_FILE = "events.bin", "state/run.json"
MAGIC, VERSION = b"RSEVENTS", 2
UNCHECKED = 1  # the version whose header has no checksum
STEP, HELD_OUT, ROWS, SNAPSHOT = 1, 2, 3, 4
STEP_DTYPE = np.dtype(
    [
        ("loss", "<f8"),
        ("lr", "<f8"),
        ("grad_norm", "<f8"),
        ("rows_touched", "<u4"),
        ("tokens", "<u4"),
    ]
)
_START, _HEAD, _CRC = struct.Struct("<8sII"), struct.Struct("<IIQ"), struct.Struct("<I")
MAX_PAYLOAD = 1 << 31  # bytes of a payload; a longer one is damage
MAX_HEADER = 1 << 24
AT_ONCE = 1 << 20
SIZES = {STEP: (STEP_DTYPE.itemsize,) * 2, HELD_OUT: (8, 8), ROWS: (8, MAX_PAYLOAD), SNAPSHOT: (8, MAX_PAYLOAD)}
"""The least and the greatest length of a payload of each kind."""
REMEDY = "restore the file, or train a new run"


class Record(NamedTuple):
    """Where a record is: its kind, its step, and the place and length of its payload."""

    kind: int
    step: int
    offset: int
    length: int


class EventWriter:
    """Appends records to a file; a reader sees only complete records."""

    def __init__(self, path: Path, *, length: int | None = None) -> None:
        """Open a file to append to, after cutting it to `length` bytes, where the last checkpoint ended."""
        self._path = path
        with translate_os_errors(path):
            self._file: BinaryIO = path.open("r+b", buffering=0)
            if length is not None:
                self._file.truncate(length)
            self._file.seek(0, os.SEEK_END)

    @classmethod
    def create(cls, path: Path, header: Mapping[str, object]) -> Self:
        """Write a new file with a header, and open it."""
        text = json.dumps(sealed(header)).encode()
        path.write_bytes(_START.pack(MAGIC, VERSION, len(text)) + text)
        return cls(path)

    def step(self, step: int, *values: float) -> None:
        """Append what every step has, in the order of `STEP_DTYPE`."""
        self._append(STEP, step, np.array(values, STEP_DTYPE).tobytes())

    def held_out(self, step: int, bits_per_byte: float) -> None:
        """Append a measurement on held-out text."""
        self._append(HELD_OUT, step, struct.pack("<d", bits_per_byte))

    def arrays(self, kind: int, step: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Append named arrays."""
        self._append(kind, step, safetensors.save(dict(arrays)))

    def close(self) -> int:
        """Close the file, if it is open, and return its length."""
        if not self._file.closed:
            self._length = self._file.tell()
            self._file.close()
        return self._length

    def _append(self, kind: int, step: int, payload: bytes) -> None:
        record = _HEAD.pack(len(payload), kind, step) + payload
        data = memoryview(record + _CRC.pack(zlib.crc32(record)))
        with translate_os_errors(self._path):
            while data:
                data = data[self._file.write(data) or 0 :]


class Events:
    """Reads `events.bin`, also while it is written; it stores the offsets of records, and reads a payload on request.

    `refresh` finds what was appended since. A run that was killed and resumed continues from its last checkpoint, and
    what came after it is written again: `refresh` notices that too.

    Attributes:
        header: The options of the run and the number of tokens.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     writer = EventWriter.create(Path(folder, NAME), {"tokens": 3})
    ...     writer.step(1, 5.5, 0.1, 1.0, 7, 32)
    ...     with Events(folder) as events:
    ...         writer.step(2, 5.0, 0.1, 1.0, 7, 32)
    ...         events.steps()["loss"].tolist(), events.refresh(), events.steps()["loss"].tolist()
    ...     length = writer.close()
    ([5.5], True, [5.5, 5.0])
    """

    header: dict[str, Any]

    def __init__(self, run: str | os.PathLike[str]) -> None:
        """Open the events of a run; raises `FileFormatError` where there are none."""
        self.path = Path(run, NAME)
        self._open()
        try:
            self.refresh()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def refresh(self) -> bool:
        """Read on to the last whole record; return whether anything has changed."""
        if self._was_replaced():
            self._file.close()
            self._open()
            self._scan()
            return True
        before = len(self._records)
        self._scan()
        return len(self._records) != before

    @property
    def end(self) -> int:
        """The offset after the last whole record."""
        return self._end

    def steps(self) -> NDArray[Any]:
        """Return what each step has, as `STEP_DTYPE` with a field `step` in front: (n,)."""
        kept = [record for record in self._records if record.kind == STEP]
        values = np.zeros(len(kept), [("step", "<u8"), *STEP_DTYPE.descr])
        for place, record in enumerate(kept):
            values[place] = (record.step, *np.frombuffer(self._payload(record), STEP_DTYPE)[0])
        return values

    def held_out(self) -> list[tuple[int, float]]:
        """Return the step and the bits per byte of each measurement."""
        return [
            (record.step, float(struct.unpack("<d", self._payload(record))[0]))
            for record in self._records
            if record.kind == HELD_OUT
        ]

    def row_steps(self) -> list[int]:
        """Return the steps that have statistics of all rows."""
        return [record.step for record in self._records if record.kind == ROWS]

    def rows(self, step: int) -> dict[str, NDArray[Any]]:
        """Return the statistics of all rows at a step, (V,) each.

        Args:
            step: One of `row_steps`.

        Returns:
            `input_updates`, `head_targets`, `input_gradient`, `head_gradient`, `distance`, `step`, `norm`,
            `first_moment` (its norm), `second_moment` (its mean), and those of an untied head: `head_distance`, ...;
            without those that rows that do not learn lack.

        Raises:
            UsageError: The step has none.
            FileFormatError: They are damaged.
        """
        return self._arrays(ROWS, step, self.row_steps)

    def snapshot_steps(self) -> list[int]:
        """Return the steps that have a snapshot."""
        return [record.step for record in self._records if record.kind == SNAPSHOT]

    def snapshot(self, step: int) -> dict[str, NDArray[Any]]:
        """Return the snapshot of a step.

        Args:
            step: One of `snapshot_steps`.

        Returns:
            `ids` (n,), the watched ones first; `rows` (n, d) and those of an untied head, `head_rows`, float16;
            of the watched ids from the two sides, (w, d) each: `input_sum` and `head_sum`, the sums of their gradients
            so far, `input_moment` and `head_moment`, the parts of AdamW's first moment, and `input_step` and
            `head_step`, those of its last step without weight decay.

        Raises:
            UsageError: The step has none.
            FileFormatError: It is damaged.
        """
        return self._arrays(SNAPSHOT, step, self.snapshot_steps)

    def _arrays(self, kind: int, step: int, steps: Callable[[], list[int]]) -> dict[str, NDArray[Any]]:
        for record in self._records:
            if (record.kind, record.step) == (kind, step):
                return safetensors.load(self._payload(record))
        raise UsageError(f"step {step} is not recorded; the recorded ones are {steps()}")

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def _open(self) -> None:
        try:
            self._file = self.path.open("rb")
        except OSError as error:
            raise FileFormatError(
                f"{self.path}: cannot be read ({error.strerror}); name a run of rowspace train"
            ) from None
        try:
            self.header = self._read_header()
        except BaseException:
            self._file.close()
            raise
        self._end = self._file.tell()
        self._records = list[Record]()

    def _read_header(self) -> dict[str, Any]:
        start = self._file.read(_START.size)
        if len(start) < _START.size or not start.startswith(MAGIC):
            raise FileFormatError(f"{self.path}: is not the events of a training; restore the file")
        _, version, length = _START.unpack(start)
        if version not in (UNCHECKED, VERSION):
            raise FileFormatError(
                f"{self.path}: has version {version}, this rowspace reads {VERSION}; upgrade rowspace"
            )
        if length > MAX_HEADER:
            raise self._damaged("its header is too long")
        header = parse_object(self._file.read(length), str(self.path), remedy=REMEDY)
        return header if version == UNCHECKED else unsealed(header, str(self.path), remedy=REMEDY)

    def _was_replaced(self) -> bool:
        """Whether the file was cut, or another one has its name."""
        try:
            known, found = os.fstat(self._file.fileno()), self.path.stat()
        except OSError:  # between two names of a folder that is replaced
            return False
        return not os.path.samestat(known, found) or found.st_size < self._end

    def _scan(self) -> None:
        """Add the whole records after the last known one, after comparing their checksums."""
        size = os.fstat(self._file.fileno()).st_size
        self._file.seek(self._end)
        while self._end + _HEAD.size + _CRC.size <= size:
            head = self._file.read(_HEAD.size)
            length, kind, step = _HEAD.unpack(head)
            least, greatest = SIZES.get(kind, (1, 0))
            if not least <= length <= greatest:
                raise self._damaged(f"there is no record at byte {self._end:,}")
            end = self._end + _HEAD.size + length + _CRC.size
            if end > size:
                break  # it is being written
            if self._checksum(head, length) != _CRC.unpack(self._file.read(_CRC.size))[0]:
                raise self._damaged(f"the checksum of the record at byte {self._end:,} differs")
            self._records.append(Record(kind, step, self._end + _HEAD.size, length))
            self._end = end
        if self._end < self._complete() and not self._was_replaced():
            raise self._damaged(f"the record at byte {self._end:,} is cut")

    def _checksum(self, head: bytes, length: int) -> int:
        """Return the checksum of a record whose payload is read next."""
        checksum = zlib.crc32(head)
        for begin in range(0, length, AT_ONCE):
            checksum = zlib.crc32(self._file.read(min(AT_ONCE, length - begin)), checksum)
        return checksum

    def _complete(self) -> int:
        """Return how many bytes the last checkpoint has counted; 0 if there is none, as before the first one."""
        try:
            with (self.path.parent / RUN_FILE).open("rb") as file:
                written = json.loads(file.read(MAX_HEADER))["events"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return 0  # no run, or a damaged one, which is reported where it is read
        return written if is_count(written) else 0

    def _payload(self, record: Record) -> bytes:
        self._file.seek(record.offset)
        data = self._file.read(record.length)
        if len(data) < record.length:
            raise self._damaged(f"the record at byte {record.offset:,} is cut")
        return data

    def _damaged(self, reason: str) -> FileFormatError:
        return FileFormatError(f"{self.path}: is damaged ({reason}); {REMEDY}")


def read_events(run: str | os.PathLike[str]) -> Events:
    """Open the events of a run.

    Args:
        run: The folder of the run.

    Returns:
        The events, which can be read while the run continues.

    Raises:
        FileFormatError: There are none, or they are damaged.
    """
    return Events(run)
