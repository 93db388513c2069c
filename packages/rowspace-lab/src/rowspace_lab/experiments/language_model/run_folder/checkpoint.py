"""The state of a run on disk: a resumed run continues with the same bits, and a damaged state is an error."""

import dataclasses
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, torch as safetensors
from torch import Tensor

from rowspace._base.atomic import atomic_folder, check_not_interrupted
from rowspace._base.work_folder import LOCK_NAME
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import SEAL, parse_object, sealed, unsealed
from rowspace.table import Table
from rowspace_lab.experiments.language_model.model.transformers_model import write_model
from rowspace_lab.experiments.language_model.options import ModelOptions, TrainingOptions
from rowspace_lab.experiments.language_model.run_folder.folder import MODEL, RUN_FILE, STATE, link_others

__all__ = ["RunRecord", "read_record", "read_start", "read_tensors", "read_tokenizer", "save_checkpoint", "write_start"]

FORMAT, VERSION = "rowspace run", 2
UNCHECKED = 1  # the version without checksums of all but the tensors
TENSORS, START = f"{STATE}/state.safetensors", f"{STATE}/start.safetensors"
TOKENIZER = "tokenizer.json"
REMEDY = "train a new run"


@dataclasses.dataclass
class RunRecord:
    """What `state/run.json` says of a run at its last checkpoint.

    Attributes:
        model: The shape.
        training: The options of the training.
        tokens: The settings of the tokenizer.
        step: Steps done.
        events: Length of `events.bin` in bytes.
        seconds: The time spent.
        threads: Threads of a CPU run, with which its result repeats.
        device: cpu or cuda.
        init: The run that this one continues; None for random rows.
        facts: Measurements: `bits_per_byte` and others.
    """

    model: ModelOptions
    training: TrainingOptions
    tokens: dict[str, Any]
    step: int = 0
    events: int = 0
    seconds: float = 0.0
    threads: int = 1
    device: str = "cpu"
    init: str | None = None
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {"format": FORMAT, "format_version": VERSION, **dataclasses.asdict(self)}


def save_checkpoint(
    run: Path,
    source: Path,
    record: RunRecord,
    tensors: Mapping[str, Tensor],
    table: Table,
    weights: Mapping[str, Tensor],
) -> None:
    """Replace the folder of a run by one of the current step.

    Args:
        run: The folder, which may not exist yet.
        source: Where its other files are: the folder itself, or the one in which the run was prepared.
        record: The content of run.json.
        tensors: All that a resumed run needs.
        table: The input rows.
        weights: The weights of the model, to write for transformers.

    Raises:
        RowspaceError: The system refuses: a full disk, no permission. The last checkpoint is unchanged.
    """
    with atomic_folder(run) as new:
        table.save(new)
        (new / STATE).mkdir()
        data = safetensors.save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
        (new / TENSORS).write_bytes(data)
        facts = write_model(new / MODEL, weights, record.model, record.training.context, table)
        link_others(source, new, exclude={MODEL, TENSORS, RUN_FILE, LOCK_NAME})
        files = {name: zlib.crc32((new / name).read_bytes()) for name in (TOKENIZER, START)}
        document = record.to_json() | {"transformers": facts, "crc32": zlib.crc32(data), "files": files}
        (new / RUN_FILE).write_text(json.dumps(sealed(document), indent=1), encoding="utf-8")


def write_start(folder: Path, rows: Mapping[str, Tensor]) -> None:
    """Write the rows of the start, from which distances are measured."""
    (folder / STATE).mkdir()
    (folder / START).write_bytes(safetensors.save({name: tensor.cpu().contiguous() for name, tensor in rows.items()}))


def read_record(run: Path) -> RunRecord:
    """Read `state/run.json`.

    Raises:
        UsageError: There is no run.
        FileFormatError: It is damaged, or of a newer version.
    """
    document = _document(run)
    names = [field.name for field in dataclasses.fields(RunRecord)]
    try:
        values = {name: document[name] for name in names}
        values["model"] = ModelOptions(**values["model"])
        training = dict(values["training"])
        for earlier, name in (("field", "column"), ("batch", "batch_size")):  # names in earlier versions
            if earlier in training:
                training[name] = training.pop(earlier)
        values["training"] = TrainingOptions(**training)
        return RunRecord(**values)
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(f"{run / RUN_FILE}: is damaged ({reason_of(error)}); {REMEDY}") from error


def read_tensors(run: Path) -> dict[str, Tensor]:
    """Read the tensors of the last checkpoint.

    Raises:
        FileFormatError: They are missing or damaged.
    """
    return _tensors(run / TENSORS, _document(run).get("crc32"))


def read_start(run: Path) -> dict[str, Tensor]:
    """Read the rows of the start.

    Raises:
        FileFormatError: They are missing or damaged.
    """
    document = _document(run)
    return _tensors(run / START, document["files"].get(START) if "files" in document else None)


def read_tokenizer(run: Path) -> str:
    """Read the text of the tokenizer.json.

    Raises:
        FileFormatError: It is missing or damaged.
    """
    document = _document(run)
    data = _checked(run / TOKENIZER, document["files"].get(TOKENIZER) if "files" in document else None)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{run / TOKENIZER}: is damaged ({error}); {REMEDY}") from None


def _tensors(path: Path, checksum: int | None) -> dict[str, Tensor]:
    try:
        return safetensors.load(_checked(path, checksum))
    except (SafetensorError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read ({reason_of(error)}); {REMEDY}") from error


def _checked(path: Path, checksum: int | None) -> bytes:
    """Return the bytes of a file, whose checksum is None in runs of earlier versions."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror}); {REMEDY}") from error
    if checksum is not None and zlib.crc32(data) != checksum:
        raise FileFormatError(f"{path}: is damaged (its checksum differs); {REMEDY}")
    return data


def _document(run: Path) -> dict[str, Any]:
    path = run / RUN_FILE
    try:
        document = parse_object(path.read_bytes(), str(path), remedy=REMEDY)
    except OSError:
        check_not_interrupted(run, "run of rowspace train")
        raise UsageError(f"there is no run of rowspace train in {str(run)!r}; name the folder of one") from None
    if document.get("format") != FORMAT:
        raise FileFormatError(f"{path}: was not written by rowspace train; name the folder of a run")
    if document.get("format_version") not in (UNCHECKED, VERSION):
        raise FileFormatError(
            f"{path}: format version {document.get('format_version')!r:.40}, this rowspace reads {VERSION}; upgrade "
            "with: pip install -U rowspace"
        )
    is_checked = document["format_version"] == VERSION or SEAL in document
    return unsealed(document, str(path), remedy=REMEDY) if is_checked else document
